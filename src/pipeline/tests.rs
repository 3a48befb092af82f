//! Blocks through feed and order, whoever brings them when.

#![allow(clippy::expect_used, clippy::panic)]

use super::feed::{Decoded, Feed};
use super::lanes::LANES;
use super::order::{Load, Order};
use super::shard::Derived;
use super::{Options, analyze, lock};
use crate::source::{self, Block, FileFacts, HashPolicy, Memory, Source, SourceOptions};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// A capture of `frames` frames of 1 to 200 bytes.
fn capture(frames: u32) -> Vec<u8> {
    let mut capture = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x0004_0000, 1] {
        capture.extend(word.to_le_bytes());
    }
    for frame in 0..frames {
        let bytes = 1 + frame * 37 % 200;
        for word in [frame, 0, bytes, bytes] {
            capture.extend(word.to_le_bytes());
        }
        capture.extend((0..bytes).map(|byte| byte as u8));
    }
    capture
}

/// Frame numbers by block, as several threads get them; each ends the reading after
/// `most` blocks.
fn fed(hash: HashPolicy, block_bytes: usize, threads: usize, most: usize) -> Vec<(u64, Vec<u64>)> {
    let options = SourceOptions { block_bytes, hash };
    let mut source = Memory::new(capture(500), &options);
    let feed = Feed::new(&mut source, threads);
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut taken = 0;
                while let Some(filled) = feed.next() {
                    let frames = filled.decoded.block.frames();
                    let numbers = frames.map(|frame| frame.id.number).collect();
                    lock(&seen).push((filled.number, numbers));
                    feed.give_back(filled.decoded);
                    taken += 1;
                    if taken == most {
                        feed.end();
                    }
                }
            });
        }
    });
    let mut seen = lock(&seen).clone();
    seen.sort();
    seen
}

#[test]
fn every_frame_is_fed_once_and_in_order() {
    let expected: Vec<u64> = (1..=500).collect();
    for hash in [HashPolicy::Never, HashPolicy::Always] {
        for threads in [1, 2, 7] {
            for block_bytes in [1, 64, 300, 4096, 1 << 20] {
                let blocks = fed(hash, block_bytes, threads, usize::MAX);
                let numbers: Vec<u64> = blocks.iter().map(|(number, _)| *number).collect();
                let in_a_row: Vec<u64> = (0..blocks.len() as u64).collect();
                assert_eq!(numbers, in_a_row);
                let frames: Vec<u64> = blocks.into_iter().flat_map(|(_, frames)| frames).collect();
                assert_eq!(frames, expected, "{threads} threads, {block_bytes} bytes");
            }
        }
    }
}

#[test]
fn an_end_that_is_asked_for_leaves_no_gap() {
    for threads in [1, 3] {
        let blocks = fed(HashPolicy::Never, 300, threads, 4);
        let frames: Vec<u64> = blocks.into_iter().flat_map(|(_, frames)| frames).collect();
        let in_a_row: Vec<u64> = (1..=frames.len() as u64).collect();
        assert_eq!(frames, in_a_row);
        assert!((4..500).contains(&frames.len()));
    }
}

/// A source whose first blocks are good.
struct Panics(Memory, u32);

impl Source for Panics {
    fn fill(&mut self, block: &mut Block) -> bool {
        self.1 = self.1.checked_sub(1).expect("as wanted");
        self.0.fill(block)
    }

    fn files(&self) -> Vec<FileFacts> {
        self.0.files()
    }

    fn progress(&self) -> source::Progress {
        self.0.progress()
    }
}

#[test]
fn a_panic_in_a_thread_comes_out() {
    for threads in [1, 4] {
        let outcome = std::panic::catch_unwind(|| {
            let options = Options {
                threads,
                ..Options::default()
            };
            let reading = SourceOptions {
                block_bytes: 300,
                hash: HashPolicy::Never,
            };
            let mut source = Panics(Memory::new(capture(500), &reading), 5);
            analyze(&mut source, &options, &|_| ControlFlow::Continue(())).map(drop)
        });
        assert!(outcome.is_err(), "{threads} threads");
    }
}

#[test]
fn blocks_without_fragments_leave_nothing_in_the_order() {
    let mut order = Order::default();
    for number in [1, 0, 3, 2] {
        order.put(number, None);
    }
    assert_eq!(order.len(), 0);
    order.put(4, Some(Load::new(Decoded::default())));
    order.put(5, None);
    assert_eq!(order.len(), 2);
}

proptest! {
    #[test]
    fn shards_meet_all_blocks_in_order(
        arrivals in Just((0..20u64).collect::<Vec<_>>()).prop_shuffle(),
        has_fragments in prop::collection::vec(any::<bool>(), 20),
        visits in prop::collection::vec((0..20usize, 0..LANES), 0..400),
    ) {
        let mut order = Order::default();
        let mut next = [0u64; LANES];
        let mut met: Vec<Vec<u64>> = vec![Vec::new(); LANES];
        let mut left = 0;
        let mut step = |order: &mut Order, shard: usize| {
            while let Some(load) = order.get(&mut next[shard]) {
                drop(load);
                met[shard].push(next[shard]);
                order.done(next[shard], shard, Derived::default());
                next[shard] += 1;
                left += std::iter::from_fn(|| order.pop()).count();
            }
        };
        for (turn, number) in arrivals.iter().enumerate() {
            let load = has_fragments[*number as usize].then(|| Load::new(Decoded::default()));
            order.put(*number, load);
            for (_, shard) in visits.iter().filter(|(at, _)| *at == turn) {
                step(&mut order, *shard);
            }
        }
        for shard in 0..LANES {
            step(&mut order, shard);
        }
        let expected: Vec<u64> = (0..20).filter(|number| has_fragments[*number as usize]).collect();
        prop_assert_eq!(left, expected.len());
        for met in met {
            prop_assert_eq!(&met, &expected);
        }
    }
}
