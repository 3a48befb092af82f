//! What is over is written down, and forgotten.

use super::stray::Held;
use super::{Due, FETCHED, Flight, SUPER_BYTES};
use crate::compare::book::Book;
use crate::compare::copies::Copied;
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::Became;
use crate::model::{Duration, Timestamp};
use std::cmp::Reverse;
use std::iter::Peekable;

/// What every point has seen stays known for so long, for copies that come late.
pub(in crate::compare) const LINGER: Duration = Duration::from_millis(150);
/// So many of them, at most: what is known of more would not stay in a cache.
const MAX_LINGERING: usize = 1 << 13;

/// So many that are left are written down by account: those of one are at hand then.
const GROUPED: usize = 1 << 12;

/// What is held by now.
enum Now {
    Parcel(u32),
    /// A stray that nobody asked for.
    Stray(u32),
    /// What waits in line.
    Elsewhere,
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
            if self.now - due.since <= LINGER && self.young.len() <= MAX_LINGERING {
                break;
            }
            self.young.pop_front();
            self.look_at(due);
        }
        let window = self.window;
        while let Some(due) = self.oldest().filter(|due| self.now - due.since > window) {
            self.take_oldest();
            self.settle_held(due.held);
        }
    }

    /// What is under way for longest, of what is not seen everywhere.
    fn oldest(&self) -> Option<Due> {
        let old = self.old.peek().map(|Reverse(due)| *due);
        old.into_iter().chain(self.aside.first()).min()
    }

    fn take_oldest(&mut self) -> Option<Due> {
        match self.oldest() {
            oldest if oldest == self.aside.first() => self.aside.pop(&self.strays),
            _ => self.old.pop().map(|Reverse(due)| due),
        }
    }

    pub(super) fn look_at(&mut self, due: Due) {
        let Ok(number) = due.held.number() else {
            return;
        };
        let parcel = &self.parcels[number];
        if !parcel.is_open {
            self.parcels.remove(number);
        } else if self.is_complete(parcel) {
            self.settle(number);
        } else {
            self.parcels[number].is_old = true;
            self.old.push(Reverse(due));
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
    pub(super) fn make_room(&mut self) {
        let due = self.take_oldest().or_else(|| self.young.pop_front());
        if let Some(due) = due {
            self.crowded_out += u64::from(self.is_under_way(due.held));
            self.settle_held(due.held);
        }
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

    /// Settles all that is left.
    pub(in crate::compare) fn finish(&mut self) {
        self.index.close();
        self.all_fall_out();
        while let Some(copied) = self.copies.take() {
            self.write_copies(&copied);
        }
        while let Some(due) = self.young.pop_front() {
            self.look_at(due);
        }
        // Most of it lies in order: a heap takes what comes later behind what it has.
        let mut old = std::mem::take(&mut self.old).into_vec();
        old.sort_unstable_by_key(|Reverse(due)| *due);
        let mut old = old.into_iter().map(|Reverse(due)| due).peekable();
        let mut some = Vec::with_capacity(GROUPED);
        loop {
            let left = std::iter::from_fn(|| self.take_left(&mut old));
            some.extend(left.take(GROUPED));
            if some.is_empty() {
                return;
            }
            self.finish_some(&mut some);
            some.clear();
        }
    }

    /// The next of what is left: what is kept aside is in order, as the old is here.
    fn take_left(&mut self, old: &mut Peekable<impl Iterator<Item = Due>>) -> Option<Due> {
        match (self.aside.first(), old.peek()) {
            (Some(aside), Some(old)) if aside < *old => self.aside.pop(&self.strays),
            (Some(_), None) => self.aside.pop(&self.strays),
            _ => old.next(),
        }
    }

    /// Settles some of what is left.
    fn finish_some(&mut self, some: &mut [Due]) {
        if self.book.as_ref().is_some_and(|book| book.has_begun()) && !self.are_in_runs(some) {
            some.sort_by_cached_key(|due| self.account_held(due.held));
        }
        for some in some.chunks(FETCHED) {
            self.fetch_held(some.iter().map(|due| due.held));
            for due in some {
                self.finish_one(due.held);
            }
        }
    }

    /// Whether most of it goes on with what its flows have had: then what is counted in is small
    /// enough to be at hand for all of them.
    fn are_in_runs(&self, some: &[Due]) -> bool {
        let is_in_run = |due: &&Due| {
            let book = self.book.as_ref();
            due.held.number().is_err()
                && book.is_some_and(|book| book.is_in_run(self.account_held(due.held)))
        };
        some.iter().filter(is_in_run).count() > some.len() / 2
    }

    /// Settles what nobody will ask for any more: what it was is left where it is.
    fn finish_one(&mut self, held: Held) {
        match self.held(held) {
            Now::Parcel(parcel) if self.parcels[parcel].is_open => self.write(parcel),
            Now::Parcel(_) | Now::Elsewhere => {}
            Now::Stray(stray) => self.write_stray(stray),
        }
    }

    /// Reads what is known of what is about to be settled: it is far away in memory, and here
    /// all wait for it together.
    fn fetch_held(&self, held: impl Iterator<Item = Held>) {
        let read = held.fold(0, |read, held| {
            let book = self.book.as_ref();
            let account = book.map_or(0, |book| book.read_account(self.account_held(held)));
            let parcel = held.number().map_or(0, |parcel| self.read_parcel(parcel));
            read ^ account ^ parcel
        });
        std::hint::black_box(read);
    }

    fn read_parcel(&self, parcel: u32) -> u32 {
        match self.parcels[parcel].pieces {
            NONE => 0,
            piece => self.pieces[piece].ip_bytes ^ self.seen(piece, 0).order,
        }
    }

    /// The flow whose account something is written into, if it is.
    fn account_held(&self, held: Held) -> u32 {
        match self.held(held) {
            Now::Parcel(parcel) => self.account_of(&self.parcels[parcel]),
            Now::Stray(stray) => self.counted_aside(self.strays.get(stray)),
            Now::Elsewhere => NONE,
        }
    }

    fn account_of(&self, parcel: &Parcel) -> u32 {
        self.paths.resolve(match parcel.ported {
            NONE => parcel.flow,
            ported => ported,
        })
    }

    /// What is held by now.
    fn held(&self, held: Held) -> Now {
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
        let parcel = &self.parcels[number];
        let flow = parcel.flow;
        if self.joins_udp {
            self.messages.forget(flow, number);
        }
        let may_be_super = parcel.form != Form::Piece && parcel.length > SUPER_BYTES;
        self.index.remove(parcel.keys);
        self.note_over(flow);
        if may_be_super {
            self.forget_super(flow, number);
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

    pub(super) fn forget_super(&mut self, flow: u32, number: u32) {
        if let Some(supers) = self.supers.get_mut(&flow) {
            supers.retain(|known| *known != number);
            if supers.is_empty() {
                self.supers.remove(&flow);
            }
        }
    }
}
