//! `fraglens analyze`: from files to a report and an exit status.

use super::Status;
use super::interrupt::Interrupt;
use super::options::AnalyzeOptions;
use super::output::Output;
use super::progress::Bar;
use crate::report::build;
use crate::report::document::Report;

/// Analyses, writes the report and says what came of it.
pub(super) fn run(options: &AnalyzeOptions) -> anyhow::Result<Status> {
    run_with(options, analyze)
}

fn analyze(options: &AnalyzeOptions, bar: &Bar) -> anyhow::Result<Report> {
    let (capture, layout) = (&options.capture, &options.layout);
    let read = capture.read(layout.timeline_bucket, bar, &Interrupt::listen()?)?;
    let effective = layout.effective(&capture.stages, capture.filter.as_deref());
    Ok(build(&read.parts(), effective))
}

/// As [`run`], with the analysis as an argument.
pub(super) fn run_with(
    options: &AnalyzeOptions,
    analyze: impl FnOnce(&AnalyzeOptions, &Bar) -> anyhow::Result<Report>,
) -> anyhow::Result<Status> {
    let capture = &options.capture;
    let output = Output::open(options.layout.output.as_deref(), &capture.inputs)?;
    let bar = Bar::new(capture.progress);
    let analysed = analyze(options, &bar);
    bar.clear();
    let report = analysed?;
    options.layout.finish(&report, output)
}
