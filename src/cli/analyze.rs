//! `fraglens analyze`: from files to a report and an exit status.

use super::Status;
use super::UsageError;
use super::args::{Format, When};
use super::interrupt::Interrupt;
use super::options::AnalyzeOptions;
use super::output::Output;
use super::progress::Bar;
use super::receiver;
use super::witness;
use crate::decode::{AutoTunnel, DecodeOptions};
use crate::model::Duration;
use crate::pipeline;
use crate::reassemble::Limits;
use crate::report::document::{self, Capture, Report, Severity};
use crate::report::{Parts, build, csv, escape, json, ndjson, text};
use crate::source::{CaptureFiles, Filter, FilterSet, HashPolicy, Source, SourceOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;

/// Analyses, writes the report and says what came of it.
pub(super) fn run(options: &AnalyzeOptions) -> anyhow::Result<Status> {
    run_with(options, analyze)
}

/// Reads, decodes and accounts: the one place that calls the pipeline.
fn analyze(options: &AnalyzeOptions, bar: &Bar) -> anyhow::Result<Report> {
    let filter = options.filter.as_deref();
    let expression = filter
        .map(FilterSet::new)
        .transpose()
        .map_err(|error| UsageError::Filter(error.to_string()))?;
    let mut warnings = Vec::new();
    if let Some(why) = filter.and_then(Filter::drops_fragments) {
        warnings.push(format!("the filter can take fragments away: {why}"));
    }
    let stages = pipeline::Options {
        receiver: receiver::settings(&options.receiver)?,
        ..stages(options, expression)
    };
    let benchmark = witness::benchmark(options.benchmark.as_deref())?;
    let kernel = witness::kernel(options.nstat.as_deref())?;
    let mut source = CaptureFiles::open(&options.inputs, &reading(options));
    let interrupt = Interrupt::listen()?;
    let analysis = pipeline::analyze(&mut source, &stages, &|progress| {
        let read = progress.read;
        bar.update(read.bytes, read.total_bytes, progress.frames);
        if interrupt.is_asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if analysis.ended_early {
        warnings.push("interrupted: this is what had been read until then".to_owned());
    }
    for link_type in &analysis.unfiltered_link_types {
        warnings.push(format!(
            "the filter does not apply to link type {link_type}: none of its frames were analysed"
        ));
    }
    let parts = Parts {
        ledger: &analysis.ledger,
        forecasts: &analysis.forecasts,
        not_modelled: analysis.not_modelled,
        benchmark: benchmark.as_ref(),
        kernel: kernel.as_ref(),
        files: &source.files(),
        warnings: &warnings,
    };
    Ok(build(&parts, effective(options)))
}

fn reading(options: &AnalyzeOptions) -> SourceOptions {
    SourceOptions {
        hash: match options.sha256 {
            When::Never => HashPolicy::Never,
            When::Auto => SourceOptions::default().hash,
            When::Always => HashPolicy::Always,
        },
        ..SourceOptions::default()
    }
}

/// Narrowest step of the timeline, unless told otherwise.
const TIMELINE_BUCKET: Duration = Duration::from_secs(1);

fn stages(options: &AnalyzeOptions, filter: Option<FilterSet>) -> pipeline::Options {
    pipeline::Options {
        filter,
        decode: decoding(options),
        reassembly: Limits {
            timeout_v4: options.reassembly_timeout_ipv4,
            timeout_v6: options.reassembly_timeout_ipv6,
            memory_bytes: usize::try_from(options.reassembly_memory).unwrap_or(usize::MAX),
        },
        timeline_bucket: options.timeline_bucket.unwrap_or(TIMELINE_BUCKET),
        threads: options.threads.map_or(0, usize::from),
        ..pipeline::Options::default()
    }
}

fn decoding(options: &AnalyzeOptions) -> DecodeOptions {
    DecodeOptions {
        vxlan_ports: options.vxlan_ports.clone(),
        geneve_ports: options.geneve_ports.clone(),
        auto_tunnel: if options.auto_tunnel {
            AutoTunnel::On
        } else {
            AutoTunnel::Off
        },
    }
}

/// The options as the report states them.
fn effective(options: &AnalyzeOptions) -> document::Options {
    let decoding = decoding(options);
    document::Options {
        filter: options.filter.clone(),
        vxlan_ports: decoding.all_vxlan_ports(),
        geneve_ports: decoding.all_geneve_ports(),
        auto_tunnel: options.auto_tunnel,
        reassembly_timeout_ipv4_seconds: options.reassembly_timeout_ipv4.as_secs_f64(),
        reassembly_timeout_ipv6_seconds: options.reassembly_timeout_ipv6.as_secs_f64(),
        reassembly_memory_bytes: options.reassembly_memory,
        timeline_bucket_seconds: options
            .timeline_bucket
            .unwrap_or(TIMELINE_BUCKET)
            .as_secs_f64(),
        sort: options.sort,
        top: options.top,
    }
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
