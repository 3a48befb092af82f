//! Packets that all points are about to take next: they are done with at once, and wait for
//! nobody. Many are looked at together, one question after the other: what each answer needs
//! is far away in memory, and so all wait for it together.

use super::clocks::is_beside;
use super::settle::LINGER;
use super::step::Told;
use super::{Arrival, Flight, pairs};
use crate::compare::book::{Book, Passed};
use crate::compare::sighting::{Form, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::model::{Duration, Timestamp};

/// Packets that are looked at together.
pub(in crate::compare) const ABREAST: usize = 32;
/// They came to each point within this time: what is known of clocks, and what is over, is
/// the same for all of them.
const AT_ONCE: Duration = Duration::from_millis(10);

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
    /// Of which flow each packet is.
    flows: [u32; ABREAST],
    /// Whether each is beyond all that every point saw of its flow.
    are_fresh: [bool; ABREAST],
    /// By point: when each packet came there, by the clock of the first.
    times: Vec<[Timestamp; ABREAST]>,
    /// When each came to the first point that it came to, and to the last.
    spans: [(Timestamp, Timestamp); ABREAST],
}

impl<P: Points> Abreast<P> {
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
        let (first, last) = self.spans[place];
        last - first > LINGER
    }
}

impl Flight {
    /// Takes what every point takes next, as far as that is the same packet everywhere, and
    /// surely no other; gives how many these were. `next` is what has come of each point.
    pub fn take_abreast(&mut self, next: &[&[Sighting]]) -> usize {
        let may_be = |first: &Sighting| self.may_be_abreast(first);
        let may_begin = |point: &&[Sighting]| point.first().is_some_and(may_be);
        match next {
            _ if !next.iter().all(may_begin) => 0,
            [front, back] => self.take_next([*front, *back]),
            _ => self.take_next(next),
        }
    }

    #[inline(never)]
    fn take_next(&mut self, points: impl Points) -> usize {
        let mut abreast = Abreast {
            points,
            flows: [NONE; ABREAST],
            are_fresh: [false; ABREAST],
            times: std::mem::take(&mut self.times),
            spans: [(Timestamp(0), Timestamp(0)); ABREAST],
        };
        let common = self.common(&mut abreast);
        if common > 1 {
            self.fetch_flows(0, &abreast.flows[..common]);
        }
        let taken = self.take_common(&mut abreast, common);
        self.times = abreast.times;
        taken
    }

    /// Whether a sighting is of a kind that all points may take at once.
    pub fn may_be_abreast(&self, sighting: &Sighting) -> bool {
        self.is_acquainted && sighting.form != Form::Piece
    }

    /// The flow of what may be taken so, if all points know it.
    pub fn flow_abreast(&self, point: usize, sighting: &Sighting) -> Option<u32> {
        if !self.may_be_abreast(sighting) {
            return None;
        }
        let flow = self.paths.bound_to(point, sighting.lane);
        let may_be = flow != NONE
            && (sighting.is_fresh || self.is_idle(flow))
            && !self.paths.is_wanting(flow);
        may_be.then_some(flow)
    }

    /// Whether nothing of a flow is on its way, so that a packet that every point sees next
    /// can be nothing else.
    fn is_idle(&self, flow: u32) -> bool {
        !self.paths.is_under_way(flow) && !self.march.waits(flow)
    }

    /// How many packets are the same at every point; notes of which flows they are, and
    /// whether each is fresh everywhere.
    #[inline(always)]
    fn common(&self, abreast: &mut Abreast<impl Points>) -> usize {
        let Some((first, others)) = abreast.points.all().split_first() else {
            return 0;
        };
        let mut common = first.len().min(ABREAST);
        for other in others {
            let both = first[..common].iter().zip(*other);
            common = both
                .take_while(|(one, other)| one.is_same_as(other))
                .count();
        }
        common = self.at_once(0, &first[..common], &mut abreast.flows);
        for (is_fresh, sighting) in abreast.are_fresh.iter_mut().zip(&first[..common]) {
            *is_fresh = sighting.is_fresh;
        }
        for (point, other) in (1..).zip(others) {
            let mut flows = [NONE; ABREAST];
            common = self.at_once(point, &other[..common], &mut flows);
            let bound = abreast.flows[..common].iter().zip(&flows);
            common = bound.take_while(|(one, other)| one == other).count();
            for (is_fresh, sighting) in abreast.are_fresh.iter_mut().zip(&other[..common]) {
                *is_fresh &= sighting.is_fresh;
            }
        }
        common
    }

