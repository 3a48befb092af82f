//! What the recorder did, for a screen, a log and lines of JSON.

use crate::model::number::{bytes, counted};
use crate::report::escape;
use serde::Serialize;
use std::fmt;

/// One thing that the recorder did, or could not do. [`fmt::Display`] is one line
/// without anything that a terminal would act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Notice {
    /// A recording was begun.
    Started {
        /// Ids of the findings that made it begin.
        findings: Vec<String>,
    },
    /// A recording is complete.
    Written(Written),
    /// An older recording was deleted to keep the bounds.
    Deleted {
        /// Where it was.
        path: String,
    },
    /// A recording could not be written; what there was of it is gone.
    Failed {
        /// The directory.
        path: String,
        /// What the system said.
        error: String,
        /// How often that happened since the capture began.
        failures: u64,
    },
}

/// A recording that is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Where it is.
    pub path: String,
    /// Ids of the findings told in it, those that made it begin first.
    pub findings: Vec<String>,
    /// Frames in it.
    pub frames: u64,
    /// Its size.
    pub bytes: u64,
    /// Frames missing between its first and its last, because the ring had to drop them
    /// before they were written.
    pub missed_frames: u64,
    /// Whether frames from before the finding are missing for want of memory.
    pub is_late: bool,
    /// Whether it ends early, because it reached its share of the bytes allowed.
    pub is_cut: bool,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { findings } => write!(f, "recording {}", findings.join(", ")),
            Self::Written(written) => written.fmt(f),
            Self::Deleted { path } => write!(f, "deleted {}", escape::line(path)),
            Self::Failed {
                path,
                error,
                failures,
            } => write!(
                f,
                "no recording in {}: {} ({})",
                escape::line(path),
                escape::line(error),
                counted(*failures, "failure"),
            ),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = escape::line(&self.path);
        let frames = counted(self.frames, "frame");
        write!(f, "recorded {path}: {frames}, {}", bytes(self.bytes))?;
        for flaw in self.flaws() {
            write!(f, "; {flaw}")?;
        }
        Ok(())
    }
}

impl Written {
    /// What is not in it that was asked for, in words.
    pub(super) fn flaws(&self) -> Vec<String> {
        let mut flaws = Vec::new();
        if self.is_late {
            flaws.push("it begins late: memory for frames was too little".to_owned());
        }
        if self.missed_frames > 0 {
            let missed = counted(self.missed_frames, "frame");
            flaws.push(format!(
                "{missed} missing: the disk was slower than the capture"
            ));
        }
        if self.is_cut {
            flaws.push("it ends early: its share of --record-bytes is used up".to_owned());
        }
        flaws
    }
}
