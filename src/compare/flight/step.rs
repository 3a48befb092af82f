//! Sightings of flows in step, and how flows fall out of it.

use super::clocks::Trust;
use super::find::Fit;
use super::stray::Held;
use super::{Arrival, Due, Flight, SUPER_BYTES, apart, bit, pairs};
use crate::compare::book::{Book, Passed};
use crate::compare::march::{Step, Waiting};
use crate::compare::parcel::Seen;
use crate::compare::recent::Before;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::{Duration, Protocol};

/// Copies come within this time.
pub(super) const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// What a sighting is to others of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// There are none.
    New,
    /// It came again after every point had seen it.
    Copy,
    /// It may be that, or damaged, or another.
    Unclear,
}

impl Flight {
    /// Takes a sighting that is what its point is to see next of its flow, or the first of
    /// it; anything else is to be looked for among all that is under way, for which all
    /// that waits of its flow falls out of step.
    pub(super) fn in_step(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        if self.may_march(sighting, flow) {
            match self.march.step(point, flow, sighting) {
                Step::Expected { place, passed_over } => {
                    for _ in 0..passed_over {
                        self.falls_out(self.march.expected(point, flow));
                    }
                    self.see_in_step(arrival, place);
                    return true;
                }
                Step::Ahead if self.lead(arrival, flow) => return true,
                Step::Astray if self.join_same(arrival, flow) => return true,
                Step::Astray if self.told(arrival, flow) == Told::Copy => {
                    return true;
                }
                Step::Ahead | Step::Astray => {}
            }
        }
        self.fall_out(flow);
        false
    }

    /// Whether others have seen already what a point takes next.
    pub fn is_expected(&self, point: usize, sighting: &Sighting) -> bool {
        let flow = self.paths.bound_to(point, sighting.lane);
        flow != NONE
            && self.march.waits(flow)
            && matches!(
                self.march.step(point, flow, sighting),
                Step::Expected { .. }
            )
    }

    /// What may wait in line for each point to see it.
    pub(super) fn may_march(&self, sighting: &Sighting, flow: u32) -> bool {
        self.is_acquainted && self.comes_as_one(sighting, flow)
    }

    /// What every point is sure to see as one packet.
    pub(super) fn comes_as_one(&self, sighting: &Sighting, flow: u32) -> bool {
        self.paths.get(flow).points == self.everywhere && self.is_one_packet(sighting, flow)
    }

    /// Whether all points know a flow, and it is not part of another.
    #[inline]
    pub(super) fn is_whole_everywhere(&self, flow: u32) -> bool {
        let known = self.paths.get(flow);
        known.points == self.everywhere && !known.is_part()
    }

    /// What is one packet wherever its flow is known.
    #[inline]
    pub(super) fn is_one_packet(&self, sighting: &Sighting, flow: u32) -> bool {
        let may_be_joined = self.joins_udp && sighting.protocol == Protocol::UDP;
        !may_be_joined && self.is_not_cut(sighting, flow)
    }

    /// The same, but for what others may have joined.
    #[inline]
    pub(super) fn is_not_cut(&self, sighting: &Sighting, flow: u32) -> bool {
        let may_be_super = sighting.form == Form::Segment || sighting.protocol == Protocol::UDP;
        sighting.form != Form::Piece
            && !(may_be_super && sighting.bytes > SUPER_BYTES)
            && !(sighting.may_come_cut() && self.paths.may_have_fragments(flow))
    }

