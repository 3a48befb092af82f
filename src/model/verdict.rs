//! What can be said of one checksum field.

use super::counters::add_fields;
use serde::{Deserialize, Serialize};

/// The verdict on one checksum field. Only [`Verdict::Bad`] is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It verifies.
    Good,
    /// It does not verify, and no other verdict explains it.
    Bad,
    /// It holds what a sender leaves there for its NIC to finish: the folded
    /// pseudo-header sum, not complemented (`CHECKSUM_PARTIAL`), or an outer
    /// checksum that is right once the inner one is finished (Local Checksum
    /// Offload, Linux `Documentation/networking/checksum-offloads.rst`).
    Offloaded,
    /// The sender computed none: UDP over IPv4 with 0 (RFC 768), a tunnel over
    /// IPv6 with 0 (RFC 6935).
    Absent,
    /// Bytes it covers are missing: cut by the snaplen, or never arrived.
    Unverifiable,
}

/// How many checksum fields got each verdict.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct VerdictCounts {
    /// Fields that verify.
    pub good: u64,
    /// Fields that are wrong.
    pub bad: u64,
    /// Fields a sender left for its NIC to finish; no fault.
    pub offloaded: u64,
    /// Fields the sender left empty on purpose; no fault.
    pub absent: u64,
    /// Fields whose bytes are missing from the capture.
    pub unverifiable: u64,
}

impl VerdictCounts {
    /// Counts one field.
    pub fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Good => &mut self.good,
            Verdict::Bad => &mut self.bad,
            Verdict::Offloaded => &mut self.offloaded,
            Verdict::Absent => &mut self.absent,
            Verdict::Unverifiable => &mut self.unverifiable,
        };
        *counter += 1;
    }

    /// Fields counted, whatever the verdict.
    pub fn total(&self) -> u64 {
        self.good + self.bad + self.offloaded + self.absent + self.unverifiable
    }
}

add_fields!(VerdictCounts {
    good,
    bad,
    offloaded,
    absent,
    unverifiable,
});
