//! What is over is written down, and forgotten.

use super::due::Due;
use super::stray::Held;
use super::{FETCHED, Flight, SUPER_BYTES};
use crate::compare::book::Book;
use crate::compare::copies::Copied;
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::Became;
use crate::model::{Duration, Timestamp};

/// What every point has seen stays known for so long, for copies that come late.
pub(in crate::compare) const LINGER: Duration = Duration::from_millis(150);
/// So many of them, at most: what is known of more would not stay in a cache.
const MAX_LINGERING: usize = 1 << 13;

/// For so much room is made at once.
const MADE: usize = 64;

/// What is held by now.
pub(super) enum Now {
    Parcel(u32),
    /// A stray that nobody asked for.
    Stray(u32),
    /// What waits in line.
    Elsewhere,
}

/// Some of what is under way for longest, in full.
struct Oldest {
    held: [Held; FETCHED],
    count: usize,
}

impl Default for Oldest {
    fn default() -> Self {
        let held = [Held::parcel(NONE); FETCHED];
        Self { held, count: 0 }
    }
}

impl Oldest {
    fn all(&self) -> impl Iterator<Item = Held> {
        self.held[..self.count].iter().copied()
    }
}

/// How many were settled, and how many of them were under way until then.
#[derive(Default)]
struct Settled {
    all: usize,
    under_way: usize,
}

impl Flight {
    /// From now on time goes on up to then, and no further.
    pub(in crate::compare) fn hold(&mut self, until: Timestamp) {
        self.held = until;
    }

    /// Time goes on: what is over is settled.
    pub(in crate::compare) fn pass(&mut self, time: Timestamp) {
        self.now = self.now.max(time.min(self.held));
        while let Some(place) = self.march.overdue(self.now, LINGER) {
            self.falls_out(place);
        }
        while let Some(copied) = self.copies.take_before(self.now, LINGER) {
            self.write_copies(&copied);
        }
        while let Some(due) = self.young.front().copied() {
            if self.now - due.since() <= LINGER && self.young.len() <= MAX_LINGERING {
                break;
            }
            if self.young_fetched == 0 {
                self.young_fetched = self.fetch_young();
            }
            self.young_fetched -= 1;
            self.young.pop_front();
            self.look_at(due);
        }
        self.look_again_aside();
        let over = self.now.0.saturating_sub(self.window.0).saturating_sub(1);
        self.settle_oldest(usize::MAX, Timestamp(over));
    }

    /// What is under way for longest, of what is not seen everywhere, is over if it was seen until then,
    /// and so much of it at most.
    fn settle_oldest(&mut self, most: usize, until: Timestamp) -> Settled {
        let mut settled = Settled::default();
        loop {
            let before = settled.all;
            let oldest = self.take_oldest(most - settled.all, until);
            settled.all += oldest.count;
            for held in oldest.all() {
                settled.under_way += usize::from(self.is_under_way(held));
                self.settle_held(held);
            }
            let briefs = self.lose_oldest_briefs(most - settled.all, until);
            settled.all += briefs;
            settled.under_way += briefs;
            if settled.all == before {
                return settled;
            }
        }
    }

    /// Takes what is under way for longest up to the first that is in brief.
    fn take_oldest(&mut self, most: usize, until: Timestamp) -> Oldest {
        let mut oldest = Oldest::default();
        while oldest.count < most.min(FETCHED)
            && let Some(held) = self.pop_oldest(until)
        {
            oldest.held[oldest.count] = held;
            oldest.count += 1;
        }
        self.fetch_strays(&oldest);
        oldest
    }

    /// Takes what is under way for longest, of what is in order of time and what is kept aside in
    /// full.
    fn pop_oldest(&mut self, until: Timestamp) -> Option<Held> {
        let (first, point) = self.aside.first();
        let old = self.first_old();
        match first.min(old) {
            Due::NEVER => None,
            due if due.since() > until => None,
            _ if old < first => self.old.pop().map(Due::held),
            _ => self.aside.pop_held(point),
        }
    }