    /// A point comes first with a packet, unless that was seen before; says whether that
    /// was all.
    pub(super) fn lead(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, time) = arrival.parts();
        if self.may_be_known(point, sighting, flow) {
            if self.take_known(arrival, flow) {
                return true;
            }
            if sighting.form == Form::Segment && self.spread(arrival, flow) {
                return true;
            }
        }
        if !sighting.is_fresh && sighting.can_be_told() {
            self.march.note_line(flow);
        }
        match self.told(arrival, flow) {
            Told::Copy => return true,
            Told::Unclear => return false,
            Told::New if self.takes_over(arrival, flow) => return true,
            Told::New => {}
        }
        let key = sighting.identity().key(flow);
        let tells_time = self.tells_time(flow, sighting);
        let place = self.march.line_up(point, sighting, flow, key, time);
        self.march.get_mut(place).tells_time = tells_time;
        self.see_in_step(arrival, place);
        true
    }

    /// What a sighting is to those of its name that wait, or that passed not long ago. A
    /// copy is noted.
    pub(super) fn told(&mut self, arrival: Arrival<'_>, flow: u32) -> Told {
        let told = self.tell(arrival, flow);
        if told == Told::Copy {
            let key = arrival.sighting.identity().key(flow);
            let copy = arrival.sighting.shown(arrival.point);
            self.copies.note(key, flow, copy, self.now);
        }
        told
    }

    /// The same, and nothing is noted.
    pub(super) fn tell(&mut self, arrival: Arrival<'_>, flow: u32) -> Told {
        let (_, sighting, time) = arrival.parts();
        // What is fresh did not come to its own point before.
        if flow == NONE || !sighting.can_be_told() || sighting.is_fresh {
            return Told::New;
        }
        let is_near = |before| sighting.has_identity() && apart(time, before) <= COPIES_COME_WITHIN;
        match self.before(sighting, flow) {
            Before::Waits => Told::Unclear,
            Before::Passed(before) if is_near(before) => Told::Copy,
            Before::Differed(before) if is_near(before) => Told::Unclear,
            Before::Unknown | Before::Passed(_) | Before::Differed(_) => Told::New,
        }
    }

    /// What is known of a packet like this: of a stretch of a stream, of one that others have had
    /// cut otherwise, too.
    fn before(&mut self, sighting: &Sighting, flow: u32) -> Before {
        let identity = sighting.identity();
        let before = self.march.before(identity.key(flow), sighting);
        let may_be_cut = sighting.form == Form::Segment
            && matches!(before, Before::Unknown | Before::Differed(_));
        if !may_be_cut {
            return before;
        }
        let key = identity.key_of_size(flow, sighting.bytes);
        match self.march.before(key, sighting) {
            Before::Unknown => before,
            cut => cut,
        }
    }

    /// A packet that fell out of step before, and comes now.
    pub(super) fn join_same(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let is_out = self.paths.is_under_way(flow);
        let found = is_out.then(|| self.find(arrival, flow)).flatten();
        match found.filter(|found| found.fit == Fit::Same) {
            None => false,
            Some(found) => {
                self.join(arrival, &found);
                true
            }
        }
    }

    pub(super) fn see_in_step(&mut self, arrival: Arrival<'_>, place: u32) {
        let (point, sighting, time) = arrival.parts();
        let waiting = self.march.get(place);
        let (flow, others, tells_time) = (waiting.flow, waiting.seen, waiting.tells_time);
        let order = self.paths.next_order(flow, point);
        self.ask_the_way(flow);
        if others != 0 {
            let seen_at = |flight: &Self, other: usize| *flight.march.seen(place, other);
            let trust = Trust::of(sighting, true, tells_time);
            self.learn(point, sighting, others, seen_at, flow, trust);
            let order_at = |seen: usize| match seen == point {
                true => order,
                false => self.march.seen(place, seen).order,
            };
            let reordered = self.paths.come(flow, point, others, order_at);
            self.march.get_mut(place).reordered |= reordered;
        }
        if self
            .march
            .see(point, place, Seen::of(sighting, order), time)
        {
            self.march.arrive(place);
            self.write_down(|flight, book| flight.write_in_step(place, book));
        }
    }

    /// What waited was seen by every point.
    fn write_in_step(&self, place: u32, book: &mut Book) {
        let (waiting, seen) = (self.march.get(place), self.march.all_seen(place));
        let passed = Passed {
            flow: waiting.flow,
            ip_bytes: waiting.sighting.ip_bytes,
            first: waiting.first,
            last: waiting.last,
            reordered: waiting.reordered,
        };
        let looks = seen.iter().map(|seen| seen.look);
        let account = book.pass(&passed, looks, |point| seen[point].shown(point));
        let is_backward = self.is_backward(waiting.flow);
        book.count_passed(&[(passed.first, passed.last)], is_backward.into());
        if waiting.tells_time {
            let delays =
                pairs(self.points).map(|ends| self.took(ends, &seen[ends.0], &seen[ends.1]));
            book.delayed(account, delays);
        }
    }

    /// All that waits of a flow becomes parcels.
    pub(super) fn fall_out(&mut self, flow: u32) {
        loop {
            match self.march.first_of(flow) {
                NONE => return,
                place => self.falls_out(place),
            }
        }
    }

    pub(super) fn all_fall_out(&mut self) {
        while let Some(place) = self.march.oldest() {
            self.falls_out(place);
        }
    }

    /// What waits becomes a parcel, or a stray.
    pub(super) fn falls_out(&mut self, place: u32) {
        let waiting = *self.march.get(place);
        let order = self.march.seen(place, waiting.point).order;
        self.march.fall_out(place);
        let held = match self.keep_as_stray(&waiting, order) {
            Some(stray) => stray,
            None => self.become_known(&waiting, place),
        };
        self.keep_held(Due::new(waiting.first, order, held));
    }

    /// Something is held until its time has come.
    pub(super) fn keep_held(&mut self, due: Due) {
        self.old.push(due);
        self.keep_to_bounds();
    }

    /// What waited at a place becomes a parcel.
    fn become_known(&mut self, waiting: &Waiting, place: u32) -> Held {
        let arrival = Arrival::of(waiting.point, &waiting.sighting, waiting.first);
        let (number, piece) = self.open(arrival, waiting.flow, waiting.seen);
        for point in 0..self.points {
            if waiting.seen & bit(point) != 0 {
                *self.seen_mut(piece, point) = *self.march.seen(place, point);
            }
        }
        self.pieces[piece].seen = waiting.seen;
        self.pieces[piece].reordered = waiting.reordered;
        let parcel = &mut self.parcels[number];
        parcel.tells_time = waiting.tells_time;
        parcel.seen = waiting.seen;
        parcel.last = waiting.last;
        self.count_lone(number);
        Held::parcel(number)
    }
}
