//! What is left at the end is written down by two at once, each into the accounts of a share of
//! the flows: nobody matches any more, so that all else stays as it is.

use super::aside::{Aside, first_due};
use super::due::Due;
use super::queue::{Kept, Queue};
use super::settle::Now;
use super::{FETCHED, Flight};
use crate::compare::book::Book;
use crate::compare::rows::Rows;
use crate::compare::slab::NONE;
use std::sync::mpsc::sync_channel;
use std::thread;

/// So many that are left are written down by account: those of one are at hand then.
const GROUPED: usize = 1 << 12;
/// Groups that wait for the second of the two.
const GROUPS: usize = 4;
/// Less is written down by one alone before another has begun.
const WORTH_TWO: usize = 1 << 14;

/// All that is left, in the order in which it is due: what is kept aside is in order, as the old is
/// here.
struct Left<'a> {
    old: Rows<Due>,
    aside: Vec<LeftAside<'a>>,
}

/// What is left of what a point has aside: it stays where it is.
struct LeftAside<'a> {
    point: usize,
    queue: &'a Queue,
    place: usize,
    first: Due,
}

/// Something that is left, and the flow whose account it is written into.
#[derive(Clone, Copy)]
struct Item {
    flow: u32,
    kept: Kept,
}

/// Some of it, by who writes it down.
#[derive(Default)]
struct Groups {
    mine: Vec<Item>,
    theirs: Lent,
}

/// What the other one is to write down.
#[derive(Default)]
struct Lent {
    /// Flows whose accounts are not open there yet, and the numbers of these.
    opened: Vec<(u32, usize)>,
    items: Vec<Item>,
}

impl Groups {
    /// Opens the accounts of all in their order, whoever writes them down, and in whatever order.
    fn of(items: impl Iterator<Item = Item>, book: &mut Book) -> Self {
        let mut groups = Self::default();
        for item in items {
            let (is_lent, opened) = book.lends(item.flow);
            let opened = opened.map(|number| (item.flow, number));
            groups.theirs.opened.extend(opened);
            match is_lent {
                true => groups.theirs.items.push(item),
                false => groups.mine.push(item),
            }
        }
        groups
    }
}

impl<'a> LeftAside<'a> {
    fn of((point, queue): (usize, &'a Queue)) -> Self {
        Self {
            point,
            queue,
            place: 0,
            first: queue.first(),
        }
    }

    fn pop(&mut self) -> Option<Kept> {
        let first = self.queue.kept_at(self.place, self.point);
        self.place += 1;
        self.first = self.queue.due_at(self.place);
        first
    }
}

impl<'a> Left<'a> {
    fn of(old: Rows<Due>, aside: &'a Aside) -> Self {
        let queues = aside.queues.iter().enumerate();
        let aside = queues.map(LeftAside::of).collect();
        Self { old, aside }
    }
}

impl Iterator for Left<'_> {
    type Item = Kept;

    fn next(&mut self) -> Option<Kept> {
        let (first, place) = first_due(self.aside.iter().map(|left| left.first));
        match self.old.first() {
            Some(old) if old < first => self.old.pop().map(|due| Kept::Held(due.held())),
            _ => self.aside[place].pop(),
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
        let old = std::mem::take(&mut self.old);
        self.write_down(|flight, book| {
            let flight = &*flight;
            let is_much = old.len() + flight.aside.len() >= worth_two;
            flight.write_left(Left::of(old, &flight.aside), is_much, book);
        });
    }

    fn write_left(&self, left: Left<'_>, is_much: bool, book: &mut Book) {
        let items = left.filter_map(|kept| {
            let flow = self.account_kept(&kept)?;
            Some(Item { flow, kept })
        });
        let mut items = items;
        // Until then it matters in which order all is written.
        while !book.has_begun() {
            match items.next() {
                None => return,
                Some(item) => self.write_kept(&item, book),
            }
        }
        match is_much {
            true => self.write_by_two(items, book),
            false => self.write_by_one(items, book),
        }
    }

    fn write_by_one(&self, items: impl Iterator<Item = Item>, book: &mut Book) {
        let mut items = items.peekable();
        while items.peek().is_some() {
            let mut group = Groups::of(items.by_ref().take(GROUPED), book);
            self.write_group(&mut group.mine, book);
        }
    }

    /// Both write the same as one would.
    fn write_by_two(&self, items: impl Iterator<Item = Item>, book: &mut Book) {
        let mut items = items.peekable();
        let mut share = book.take_share();
        thread::scope(|scope| {
            let (theirs, groups) = sync_channel::<Lent>(GROUPS);
            let share = &mut share;
            scope.spawn(move || {
                for mut group in groups {
                    for (flow, number) in group.opened {
                        share.open_as(flow, number);
                    }
                    self.write_group(&mut group.items, share);
                }
            });
            while items.peek().is_some() {
                let mut groups = Groups::of(items.by_ref().take(GROUPED), book);
                // Only where the other one has panicked nobody takes it, and then so does this.
                let _ = theirs.send(groups.theirs);
                self.write_group(&mut groups.mine, book);
            }
        });
        book.give_back(share);
    }

    /// Writes some of it down.
    fn write_group(&self, group: &mut [Item], book: &mut Book) {
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
    fn are_in_runs(&self, group: &[Item], book: &Book) -> bool {
        let is_in_run = |item: &&Item| item.kept.is_stray() && book.is_in_run(item.flow);
        group.iter().filter(is_in_run).count() > group.len() / 2
    }

    /// Nobody will ask for it any more: it is left where it is.
    fn write_kept(&self, Item { flow, kept }: &Item, book: &mut Book) {
        match kept {
            Kept::Brief(point, number) => {
                if let Some(brief) = self.aside.brief(*point, *number) {
                    self.write_brief(brief, *flow, book);
                }
            }
            Kept::Held(held) => match self.held(*held) {
                Now::Parcel(parcel) => book.settle(self, &self.parcels[parcel], *flow),
                Now::Stray(stray) => self.write_stray(stray, *flow, book),
                Now::Elsewhere => {}
            },
        }
    }

    /// Reads what is known of what is about to be settled: it is far away in memory, and here
    /// all wait for it together.
    fn fetch_held(&self, some: &[Item], book: &Book) {
        let read = some.iter().fold(0, |read, item| {
            let account = book.read_account(item.flow);
            read ^ account ^ self.read_kept(&item.kept)
        });
        std::hint::black_box(read);
    }

    fn read_kept(&self, kept: &Kept) -> u32 {
        let Kept::Held(held) = kept else {
            return 0;
        };
        match held.number().map(|parcel| self.parcels[parcel].pieces) {
            Err(_) | Ok(NONE) => 0,
            Ok(piece) => self.pieces[piece].ip_bytes ^ self.seen(piece, 0).order,
        }
    }

    /// The flow whose account something is written into, if it is.
    fn account_kept(&self, kept: &Kept) -> Option<u32> {
        let held = match kept {
            Kept::Brief(point, number) => {
                let brief = self.aside.brief(*point, *number)?;
                return Some(self.paths.resolve(brief.flow));
            }
            Kept::Held(held) => *held,
        };
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
        format!("{tallies:?} {:?}", book.into_accounts())
    }

    proptest! {
        #[test]
        fn two_write_down_what_one_would(all in sent()) {
            prop_assert_eq!(told(&all, 0), told(&all, usize::MAX));
        }
    }
}