    fn first_old(&self) -> Due {
        self.old.first().unwrap_or(Due::NEVER)
    }

    /// What is under way for longest is over, up to the first that is not in brief; says how many.
    fn lose_oldest_briefs(&mut self, most: usize, until: Timestamp) -> usize {
        let old = self.first_old();
        let mut lost = 0;
        while lost < most {
            let (first, point) = self.aside.first();
            if first > old || first.since() > until {
                break;
            }
            let until = until.min(self.aside.in_turn_until(point, old));
            let run = self.lose_first_briefs(point, most - lost, until);
            if run == 0 {
                break;
            }
            lost += run;
        }
        lost
    }

    /// Reads what is about to be settled: it is far away in memory, and here all wait for it
    /// together.
    fn fetch_strays(&self, some: &Oldest) {
        let read = some.all().fold(0, |read, held| {
            let stray = held
                .number()
                .map_or_else(|stray| self.strays.read(stray), |_| 0);
            read ^ stray
        });
        std::hint::black_box(read);
    }

    /// Reads the pieces of the next that were seen not long ago: those of one are one behind the other,
    /// and here they wait for memory beside those of others. Says of how many.
    fn fetch_young(&self) -> usize {
        let next = self.young.iter().take(FETCHED);
        let next = next.filter_map(|due| due.held().number().ok());
        let next = next.map(|number| &self.parcels[number]);
        let mut at = [NONE; FETCHED];
        for (at, parcel) in at.iter_mut().zip(next) {
            // Those of one that was written down are no more.
            *at = if parcel.is_open { parcel.pieces } else { NONE };
        }
        let mut read = 0;
        while at.iter().any(|at| *at != NONE) {
            for at in at.iter_mut().filter(|at| **at != NONE) {
                read ^= self.seen(*at, 0).order;
                *at = self.pieces[*at].next;
            }
        }
        std::hint::black_box(read);
        self.young.len().min(FETCHED)
    }

    pub(super) fn look_at(&mut self, due: Due) {
        let Ok(number) = due.held().number() else {
            return;
        };
        let parcel = &self.parcels[number];
        if !parcel.is_open {
            self.parcels.remove(number);
        } else if self.is_everywhere(parcel) {
            self.settle(number);
        } else {
            self.parcels[number].is_old = true;
            self.old.push(due);
        }
    }

