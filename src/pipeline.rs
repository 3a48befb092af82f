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
use crate::model::LinkType;
use crate::reassemble::Limits;
use crate::source::{self, FilterSet, Source};
use round::Round;
use shard::Shard;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use worker::Worker;

/// Parts the reassembly is split into, whatever the number of threads: the bound
/// on memory is kept by each, so their number must not change a report.
pub const SHARDS: usize = 16;

/// What the pipeline needs to be told.
#[derive(Clone)]
pub struct Options {
    /// Frames that do not match are counted and left out.
    pub filter: Option<FilterSet>,
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
            filter: None,
            decode: DecodeOptions::default(),
            reassembly: Limits::default(),
            timeline_bucket: Duration::from_secs(1),
            threads: 0,
        }
    }
}

/// What came of a source.
#[derive(Debug)]
pub struct Analysis {
    /// Everything that was counted.
    pub ledger: Ledger,
    /// Whether the end was asked for before the source was at its own.
    pub ended_early: bool,
    /// Link types the filter could not be compiled for, so that all their frames
    /// were left out.
    pub unfiltered_link_types: BTreeSet<LinkType>,
}

/// How far the pipeline has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// How far reading has come.
    pub read: source::Progress,
    /// Frames read.
    pub frames: u64,
}

/// Reads a source to its end, or until `progress` breaks, and counts all that is in it.
///
/// # Errors
///
/// The threads cannot be started.
pub fn analyze(
    source: &mut dyn Source,
    options: &Options,
    progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
) -> Result<Analysis, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()?;
    let threads = pool.current_num_threads();
    let mut workers: Vec<Worker> = (0..threads).map(|_| Worker::new(options)).collect();
    let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::new(options)).collect();
    let mut round = Round::new(threads);
    let mut frames = 0;
    let mut ended_early = false;
    pool.install(|| {
        while round.decode(source, &mut workers) {
            round.reassemble(&mut shards);
            frames += round.frames();
            let progressed = Progress {
                read: source.progress(),
                frames,
            };
            if progress(progressed).is_break() {
                ended_early = true;
                break;
            }
        }
    });
    Ok(Analysis {
        ended_early,
        ..finish(workers, shards, options)
    })
}

/// Ends what is unfinished and merges all ledgers.
fn finish(workers: Vec<Worker>, mut shards: Vec<Shard>, options: &Options) -> Analysis {
    let mut ledger = Ledger::new(options.timeline_bucket);
    let unfiltered_link_types = workers.iter().flat_map(Worker::unfiltered).collect();
    for worker in workers {
        ledger.merge(worker.into_ledger());
    }
    for shard in &mut shards {
        shard.finish(ledger.capture.span().last);
    }
    for shard in shards {
        ledger.merge(shard.into_ledger());
    }
    ledger.settle();
    Analysis {
        ledger,
        ended_early: false,
        unfiltered_link_types,
    }
}
