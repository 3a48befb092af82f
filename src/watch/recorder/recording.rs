//! One recording while it is written.

use super::losses::Counts;
use super::notice::Written;
use super::ring::Ring;
use super::segment::Segment;
use super::shelf::{Part, Shelf};
use super::told::Told;
use crate::evidence::pcapng::{
    InterfaceFacts, MAX_COMMENT_BYTES, MAX_ROOM_BYTES, PACKET_OVERHEAD_BYTES, PcapngWriter,
    Section, Statistics,
};
use crate::model::{Frame, FrameId, Timestamp};
use crate::report::document::Time;
use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::RangeInclusive;

/// Taken from the ring at once: what is dropped there meanwhile stays in memory.
const TAKEN_BYTES: usize = 8 << 20;

/// Handed to the system at once: a call for a hundred frames and not for five.
const BUFFER_BYTES: usize = 256 * 1024;

/// The rest of the file: statistics, a description or a comment more.
const RESERVE_BYTES: u64 = 64 * 1024;

/// Least share of the bytes allowed that a recording can be made of.
pub(super) const LEAST_BYTES: u64 = 4 * RESERVE_BYTES;

/// Which frames are wanted.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// When the finding appeared, or somebody asked.
    pub(super) trigger: Timestamp,
    /// Times of the first and the last frame wanted.
    pub(super) times: RangeInclusive<Timestamp>,
}

/// A recording that is being written.
pub(super) struct Recording {
    pub(super) window: Window,
    pub(super) told: Told,
    /// Ids that the file is named after.
    named: Vec<String>,
    writer: PcapngWriter<BufWriter<File>>,
    part: Part,
    /// Most bytes it may have.
    limit_bytes: u64,
    /// The next segment to take.
    cursor: u64,
    frames: u64,
    /// What the interfaces had counted when its window began.
    before: Vec<Counts>,
    gaps: Gaps,
    is_cut: bool,
    is_late: bool,
}

/// Frames that the ring dropped before they were written, by interface.
#[derive(Debug)]
struct Gaps(Vec<Gap>);

#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    /// Number of the last frame written.
    last: Option<u64>,
    missed: u64,
}

