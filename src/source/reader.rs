//! Reads one input block by block.

use super::SourceOptions;
use super::block::Block;
use super::compressed::Plain;
use super::format::Format;
use super::input::{Origin, SharedTally, Tap};
use super::problem::{FileFacts, Problem, Severity};
use super::stored::Stretch;
use super::walk::End;
use crate::model::FrameId;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// To carry over fewer bytes takes less time than to read the rest of a record by itself.
const WORTH_READING: usize = 1 << 14;

/// One open input.
pub(super) struct Reader {
    file: u32,
    plain: Plain,
    tally: SharedTally,
    block_bytes: usize,
    format: Format,
    /// Bytes read but not yet given out, from `carry_start` on.
    carry: Vec<u8>,
    carry_start: usize,
    /// Place of the first byte not yet given out, in the decompressed input.
    offset: u64,
    /// Bytes taken in so far, before decompression.
    taken: u64,
    /// Whether nothing is set aside for now: there is a section's end in what was read,
    /// or a record longer than a block.
    in_turn: bool,
    /// Whether nothing more can be read.
    at_end: bool,
    /// Why, if it is not the end. Told only if walking gets there: how far reading
    /// is ahead of it depends on the size of blocks, which may change nothing.
    read_error: Option<(Severity, String)>,
    /// Whether no more blocks will come.
    finished: bool,
    facts: FileFacts,
}

/// What was walked over of the bytes a block will hold.
#[derive(Default)]
struct Run {
    /// Where in the buffer the walk began.
    base: usize,
    /// Where the first record begins, after headers; from `base` on.
    start: usize,
    /// Bytes walked over.
    walked: usize,
    frames: u64,
}

/// Whether the run goes on.
enum Step {
    Done,
    /// The next record takes this many bytes.
    NeedMore(usize),
}

/// Whether half is there of a record of `need` bytes, and so much that to read the rest takes less time
/// than to carry over what is there.
fn is_half_here(left: usize, need: usize) -> bool {
    left >= WORTH_READING && left >= need / 2
}

impl Reader {
    /// Opens an input. What stands in the way is a problem in the facts.
    pub(super) fn open(
        file: u32,
        origin: &Origin,
        options: &SourceOptions,
        count: &Arc<AtomicU64>,
    ) -> Result<Self, Box<FileFacts>> {
        let mut facts = FileFacts {
            path: origin.name(),
            bytes: origin.size().unwrap_or(0),
            ..FileFacts::default()
        };
        let opened = origin.tap(options.hash, count).and_then(|tap| {
            let tally = tap.tally();
            Plain::new(tap).map(|plain| (plain, tally))
        });
        match opened {
            Err(error) => {
                let text = format!("cannot be read: {error}");
                facts
                    .problems
                    .push(Problem::new(Severity::Unreadable, text));
                Err(Box::new(facts))
            }
            Ok((plain, tally)) => {
                facts.compression = plain.compression().name();
                Ok(Self {
                    file,
                    plain,
                    tally,
                    block_bytes: options.block_bytes.max(1),
                    format: Format::Unknown,
                    carry: Vec::new(),
                    carry_start: 0,
                    offset: 0,
                    taken: 0,
                    in_turn: false,
                    at_end: false,
                    read_error: None,
                    finished: false,
                    facts,
                })
            }
        }
    }

    /// Sets the next bytes aside for a reader that has its own time; `None` if the input
    /// has to be read in turn. Nothing is set aside before the format is known.
    pub(super) fn set_aside(&mut self) -> Option<Stretch> {
        if self.in_turn || self.finished || !self.format.is_known() {
            return None;
        }
        let stored = self.plain.tap()?.stored()?;
        stored.set_aside(self.block_bytes)
    }

