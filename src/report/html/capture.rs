//! What was read, and how far it can be trusted.

use super::bounds::{FILES, LINE, PROBLEMS, REASONS, clipped, left_out};
use super::findings::severity_word;
use super::section::{Fact, Part, Section};
use super::table::{Cell, Table, bytes, count, words};
use crate::model::number;
use crate::report::beside::Elsewhere;
use crate::report::document::{Capture, CaptureFile, Problem, Report, Severity};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(super) fn section(report: &Report, elsewhere: Elsewhere) -> Option<Section> {
    let capture = &report.capture;
    let mut parts = vec![Part::Facts(facts(report, elsewhere))];
    parts.extend(problems(capture).map(|table| Part::Table(Box::new(table))));
    if !capture.files.is_empty() {
        parts.push(Part::Table(Box::new(files(capture))));
    }
    Some(Section {
        id: "capture",
        title: "Capture",
        lead: "One capture shows what came to this point, not where it was lost.".to_owned(),
        parts,
    })
}

fn facts(report: &Report, elsewhere: Elsewhere) -> Vec<Fact> {
    let capture = &report.capture;
    let mut facts = vec![Fact::new(
        "Frames",
        format!(
            "{}, {} on the wire",
            number::count(capture.frames),
            number::bytes(capture.bytes)
        ),
    )];
    if let (Some(first), Some(last)) = (capture.first_timestamp, capture.last_timestamp) {
        let seconds = number::or_absent(capture.duration_seconds, number::duration);
        facts.push(Fact::new("Time", format!("{first} to {last} ({seconds})")));
    }
    if let Some(filter) = &report.options.filter {
        let away = capture.filtered_frames.map_or_else(String::new, |frames| {
            format!(", which took away {}", number::counted(frames, "frame"))
        });
        facts.push(Fact::new(
            "Filter",
            format!("{}{away}", clipped(filter, LINE)),
        ));
    }
    if capture.truncated_frames > 0 {
        let share = number::percent(capture.truncated_frames, capture.frames);
        let frames = number::counted(capture.truncated_frames, "frame");
        facts.push(Fact::new(
            "Cut short",
            format!(
                "{frames} ({share}) by the snaplen; checksums over what is missing cannot be verified"
            ),
        ));
    }
    facts.push(Fact::new("Lost by the capturing host", dropped(capture)));
    if !capture.undecoded_frames.is_empty() {
        facts.push(undecoded(capture, elsewhere));
    }
    facts
}

fn dropped(capture: &Capture) -> String {
    match capture.dropped_frames {
        None => "not recorded in the file".to_owned(),
        Some(0) => "nothing".to_owned(),
        Some(dropped) => {
            let share = number::percent(dropped, dropped.saturating_add(capture.frames));
            let frames = number::counted(dropped, "frame");
            format!("{frames} ({share}), so what is missing here may have arrived")
        }
    }
}

fn undecoded(capture: &Capture, elsewhere: Elsewhere) -> Fact {
    let mut reasons: Vec<_> = capture.undecoded_frames.iter().collect();
    // The most frequent first; the map's order decides between equals.
    reasons.sort_by_key(|(_, frames)| Reverse(**frames));
    let shown = reasons.iter().take(REASONS);
    let shown = shown.map(|(reason, frames)| {
        let frames = number::counted(**frames, "frame");
        format!("{frames}: {}", clipped(reason, LINE))
    });
    let mut lines: Vec<String> = shown.collect();
    let all = reasons.len() as u64;
    lines.extend(left_out(lines.len(), all, "reason", elsewhere));
    Fact {
        name: "Not decoded".to_owned(),
        lines,
    }
}

fn problems(capture: &Capture) -> Option<Table> {
    let of_all = capture.problems.iter().map(|problem| ("", problem));
    let in_files = capture.files.iter().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (file.path.as_str(), problem))
    });
    problem_table(of_all.chain(in_files).collect(), &capture.limits)
}

/// What stands against captures, with the file it is of, and bounds that were hit; the
/// gravest first.
pub(in crate::report) fn problem_table(
    mut problems: Vec<(&str, &Problem)>,
    limits: &BTreeMap<String, u64>,
) -> Option<Table> {
    problems.sort_by_key(|(_, problem)| Reverse(problem.severity));
    let all = (problems.len() + limits.len()) as u64;
    if all == 0 {
        return None;
    }
    let columns = ["how grave", "what", "file"];
    let mut table = Table::new("problems", "What stands against the capture", &columns);
    table.head = 1;
    let limits = limits.iter().map(|(name, times)| limit(name, *times));
    for row in limits.take(PROBLEMS / 2) {
        table.push(row);
    }
    let room = PROBLEMS - table.rows.len();
    for (path, problem) in problems.into_iter().take(room) {
        table.push(vec![
            words(severity_word(problem.severity)),
            words(clipped(&problem.message, LINE)),
            words(clipped(path, LINE)),
        ]);
    }
    Some(table.of(all, "problem"))
}

fn limit(name: &str, times: u64) -> Vec<Cell> {
    let times = number::counted(times, "time");
    let what = format!(
        "fraglens's own bound \"{}\" was hit {times}; figures that depend on it are too low",
        clipped(name, LINE)
    );
    vec![
        words(severity_word(Severity::Warning)),
        words(what),
        words(""),
    ]
}

const COLUMNS: [&str; 7] = [
    "file",
    "format",
    "#size",
    "#frames",
    "link types",
    "#snaplen",
    "SHA-256",
];

fn files(capture: &Capture) -> Table {
    let mut table = Table::new("files", "Files, in reading order", &COLUMNS);
    for file in capture.files.iter().take(FILES) {
        table.push(file_row(file));
    }
    table.of(capture.files.len() as u64, "file")
}

fn file_row(file: &CaptureFile) -> Vec<Cell> {
    let unknown = || number::ABSENT.to_owned();
    let format = file.format.clone().unwrap_or_else(unknown);
    let format = match &file.compression {
        Some(compression) => format!("{format}, {compression}"),
        None => format,
    };
    let link_types: Vec<String> = file.link_types.iter().map(ToString::to_string).collect();
    let snaplen = file
        .snaplen
        .map_or_else(|| words("no limit"), |snaplen| count(snaplen.into()));
    vec![
        words(clipped(&file.path, LINE)),
        words(clipped(&format, LINE)),
        bytes(file.bytes),
        count(file.frames),
        words(clipped(&link_types.join(", "), LINE)),
        snaplen,
        words(file.sha256.clone().unwrap_or_else(unknown)),
    ]
}
