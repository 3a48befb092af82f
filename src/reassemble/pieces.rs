//! The pieces of one datagram: what is held, and what a further one means.

use crate::model::Sum;

/// The largest end a piece may have, RFC 791 and RFC 8200 (16-bit lengths).
pub const MAX_DATAGRAM_BYTES: u32 = 65_535;

/// Most pieces whose memory is used again: a datagram of 64 KiB cut for Ethernet has
/// 45.
const REUSED_PIECES: usize = 64;

/// One piece as it is held: 6 bytes, since tens of thousands of unfinished
/// datagrams of dozens of pieces are what a lossy capture consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// Offset in units of 8 bytes.
    offset_units: u16,
    /// Length in bytes.
    bytes: u16,
    /// Folded sum of its bytes, if they were all captured.
    sum: u16,
}

impl Held {
    /// Offset in bytes.
    pub(super) fn start(&self) -> u32 {
        u32::from(self.offset_units) * 8
    }

    /// Whether a piece has this place, this length and, unless one of the two is not
    /// known, this sum.
    pub(super) fn is_like(&self, piece: &NewPiece, sum_known: bool) -> bool {
        self.start() == piece.offset
            && u32::from(self.bytes) == piece.bytes
            && (!sum_known || piece.sum.is_none_or(|sum| sum.0 == self.sum))
    }

    /// Where it ends in bytes.
    pub(super) fn end(&self) -> u32 {
        self.start() + u32::from(self.bytes)
    }
}

/// The pieces of one datagram, without overlap, sorted by offset.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    held: Vec<Held>,
    /// Bytes covered by `held`.
    covered: u32,
    /// Where the last fragment ended, once it came.
    end: Option<u32>,
    /// Sum of all held bytes, meaningful while `sums_known`.
    sum: Sum,
    /// Set once a piece came whose bytes were not all captured.
    sums_missing: bool,
}

/// What a piece meant for the pieces held before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It was added.
    Added,
    /// A copy, or wholly inside what is held; the first copy stays.
    Duplicate,
    /// It contradicts what is held.
    Contradiction,
}

/// A piece on its way in: `bytes` already rounded down to a multiple of 8 if
/// more fragments follow, and ending at most at [`MAX_DATAGRAM_BYTES`].
#[derive(Clone, Copy, Debug)]
pub struct NewPiece {
    /// Offset in bytes, a multiple of 8.
    pub offset: u32,
    /// Length in bytes.
    pub bytes: u32,
    /// MF.
    pub more: bool,
    /// Sum of its bytes, if all were captured.
    pub sum: Option<Sum>,
}

impl NewPiece {
    fn end(&self) -> u32 {
        self.offset + self.bytes
    }
}

impl Pieces {
    /// Takes a piece in, by the rules of Linux `net/ipv4/ip_fragment.c`
    /// (`ip_frag_queue`) and `inet_frag_queue_insert`: the ends are judged before
    /// the bytes, a piece inside one contiguous run is a copy, and a partial
    /// overlap is a contradiction (RFC 5722 for IPv6, Linux 4.19 for IPv4).
    pub fn insert(&mut self, piece: NewPiece) -> Fit {
        if self.contradicts_end(&piece) {
            return Fit::Contradiction;
        }
        if !piece.more {
            self.end = Some(piece.end());
        }
        if piece.bytes == 0 {
            return Fit::Added;
        }
        if self
            .held
            .last()
            .is_none_or(|last| last.end() <= piece.offset)
        {
            self.add(&piece, self.held.len());
            return Fit::Added;
        }
        let at = self.position_after(piece.offset);
        match self.overlap(&piece, at) {
            Fit::Added => self.add(&piece, at),
            duplicate_or_contradiction => return duplicate_or_contradiction,
        }
        Fit::Added
    }

    /// Whether a piece has the place and length of one that is held, but other bytes.
    pub fn is_altered(&self, piece: &NewPiece) -> bool {
        let at = self.position_after(piece.offset).checked_sub(1);
        let held = at.map(|index| &self.held[index]);
        !self.sums_missing
            && held.is_some_and(|held| held.is_like(piece, false) && !held.is_like(piece, true))
    }

    /// Length of the whole payload, if the pieces cover it from 0 to its end.
    pub fn whole_bytes(&self) -> Option<u32> {
        self.end.filter(|end| *end == self.covered)
    }

    /// Bytes held.
    pub fn held_bytes(&self) -> u32 {
        self.covered
    }