    /// Takes in a stretch that was read into `block`, which then holds its whole records;
    /// `false` if there are none. Stretches come in the order they were set aside.
    pub(super) fn accept(&mut self, block: &mut Block, stretch: &Stretch) -> bool {
        block.clear();
        // Behind one that came short, or behind damage.
        if self.finished || stretch.offset != self.taken {
            return false;
        }
        self.taken += stretch.read as u64;
        if let Some(tap) = self.plain.tap() {
            tap.count(stretch.read);
        }
        let carried = self.carry.get(self.carry_start..).unwrap_or_default();
        let (base, moved) = block.put_before(stretch.place, carried);
        let filled = stretch.place + moved + stretch.read;
        let mut run = Run {
            base,
            ..Run::default()
        };
        let bytes = block.buffer.get(base..filled).unwrap_or_default();
        let goes_on = match self.walk(bytes, &mut run) {
            Step::Done => false,
            Step::NeedMore(need) => need <= self.block_bytes && stretch.is_complete(),
        };
        if self.in_turn || !goes_on {
            self.read_in_turn();
        }
        self.carry_over(block, base + run.walked..filled);
        self.hand_out(block, &run)
    }

    /// Sets nothing aside any more, and reads on behind what was taken in.
    fn read_in_turn(&mut self) {
        self.in_turn = true;
        if let Some(stored) = self.plain.tap().and_then(Tap::stored) {
            stored.offset = self.taken;
        }
    }

    /// Fills `block` with the next whole records; `false` when there are no more. All
    /// that was set aside has been accepted.
    pub(super) fn fill(&mut self, block: &mut Block) -> bool {
        block.clear();
        if self.finished {
            return false;
        }
        let mut run = Run::default();
        let carry = std::mem::take(&mut self.carry);
        let carried = carry.get(self.carry_start..).unwrap_or_default();
        match self.walk(carried, &mut run) {
            // Only what belongs to the block is copied, so that many small sections
            // in one buffer do not make the rest of it be copied over and over.
            Step::Done => {
                block.hold(carried.get(..run.walked).unwrap_or_default(), 0);
                self.carry_start += run.walked;
                self.carry = carry;
            }
            Step::NeedMore(need) => {
                block.hold(carried, self.block_bytes);
                let filled = carried.len();
                self.carry = carry;
                self.read_on(block, filled, need, &mut run);
            }
        }
        self.hand_out(block, &run)
    }

    /// Reads behind the `filled` bytes of the block until it has frames enough, and
    /// carries over what is left.
    fn read_on(&mut self, block: &mut Block, mut filled: usize, need: usize, run: &mut Run) {
        let mut step = Step::NeedMore(need);
        while let Step::NeedMore(need) = step {
            if self.at_end {
                let left = filled.saturating_sub(run.walked);
                self.end_of_input(left, need, run);
                break;
            }
            let is_full = run.frames > 0 && filled >= self.block_bytes;
            let left = filled.saturating_sub(run.walked);
            if is_full && !is_half_here(left, need) {
                break;
            }
            let wanted = run.walked.saturating_add(need);
            block.make_room(filled, wanted);
            let room = block.buffer.len();
            let end = if is_full { wanted.min(room) } else { room };
            filled += self.read(block.buffer.get_mut(filled..end).unwrap_or_default());
            step = self.walk(block.buffer.get(..filled).unwrap_or_default(), run);
        }
        if let Step::NeedMore(need) = step {
            self.in_turn = need > self.block_bytes;
        }
        self.carry_over(block, run.walked..filled);
    }

    /// Keeps what belongs to the next block.
    fn carry_over(&mut self, block: &Block, rest: Range<usize>) {
        let rest = block.buffer.get(rest).unwrap_or_default();
        self.carry.clear();
        self.carry_start = 0;
        self.carry.extend_from_slice(rest);
    }

    /// Walks over the records in `bytes` from where the run has come to.
    fn walk(&mut self, bytes: &[u8], run: &mut Run) -> Step {
        loop {
            let rest = bytes.get(run.walked..).unwrap_or_default();
            let walk = self.format.walk(rest, run.frames);
            run.walked += walk.consumed;
            run.frames += walk.frames;
            match walk.end {
                End::NewLayout => run.start = run.walked,
                End::Boundary => return Step::Done,
                End::Incomplete { need } => return Step::NeedMore(need),
                End::Damage(what) => {
                    self.damage(&what, run);
                    return Step::Done;
                }
            }
        }
    }

