//! `fraglens analyze`: from files to a report and an exit status.

use super::Status;
use super::UsageError;
use super::args::When;
use super::interrupt::Interrupt;
use super::options::AnalyzeOptions;
use super::output::Output;
use super::progress::Bar;
use super::witness;
use crate::pipeline;
use crate::receiver::Settings;
use crate::report::document::Report;
use crate::report::{Parts, build};
use crate::source::{CaptureFiles, Filter, FilterSet, HashPolicy, Source, SourceOptions};
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
    let layout = &options.layout;
    let stages =
        options
            .stages
            .pipeline(expression, Settings::default(), layout.timeline_bucket)?;
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
        benchmark: benchmark.as_ref(),
        kernel: kernel.as_ref(),
        files: &source.files(),
        warnings: &warnings,
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    Ok(build(&parts, layout.effective(&options.stages, filter)))
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

/// As [`run`], with the analysis as an argument.
pub(super) fn run_with(
    options: &AnalyzeOptions,
    analyze: impl FnOnce(&AnalyzeOptions, &Bar) -> anyhow::Result<Report>,
) -> anyhow::Result<Status> {
    let output = Output::open(options.layout.output.as_deref(), &options.inputs)?;
    let bar = Bar::new(options.progress);
    let analysed = analyze(options, &bar);
    bar.clear();
    let report = analysed?;
    options.layout.finish(&report, output)
}
