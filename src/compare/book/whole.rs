//! Whether a parcel passed whole between two points, and whether it was cut in another way.

use super::settled::Settled;
use super::view::Sides;
use crate::compare::between::{Between, Count};
use crate::compare::examples::Oddity;
use crate::compare::in_fragments::Left;
use crate::compare::parcel::{Parcel, Piece};
use crate::compare::shape::Fate;
use crate::compare::sighting::Share;

/// What pieces add up to.
#[derive(Default)]
pub(super) struct Whole {
    front: u32,
    back: u32,
    lost: [u32; 2],
    only_front: u32,
    only_back: u32,
    largest: [u32; 2],
    /// Whether some of it is a fragment where it entered, in front and behind.
    is_in_fragments: [bool; 2],
    /// Up to where everything entered.
    reach: [u32; 2],
    /// What of it was lost.
    gone: [Count; 2],
    /// Whether any of it is more than the rest of another.
    begins: [bool; 2],
    /// Whether a frame that begins there goes on where that of the other side has ended.
    goes_on: [bool; 2],
    /// Whether some of it passed when the other side did not capture.
    pub is_cut_off: bool,
    /// Whether any of it has other bytes behind than in front, or a checksum that went wrong
    /// going forward, and going back.
    pub is_spoiled: [bool; 2],
}

impl Whole {
    /// Takes in one of them.
    pub fn note(&mut self, piece: &Piece, parcel: &Parcel, sides: Sides, fate: Fate) {
        self.note_entered(piece, parcel, [sides.is_front, sides.is_back]);
        let Sides {
            is_front, is_back, ..
        } = sides;
        let is_more = piece.end() != parcel.length;
        self.begins[0] |= is_front && sides.shares[0] != Share::Rest;
        self.begins[1] |= is_back && sides.shares[1] != Share::Rest;
        if is_front && is_back {
            let [front, back] = sides.shares.map(|share| share == Share::Begin);
            self.goes_on[0] |= front && !back;
            self.goes_on[1] |= back && !front;
        }
        if is_front {
            self.front += 1;
            self.largest[0] = self.largest[0].max(if is_more { piece.ip_bytes } else { 0 });
        }
        if is_back {
            self.back += 1;
            self.largest[1] = self.largest[1].max(if is_more { piece.ip_bytes } else { 0 });
        }
        self.only_front += u32::from(is_front && !is_back);
        self.only_back += u32::from(is_back && !is_front);
        self.lost[0] += u32::from(fate == Fate::Front);
        self.lost[1] += u32::from(fate == Fate::Back);
        if fate != Fate::Both {
            self.gone[fate.side()] += Count::of_fragment(piece.ip_bytes);
        }
    }

    /// Pieces come by where they begin.
    fn note_entered(&mut self, piece: &Piece, parcel: &Parcel, is_on: [bool; 2]) {
        let is_fragment = (piece.offset, piece.bytes) != (0, parcel.length);
        for side in (0..2).filter(|side| is_on[*side]) {
            self.is_in_fragments[side] |= is_fragment;
            if piece.offset <= self.reach[side] {
                self.reach[side] = self.reach[side].max(piece.end());
            }
        }
    }

    /// Writes down what they were; gives what of it is to be shown.
    pub fn write(
        &self,
        settled: &Settled<'_>,
        between: &mut Between,
    ) -> [Option<(Oddity, usize)>; 2] {
        let is_stream = settled.is_stream();
        if !is_stream && !self.is_cut_off {
            self.write_datagram(settled.parcel, between);
        }
        // Cut in another way: pieces of either side alone that are no losses.
        let is_recut = self.only_front > self.lost[0] || self.only_back > self.lost[1];
        let is_recut = is_recut && self.front > 0 && self.back > 0;
        let is_piece_in_front = self.front > 1 || self.largest[0] > 0;
        let is_piece_behind = self.back > 1 || self.largest[1] > 0;
        if is_stream {
            let is_cut = self.goes_on[0] || (is_recut && !is_piece_in_front);
            let is_joined = self.goes_on[1] || (is_recut && is_piece_in_front && !is_piece_behind);
            between.segmented += u64::from(is_cut && self.begins[0]);
            between.coalesced += u64::from(is_joined && self.begins[1]);
            return [
                (is_cut && self.begins[0]).then_some((Oddity::Segmented, 0)),
                (is_joined && self.begins[1]).then_some((Oddity::Segmented, 1)),
            ];
        }
        if !is_recut {
            return [None; 2];
        }
        for (known, largest) in between.largest_fragment.iter_mut().zip(self.largest) {
            *known = (*known).max(largest);
        }
        let (count, what) = match (is_piece_in_front, is_piece_behind) {
            (false, _) => (&mut between.fragmented, (Oddity::Fragmented, 0)),
            (_, false) => (&mut between.reassembled, (Oddity::Fragmented, 1)),
            (true, true) => (&mut between.refragmented, (Oddity::Refragmented, 0)),
        };
        *count += 1;
        [Some(what), None]
    }

    /// Whether all of a datagram that entered on either side left on the other, and how.
    fn write_datagram(&self, parcel: &Parcel, between: &mut Between) {
        let passed = [
            self.begins[0] && self.back > 0 && self.lost[0] == 0,
            self.begins[1] && self.front > 0 && self.lost[1] == 0,
        ];
        between.front.datagrams += u64::from(self.begins[0]);
        between.front_passed.datagrams += u64::from(passed[0]);
        between.back.datagrams += u64::from(self.begins[1]);
        between.back_passed.datagrams += u64::from(passed[1]);
        let [forward, back] = [0, 1].map(|way| passed[way] && self.is_spoiled[way]);
        between.spoiled([forward, back], 1);
        for (side, has_passed) in passed.into_iter().enumerate() {
            if self.begins[side] && self.is_in_fragments[side] {
                let is_whole = self.reach[side] == parcel.length;
                let left = between.in_fragments[side].of(is_whole);
                self.write_left(side, has_passed, left);
            }
        }
    }

    /// How much of it left that had entered on one side.
    fn write_left(&self, side: usize, has_passed: bool, left: &mut Left) {
        let on_the_other = [self.back, self.front][side];
        if has_passed {
            left.all += 1;
        } else if on_the_other > 0 {
            left.some += 1;
        } else {
            left.none += self.gone[side];
            left.none.datagrams += 1;
        }
    }
}
