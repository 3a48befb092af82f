//! What is wrong, why, and what it explains.

use super::capture::Severity;
use super::scalar::Time;
use schemars::JsonSchema;
use serde::Serialize;

/// One cause, with what speaks for it and what would speak against it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// Stable name of the cause; `fraglens explain` knows it.
    pub id: String,
    /// The same for people.
    pub name: String,
    /// How grave it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// What was seen, with figures.
    pub seen: String,
    /// What was seen and what it means, in plain words.
    pub explanation: String,
    /// How sure fraglens is, from 0 to 1.
    pub confidence: f64,
    /// Frames that show it.
    pub evidence: Vec<Evidence>,
    /// The cheapest way to prove it wrong.
    pub disprove: String,
    /// Commands and advice that repair it, for the networks in view; the likeliest first.
    pub fix: Vec<Fix>,
    /// Where this is documented.
    pub references: Vec<String>,
    /// Flows concerned, the worst first, as indices into the report's `flows`; those not
    /// listed there are left out.
    pub flows: Vec<u64>,
    /// Flows concerned, those left out included; 100 at most.
    pub flows_total: u64,
    /// Bytes that were not delivered because of it; `null` if that is not known.
    pub missing_bytes: Option<u64>,
}

/// One thing to do about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fix {
    /// Where it applies.
    pub when: String,
    /// Whether `command` is a line for a shell; else it is words.
    pub is_command: bool,
    /// What to type, or to do.
    pub command: String,
}

/// One frame that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// Number of the frame in its file, from 1 as in Wireshark.
    pub frame: u64,
    /// When it was captured.
    pub timestamp: Time,
    /// The file, as in `capture.files[].path`.
    pub file: String,
    /// What to look at.
    pub note: String,
}

/// Where the difference between sent and delivered went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// Bytes offered on the wire at this point.
    pub sent_bytes: u64,
    /// Bytes that could be delivered.
    pub delivered_bytes: u64,
    /// The difference, divided among findings.
    pub parts: Vec<Part>,
    /// Bytes of datagrams that the capture began or ended in the middle of: nobody can
    /// say what became of them.
    pub undecided_bytes: u64,
    /// What no finding explains: neither fragments nor checksums. Negative where
    /// findings explain more than is missing.
    pub residual_bytes: i64,
    /// All of it in one sentence.
    pub sentence: String,
}

/// What one finding explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Part {
    /// Its `id`.
    pub finding: String,
    /// Bytes.
    pub bytes: u64,
}
