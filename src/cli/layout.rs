//! What every reading command is told about its report, and how that is written.

use super::Status;
use super::args::{Format, Gravity, SortKey, When, timeline_bucket};
use super::options::{severity, sort, span, style};
use super::output::Output;
use super::stages::StageOptions;
use super::terminal::Terminal;
use crate::model;
use crate::report::document::{self, Capture, CaptureFile, Problem, Report, Severity, Sort};
use crate::report::text::Style;
use crate::report::{csv, escape, html, json, markdown, ndjson, text};
use clap::{Args, ValueHint};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// What is in a report, and where it goes.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(next_help_heading = "Output")]
pub struct LayoutArgs {
    /// Write the report to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Most flows and most tunnels listed, 0 for all [default: 10 in text and markdown, else 10000]
    #[arg(long, value_name = "N")]
    pub top: Option<u64>,

    /// What flows and tunnels are sorted by, largest first
    #[arg(long, value_name = "KEY", default_value = "missing")]
    pub sort: SortKey,

    /// Length of a step of the timeline [default: 1s, in html 10ms; longer for long captures]
    #[arg(long, value_name = "TIME", value_parser = timeline_bucket)]
    pub timeline_bucket: Option<Duration>,

    /// Exit with status 3 if there is a finding at least this grave
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<Gravity>,

    /// Whether text is coloured; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: When,
}

/// The same, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Length of a step of the timeline.
    pub timeline_bucket: model::Duration,
    /// What flows and tunnels are sorted by.
    pub sort: Sort,
    /// Most flows and most tunnels listed; `None`: all.
    pub top: Option<u64>,
    /// How the report is written.
    pub format: Format,
    /// How text is laid out.
    pub style: Style,
    /// The file the report is written to; `None`: standard output.
    pub output: Option<PathBuf>,
    /// The mildest finding that makes the exit status 3.
    pub fail_on: Option<Severity>,
}

/// Flows and tunnels in text, unless told otherwise: what a screen has room for.
const TOP_TEXT: u64 = 10;

/// Flows and tunnels in other formats, unless told otherwise.
const TOP_DATA: u64 = 10_000;

/// Narrowest step of the timeline, unless told otherwise.
const TIMELINE_BUCKET: model::Duration = model::Duration::from_secs(1);

/// The same where the timeline is a chart: one of a second has something to show.
const CHART_BUCKET: model::Duration = model::Duration::from_millis(10);

impl Layout {
    /// As typed, for this format.
    pub(super) fn new(args: LayoutArgs, format: Format, terminal: &Terminal) -> Self {
        let output = args.output.filter(|path| path.as_os_str() != "-");
        let top = args.top.unwrap_or(match format {
            Format::Text | Format::Markdown => TOP_TEXT,
            Format::Json | Format::Ndjson | Format::Csv | Format::Html => TOP_DATA,
        });
        let bucket = match format {
            Format::Html => CHART_BUCKET,
            Format::Text | Format::Json | Format::Ndjson | Format::Csv | Format::Markdown => {
                TIMELINE_BUCKET
            }
        };
        Self {
            timeline_bucket: args.timeline_bucket.map_or(bucket, span),
            sort: sort(args.sort),
            top: (top > 0).then_some(top),
            style: style(args.color, output.is_none(), terminal),
            format,
            output,
            fail_on: args.fail_on.map(severity),
        }
    }

    /// The options as the report states them.
    pub(super) fn effective(
        &self,
        stages: &StageOptions,
        filter: Option<&str>,
    ) -> document::Options {
        let (decode, reassembly) = (&stages.decode, &stages.reassembly);
        document::Options {
            filter: filter.map(str::to_owned),
            vxlan_ports: decode.all_vxlan_ports(),
            geneve_ports: decode.all_geneve_ports(),
            auto_tunnel: decode.auto_tunnel == crate::decode::AutoTunnel::On,
            reassembly_timeout_ipv4_seconds: reassembly.timeout_v4.as_secs_f64(),
            reassembly_timeout_ipv6_seconds: reassembly.timeout_v6.as_secs_f64(),
            reassembly_memory_bytes: reassembly.memory_bytes as u64,
            timeline_bucket_seconds: self.timeline_bucket.as_secs_f64(),
            sort: self.sort,
            top: self.top,
        }
    }

    /// Says what could not be read, writes the report, and decides the exit status.
    pub(super) fn finish(&self, report: &Report, mut output: Output) -> anyhow::Result<Status> {
        complain(&report.capture);
        if self.format != Format::Text || !nothing_was_read(&report.capture) {
            self.write(report, &mut output)?;
            output.finish()?;
        }
        Ok(self.status(report))
    }

    fn write(&self, report: &Report, out: &mut Output) -> io::Result<()> {
        match self.format {
            Format::Text => text::write(report, self.style, out),
            Format::Json => json::write(report, out),
            Format::Ndjson => ndjson::write(report, out),
            Format::Csv => csv::write(report, out),
            Format::Markdown => markdown::write(report, out),
            Format::Html => html::write(report, out),
        }
    }

    /// What a report means for the exit status.
    pub(super) fn status(&self, report: &Report) -> Status {
        if report.capture.worst_problem() == Some(Severity::Error) {
            return Status::Unreadable;
        }
        let worst = report.findings.iter().map(|finding| finding.severity).max();
        match self.fail_on {
            Some(limit) if worst >= Some(limit) => Status::FailOn,
            _ => Status::Done,
        }
    }
}

/// Says on standard error what could not be read, as it decides the exit status
/// and the report may go elsewhere.
pub(super) fn complain(capture: &Capture) {
    let of_all = capture.problems.iter().map(|problem| ("", problem));
    complain_of(of_all);
    complain_of_files(capture.files.iter());
}

/// The same of files alone.
pub(super) fn complain_of_files<'a>(files: impl Iterator<Item = &'a CaptureFile>) {
    complain_of(files.flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (file.path.as_str(), problem))
    }));
}

fn complain_of<'a>(problems: impl Iterator<Item = (&'a str, &'a Problem)>) {
    for (path, problem) in problems {
        if problem.severity == Severity::Error {
            let path = escape::line(path);
            let colon = if path.is_empty() { "" } else { ": " };
            let message = escape::line(&problem.message);
            // Nobody is left to be told if standard error is closed.
            let _ = writeln!(io::stderr(), "fraglens: {path}{colon}{message}");
        }
    }
}

/// Whether no input could be read: a page of zeros would only hide why.
pub(super) fn nothing_was_read(capture: &Capture) -> bool {
    let failed = |severity| severity == Severity::Error;
    capture.frames == 0
        && capture
            .files
            .iter()
            .all(|file| file.problems.iter().any(|problem| failed(problem.severity)))
}