    /// Reads until `space` is full or nothing more comes. A pipe gives little at a
    /// time; blocks are filled all the same, so that where they end depends on the
    /// bytes alone.
    fn read(&mut self, space: &mut [u8]) -> usize {
        let mut filled = 0;
        while let Some(rest @ [_, ..]) = space.get_mut(filled..) {
            match self.plain.read(rest) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(n) => {
                    filled += n;
                    self.taken += n as u64;
                }
                Err(error) => {
                    self.keep_read_error(&error);
                    break;
                }
            }
        }
        filled
    }

    /// Numbers the frames of the run and gives them out.
    fn hand_out(&mut self, block: &mut Block, run: &Run) -> bool {
        self.offset += run.walked as u64;
        if run.frames == 0 {
            return false;
        }
        block.records = run.base + run.start..run.base + run.walked;
        block.frames = run.frames;
        block.first = FrameId {
            file: self.file,
            number: self.facts.frames + 1,
        };
        block.layout = self.format.layout();
        self.facts.frames += run.frames;
        if self.facts.first_timestamp.is_none() {
            self.facts.first_timestamp = block.frames().next().map(|frame| frame.timestamp);
        }
        true
    }

    /// Reading stops for good; what was found stays.
    fn finish(&mut self, problem: Option<(Severity, String)>) {
        self.finished = true;
        self.at_end = true;
        if let Some((severity, text)) = problem {
            self.facts.problems.push(Problem::new(severity, text));
        }
    }

    fn damage(&mut self, what: &str, run: &Run) {
        let at = self.offset + run.walked as u64;
        let problem = if self.format.is_known() {
            let frame = self.facts.frames + run.frames + 1;
            let text = format!("damaged at offset {at} (frame {frame}): {what}");
            (Severity::Damaged, text)
        } else {
            (Severity::Unreadable, what.to_owned())
        };
        self.finish(Some(problem));
    }

    /// The input ended with `left` bytes of a record that takes `need`.
    fn end_of_input(&mut self, left: usize, need: usize, run: &Run) {
        let at = self.offset + run.walked as u64;
        let problem = match (self.read_error.take(), self.format.is_known(), left) {
            (Some(error), _, _) => Some(error),
            (None, true, 0) => None,
            (None, false, 0) => Some((Severity::Unreadable, "empty: 0 bytes, where a capture begins with a header of 24 (pcap) or a section header (pcapng)".to_owned())),
            (None, false, _) => {
                let text = format!("ends after {left} bytes, the header of a capture takes {need}");
                Some((Severity::Unreadable, text))
            }
            (None, true, _) => {
                let frame = self.facts.frames + run.frames + 1;
                let text = format!(
                    "cut off at offset {at} (frame {frame}): {left} bytes are left, the next record takes {need}"
                );
                Some((Severity::CutOff, text))
            }
        };
        self.finish(problem);
    }

    /// What was read before an error is still good.
    fn keep_read_error(&mut self, error: &io::Error) {
        self.at_end = true;
        let read = self.tally.bytes();
        let cut = error.kind() == io::ErrorKind::UnexpectedEof;
        self.read_error = Some(match self.plain.compression().name() {
            Some(name) if cut => (
                Severity::CutOff,
                format!("the {name} stream is cut off after {read} bytes"),
            ),
            Some(name) => (
                Severity::Damaged,
                format!("the {name} stream is damaged within its first {read} bytes: {error}"),
            ),
            None => (
                Severity::Damaged,
                format!("cannot be read beyond offset {read}: {error}"),
            ),
        });
    }

    /// What is known, once nothing more is to be read. Reads a file to its end if
    /// that is what its hash still needs.
    pub(super) fn into_facts(mut self, origin: &Origin) -> FileFacts {
        if self.tally.wants_the_rest() && origin.size().is_some() {
            // A failure here leaves the hash unknown, which is what is reported.
            let _ = self.plain.drain();
        }
        self.facts.sha256 = self.tally.sha256();
        self.facts()
    }

    /// What is known so far.
    pub(super) fn facts(&self) -> FileFacts {
        let mut facts = self.facts.clone();
        facts.bytes = facts.bytes.max(self.tally.bytes());
        self.format.describe(&mut facts);
        if !self.format.is_known() && self.finished {
            for problem in &mut facts.problems {
                problem.severity = Severity::Unreadable;
            }
        }
        facts
    }
}