    /// How many of those that come next to a point are no fragments, and come at once; and
    /// of which flows.
    #[inline(always)]
    fn at_once(&self, point: usize, next: &[Sighting], flows: &mut [u32; ABREAST]) -> usize {
        let Some(first) = next.first() else {
            return 0;
        };
        let (earliest, latest) = (first.time + Duration(-AT_ONCE.0), first.time + AT_ONCE);
        let mut count = 0;
        for (sighting, flow) in next.iter().zip(flows) {
            let may_be_abreast = sighting.form != Form::Piece && sighting.lane != NO_LANE;
            if !may_be_abreast || !(earliest..=latest).contains(&sighting.time) {
                break;
            }
            *flow = self.paths.bound_to(point, sighting.lane);
            count += 1;
        }
        count
    }

    /// Finds when packets came.
    #[inline(always)]
    fn tell_times(&self, abreast: &mut Abreast<impl Points>, common: usize) {
        let (points, spans) = (abreast.points(), &mut abreast.spans[..common]);
        abreast.times.resize(points, [Timestamp(0); ABREAST]);
        for (point, next) in abreast.points.all().iter().enumerate() {
            let (clock, times) = (&self.clocks[point], &mut abreast.times[point]);
            let places = next[..common].iter().zip(times).zip(&mut *spans);
            for ((sighting, time), (first, last)) in places {
                *time = clock.to_reference(sighting.time);
                (*first, *last) = match point {
                    0 => (*time, *time),
                    _ => ((*first).min(*time), (*last).max(*time)),
                };
            }
        }
    }

    /// Takes packets that are the same at every point, as long as there is nothing else that
    /// they may be; gives how many.
    #[inline(always)]
    fn take_common(&mut self, abreast: &mut Abreast<impl Points>, common: usize) -> usize {
        if common == 0 {
            return 0;
        }
        self.tell_times(abreast, common);
        self.pass(abreast.spans[0].0);
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
        if abreast.flows[place] == NONE && !self.meet_abreast(abreast, place) {
            return false;
        }
        let (sighting, flow) = (abreast.sighting(place), abreast.flows[place]);
        let may_come = !self.paths.is_part(flow)
            && self.comes_as_one(sighting, flow)
            && (abreast.are_fresh[place] || self.is_new(abreast, place));
        if may_come && sighting.can_be_told() {
            let (_, last) = abreast.spans[place];
            self.march
                .passed(sighting.identity().key(flow), sighting, last);
        }
        may_come
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
        abreast.flows[place] = flow.filter(is_it).unwrap_or(NONE);
        abreast.flows[place] != NONE
    }

    /// Whether a packet that may have been seen before is no copy of what passed not long ago.
    fn is_new(&mut self, abreast: &Abreast<impl Points>, place: usize) -> bool {
        let flow = abreast.flows[place];
        let arrival = Arrival {
            point: 0,
            sighting: abreast.sighting(place),
            time: abreast.spans[place].0,
        };
        self.is_idle(flow) && self.tell(arrival, flow) == Told::New
    }

    /// Every point sees packets, and they are written down.
    #[inline(always)]
    fn come_abreast(&mut self, abreast: &Abreast<impl Points>, taken: usize) {
        for flow in &abreast.flows[..taken] {
            // What waits was passed over.
            self.fall_out(*flow);
            self.ask_the_way(*flow);
        }
        for back in 1..abreast.points() {
            self.learn_abreast(abreast, taken, back);
        }
        if let Some(mut book) = self.book.take() {
            self.write_abreast(abreast, taken, &mut book);
            self.book = Some(book);
        }
    }

    /// What the one in front and the first tell about a point.
    #[inline(always)]
    fn learn_abreast(&mut self, abreast: &Abreast<impl Points>, taken: usize, back: usize) {
        let (front, paths) = (back - 1, &mut self.paths);
        let mut ways = [None; ABREAST];
        for (place, way) in ways[..taken].iter_mut().enumerate() {
            let [there, here] = [front, back].map(|point| &abreast.next()[point][place]);
            let flow = paths.get_mut(abreast.flows[place]);
            let [before, after] = [there, here].map(|sighting| sighting.look.hop_limit);
            flow.learn(before, after, here.has_identity());
            *way = here.can_be_told().then(|| flow.is_backward());
        }
        let told = || {
            let ways = ways[..taken].iter().enumerate();
            ways.filter_map(|(place, way)| Some((place, (*way)?)))
        };
        let (theirs, mine) = (abreast.next()[front], abreast.next()[back]);
        let first = abreast.next()[0];
        let seen = told().map(|(place, way)| (first[place].time, mine[place].time, way));
        self.clocks[back].go_by_the_first();
        self.clocks[back].learn_together(seen);
        if is_beside(front, back) {
            let seen = told().map(|(place, way)| (theirs[place].time, mine[place].time, way));
            self.beside[back].learn_together(seen);
        }
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
        let [entered, left] = [front, back].map(|point| abreast.times[point][place]);
        (left - entered).0.saturating_abs()
    }

