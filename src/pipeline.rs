//! The story in one place: source → decode → reassemble → account.
//!
//! There is one kind of thread. Each goes round and round:
//!
//! 1. It takes its turn at the source (`feed.rs`), and gets a block of whole records.
//! 2. It decodes the block (`worker.rs`), counts in its own ledger all that is whole,
//!    and sorts the fragments by the shard of their key.
//! 3. It puts the block in order (`order.rs`), and brings the shards that nobody else
//!    is at up to date (`lanes.rs`): each shard takes its fragments in the order of the
//!    capture, with a table and a ledger of its own. A reassembled tunnel packet is
//!    decoded there; the fragments inside it go on to the next depth.
//!
//! Nobody waits for the others at the end of anything. In the end all ledgers are
//! merged. Which shard a fragment belongs to depends on its key alone, and each depth
//! of a shard takes its fragments in one order, so the same capture gives the same
//! ledger for any number of threads and any size of block.

mod feed;
mod fragments;
mod hosts;
mod lanes;
mod live;
mod order;
mod shard;
#[cfg(test)]
mod tests;
mod window;
mod worker;

use crate::account::Ledger;
use crate::decode::DecodeOptions;
use crate::model::Duration;
use crate::model::{LinkType, Timestamp};
use crate::reassemble::Limits;
use crate::receiver::{self, Forecast, NotModelled};
use crate::source::{self, FilterSet, Source};
use feed::Feed;
use lanes::Lanes;
pub use live::{Harvest, Live};
pub use shard::{Held, whole as whole_of};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
pub use window::{MAX_RECENT, MAX_WATCHED, Recent, Tally, Window};
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
    /// What is assumed of the hosts that fragments go to.
    pub receiver: receiver::Settings,
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
            receiver: receiver::Settings::default(),
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
    /// What the kernels of the hosts that fragments go to make of them, by host.
    pub forecasts: Vec<Forecast>,
    /// Fragments that no forecast was made of.
    pub not_modelled: NotModelled,
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
/// `progress` is called by all threads, so that it may hear of an earlier block later.
///
/// # Errors
///
/// The threads cannot be started.
pub fn analyze(
    source: &mut dyn Source,
    options: &Options,
    progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
) -> Result<Analysis, rayon::ThreadPoolBuildError> {
    let ((), analysis) = run(source, options, progress, |_| ())?;
    Ok(analysis)
}

/// Reads a source until `watcher` returns or the source ends, and counts all that is in
/// it; `watcher` runs meanwhile, and may take what was counted so far. What it did not
/// take is what is given back.
///
/// # Errors
///
/// The threads cannot be started.
pub fn watch<T>(
    source: &mut dyn Source,
    options: &Options,
    watcher: impl FnOnce(&Live<'_>) -> T,
) -> Result<(T, Analysis), rayon::ThreadPoolBuildError> {
    run(source, options, &|_| ControlFlow::Continue(()), |live| {
        let _ended = EndOnDrop(live.feed);
        watcher(live)
    })
}

fn run<T>(
    source: &mut dyn Source,
    options: &Options,
    progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
    watcher: impl FnOnce(&Live<'_>) -> T,
) -> Result<(T, Analysis), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()?;
    let threads = pool.current_num_threads();
    let workers: Vec<Mutex<Worker>> = (0..threads)
        .map(|_| Mutex::new(Worker::new(options)))
        .collect();
    let feed = Feed::new(source, threads);
    let lanes = Lanes::new(options);
    let ended_early = AtomicBool::new(false);
    let latest = AtomicI64::new(Timestamp::MIN.0);
    let watched = pool.in_place_scope(|scope| {
        for (number, worker) in workers.iter().enumerate() {
            let (feed, lanes, ended_early) = (&feed, &lanes, &ended_early);
            let first_shard = number * SHARDS / threads;
            scope.spawn(move |_| {
                let _ended = EndOnPanic(feed);
                while let Some(mut filled) = feed.next() {
                    if progress(filled.progress).is_break() {
                        ended_early.store(true, Ordering::Relaxed);
                        feed.end();
                    }
                    let decoded = &mut filled.decoded;
                    // Nobody else comes for it, but for who takes what was counted.
                    lock(worker).decode(&decoded.block, &mut decoded.fragments);
                    lanes.put(filled.number, filled.decoded, feed);
                    lanes.catch_up(first_shard, feed);
                }
            });
        }
        watcher(&Live {
            feed: &feed,
            lanes: &lanes,
            workers: &workers,
            options,
            latest: &latest,
        })
    });
    let workers = workers.into_iter().map(unlocked).collect();
    let analysis = Analysis {
        ended_early: ended_early.into_inner(),
        ..finish(workers, lanes, options, Timestamp(latest.into_inner()))
    };
    Ok((watched, analysis))
}

/// Nobody looks on any longer: the others are to come to their end.
struct EndOnDrop<'a>(&'a Feed<'a>);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A thread that panics leaves a block that the others would wait for.
struct EndOnPanic<'a>(&'a Feed<'a>);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

/// Ends what is unfinished and merges all ledgers.
/// `latest`: the latest frame of what was taken before.
fn finish(workers: Vec<Worker>, lanes: Lanes, options: &Options, latest: Timestamp) -> Analysis {
    let unfiltered_link_types = workers.iter().flat_map(Worker::unfiltered).collect();
    let mut ledgers = workers.into_iter().map(Worker::into_ledger);
    // Into that of the first worker: a million flows are not copied without need.
    let mut ledger = ledgers
        .next()
        .unwrap_or_else(|| Ledger::new(options.timeline_bucket));
    for other in ledgers {
        ledger.merge(other);
    }
    let (mut shards, mut hosts) = lanes.into_shards();
    let end = ledger.capture.span().last.max(latest);
    for shard in &mut shards {
        shard.finish(end);
    }
    for shard in shards {
        ledger.merge(shard.into_ledger());
    }
    ledger.settle();
    let mut not_modelled = NotModelled::default();
    let mut forecasts: Vec<Forecast> = Vec::new();
    for hosts in &mut hosts {
        not_modelled += hosts.take_not_modelled();
        forecasts.extend(hosts.harvest(end));
    }
    forecasts.sort_by_key(|forecast| forecast.host);
    Analysis {
        ledger,
        forecasts,
        not_modelled,
        ended_early: false,
        unfiltered_link_types,
    }
}

/// If a thread panicked while it held the lock, its panic ends the analysis; the others
/// only have to come to their end.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
