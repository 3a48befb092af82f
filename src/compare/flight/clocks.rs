//! What packets that several points saw tell of clocks, and of which way flows go.

use super::{Flight, bit, nearest};
use crate::compare::parcel::{Mask, Seen};
use crate::compare::sighting::Sighting;
use crate::model::{Addresses, Duration, Timestamp};

/// Packets each way after which a clock is known well enough to tell which way others go.
const HELD: u64 = 256;

/// What may be learnt from a packet that two points saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trust {
    /// Both have it under the same identification.
    is_numbered_alike: bool,
    /// It is sure to be the same packet.
    tells_time: bool,
}

impl Trust {
    pub fn of(sighting: &Sighting, is_alike: bool, tells_time: bool) -> Self {
        Self {
            is_numbered_alike: sighting.has_identity() && is_alike,
            tells_time,
        }
    }
}

impl Flight {
    /// Whether something that is seen first will be known for sure once it is seen again: by its
    /// identification, or its place in a stream; or by its bytes, where those before it in its
    /// flow have others.
    #[inline]
    pub(super) fn tells_time(&mut self, flow: u32, sighting: &Sighting) -> bool {
        sighting.can_be_told() || self.paths.is_distinct(flow, sighting.head)
    }

    /// What other points have seen, too, tells about clocks and ways.
    pub(super) fn learn(
        &mut self,
        point: usize,
        sighting: &Sighting,
        others: Mask,
        seen_at: impl Fn(&Self, usize) -> Seen,
        flow: u32,
        trust: Trust,
    ) {
        let Some(other) = nearest(others, point, self.points) else {
            return;
        };
        let there = seen_at(self, other);
        let (front, back) = match other < point {
            true => (there.look.hop_limit, sighting.look.hop_limit),
            false => (sighting.look.hop_limit, there.look.hop_limit),
        };
        let known = self.paths.get_mut(flow);
        known.learn(front, back, trust.is_numbered_alike);
        if trust.tells_time && !self.paths.tells_clocks(flow) {
            self.vote(flow, (point, sighting.time), (other, there.time));
        } else if trust.tells_time {
            let is_backward = self.is_backward(flow);
            let at = |flight: &Self, other: usize| seen_at(flight, other).time;
            self.set_clocks((point, sighting.time), others, at, is_backward);
            let beside = [point.checked_sub(1), point.checked_add(1)].into_iter();
            let points = self.points;
            let is_seen = |other: &usize| *other < points && others & bit(*other) != 0;
            for other in beside.flatten().filter(is_seen) {
                let there = seen_at(self, other).time;
                self.set_beside((point, sighting.time), (other, there), is_backward);
            }
        }
    }

    /// Holds clocks against that of the first point, as far as it has the same; else that of
    /// one of two points, as long as it was never held against the first.
    fn set_clocks(
        &mut self,
        (point, time): (usize, Timestamp),
        others: Mask,
        seen_at: impl Fn(&Self, usize) -> Timestamp,
        back: bool,
    ) {
        if point == 0 {
            for other in (1..self.points).filter(|other| others & bit(*other) != 0) {
                let there = seen_at(self, other);
                self.set_clock(other, time, there, back);
            }
        } else if others & bit(0) != 0 {
            let first = seen_at(self, 0);
            self.set_clock(point, first, time, back);
        } else if let Some(other) = nearest(others, point, self.points) {
            let there = seen_at(self, other);
            let (low, high) = match other < point {
                true => ((other, there), (point, time)),
                false => ((point, time), (other, there)),
            };
            self.set_by_another(low, high, back);
        }
        self.get_acquainted();
    }

    /// Holds the clock of a point against that of one in front of it.
    pub(super) fn set_one_by_other(
        &mut self,
        front: (usize, Timestamp),
        behind: (usize, Timestamp),
        back: bool,
    ) {
        match front.0 {
            0 => self.set_clock(behind.0, front.1, behind.1, back),
            _ => self.set_by_another(front, behind, back),
        }
        self.get_acquainted();
    }

    /// The same where that is not the first, as long as it was never held against that.
    fn set_by_another(
        &mut self,
        front: (usize, Timestamp),
        behind: (usize, Timestamp),
        back: bool,
    ) {
        if !self.clocks[behind.0].goes_by_the_first() {
            let there = self.clocks[front.0].to_reference(front.1);
            self.clocks[behind.0].learn(there, behind.1, back);
        }
    }

    /// The first point had something at one time, and this one at another.
    fn set_clock(&mut self, point: usize, first: Timestamp, time: Timestamp, back: bool) {
        let clock = &mut self.clocks[point];
        clock.go_by_the_first();
        clock.learn(first, time, back);
    }

    fn get_acquainted(&mut self) {
        if !self.is_acquainted {
            let mut clocks = self.clocks.iter().skip(1);
            self.is_acquainted =
                clocks.all(|clock| clock.matched.iter().sum::<u64>() >= self.march_after);
        }
    }