    #[inline(always)]
    fn write_abreast(&mut self, abreast: &Abreast<impl Points>, taken: usize, book: &mut Book) {
        let mut accounts = [0; ABREAST];
        for (place, account) in accounts[..taken].iter_mut().enumerate() {
            let looks = abreast.next().iter().map(|next| next[place].look);
            let (first, last) = abreast.spans[place];
            let flow = abreast.flows[place];
            let reordered = self.paths.come_everywhere(flow, abreast.points());
            let passed = Passed {
                flow,
                ip_bytes: abreast.sighting(place).ip_bytes,
                first,
                last,
                reordered,
            };
            *account = book.pass(&passed, looks);
        }
        book.count_passed(&abreast.spans[..taken]);
        for (pair, ends) in pairs(abreast.points()).enumerate() {
            for (place, account) in accounts[..taken].iter().enumerate() {
                if abreast.sighting(place).can_be_told() {
                    book.delayed(*account, pair, self.delay(abreast, ends, place));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::{Batch, example};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag};

    fn flight() -> Flight {
        let mut flight = of_two_points();
        let batch = Batch {
            lanes: vec![FlowKey {
                addresses: Addresses::default(),
                ports: None,
                protocol: Protocol::UDP,
                scope: ScopeTag::WIRE,
            }],
            ..Batch::default()
        };
        (0..2).for_each(|point| flight.meet(point, &batch));
        flight
    }

    fn at(times: &[i64]) -> Vec<Sighting> {
        let sighting = |time: &i64| Sighting {
            time: Timestamp(*time),
            ..example(0)
        };
        times.iter().map(sighting).collect()
    }

    #[test]
    fn what_comes_within_ten_milliseconds_comes_at_once() {
        let flight = flight();
        let at_once = |next: &[Sighting]| flight.at_once(0, next, &mut [0; ABREAST]);
        let ten = AT_ONCE.0;
        assert_eq!(at_once(&[]), 0);
        assert_eq!(at_once(&at(&[0, ten, -ten, ten])), 4);
        assert_eq!(at_once(&at(&[0, 1, ten + 1, 2])), 2);
        assert_eq!(at_once(&at(&[0, 1, -ten - 1, 2])), 2);
        assert_eq!(at_once(&at(&[i64::MAX, i64::MIN])), 1);
        assert_eq!(at_once(&at(&[i64::MIN, i64::MIN, i64::MAX])), 2);
    }

    #[test]
    fn neither_fragments_nor_what_was_taken_comes_at_once() {
        let flight = flight();
        let mut flows = [0; ABREAST];
        let mut next = at(&[0; 4]);
        next[2].form = Form::Piece;
        assert_eq!(flight.at_once(0, &next, &mut flows), 2);
        let mut next = at(&[0; 4]);
        next[1].lane = NO_LANE;
        assert_eq!(flight.at_once(0, &next, &mut flows), 1);
        // Nobody has seen anything of the flow.
        assert_eq!(flows[0], NONE);
    }

    #[test]
    fn more_than_are_looked_at_together_wait() {
        let mut flight = flight();
        flight.is_acquainted = true;
        let next = at(&[0; ABREAST + 5]);
        let next: Vec<Sighting> = next.into_iter().zip(0..).map(numbered).collect();
        assert_eq!(flight.take_abreast(&[&next[..], &next[..]]), ABREAST);
        let left = &next[ABREAST..];
        assert_eq!(flight.take_abreast(&[left, left]), 5);
        assert_eq!(flight.take_abreast(&[left, &[]]), 0);
    }

    fn numbered((sighting, id): (Sighting, u32)) -> Sighting {
        Sighting {
            id: id + 1,
            is_fresh: true,
            ..sighting
        }
    }
}
