//! A few blocks at a time through decoding and reassembly.

use super::shard::{Buffers, Derived, Shard};
use super::worker::{Fragments, Worker};
use crate::source::{Block, Source};
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks of a round for each thread: enough that waiting for the last block of a
/// round is a small part of it.
const BLOCKS_PER_THREAD: usize = 8;

/// The blocks of a round with the fragments found in them; kept from round to
/// round for their memory.
#[derive(Debug)]
pub(super) struct Round {
    blocks: Vec<Decoded>,
    /// How many of `blocks` this round filled.
    filled: usize,
}

/// A block and the fragments in it.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) block: Block,
    pub(super) fragments: Fragments,
}

/// What the workers take turns at.
struct Feed<'a> {
    source: &'a mut dyn Source,
    empty: Vec<Decoded>,
    filled: Vec<(usize, Decoded)>,
    next: usize,
    is_over: bool,
}

impl Round {
    pub(super) fn new(threads: usize) -> Self {
        let blocks = threads * BLOCKS_PER_THREAD;
        Self {
            blocks: (0..blocks).map(|_| Decoded::default()).collect(),
            filled: 0,
        }
    }

    /// Fills and decodes the blocks of the next round; `false` if there is nothing
    /// more to read.
    pub(super) fn decode(&mut self, source: &mut dyn Source, workers: &mut [Worker]) -> bool {
        let feed = Mutex::new(Feed {
            source,
            empty: std::mem::take(&mut self.blocks),
            filled: Vec::new(),
            next: 0,
            is_over: false,
        });
        rayon::scope(|scope| {
            for worker in workers {
                scope.spawn(|_| work(worker, &feed));
            }
        });
        let mut feed = feed.into_inner().unwrap_or_else(PoisonError::into_inner);
        feed.filled.sort_by_key(|(number, _)| *number);
        self.filled = feed.filled.len();
        self.blocks = feed
            .filled
            .into_iter()
            .map(|(_, decoded)| decoded)
            .collect();
        self.blocks.append(&mut feed.empty);
        self.filled > 0
    }

    /// Frames in the blocks of this round.
    pub(super) fn frames(&self) -> u64 {
        let filled = &self.blocks[..self.filled];
        filled
            .iter()
            .map(|decoded| decoded.block.frame_count())
            .sum()
    }

    /// Reassembles the fragments of the round, outermost layer first.
    pub(super) fn reassemble(&mut self, shards: &mut [Shard]) {
        let blocks = &self.blocks[..self.filled];
        let mut derived: Vec<Derived> = Vec::new();
        let mut depth = 0;
        let mut deepest = blocks
            .iter()
            .map(|block| block.fragments.deepest)
            .max()
            .unwrap_or(0);
        if blocks.iter().all(|block| block.fragments.is_empty()) {
            return;
        }
        while depth <= deepest {
            let first_buffer = blocks.len() + derived.len();
            let buffers = Buffers {
                blocks,
                derived: &derived,
            };
            let more: Vec<Derived> = shards
                .par_iter_mut()
                .enumerate()
                .map(|(shard, state)| {
                    state.step(shard, depth, &buffers, (first_buffer + shard) as u32)
                })
                .collect();
            deepest = more
                .iter()
                .map(|found| found.fragments.deepest)
                .fold(deepest, u8::max);
            derived.extend(more);
            depth += 1;
        }
    }
}

impl Feed<'_> {
    /// The next block of this round with its number in it.
    fn next(&mut self) -> Option<(usize, Decoded)> {
        if self.is_over {
            return None;
        }
        let mut decoded = self.empty.pop()?;
        if !self.source.fill(&mut decoded.block) {
            self.is_over = true;
            self.empty.push(decoded);
            return None;
        }
        let number = self.next;
        self.next += 1;
        Some((number, decoded))
    }
}

/// What each worker does until the round is full or the source has ended. The lock
/// is held to read a block, never to decode one.
fn work(worker: &mut Worker, feed: &Mutex<Feed<'_>>) {
    loop {
        let next = lock(feed).next();
        let Some((number, mut decoded)) = next else {
            return;
        };
        worker.decode(&decoded.block, number as u32, &mut decoded.fragments);
        lock(feed).filled.push((number, decoded));
    }
}

/// Nobody panics while holding the lock; if somebody did, the blocks are as good as
/// before.
fn lock<'m, 'a>(feed: &'m Mutex<Feed<'a>>) -> MutexGuard<'m, Feed<'a>> {
    feed.lock().unwrap_or_else(PoisonError::into_inner)
}
