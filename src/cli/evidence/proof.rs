//! The frames that prove a report.

use crate::evidence::{Context, Excerpt, Kept, Pool, Reading, Wanted};
use crate::pipeline;
use crate::report::document::{self, Report};
use crate::report::{Parts, build};
use crate::source::{HashPolicy, Memory, Source, SourceOptions};
use std::ops::ControlFlow;

/// Reads a capture once more, and keeps what shows what is `wanted`; `told` is the report
/// as it is told, which comments agree with.
pub(super) fn excerpt(
    source: &mut dyn Source,
    wanted: &Wanted,
    told: &Report,
    stages: &pipeline::Options,
    limit_bytes: u64,
) -> anyhow::Result<Excerpt> {
    let reading = Reading {
        filter: stages.filter.clone(),
        decode: stages.decode.clone(),
        limit_bytes,
    };
    let pool = Pool::read(source, wanted, &reading);
    let context = Context::new(told, wanted, &stages.decode);
    Excerpt::of(&pool, wanted, &context, |kept| analyze(kept, stages))
}

/// What frames say by themselves. They are what a filter left.
fn analyze(kept: &Kept, stages: &pipeline::Options) -> anyhow::Result<Report> {
    let stages = pipeline::Options {
        filter: None,
        ..stages.clone()
    };
    let reading = SourceOptions {
        hash: HashPolicy::Never,
        ..SourceOptions::default()
    };
    let mut source = Memory::new(kept.write(&[], Vec::new())?, &reading);
    let analysis = pipeline::analyze(&mut source, &stages, &|_| ControlFlow::Continue(()))?;
    let parts = Parts {
        files: &source.files(),
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    Ok(build(&parts, document::Options::default()))
}
