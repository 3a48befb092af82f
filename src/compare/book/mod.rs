//! What became of each parcel, written down once it is over.

mod account;
mod alone;
mod alone_cut;
mod entry;
mod missed;
mod run;
mod series;
mod settled;
mod share;
mod singles;
mod view;
mod whole;

pub use account::{Account, Passage, Tally};
pub use missed::Missed;
pub use series::Series;

use super::alike::{Alike, Pending};
use super::between::{Between, Shown};
use super::copies::Copied;
use super::delay::{Delays, DelaysOf};
use super::examples::{Oddity, most_of};
use super::flight::{Flight, pairs};
use super::look::Look;
use super::parcel::{Mask, Parcel};
use super::shape::Fate;
use super::slab::NONE;
use crate::model::{Duration, Timestamp};
use entry::Entry;
use run::Run;
use settled::Settled;
use share::Part;
use std::ops::Range;
use std::sync::Arc;
use view::{View, captured};

/// Flows with an account of their own; all others share one.
pub const MAX_ACCOUNTS: usize = 1 << 14;
/// All accounts.
#[derive(Debug, Default)]
pub(super) struct Book {
    points: usize,
    /// Of each flow of the path, the number of its account.
    numbers: Vec<u32>,
    accounts: Vec<Account>,
    /// Over time, by pair of points.
    series: Vec<Series>,
    /// How long packets took.
    delays: DelaysOf,
    /// By point.
    pub tallies: Vec<Tally>,
    /// When packets passed unseen, by point.
    pub missed: Vec<Missed>,
    /// Datagrams written down under the account of others.
    pub shared: u64,
    /// Pieces of the parcel at hand, by where they begin.
    pieces: Vec<u32>,
    /// Of each account, what is not in it yet.
    alike: Vec<Alike>,
    /// What that looked like, by account and point.
    looks: Vec<Look>,
    /// Of each account, what one point alone saw of it and is not in it yet.
    runs: Vec<Run>,
    /// The same of how long packets took, by account and pair of points.
    pending: Vec<Pending>,
    /// Losses of the parcel at hand, with their places among those sent.
    losses: Vec<(u32, Fate)>,
    /// What of it this is, while a share is [written in elsewhere](Self::take_share).
    part: Part,
}

/// A packet of a flow in step that every point saw.
pub(super) struct Passed {
    pub flow: u32,
    pub ip_bytes: u32,
    /// When it was first seen, and when last, by the clock of the first point.
    pub first: Timestamp,
    pub last: Timestamp,
    /// As in [`Piece`].
    pub reordered: u32,
}

impl Book {
    pub fn new(points: usize, step: Duration) -> Self {
        let pairs = pairs(points).count();
        Self {
            points,
            numbers: Vec::new(),
            accounts: Vec::new(),
            series: (0..pairs).map(|_| Series::shown_in(step)).collect(),
            delays: DelaysOf::new(pairs),
            tallies: vec![Tally::default(); points],
            missed: vec![Missed::default(); points],
            shared: 0,
            pieces: Vec::new(),
            alike: Vec::new(),
            looks: Vec::new(),
            runs: Vec::new(),
            pending: Vec::new(),
            losses: Vec::new(),
            part: Part::All,
        }
    }

    /// The accounts, those of flows that turned out to be one added up.
    pub fn into_accounts(mut self) -> (Vec<Account>, Vec<(Series, Option<Delays>)>) {
        for number in 0..self.accounts.len() {
            self.write_alike(number);
            self.write_run(number);
        }
        let (mut own, mut rest) = self.delays.into_parts();
        for account in &mut self.accounts {
            for (all, between) in rest.iter_mut().zip(&mut account.between) {
                between.delays = own.next().flatten().map(Arc::new);
                if let (Some(all), Some(more), false) = (all, &between.delays, account.is_carrier) {
                    all.add(more);
                }
            }
        }
        let pairs = self.series.into_iter().zip(rest);
        (self.accounts, pairs.collect())
    }

    /// Whether it is known when all series begin: from then on it does not matter which of two
    /// accounts is written into first.
    pub fn has_begun(&self) -> bool {
        self.series.iter().all(|series| series.origin.is_some())
    }

