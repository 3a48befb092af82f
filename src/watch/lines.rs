//! A capture that goes on, as a line of JSON each second.

use super::{Change, Snapshot};
use crate::report::document::Time;
use crate::report::json;
use serde::Serialize;
use std::io::{self, Write};

/// One line; `type` says which.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// How it is now.
    Snapshot(&'a Snapshot),
    /// A finding came or went.
    Finding(&'a Change),
    /// Something else happened.
    Notice {
        /// When.
        timestamp: Time,
        /// What, in one sentence.
        message: &'a str,
    },
}

impl Line<'_> {
    /// Writes it at once: whoever reads may wait for it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        json::write_line(self, out)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{Findings, samples};

    #[test]
    fn each_is_one_line_that_says_what_it_is() -> io::Result<()> {
        let snapshot = samples::snapshot();
        let found = &snapshot.window.findings;
        let changes = Findings::default().take(found, snapshot.timestamp);
        let notice = Line::Notice {
            timestamp: snapshot.timestamp,
            message: "a\nb\u{1b}[31m",
        };
        let lines = [
            (Line::Snapshot(&snapshot), "snapshot"),
            (Line::Finding(&changes[0]), "finding"),
            (notice, "notice"),
        ];
        for (line, kind) in lines {
            let mut written = Vec::new();
            line.write(&mut written)?;
            let text = String::from_utf8_lossy(&written);
            assert_eq!(text.lines().count(), 1);
            assert!(!text.contains('\u{1b}'), "{text}");
            let value: serde_json::Value = serde_json::from_str(&text)?;
            assert_eq!(value["type"], kind);
        }
        Ok(())
    }
}
