//! What was read, and how far it can be trusted.

use super::scalar::{Time, display_all};
use crate::model::LinkType;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// All files of one run, read as one capture in time order.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Capture {
    /// The files, in reading order.
    pub files: Vec<CaptureFile>,
    /// Frames that were analysed.
    pub frames: u64,
    /// Frames the filter took away; `null` without a filter.
    pub filtered_frames: Option<u64>,
    /// Bytes on the wire of the frames analysed, whatever the snaplen kept.
    pub bytes: u64,
    /// Earliest frame analysed.
    pub first_timestamp: Option<Time>,
    /// Latest frame analysed.
    pub last_timestamp: Option<Time>,
    /// Time between the two.
    pub duration_seconds: Option<f64>,
    /// Frames of which the capture holds less than the wire carried.
    pub truncated_frames: u64,
    /// Frames, by reason, that could not be decoded down to their payload.
    pub undecoded_frames: BTreeMap<String, u64>,
    /// Frames the capturing host says it lost; `null` if the files do not say.
    pub dropped_frames: Option<u64>,
    /// fraglens's own bounds that were hit, by name, and how often; empty if none.
    pub limits: BTreeMap<String, u64>,
    /// What stands against the capture as a whole.
    pub problems: Vec<Problem>,
}

impl Capture {
    /// The gravest problem of the capture or any of its files.
    ///
    /// [`Severity::Error`] means that input was missing from the analysis: it
    /// could not be read, or is damaged in the middle.
    pub fn worst_problem(&self) -> Option<Severity> {
        let in_files = self.files.iter().flat_map(|file| &file.problems);
        let all = self.problems.iter().chain(in_files);
        all.map(|problem| problem.severity).max()
    }
}

/// One file of a capture.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CaptureFile {
    /// The path as given; `-` for standard input.
    pub path: String,
    /// `pcap`, `pcapng`; `null` if it is neither or could not be read.
    pub format: Option<String>,
    /// `gzip`, `zstd`, `lz4`; `null` if not compressed.
    pub compression: Option<String>,
    /// Length of the file as stored; of standard input, what was read from it.
    pub bytes: u64,
    /// SHA-256 of the file as stored, in lower-case hex; `null` if not computed.
    pub sha256: Option<String>,
    /// Link-layer types of its interfaces, as tcpdump names them; each once, in
    /// the order they first appear.
    #[serde(serialize_with = "display_all")]
    #[schemars(with = "Vec<String>")]
    pub link_types: Vec<LinkType>,
    /// Largest snaplen of its interfaces in bytes; `null` if there is no limit.
    pub snaplen: Option<u32>,
    /// Frames in the file, before any filter.
    pub frames: u64,
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
}

/// Something that stands against a capture or one of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// How grave it is; `error` if input was missing from the analysis.
    pub severity: Severity,
    /// One sentence for people, without the path.
    pub message: String,
}

/// How grave something is, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing, no fault.
    Info,
    /// A fault, or a doubt about what the report rests on.
    Warning,
    /// A fault that explains missing data, or input that could not be read.
    Error,
}

impl Severity {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