    /// Length of the whole payload, if the last fragment came.
    pub fn total_bytes(&self) -> Option<u32> {
        self.end
    }

    /// Sum over everything held; `None` if some of it was not captured.
    pub fn sum(&self) -> Option<Sum> {
        (!self.sums_missing).then_some(self.sum)
    }

    /// The pieces, sorted by offset.
    pub(super) fn held(&self) -> &[Held] {
        &self.held
    }

    /// Forgets all; what memory remains for the next is little.
    pub(super) fn clear(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        if held.capacity() > REUSED_PIECES {
            held = Vec::new();
        }
        held.clear();
        *self = Self {
            held,
            ..Self::default()
        };
    }

    /// Bytes of memory behind the pieces.
    pub fn memory_bytes(&self) -> usize {
        self.held.capacity() * size_of::<Held>()
    }

    fn contradicts_end(&self, piece: &NewPiece) -> bool {
        let held_end = self.held.last().map_or(0, Held::end);
        match (piece.more, self.end) {
            (true, Some(end)) => piece.end() > end,
            (true, None) => false,
            (false, Some(end)) => piece.end() != end,
            (false, None) => piece.end() < held_end,
        }
    }

    /// Index of the first held piece that starts beyond `offset`. Nearly always
    /// the end, since fragments arrive in order.
    fn position_after(&self, offset: u32) -> usize {
        match self.held.last() {
            Some(last) if last.start() > offset => {
                self.held.partition_point(|held| held.start() <= offset)
            }
            _ => self.held.len(),
        }
    }

    fn overlap(&self, piece: &NewPiece, at: usize) -> Fit {
        let before = at.checked_sub(1).map(|index| self.held[index]);
        if let Some(before) = before
            && before.end() > piece.offset
        {
            return self.inside_run(piece, at, before.end());
        }
        match self.held.get(at) {
            Some(after) if after.start() < piece.end() => Fit::Contradiction,
            _ => Fit::Added,
        }
    }

    /// Whether the contiguous run that reaches `run_end` and goes on at index
    /// `next` holds all of the piece.
    fn inside_run(&self, piece: &NewPiece, next: usize, mut run_end: u32) -> Fit {
        for held in self.held.iter().skip(next) {
            if run_end >= piece.end() || held.start() != run_end {
                break;
            }
            run_end = held.end();
        }
        if run_end >= piece.end() {
            Fit::Duplicate
        } else {
            Fit::Contradiction
        }
    }

