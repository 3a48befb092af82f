//! What a recording says of the findings it was made for.

use crate::evidence::pcapng::{InterfaceFacts, MAX_COMMENT_BYTES};
use crate::model::FrameId;
use crate::report::document::{Evidence, Finding, Severity};
use crate::report::escape;
use crate::watch::Active;
use std::collections::HashMap;

/// Most findings told in one recording.
pub(super) const MAX_TOLD: usize = 20;

/// Most frames with a comment.
const MAX_NOTES: usize = 1024;

/// Most frames of a finding that the comment on the file lists.
const MAX_LISTED: usize = 5;

/// Findings told in a recording, and what is said of frames.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// In the order they were added, as ids and comments.
    findings: Vec<(String, String)>,
    notes: HashMap<FrameId, String>,
    omitted: usize,
}

impl Told {
    /// Adds the findings that are not in it.
    pub(super) fn add<'a>(
        &mut self,
        findings: impl IntoIterator<Item = &'a Active>,
        interfaces: &[InterfaceFacts],
    ) {
        for active in findings {
            let finding = &active.finding;
            if self.findings.iter().any(|(id, _)| *id == finding.id) {
                continue;
            }
            if self.findings.len() >= MAX_TOLD {
                self.omitted += 1;
                continue;
            }
            let comment = comment(active);
            self.findings.push((finding.id.clone(), comment));
            self.note(finding, interfaces);
        }
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.findings.iter().map(|(id, _)| id.clone()).collect()
    }

    /// What is said of a frame.
    pub(super) fn note_on(&self, frame: FrameId) -> Option<&str> {
        self.notes.get(&frame).map(String::as_str)
    }

    /// The comments on the file, this one first.
    pub(super) fn comments(&self, first: String) -> Vec<String> {
        let omitted = match self.omitted {
            0 => None,
            more => Some(format!("{more} more findings are not told here")),
        };
        let findings = self.findings.iter().map(|(_, comment)| comment.clone());
        std::iter::once(first)
            .chain(omitted)
            .chain(findings)
            .collect()
    }

    fn note(&mut self, finding: &Finding, interfaces: &[InterfaceFacts]) {
        for evidence in &finding.evidence {
            let Some(file) = interface_of(evidence, interfaces) else {
                continue;
            };
            let frame = FrameId {
                file,
                number: evidence.frame,
            };
            if self.notes.len() < MAX_NOTES || self.notes.contains_key(&frame) {
                let note = format!("{}: {}", finding.id, evidence.note);
                add_line(self.notes.entry(frame).or_default(), &escape::line(&note));
            }
        }
    }
}

fn add_line(text: &mut String, line: &str) {
    if text.len() < MAX_COMMENT_BYTES {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// Evidence names its interface, as a report names its files: made harmless, maybe.
fn interface_of(evidence: &Evidence, interfaces: &[InterfaceFacts]) -> Option<u32> {
    let is_it = |facts: &InterfaceFacts| {
        facts.name == evidence.file || escape::line(&facts.name) == evidence.file
    };
    let index = interfaces.iter().position(is_it)?;
    u32::try_from(index).ok()
}

/// One finding in a few lines.
fn comment(active: &Active) -> String {
    let finding = &active.finding;
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut lines = vec![
        format!("{} {}: {}", finding.id, severity, finding.title),
        format!("since: {}", active.since),
        format!("seen: {}", finding.seen),
        format!("confidence: {:.2}", finding.confidence),
        format!("disprove: {}", finding.disprove),
    ];
    lines.extend(finding.evidence.iter().take(MAX_LISTED).map(|evidence| {
        let Evidence {
            frame,
            timestamp,
            file,
            note,
        } = evidence;
        format!("shown by: frame {frame} of {file}, {timestamp}: {note}")
    }));
    let lines: Vec<_> = lines.iter().map(|line| escape::line(line)).collect();
    lines.join("\n")
}
