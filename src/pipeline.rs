//! The story in one place: source → decode → reassemble → account.
//!
//! The capture is taken in rounds of a few blocks. In each round
//!
//! 1. *workers* take turns at the source; each decodes the block it got and
//!    counts in its own ledger all that is whole, and sorts the fragments by the
//!    shard of their key;
//! 2. *shards* take their fragments of all blocks in the order of the capture and
//!    reassemble them, each with a table and a ledger of its own. A reassembled
//!    tunnel packet is decoded there, and the fragments inside it make another
//!    step, one layer further in.
//!
//! In the end all ledgers are merged. Which shard a fragment belongs to depends on
//! its key alone, so the same capture gives the same ledger for any number of
//! threads and any size of block.

mod round;
mod shard;
mod worker;

use crate::account::Ledger;
use crate::decode::DecodeOptions;
use crate::model::Duration;
use crate::reassemble::Limits;
use crate::source::{Progress, Source};
use round::Round;
use shard::Shard;
use worker::Worker;

/// Parts the reassembly is split into, whatever the number of threads: the bound
/// on memory is kept by each, so their number must not change a report.
pub const SHARDS: usize = 16;

/// What the pipeline needs to be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// How frames are decoded.
    pub decode: DecodeOptions,
    /// Bounds of reassembly.
    pub reassembly: Limits,
    /// Narrowest buckets of the timeline.
    pub timeline_bucket: Duration,
    /// Worker threads; 0 for one a processor.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            decode: DecodeOptions::default(),
            reassembly: Limits::default(),
            timeline_bucket: Duration::from_secs(1),
            threads: 0,
        }
    }
}

/// Reads a source to its end and gives the ledger of all that was in it.
pub fn analyze(
    source: &mut dyn Source,
    options: &Options,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Ledger, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()?;
    Ok(pool.install(|| run(source, options, progress)))
}

fn run(source: &mut dyn Source, options: &Options, progress: &(dyn Fn(Progress) + Sync)) -> Ledger {
    let threads = rayon::current_num_threads();
    let mut workers: Vec<Worker> = (0..threads).map(|_| Worker::new(options)).collect();
    let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::new(options)).collect();
    let mut round = Round::new(threads);
    while round.decode(source, &mut workers) {
        round.reassemble(&mut shards);
        progress(source.progress());
    }
    finish(workers, shards, options)
}

/// Ends what is unfinished and merges all ledgers.
fn finish(workers: Vec<Worker>, mut shards: Vec<Shard>, options: &Options) -> Ledger {
    let mut ledger = Ledger::new(options.timeline_bucket);
    for worker in workers {
        ledger.merge(worker.into_ledger());
    }
    for shard in &mut shards {
        shard.finish(ledger.capture.last);
    }
    for shard in shards {
        let shard = shard.into_ledger(&ledger.scopes);
        ledger.merge(shard);
    }
    ledger.settle();
    ledger
}
