//! What of a packet may be another on its way, though it is the same packet.

use crate::model::Verdict;

/// How a packet looked at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// TTL.
    pub hop_limit: u8,
    /// TOS or traffic class: DSCP and ECN.
    pub traffic_class: u8,
    /// Code of the verdict on its transport checksum.
    pub checksum: u8,
}

/// Verdicts that are told apart, by code.
pub const VERDICTS: usize = 6;

/// 0 where there is none.
pub(super) fn code(verdict: Option<Verdict>) -> u8 {
    match verdict {
        None => 0,
        Some(Verdict::Good) => 1,
        Some(Verdict::Bad) => 2,
        Some(Verdict::Offloaded) => 3,
        Some(Verdict::Absent) => 4,
        Some(Verdict::Unverifiable) => 5,
    }
}

/// The names of verdicts on checksums, in the order in which [`Between`](super::Between)
/// counts them.
pub const VERDICT_NAMES: [&str; VERDICTS] =
    ["none", "good", "bad", "offloaded", "absent", "unverifiable"];
