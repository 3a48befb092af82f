//! Packets that all points are about to take next: they are done with at once, and wait for
//! nobody. Many are looked at together, one question after the other: what each answer needs
//! is far away in memory, and so all wait for it together.

use super::clocks::is_beside;
use super::settle::LINGER;
use super::step::Told;
use super::{Arrival, Flight, apart, pairs};
use crate::compare::book::{Book, Passed};
use crate::compare::clock::Fastest;
use crate::compare::sighting::{Form, Lane, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::model::{Duration, Timestamp};

/// Packets that are looked at together.
pub(in crate::compare) const ABREAST: usize = 64;
// There is a bit for each in what tells their ways.
const _: () = assert!(ABREAST <= u64::BITS as usize);
/// They came to each point within this time: what is known of clocks, and what is over, is
/// the same for all of them.
pub(in crate::compare) const AT_ONCE: Duration = Duration::from_millis(10);

/// What has come of each point. All that is done with it is inlined into
/// [`Flight::take_next`], so that it is compiled once for two points, without loops over
/// them, and once for more.
trait Points {
    fn all(&self) -> &[&[Sighting]];
}

impl Points for &[&[Sighting]] {
    fn all(&self) -> &[&[Sighting]] {
        self
    }
}

/// So many there are mostly: loops over points are none, then.
impl Points for [&[Sighting]; 2] {
    fn all(&self) -> &[&[Sighting]] {
        self
    }
}

/// What has come of each point, and is the same packets everywhere.
struct Abreast<P> {
    points: P,
    /// Within how long all of them came to each point.
    within: Duration,
    known: Box<Known>,
}

/// What is known of each of these packets as far as they were looked at. It stays where it is: most
/// often they are few, and to clear it would take longer than to look at them.
pub(super) struct Known {
    /// Of which flow each packet is.
    flows: [u32; ABREAST],
    /// Whether each is beyond all that every point saw of its flow.
    are_fresh: [bool; ABREAST],
    /// Whether each is surely the same everywhere, as far as it may come: see
    /// [`Flight::tells_time`].
    tell_time: [bool; ABREAST],
    /// By point, of more than two: when each packet came there, by the clock of the first.
    times: Vec<[Timestamp; ABREAST]>,
    /// When each came to the first point that it came to, and to the last.
    spans: [(Timestamp, Timestamp); ABREAST],
}

impl Default for Known {
    fn default() -> Self {
        Self {
            flows: [NONE; ABREAST],
            are_fresh: [false; ABREAST],
            tell_time: [false; ABREAST],
            times: Vec::new(),
            spans: [(Timestamp(0), Timestamp(0)); ABREAST],
        }
    }
}

impl<P: Points> Abreast<P> {
    /// With room for what becomes known.
    #[inline(always)]
    fn of(points: P, within: Duration, known: Option<Box<Known>>) -> Self {
        let mut known = known.unwrap_or_default();
        if points.all().len() > 2 {
            let times = [Timestamp(0); ABREAST];
            known.times.resize(points.all().len(), times);
        }
        Self {
            points,
            within,
            known,
        }
    }

    /// What has come, by point.
    #[inline(always)]
    fn next(&self) -> &[&[Sighting]] {
        self.points.all()
    }

    /// How many points there are.
    #[inline(always)]
    fn points(&self) -> usize {
        self.next().len()
    }

    /// A packet as the first point saw it.
    fn sighting(&self, place: usize) -> &Sighting {
        &self.next()[0][place]
    }

    /// Whether a packet took so long that copies of it might have come in between.
    fn lingers(&self, place: usize) -> bool {
        let (first, last) = self.known.spans[place];
        last - first > LINGER
    }
}

impl Flight {
    /// Takes what every point takes next, as far as that is the same packet everywhere, and
    /// surely no other; gives how many these were, all of which came within some time. `next` is
    /// what has come of each point.
    pub fn take_abreast(&mut self, next: &[&[Sighting]], within: Duration) -> usize {
        let firsts = || next.iter().map(|next| next.first());
        let Some(Some(first)) = firsts().next() else {
            return 0;
        };
        let is_it = |sighting: Option<&Sighting>| sighting.is_some_and(|it| it.is_same_as(first));
        match next {
            _ if !self.may_be_abreast(first) || !firsts().all(is_it) => 0,
            [front, back] => self.take_next([*front, *back], within),
            _ => self.take_next(next, within),
        }
    }

    /// The same of packets that were found to be the same everywhere, and no fragments, of flows
    /// that all points know.
    pub fn take_gathered(&mut self, next: &[&[Sighting]], flows: &[u32]) -> usize {
        match next {
            [front, back] => self.take_known_as([*front, *back], flows),
            _ => self.take_known_as(next, flows),
        }
    }

    #[inline(never)]
    fn take_next(&mut self, points: impl Points, within: Duration) -> usize {
        let within = within.min(AT_ONCE);
        let mut abreast = Abreast::of(points, within, self.abreast.take());
        let common = self.common(&mut abreast);
        if common > 1 {
            self.fetch_flows(0, &abreast.known.flows[..common]);
        }
        let taken = self.take_common(&mut abreast, common);
        self.abreast = Some(abreast.known);
        taken
    }

    #[inline(never)]
    fn take_known_as(&mut self, points: impl Points, flows: &[u32]) -> usize {
        let mut abreast = Abreast::of(points, LINGER, self.abreast.take());
        abreast.known.flows[..flows.len()].copy_from_slice(flows);
        self.fetch_flows(0, flows);
        let together = (0..flows.len())
            .position(|place| !self.come_at_once(&mut abreast, place))
            .unwrap_or(flows.len());
        let taken = self.take_common(&mut abreast, together);
        self.abreast = Some(abreast.known);
        taken
    }

    /// Whether a sighting is of a kind that all points may take at once.
    pub fn may_be_abreast(&self, sighting: &Sighting) -> bool {
        self.is_acquainted && sighting.form != Form::Piece
    }

    /// Whether all points may take at once what one has next. Of what may be in fragments elsewhere
    /// none is, and so nobody need look for it in what others have at hand.
    pub fn may_come_abreast(&self, point: usize, sighting: &Sighting) -> bool {
        let may_have_fragments = || {
            let flow = self.paths.bound_to(point, sighting.lane);
            let flow = self.paths.resolve(flow);
            flow != NONE && self.paths.may_have_fragments(flow)
        };
        self.may_be_abreast(sighting) && !(sighting.may_come_cut() && may_have_fragments())
    }

    /// The flow of a lane, if all points know it.
    pub fn flow_everywhere(&self, point: usize, lane: Lane) -> Option<u32> {
        let flow = self.paths.bound_to(point, lane);
        (flow != NONE && !self.paths.is_wanting(flow)).then_some(flow)
    }

    /// The flow of what may be taken so, if all points know it.
    pub fn flow_abreast(&self, point: usize, sighting: &Sighting) -> Option<u32> {
        let flow = self.flow_everywhere(point, sighting.lane)?;
        let may_be = self.may_be_abreast(sighting) && self.is_surely_next(flow, sighting);
        may_be.then_some(flow)
    }

    /// Whether a packet that every point has next of a flow, all at hand, is one and the same.
    fn is_surely_next(&self, flow: u32, sighting: &Sighting) -> bool {
        sighting.is_fresh || self.is_idle(flow) || self.may_be_next(flow, sighting)
    }

    /// The lane that the flow of a sighting has at another point, if that is known.
    pub fn lane_beside(&self, point: usize, sighting: &Sighting, other: usize) -> Option<Lane> {
        let flow = self.paths.bound_to(point, sighting.lane);
        let lane = (flow != NONE).then(|| self.paths.lane_at(self.paths.resolve(flow), other))?;
        (lane != NO_LANE).then_some(lane)
    }

    /// Whether nothing of a flow is on its way, so that a packet that every point sees next
    /// can be nothing else.
    pub fn is_idle(&self, flow: u32) -> bool {
        !self.paths.is_under_way(flow) && !self.march.waits(flow)
    }

    /// How many packets are the same at every point, are no fragments, and come at once; notes
    /// of which flows they are, when they came, and whether each is fresh everywhere.
    #[inline(always)]
    fn common(&self, abreast: &mut Abreast<impl Points>) -> usize {
        let lengths = abreast.next().iter().map(|next| next.len());
        let most = lengths.min().unwrap_or(0).min(ABREAST);
        (0..most)
            .position(|place| !self.is_common(abreast, place))
            .unwrap_or(most)
    }

    #[inline(always)]
    fn is_common(&self, abreast: &mut Abreast<impl Points>, place: usize) -> bool {
        let mut flow = NONE;
        for (point, next) in abreast.points.all().iter().enumerate() {
            let sighting = &next[place];
            let bound = self.paths.bound_to(point, sighting.lane);
            if point == 0 {
                flow = bound;
            }
            let is_same = point == 0 || sighting.is_same_as(&abreast.points.all()[0][place]);
            let may_be = sighting.form != Form::Piece && sighting.lane != NO_LANE;
            if !(is_same && may_be && bound == flow) {
                return false;
            }
        }
        abreast.known.flows[place] = flow;
        self.come_at_once(abreast, place)
    }

    /// Whether a packet came to each point at about the same time as the first of all; notes
    /// when, and whether it is fresh everywhere.
    #[inline(always)]
    fn come_at_once(&self, abreast: &mut Abreast<impl Points>, place: usize) -> bool {
        let mut is_fresh = true;
        let mut span = (Timestamp(0), Timestamp(0));
        for (point, next) in abreast.points.all().iter().enumerate() {
            let sighting = &next[place];
            if apart(sighting.time, next[0].time) > abreast.within {
                return false;
            }
            is_fresh &= sighting.is_fresh;
            let time = self.time_of(point, sighting);
            span = match point {
                0 => (time, time),
                _ => (span.0.min(time), span.1.max(time)),
            };
            if let Some(times) = abreast.known.times.get_mut(point) {
                times[place] = time;
            }
        }
        (abreast.known.are_fresh[place], abreast.known.spans[place]) = (is_fresh, span);
        true
    }

    /// Takes packets that are the same at every point, as long as there is nothing else that
    /// they may be; gives how many.
    #[inline(always)]
    fn take_common(&mut self, abreast: &mut Abreast<impl Points>, common: usize) -> usize {
        if common == 0 {
            return 0;
        }
        let mut taken = 0;
        while taken < common && self.may_come(abreast, taken) {
            taken += 1;
        }
        if taken > 0 {
            self.come_abreast(abreast, taken);
        }
        taken
    }

    /// Whether a packet may come to every point at once. Then it is noted: a copy may come.
    #[inline(always)]
    fn may_come(&mut self, abreast: &mut Abreast<impl Points>, place: usize) -> bool {
        if abreast.lingers(place) {
            return false;
        }
        if abreast.known.flows[place] == NONE && !self.meet_abreast(abreast, place) {
            return false;
        }
        let (sighting, flow) = (abreast.sighting(place), abreast.known.flows[place]);
        let may_come = self.is_whole_everywhere(flow)
            && self.is_not_cut(sighting, flow)
            && (abreast.known.are_fresh[place] || self.is_new(abreast, place));
        if !may_come {
            return false;
        }
        self.ask_the_way(flow);
        if sighting.can_be_told() {
            let (_, last) = abreast.known.spans[place];
            self.march
                .passed(sighting.identity().key(flow), sighting, last);
        }
        abreast.known.tell_time[place] = self.tells_time(flow, sighting);
        true
    }

    /// Whether a flow is known by now that was not when a packet was first looked at. What
    /// goes by the same names everywhere is met everywhere.
    fn meet_abreast(&mut self, abreast: &mut Abreast<impl Points>, place: usize) -> bool {
        let lane_at = |point: usize| abreast.next()[point][place].lane;
        let flow = match self.paths.bound_to(0, lane_at(0)) {
            NONE => self.paths.add_everywhere(lane_at),
            flow => Some(flow),
        };
        let is_it = |flow: &u32| {
            (0..self.points).all(|point| self.paths.bound_to(point, lane_at(point)) == *flow)
        };
        abreast.known.flows[place] = flow.filter(is_it).unwrap_or(NONE);
        abreast.known.flows[place] != NONE
    }

    /// Whether a packet that may have been seen before is no copy of what passed not long ago.
    fn is_new(&mut self, abreast: &Abreast<impl Points>, place: usize) -> bool {
        let flow = abreast.known.flows[place];
        let arrival = Arrival::of(0, abreast.sighting(place), abreast.known.spans[place].0);
        if !self.is_idle(flow) {
            return self.may_be_next(flow, arrival.sighting)
                && self.is_next_nameless(arrival, flow);
        }
        self.tell(arrival, flow) == Told::New
    }

    /// Whether a packet may be the next of a flow of which something is on its way: it is found
    /// by its bytes alone, and what waits has others.
    pub fn may_be_next(&self, flow: u32, sighting: &Sighting) -> bool {
        sighting.is_nameless()
            && !self.paths.has_parts(flow)
            && !self.march.may_wait(flow, sighting)
    }

    /// Every point sees packets, and they are written down.
    #[inline(always)]
    fn come_abreast(&mut self, abreast: &Abreast<impl Points>, taken: usize) {
        if self.march.is_anything_waiting() {
            for flow in &abreast.known.flows[..taken] {
                // What waits was passed over.
                self.fall_out(*flow);
            }
        }
        let mut backward = 0;
        for back in 1..abreast.points() {
            backward = self.learn_abreast(abreast, taken, back);
        }
        self.write_down(|flight, book| flight.write_abreast(abreast, taken, backward, book));
    }

    /// What the one in front and the first tell about a point; bits for those that go back.
    #[inline(always)]
    fn learn_abreast(&mut self, abreast: &Abreast<impl Points>, taken: usize, back: usize) -> u64 {
        let (all, is_beside) = (abreast.next(), is_beside(back - 1, back));
        let [first, theirs, mine] = [0, back - 1, back].map(|point| &all[point][..taken]);
        let (mut since_first, mut since_front) = (Fastest::default(), Fastest::default());
        let (mut backward, mut astray) = (0, 0);
        let go_both_ways = self.paths.go_both_ways();
        let seen = mine.iter().zip(theirs).zip(first).zip(&abreast.known.flows);
        for (place, ((((here, there), first), flow), tells_time)) in
            seen.zip(&abreast.known.tell_time).enumerate()
        {
            let flow = self.paths.get_mut(*flow);
            flow.learn(
                there.look.hop_limit,
                here.look.hop_limit,
                here.has_identity(),
            );
            let is_backward = flow.is_backward();
            backward |= u64::from(is_backward) << place;
            if go_both_ways && flow.knows_the_way().is_none() {
                astray |= u64::from(*tells_time) << place;
            } else if *tells_time {
                since_first.note(first.time, here.time, is_backward);
                if is_beside {
                    since_front.note(there.time, here.time, is_backward);
                }
            }
        }
        self.clocks[back].go_by_the_first();
        self.clocks[back].learn_fastest(&since_first);
        self.beside[back].learn_fastest(&since_front);
        while astray != 0 {
            let place = astray.trailing_zeros() as usize;
            astray &= astray - 1;
            let [there, here] = [theirs[place].time, mine[place].time];
            self.vote(abreast.known.flows[place], (back - 1, there), (back, here));
        }
        backward
    }

    /// How long a packet took from one point to another.
    #[inline(always)]
    fn delay(
        &self,
        abreast: &Abreast<impl Points>,
        (front, back): (usize, usize),
        place: usize,
    ) -> i64 {
        if is_beside(front, back) {
            let [entered, left] = [front, back].map(|point| abreast.next()[point][place].time);
            return self.took_beside(back, entered, left);
        }
        let [entered, left] = match abreast.points() {
            2 => [abreast.known.spans[place].0, abreast.known.spans[place].1],
            _ => [front, back].map(|point| abreast.known.times[point][place]),
        };
        (left - entered).0.saturating_abs()
    }

    #[inline(always)]
    fn write_abreast(
        &mut self,
        abreast: &Abreast<impl Points>,
        taken: usize,
        backward: u64,
        book: &mut Book,
    ) {
        for place in 0..taken {
            let looks = abreast.next().iter().map(|next| next[place].look);
            let (first, last) = abreast.known.spans[place];
            let flow = abreast.known.flows[place];
            let sighting = abreast.sighting(place);
            let passed = Passed {
                flow,
                ip_bytes: sighting.ip_bytes,
                first,
                last,
                reordered: self.paths.come_everywhere(flow, abreast.points()),
            };
            let shown = |point: usize| abreast.next()[point][place].shown(point);
            let account = book.pass(&passed, looks, shown);
            if abreast.known.tell_time[place] {
                let delays = pairs(abreast.points()).map(|ends| self.delay(abreast, ends, place));
                book.delayed(account, delays);
            }
        }
        book.count_passed(&abreast.known.spans[..taken], backward);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::of_one_flow;
    use crate::compare::sighting::example;

    fn at(times: &[i64]) -> Vec<Sighting> {
        let sighting = |time: &i64| Sighting {
            time: Timestamp(*time),
            ..example(0)
        };
        times.iter().map(sighting).collect()
    }

    /// How many packets two points have in common that they take at once.
    fn common(flight: &Flight, next: &[Sighting]) -> usize {
        let mut abreast = Abreast::of([next, next], AT_ONCE, None);
        flight.common(&mut abreast)
    }

    #[test]
    fn what_comes_within_ten_milliseconds_comes_at_once() {
        let flight = of_one_flow();
        let common = |times: &[i64]| common(&flight, &at(times));
        let ten = AT_ONCE.0;
        assert_eq!(common(&[]), 0);
        assert_eq!(common(&[0, ten, -ten, ten]), 4);
        assert_eq!(common(&[0, 1, ten + 1, 2]), 2);
        assert_eq!(common(&[0, 1, -ten - 1, 2]), 2);
        assert_eq!(common(&[i64::MAX, i64::MIN]), 1);
        assert_eq!(common(&[i64::MIN, i64::MIN, i64::MAX]), 2);
    }

    #[test]
    fn neither_fragments_nor_what_was_taken_comes_at_once() {
        let flight = of_one_flow();
        let mut next = at(&[0; 4]);
        next[2].form = Form::Piece;
        assert_eq!(common(&flight, &next), 2);
        let mut next = at(&[0; 4]);
        next[1].lane = NO_LANE;
        assert_eq!(common(&flight, &next), 1);
    }

    #[test]
    fn other_bytes_and_other_flows_are_not_common() {
        let mut flight = of_one_flow();
        let next = at(&[0; 4]);
        let mut other = next.clone();
        other[3].head = 1;
        let common = |other: &[Sighting]| {
            let mut abreast = Abreast::of([&next[..], other], AT_ONCE, None);
            flight.common(&mut abreast)
        };
        assert_eq!(common(&other), 3);
        assert_eq!(common(&next[..2]), 2);
        let flow = flight.paths.add(0, 0);
        assert_eq!(flight.paths.bound_to(0, 0), flow);
        let mut abreast = Abreast::of([&next[..], &next[..]], AT_ONCE, None);
        assert_eq!(flight.common(&mut abreast), 0);
    }

    #[test]
    fn more_than_are_looked_at_together_wait() {
        let mut flight = of_one_flow();
        flight.is_acquainted = true;
        let next = at(&[0; ABREAST + 5]);
        let next: Vec<Sighting> = next.into_iter().zip(0..).map(numbered).collect();
        assert_eq!(
            flight.take_abreast(&[&next[..], &next[..]], AT_ONCE),
            ABREAST
        );
        let left = &next[ABREAST..];
        assert_eq!(flight.take_abreast(&[left, left], AT_ONCE), 5);
        assert_eq!(flight.take_abreast(&[left, &[]], AT_ONCE), 0);
    }

    fn numbered((sighting, id): (Sighting, u32)) -> Sighting {
        Sighting {
            id: id + 1,
            is_fresh: true,
            ..sighting
        }
    }
}
