//! Who reads next: workers take turns at the source.

use super::worker::Fragments;
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
/// and only their record boundaries are found in turn, while the lock is held: by
/// whoever comes with the stretch that is next, for those behind it too.
pub(super) struct Feed<'a> {
    turn: Mutex<Turn<'a>>,
    /// Something arrived, or there is nothing more to wait for.
    arrived: Condvar,
    empty: Mutex<Vec<Decoded>>,
    returned: Condvar,
}

struct Turn<'a> {
    source: &'a mut dyn Source,
    /// Stretches set aside and not accepted, in their order; `None` while one is read.
    aside: VecDeque<Option<(Stretch, Decoded)>>,
    /// Stretches accepted so far.
    accepted: u64,
    /// Blocks that nobody has taken yet.
    ready: VecDeque<Filled>,
    /// Number of the next block.
    next: u64,
    frames: u64,
    is_over: bool,
}

/// What a thread is to do next.
enum Task {
    Decode(Filled),
    /// Read this, the so-manieth that was set aside.
    Read(u64, Stretch, Decoded),
    End,
}

impl<'a> Feed<'a> {
    pub(super) fn new(source: &'a mut dyn Source, threads: usize) -> Self {
        let blocks = threads * BLOCKS_PER_THREAD;
        Self {
            turn: Mutex::new(Turn {
                source,
                aside: VecDeque::new(),
                accepted: 0,
                ready: VecDeque::new(),
                next: 0,
                frames: 0,
                is_over: false,
            }),
            arrived: Condvar::new(),
            empty: Mutex::new((0..blocks).map(|_| Decoded::default()).collect()),
            returned: Condvar::new(),
        }
    }

    /// The next block; `None` if there is nothing more to read. The lock on the source
    /// is never held to decode a block.
    pub(super) fn next(&self) -> Option<Filled> {
        loop {
            match self.task() {
                Task::Decode(filled) => return Some(filled),
                Task::End => return None,
                Task::Read(place, mut stretch, mut decoded) => {
                    stretch.read(&mut decoded.block);
                    self.put(place, stretch, decoded);
                }
            }
        }
    }

    fn task(&self) -> Task {
        let mut empty = None;
        let mut turn = lock(&self.turn);
        loop {
            if let Some(filled) = turn.ready.pop_front() {
                empty.into_iter().for_each(|block| self.give_back(block));
                return Task::Decode(filled);
            }
            if turn.is_over {
                empty.into_iter().for_each(|block| self.give_back(block));
                return Task::End;
            }
            let Some(mut block) = empty.take() else {
                // Not waited for with the lock held: who brings one may need it.
                drop(turn);
                empty = Some(self.empty_block());
                turn = lock(&self.turn);
                continue;
            };
            if let Some(stretch) = turn.source.set_aside() {
                let place = turn.accepted + turn.aside.len() as u64;
                turn.aside.push_back(None);
                return Task::Read(place, stretch, block);
            }
            if !turn.aside.is_empty() {
                self.give_back(block);
                turn = wait(&self.arrived, turn);
                continue;
            }
            if turn.source.fill(&mut block.block) {
                turn.make_ready(block);
            } else {
                turn.is_over = true;
                self.arrived.notify_all();
                self.give_back(block);
            }
        }
    }

    /// Puts a stretch that was read in its place, and accepts what is in order.
    fn put(&self, place: u64, stretch: Stretch, decoded: Decoded) {
        let mut turn = lock(&self.turn);
        let index = (place - turn.accepted) as usize;
        if let Some(space) = turn.aside.get_mut(index) {
            *space = Some((stretch, decoded));
        }
        while let Some(Some(_)) = turn.aside.front()
            && let Some(Some((stretch, mut decoded))) = turn.aside.pop_front()
        {
            turn.accepted += 1;
            if turn.source.accept(&mut decoded.block, &stretch) {
                turn.make_ready(decoded);
            } else {
                self.give_back(decoded);
            }
        }
        self.arrived.notify_all();
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
                    empty = wait(&self.returned, empty);
                }
            }
        }
    }
}

impl Turn<'_> {
    fn make_ready(&mut self, decoded: Decoded) {
        self.frames += decoded.block.frame_count();
        let filled = Filled {
            number: self.next,
            progress: Progress {
                read: self.source.progress(),
                frames: self.frames,
            },
            decoded,
        };
        self.next += 1;
        self.ready.push_back(filled);
    }
}

fn wait<'m, T>(condition: &Condvar, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}
