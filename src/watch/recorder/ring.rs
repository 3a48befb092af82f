//! The last seconds of frames, in bounded memory.

use super::segment::{Segment, bytes_of};
use crate::model::{Duration, Frame, Timestamp};
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory of a segment, unless a frame needs more: large enough for a block of the
/// capture, so that the lock is taken and memory is reused once for thousands of
/// frames; small enough for what expires to be let go in small steps.
const SEGMENT_BYTES: usize = 1 << 20;
const LEAST_SEGMENT_BYTES: usize = 4096;

/// Kept beyond what is asked for: the recorder comes by once a second.
const MARGIN: Duration = Duration::from_secs(2);

/// What a ring holds.
#[derive(Clone, Copy, Debug)]
pub struct RingLimits {
    /// How far behind the newest frame a frame may be.
    pub seconds: Duration,
    /// Most memory. What the recorder is just writing, 8 MiB at most, is beside it.
    pub bytes: usize,
}

/// What a ring holds now, and what it had to drop since the capture began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RingCounts {
    /// Frames in it.
    pub frames: u64,
    /// Memory they take.
    pub memory_bytes: u64,
    /// The bound on it.
    pub memory_limit_bytes: u64,
    /// Frames dropped before their time because memory ran out.
    pub dropped_frames: u64,
}

/// The last seconds of frames. Filled by the threads that capture; read by the recorder.
///
/// The frames of one interface (`id.file`) must come in the order of their numbers, and
/// numbers leave nothing out: a gap is taken for frames that the ring dropped.
#[derive(Debug)]
pub struct Ring {
    limits: RingLimits,
    segment_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Full segments, the oldest first.
    sealed: VecDeque<Arc<Segment>>,
    /// The one being filled.
    open: Segment,
    /// One that expired, kept for its memory.
    spare: Option<Segment>,
    /// Memory of all of these.
    held_bytes: usize,
    /// Frames in `sealed`.
    sealed_frames: u64,
    /// Time of the last frame, not the latest: a clock that was set back goes on.
    now: Timestamp,
    dropped_frames: u64,
    /// Time of the last frame that was dropped for want of memory.
    dropped_until: Option<Timestamp>,
}

impl Ring {
    /// An empty ring. Takes no memory before there are frames.
    pub fn new(limits: RingLimits) -> Self {
        let share = (limits.bytes / 16).clamp(LEAST_SEGMENT_BYTES, SEGMENT_BYTES);
        Self {
            limits,
            segment_bytes: share.min(limits.bytes),
            state: Mutex::default(),
        }
    }

    /// Copies the frames of one block: one lock, and no memory taken but for a segment
    /// in a thousand frames while the ring is not yet full.
    pub fn push_block<'a>(&self, frames: impl Iterator<Item = Frame<'a>>) {
        let mut state = self.lock();
        for frame in frames {
            if state.open.room() < bytes_of(&frame) && !self.roll(&mut state, &frame) {
                continue;
            }
            state.open.push(&frame);
            state.now = frame.timestamp;
        }
    }

    /// What it holds and had to drop.
    pub fn counts(&self) -> RingCounts {
        let state = self.lock();
        RingCounts {
            frames: state.sealed_frames + state.open.frame_count(),
            memory_bytes: state.held_bytes as u64,
            memory_limit_bytes: self.limits.bytes as u64,
            dropped_frames: state.dropped_frames,
        }
    }

    /// Closes the segment being filled, so that all there is can be taken; the sequence
    /// number that the next one will have.
    pub(super) fn seal(&self) -> u64 {
        let mut state = self.lock();
        state.seal();
        state.open.sequence
    }

    /// Sealed segments of a range, from the oldest there is up to so many bytes, but at
    /// least one. They stay what they are while the ring goes on.
    pub(super) fn take(&self, range: Range<u64>, bytes: usize) -> Vec<Arc<Segment>> {
        let state = self.lock();
        let start = state.sealed.partition_point(|s| s.sequence < range.start);
        let mut left = bytes;
        let mut taken = Vec::new();
        for segment in state.sealed.range(start..) {
            if segment.sequence >= range.end || (left < segment.bytes() && !taken.is_empty()) {
                break;
            }
            left = left.saturating_sub(segment.bytes());
            taken.push(Arc::clone(segment));
        }
        taken
    }

    /// Time of the last frame pushed.
    pub(super) fn now(&self) -> Timestamp {
        self.lock().now
    }

    /// Time of the last frame that was dropped for want of memory: whoever wants frames
    /// before it cannot have them all.
    pub(super) fn dropped_until(&self) -> Option<Timestamp> {
        self.lock().dropped_until
    }

    /// Opens a segment with room for a frame; `false` if no memory is large enough.
    #[cold]
    fn roll(&self, state: &mut State, frame: &Frame<'_>) -> bool {
        state.seal();
        state.expire(frame.timestamp, self.limits.seconds, self.segment_bytes);
        let needed = self.segment_bytes.max(bytes_of(frame));
        if state.reuse(needed) {
            return true;
        }
        while state.held_bytes.saturating_add(needed) > self.limits.bytes {
            if !state.drop_oldest(self.segment_bytes) {
                state.dropped_frames += 1;
                state.dropped_until = Some(frame.timestamp);
                return false;
            }
            if state.reuse(needed) {
                return true;
            }
        }
        state.open_with(Segment::with_capacity(needed));
        true
    }

    /// A thread that panicked while it held the lock left whole frames.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Closes the segment being filled, if there is anything in it.
    fn seal(&mut self) {
        let mut segment = std::mem::take(&mut self.open);
        self.held_bytes -= segment.capacity();
        self.open.sequence = segment.sequence;
        if segment.frame_count() > 0 {
            self.open.sequence += 1;
            segment.shrink_if_half_empty();
            self.held_bytes += segment.capacity();
            self.sealed_frames += segment.frame_count();
            self.sealed.push_back(Arc::new(segment));
        }
    }

    fn open_with(&mut self, mut segment: Segment) {
        segment.sequence = self.open.sequence;
        self.held_bytes += segment.capacity();
        self.open = segment;
    }

    /// Opens the spare segment if it is large enough.
    fn reuse(&mut self, needed: usize) -> bool {
        let Some(mut spare) = self.spare.take() else {
            return false;
        };
        self.held_bytes -= spare.capacity();
        if spare.capacity() < needed {
            return false;
        }
        spare.clear();
        self.open_with(spare);
        true
    }

    /// Lets go what is too far behind.
    fn expire(&mut self, now: Timestamp, seconds: Duration, segment_bytes: usize) {
        while let Some(oldest) = self.sealed.front()
            && now - oldest.last() > Duration(seconds.0.saturating_add(MARGIN.0))
        {
            self.let_go(segment_bytes);
        }
    }

    /// Lets go the oldest segment, which is not too far behind; `false` if there is none.
    fn drop_oldest(&mut self, segment_bytes: usize) -> bool {
        let Some(oldest) = self.sealed.front() else {
            return false;
        };
        self.dropped_frames += oldest.frame_count();
        self.dropped_until = Some(oldest.last());
        self.let_go(segment_bytes);
        true
    }

    fn let_go(&mut self, segment_bytes: usize) {
        let Some(oldest) = self.sealed.pop_front() else {
            return;
        };
        self.sealed_frames -= oldest.frame_count();
        self.held_bytes -= oldest.capacity();
        // One that the recorder is writing is not ours to fill again.
        if let Some(segment) = Arc::into_inner(oldest)
            && self.spare.is_none()
            && segment.capacity() == segment_bytes
        {
            self.held_bytes += segment.capacity();
            self.spare = Some(segment);
        }
    }
}
