//! The sentence that says it all.

use super::balance::{self, Balance};
use super::bounds::{LINE, PARAGRAPH, clipped};
use super::prose::Prose;
use crate::model::number;
use crate::report::document::{Capture, Report};
use askama::Template;

/// What the page begins with.
#[derive(Debug, Template)]
#[template(path = "summary.html")]
pub(super) struct Summary {
    /// What the report is on.
    subject: String,
    /// When, and how much.
    span: String,
    /// All of it in a sentence or two.
    sentence: Prose,
    /// What became of what was sent; `None` if nothing is missing.
    balance: Option<Balance>,
}

impl Summary {
    /// What the report is on.
    pub(super) fn subject(&self) -> &str {
        &self.subject
    }
}

pub(super) fn summary(report: &Report) -> Summary {
    let said = report
        .explanation
        .as_ref()
        .map(|said| said.sentence.clone());
    let sentence = said.unwrap_or_else(|| plain(report));
    Summary {
        subject: subject(&report.capture),
        span: span(&report.capture),
        sentence: Prose::new(&sentence, PARAGRAPH),
        balance: balance::balance(report),
    }
}

/// The files, by the last part of their paths.
fn subject(capture: &Capture) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    match capture.files.as_slice() {
        [] => "a capture".to_owned(),
        [only] if only.path == "-" => "standard input".to_owned(),
        [only] => clipped(&name(&only.path), LINE),
        [first, others @ ..] => {
            let others = number::counted(others.len() as u64, "other file");
            format!("{} and {others}", clipped(&name(&first.path), LINE))
        }
    }
}

fn span(capture: &Capture) -> String {
    let frames = number::counted(capture.frames, "frame");
    let mut span = format!("{frames}, {}", number::bytes(capture.bytes));
    if let Some(first) = capture.first_timestamp {
        let seconds = number::or_absent(capture.duration_seconds, number::duration);
        span.push_str(&format!(", from {first}, {seconds} long"));
    }
    span
}

/// What is true of a capture that nobody explained.
fn plain(report: &Report) -> String {
    let datagrams = &report.totals.datagrams;
    let unfinished = datagrams.fragmented.saturating_sub(datagrams.reassembled);
    let all = datagrams.unfragmented + datagrams.fragmented;
    if report.capture.frames == 0 {
        "The capture holds no frames to analyse: nothing was lost.".to_owned()
    } else if report.totals.packets == 0 {
        let frames = number::counted(report.capture.frames, "frame");
        format!("The capture holds no IP packets, in {frames}: nothing was lost.")
    } else if unfinished == 0 {
        let all = number::counted(all, "datagram");
        format!("Nothing was lost: every datagram is whole, of {all}.")
    } else {
        format!(
            "{} of {} did not become whole, and no cause was looked for.",
            number::count(unfinished),
            number::counted(all, "datagram")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn without_an_explanation_something_true_is_said() {
        let said = |report: &Report| plain(report);
        assert!(said(&samples::empty()).ends_with("nothing was lost."));
        assert_eq!(
            said(&samples::healthy()),
            "Nothing was lost: every datagram is whole, of 1,200 datagrams."
        );
        assert_eq!(
            said(&samples::netperf_loss()),
            "18,295 of 24,036 datagrams did not become whole, and no cause was looked for."
        );
    }

    #[test]
    fn a_page_is_named_after_its_files() {
        let report = samples::many();
        assert_eq!(subject(&report.capture), "healthy.pcapng and 1 other file");
        assert_eq!(subject(&Capture::default()), "a capture");
    }
}
