//! What comes of all captures, and who reads on: whoever has nothing else to do.
//!
//! A thread for each capture and one for what comes of them would wait for each other, and
//! the system is slow to find another core for one that waits behind another. So there are
//! as many threads as cores, at most, and each does what is there to do: reads the next of
//! the capture of which least waits to be matched, or matches. Whoever wants to match and
//! has nothing of some capture reads that itself, or, while somebody else looks at it, has blocks
//! of it ready for them.

use super::blocks::{Blocks, lock};
use super::reader::{End, Reader, Sent};
use super::sighting::Sighting;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Batches of each capture that wait to be matched, at most.
const BATCHES: usize = 8;

/// Rooms of each capture that lie idle. What was taken is still in the cache of whoever took
/// it, and it takes long to be written to from another core, if that has a cache of its own;
/// after so many others it no longer is.
const ROOMS: usize = 8;

/// What comes of all captures.
pub(super) struct Intake {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    lines: Vec<Line>,
    is_closed: bool,
}

/// What comes of one capture.
struct Line {
    /// Away while somebody reads on.
    reader: Option<Box<Reader>>,
    /// What it reads, if it reads anything.
    blocks: Option<Arc<Blocks>>,
    is_at_end: bool,
    batches: VecDeque<Sent>,
    /// Memory of batches that were taken: it is not asked of the system twice.
    rooms: VecDeque<Vec<Sighting>>,
}

/// Somebody takes what comes.
pub(super) struct Closing<'a>(&'a Intake);

/// A reader in somebody's hands.
struct Held<'a> {
    intake: &'a Intake,
    line: usize,
    /// It, what it has read, and whether there is more; nothing if it failed.
    read: Option<(Box<Reader>, Sent, bool)>,
}

