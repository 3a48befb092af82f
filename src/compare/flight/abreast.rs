//! Packets that all points are about to take next: they are done with at once, and wait for
//! nobody. Many are looked at together, one question after the other: what each answer needs
//! is far away in memory, and so all wait for it together.

use super::clocks::Trust;
use super::step::COPIES_COME_WITHIN;
use super::{Flight, apart, bit, key};
use crate::compare::book::Passed;
use crate::compare::parcel::Seen;
use crate::compare::run::MAX_POINTS;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::Timestamp;

/// Packets that are looked at together.
pub(in crate::compare) const ABREAST: usize = 32;

/// What is kept of those at hand.
#[derive(Debug, Default)]
pub(super) struct Row {
    flows: [u32; ABREAST],
    /// When each was first seen, and when last, by the clock of the first point.
    times: [(Timestamp, Timestamp); ABREAST],
    /// By packet and point.
    seen: Vec<Seen>,
    reordered: [u32; ABREAST],
}

/// When a packet came to each point, by the clock of the first, the earliest first.
struct Come {
    at: [(Timestamp, usize); MAX_POINTS],
    points: usize,
}

impl Come {
    fn first(&self) -> Timestamp {
        self.at[0].0
    }

    fn last(&self) -> Timestamp {
        self.at[self.points - 1].0
    }
}

impl Flight {
    /// Takes what every point takes next, as far as that is the same packet everywhere, and
    /// nothing of its flow is on its way; gives how many these were. `next` is what has come
    /// of each point.
    pub fn take_abreast(&mut self, next: &[&[Sighting]]) -> usize {
        if !self.is_acquainted {
            return 0;
        }
        let mut row = self.row.take().unwrap_or_default();
        let common = self.common(next, &mut row);
        self.fetch_flows(0, &row.flows[..common]);
        let alone = self.alone(next, common, &row);
        let taken = self.come_abreast(next, alone, &mut row);
        self.settle_abreast(next, taken, &row);
        self.row = Some(row);
        taken
    }

    /// How many packets are the same at every point, and of which flows.
    fn common(&self, next: &[&[Sighting]], row: &mut Row) -> usize {
        let Some((first, others)) = next.split_first() else {
            return 0;
        };
        let longest = next.iter().map(|next| next.len()).min().unwrap_or(0);
        for place in 0..longest.min(ABREAST) {
            let sighting = &first[place];
            let flow = self.paths.bound_to(0, sighting.lane);
            let is_it = |(other, point): (&&[Sighting], usize)| {
                let other = &other[place];
                other.is_same_as(sighting) && self.paths.bound_to(point, other.lane) == flow
            };
            if flow == NONE || sighting.form == Form::Piece || !others.iter().zip(1..).all(is_it) {
                return place;
            }
            row.flows[place] = flow;
        }
        longest.min(ABREAST)
    }

    /// Of how many of these nothing of the flow is on its way.
    fn alone(&self, next: &[&[Sighting]], common: usize, row: &Row) -> usize {
        let flows = row.flows[..common].iter().zip(next[0]);
        let is_alone = |(flow, sighting): (&u32, &Sighting)| {
            self.paths.get(*flow).is_alone()
                && self.march.first_of(*flow) == NONE
                && self.comes_as_one(sighting, *flow)
        };
        flows.take_while(|each| is_alone(*each)).count()
    }

    /// Every point sees these packets, as far as they are no copies of what passed not long
    /// ago; gives how many that were.
    fn come_abreast(&mut self, next: &[&[Sighting]], packets: usize, row: &mut Row) -> usize {
        let points = next.len();
        row.seen.resize(ABREAST * points, Seen::default());
        for place in 0..packets {
            let (sighting, flow) = (&next[0][place], row.flows[place]);
            let come = self.order_of(next, place);
            self.pass(come.first());
            if !self.is_new(sighting, flow, &come) {
                return place;
            }
            self.ask_the_way(flow);
            let seen = &mut row.seen[place * points..][..points];
            row.reordered[place] = self.come_everywhere(next, place, &come, flow, seen);
            row.times[place] = (come.first(), come.last());
        }
        packets
    }

    /// In which order a packet came to the points.
    fn order_of(&self, next: &[&[Sighting]], place: usize) -> Come {
        let mut come = Come {
            at: [(Timestamp::MAX, 0); MAX_POINTS],
            points: next.len(),
        };
        for ((at, next), point) in come.at.iter_mut().zip(next).zip(0..) {
            *at = (self.time_of(point, &next[place]), point);
        }
        let at = &mut come.at[..next.len()];
        if !at.is_sorted() {
            at.sort_unstable();
        }
        come
    }

    /// Whether a packet is no copy of what passed not long ago. Then it is noted.
    fn is_new(&mut self, sighting: &Sighting, flow: u32, come: &Come) -> bool {
        let is_near =
            |before| sighting.has_identity() && apart(come.first(), before) <= COPIES_COME_WITHIN;
        let key = key(flow, sighting.identity());
        !sighting.can_be_told() || self.march.passes_new(key, sighting, come.last(), is_near)
    }

    /// Every point sees a packet, one after the other; gives where it was overtaken.
    fn come_everywhere(
        &mut self,
        next: &[&[Sighting]],
        place: usize,
        come: &Come,
        flow: u32,
        seen: &mut [Seen],
    ) -> u32 {
        let (mut others, mut reordered) = (0, 0);
        for (_, point) in &come.at[..come.points] {
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
        reordered
    }

    fn settle_abreast(&mut self, next: &[&[Sighting]], packets: usize, row: &Row) {
        let Some(mut book) = self.book.take() else {
            return;
        };
        let points = next.len();
        for (place, sighting) in next[0][..packets].iter().enumerate() {
            let (first, last) = row.times[place];
            let passed = Passed {
                sighting,
                flow: row.flows[place],
                first,
                last,
                reordered: row.reordered[place],
                seen: &row.seen[place * points..][..points],
            };
            book.settle_in_step(self, &passed);
        }
        self.book = Some(book);
    }
}
