//! Packets that all points are about to take next: they are done with at once, and wait for
//! nobody. Many are looked at together, one question after the other: what each answer needs
//! is far away in memory, and so all wait for it together.

use super::clocks::Trust;
use super::settle::LINGER;
use super::step::Told;
use super::{Arrival, Flight, bit, key};
use crate::compare::book::Passed;
use crate::compare::parcel::Seen;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::Timestamp;

/// Packets that are looked at together.
pub(in crate::compare) const ABREAST: usize = 32;

/// How a packet comes to all points.
#[derive(Debug, Default)]
pub(super) struct Come {
    /// When, by the clock of the first point, and to which: the earliest first.
    to: Vec<(Timestamp, usize)>,
    /// By point.
    seen: Vec<Seen>,
}

impl Come {
    fn first(&self) -> Timestamp {
        self.to.first().map_or(Timestamp::MIN, |(first, _)| *first)
    }

    fn last(&self) -> Timestamp {
        self.to.last().map_or(Timestamp::MAX, |(last, _)| *last)
    }
}

impl Flight {
    /// Takes what every point takes next, as far as that is the same packet everywhere, and
    /// surely no other; gives how many these were. `next` is what has come of each point.
    pub fn take_abreast(&mut self, next: &[&[Sighting]]) -> usize {
        if !self.is_acquainted {
            return 0;
        }
        let mut flows = [NONE; ABREAST];
        let common = self.common(next, &mut flows);
        if common > 1 {
            self.fetch_flows(0, &flows[..common]);
        }
        let mut flows = flows[..common].iter().enumerate();
        let other = flows.find(|(place, flow)| !self.takes_abreast(next, *place, **flow));
        other.map_or(common, |(place, _)| place)
    }

    /// Whether a sighting is of a kind that all points may take at once.
    pub fn may_be_abreast(&self, sighting: &Sighting) -> bool {
        self.is_acquainted && sighting.form != Form::Piece
    }

    /// The flow of what may be taken so, if all points know it.
    pub fn flow_abreast(&self, point: usize, sighting: &Sighting) -> Option<u32> {
        let flow = self.paths.bound_to(point, sighting.lane);
        let may_be = flow != NONE
            && self.may_be_abreast(sighting)
            && self.is_sure(flow, sighting.is_fresh)
            && !self.paths.is_wanting(flow);
        may_be.then_some(flow)
    }

    /// Whether a packet that every point sees next can be nothing else of its flow.
    fn is_sure(&self, flow: u32, is_fresh: bool) -> bool {
        is_fresh || (!self.paths.is_under_way(flow) && !self.march.waits(flow))
    }

    /// How many packets are the same at every point, and of which flows.
    fn common(&self, next: &[&[Sighting]], flows: &mut [u32; ABREAST]) -> usize {
        let Some((first, others)) = next.split_first() else {
            return 0;
        };
        let longest = next.iter().map(|next| next.len()).min().unwrap_or(0);
        for place in 0..longest.min(ABREAST) {
            let sighting = &first[place];
            let is_same = |other: &&[Sighting]| other[place].is_same_as(sighting);
            if sighting.form == Form::Piece || !others.iter().all(is_same) {
                return place;
            }
            let flow = self.paths.bound_to(0, sighting.lane);
            let mut theirs = (1..).zip(others);
            let is_it = |(point, other): (usize, &&[Sighting])| {
                self.paths.bound_to(point, other[place].lane) == flow
            };
            if flow == NONE || !theirs.all(is_it) {
                return place;
            }
            flows[place] = flow;
        }
        longest.min(ABREAST)
    }

    /// Takes a packet that is the same at every point, if there is nothing else that it may
    /// be; says whether it did.
    fn takes_abreast(&mut self, next: &[&[Sighting]], place: usize, flow: u32) -> bool {
        let sighting = &next[0][place];
        let is_fresh = next.iter().all(|next| next[place].is_fresh);
        if !self.is_sure(flow, is_fresh)
            || self.paths.is_part(flow)
            || !self.comes_as_one(sighting, flow)
        {
            return false;
        }
        let mut come = std::mem::take(&mut self.come);
        self.put_in_order(next, place, &mut come);
        let is_taken = come.last() - come.first() <= LINGER && {
            self.pass(come.first());
            self.is_new(sighting, flow, &come, is_fresh)
        };
        if is_taken {
            // What waits was passed over.
            self.fall_out(flow);
            self.ask_the_way(flow);
            self.come_everywhere(next, place, &mut come, flow);
        }
        self.come = come;
        is_taken
    }

    /// Finds in which order a packet came to the points.
    fn put_in_order(&self, next: &[&[Sighting]], place: usize, come: &mut Come) {
        come.to.clear();
        for (point, next) in next.iter().enumerate() {
            come.to.push((self.time_of(point, &next[place]), point));
        }
        if !come.to.is_sorted() {
            come.to.sort_unstable();
        }
    }

    /// Whether a packet is no copy of what passed not long ago. Then it is noted.
    fn is_new(&mut self, sighting: &Sighting, flow: u32, come: &Come, is_fresh: bool) -> bool {
        let arrival = Arrival {
            point: 0,
            sighting,
            time: come.first(),
        };
        let is_new = is_fresh || self.tell(arrival, flow) == Told::New;
        if is_new && sighting.can_be_told() {
            let key = key(flow, sighting.identity());
            self.march.passed(key, sighting, come.last());
        }
        is_new
    }

    /// Every point sees a packet, one after the other, and it is written down.
    fn come_everywhere(&mut self, next: &[&[Sighting]], place: usize, come: &mut Come, flow: u32) {
        let (first, last, seen) = (come.first(), come.last(), &mut come.seen);
        seen.resize(next.len(), Seen::default());
        let (mut others, mut reordered) = (0, 0);
        for (_, point) in &come.to {
            let (sighting, point) = (&next[*point][place], *point);
            seen[point] = Seen::of(sighting, self.paths.next_order(flow, point));
            if others != 0 {
                let trust = Trust::of(sighting, true, true);
                let seen_at = |_: &Self, other: usize| seen[other];
                self.learn(point, sighting, others, seen_at, flow, trust);
                let order_at = |other: usize| seen[other].order;
                reordered |= self.paths.come(flow, point, others, order_at);
            }
            others |= bit(point);
        }
        if let Some(mut book) = self.book.take() {
            let passed = Passed {
                sighting: &next[0][place],
                flow,
                first,
                last,
                reordered,
                seen,
            };
            book.settle_in_step(self, &passed);
            self.book = Some(book);
        }
    }
}
