//! What is left at the end is written down by two at once, each into the accounts of a share of
//! the flows: nobody matches any more, so that all else stays as it is.

use super::aside::{Aside, first_due, in_turn_until};
use super::due::Due;
use super::in_brief::IN_ONE_GO;
use super::queue::Queue;
use super::settle::Now;
use super::stray::Held;
use super::{FETCHED, Flight};
use crate::compare::book::Book;
use crate::compare::brief::Brief;
use crate::compare::slab::NONE;
use std::thread;

/// So many that are left are written down by account: those of one are at hand then.
const GROUPED: usize = 1 << 12;
/// Less is written down by one alone before another has begun.
const WORTH_TWO: usize = 1 << 14;

/// All that is left, in the order in which it is due; what is kept in brief about so. It stays where it
/// is.
#[derive(Clone)]
struct Left<'a> {
    old: &'a [Due],
    aside: &'a Aside,
    /// Of what each point has aside: how many are passed, and when the next is due.
    places: Vec<(usize, Due)>,
}

/// Something that is left.
#[derive(Clone, Copy)]
enum What<'a> {
    Brief(&'a Brief),
    Held(Held),
}

/// The same, and the flow whose account it is written into.
#[derive(Clone, Copy)]
struct Item<'a> {
    flow: u32,
    what: What<'a>,
}

impl<'a> Left<'a> {
    fn of(old: &'a [Due], aside: &'a Aside) -> Self {
        let firsts = aside.queues.iter().map(Queue::first);
        let places = firsts.map(|first| (0, first)).collect();
        Self { old, aside, places }
    }

    /// How many there are.
    fn len(&self) -> usize {
        self.old.len() + self.aside.len()
    }

    /// Gives what is next, and of what is kept in brief so many at most in one go; says whether there
    /// was any.
    fn give(&mut self, most: usize, mut take: impl FnMut(What<'a>)) -> bool {
        let (first, point) = first_due(self.places.iter().map(|(_, first)| *first));
        let old = self.old.first().copied().unwrap_or(Due::NEVER);
        if first.min(old) == Due::NEVER {
            return false;
        }
        if old < first {
            self.old = &self.old[1..];
            take(What::Held(old.held()));
            return true;
        }
        let (place, queue) = (self.places[point].0, &self.aside.queues[point]);
        let mut many = 0;
        match queue.held_at(place) {
            Some(held) => {
                take(What::Held(held));
                many = 1;
            }
            None => {
                let firsts = self.places.iter().map(|(_, first)| *first);
                let until = in_turn_until(firsts, point, old);
                for brief in queue.briefs_in_turn(place, until).take(most) {
                    take(What::Brief(brief));
                    many += 1;
                }
            }
        }
        self.pass(point, many);
        many > 0
    }

    fn pass(&mut self, point: usize, many: usize) {
        let place = self.places[point].0 + many;
        self.places[point] = (place, self.aside.queues[point].due_at(place));
    }
}

impl What<'_> {
    /// Whether it is a stray, or was one.
    fn is_stray(&self) -> bool {
        match self {
            Self::Brief(_) => true,
            Self::Held(held) => held.number().is_err(),
        }
    }
}

impl Flight {
    /// Settles all that is left.
    pub(in crate::compare) fn finish(&mut self) {
        self.finish_by_two_from(WORTH_TWO);
    }

    /// The same, by two at once if so much is left.
    fn finish_by_two_from(&mut self, worth_two: usize) {
        self.is_ending = true;
        self.look_again_at_all_aside();
        self.index.close();
        self.all_fall_out();
        while let Some(copied) = self.copies.take() {
            self.write_copies(&copied);
        }
        while let Some(due) = self.young.pop_front() {
            self.look_at(due);
        }
        let old = self.old.take_all();
        self.write_down(|flight, book| {
            let flight = &*flight;
            let mut left = Left::of(&old, &flight.aside);
            let is_much = left.len() >= worth_two;
            // Until then it matters in which order all is written.
            while !book.has_begun() && flight.write_next(&mut left, book) {}
            match is_much {
                true => flight.write_by_two(left, book),
                false => flight.write_all(left, book),
            }
        });
    }

    /// Writes down what is next; says whether there was any.
    fn write_next(&self, left: &mut Left<'_>, book: &mut Book) -> bool {
        left.give(1, |what| {
            if let Some(flow) = self.account_kept(&what) {
                self.write_kept(&Item { flow, what }, book);
            }
        })
    }

    /// Both write the same as one would, each into the accounts that are its own.
    fn write_by_two(&self, left: Left<'_>, book: &mut Book) {
        let mut share = book.take_share();
        thread::scope(|scope| {
            let (theirs, share) = (left.clone(), &mut share);
            scope.spawn(move || self.write_all(theirs, share));
            self.write_all(left, book);
        });
        book.give_back(share);
    }

    /// Writes all that is left into the accounts of a book.
    fn write_all(&self, left: Left<'_>, book: &mut Book) {
        let mut left = left;
        let mut group: Vec<Item<'_>> = Vec::with_capacity(GROUPED + IN_ONE_GO);
        loop {
            let is_more = left.give(IN_ONE_GO, |what| {
                if let Some(flow) = self.account_kept(&what)
                    && book.is_for(flow)
                {
                    group.push(Item { flow, what });
                }
            });
            if group.len() >= GROUPED || !is_more {
                self.write_group(&mut group, book);
                group.clear();
            }
            if !is_more {
                return;
            }
        }
    }

