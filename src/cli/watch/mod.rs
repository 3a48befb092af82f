//! `fraglens watch`: from interfaces to a screen, lines or metrics, and a report.

mod args;
mod clock;
mod state;
mod watcher;

pub use args::{Display, Record, WatchArgs, WatchOptions, options};

use super::interrupt::Interrupt;
use super::output::Output;
use super::{Status, UsageError};
use crate::pipeline::{self, Analysis};
use crate::report::document::Report;
use crate::report::{Parts, build};
use crate::source::{Live, LiveError, Source};
use watcher::Watcher;

/// Watches until told otherwise, writes the report and says what came of it.
pub(super) fn run(options: &WatchOptions) -> anyhow::Result<Status> {
    let mut output = Output::open(options.layout.output.as_deref(), &[])?;
    let stages = options
        .stages
        .pipeline(None, options.layout.timeline_bucket)?;
    let mut source = open(options)?;
    let interrupt = Interrupt::listen_on_terminal()?;
    let mut watcher = Watcher::new(options, source.control(), interrupt)?;
    let (watched, rest) =
        pipeline::watch(&mut source, &stages, |live| watcher.run(live, &mut output))?;
    watched?;
    let analysis = watcher.finish(rest);
    let report = report(options, &analysis, &source);
    options.layout.finish(&report, output)
}

fn open(options: &WatchOptions) -> anyhow::Result<Live> {
    Live::open(options.live.clone()).map_err(|error| match error {
        LiveError::Filter { .. } => UsageError::Filter(error.to_string()).into(),
        other => other.into(),
    })
}

/// What `analyze` would say of the same packets.
fn report(options: &WatchOptions, analysis: &Analysis, source: &Live) -> Report {
    let filter = options.live.filter.as_deref();
    let parts = Parts {
        ledger: &analysis.ledger,
        forecasts: &analysis.forecasts,
        not_modelled: analysis.not_modelled,
        benchmark: None,
        kernel: None,
        files: &source.files(),
        warnings: &[],
    };
    let mut report = build(&parts, options.layout.effective(&options.stages, filter));
    // The kernel took them away and counts none.
    report.capture.filtered_frames = None;
    report
}