impl Intake {
    pub fn new(readers: impl Iterator<Item = Reader>) -> Self {
        let lines = readers.map(|reader| Line {
            blocks: Some(reader.blocks()),
            reader: Some(Box::new(reader)),
            is_at_end: false,
            batches: VecDeque::with_capacity(BATCHES),
            rooms: VecDeque::new(),
        });
        Self {
            state: Mutex::new(State {
                lines: lines.collect(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Reads on until there is no more, or nobody takes any.
    pub fn help(&self) {
        let mut state = self.state();
        while !state.is_over() {
            state = match state.claim(None) {
                Some(claim) => self.read_on(state, claim),
                None => self.wait(state),
            };
        }
    }

    /// The next batch of a capture; `None` if there are no more.
    pub fn take(&self, line: usize) -> Option<Sent> {
        let mut state = self.state();
        let mut may_read_ahead = true;
        loop {
            if let Some(sent) = state.lines[line].batches.pop_front() {
                // There is room for one more.
                self.changed.notify_one();
                return Some(sent);
            }
            if state.lines[line].is_at_end {
                return None;
            }
            state = match state.claim(Some(line)) {
                Some(claim) => self.read_on(state, claim),
                None if may_read_ahead => {
                    let blocks = state.lines[line].blocks.clone();
                    drop(state);
                    may_read_ahead = blocks.is_some_and(|blocks| blocks.read_ahead());
                    // The batch may have come meanwhile.
                    self.state()
                }
                None => {
                    may_read_ahead = true;
                    self.wait(state)
                }
            };
        }
    }

    /// Gives back the room of a batch of which nothing is needed any more.
    pub fn give_back(&self, line: usize, spent: Vec<Sighting>) {
        let mut room = spent;
        room.clear();
        self.state().lines[line].rooms.push_back(room);
    }

    /// Once this is gone nobody takes any more.
    pub fn closing(&self) -> Closing<'_> {
        Closing(self)
    }

    /// What is left of each capture.
    pub fn into_ends(self) -> Vec<End> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let readers = state.lines.into_iter().filter_map(|line| line.reader);
        readers.map(|reader| reader.into_end()).collect()
    }

    /// Whoever held it when it panicked left it whole.
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let state = self.changed.wait(state);
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next batch of a capture while nobody holds the state.
    fn read_on<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        (line, mut reader, room): (usize, Box<Reader>, Vec<Sighting>),
    ) -> MutexGuard<'a, State> {
        drop(state);
        let mut held = Held {
            intake: self,
            line,
            read: None,
        };
        let (sent, is_more) = reader.read(room);
        held.read = Some((reader, sent, is_more));
        drop(held);
        self.state()
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Drop for Held<'_> {
    /// Also where reading panicked: nobody waits for it for ever.
    fn drop(&mut self) {
        let mut state = self.intake.state();
        let line = &mut state.lines[self.line];
        line.is_at_end = true;
        if let Some((reader, sent, is_more)) = self.read.take() {
            line.reader = Some(reader);
            line.is_at_end = !is_more;
            line.batches.push_back(sent);
        }
        drop(state);
        self.intake.changed.notify_all();
    }
}

impl State {
    /// Whether nothing is left to be read.
    fn is_over(&self) -> bool {
        self.is_closed || self.lines.iter().all(|line| line.is_at_end)
    }

    /// Takes a reader that has something to read and room for it: the one that is wanted, or
    /// that of which least waits.
    fn claim(&mut self, wanted: Option<usize>) -> Option<(usize, Box<Reader>, Vec<Sighting>)> {
        let lines = self.lines.iter().enumerate();
        let free = lines.filter(|(_, line)| {
            line.reader.is_some() && !line.is_at_end && line.batches.len() < BATCHES
        });
        let (place, _) =
            free.min_by_key(|(place, line)| (Some(*place) != wanted, line.batches.len()))?;
        let line = &mut self.lines[place];
        let reader = line.reader.take()?;
        let room = match line.rooms.len() {
            ROOMS.. => line.rooms.pop_front(),
            _ => None,
        };
        Some((place, reader, room.unwrap_or_default()))
    }
}

#[cfg(test)]
impl Intake {
    /// Of which nothing is left to be read.
    pub fn of(lines: impl Iterator<Item = Vec<Sent>>) -> Self {
        let lines = lines.map(|batches| Line {
            reader: None,
            blocks: None,
            is_at_end: true,
            batches: batches.into(),
            rooms: VecDeque::new(),
        });
        Self {
            state: Mutex::new(State {
                lines: lines.collect(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::reader::of_memory::{capture, reader, reader_of};
    use crate::source::{Block, FileFacts, Progress, Source};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;
    use std::time::{Duration, Instant};

    const IPV4: [u8; 2] = [8, 0];
    /// Blocks of so many bytes fill a batch each, and a capture of so many frames has more
    /// than may wait.
    const BLOCK_BYTES: usize = 1 << 18;
    const FRAMES: u32 = 60_000;

    fn intake(frames: &[u32]) -> Intake {
        let readers = frames.iter();
        Intake::new(readers.map(|frames| reader(capture(*frames, IPV4), BLOCK_BYTES)))
    }

    /// When sightings of a capture were, in seconds, until there are no more.
    fn take_all(intake: &Intake, line: usize) -> Vec<i64> {
        let batches = std::iter::from_fn(|| {
            let sent = intake.take(line)?;
            let times = sent.batch.sightings.iter();
            let times: Vec<i64> = times
                .map(|sighting| sighting.time.0 / 1_000_000_000)
                .collect();
            intake.give_back(line, sent.batch.sightings);
            Some(times)
        });
        batches.flatten().collect()
    }

    fn in_order(frames: u32) -> Vec<i64> {
        (0..frames.into()).collect()
    }

    fn waiting(intake: &Intake) -> Vec<usize> {
        let state = intake.state();
        state.lines.iter().map(|line| line.batches.len()).collect()
    }

    #[test]
    fn who_takes_reads_where_nobody_helps() {
        let intake = intake(&[FRAMES, 3, 0]);
        for (line, frames) in [(2, 0), (0, FRAMES), (1, 3)] {
            assert_eq!(take_all(&intake, line), in_order(frames));
            assert!(intake.take(line).is_none());
        }
        let ends = intake.into_ends();
        assert_eq!(ends.len(), 3);
    }

    #[test]
    fn who_waits_has_blocks_ready_for_who_reads() {
        let intake = intake(&[FRAMES]);
        let claim = intake.state().claim(Some(0)).unwrap();
        let blocks = claim.1.blocks();
        let first = thread::scope(|scope| {
            let waiting = scope.spawn(|| take_all(&intake, 0));
            let end = Instant::now() + Duration::from_secs(10);
            while blocks.ready() < 2 && Instant::now() < end {
                thread::yield_now();
            }
            let ready = blocks.ready();
            drop(intake.read_on(intake.state(), claim));
            assert!(ready >= 2, "{ready} blocks");
            waiting.join().unwrap()
        });
        assert_eq!(first, in_order(FRAMES));
    }

    #[test]
    fn all_comes_in_order_whoever_reads() {
        for helpers in [1, 3] {
            let intake = intake(&[FRAMES, 100, FRAMES]);
            let taken = thread::scope(|scope| {
                let _closing = intake.closing();
                for _ in 0..helpers {
                    scope.spawn(|| intake.help());
                }
                [2, 1, 0].map(|line| take_all(&intake, line))
            });
            let expected = [FRAMES, 100, FRAMES].map(in_order);
            assert!(taken == expected, "{helpers} helpers");
        }
    }

    #[test]
    fn no_more_waits_than_there_is_room_for_until_nobody_takes_any() {
        let intake = intake(&[FRAMES, FRAMES]);
        let most = thread::scope(|scope| {
            let closing = intake.closing();
            let helper = scope.spawn(|| intake.help());
            while waiting(&intake) != [BATCHES; 2] {
                thread::yield_now();
            }
            assert!(!helper.is_finished());
            let most = waiting(&intake);
            drop(closing);
            helper.join().unwrap();
            most
        });
        assert_eq!(most, waiting(&intake));
        assert!(intake.state().lines.iter().all(|line| !line.is_at_end));
    }

    #[test]
    fn the_capture_of_which_least_waits_is_read_first() {
        let intake = intake(&[FRAMES, FRAMES]);
        let first = intake.take(0).map(|sent| sent.frames);
        assert!(first.is_some() && waiting(&intake) == [0, 0]);
        for waits in [[1, 0], [1, 1], [2, 1]] {
            let mut state = intake.state();
            let claim = state.claim(None).unwrap();
            drop(intake.read_on(state, claim));
            assert_eq!(waiting(&intake), waits);
        }
        let (line, ..) = intake.state().claim(Some(0)).unwrap();
        assert_eq!(line, 0, "what is wanted goes first");
    }

    /// Fails where it is read.
    struct Broken;

    impl Source for Broken {
        fn fill(&mut self, _: &mut Block) -> bool {
            panic!("broken on purpose");
        }

        fn files(&self) -> Vec<FileFacts> {
            Vec::new()
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    #[test]
    fn nobody_waits_for_a_reader_that_failed() {
        let intake = Intake::new(std::iter::once(reader_of(Box::new(Broken))));
        thread::scope(|scope| {
            let help = || catch_unwind(AssertUnwindSafe(|| intake.help())).is_err();
            let helper = scope.spawn(help);
            assert!(helper.join().unwrap());
            assert!(intake.take(0).is_none());
        });
        assert!(intake.into_ends().is_empty());
    }
}
