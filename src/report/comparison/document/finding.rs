//! What is wrong along the path, and what it explains.

use super::segment::Direction;
use crate::report::document::{Fix, Severity, Time};
use schemars::JsonSchema;
use serde::Serialize;

/// One cause, with what speaks for it and what would speak against it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathFinding {
    /// Stable name of the cause; `fraglens explain` knows it.
    pub id: String,
    /// The same for people.
    pub name: String,
    /// How grave it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// The segment it is in, as an index into `segments`; `null` if it is about a point,
    /// or about all.
    pub segment: Option<u32>,
    /// Which way through its segment everything goes that it tells of; `null` if that goes both
    /// ways, or is not told by way.
    pub direction: Option<Direction>,
    /// The point it is about, as an index into `points`.
    pub point: Option<u32>,
    /// What was seen, with figures.
    pub seen: String,
    /// What was seen and what it means, in plain words.
    pub explanation: String,
    /// How sure fraglens is, from 0 to 1.
    pub confidence: f64,
    /// Frames that show it.
    pub evidence: Vec<PathEvidence>,
    /// The cheapest way to prove it wrong.
    pub disprove: String,
    /// Commands and advice that repair it.
    pub fix: Vec<Fix>,
    /// Where this is documented.
    pub references: Vec<String>,
    /// Flows concerned, the worst first, as indices into `flows`; those not listed there
    /// are left out.
    pub flows: Vec<u64>,
    /// Bytes that did not arrive because of it; `null` if that is not known.
    pub missing_bytes: Option<u64>,
}

/// One frame that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathEvidence {
    /// Where it was captured, as an index into `points`.
    pub point: u32,
    /// Number of the frame in the file, from 1 as in Wireshark.
    pub frame: u64,
    /// When it was captured, by the clock of its point.
    pub timestamp: Time,
    /// What to look at.
    pub note: String,
}

/// What one finding explains of the difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathPart {
    /// Its `id`.
    pub finding: String,
    /// The segment it is about, as an index into `segments`.
    pub segment: u32,
    /// Bytes that are missing because of it.
    pub bytes: u64,
}

/// Where the difference between sent and delivered went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathExplanation {
    /// Which way goes what is explained: forward, or backward if nothing goes forward.
    pub direction: Direction,
    /// IP bytes that entered the path this way.
    pub sent_bytes: u64,
    /// Bits per second of that.
    pub sent_bits_per_second: Option<f64>,
    /// IP bytes of those that arrived at its end, or at the last point at which anything was found.
    pub arrived_bytes: u64,
    /// Datagrams that entered the path this way.
    pub sent_datagrams: u64,
    /// Those of them of which everything arrived there.
    pub arrived_datagrams: u64,
    /// Those of these that are of no use there: some bytes are others, or a checksum went wrong.
    pub spoiled_datagrams: u64,
    /// Datagrams in fragments of which nothing is missing at the last point.
    pub whole_fragmented_datagrams: u64,
    /// Fragmented datagrams that the receivers' kernels would deliver, by the model: put together, and
    /// not spoiled on the way; of all
    /// that came to these hosts, which may be more than `whole_fragmented_datagrams`, which
    /// are of the path. `null` if none was fragmented, or no receiver was modelled.
    pub predicted_datagrams: Option<u64>,
    /// What the benchmark or the kernel counted of the same; `null` without a witness.
    pub counted_datagrams: Option<u64>,
    /// The difference between sent and arrived, divided among findings.
    pub parts: Vec<PathPart>,
    /// Bytes missing that no finding explains.
    pub residual_bytes: i64,
    /// All of it in one sentence.
    pub sentence: String,
}

impl PathExplanation {
    /// Whether what receivers would deliver is of other traffic, too.
    pub(crate) fn delivers_others(&self) -> bool {
        let predicted = self.predicted_datagrams;
        predicted.is_some_and(|predicted| predicted > self.whole_fragmented_datagrams)
    }
}
