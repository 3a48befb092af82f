//! The bundle without who was captured.

use super::args::EvidenceOptions;
use crate::cli::UsageError;
use crate::cli::capture::Read;
use crate::evidence::Kept;
use crate::evidence::anonymize::{AnonymizeOptions, Anonymizer, KEY_BYTES, agree, prove};
use crate::evidence::manifest::Anonymized;
use crate::pipeline;
use crate::report::build;
use crate::report::document::{self, Report};
use anyhow::Context;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Most that is read of a file with a key.
const MOST_BYTES: u64 = 4096;

/// What hides, and what it hides.
pub(super) struct Disguise {
    anonymizer: Anonymizer,
    options: AnonymizeOptions,
}

impl Disguise {
    /// As asked for; `None` if it was not.
    ///
    /// # Errors
    ///
    /// The key cannot be read, or is none.
    pub fn new(options: &EvidenceOptions) -> anyhow::Result<Option<Self>> {
        let Some(hidden) = &options.anonymize else {
            return Ok(None);
        };
        let options_of_it = AnonymizeOptions {
            key: hidden.key.as_deref().map(key).transpose()?,
            macs: hidden.macs,
            ids: hidden.ids,
        };
        let anonymizer = Anonymizer::new(&options_of_it).context("the key cannot be used")?;
        Ok(Some(Self {
            anonymizer: anonymizer.with_reassembly(options.capture.stages.reassembly),
            options: options_of_it,
        }))
    }

    /// The report once more, with nothing of the original in it.
    ///
    /// # Errors
    ///
    /// It would say something else.
    pub fn report(
        &self,
        read: &mut Read,
        original: &Report,
        options: document::Options,
    ) -> anyhow::Result<Report> {
        self.anonymizer.analysis(&mut read.analysis);
        self.anonymizer.files(&mut read.files);
        let disguised = build(&read.parts(), options);
        agree(&nameless(original), &nameless(&disguised))
            .context("nothing was written: under other names the figures would be others")?;
        Ok(disguised)
    }

    /// Frames with nothing of the original in them, and the comments that they had.
    ///
    /// # Errors
    ///
    /// They do not say the same.
    pub fn frames(&self, kept: &Kept, stages: &pipeline::Options) -> anyhow::Result<Kept> {
        let mut disguised = self.anonymizer.frames(kept, &stages.decode);
        prove(kept, &disguised, &self.anonymizer, stages)
            .context("nothing was written: what is anonymized would not say the same")?;
        for (frame, original) in disguised.frames.iter_mut().zip(&kept.frames) {
            frame.comment.clone_from(&original.comment);
        }
        Ok(disguised)
    }

    /// For the manifest.
    pub fn mapped(&self) -> Anonymized {
        Anonymized {
            addresses: self.anonymizer.mapped_addresses(),
            macs: self.options.macs,
            ids: self.options.ids,
        }
    }
}

/// All of a report in which no name is.
fn nameless(report: &Report) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!([
            finding.id,
            finding.severity,
            finding.confidence,
            finding.missing_bytes,
            finding.flows_total,
        ])
    });
    let parts = report.explanation.as_ref().map(|explained| {
        let parts = explained.parts.iter();
        let parts: Vec<u64> = parts.map(|part| part.bytes).collect();
        json!([explained.delivered_bytes, parts, explained.residual_bytes])
    });
    json!({
        "totals": report.totals,
        "throughput": report.throughput,
        "flows": report.flows_total,
        "timeline": report.timeline,
        "findings": findings.collect::<Vec<Value>>(),
        "parts": parts,
    })
}

/// 32 bytes, as they are or in hexadecimal.
fn key(path: &Path) -> anyhow::Result<[u8; KEY_BYTES]> {
    let shown = path.display();
    let unreadable = || format!("cannot read {shown}");
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(unreadable)?;
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .with_context(unreadable)?;
    if let Ok(key) = <[u8; KEY_BYTES]>::try_from(bytes.as_slice()) {
        return Ok(key);
    }
    let text = String::from_utf8_lossy(&bytes);
    from_hex(text.trim()).ok_or_else(|| UsageError::NoKey(shown.to_string()).into())
}

fn from_hex(text: &str) -> Option<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    if text.len() != 2 * KEY_BYTES || !text.is_ascii() {
        return None;
    }
    for (byte, place) in key.iter_mut().zip((0..text.len()).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_bytes_or_digits() {
        let digits = "00".repeat(31) + "fF";
        assert_eq!(from_hex(&digits).map(|key| key[31]), Some(255));
        assert_eq!(from_hex(&digits[1..]), None);
        assert_eq!(from_hex(&"zz".repeat(32)), None);
        assert_eq!(from_hex(&"ä".repeat(32)), None);
    }
}