    /// Writes down what became of a parcel.
    pub fn settle(&mut self, flight: &Flight, parcel: &Parcel, flow: u32) {
        let number = self.account_of(flow);
        self.write_alike(number);
        self.write_run(number);
        self.accounts[number].is_carrier |= parcel.is_carrier;
        let pieces = self.sorted(flight, parcel);
        self.accounts[number].spans(parcel.first, parcel.last);
        let settled = Settled {
            flight,
            parcel,
            pieces: &pieces,
        };
        self.note_passages(&settled, number);
        for (pair, points) in pairs(self.points).enumerate() {
            let mut entry = Entry {
                between: &mut self.accounts[number].between[pair],
                series: &mut self.series[pair],
                delays: &mut self.delays,
                losses: &mut self.losses,
                number,
            };
            entry.write(&settled, &View::of(pair, points));
        }
        self.pieces = pieces;
    }

    /// Writes down a packet that every point saw, of a flow in step, but for how long it took;
    /// gives the number of its account.
    #[inline(always)]
    pub fn pass(
        &mut self,
        passed: &Passed,
        looks: impl ExactSizeIterator<Item = Look> + Clone,
        shown: impl Fn(usize) -> Shown,
    ) -> usize {
        let number = self.account_of(passed.flow);
        let points = looks.len();
        debug_assert_eq!(points, self.points);
        let known = &self.looks[number * points..][..points];
        let mut both = known.iter().zip(looks.clone());
        if !both.all(|(known, look)| *known == look) || !self.alike[number].has_room() {
            self.look_anew(number, looks, &shown);
        }
        self.alike[number].add(passed.ip_bytes, passed.first, passed.last);
        if passed.reordered != 0 {
            self.overtaken(number, passed.reordered, &shown);
        }
        number
    }

    /// Counts packets of flows in step, which every point saw first and last at these times; bits
    /// tell which of them went back.
    pub fn count_passed(&mut self, spans: &[(Timestamp, Timestamp)], backward: u64) {
        for tally in &mut self.tallies {
            tally.datagrams += spans.len() as u64;
            tally.matched += spans.len() as u64;
        }
        for series in &mut self.series {
            series.count_passed(spans.iter().map(|(first, _)| *first), backward);
        }
    }

    /// What comes now fares in another way than what is not written down yet.
    #[inline(never)]
    fn look_anew(
        &mut self,
        number: usize,
        looks: impl Iterator<Item = Look>,
        shown: &impl Fn(usize) -> Shown,
    ) {
        self.write_alike(number);
        let known = self.looks_of(number);
        for (known, look) in self.looks[known].iter_mut().zip(looks) {
            *known = look;
        }
        self.show_checksums(number, shown);
    }

    /// Keeps the frames of a packet whose checksum is another at the next point. What comes
    /// behind it is shown as well, as long as there is little of it.
    fn show_checksums(&mut self, number: usize, shown: &impl Fn(usize) -> Shown) {
        let looks = &self.looks[number * self.points..][..self.points];
        let most = most_of(number);
        let between = &mut self.accounts[number].between;
        for (between, (front, back)) in between.iter_mut().zip(pairs(self.points)) {
            let Some(what) = looks[front].checksum_became(&looks[back]) else {
                continue;
            };
            let frames = || [front, back].map(|point| vec![shown(point)]);
            if between.examples.keep(what, most, frames) {
                self.alike[number].most = 1;
            }
        }
    }

    /// Packets that fared alike are written into their account.
    fn write_alike(&mut self, number: usize) {
        if self.alike[number].packets == 0 {
            return;
        }
        let (alike, looks) = (
            std::mem::take(&mut self.alike[number]),
            self.looks_of(number),
        );
        let account = &mut self.accounts[number];
        account.spans(alike.span.0, alike.span.1);
        let looks = &self.looks[looks];
        for (passage, look) in account.at.iter_mut().zip(looks) {
            passage.count(look.hop_limit, alike.packets.into(), alike.bytes);
        }
        for (between, (front, back)) in account.between.iter_mut().zip(pairs(self.points)) {
            between.passed(&alike, &looks[front], &looks[back]);
        }
        self.count_delays(number, alike.delayed);
    }

    fn looks_of(&self, number: usize) -> Range<usize> {
        let first = number * self.points;
        first..first + self.points
    }

    #[cold]
    fn overtaken(&mut self, number: usize, reordered: u32, shown: &impl Fn(usize) -> Shown) {
        let between = self.accounts[number].between.iter_mut().enumerate();
        for ((pair, between), (front, back)) in between.zip(pairs(self.points)) {
            let frames = || [front, back].map(|point| vec![shown(point)]);
            between.overtaken(reordered >> (2 * pair), most_of(number), frames);
        }
    }

