//! What two points have cut in different ways: fragments that were put together on the way, or
//! made there. No packet of it is at both, but all of it passed.

use super::clocks::is_beside;
use super::{Flight, bit};
use crate::compare::parcel::{Parcel, Piece, Seen};
use crate::compare::sighting::Form;
use crate::compare::slab::NONE;

/// What one point saw of a parcel.
#[derive(Clone, Copy, Default)]
struct Cut<'a> {
    /// What it begins with.
    begin: Option<&'a Seen>,
    first: Option<&'a Seen>,
    last: Option<&'a Seen>,
    bytes: u32,
    is_whole: bool,
}

impl<'a> Cut<'a> {
    fn take(&mut self, piece: &Piece, seen: &'a Seen, parcel: &Parcel) {
        if piece.offset == 0 {
            self.begin = Some(seen);
            self.is_whole |= piece.end() == parcel.length;
        }
        self.bytes = self.bytes.saturating_add(piece.bytes);
        if self.first.is_none_or(|first| seen.time < first.time) {
            self.first = Some(seen);
        }
        if self.last.is_none_or(|last| seen.time >= last.time) {
            self.last = Some(seen);
        }
    }

    /// When what came in this way could leave in another: what is whole there has to wait for
    /// all of it.
    fn entered(&self, left: &Self, parcel: &Parcel) -> Option<&'a Seen> {
        let is_all_here = self.bytes >= parcel.length;
        match self.waits_for(left) {
            true => self.last.filter(|_| is_all_here),
            false => self.begin,
        }
    }

    /// Whether what came in this way was put together before it left.
    fn waits_for(&self, left: &Self) -> bool {
        left.is_whole && !self.is_whole
    }

    /// When what came in another way left in this: the first of what was cut, in whatever order.
    fn left(&self, entered: &Self) -> Option<&'a Seen> {
        match entered.is_whole {
            true => self.begin.and(self.first),
            false => self.begin,
        }
    }
}

/// How two points saw what they have cut in different ways.
pub(in crate::compare) struct Recut<'a> {
    /// When it entered at the one, and left at the other.
    pub front: &'a Seen,
    pub back: &'a Seen,
    /// Whether it was put together in between.
    is_joined: bool,
}

