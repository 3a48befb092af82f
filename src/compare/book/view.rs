//! What of a parcel was seen on either side of two points, and what became of it in between.

use super::settled::Settled;
use crate::compare::flight::Flight;
use crate::compare::parcel::{Mask, Piece};
use crate::compare::shape::Fate;
use crate::compare::sighting::Share;
use crate::model::{Duration, Timestamp};

/// Near the end of a capture, what is slow may not have come yet.
const NEAR: Duration = Duration::from_secs(1);

/// How a parcel is seen between two points.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub pair: usize,
    pub front: usize,
    pub back: usize,
    /// Points in front of the pair, and behind, their own included.
    pub in_front: Mask,
    pub behind: Mask,
}

impl View {
    /// Of the pair of this number, between these points.
    pub fn of(pair: usize, (front, back): (usize, usize)) -> Self {
        Self {
            pair,
            front,
            back,
            in_front: ((1_u32 << (front + 1)) - 1) as Mask,
            behind: !(((1_u32 << back) - 1) as Mask),
        }
    }

    /// Whether the nearest points on both sides have a piece.
    pub fn is_seen_by_both(&self, piece: &Piece) -> bool {
        let both: Mask = 1 << self.front | 1 << self.back;
        piece.seen & both == both
    }

    /// Whether the bytes of a piece are others at one of the two points.
    pub fn is_damaged_between(&self, piece: &Piece) -> bool {
        let both: Mask = 1 << self.front | 1 << self.back;
        (piece.damaged & both).count_ones() == 1
    }

    /// Whether the side where something is missing does not know its flow at all.
    pub fn is_single(&self, flight: &Flight, flow: u32, fate: Fate) -> bool {
        let points = flight.paths.get(flow).points;
        match fate {
            Fate::Both => false,
            Fate::Front => points & self.behind == 0,
            Fate::Back => points & self.in_front == 0,
        }
    }

    /// Whether that side may have had no room for it.
    pub fn is_refused(&self, flight: &Flight, flow: u32, fate: Fate) -> bool {
        let there = match fate {
            Fate::Both => return false,
            Fate::Front => self.behind,
            Fate::Back => self.in_front,
        };
        self.is_single(flight, flow, fate) && flight.is_refused(flow, there)
    }

    /// The point that saw what fared so, the one in front if both did.
    pub fn side(&self, fate: Fate) -> usize {
        match fate {
            Fate::Back => self.back,
            Fate::Front | Fate::Both => self.front,
        }
    }
}

/// The sides of a pair of points on which a piece was seen.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub is_front: bool,
    pub is_back: bool,
    /// What of a frame it was there; all of it where only a point further off saw it.
    pub shares: [Share; 2],
}

impl Sides {
    /// A point further off stands for the nearest where that has nothing in its place: what
    /// it saw cut in another way is counted by that cut.
    pub fn of(settled: &Settled<'_>, at: u32, view: &View) -> Self {
        let (flight, piece) = (settled.flight, settled.piece(at));
        let is_here = |point: usize| piece.seen & (1 << point) != 0;
        let is_cut_otherwise = |point: usize| settled.has_some_of(point, piece);
        let is_on = |side: Mask, nearest: usize| {
            is_here(nearest) || (piece.seen & side != 0 && !is_cut_otherwise(nearest))
        };
        let share = |nearest: usize| match is_here(nearest) {
            true => flight.seen(at, nearest).share,
            false => Share::All,
        };
        Self {
            is_front: is_on(view.in_front, view.front),
            is_back: is_on(view.behind, view.back),
            shares: [share(view.front), share(view.back)],
        }
    }

    /// What became of a piece between two points; `None` if it has nothing to do with them.
    pub fn fate(self, settled: &Settled<'_>, piece: &Piece, view: &View) -> Option<Fate> {
        let passed = |side: Mask| settled.is_covered(&piece.range(), side);
        match (self.is_front, self.is_back) {
            (true, true) => Some(Fate::Both),
            (true, false) if piece.seen & (1 << view.front) != 0 => match passed(view.behind) {
                true => Some(Fate::Both),
                false => Some(Fate::Front),
            },
            (false, true) if piece.seen & (1 << view.back) != 0 => match passed(view.in_front) {
                true => Some(Fate::Both),
                false => Some(Fate::Back),
            },
            _ => None,
        }
    }

    /// A piece that was cut in another way on the other side is counted on its own: where it
    /// entered.
    pub fn is_counted_here(self, fate: Fate, is_backward: bool) -> bool {
        let (has_entered, share) = match is_backward {
            false => (self.is_front, self.shares[0]),
            true => (self.is_back, self.shares[1]),
        };
        fate != Fate::Both || (has_entered && share != Share::Rest)
    }
}

/// Whether the capture on the other side went on when a piece passed that it has not.
pub(super) fn is_judged(
    settled: &Settled<'_>,
    at: u32,
    view: &View,
    fate: Fate,
    slow: impl FnOnce() -> Duration,
) -> bool {
    let flight = settled.flight;
    let (here, other) = match fate {
        Fate::Both => return stand_ins_are_right(settled, at, view),
        Fate::Front => (view.front, view.back),
        Fate::Back => (view.back, view.front),
    };
    goes_on(flight, (here, flight.seen(at, here).time), other, slow)
}

/// Whether the captures of two points went on when a piece passed both, as far as points further
/// off stand for them.
fn stand_ins_are_right(settled: &Settled<'_>, at: u32, view: &View) -> bool {
    let (flight, piece) = (settled.flight, settled.piece(at));
    let is_right = |point: usize| {
        piece.seen & (1 << point) != 0
            || settled.has_some_of(point, piece)
            || captured(flight, at, point)
    };
    is_right(view.front) && is_right(view.back)
}

/// Whether a point captured when others saw a piece, in front of it as well as behind: in between
/// it passed.
pub(super) fn captured(flight: &Flight, at: u32, point: usize) -> bool {
    let saw = |other: &usize| flight.piece(at).seen & (1 << *other) != 0;
    let in_front = (0..point).rev().find(saw);
    let behind = (point + 1..flight.points).find(saw);
    let mut nearest = in_front.into_iter().chain(behind);
    nearest.all(|other| {
        let time = flight.seen(at, other).time;
        goes_on(flight, (other, time), point, || Duration(0))
    })
}

/// Whether the capture of another point went on around the time at which one saw something,
/// by the clock of that.
pub(super) fn goes_on(
    flight: &Flight,
    (here, time): (usize, Timestamp),
    other: usize,
    slow: impl FnOnce() -> Duration,
) -> bool {
    goes_on_for(flight, (here, time), other, slow).is_some()
}

/// For how long that surely stays so; `None` if it did not go on.
pub(super) fn goes_on_for(
    flight: &Flight,
    (here, time): (usize, Timestamp),
    other: usize,
    slow: impl FnOnce() -> Duration,
) -> Option<Duration> {
    let (from, until) = flight.spans[other]?;
    let time = flight.clocks[here].to_reference(time);
    let clock = &flight.clocks[other];
    let since = time - clock.to_reference(from);
    let left = clock.to_reference(until) - time;
    let least = since.min(left);
    // At the very time of the first or the last frame it may have passed before or behind.
    let is_within = least.0 > 0 || (least.0 == 0 && from == until);
    let needed = if least >= NEAR { NEAR } else { slow() };
    let rest = left - needed;
    // Clocks do not go alike, but nearly.
    (is_within && least >= needed).then_some(Duration(rest.0 - rest.0 / 1024))
}
