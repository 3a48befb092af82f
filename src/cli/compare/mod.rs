//! `fraglens compare`: from captures at several points to what became of packets between
//! them.

mod args;
mod bundle;

pub use args::{CompareArgs, CompareOptions, options};

use super::Status;
use super::args::Format;
use super::evidence::Spool;
use super::interrupt::Interrupt;
use super::layout;
use super::output::Output;
use super::progress::Bar;
use super::witness;
use crate::compare::{self, Outcome, Pass};
use crate::pipeline;
use crate::receiver::Settings;
use crate::report::comparison::document::{self, Comparison};
use crate::report::comparison::{ComparedParts, build, csv, html, json, markdown, ndjson, text};
use crate::report::document::{CaptureFile, Severity};
use crate::source::{CaptureFiles, Source, SourceOptions};
use bundle::{Again, Promised};
use std::io;
use std::slice;

/// Compares, writes what came of it, and says so by the exit status.
pub(super) fn run(options: &CompareOptions) -> anyhow::Result<Status> {
    let interrupt = match options.evidence {
        Some(_) => Interrupt::listen_to_tidy_up(),
        None => Interrupt::listen(),
    }?;
    let promised = options.evidence.as_deref().map(Promised::begin);
    let promised = promised.transpose()?;
    let output = Output::open(options.layout.output.as_deref(), &options.capture.inputs)?;
    let spool = Spool::of(&options.capture, &interrupt)?;
    let bar = Bar::new(options.capture.progress);
    let compared = compare(options, &spool, &bar, &interrupt);
    bar.clear();
    let Compared {
        comparison,
        stages,
        inputs,
    } = compared?;
    if let Some(promised) = promised {
        // Half of what was asked for would be taken for all of it.
        interrupt.check()?;
        let again = Again {
            spool: &spool,
            inputs: &inputs,
            filter: stages.filter,
            decode: stages.decode,
            evidence_bytes: options.evidence_bytes,
            progress: options.capture.progress,
        };
        if was_anything_read(&comparison) {
            promised.write(&comparison, &again, &bar, &interrupt)?;
        }
    }
    finish(options, &comparison, output)
}

/// What came of the captures.
struct Compared {
    comparison: Comparison,
    /// How they were read.
    stages: pipeline::Options,
    /// Which input each point is.
    inputs: Vec<usize>,
}

/// Reads all captures and lays out what came of them.
fn compare(
    options: &CompareOptions,
    spool: &Spool,
    bar: &Bar,
    interrupt: &Interrupt,
) -> anyhow::Result<Compared> {
    let capture = match options.evidence {
        // A manifest has the hash of every input.
        Some(_) => spool.capture(),
        None => &options.capture,
    };
    let mut warnings = capture.filter_warnings();
    let stages = capture.stages.pipeline(
        capture.filter_set()?,
        Settings::default(),
        options.layout.timeline_bucket,
    )?;
    let benchmark = witness::benchmark(capture.benchmark.as_deref())?;
    let kernel = witness::kernel(capture.nstat.as_deref())?;
    let how = compare::Options {
        filter: stages.filter.clone(),
        decode: stages.decode.clone(),
        reassembly: stages.reassembly,
        receiver: stages.receiver,
        window: options.window,
        step: options.layout.timeline_bucket,
        order: options.order,
        march_after: compare::MARCH_AFTER,
    };
    let inputs = &spool.capture().inputs;
    let open = |point: usize, pass: Pass| -> Box<dyn Source> {
        let input = inputs.get(point).map(slice::from_ref).unwrap_or_default();
        let options = SourceOptions {
            block_bytes: compare::BLOCK_BYTES,
            ..capture.source_options(pass)
        };
        Box::new(CaptureFiles::open(input, &options))
    };
    let mut outcome = compare::compare(inputs.len(), &open, &how, &|read| {
        bar.update(read.bytes, read.total_bytes, read.frames);
        interrupt.flow()
    });
    let of_points = outcome.points.iter_mut().map(|point| &mut point.file);
    let strangers = outcome.strangers.iter_mut();
    for file in of_points.chain(strangers.map(|stranger| &mut stranger.file)) {
        spool.rename(slice::from_mut(file));
    }
    if outcome.ended_early {
        warnings.push("interrupted: this is what had been read until then".to_owned());
    }
    let parts = ComparedParts {
        outcome: &outcome,
        benchmark: benchmark.as_ref(),
        kernel: kernel.as_ref(),
        warnings: &warnings,
    };
    Ok(Compared {
        comparison: build(&parts, effective(options, &outcome)),
        inputs: outcome.points.iter().map(|point| point.given).collect(),
        stages,
    })
}

fn effective(options: &CompareOptions, outcome: &Outcome) -> document::CompareOptions {
    let decode = &options.capture.stages.decode;
    document::CompareOptions {
        filter: options.capture.filter.clone(),
        window_seconds: options.window.as_secs_f64(),
        order_found: outcome.order.is_found(outcome.points.len()),
        vxlan_ports: decode.all_vxlan_ports(),
        geneve_ports: decode.all_geneve_ports(),
        auto_tunnel: decode.auto_tunnel == crate::decode::AutoTunnel::On,
        timeline_bucket_seconds: options.layout.timeline_bucket.as_secs_f64(),
        top: options.layout.top,
    }
}

/// Says what could not be read, writes the comparison, and decides the exit status.
fn finish(
    options: &CompareOptions,
    comparison: &Comparison,
    mut output: Output,
) -> anyhow::Result<Status> {
    layout::complain_of_files(comparison.files());
    if was_anything_read(comparison) {
        write(options, comparison, &mut output)?;
        output.finish()?;
    }
    let problems = comparison.files().flat_map(|file| &file.problems);
    if problems.map(|problem| problem.severity).max() == Some(Severity::Error) {
        return Ok(Status::Unreadable);
    }
    let worst = comparison
        .findings
        .iter()
        .map(|finding| finding.severity)
        .max();
    Ok(match options.layout.fail_on {
        Some(limit) if worst >= Some(limit) => Status::FailOn,
        _ => Status::Done,
    })
}

fn was_anything_read(comparison: &Comparison) -> bool {
    let is_unread = |file: &CaptureFile| file.frames == 0 && !file.problems.is_empty();
    !comparison.files().all(is_unread)
}

fn write(options: &CompareOptions, comparison: &Comparison, out: &mut Output) -> io::Result<()> {
    match options.layout.format {
        Format::Text => text::write(comparison, options.layout.style, out),
        Format::Json => json::write(comparison, out),
        Format::Ndjson => ndjson::write(comparison, out),
        Format::Csv => csv::write(comparison, out),
        Format::Markdown => markdown::write(comparison, out),
        Format::Html => html::write(comparison, out),
    }
}
