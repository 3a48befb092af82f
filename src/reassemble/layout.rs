//! A datagram from its beginning to its end: the pieces that came, and what is missing
//! between them.

use super::pieces::Pieces;

/// What there is to know of a datagram whose length is known.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    pieces: &'a Pieces,
    /// Length of the whole payload in bytes.
    pub payload_bytes: u32,
    /// Payload bytes of its largest fragment; never 0.
    full_bytes: u32,
}

/// A stretch of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins: bytes of payload before it.
    pub offset: u32,
    /// Length in bytes; never 0.
    pub bytes: u32,
    /// Payload bytes of each fragment in it, but the last.
    pub fragment_bytes: u32,
    /// Whether it came: then it is one fragment.
    pub came: bool,
}

impl Run {
    /// Fragments it takes to carry it.
    pub fn fragments(&self) -> u32 {
        self.bytes.div_ceil(self.fragment_bytes.max(1))
    }
}

impl<'a> Layout<'a> {
    /// `None` where the size of fragments is not known.
    pub(super) fn new(pieces: &'a Pieces, payload_bytes: u32, full_bytes: u32) -> Option<Self> {
        (full_bytes > 0).then_some(Self {
            pieces,
            payload_bytes,
            full_bytes,
        })
    }

    /// What came and what did not, in the order of the datagram.
    pub fn runs(&self) -> impl Iterator<Item = Run> + use<'a> {
        let (full, end) = (self.full_bytes, self.payload_bytes);
        let held = self.pieces.held().iter();
        let held = held.map(|piece| (piece.start(), piece.end()));
        let mut at = 0;
        let both = held.chain([(end, end)]).flat_map(move |(from, to)| {
            let hole = Run {
                offset: at,
                bytes: from.min(end).saturating_sub(at),
                fragment_bytes: full,
                came: false,
            };
            at = to;
            let piece = Run {
                offset: from,
                bytes: to - from,
                fragment_bytes: to - from,
                came: true,
            };
            [hole, piece]
        });
        both.filter(|run| run.bytes > 0)
    }

    /// Fragments it takes to carry what is missing.
    pub(super) fn missing_fragments(&self) -> u32 {
        let holes = self.runs().filter(|run| !run.came);
        holes.map(|run| run.fragments()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reassemble::pieces::NewPiece;

    /// Of a datagram of which pieces of these ranges came.
    fn runs(came: &[(u32, u32)], payload_bytes: u32) -> Vec<(u32, u32, bool)> {
        let mut pieces = Pieces::default();
        for (from, to) in came {
            pieces.insert(NewPiece {
                offset: *from,
                bytes: to - from,
                more: *to != payload_bytes,
                sum: None,
            });
        }
        let layout = Layout::new(&pieces, payload_bytes, 1480);
        let runs = layout.into_iter().flat_map(|layout| layout.runs());
        runs.map(|run| (run.offset, run.fragments(), run.came))
            .collect()
    }

    #[test]
    fn holes_stand_between_the_pieces() {
        assert_eq!(
            runs(&[(1480, 2960), (5920, 7000)], 7000),
            [
                (0, 1, false),
                (1480, 1, true),
                (2960, 2, false),
                (5920, 1, true)
            ]
        );
        assert_eq!(
            runs(&[(0, 1480)], 7000),
            [(0, 1, true), (1480, 4, false)],
            "the last, of 1,080 bytes, is one"
        );
        assert_eq!(runs(&[], 1480), [(0, 1, false)]);
    }

    #[test]
    fn what_lies_beyond_the_length_claimed_opens_no_hole() {
        assert_eq!(
            runs(&[(0, 1480), (2960, 4440)], 1400),
            [(0, 1, true), (2960, 1, true)]
        );
        assert_eq!(
            runs(&[(0, 1480), (4440, 5920)], 2960),
            [(0, 1, true), (1480, 1, false), (4440, 1, true)]
        );
    }
}
