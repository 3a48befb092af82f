//! The frames that prove a report.

use crate::cli::interrupt::Interrupted;
use crate::evidence::{Context, Excerpt, Kept, Pool, Reading, Wanted};
use crate::pipeline;
use crate::report::document::{self, Report};
use crate::report::{Parts, build};
use crate::source::{HashPolicy, Memory, Source, SourceOptions};
use std::ops::ControlFlow;

/// How a capture is read once more.
pub(super) struct How<'a> {
    /// How frames are decoded and reassembled.
    pub stages: &'a pipeline::Options,
    /// Most bytes of what is kept.
    pub limit_bytes: u64,
    /// Whether to go on.
    pub flow: &'a (dyn Fn() -> ControlFlow<()> + Sync),
}

/// Reads a capture once more, and keeps what shows what is `wanted`; `told` is the report
/// as it is told, which comments agree with.
///
/// # Errors
///
/// It was not to go on.
pub(super) fn excerpt(
    source: &mut dyn Source,
    wanted: &Wanted,
    told: &Report,
    how: &How<'_>,
) -> anyhow::Result<Excerpt> {
    let reading = Reading {
        filter: how.stages.filter.clone(),
        decode: how.stages.decode.clone(),
        limit_bytes: how.limit_bytes,
    };
    let pool = Pool::read(source, wanted, &reading, how.flow);
    how.check()?;
    let context = Context::new(told, wanted, &how.stages.decode);
    Excerpt::of(&pool, wanted, &context, |kept| analyze(kept, how))
}

/// What frames say by themselves. They are what a filter left.
fn analyze(kept: &Kept, how: &How<'_>) -> anyhow::Result<Report> {
    let stages = pipeline::Options {
        filter: None,
        ..how.stages.clone()
    };
    let reading = SourceOptions {
        hash: HashPolicy::Never,
        ..SourceOptions::default()
    };
    let mut source = Memory::new(kept.write(&[], Vec::new())?, &reading);
    let analysis = pipeline::analyze(&mut source, &stages, &|_| (how.flow)())?;
    how.check()?;
    let parts = Parts {
        files: &source.files(),
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    Ok(build(&parts, document::Options::default()))
}

impl How<'_> {
    fn check(&self) -> Result<(), Interrupted> {
        match (self.flow)() {
            ControlFlow::Break(()) => Err(Interrupted),
            ControlFlow::Continue(()) => Ok(()),
        }
    }
}
