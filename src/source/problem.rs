//! What is known about one input, and what is wrong with it.

use crate::model::{LinkType, Timestamp};

/// How much a problem takes away. Ordered: the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// All was read; something about it bears on the result.
    Note,
    /// The last record, or the compressed stream, is incomplete: that is how a
    /// killed capture ends. Everything before it was read.
    CutOff,
    /// Broken before its end. What lies before the damage was read, the rest was not.
    Damaged,
    /// Not one frame could be looked for: missing, empty, or no capture.
    Unreadable,
}

/// One thing wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How much it takes away.
    pub severity: Severity,
    /// One lower-case sentence without the path: where, what was expected, what was
    /// found. Free of control characters, whatever the input holds.
    pub text: String,
}

impl Problem {
    /// A problem; control characters in `text` are escaped.
    pub fn new(severity: Severity, text: impl AsRef<str>) -> Self {
        let text = printable(text.as_ref());
        Self { severity, text }
    }
}

/// `text` with control characters escaped: it may quote the input, and goes to terminals.
pub(super) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    clean
}

/// What a capture says of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceFacts {
    /// Its name, as it is in the file: anything; empty if there is none.
    pub name: String,
    /// What the file says of it for people, as it is there; empty if it says nothing.
    pub description: String,
    /// How its frames begin.
    pub link_type: LinkType,
    /// Most bytes kept of a frame; 0 for all.
    pub snaplen: u32,
}

/// What is known about one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// Path as given, lossily as text, control characters escaped; `-` is standard input.
    pub path: String,
    /// `pcap`, `pcap-ns`, `pcap-modified`, `pcap-ixia` or `pcapng`; `None` if not recognised.
    pub format: Option<&'static str>,
    /// `gzip`, `zstd` or `lz4`; `None` if not compressed.
    pub compression: Option<&'static str>,
    /// Size of the input as it is stored, compressed if it is; for a pipe, bytes read from it.
    pub bytes: u64,
    /// SHA-256 of those bytes in lower-case hexadecimal, if it was asked for and
    /// all of them were read.
    pub sha256: Option<String>,
    /// Link types in order of appearance, each once.
    pub link_types: Vec<LinkType>,
    /// Interfaces in the order of their numbers, which frames name: the first 1,024. Empty
    /// where the format knows of none.
    pub interfaces: Vec<InterfaceFacts>,
    /// Most bytes kept of a frame, the largest of all interfaces; `None` if not
    /// stated or unlimited.
    pub snaplen: Option<u32>,
    /// Frames read.
    pub frames: u64,
    /// Whether it is an interface, captured on at the same time as others.
    pub is_live: bool,
    /// Frames the capture itself says it lost; `None` if it does not say.
    pub dropped_frames: Option<u64>,
    /// Time of the first frame.
    pub first_timestamp: Option<Timestamp>,
    /// When capturing began, and when it ended, as far as the capture itself says so.
    pub captured: [Option<Timestamp>; 2],
    /// What is wrong, in order of discovery.
    pub problems: Vec<Problem>,
}

impl FileFacts {
    /// Frames that several captures say they lost; `None` if none of them says.
    pub fn dropped_frames_of(files: &[Self]) -> Option<u64> {
        files
            .iter()
            .filter_map(|file| file.dropped_frames)
            .reduce(u64::saturating_add)
    }
}
