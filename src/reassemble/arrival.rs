//! In what order and with what pauses the pieces of one datagram came.

use super::fragment::FragmentFacts;
use crate::model::{Duration, FrameId, Timestamp};

/// How the pieces of one datagram came.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The frame of the first piece to come.
    pub frame: FrameId,
    /// Longest time between two pieces that came one after the other.
    pub longest_pause: Duration,
    /// Whether the piece with offset 0 came after another.
    pub is_first_late: bool,
    /// Whether a piece with another offset came after one from further back.
    pub is_rest_disordered: bool,
    offset: u32,
    latest: Timestamp,
}

impl Arrival {
    /// Of a datagram of which one piece is about to come.
    pub(super) fn of(fragment: &FragmentFacts) -> Self {
        Self {
            frame: fragment.frame,
            longest_pause: Duration(0),
            is_first_late: false,
            is_rest_disordered: false,
            offset: 0,
            latest: fragment.timestamp,
        }
    }

    /// Notes how one more piece came.
    #[inline]
    pub(super) fn note(&mut self, fragment: &FragmentFacts) {
        let goes_back = fragment.offset < self.offset;
        self.is_first_late |= goes_back && fragment.offset == 0;
        self.is_rest_disordered |= goes_back && fragment.offset != 0;
        self.offset = fragment.offset;
        let pause = fragment.timestamp - self.latest;
        self.longest_pause = self.longest_pause.max(pause);
        self.latest = fragment.timestamp;
    }
}