impl Flight {
    /// How two points saw a parcel that they have cut in different ways; `None` if they have
    /// packets in common, or it cannot be told.
    pub(in crate::compare) fn recut(
        &self,
        parcel: &Parcel,
        (front, back): (usize, usize),
        is_backward: bool,
    ) -> Option<Recut<'_>> {
        let both = bit(front) | bit(back);
        // What a NIC cuts is found best in the order in which it went. A clock that rests on a
        // frame that took long would put faster ones in front of theirs, for good.
        let is_cut_by_nic = parcel.is_super_udp || parcel.form == Form::Segment;
        if parcel.seen & both != both || is_cut_by_nic {
            return None;
        }
        let mut cuts = [Cut::default(); 2];
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.seen & both == both || piece.damaged & both != 0 {
                return None;
            }
            for (cut, point) in cuts.iter_mut().zip([front, back]) {
                if piece.seen & bit(point) != 0 {
                    cut.take(piece, self.seen(at, point), parcel);
                }
            }
            at = piece.next;
        }
        let [front, back] = &cuts;
        Some(match is_backward {
            false => Recut {
                front: front.entered(back, parcel)?,
                back: back.left(front)?,
                is_joined: front.waits_for(back),
            },
            true => Recut {
                front: front.left(back)?,
                back: back.entered(front, parcel)?,
                is_joined: back.waits_for(front),
            },
        })
    }

    /// What comes to a point may be what others have cut in another way: that tells as much of
    /// clocks and ways as a packet that all have. It is told once: by what begins it, or by the
    /// last fragment of what is known to be put together further on.
    pub(super) fn learn_recut(&mut self, point: usize, number: u32, piece: u32, flow: u32) {
        let parcel = self.parcels[number];
        let begins = self.pieces[piece].offset == 0;
        let is_backward = self.is_backward(flow);
        for other in self.others(point) {
            let ends = (point.min(other), point.max(other));
            let enters = (point > other) == is_backward;
            // To ask that of each fragment means to look at all of its datagram.
            if !(begins || enters) {
                continue;
            }
            let recut = self.recut(&parcel, ends, is_backward);
            let told = recut.filter(|recut| begins || recut.is_joined);
            if let Some((front, back)) = told.map(|recut| (*recut.front, *recut.back)) {
                self.learn_of_both((ends.0, &front), (ends.1, &back), flow);
            }
        }
    }

    fn learn_of_both(
        &mut self,
        (front, entered): (usize, &Seen),
        (back, left): (usize, &Seen),
        flow: u32,
    ) {
        let steps = (entered.look.hop_limit, left.look.hop_limit);
        self.paths.get_mut(flow).learn(steps.0, steps.1, false);
        let is_backward = self.is_backward(flow);
        let (front, back) = ((front, entered.time), (back, left.time));
        self.set_one_by_other(front, back, is_backward);
        if is_beside(front.0, back.0) {
            self.set_beside(front, back, is_backward);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::{Batch, Form, Sighting, example};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag, Timestamp};

    /// Two points that know the packets of one flow, and its fragments.
    fn flight() -> Flight {
        let mut flight = of_two_points();
        let lane = FlowKey {
            addresses: Addresses::default(),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        let batch = Batch {
            lanes: vec![lane],
            bases: vec![(0, 0)],
            ..Batch::default()
        };
        (0..2).for_each(|point| flight.meet(point, &batch));
        flight
            .spans
            .fill(Some((Timestamp(0), Timestamp(1_000_000_000))));
        flight
    }

    fn whole(id: u32, time: i64) -> Sighting {
        Sighting {
            time: Timestamp(time),
            bytes: 3_000,
            ip_bytes: 3_020,
            ..example(id)
        }
    }

    fn fragments(id: u32, time: i64) -> [Sighting; 3] {
        [0, 1, 2].map(|number| Sighting {
            form: Form::Piece,
            offset: number * 1_000,
            bytes: 1_000,
            more: number < 2,
            ip_bytes: 1_020,
            time: Timestamp(time + i64::from(number) * 2_000),
            ..example(id)
        })
    }

    /// How far the second clock is ahead, and how many packets tell it.
    fn clock_of(front: &[Sighting], back: &[Sighting], goes_back: bool) -> (i64, u64) {
        let mut flight = flight();
        let key = |point: usize| (point, Addresses::default());
        flight
            .backward
            .extend([(key(0), goes_back), (key(1), goes_back)]);
        let all = [front, back].into_iter().enumerate();
        let mut all: Vec<(usize, &Sighting)> = all
            .flat_map(|(point, seen)| seen.iter().map(move |seen| (point, seen)))
            .collect();
        all.sort_by_key(|(_, seen)| seen.time);
        for (point, seen) in all {
            flight.take(point, seen, seen.time);
        }
        flight.clocks[1].fit();
        let clock = &flight.clocks[1];
        (clock.offset().0, clock.matched.iter().sum())
    }

    #[test]
    fn what_is_whole_behind_its_fragments_left_once_the_last_was_there() {
        let told = clock_of(&fragments(1, 10_000), &[whole(1, 17_000)], false);
        assert_eq!(told, (3_000, 1));
    }

    /// As it seems where the clock behind is about known, by first fragments.
    #[test]
    fn the_last_fragment_may_come_after_what_was_made_of_it() {
        let told = clock_of(&fragments(1, 10_000), &[whole(1, 11_000)], false);
        assert_eq!(told, (-3_000, 1));
        let told = clock_of(&[whole(1, 11_000)], &fragments(1, 10_000), true);
        assert_eq!(told, (3_000, 1));
    }

    #[test]
    fn what_is_cut_leaves_with_its_first_fragment() {
        let told = clock_of(&[whole(1, 10_000)], &fragments(1, 12_000), false);
        assert_eq!(told, (2_000, 1));
        let mut turned = fragments(1, 12_000);
        turned.reverse();
        turned
            .iter_mut()
            .zip(fragments(1, 12_000))
            .for_each(|(one, other)| one.time = other.time);
        assert_eq!(clock_of(&[whole(1, 10_000)], &turned, false), (2_000, 1));
    }

    #[test]
    fn going_back_it_is_the_other_way_around() {
        let told = clock_of(&[whole(1, 17_000)], &fragments(1, 10_000), true);
        assert_eq!(told, (-3_000, 1));
        let told = clock_of(&fragments(1, 12_000), &[whole(1, 10_000)], true);
        assert_eq!(told, (-2_000, 1));
    }

    /// How many datagrams are still under way a second after one came to both points, and of how
    /// many packets of the first both had what is in them: a copy comes 100 ms later.
    fn left_a_second_later(front: &[Sighting], back: &[Sighting]) -> (usize, u64) {
        let mut flight = flight();
        for (point, seen) in [front, back].into_iter().enumerate() {
            for seen in seen {
                flight.take(point, seen, Timestamp(1_000_000));
            }
        }
        if let Some(copy) = front.first() {
            flight.take(0, copy, Timestamp(101_000_000));
        }
        flight.pass(Timestamp(1_001_000_000));
        let left = flight.parcels.len();
        flight.finish();
        (left, flight.take_book().tallies[0].matched)
    }

    #[test]
    fn what_all_have_in_whatever_cut_is_over_soon() {
        let (cut, whole) = (fragments(1, 10_000), [whole(1, 17_000)]);
        assert_eq!(left_a_second_later(&cut, &whole), (0, 3));
        assert_eq!(left_a_second_later(&whole, &cut), (0, 1));
        // The rest of it may come.
        assert_eq!(left_a_second_later(&cut[..2], &whole).0, 1);
        assert_eq!(left_a_second_later(&cut, &cut[..2]).0, 1);
    }

    #[test]
    fn fragments_of_which_some_are_missing_tell_nothing() {
        let told = clock_of(&fragments(1, 10_000)[..2], &[whole(1, 17_000)], false);
        assert_eq!(told.1, 0);
    }
}
