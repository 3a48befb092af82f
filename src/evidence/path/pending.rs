//! Fragments of which it is not known yet whether their datagram is wanted.

use crate::evidence::kept::KeptFrame;
use crate::evidence::room::bytes_of;
use std::collections::BTreeMap;

/// Fragments that came before one of their datagram was named. Those of the datagrams that
/// began first go when there are too many.
#[derive(Debug)]
pub(super) struct Pending {
    /// By the number of their datagram; numbers grow with the time it began.
    held: BTreeMap<u64, Vec<KeptFrame>>,
    bytes: u64,
    limit: u64,
    /// Of the datagrams up to this one, fragments are gone.
    gone_to: Option<u64>,
}

/// Fragments of a datagram.
#[derive(Debug, Default)]
pub(super) struct Released {
    /// Those that are left.
    pub frames: Vec<KeptFrame>,
    /// Whether that may not be all that came.
    pub is_partial: bool,
}

impl Pending {
    /// Room for so many bytes.
    pub fn new(limit_bytes: u64) -> Self {
        Self {
            held: BTreeMap::new(),
            bytes: 0,
            limit: limit_bytes,
            gone_to: None,
        }
    }

    /// Forgets all of it: what comes next is far from it.
    pub fn clear(&mut self) {
        *self = Self::new(self.limit);
    }

    /// Keeps a fragment for as long as there is room.
    pub fn hold(&mut self, datagram: u64, frame: KeptFrame) {
        self.bytes += bytes_of(&frame);
        self.held.entry(datagram).or_default().push(frame);
        while self.bytes > self.limit
            && let Some((oldest, frames)) = self.held.pop_first()
        {
            self.bytes -= frames.iter().map(bytes_of).sum::<u64>();
            self.gone_to = self.gone_to.max(Some(oldest));
        }
    }

    /// Hands out the fragments of a datagram that is wanted.
    pub fn release(&mut self, datagram: u64) -> Released {
        let frames = self.held.remove(&datagram).unwrap_or_default();
        self.bytes -= frames.iter().map(bytes_of).sum::<u64>();
        Released {
            frames,
            is_partial: Some(datagram) <= self.gone_to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FrameId, LinkType, Timestamp};

    fn frame(number: u64) -> KeptFrame {
        KeptFrame {
            origin: FrameId { file: 0, number },
            interface: 0,
            timestamp: Timestamp(0),
            wire_bytes: 1000,
            link_type: LinkType::ETHERNET,
            data: vec![0; 1000],
            comment: None,
        }
    }

    #[test]
    fn the_oldest_datagrams_go_and_are_known_to_be_cut() {
        let mut pending = Pending::new(5_500);
        for number in 0..6 {
            pending.hold(number / 2, frame(number));
        }
        let cut = pending.release(0);
        assert!(cut.is_partial && cut.frames.is_empty());
        let whole = pending.release(2);
        assert!(!whole.is_partial && whole.frames.len() == 2);
        assert!(pending.release(7).frames.is_empty());
        assert_eq!(pending.bytes, 2 * bytes_of(&frame(2)));
        pending.clear();
        assert!(!pending.release(0).is_partial);
    }

    #[test]
    fn nothing_is_held_where_there_is_no_room() {
        let mut pending = Pending::new(0);
        pending.hold(0, frame(1));
        assert!(pending.held.is_empty() && pending.bytes == 0);
        assert!(pending.release(0).is_partial);
    }
}
