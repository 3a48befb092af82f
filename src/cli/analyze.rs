//! `fraglens analyze`: from files to a report and an exit status.

use super::Status;
use super::args::Format;
use super::options::AnalyzeOptions;
use super::output::Output;
use super::progress::Bar;
use crate::report::document::{Capture, Report, Severity};
use crate::report::{csv, escape, json, ndjson, text};
use std::io::{self, Write};

/// Analyses, writes the report and says what came of it.
pub(super) fn run(options: &AnalyzeOptions) -> anyhow::Result<Status> {
    run_with(options, analyze)
}

/// Reads, decodes and accounts: the one place that calls the pipeline.
fn analyze(options: &AnalyzeOptions, _: &Bar) -> anyhow::Result<Report> {
    anyhow::bail!(
        "cannot analyse {:?}: this build has no pipeline",
        options.inputs
    )
}

/// As [`run`], with the analysis as an argument.
pub(super) fn run_with(
    options: &AnalyzeOptions,
    analyze: impl FnOnce(&AnalyzeOptions, &Bar) -> anyhow::Result<Report>,
) -> anyhow::Result<Status> {
    let mut output = Output::open(options.output.as_deref(), &options.inputs)?;
    let bar = Bar::new(options.progress);
    let analysed = analyze(options, &bar);
    bar.clear();
    let report = analysed?;
    complain(&report.capture);
    if options.format != Format::Text || !nothing_was_read(&report.capture) {
        write(&report, options, &mut output)?;
        output.finish()?;
    }
    Ok(status(&report, options.fail_on))
}

fn write(report: &Report, options: &AnalyzeOptions, out: &mut Output) -> io::Result<()> {
    match options.format {
        Format::Text => text::write(report, options.style, out),
        Format::Json => json::write(report, out),
        Format::Ndjson => ndjson::write(report, out),
        Format::Csv => csv::write(report, out),
    }
}

/// Says on standard error what could not be read, as it decides the exit status
/// and the report may go elsewhere.
fn complain(capture: &Capture) {
    let of_all = capture.problems.iter().map(|problem| ("", problem));
    let in_files = capture.files.iter().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (file.path.as_str(), problem))
    });
    for (path, problem) in of_all.chain(in_files) {
        if problem.severity == Severity::Error {
            let path = escape::line(path);
            let colon = if path.is_empty() { "" } else { ": " };
            let message = escape::line(&problem.message);
            // Nobody is left to be told if standard error is closed.
            let _ = writeln!(io::stderr(), "fraglens: {path}{colon}{message}");
        }
    }
}

/// Whether no input could be opened: a page of zeros would only hide why.
fn nothing_was_read(capture: &Capture) -> bool {
    let failed = |severity| severity == Severity::Error;
    capture.frames == 0
        && capture
            .files
            .iter()
            .all(|file| file.problems.iter().any(|problem| failed(problem.severity)))
}

fn status(report: &Report, fail_on: Option<Severity>) -> Status {
    if report.capture.worst_problem() == Some(Severity::Error) {
        return Status::Unreadable;
    }
    let worst = report.findings.iter().map(|finding| finding.severity).max();
    match fail_on {
        Some(limit) if worst >= Some(limit) => Status::FailOn,
        _ => Status::Done,
    }
}
