//! What is said of a bundle: in its capture, and to who made it.

use super::args::EvidenceOptions;
use crate::evidence::Excerpt;
use crate::model::{Timestamp, number};
use crate::report::document::{Finding, Report, Time};
use crate::report::escape;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Comments on the capture as a whole: what was found, and what of it it shows.
pub(super) fn of_all(report: &Report, excerpt: &Excerpt) -> Vec<String> {
    let sentence = report
        .explanation
        .as_ref()
        .map(|told| told.sentence.clone());
    let findings = report.findings.iter().map(|finding| {
        let without = match excerpt.repeated.contains(&finding.id) {
            true => "",
            false => " (these frames alone do not show it)",
        };
        format!("{}{without}", line(finding))
    });
    sentence
        .into_iter()
        .chain(findings)
        .map(|comment| escape::line(&comment).into_owned())
        .collect()
}

fn line(finding: &Finding) -> String {
    let severity = finding.severity.name();
    format!(
        "{} {severity}: {}. {}",
        finding.id, finding.title, finding.seen
    )
}

/// Says on standard error what was written.
pub(super) fn written(options: &EvidenceOptions, report: &Report, excerpt: &Excerpt) {
    let folder = options.folder.display();
    let frames = number::counted(excerpt.kept.frames.len() as u64, "frame");
    let of = number::count(report.capture.frames);
    say(&format!(
        "{folder}: report.html, report.md, report.json, flows.csv, evidence.pcapng ({frames} of {of})"
    ));
    if let Some(archive) = &options.archive {
        say(&format!("{}: the same, packed", archive.display()));
    }
}

/// Says on standard error where the frames alone say something else.
pub(super) fn differences(excerpt: &Excerpt) {
    if !excerpt.not_repeated.is_empty() {
        let which = excerpt.not_repeated.join(", ");
        say(&format!(
            "evidence.pcapng alone does not show {which}: it rests on more than --evidence-bytes allows, or on no frames"
        ));
    }
    if let Some(leading) = &excerpt.leads_instead {
        say(&format!(
            "evidence.pcapng alone begins with {leading}, and not as the whole capture does: its figures are those of a selection"
        ));
    }
    if !excerpt.added.is_empty() {
        let which = excerpt.added.join(", ");
        say(&format!(
            "evidence.pcapng alone also shows {which}, which the whole capture does not"
        ));
    }
}

/// Says a line on standard error.
pub(in crate::cli) fn say(line: &str) {
    // Nobody is left to be told if standard error is closed.
    let _ = writeln!(io::stderr(), "fraglens: {}", escape::line(line));
}

/// The words that were typed.
pub(in crate::cli) fn command_line() -> Vec<String> {
    let words = std::env::args_os();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The time of day: a bundle says when it was made.
pub(in crate::cli) fn now() -> Time {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Time(Timestamp(
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
    ))
}
