//! Who reads next: workers take turns at the source.

use super::fragments::Fragments;
use super::{Progress, lock};
use crate::source::{Block, Source, Stretch};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
///
/// Where the source allows it, stretches of bytes are read by several threads at once,
/// and only their record boundaries are found in turn: by whoever comes with the
/// stretch that is next, for those behind it too. Other sources are read by one thread
/// at a time, which goes on reading as long as others wait to decode what it has read.
pub(super) struct Feed<'a> {
    /// Locked for long only by the thread that reads in turn; after `turn`, if both.
    source: Mutex<&'a mut dyn Source>,
    turn: Mutex<Turn>,
    /// Something changed that a thread may wait for.
    changed: Condvar,
}

#[derive(Default)]
struct Turn {
    /// Blocks to be filled. The one given back last may still be in a cache.
    empty: Vec<Decoded>,
    /// Stretches set aside and not accepted, in their order; `None` while one is read.
    aside: VecDeque<Option<(Stretch, Decoded)>>,
    /// Stretches accepted so far.
    accepted: u64,
    /// Blocks that nobody has taken yet.
    ready: VecDeque<Filled>,
    /// Threads that wait for a block of either kind.
    waiting: usize,
    /// Whether a thread reads in turn.
    is_reading: bool,
    /// Number of the next block.
    next: u64,
    frames: u64,
    /// Blocks that were filled and not yet given back.
    out: usize,
    is_over: bool,
}

/// What a thread is to do next.
enum Task {
    Decode(Filled),
    /// Read this stretch, whose place among those set aside is given.
    Read(u64, Stretch, Decoded),
    ReadInTurn(Decoded),
    Wait,
    End,
}

impl<'a> Feed<'a> {
    pub(super) fn new(source: &'a mut dyn Source, threads: usize) -> Self {
        let blocks = threads * BLOCKS_PER_THREAD;
        Self {
            source: Mutex::new(source),
            turn: Mutex::new(Turn {
                empty: (0..blocks).map(|_| Decoded::default()).collect(),
                ..Turn::default()
            }),
            changed: Condvar::new(),
        }
    }

    /// The next block; `None` if there is nothing more to read.
    pub(super) fn next(&self) -> Option<Filled> {
        let mut turn = lock(&self.turn);
        let mut reads_in_turn = false;
        loop {
            match self.task(&mut turn, reads_in_turn) {
                Task::Decode(filled) => return Some(filled),
                Task::End => return None,
                Task::Wait => {
                    turn.waiting += 1;
                    turn = self
                        .changed
                        .wait(turn)
                        .unwrap_or_else(PoisonError::into_inner);
                    turn.waiting -= 1;
                }
                Task::ReadInTurn(block) => {
                    drop(turn);
                    reads_in_turn = true;
                    turn = self.read_in_turn(block);
                }
                Task::Read(place, mut stretch, mut decoded) => {
                    drop(turn);
                    stretch.read(&mut decoded.block);
                    turn = self.accept(place, stretch, decoded);
                }
            }
        }
    }

    /// `reads_in_turn`: whether the thread has just done so, and will be missed there.
    fn task(&self, turn: &mut Turn, reads_in_turn: bool) -> Task {
        if (!reads_in_turn || turn.has_block_to_spare())
            && let Some(filled) = turn.ready.pop_front()
        {
            return Task::Decode(filled);
        }
        if turn.is_over {
            return Task::End;
        }
        if turn.is_reading {
            return Task::Wait;
        }
        let Some(block) = turn.empty.pop() else {
            return Task::Wait;
        };
        if let Some(stretch) = lock(&self.source).set_aside() {
            let place = turn.accepted + turn.aside.len() as u64;
            turn.aside.push_back(None);
            return Task::Read(place, stretch, block);
        }
        if turn.aside.is_empty() {
            turn.is_reading = true;
            return Task::ReadInTurn(block);
        }
        turn.empty.push(block);
        Task::Wait
    }

    fn read_in_turn(&self, mut block: Decoded) -> MutexGuard<'_, Turn> {
        let has_frames = lock(&self.source).fill(&mut block.block);
        let mut turn = lock(&self.turn);
        turn.is_reading = false;
        if has_frames {
            self.make_ready(&mut turn, block);
        } else {
            turn.is_over = true;
        }
        self.changed.notify_all();
        turn
    }

    /// Puts a stretch that was read in its place, and accepts what is in order.
    fn accept(&self, place: u64, stretch: Stretch, decoded: Decoded) -> MutexGuard<'_, Turn> {
        let mut turn = lock(&self.turn);
        let index = (place - turn.accepted) as usize;
        turn.aside[index] = Some((stretch, decoded));
        while let Some((stretch, mut decoded)) = turn.front_of_aside() {
            let has_frames = lock(&self.source).accept(&mut decoded.block, &stretch);
            if has_frames {
                self.make_ready(&mut turn, decoded);
            } else {
                turn.empty.push(decoded);
            }
        }
        self.changed.notify_all();
        turn
    }

    fn make_ready(&self, turn: &mut Turn, decoded: Decoded) {
        turn.frames += decoded.block.frame_count();
        let filled = Filled {
            number: turn.next,
            progress: Progress {
                read: lock(&self.source).progress(),
                frames: turn.frames,
            },
            decoded,
        };
        turn.next += 1;
        turn.out += 1;
        turn.ready.push_back(filled);
    }

    /// Takes a block back to be filled again.
    pub(super) fn give_back(&self, decoded: Decoded) {
        let mut turn = lock(&self.turn);
        turn.out = turn.out.saturating_sub(1);
        turn.empty.push(decoded);
        self.changed.notify_one();
    }

    /// Whether all that was read is done.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.turn).out == 0
    }

    /// Whether nothing more is to be read.
    pub(super) fn is_over(&self) -> bool {
        lock(&self.turn).is_over
    }

    /// Nothing more is to be read.
    pub(super) fn end(&self) {
        lock(&self.turn).is_over = true;
        self.changed.notify_all();
    }
}

impl Turn {
    /// Whether there is a block that nobody waits for, or that waits for somebody
    /// because no other can be filled.
    fn has_block_to_spare(&self) -> bool {
        self.ready.len() > self.waiting || self.empty.is_empty() || self.is_over
    }

    /// The stretch in front, if it was read.
    fn front_of_aside(&mut self) -> Option<(Stretch, Decoded)> {
        let front = self.aside.front_mut()?.take()?;
        self.aside.pop_front();
        self.accepted += 1;
        Some(front)
    }
}