    /// Whether every point saw all of it, in the same pieces.
    pub(super) fn is_complete(&self, parcel: &Parcel) -> bool {
        let mut bytes = 0;
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.seen != self.everywhere {
                return false;
            }
            bytes += piece.bytes;
            at = piece.next;
        }
        bytes == parcel.length
    }

    /// Whether every point saw all of it: of a datagram, whole or in whatever fragments.
    pub(super) fn is_everywhere(&self, parcel: &Parcel) -> bool {
        match parcel.form == Form::Segment || parcel.is_super_udp {
            true => self.is_complete(parcel),
            false => self.is_had_by_all(parcel),
        }
    }

    /// What cannot be told from others of its kind is over as soon as all have seen it; so
    /// is what took long, and what would have marched had its flow been known before.
    pub(super) fn settle_at_once(&mut self, number: u32, piece: u32, sighting: &Sighting) {
        let parcel = &self.parcels[number];
        if self.pieces[piece].seen != self.everywhere || !parcel.is_open {
            return;
        }
        let flow = self.paths.resolve(parcel.flow);
        let is_alike = parcel.form == Form::Whole && !parcel.has_identity;
        let might_have_marched = self.comes_as_one(sighting, flow)
            && parcel.is_one(&self.pieces[piece])
            && parcel.id == sighting.id
            && (0..self.points).all(|point| self.seen(piece, point).copies == 0);
        let took_long = parcel.is_old || self.now - parcel.first > LINGER;
        let is_over = took_long && self.is_complete(parcel);
        // How long it took is told once clocks are known.
        let is_timed = self.is_acquainted || !parcel.tells_time;
        if might_have_marched {
            let key = sighting.identity().key(flow);
            self.march.passed(key, sighting, parcel.last);
        }
        if might_have_marched || is_alike {
            self.retire(number);
        }
        if ((is_alike || might_have_marched) && is_timed) || is_over {
            self.close(number);
        }
    }

    /// The oldest go first.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&mut self) {
        let until = self.look_again_at_oldest();
        let mut settled = self.settle_oldest(MADE, until);
        if settled.all == 0
            && let Some(youngest) = self.young.pop_front()
        {
            settled.under_way += usize::from(self.is_under_way(youngest.held()));
            self.settle_held(youngest.held());
        }
        self.crowded_out += settled.under_way as u64;
    }

    /// The book, once all is settled.
    pub(in crate::compare) fn take_book(&mut self) -> Book {
        self.book.take().map(|book| *book).unwrap_or_default()
    }

    pub(super) fn write_copies(&mut self, copied: &Copied) {
        let flow = self.paths.resolve(copied.flow);
        if let Some(book) = &mut self.book {
            book.copied(flow, copied);
        }
    }

    pub(super) fn account_of(&self, parcel: &Parcel) -> u32 {
        self.paths.resolve(match parcel.ported {
            NONE => parcel.flow,
            ported => ported,
        })
    }

    /// What is held by now.
    pub(super) fn held(&self, held: Held) -> Now {
        match held.number() {
            Ok(parcel) => Now::Parcel(parcel),
            Err(stray) => match self.strays.became(stray) {
                Became::Nothing => Now::Stray(stray),
                Became::Parcel(parcel) => Now::Parcel(parcel),
                Became::InLine => Now::Elsewhere,
            },
        }
    }

    fn is_under_way(&self, held: Held) -> bool {
        match self.held(held) {
            Now::Parcel(parcel) => self.parcels[parcel].is_under_way,
            Now::Stray(_) => true,
            Now::Elsewhere => false,
        }
    }

    fn settle_held(&mut self, held: Held) {
        match self.held(held) {
            Now::Stray(stray) => return self.lose(stray),
            Now::Parcel(parcel) => self.settle(parcel),
            Now::Elsewhere => {}
        }
        if let Err(stray) = held.number() {
            self.strays.remove(stray);
        }
    }

    pub(super) fn settle(&mut self, number: u32) {
        if self.parcels[number].is_open {
            self.close(number);
        }
        self.parcels.remove(number);
    }

    /// A parcel is no longer under way: nothing that comes is of it.
    pub(super) fn retire(&mut self, number: u32) {
        let parcel = &mut self.parcels[number];
        if !std::mem::replace(&mut parcel.is_under_way, false) {
            return;
        }
        self.count_lone(number);
        for latest in &mut self.latest {
            if latest.parcel == number {
                latest.parcel = NONE;
            }
        }
        let parcel = &self.parcels[number];
        let flow = parcel.flow;
        if self.joins_udp {
            self.messages.forget(flow, number);
        }
        let may_be_super = parcel.form != Form::Piece && parcel.length > SUPER_BYTES;
        self.index.remove(parcel.keys);
        self.note_over(flow);
        if may_be_super {
            self.supers.forget(flow, number);
        }
    }

    /// Writes a parcel into the book and forgets it; its number stays taken.
    pub(super) fn close(&mut self, number: u32) {
        self.retire(number);
        self.write(number);
        let mut at = self.parcels[number].pieces;
        while at != NONE {
            let piece = self.pieces[at];
            if piece.damaged != 0 {
                self.damages.forget(at);
            }
            self.pieces.remove(at);
            at = piece.next;
        }
    }

    /// Writes down what became of a parcel.
    fn write(&mut self, number: u32) {
        self.parcels[number].is_open = false;
        self.write_down(|flight, book| {
            let parcel = &flight.parcels[number];
            book.settle(flight, parcel, flight.account_of(parcel));
        });
    }
}
