//! Frames for which there is room.

use super::kept::KeptFrame;
use super::pcapng::{MAX_COMMENT_BYTES, PACKET_OVERHEAD_BYTES};

/// Code and length of an option, a comment for one.
const OPTION_HEADER_BYTES: usize = 4;

/// A frame, and why it is kept.
#[derive(Debug)]
pub(super) struct Pooled<P> {
    pub frame: KeptFrame,
    /// How much it is needed, the most is the least.
    pub place: P,
    /// Number of the datagram that a fragment belongs to.
    pub datagram: Option<u64>,
}

/// As many frames as a file may hold. Those needed least leave first, all that are needed
/// as little as they at once.
#[derive(Debug)]
pub(super) struct Room<P> {
    /// In the order they were taken.
    pub frames: Vec<Pooled<P>>,
    /// Frames that would have been taken if there had been room.
    pub left_out: u64,
    bytes: u64,
    limit: u64,
    /// Bytes that will be added to the comment of each frame.
    comment_bytes: usize,
    /// Frames in this place, or needed less, are not taken.
    closed: Option<P>,
}

impl<P: Copy + Ord> Room<P> {
    /// An empty one, for frames of which so much more will be said.
    pub fn new(limit_bytes: u64, comment_bytes: usize) -> Self {
        Self {
            frames: Vec::new(),
            left_out: 0,
            bytes: 0,
            limit: limit_bytes,
            comment_bytes,
            closed: None,
        }
    }

    /// Bytes that can still be written.
    pub fn left_bytes(&self) -> u64 {
        self.limit.saturating_sub(self.bytes)
    }

    /// Takes a frame, which is looked at only if there may be room for it.
    pub fn take(&mut self, place: P, datagram: Option<u64>, frame: impl FnOnce() -> KeptFrame) {
        if self.closed.is_some_and(|closed| place >= closed) {
            self.left_out += 1;
            return;
        }
        let frame = frame();
        self.bytes += self.bytes_of(&frame);
        self.frames.push(Pooled {
            frame,
            place,
            datagram,
        });
        while self.bytes > self.limit {
            self.let_go_of_the_outermost();
        }
    }

    fn bytes_of(&self, frame: &KeptFrame) -> u64 {
        let written = frame.comment.as_ref().map_or(0, String::len);
        let comment = (written + self.comment_bytes).min(MAX_COMMENT_BYTES);
        bytes_of(frame) + (OPTION_HEADER_BYTES + comment.next_multiple_of(4)) as u64
    }

    fn let_go_of_the_outermost(&mut self) {
        let Some(outermost) = self.frames.iter().map(|pooled| pooled.place).max() else {
            self.bytes = 0;
            return;
        };
        let before = self.frames.len();
        if self.frames.iter().all(|pooled| pooled.place == outermost) {
            // Nothing is nearer: what came first stays, and no more like it comes.
            while self.bytes > self.limit
                && let Some(last) = self.frames.pop()
            {
                self.bytes -= self.bytes_of(&last.frame);
            }
        } else {
            self.frames.retain(|pooled| pooled.place < outermost);
            let kept = self.frames.iter();
            self.bytes = kept.map(|pooled| self.bytes_of(&pooled.frame)).sum();
        }
        self.closed = Some(
            self.closed
                .map_or(outermost, |closed| closed.min(outermost)),
        );
        self.left_out += (before - self.frames.len()) as u64;
    }
}

/// Bytes that a frame takes in a file, its comment left out.
pub(super) fn bytes_of(frame: &KeptFrame) -> u64 {
    (frame.data.len().next_multiple_of(4) + PACKET_OVERHEAD_BYTES) as u64
}
