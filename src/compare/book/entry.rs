//! What became of one parcel between two points is written into the account of its flow.

use super::series::{Fared, Series};
use super::settled::Settled;
use super::view::{Sides, View, is_judged};
use super::whole::Whole;
use crate::compare::between::{Between, Count, MAX_PAIRS, Pair, broken};
use crate::compare::delay::DelaysOf;
use crate::compare::examples::most_of;
use crate::compare::parcel::{Piece, Seen};
use crate::compare::shape::Fate;
use crate::compare::sighting::Share;

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
    /// Whether it is counted on its own.
    is_counted: bool,
}

impl Entry<'_> {
    pub fn write(&mut self, settled: &Settled<'_>, view: &View) {
        let mut whole = Whole::default();
        // Each side has cut it in its own way.
        let mut numbers = [0, 0];
        let flow = settled.flight.paths.resolve(settled.parcel.flow);
        let is_backward = settled.flight.is_backward(flow);
        for at in settled.pieces {
            let (at, piece) = (*at, settled.piece(*at));
            let sides = Sides::of(settled, at, view);
            let number_on = numbers;
            numbers[0] += u32::from(sides.is_front);
            numbers[1] += u32::from(sides.is_back);
            let Some(fate) = sides.fate(settled, piece, view) else {
                continue;
            };
            let slow = || self.delays.slow(self.number, view.pair);
            if !is_judged(settled, at, view, fate, slow)
                || view.is_refused(settled.flight, flow, fate)
            {
                self.between.outside[fate.side()] += 1;
                whole.is_cut_off = true;
                continue;
            }
            let crossing = Crossing {
                at,
                piece,
                sides,
                fate,
                is_counted: sides.is_counted_here(fate, is_backward),
            };
            whole.note(piece, settled.parcel, sides, fate);
            self.count(settled, &crossing);
            if settled.is_stream() {
                self.add_part(settled, &crossing, view);
            }
            if crossing.is_counted {
                // What passed has its number where it entered.
                let side = match fate {
                    Fate::Both => usize::from(is_backward),
                    fate => fate.side(),
                };
                self.tell_fate(settled, &crossing, view, number_on[side]);
            }
            if view.is_seen_by_both(piece) {
                self.tell_changes(settled, at, view);
                self.tell_spoiled(settled, &crossing, view, &mut whole);
            }
        }
        if settled.pieces.len() > 1 {
            self.tell_recut(settled, view);
        }
        self.tell_losses();
        let shown = whole.write(settled, self.between);
        for what in shown.into_iter().flatten() {
            self.between.examples.keep(what, most_of(self.number), || {
                [view.front, view.back].map(|point| settled.first_of(point))
            });
        }
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
            let single = is_single.then_some(self.number);
            self.series.count_lone(single, fared, parcel.first);
        }
        if fate == Fate::Both {
            return;
        }
        let side = view.side(fate);
        match parcel.tells_time {
            true => self.losses.push((flight.seen(at, side).order, fate)),
            false => self.between.shape.lose_alike(fate),
        }
        self.between
            .show_alone(fate, || settled.with_others(at, side));
    }

    /// Tells how a piece that both points saw is another at the second, and how long it took.
    fn tell_changes(&mut self, settled: &Settled<'_>, at: u32, view: &View) {
        let (flight, parcel) = (settled.flight, settled.parcel);
        let (front, back) = (flight.seen(at, view.front), flight.seen(at, view.back));
        self.between.changed(&front.look, &back.look, 1);
        let most = most_of(self.number);
        let ends = [view.front, view.back];
        let as_seen = || ends.map(|point| vec![settled.shown(at, point)]);
        let is_damaged = self.tell_damage(settled, at, view);
        if let Some(what) = front.look.checksum_became(&back.look)
            && !is_damaged
        {
            self.between.examples.keep(what, most, as_seen);
        }
        self.between.copied(front.copies, back.copies, most, || {
            ends.map(|point| settled.with_copy(at, point))
        });
        let reordered = settled.piece(at).reordered >> (2 * view.pair);
        self.between.overtaken(reordered, most, as_seen);
        if parcel.tells_time {
            self.tell_delay(settled, view, (front, back));
        }
    }

    /// Tells how long something took that both points saw, cut in different ways.
    fn tell_recut(&mut self, settled: &Settled<'_>, view: &View) {
        let (flight, parcel) = (settled.flight, settled.parcel);
        let is_backward = flight.is_backward(flight.paths.resolve(parcel.flow));
        let ends = (view.front, view.back);
        if let Some(recut) = flight.recut(parcel, ends, is_backward) {
            self.tell_delay(settled, view, (recut.front, recut.back));
        }
    }

    fn tell_delay(&mut self, settled: &Settled<'_>, view: &View, (front, back): (&Seen, &Seen)) {
        let is_kept = !settled.parcel.is_carrier || self.delays.has_own(self.number);
        if !is_kept {
            return;
        }
        if let Some(delays) = self.delays.of(self.number, view.pair) {
            let took = settled.flight.took((view.front, view.back), front, back);
            delays.record(took, 1);
        }
    }

    /// Notes that a piece is of no use where it left: of a datagram it spoils all, of a stream
    /// itself.
    fn tell_spoiled(
        &mut self,
        settled: &Settled<'_>,
        crossing: &Crossing<'_>,
        view: &View,
        whole: &mut Whole,
    ) {
        let [front, back] =
            [view.front, view.back].map(|point| settled.flight.seen(crossing.at, point).look);
        let is_damaged = view.is_damaged_between(crossing.piece);
        let ways = broken(&front, &back).map(|is_broken| is_broken || is_damaged);
        if settled.is_stream() {
            self.between
                .spoiled(ways.map(|way| way && crossing.is_counted), 1);
        } else {
            whole.is_spoiled[0] |= ways[0];
            whole.is_spoiled[1] |= ways[1];
        }
    }

    /// Notes a packet whose bytes are others at one of two points; says whether they are.
    fn tell_damage(&mut self, settled: &Settled<'_>, at: u32, view: &View) -> bool {
        if !view.is_damaged_between(settled.piece(at)) {
            return false;
        }
        self.between.corrupted += 1;
        if self.between.damaged.len() < MAX_PAIRS {
            self.between.damaged.push(Pair {
                front: settled.shown(at, view.front),
                back: settled.shown(at, view.back),
            });
        }
        true
    }

    /// Tells of losses in the order in which they were sent, whatever their places are.
    fn tell_losses(&mut self) {
        self.losses.sort_unstable_by_key(|(order, _)| *order);
        for (order, fate) in self.losses.drain(..) {
            self.between.shape.lose(fate, order);
        }
    }
}
