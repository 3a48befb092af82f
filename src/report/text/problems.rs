//! What stands against the capture, and which of fraglens's own bounds were hit.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Problem, Report, Severity};
use crate::report::escape;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let capture = &report.capture;
    let in_files = capture.files.iter().flat_map(|file| {
        file.problems
            .iter()
            .map(|problem| (Some(file.path.as_str()), problem))
    });
    let of_all = capture.problems.iter().map(|problem| (None, problem));
    let problems = of_all.chain(in_files).collect();
    write_section(problems, &capture.limits, page)
}

/// Writes problems, with the path of the file they are of, and bounds that were hit.
pub(in crate::report) fn write_section(
    mut problems: Vec<(Option<&str>, &Problem)>,
    limits: &BTreeMap<String, u64>,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    // The gravest first; a stable sort keeps reading order among equals.
    problems.sort_by_key(|(_, problem)| std::cmp::Reverse(problem.severity));
    if problems.is_empty() && limits.is_empty() {
        return Ok(());
    }
    page.heading("Problems", "")?;
    for (path, problem) in problems {
        let (lead, tone) = lead(problem.severity);
        page.paragraph(lead, 11, &sentence(path, problem), tone)?;
    }
    for (name, times) in limits {
        let (lead, tone) = lead(Severity::Warning);
        let times = number::counted(*times, "time");
        let text = format!(
            "fraglens's own bound \"{}\" was hit {times}; figures that depend on it are too low",
            escape::line(name)
        );
        page.paragraph(lead, 11, &text, tone)?;
    }
    Ok(())
}

fn lead(severity: Severity) -> (&'static str, Tone) {
    match severity {
        Severity::Error => ("  error", Tone::Fault),
        Severity::Warning => ("  warning", Tone::Doubt),
        Severity::Info => ("  note", Tone::Quiet),
    }
}

fn sentence(path: Option<&str>, problem: &Problem) -> String {
    let path = path.map_or_else(String::new, |path| format!("{}: ", escape::line(path)));
    format!("{path}{}", escape::line(&problem.message))
}