    /// Writes down how long a packet took that was just written into an account, in
    /// nanoseconds: between each pair of points.
    #[inline(always)]
    pub fn delayed(&mut self, number: usize, delays: impl Iterator<Item = i64>) {
        let first = number * self.series.len();
        let Some(pending) = self.pending.get_mut(first..first + self.series.len()) else {
            // Delays of flows that keep none are together, and so at hand.
            let pairs = delays.enumerate();
            return pairs.for_each(|(pair, delay)| self.took(number, pair, delay));
        };
        let place = self.alike[number].delayed;
        for (pair, (pending, delay)) in pending.iter_mut().zip(delays).enumerate() {
            if !pending.keep(place, delay)
                && let Some(known) = self.delays.of(number, pair)
            {
                known.record(delay, 1);
            }
        }
        self.alike[number].delayed = place + 1;
        if place + 1 == Pending::ROOM {
            self.write_delays(number);
        }
    }

    /// Counts the delays that wait.
    #[inline(never)]
    fn write_delays(&mut self, number: usize) {
        let delayed = std::mem::take(&mut self.alike[number].delayed);
        self.count_delays(number, delayed);
    }

    fn count_delays(&mut self, number: usize, delayed: u8) {
        if delayed == 0 {
            return;
        }
        for pair in 0..self.series.len() {
            let pending = &mut self.pending[number * self.series.len() + pair];
            if let (Some((least, most)), Some(known)) =
                (pending.take_span(), self.delays.of(number, pair))
            {
                known.spans(least, most);
                let delays = pending.kept(delayed);
                delays.for_each(|(delay, packets)| known.count(delay, packets));
            }
        }
    }

    #[inline(never)]
    fn took(&mut self, number: usize, pair: usize, delay: i64) {
        if let Some(known) = self.delays.of(number, pair) {
            known.record(delay, 1);
        }
    }

    /// Reads what is not in the account of a flow yet.
    pub fn read(&self, flow: u32) -> u32 {
        let number = self
            .numbers
            .get(flow as usize)
            .map_or(0, |number| *number as usize);
        let alike = self.alike.get(number);
        alike.map_or(0, |alike| alike.packets.into())
    }

    /// Whether what one point alone saw of a flow goes on with what it saw before.
    pub fn is_in_run(&self, flow: u32) -> bool {
        let number = self.numbers.get(flow as usize);
        let run = number.and_then(|number| self.runs.get(*number as usize));
        run.is_some_and(Run::has_begun)
    }

    /// Reads the account of a flow, as far as it is about to be asked for.
    pub fn read_account(&self, flow: u32) -> u32 {
        if self.is_in_run(flow) {
            return 0;
        }
        let number = self.numbers.get(flow as usize).copied();
        let account = number.and_then(|number| self.accounts.get(number as usize));
        account.map_or(0, |account| {
            let between = account.between.iter().map(Between::read);
            let at = account.at.iter().map(|passage| passage.packets);
            between.chain(at).fold(0, u64::wrapping_add) as u32
        })
    }

    /// Writes down copies of a packet that every point had seen before, by point.
    pub fn copied(&mut self, flow: u32, copied: &Copied) {
        let number = self.account_of(flow);
        let copies = &copied.copies;
        for (pair, (front, back)) in pairs(self.points).enumerate() {
            let between = &mut self.accounts[number].between[pair];
            between.copied(copies[front], copies[back], most_of(number), || {
                [front, back].map(|point| {
                    let first = Some(copied.first);
                    first
                        .filter(|copy| copy.point == point)
                        .into_iter()
                        .collect()
                })
            });
        }
    }

    /// The number of the account of a flow.
    fn account_of(&mut self, flow: u32) -> usize {
        match self.known(flow) {
            Some(number) => number,
            None => self.open(flow),
        }
    }

    /// The same, if it has one.
    #[inline(always)]
    fn known(&self, flow: u32) -> Option<usize> {
        let number = *self.numbers.get(flow as usize)?;
        (number != NONE).then_some(number as usize)
    }