    /// Holds the clocks of two neighbours against each other, whichever was seen first.
    pub(super) fn set_beside(
        &mut self,
        one: (usize, Timestamp),
        other: (usize, Timestamp),
        back: bool,
    ) {
        let (front, behind) = (one.min(other), one.max(other));
        if front.0 > 0 {
            self.beside[behind.0].learn(front.1, behind.1, back);
        }
    }

    /// How long a packet took from one point to another behind it, in nanoseconds,
    /// whichever way it went.
    pub(in crate::compare) fn took(
        &self,
        (front, back): (usize, usize),
        entered: &Seen,
        left: &Seen,
    ) -> i64 {
        if is_beside(front, back) {
            return self.took_beside(back, entered.time, left.time);
        }
        let entered = self.clocks[front].to_reference(entered.time);
        let left = self.clocks[back].to_reference(left.time);
        (left - entered).0.saturating_abs()
    }

    /// The same from the point in front of one, each by its own clock.
    pub(super) fn took_beside(&self, back: usize, entered: Timestamp, left: Timestamp) -> i64 {
        let left = self.beside[back].to_reference(left);
        (left - entered).0.saturating_abs()
    }

    /// When what takes so much longer than the fastest has come: to one side of a satellite that is
    /// late by itself. Until it was known that some goes back, that seemed to need the round trip.
    pub(super) fn comes_within(&self, longer: Duration) -> Duration {
        let round_trips = self.clocks.iter().map(|clock| clock.round_trip().0);
        Duration(longer.0.saturating_add(round_trips.max().unwrap_or(0)))
    }

    /// Whether a flow goes from the last point to the first.
    pub(in crate::compare) fn is_backward(&self, flow: u32) -> bool {
        self.paths.get(flow).is_backward()
    }

    /// Which way the addresses of a flow go, once more of them are known.
    #[inline]
    pub(super) fn ask_the_way(&mut self, flow: u32) {
        let known = self.paths.get(flow);
        if known.asked != known.points {
            self.find_the_way(flow);
        }
    }

    #[cold]
    fn find_the_way(&mut self, flow: u32) {
        let told = (0..self.points).filter_map(|point| {
            let key = self.paths.key_at(flow, point)?;
            self.go_back(point, key.addresses)
        });
        let goes_back = told.max();
        self.paths.tell_the_way(flow, goes_back);
    }

    /// Two points saw a packet of a flow of which nothing else tells which way it goes: once their
    /// clocks are known by others that go both ways, it came first where it was before.
    #[cold]
    pub(super) fn vote(&mut self, flow: u32, one: (usize, Timestamp), other: (usize, Timestamp)) {
        let (front, back) = (one.min(other), one.max(other));
        let is_known = |(point, _): (usize, Timestamp)| {
            point == 0 || self.clocks[point].matched.iter().all(|way| *way >= HELD)
        };
        let [entered, left] = [front, back].map(|(point, time)| self.time_at(point, time));
        if is_known(front) && is_known(back) && entered != left {
            self.paths.get_mut(flow).vote(left < entered);
        }
    }

    /// Whether some addresses go back, as far as that is known of them or of those that answer.
    fn go_back(&self, point: usize, addresses: Addresses) -> Option<bool> {
        let hint = |addresses: Addresses| self.backward.get(&(point, addresses)).copied();
        hint(addresses).or_else(|| hint(addresses.reversed()).map(|goes_back| !goes_back))
    }
}

/// Whether the clocks of two points are held against each other: those of neighbours, of
/// which none is the first, whose clock is that of all.
pub(super) fn is_beside(front: usize, back: usize) -> bool {
    back - front == 1 && front > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::feed::of_memory::lane;
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::Batch;

    /// Which way a flow is told to go of which so many packets came to two points, the second so
    /// much later by its clock, which others that take 50 set that go as many ways: whether that is
    /// sure, and whether it is taken to go back.
    fn told(ways: usize, packets: usize, later: i64) -> (bool, bool) {
        let mut flight = of_two_points();
        let batch = Batch {
            lanes: vec![lane(0)],
            ..Batch::default()
        };
        (0..2).for_each(|point| flight.meet(point, &batch));
        let flow = flight.paths.add(0, 0);
        flight.paths.bind(1, 0, flow);
        for packet in 0..HELD as i64 {
            let first = Timestamp(packet * 1_000);
            for (way, took) in [50, -50].into_iter().enumerate().take(ways) {
                flight.set_clock(1, first, Timestamp(first.0 + took), way == 1);
            }
        }
        for packet in 0..packets as i64 {
            let first = Timestamp((HELD as i64 + packet) * 1_000);
            flight.vote(flow, (1, Timestamp(first.0 + later)), (0, first));
        }
        flight.ask_the_way(flow);
        let known = flight.paths.get(flow);
        (known.knows_the_way().is_some(), known.is_backward())
    }

    #[test]
    fn packets_tell_by_their_times_which_way_a_flow_goes() {
        assert_eq!(told(2, 4, 60), (true, false));
        assert_eq!(told(2, 4, -60), (true, true));
        assert_eq!(told(2, 3, -60), (false, true), "it may be chance");
        assert_eq!(told(2, 4, 0), (false, false));
        assert_eq!(told(1, 4, -60), (false, false), "it may be faster");
    }
}
