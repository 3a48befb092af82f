//! What was read, and what stands against it.

use super::page::{Page, and_more, figure, name, words};
use crate::model::number;
use crate::report::document::{Capture, CaptureFile, Problem, Report, Severity};
use std::collections::BTreeMap;

/// Most files and reasons that are named.
const NAMED: usize = 6;

pub(super) fn write(report: &Report, page: &mut Page) {
    let capture = &report.capture;
    page.heading(3, "Capture");
    let mut sentences = vec![frames(capture, page)];
    sentences.extend(report.options.filter.as_ref().map(|filter| {
        let left_out = capture.filtered_frames.map_or_else(String::new, |frames| {
            format!(", which took away {}", number::counted(frames, "frame"))
        });
        format!("The filter was {}{left_out}.", name(filter))
    }));
    sentences.extend(doubts(capture));
    sentences.extend(undecoded(capture, page));
    page.paragraph(&sentences.join(" "));
    write_problems(capture, page);
}

/// How much it is, since when, and in which files.
fn frames(capture: &Capture, page: &mut Page) -> String {
    let mut text = number::counted(capture.frames, "frame");
    if let Some(seconds) = capture.duration_seconds {
        text.push_str(&format!(" in {}", number::duration(seconds)));
    }
    if let Some(first) = capture.first_timestamp {
        text.push_str(&format!(" from {} on", name(&first.to_string())));
    }
    text.push_str(&format!(
        ", {} on the wire",
        figure(&number::bytes(capture.bytes))
    ));
    let files = page.shown(&capture.files, NAMED);
    let named: Vec<String> = files.iter().map(file).collect();
    let more = and_more(capture.files.len(), files.len());
    let noun = number::counted(capture.files.len() as u64, "file");
    match files.len() {
        0 => format!("{text}, in {noun}."),
        1 if more.is_empty() => format!("{text}, in {}.", named[0]),
        _ => format!("{text}, in {noun}: {}{more}.", named.join(", ")),
    }
}

fn file(file: &CaptureFile) -> String {
    let mut facts = vec![file.format.clone().unwrap_or("format unknown".to_owned())];
    facts.extend(file.compression.clone());
    facts.push(number::bytes(file.bytes));
    facts.extend(file.link_types.iter().map(ToString::to_string));
    let snaplen = file.snaplen.map(u64::from);
    facts.extend(snaplen.map(|bytes| format!("snaplen {}", number::count(bytes))));
    let hash = file.sha256.as_ref();
    let hash = hash.map_or_else(String::new, |hash| format!(", SHA-256 {}", name(hash)));
    format!("{} ({}{hash})", name(&file.path), words(&facts.join(", ")))
}

/// What the capture does not hold.
fn doubts(capture: &Capture) -> Vec<String> {
    let mut doubts = Vec::new();
    if capture.truncated_frames > 0 {
        let share = number::percent(capture.truncated_frames, capture.frames);
        let frames = number::counted(capture.truncated_frames, "frame");
        doubts.push(format!("The snaplen cut {frames} ({}).", figure(&share)));
    }
    match capture.dropped_frames {
        None => doubts.push("Whether the capturing host lost frames is not recorded.".to_owned()),
        Some(0) => doubts.push("The capturing host lost none.".to_owned()),
        Some(dropped) => {
            let share = number::percent(dropped, dropped.saturating_add(capture.frames));
            doubts.push(format!(
                "The capturing host lost {} ({}), so what is missing may have arrived.",
                number::counted(dropped, "frame"),
                figure(&share)
            ));
        }
    }
    doubts
}

/// The most frequent reasons why frames were not decoded.
fn undecoded(capture: &Capture, page: &mut Page) -> Option<String> {
    let mut reasons: Vec<_> = capture.undecoded_frames.iter().collect();
    reasons.sort_by_key(|(_, frames)| std::cmp::Reverse(**frames));
    let all = reasons.iter().map(|(_, frames)| **frames);
    let all = all.fold(0, u64::saturating_add);
    let shown = page.shown(&reasons, NAMED);
    let named: Vec<String> = shown
        .iter()
        .map(|(reason, frames)| match reasons.len() {
            1 => words(reason),
            _ => format!("{} ({})", words(reason), number::count(**frames)),
        })
        .collect();
    let more = and_more(reasons.len(), shown.len());
    let named = match named.as_slice() {
        [] => String::new(),
        named => format!(" ({}{more})", named.join("; ")),
    };
    let frames = number::counted(all, "frame");
    (all > 0).then(|| format!("Of what is in it, {frames} could not be decoded{named}."))
}

fn write_problems(capture: &Capture, page: &mut Page) {
    let in_files = capture.files.iter().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (Some(file.path.as_str()), problem))
    });
    let of_all = capture.problems.iter().map(|problem| (None, problem));
    write_list(of_all.chain(in_files).collect(), &capture.limits, page);
}

/// Writes problems, with the path of the file they are of, and bounds that were hit; the
/// gravest first.
pub(in crate::report) fn write_list(
    mut problems: Vec<(Option<&str>, &Problem)>,
    limits: &BTreeMap<String, u64>,
    page: &mut Page,
) {
    problems.sort_by_key(|(_, problem)| std::cmp::Reverse(problem.severity));
    let shown = page.shown(&problems, usize::MAX);
    let mut lines: Vec<String> = shown
        .iter()
        .map(|(path, problem)| line(*path, problem))
        .collect();
    let limits: Vec<_> = limits.iter().collect();
    let shown_limits = page.shown(&limits, usize::MAX);
    lines.extend(shown_limits.iter().map(|(bound, times)| {
        let times = number::counted(**times, "time");
        format!(
            "- **Warning:** fraglens's own bound {} was hit {times}; figures that depend on it are \
             too low",
            name(bound)
        )
    }));
    let all = problems.len() + limits.len();
    if lines.len() < all {
        let more = number::counted((all - lines.len()) as u64, "more problem");
        lines.push(format!("- and {more}"));
    }
    page.paragraph(&lines.join("\n"));
}

fn line(path: Option<&str>, problem: &Problem) -> String {
    let lead = match problem.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Note",
    };
    let path = path.map_or_else(String::new, |path| format!("{}: ", name(path)));
    format!("- **{lead}:** {path}{}", words(&problem.message))
}