    #[cold]
    fn open(&mut self, flow: u32) -> usize {
        let number = self.accounts.len().min(MAX_ACCOUNTS);
        let is_full = number == MAX_ACCOUNTS;
        self.shared += u64::from(is_full);
        if number == self.accounts.len() {
            let account = self.blank((!is_full).then_some(flow));
            self.accounts.push(account);
            self.make_room();
        }
        self.number(flow, number);
        number
    }

    /// An account in which nothing is.
    fn blank(&self, flow: Option<u32>) -> Account {
        Account {
            flow,
            between: vec![Between::default(); self.series.len()],
            at: vec![Passage::default(); self.points],
            is_carrier: false,
            span: None,
        }
    }

    /// The account of a flow has this number.
    fn number(&mut self, flow: u32, number: usize) {
        if flow as usize >= self.numbers.len() {
            self.numbers.resize(flow as usize + 1, NONE);
        }
        self.numbers[flow as usize] = number as u32;
    }

    /// For what is not in the accounts yet.
    fn make_room(&mut self) {
        let accounts = self.accounts.len();
        self.alike.resize(accounts, Alike::default());
        self.looks.resize(accounts * self.points, Look::default());
        self.runs.resize(accounts, Run::default());
        self.delays.make_room(accounts);
        let pending = accounts.min(DelaysOf::MOST) * self.series.len();
        self.pending.resize(pending, Pending::default());
    }

    /// The pieces of a parcel by where they begin.
    fn sorted(&mut self, flight: &Flight, parcel: &Parcel) -> Vec<u32> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let mut at = parcel.pieces;
        while at != NONE {
            pieces.push(at);
            at = flight.piece(at).next;
        }
        if pieces.len() > 1 {
            // The latest is first here, and mostly last there.
            pieces.reverse();
            pieces.sort_unstable_by_key(|at| {
                let piece = flight.piece(*at);
                (piece.offset, piece.bytes)
            });
        }
        pieces
    }

    /// Notes what of a parcel came to each point.
    fn note_passages(&mut self, settled: &Settled<'_>, number: usize) {
        for point in 0..self.points {
            let tally = self.note_passage(settled, number, point);
            if !settled.parcel.is_carrier {
                self.tallies[point] += tally;
            }
        }
    }

    fn note_passage(&mut self, settled: &Settled<'_>, number: usize, point: usize) -> Tally {
        let here: Mask = 1 << point;
        let mut tally = Tally::default();
        for at in settled.pieces {
            let piece = settled.piece(*at);
            if piece.seen & here == 0 {
                let (in_front, behind) = (here - 1, !(here | (here - 1)));
                let passed = piece.seen & in_front != 0 && piece.seen & behind != 0;
                let is_unseen = passed
                    && !settled.is_covered(&piece.range(), here)
                    && captured(settled.flight, *at, point);
                tally.missed += u64::from(is_unseen);
                if is_unseen {
                    self.note_missed(settled, number, (*at, point));
                }
                continue;
            }
            let seen = settled.flight.seen(*at, point);
            let (packets, bytes) = piece.counted(seen.is_rest());
            let passage = &mut self.accounts[number].at[point];
            passage.count(seen.look.hop_limit, packets, bytes.into());
            if settled.is_fragment(piece) {
                passage.note_fragment(piece.offset);
                tally.fragments += 1;
            }
            if !seen.is_rest() {
                let is_elsewhere =
                    piece.seen & !here != 0 || settled.is_covered(&piece.range(), !here);
                tally.datagrams += 1;
                tally.matched += u64::from(is_elsewhere);
            }
        }
        if !settled.is_stream() {
            tally.datagrams = tally.datagrams.min(1);
        }
        tally
    }

    /// A piece passed a point unseen.
    #[cold]
    fn note_missed(&mut self, settled: &Settled<'_>, number: usize, (at, point): (u32, usize)) {
        let (piece, parcel) = (settled.piece(at), settled.parcel);
        let account = &mut self.accounts[number];
        let has_ports = !settled.is_fragment(piece) || piece.offset == 0;
        account.at[point].miss(has_ports);
        let examples = &mut account.between[point - 1].examples;
        examples.keep((Oddity::Missed, 0), most_of(number), || {
            settled.around(at, point)
        });
        if !parcel.is_carrier {
            let flow = settled.flight.paths.resolve(parcel.flow);
            let is_backward = settled.flight.is_backward(flow);
            self.missed[point].note(parcel.first, is_backward);
        }
    }
}
