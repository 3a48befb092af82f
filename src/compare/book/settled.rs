//! A parcel that is over: what kind it is, and what of it each point saw.

use crate::compare::between::Shown;
use crate::compare::flight::Flight;
use crate::compare::parcel::{Mask, Parcel, Piece, UNKNOWN};
use crate::compare::shape::Place;
use crate::compare::sighting::{Form, UDP_HEADER};
use std::ops::Range;

/// Most packets that are shown of one that NICs cut or join.
const MAX_PARTS: usize = 4;

/// A parcel of which nothing more is to come.
#[derive(Clone, Copy)]
pub(super) struct Settled<'a> {
    pub flight: &'a Flight,
    pub parcel: &'a Parcel,
    /// By where they begin.
    pub pieces: &'a [u32],
}

impl<'a> Settled<'a> {
    pub fn piece(&self, at: u32) -> &'a Piece {
        self.flight.piece(at)
    }

    /// Whether NICs cut and join it: each of its packets is a datagram.
    pub fn is_stream(&self) -> bool {
        self.parcel.form == Form::Segment || self.parcel.is_super_udp
    }

    /// Whether a piece is an IP fragment.
    pub fn is_fragment(&self, piece: &Piece) -> bool {
        !self.is_stream() && (piece.offset, piece.bytes) != (0, self.parcel.length)
    }

    /// Where in its datagram a fragment is, by its number among the pieces.
    pub fn place(&self, number: u32, piece: &Piece) -> Option<Place> {
        let length = self.parcel.length;
        self.is_fragment(piece).then(|| Place {
            number,
            of: (length != UNKNOWN).then_some((piece.offset, length)),
            is_last: piece.end() == length,
        })
    }

    /// Whether some bytes were seen at some of these points, however they were cut.
    pub fn is_covered(&self, range: &Range<u32>, points: Mask) -> bool {
        if self.parcel.seen & points == 0 || self.pieces.len() < 2 {
            return false;
        }
        let mut reached = range.start;
        // Messages of a super-frame have headers of their own.
        if self.parcel.is_super_udp && reached == 0 {
            reached = UDP_HEADER;
        }
        for other in self.pieces.iter().map(|at| self.piece(*at)) {
            if reached >= range.end || other.offset > reached {
                break;
            }
            if other.seen & points != 0 {
                reached = reached.max(other.end());
            }
        }
        reached >= range.end
    }

    /// Whether a point saw some of the bytes of a piece.
    pub fn has_some_of(&self, point: usize, piece: &Piece) -> bool {
        let mut beside = self.beginning_before(piece.end());
        beside.any(|other| piece.offset < other.end() && other.seen & (1 << point) != 0)
    }

    /// The pieces that begin before some byte.
    fn beginning_before(&self, end: u32) -> impl Iterator<Item = &'a Piece> {
        let pieces = self.pieces.iter().map(|at| self.piece(*at));
        pieces.take_while(move |piece| piece.offset < end)
    }

    /// Whether these points saw all of a datagram that is in fragments somewhere.
    pub fn is_whole(&self, points: Mask) -> bool {
        let length = self.parcel.length;
        let may_be = !self.is_stream() && length != UNKNOWN && self.pieces.len() > 1;
        may_be && self.is_covered(&(0..length), points)
    }

    /// How many bytes of a piece some of these points have.
    pub fn bytes_of(&self, piece: &Piece, points: Mask) -> u32 {
        let (mut reached, mut bytes) = (piece.offset, 0);
        for other in self.beginning_before(piece.end()) {
            if other.seen & points != 0 {
                let (from, to) = (other.offset.max(reached), other.end().min(piece.end()));
                bytes += to.saturating_sub(from);
                reached = reached.max(to);
            }
        }
        bytes
    }

    /// A frame, and one of the same datagram from every other point that has some of it.
    pub fn with_others(&self, at: u32, point: usize) -> Vec<Shown> {
        let others = (0..self.flight.points).filter(|other| *other != point);
        let beside = others.filter_map(|other| {
            let mut pieces = self.pieces.iter();
            let piece = pieces.find(|at| self.piece(**at).seen & (1 << other) != 0)?;
            Some(self.shown(*piece, other))
        });
        std::iter::once(self.shown(at, point))
            .chain(beside)
            .collect()
    }

    /// The frame in which a point saw a piece.
    pub fn shown(&self, at: u32, point: usize) -> Shown {
        self.flight.seen(at, point).shown(point)
    }

    /// The same, and that in which it came once more.
    pub fn with_copy(&self, at: u32, point: usize) -> Vec<Shown> {
        let copy = self.flight.seen(at, point).copy();
        let copy = copy.map(|(frame, time)| Shown { point, frame, time });
        std::iter::once(self.shown(at, point)).chain(copy).collect()
    }

    /// The frames of a piece at the nearest points in front of one and behind it.
    pub fn around(&self, at: u32, point: usize) -> [Vec<Shown>; 2] {
        let is_seen = |other: &usize| self.piece(at).seen & (1 << *other) != 0;
        let in_front = (0..point).rev().find(is_seen);
        let behind = (point + 1..self.flight.points).find(is_seen);
        [in_front, behind].map(|nearest| {
            let shown = nearest.map(|nearest| self.shown(at, nearest));
            shown.into_iter().collect()
        })
    }

    /// The first frames in which a point saw it. Of a datagram one tells where the others are.
    pub fn first_of(&self, point: usize) -> Vec<Shown> {
        let most = if self.is_stream() { MAX_PARTS } else { 1 };
        let pieces = self.pieces.iter();
        let seen = pieces.filter(|at| self.piece(**at).seen & (1 << point) != 0);
        let mut frames: Vec<Shown> = seen.map(|at| self.shown(*at, point)).collect();
        frames.dedup();
        frames.truncate(most);
        frames
    }
}
