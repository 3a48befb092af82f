//! What became of one parcel between two points is written into the account of its flow.

use super::series::{Fared, Series};
use super::settled::Settled;
use super::view::{Sides, View, is_judged};
use super::whole::Whole;
use crate::compare::between::{Between, Count, MAX_PAIRS, Pair};
use crate::compare::delay::DelaysOf;
use crate::compare::parcel::Piece;
use crate::compare::shape::Fate;
use crate::compare::sighting::{Form, Share};

/// Where that is written.
pub(super) struct Entry<'a> {
    pub between: &'a mut Between,
    pub series: &'a mut Series,
    pub delays: &'a mut DelaysOf,
    /// Losses of the parcel, with their places among those sent.
    pub losses: &'a mut Vec<(u32, Fate)>,
    /// The number of the account.
    pub number: usize,
}

/// What became of a piece.
struct Crossing<'a> {
    at: u32,
    piece: &'a Piece,
    sides: Sides,
    fate: Fate,
}

impl Entry<'_> {
    pub fn write(&mut self, settled: &Settled<'_>, view: &View) {
        let mut whole = Whole::default();
        for (number, at) in (0..).zip(settled.pieces) {
            let (at, piece) = (*at, settled.piece(*at));
            let sides = Sides::of(settled, at, view);
            let Some(fate) = sides.fate(settled, piece, view) else {
                continue;
            };
            let slow = || self.delays.slow(self.number, view.pair);
            if !is_judged(settled.flight, at, view, fate, slow) {
                self.between.outside[fate.side()] += 1;
                whole.is_cut_off = true;
                continue;
            }
            let crossing = Crossing {
                at,
                piece,
                sides,
                fate,
            };
            whole.note(piece, settled.parcel, sides, fate);
            self.count(settled, &crossing);
            if settled.is_stream() {
                self.add_part(settled, &crossing, view);
            }
            if sides.is_counted_here(fate) {
                self.tell_fate(settled, &crossing, view, number);
            }
            if view.is_seen_by_both(piece) {
                self.tell_changes(settled, at, view);
            }
        }
        self.tell_losses();
        whole.write(settled.is_stream(), self.between);
        for (side, points) in [view.in_front, view.behind].into_iter().enumerate() {
            self.between.whole[side] += u64::from(settled.is_whole(points));
        }
    }

    /// Counts a piece on the sides where it was seen.
    fn count(&mut self, settled: &Settled<'_>, crossing: &Crossing<'_>) {
        let (sides, piece) = (crossing.sides, crossing.piece);
        let [front, back] = sides.shares.map(|share| {
            let (packets, bytes) = piece.counted(share == Share::Rest);
            Count {
                datagrams: match settled.is_stream() {
                    true => packets.into(),
                    false => 0,
                },
                packets: packets.into(),
                fragments: settled.is_fragment(piece).into(),
                bytes: bytes.into(),
            }
        });
        let has_passed = crossing.fate == Fate::Both;
        if sides.is_front {
            self.between.front += front;
            if has_passed {
                self.between.front_passed += front;
            }
        }
        if sides.is_back {
            self.between.back += back;
            if has_passed {
                self.between.back_passed += back;
            }
        }
    }

    /// Of a super-frame some may arrive: what is lost is what no other point has.
    fn add_part(&mut self, settled: &Settled<'_>, crossing: &Crossing<'_>, view: &View) {
        let (points, passed) = match crossing.fate {
            Fate::Both => return,
            Fate::Front => (view.behind, &mut self.between.front_passed),
            Fate::Back => (view.in_front, &mut self.between.back_passed),
        };
        let piece = crossing.piece;
        let bytes = settled.bytes_of(piece, points).min(piece.ip_bytes);
        passed.bytes += u64::from(bytes);
    }

    /// Tells what shape losses have, and when they are.
    fn tell_fate(
        &mut self,
        settled: &Settled<'_>,
        crossing: &Crossing<'_>,
        view: &View,
        number: u32,
    ) {
        let Crossing {
            at, piece, fate, ..
        } = *crossing;
        let (flight, parcel) = (settled.flight, settled.parcel);
        let place = settled.place(number, piece);
        self.between.shape.count(fate, piece.ip_bytes, place);
        if !parcel.is_carrier {
            let flow = flight.paths.resolve(parcel.flow);
            let fared = Fared::of(fate, flight.is_backward(flow), 1);
            let is_single = view.is_single(flight, flow, fate);
            self.series.count_lone(is_single, fared, parcel.first);
        }
        if fate == Fate::Both {
            return;
        }
        let side = view.side(fate);
        self.losses.push((flight.seen(at, side).order, fate));
        self.between
            .show_alone(fate, || settled.with_others(at, side));
    }

    /// Tells how a piece that both points saw is another at the second, and how long it took.
    fn tell_changes(&mut self, settled: &Settled<'_>, at: u32, view: &View) {
        let (flight, parcel) = (settled.flight, settled.parcel);
        let (front, back) = (flight.seen(at, view.front), flight.seen(at, view.back));
        self.tell_damage(settled, at, view);
        self.between.changed(&front.look, &back.look, 1);
        self.between.copied(front.copies, back.copies);
        let reordered = settled.piece(at).reordered >> (2 * view.pair);
        self.between.overtaken(reordered);
        let can_be_told = parcel.has_identity || parcel.form == Form::Segment;
        let is_kept = !parcel.is_carrier || self.delays.has_own(self.number);
        if !can_be_told || !is_kept {
            return;
        }
        if let Some(delays) = self.delays.of(self.number, view.pair) {
            delays.record(flight.took((view.front, view.back), front, back), 1);
        }
    }

    /// Notes a packet whose bytes are others at one of two points.
    fn tell_damage(&mut self, settled: &Settled<'_>, at: u32, view: &View) {
        let damage = settled.piece(at).damaged & (1 << view.front | 1 << view.back);
        if damage.count_ones() != 1 {
            return;
        }
        self.between.corrupted += 1;
        if self.between.damaged.len() < MAX_PAIRS {
            self.between.damaged.push(Pair {
                front: settled.shown(at, view.front),
                back: settled.shown(at, view.back),
            });
        }
    }

    /// Tells of losses in the order in which they were sent, whatever their places are.
    fn tell_losses(&mut self) {
        self.losses.sort_unstable_by_key(|(order, _)| *order);
        for (order, fate) in self.losses.drain(..) {
            self.between.shape.lose(fate, order);
        }
    }
}