impl Recording {
    /// Opens a file. What it is `named` after is what it was made for; nothing is told
    /// in it yet.
    pub(super) fn begin(
        shelf: &mut Shelf,
        window: Window,
        named: Vec<String>,
        interfaces: &[InterfaceFacts],
        before: Vec<Counts>,
    ) -> io::Result<Self> {
        let (file, part) = shelf.create()?;
        let section = Section {
            comments: &[],
            room_bytes: MAX_ROOM_BYTES,
        };
        let output = BufWriter::with_capacity(BUFFER_BYTES, file);
        let writer = PcapngWriter::new(output, section, interfaces)?;
        Ok(Self {
            window,
            told: Told::default(),
            named,
            writer,
            part,
            limit_bytes: shelf.share().saturating_sub(RESERVE_BYTES),
            cursor: 0,
            frames: 0,
            before,
            gaps: Gaps(vec![Gap::default(); interfaces.len()]),
            is_cut: false,
            is_late: false,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.writer.bytes()
    }

    /// Writes the frames that came since the last call. `beside_bytes`: what other
    /// recordings that are not complete take.
    pub(super) fn append(
        &mut self,
        ring: &Ring,
        shelf: &mut Shelf,
        beside_bytes: u64,
    ) -> io::Result<()> {
        shelf.make_room(beside_bytes + self.bytes() + RESERVE_BYTES)?;
        let end = ring.seal();
        while self.cursor < end && !self.is_cut {
            let segments = ring.take(self.cursor..end, TAKEN_BYTES);
            self.look_for_lateness(ring);
            self.cursor = segments.last().map_or(end, |last| last.sequence + 1);
            for segment in segments {
                if !self.wants(&segment) {
                    continue;
                }
                let growth = segment.bytes() as u64 + 4 * segment.frame_count();
                let bytes = self.bytes() + growth + RESERVE_BYTES;
                shelf.make_room(beside_bytes + bytes.min(shelf.share()))?;
                self.write(&segment)?;
            }
        }
        Ok(())
    }

    /// Completes the file and gives it its name. `now`: the time, and what the interfaces
    /// have counted.
    pub(super) fn end(
        mut self,
        shelf: &mut Shelf,
        now: (Timestamp, &[Counts]),
    ) -> io::Result<Written> {
        let (from, until) = self.window.times.into_inner();
        self.window.times = from..=until.min(now.0);
        for (interface, statistics) in (0..).zip(self.statistics(now.1)) {
            self.writer.statistics(interface, &statistics)?;
        }
        let mut written = Written {
            path: String::new(),
            findings: self.told.ids(),
            frames: self.frames,
            bytes: self.writer.bytes(),
            missed_frames: self.gaps.0.iter().map(|gap| gap.missed).sum(),
            is_late: self.is_late,
            is_cut: self.is_cut,
        };
        let comments = self.told.comments(introduction(&self.window, &written));
        self.writer.rewrite_section(&comments)?;
        drop(self.writer.finish()?);
        let path = shelf.publish(self.part, self.window.trigger, &self.named)?;
        written.path = path.display().to_string();
        Ok(written)
    }

    /// Whether memory ran out for frames that would have been the first ones.
    fn look_for_lateness(&mut self, ring: &Ring) {
        if self.frames == 0 {
            let from = *self.window.times.start();
            self.is_late = ring.dropped_until().is_some_and(|until| until >= from);
        }
    }

    /// Whether a segment may have frames of the window.
    fn wants(&self, segment: &Segment) -> bool {
        // A clock that was set back in the middle leaves the first after the last.
        let (first, last) = (segment.first(), segment.last());
        first.max(last) >= *self.window.times.start() && first.min(last) <= *self.window.times.end()
    }

    fn write(&mut self, segment: &Segment) -> io::Result<()> {
        for frame in segment.frames() {
            if !self.window.times.contains(&frame.timestamp) {
                continue;
            }
            let note = self.told.note_on(frame.id);
            if self.writer.bytes() + largest_block(&frame, note) > self.limit_bytes {
                self.is_cut = true;
                return Ok(());
            }
            self.writer.frame(&frame, note)?;
            self.frames += 1;
            self.gaps.see(frame.id);
        }
        Ok(())
    }

    /// What became of the frames of each interface while it was recorded.
    fn statistics(&self, now: &[Counts]) -> Vec<Statistics> {
        let times = &self.window.times;
        let each = self.gaps.0.iter().enumerate().map(|(index, gap)| {
            let at = |counts: &[Counts]| counts.get(index).copied().unwrap_or_default();
            let counts = at(now).since(at(&self.before));
            Statistics {
                from: *times.start(),
                until: *times.end(),
                received: counts.received,
                interface_dropped: counts.interface_dropped,
                dropped: counts.dropped.saturating_add(gap.missed),
            }
        });
        each.collect()
    }
}

impl Gaps {
    fn see(&mut self, frame: FrameId) {
        let Some(gap) = self.0.get_mut(frame.file as usize) else {
            return;
        };
        if let Some(last) = gap.last {
            let between = frame.number.saturating_sub(last).saturating_sub(1);
            gap.missed = gap.missed.saturating_add(between);
        }
        gap.last = Some(frame.number);
    }
}

fn largest_block(frame: &Frame<'_>, note: Option<&str>) -> u64 {
    let note = note.map_or(0, |note| note.len().min(MAX_COMMENT_BYTES) + 12);
    (PACKET_OVERHEAD_BYTES + frame.data.len() + note + 3) as u64
}

/// The first comment on a file: what it is, and what is missing in it.
fn introduction(window: &Window, written: &Written) -> String {
    let mut lines = vec![format!(
        "frames from {} to {}, recorded because of what appeared at {}",
        Time(*window.times.start()),
        Time(*window.times.end()),
        Time(window.trigger),
    )];
    lines.extend(written.flaws());
    lines.join("\n")
}