    /// Writes some of it down.
    fn write_group(&self, group: &mut [Item<'_>], book: &mut Book) {
        if !self.are_in_runs(group, book) {
            group.sort_by_key(|item| item.flow);
        }
        for some in group.chunks(FETCHED) {
            self.fetch_held(some, book);
            for item in some {
                self.write_kept(item, book);
            }
        }
    }

    /// Whether most of it goes on with what its flows have had: then what is counted in is small
    /// enough to be at hand for all of them.
    fn are_in_runs(&self, group: &[Item<'_>], book: &Book) -> bool {
        let is_in_run = |item: &&Item<'_>| item.what.is_stray() && book.is_in_run(item.flow);
        group.iter().filter(is_in_run).count() > group.len() / 2
    }

    /// Nobody will ask for it any more: it is left where it is.
    fn write_kept(&self, Item { flow, what }: &Item<'_>, book: &mut Book) {
        match what {
            What::Brief(brief) => self.write_brief(brief, *flow, book),
            What::Held(held) => match self.held(*held) {
                Now::Parcel(parcel) => book.settle(self, &self.parcels[parcel], *flow),
                Now::Stray(stray) => self.write_stray(stray, *flow, book),
                Now::Elsewhere => {}
            },
        }
    }

    /// Reads what is known of what is about to be settled: it is far away in memory, and here
    /// all wait for it together.
    fn fetch_held(&self, some: &[Item<'_>], book: &Book) {
        let read = some.iter().fold(0, |read, item| {
            let account = book.read_account(item.flow);
            read ^ account ^ self.read_kept(&item.what)
        });
        std::hint::black_box(read);
    }

    fn read_kept(&self, what: &What<'_>) -> u32 {
        let What::Held(held) = what else {
            return 0;
        };
        match held.number().map(|parcel| self.parcels[parcel].pieces) {
            Err(_) | Ok(NONE) => 0,
            Ok(piece) => self.pieces[piece].ip_bytes ^ self.seen(piece, 0).order,
        }
    }

    /// The flow whose account something is written into, if it is.
    #[inline(always)]
    fn account_kept(&self, what: &What<'_>) -> Option<u32> {
        match what {
            What::Brief(brief) => Some(self.paths.resolve(brief.flow)),
            What::Held(held) => self.account_held(*held),
        }
    }

    fn account_held(&self, held: Held) -> Option<u32> {
        match self.held(held) {
            Now::Parcel(parcel) => {
                let parcel = &self.parcels[parcel];
                parcel.is_open.then(|| self.account_of(parcel))
            }
            Now::Stray(stray) => Some(self.counted_aside(self.strays.get(stray))),
            Now::Elsewhere => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::take;
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::{Batch, Form, Sighting, example};
    use crate::model::{Addresses, FlowKey, Ports, Protocol, ScopeTag, Timestamp};
    use proptest::prelude::*;

    const FLOWS: u32 = 7;

    /// What points see of one packet, one millisecond behind the other.
    #[derive(Clone, Debug)]
    struct Sent {
        flow: u32,
        seen: [bool; 2],
        /// Of a datagram in two fragments, which of these.
        piece: Option<u32>,
    }

    fn sent() -> impl Strategy<Value = Vec<Sent>> {
        let seen = prop_oneof![
            3 => Just([true, true]),
            2 => Just([true, false]),
            1 => Just([false, true]),
        ];
        let piece = prop_oneof![6 => Just(None), 1 => (0..2_u32).prop_map(Some)];
        let one = (0..FLOWS, seen, piece);
        let one = one.prop_map(|(flow, seen, piece)| Sent { flow, seen, piece });
        prop::collection::vec(one, 1..300)
    }

    /// Both points know all flows, but for the last, which the first knows alone.
    fn flight() -> Flight {
        let mut flight = of_two_points();
        let key = |flow: u32| FlowKey {
            addresses: Addresses::v4([10, 0, 0, flow as u8], [10, 0, 1, 1]),
            ports: Some(Ports {
                source: 7,
                destination: 9,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        for (point, flows) in [FLOWS, FLOWS - 1].into_iter().enumerate() {
            let batch = Batch {
                lanes: (0..flows).map(key).collect(),
                ..Batch::default()
            };
            flight.meet(point, &batch);
        }
        let span = Some((Timestamp(0), Timestamp(1_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    fn sighting(Sent { flow, piece, .. }: &Sent, id: u32) -> Sighting {
        let whole = Sighting {
            lane: *flow,
            is_fresh: true,
            ..example(id)
        };
        match piece {
            None => whole,
            Some(number) => Sighting {
                form: Form::Piece,
                offset: number * whole.bytes,
                more: *number == 0,
                ..whole
            },
        }
    }

    /// What is written down where so much is left by two at once.
    fn told(all: &[Sent], worth_two: usize) -> String {
        let mut flight = flight();
        for (id, sent) in (1..).zip(all) {
            let is_known = [true, sent.flow + 1 < FLOWS];
            for point in (0..2).filter(|point| sent.seen[*point] && is_known[*point]) {
                let millisecond = i64::from(id) + point as i64;
                take(&mut flight, point, millisecond, &sighting(sent, id));
            }
        }
        flight.finish_by_two_from(worth_two);
        let book = flight.take_book();
        let tallies = book.tallies.clone();
        let (accounts, pairs) = book.into_accounts();
        let pairs = pairs.iter().map(|(series, delays)| (&series.steps, delays));
        format!("{tallies:?} {accounts:?} {:?}", pairs.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn two_write_down_what_one_would(all in sent()) {
            prop_assert_eq!(told(&all, 0), told(&all, usize::MAX));
        }
    }
}