    fn add(&mut self, piece: &NewPiece, at: usize) {
        self.covered += piece.bytes;
        match piece.sum {
            Some(sum) => self.sum = self.sum.plus(sum),
            None => self.sums_missing = true,
        }
        let held = Held {
            offset_units: (piece.offset / 8) as u16,
            bytes: piece.bytes as u16,
            sum: piece.sum.unwrap_or_default().0,
        };
        if at == self.held.len() {
            self.held.push(held);
        } else {
            self.held.insert(at, held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(offset: u32, bytes: u32, more: bool) -> NewPiece {
        NewPiece {
            offset,
            bytes,
            more,
            sum: Some(Sum(offset as u16)),
        }
    }

    fn insert_all(pieces: &[(u32, u32, bool)]) -> (Pieces, Vec<Fit>) {
        let mut held = Pieces::default();
        let fits = pieces
            .iter()
            .map(|&(offset, bytes, more)| held.insert(piece(offset, bytes, more)))
            .collect();
        (held, fits)
    }

    #[test]
    fn pieces_in_any_order_complete() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let all = [(0, 16, true), (16, 8, true), (24, 3, false)];
            let (held, fits) = insert_all(&order.map(|index: usize| all[index]));
            assert_eq!(fits, [Fit::Added; 3]);
            assert!(held.whole_bytes().is_some());
            assert_eq!(held.total_bytes(), Some(27));
            assert_eq!(held.sum(), Some(Sum(40)));
        }
    }

    #[test]
    fn a_copy_is_a_duplicate_even_across_a_run() {
        let (held, fits) = insert_all(&[
            (0, 8, true),
            (8, 8, true),
            (0, 16, true),
            (8, 8, true),
            (0, 8, true),
        ]);
        assert_eq!(fits[2..], [Fit::Duplicate; 3]);
        assert!(held.whole_bytes().is_none());
    }

    #[test]
    fn partial_overlaps_contradict() {
        for second in [(8, 16, true), (0, 24, true), (8, 100, false)] {
            let (_, fits) = insert_all(&[(0, 16, true), second]);
            assert_eq!(fits[1], Fit::Contradiction, "{second:?}");
        }
        // Into a hole, and over its far edge.
        let (_, fits) = insert_all(&[(0, 8, true), (16, 8, true), (8, 16, true)]);
        assert_eq!(fits[2], Fit::Contradiction);
    }

    #[test]
    fn ends_are_judged_before_copies() {
        let (_, two_ends) = insert_all(&[(16, 8, false), (0, 8, false)]);
        assert_eq!(two_ends[1], Fit::Contradiction);
        let (_, before_held) = insert_all(&[(0, 32, true), (8, 8, false)]);
        assert_eq!(before_held[1], Fit::Contradiction);
        let (_, beyond) = insert_all(&[(8, 8, false), (16, 8, true)]);
        assert_eq!(beyond[1], Fit::Contradiction);
        let (_, same_end) = insert_all(&[(8, 8, false), (8, 8, true)]);
        assert_eq!(same_end[1], Fit::Duplicate);
    }

    #[test]
    fn an_uncaptured_piece_makes_the_sum_unknown() {
        let mut held = Pieces::default();
        held.insert(NewPiece {
            sum: None,
            ..piece(0, 8, true)
        });
        held.insert(piece(8, 8, false));
        assert!(held.whole_bytes().is_some());
        assert_eq!(held.sum(), None);
    }

    #[test]
    fn a_copy_has_the_same_place_length_and_sum() {
        let (held, _) = insert_all(&[(0, 8, true), (8, 8, false)]);
        let last = held.held()[1];
        assert!(last.is_like(&piece(8, 8, false), true));
        assert!(!last.is_like(&piece(0, 8, false), true));
        assert!(!last.is_like(&piece(8, 4, false), true));
        let other_bytes = NewPiece {
            sum: Some(Sum(99)),
            ..piece(8, 8, false)
        };
        assert!(!last.is_like(&other_bytes, true));
        assert!(last.is_like(&other_bytes, false));
    }

    #[test]
    fn what_is_cleared_is_empty_and_small() {
        let many: Vec<_> = (0..1_000).map(|n| (n * 8, 8, true)).collect();
        let (mut held, _) = insert_all(&many);
        held.clear();
        assert_eq!((held.held_bytes(), held.total_bytes()), (0, None));
        assert!(held.held().is_empty());
        assert_eq!(held.memory_bytes(), 0);
    }

    /// The same rules over one flag a byte, slow and obvious.
    fn reference(pieces: &[(u32, u32, bool)]) -> (Vec<Fit>, bool) {
        let mut bytes = vec![false; 4096];
        let mut end: Option<u32> = None;
        let mut fits = Vec::new();
        for &(offset, length, more) in pieces {
            let (from, to) = (offset as usize, (offset + length) as usize);
            let held_end = bytes.iter().rposition(|held| *held).map_or(0, |at| at + 1);
            let bad_end = match (more, end) {
                (true, Some(end)) => to as u32 > end,
                (true, None) => false,
                (false, Some(end)) => to as u32 != end,
                (false, None) => to < held_end,
            };
            let held = bytes[from..to].iter().filter(|held| **held).count();
            if bad_end || (held > 0 && held < to - from) {
                fits.push(Fit::Contradiction);
                break;
            }
            if !more {
                end = Some(to as u32);
            }
            if held > 0 {
                fits.push(Fit::Duplicate);
                continue;
            }
            bytes[from..to].fill(true);
            fits.push(Fit::Added);
        }
        let complete = end.is_some_and(|end| bytes[..end as usize].iter().all(|held| *held));
        (fits, complete)
    }

    proptest! {
        #[test]
        fn agrees_with_one_flag_a_byte(
            pieces in prop::collection::vec((0u32..32, 1u32..6, any::<bool>()), 1..40)
        ) {
            let pieces: Vec<_> = pieces
                .into_iter()
                .map(|(offset, units, more)| (offset * 8, units * 8, more))
                .collect();
            let (expected, complete) = reference(&pieces);
            let (held, fits) = insert_all(&pieces[..expected.len()]);
            prop_assert_eq!(&fits, &expected);
            if fits.last() != Some(&Fit::Contradiction) {
                prop_assert_eq!(held.whole_bytes().is_some(), complete);
            }
        }
    }
}
