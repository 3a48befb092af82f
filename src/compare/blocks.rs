//! The blocks of a capture, in order: each is read when it is asked for, or before by whoever
//! has nothing else to do. Only one at a time can look at what is in a capture, and where most of
//! all there is to do is in one of them, whoever does that is waited for.

use crate::source::{Block, FileFacts, Progress, Source};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks that are read before they are asked for, at most: 2 MB of a capture. More would not stay
/// in a cache.
const AHEAD: usize = 16;

/// The blocks of a capture.
pub(super) struct Blocks {
    /// Locked before `filled`, if both, and as long as it takes to read a block.
    source: Mutex<Open>,
    filled: Mutex<Filled>,
}

struct Open {
    source: Box<dyn Source>,
    is_over: bool,
}

#[derive(Default)]
struct Filled {
    /// Blocks that nobody asked for yet, each with how far the capture was read with it.
    ready: VecDeque<(Block, Progress)>,
    /// Blocks to be filled again. The one given back last may still be in a cache.
    spare: Vec<Block>,
}

/// Whoever held it when it panicked left it whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    /// Reads the next block, and says how far the capture was read; `None` if there is none.
    fn fill(&mut self, block: &mut Block) -> Option<Progress> {
        self.is_over = self.is_over || !self.source.fill(block);
        (!self.is_over).then(|| self.source.progress())
    }
}

impl Blocks {
    pub fn of(source: Box<dyn Source>) -> Self {
        let is_over = false;
        Self {
            source: Mutex::new(Open { source, is_over }),
            filled: Mutex::default(),
        }
    }

    /// Puts the next into the place of one that is over, and says how far the capture was read
    /// with it; `None` if there is none.
    pub fn next(&self, spent: &mut Block) -> Option<Progress> {
        if let Some(progress) = self.take(spent) {
            return Some(progress);
        }
        let mut source = lock(&self.source);
        // Somebody may have read one meanwhile.
        self.take(spent).or_else(|| source.fill(spent))
    }

    fn take(&self, spent: &mut Block) -> Option<Progress> {
        let mut filled = lock(&self.filled);
        let (block, progress) = filled.ready.pop_front()?;
        filled.spare.push(std::mem::replace(spent, block));
        Some(progress)
    }

    /// Reads one more before it is asked for; `false` if there is none, or enough wait.
    pub fn read_ahead(&self) -> bool {
        let mut source = lock(&self.source);
        let mut block = {
            let mut filled = lock(&self.filled);
            if filled.ready.len() >= AHEAD {
                return false;
            }
            filled.spare.pop().unwrap_or_default()
        };
        let Some(progress) = source.fill(&mut block) else {
            return false;
        };
        // Whoever asks finds it before the next is read.
        lock(&self.filled).ready.push_back((block, progress));
        true
    }

    /// How many were read ahead.
    #[cfg(test)]
    pub fn ready(&self) -> usize {
        lock(&self.filled).ready.len()
    }

    /// What is known of the file; complete once all was read.
    pub fn file(&self) -> FileFacts {
        file_of(lock(&self.source).source.as_ref())
    }
}

/// What is to be said of its file.
pub(super) fn file_of(source: &dyn Source) -> FileFacts {
    source.files().into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::reader::of_memory::capture;
    use crate::source::{Memory, SourceOptions};
    use std::thread;

    const FRAMES: u32 = 20_000;

    fn blocks() -> Blocks {
        let options = SourceOptions {
            block_bytes: 1 << 12,
            ..SourceOptions::default()
        };
        Blocks::of(Box::new(Memory::new(capture(FRAMES, [8, 0]), &options)))
    }

    /// Asks for all, with somebody beside who may read ahead so often before each.
    fn read_all(blocks: &Blocks, ahead: usize) -> Vec<(u64, Progress)> {
        let mut block = Block::default();
        let next = || {
            (0..ahead).for_each(|_| {
                blocks.read_ahead();
            });
            let progress = blocks.next(&mut block)?;
            Some((block.first().number, progress))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn they_come_in_order_whoever_reads_them() {
        let as_they_come = read_all(&blocks(), 0);
        assert!(as_they_come.len() > 3 * AHEAD);
        assert!(
            as_they_come.is_sorted_by(|one, next| one.0 < next.0 && one.1.bytes < next.1.bytes)
        );
        assert_eq!(read_all(&blocks(), 1), as_they_come);
        assert_eq!(read_all(&blocks(), 2 * AHEAD), as_they_come);
        let blocks = blocks();
        let beside = thread::scope(|scope| {
            scope.spawn(|| while blocks.read_ahead() || !lock(&blocks.source).is_over {});
            read_all(&blocks, 0)
        });
        assert_eq!(beside, as_they_come);
    }

    #[test]
    fn no_more_are_read_ahead_than_are_worth_it() {
        let blocks = blocks();
        assert_eq!((0..100).filter(|_| blocks.read_ahead()).count(), AHEAD);
        assert_eq!(
            blocks
                .next(&mut Block::default())
                .map(|read| read.bytes > 0),
            Some(true)
        );
        assert!(blocks.read_ahead() && !blocks.read_ahead());
        assert_eq!(lock(&blocks.filled).spare.len(), 0, "it was filled again");
    }

    #[test]
    fn behind_the_end_is_nothing() {
        let blocks = blocks();
        let all = read_all(&blocks, 0);
        assert!(!blocks.read_ahead() && !all.is_empty());
        assert_eq!(blocks.next(&mut Block::default()), None);
    }
}
