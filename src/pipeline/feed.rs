//! Who reads next: workers take turns at the source.

use super::worker::Fragments;
use super::{Progress, lock};
use crate::source::{Block, Source};
use std::sync::{Condvar, Mutex, PoisonError};

/// Blocks there are for each thread: one it decodes, and some that wait for a block
/// before them. More would not stay in a cache that threads share.
const BLOCKS_PER_THREAD: usize = 4;

/// A block and the fragments in it; kept and filled again for their memory.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) block: Block,
    pub(super) fragments: Fragments,
}

/// A block that was just filled.
pub(super) struct Filled {
    /// Its place in the order of the capture.
    pub(super) number: u64,
    pub(super) decoded: Decoded,
    /// How far reading has come with it.
    pub(super) progress: Progress,
}

/// Gives out filled blocks, numbered in the order of the capture.
pub(super) struct Feed<'a> {
    turn: Mutex<Turn<'a>>,
    empty: Mutex<Vec<Decoded>>,
    returned: Condvar,
}

struct Turn<'a> {
    source: &'a mut dyn Source,
    next: u64,
    frames: u64,
    is_over: bool,
}

impl<'a> Feed<'a> {
    pub(super) fn new(source: &'a mut dyn Source, threads: usize) -> Self {
        let blocks = threads * BLOCKS_PER_THREAD;
        Self {
            turn: Mutex::new(Turn {
                source,
                next: 0,
                frames: 0,
                is_over: false,
            }),
            empty: Mutex::new((0..blocks).map(|_| Decoded::default()).collect()),
            returned: Condvar::new(),
        }
    }

    /// The next block; `None` if there is nothing more to read. The lock on the source
    /// is held to read a block, never to decode one.
    pub(super) fn next(&self) -> Option<Filled> {
        let mut decoded = self.empty_block();
        let mut turn = lock(&self.turn);
        if turn.is_over || !turn.source.fill(&mut decoded.block) {
            turn.is_over = true;
            drop(turn);
            self.give_back(decoded);
            return None;
        }
        let number = turn.next;
        turn.next += 1;
        turn.frames += decoded.block.frame_count();
        Some(Filled {
            number,
            decoded,
            progress: Progress {
                read: turn.source.progress(),
                frames: turn.frames,
            },
        })
    }

    /// Takes a block back to be filled again.
    pub(super) fn give_back(&self, decoded: Decoded) {
        lock(&self.empty).push(decoded);
        self.returned.notify_one();
    }

    /// Nothing more is to be read.
    pub(super) fn end(&self) {
        lock(&self.turn).is_over = true;
    }

    /// The block given back last, which a cache may still hold. Waits for one: those
    /// that are out are decoded by others, and given back once those before them are.
    fn empty_block(&self) -> Decoded {
        let mut empty = lock(&self.empty);
        loop {
            match empty.pop() {
                Some(decoded) => return decoded,
                None => {
                    empty = self
                        .returned
                        .wait(empty)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}
