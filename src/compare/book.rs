//! What became of each parcel, written down once it is over.

use super::alike::{Alike, Pending};
use super::between::{Between, Count, MAX_PAIRS, Pair, Shown};
use super::delay::{Delays, DelaysOf};
use super::flight::{Flight, pairs};
use super::look::Look;
use super::parcel::{Mask, Parcel, Piece, UNKNOWN};
use super::shape::{Fate, Fates, Place};
use super::sighting::{Form, Share};
use super::slab::NONE;
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// Flows with an account of their own; all others share one.
pub const MAX_ACCOUNTS: usize = 1 << 14;
/// Steps of time at most; with more they get twice as long.
pub const MAX_STEPS: usize = 4096;

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
    /// Datagrams written down under the account of others.
    pub shared: u64,
    /// Pieces of the parcel at hand, by where they begin.
    pieces: Vec<u32>,
    /// Of each account, what is not in it yet.
    alike: Vec<Alike>,
    /// What that looked like, by account and point.
    looks: Vec<Look>,
    /// The same of how long packets took, by account and pair of points.
    pending: Vec<Pending>,
    /// Losses of the parcel at hand, with their places among those sent.
    losses: Vec<(u32, Fate)>,
}

/// What is known of one flow.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Its number among flows of the path; `None` for all that have no account.
    pub flow: Option<u32>,
    /// By pair of points.
    pub between: Vec<Between>,
    /// By point.
    pub at: Vec<Passage>,
    /// Whether a tunnel is in its packets.
    pub is_carrier: bool,
    /// First and last of it.
    pub span: Option<(Timestamp, Timestamp)>,
}

impl Account {
    /// Something of it came first and last at these times.
    fn spans(&mut self, first: Timestamp, last: Timestamp) {
        let (begin, end) = self.span.unwrap_or((first, last));
        self.span = Some((begin.min(first), end.max(last)));
    }

    /// Nothing can be said between two points of which one has nothing in common with any.
    pub(super) fn unjudge(&mut self, pair: usize) {
        let between = &mut self.between[pair];
        *between = Between {
            outside: [between.front.packets, between.back.packets],
            ..Between::default()
        };
    }
}

/// What of a flow came to one point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passage {
    /// Packets and fragments.
    pub packets: u64,
    /// IP bytes of those.
    pub bytes: u64,
    /// TTL or hop limit of the first.
    pub hop_limit: u8,
}

impl Passage {
    fn count(&mut self, hop_limit: u8, packets: u32, bytes: u64) {
        if self.packets == 0 {
            self.hop_limit = hop_limit;
        }
        self.packets += u64::from(packets);
        self.bytes += bytes;
    }
}

/// What one point saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Innermost datagrams.
    pub datagrams: u64,
    /// Fragments of these.
    pub fragments: u64,
    /// Packets and fragments seen elsewhere too.
    pub matched: u64,
    /// Packets and fragments that passed unseen.
    pub missed: u64,
}

/// Packets over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// When the first step begins.
    pub origin: Option<Timestamp>,
    /// How long a step is.
    pub width: Duration,
    /// Packets by fate.
    pub steps: Vec<Fates>,
    /// The step that was counted in last, and where it begins.
    latest: (usize, i64),
}

impl Series {
    fn new(width: Duration) -> Self {
        Self {
            origin: None,
            width,
            steps: Vec::new(),
            latest: (0, 0),
        }
    }

    fn count(&mut self, fate: Fate, time: Timestamp) {
        // Most are in the same step as the one before.
        if let Some(latest) = self.latest(|span| span.contains(&time)) {
            latest.count(fate);
            return;
        }
        let origin = *self.origin.get_or_insert(time);
        let since = (time - origin).0.max(0);
        while since / self.width.0 >= MAX_STEPS as i64 {
            self.widen();
        }
        let place = (since / self.width.0) as usize;
        if place >= self.steps.len() {
            self.steps.resize_with(place + 1, Default::default);
        }
        self.latest = (place, place as i64 * self.width.0);
        self.steps[place].count(fate);
    }

    fn count_all(&mut self, fate: Fate, times: impl ExactSizeIterator<Item = Timestamp> + Clone) {
        let are_in = |span: &Range<Timestamp>| times.clone().all(|time| span.contains(&time));
        match self.latest(are_in) {
            Some(latest) => latest.add(fate, times.len() as u64),
            None => times.for_each(|time| self.count(fate, time)),
        }
    }

    /// The step that was counted in last, if times are in it. What was before the first is in
    /// the first.
    fn latest(&mut self, are_in: impl Fn(&Range<Timestamp>) -> bool) -> Option<&mut Fates> {
        let (latest, from) = self.latest;
        let begin = self.origin?.0.saturating_add(from);
        let span = Range {
            start: Timestamp(if from == 0 { i64::MIN } else { begin }),
            end: Timestamp(begin.saturating_add(self.width.0)),
        };
        let step = self.steps.get_mut(latest)?;
        are_in(&span).then_some(step)
    }

    fn widen(&mut self) {
        self.width = Duration(self.width.0.saturating_mul(2));
        let pairs = self.steps.chunks(2).map(|pair| {
            let mut sum = pair[0];
            if let Some(second) = pair.get(1) {
                sum += *second;
            }
            sum
        });
        self.steps = pairs.collect();
    }
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

/// How a parcel is seen between two points.
struct View {
    pair: usize,
    front: usize,
    back: usize,
    /// Points in front of the pair, and behind, their own included.
    in_front: Mask,
    behind: Mask,
}

/// The sides of a pair of points on which a piece was seen.
#[derive(Clone, Copy)]
struct Sides {
    is_front: bool,
    is_back: bool,
    /// What of a frame it was there; all of it where only a point further off saw it.
    shares: [Share; 2],
}

impl Sides {
    /// A point further off stands for the nearest where that has nothing in its place: what
    /// it saw cut in another way is counted by that cut.
    fn of(flight: &Flight, parcel: &Parcel, at: u32, view: &View) -> Self {
        let piece = flight.piece(at);
        let is_here = |point: usize| piece.seen & (1 << point) != 0;
        let is_cut_otherwise =
            |point: usize| flight.covers(point, parcel, piece.offset, piece.bytes);
        let is_on = |side: Mask, nearest: usize| {
            is_here(nearest) || (piece.seen & side != 0 && !is_cut_otherwise(nearest))
        };
        let share = |nearest: usize| match is_here(nearest) {
            true => flight.seen(at, nearest).share,
            false => Share::All,
        };
        Self {
            is_front: is_on(view.in_front, view.front),
            is_back: is_on(view.behind, view.back),
            shares: [share(view.front), share(view.back)],
        }
    }
}

impl Book {
    pub fn new(points: usize, step: Duration) -> Self {
        let pairs = pairs(points).count();
        Self {
            points,
            numbers: Vec::new(),
            accounts: Vec::new(),
            series: (0..pairs).map(|_| Series::new(step)).collect(),
            delays: DelaysOf::new(pairs),
            tallies: vec![Tally::default(); points],
            shared: 0,
            pieces: Vec::new(),
            alike: Vec::new(),
            looks: Vec::new(),
            pending: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// The accounts, those of flows that turned out to be one added up.
    pub fn into_accounts(mut self) -> (Vec<Account>, Vec<(Series, Option<Delays>)>) {
        for number in 0..self.accounts.len() {
            self.write_alike(number);
        }
        let (mut own, mut rest) = self.delays.into_parts();
        for account in &mut self.accounts {
            for (all, between) in rest.iter_mut().zip(&mut account.between) {
                between.delays = own.next().flatten();
                if let (Some(all), Some(more), false) = (all, &between.delays, account.is_carrier) {
                    all.add(more);
                }
            }
        }
        let pairs = self.series.into_iter().zip(rest);
        (self.accounts, pairs.collect())
    }

    /// Writes down what became of a parcel.
    pub fn settle(&mut self, flight: &Flight, parcel: &Parcel, flow: u32) {
        let number = self.number(flow);
        self.write_alike(number);
        self.accounts[number].is_carrier |= parcel.is_carrier;
        let pieces = self.sorted(flight, parcel);
        self.accounts[number].spans(parcel.first, parcel.last);
        self.note_passages(flight, parcel, &pieces, number);
        for (pair, (front, back)) in pairs(self.points).enumerate() {
            let view = View {
                pair,
                front,
                back,
                in_front: ((1_u32 << (front + 1)) - 1) as Mask,
                behind: !(((1_u32 << back) - 1) as Mask),
            };
            self.between(flight, parcel, &pieces, number, &view);
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
    ) -> usize {
        let number = self.number(passed.flow);
        let points = looks.len();
        debug_assert_eq!(points, self.points);
        let known = &self.looks[number * points..][..points];
        let mut both = known.iter().zip(looks.clone());
        if !both.all(|(known, look)| *known == look) || !self.alike[number].has_room() {
            self.look_anew(number, looks);
        }
        self.alike[number].add(passed.ip_bytes, passed.first, passed.last);
        if passed.reordered != 0 {
            self.overtaken(number, passed.reordered);
        }
        number
    }

    /// Counts packets of flows in step, which every point saw first and last at these times.
    pub fn count_passed(&mut self, spans: &[(Timestamp, Timestamp)]) {
        for tally in &mut self.tallies {
            tally.datagrams += spans.len() as u64;
            tally.matched += spans.len() as u64;
        }
        for series in &mut self.series {
            series.count_all(Fate::Both, spans.iter().map(|(first, _)| *first));
        }
    }

    /// What comes now fares in another way than what is not written down yet.
    #[inline(never)]
    fn look_anew(&mut self, number: usize, looks: impl Iterator<Item = Look>) {
        self.write_alike(number);
        let known = self.looks_of(number);
        for (known, look) in self.looks[known].iter_mut().zip(looks) {
            *known = look;
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
        for pair in 0..self.series.len() {
            self.write_delays(number, pair);
        }
    }

    fn looks_of(&self, number: usize) -> Range<usize> {
        let first = number * self.points;
        first..first + self.points
    }

    #[cold]
    fn overtaken(&mut self, number: usize, reordered: u32) {
        for (pair, between) in self.accounts[number].between.iter_mut().enumerate() {
            between.overtaken(reordered >> (2 * pair));
        }
    }

    /// Writes down how long a packet of an account took between a pair of points, in
    /// nanoseconds.
    #[inline]
    pub fn delayed(&mut self, number: usize, pair: usize, delay: i64) {
        let place = number * self.series.len() + pair;
        match (self.pending.get_mut(place), u32::try_from(delay)) {
            (Some(pending), Ok(delay)) => {
                if pending.push(delay) {
                    self.write_delays(number, pair);
                }
            }
            // Delays of flows that keep none are together, and so at hand; or it took longer
            // than four seconds.
            (None, _) | (_, Err(_)) => self.took(number, pair, std::iter::once(delay)),
        }
    }

    #[inline(never)]
    fn write_delays(&mut self, number: usize, pair: usize) {
        let place = number * self.series.len() + pair;
        if let Some(pending) = self.pending.get_mut(place) {
            let delays = pending.take();
            self.took(number, pair, delays);
        }
    }

    /// How long packets of an account took.
    fn took(&mut self, number: usize, pair: usize, delays: impl Iterator<Item = i64>) {
        if let Some(known) = self.delays.of(number, pair) {
            delays.for_each(|delay| known.record(delay));
        }
    }

    /// Reads what is not in the account of a flow yet.
    pub fn read(&self, flow: u32) -> u32 {
        let number = self
            .numbers
            .get(flow as usize)
            .map_or(0, |number| *number as usize);
        let alike = self.alike.get(number);
        let pending = self.pending.get(number * self.series.len());
        let packets = alike.map_or(0, |alike| alike.packets);
        pending.map_or(0, Pending::count) ^ u32::from(packets)
    }

    /// Reads the account of a flow.
    pub fn read_account(&self, flow: u32) -> u32 {
        let number = self.numbers.get(flow as usize).copied();
        let account = number.and_then(|number| self.accounts.get(number as usize));
        account.map_or(0, |account| {
            let between = account.between.iter().map(Between::read);
            let at = account.at.iter().map(|passage| passage.packets);
            between.chain(at).fold(0, u64::wrapping_add) as u32
        })
    }

    /// Writes down copies of a packet that every point had seen before, by point.
    pub fn copied(&mut self, flow: u32, copies: &[u8]) {
        let number = self.number(flow);
        for (pair, (front, back)) in pairs(self.points).enumerate() {
            self.accounts[number].between[pair].copied(copies[front], copies[back]);
        }
    }

    /// The number of the account of a flow.
    fn number(&mut self, flow: u32) -> usize {
        match self.numbers.get(flow as usize) {
            None | Some(&NONE) => self.open(flow),
            Some(known) => *known as usize,
        }
    }

    #[cold]
    fn open(&mut self, flow: u32) -> usize {
        let number = self.accounts.len().min(MAX_ACCOUNTS);
        if flow as usize >= self.numbers.len() {
            self.numbers.resize(flow as usize + 1, NONE);
        }
        self.numbers[flow as usize] = number as u32;
        let is_full = number == MAX_ACCOUNTS;
        self.shared += u64::from(is_full);
        if number == self.accounts.len() {
            self.accounts.push(Account {
                flow: (!is_full).then_some(flow),
                between: vec![Between::default(); self.series.len()],
                at: vec![Passage::default(); self.points],
                is_carrier: false,
                span: None,
            });
            self.make_room();
        }
        number
    }

    /// For what is not in the latest account yet.
    fn make_room(&mut self) {
        let accounts = self.accounts.len();
        self.alike.resize(accounts, Alike::default());
        self.looks.resize(accounts * self.points, Look::default());
        self.delays.grow();
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
            pieces.sort_unstable_by_key(|at| {
                let piece = flight.piece(*at);
                (piece.offset, piece.bytes)
            });
        }
        pieces
    }

    fn note_passages(&mut self, flight: &Flight, parcel: &Parcel, pieces: &[u32], number: usize) {
        let is_innermost = !parcel.is_carrier;
        for point in 0..self.points {
            let here: Mask = 1 << point;
            let mut begun = 0;
            for at in pieces {
                let piece = flight.piece(*at);
                let tally = &mut self.tallies[point];
                if piece.seen & here == 0 {
                    let passed =
                        piece.seen & (here - 1) != 0 && piece.seen & !(here | (here - 1)) != 0;
                    let is_unseen =
                        passed && !is_covered(flight, parcel, pieces, &piece.range(), here);
                    tally.missed += u64::from(is_innermost && is_unseen);
                    continue;
                }
                let is_elsewhere = piece.seen & !here != 0
                    || is_covered(flight, parcel, pieces, &piece.range(), !here);
                let seen = flight.seen(*at, point);
                begun += u64::from(!seen.is_rest());
                tally.matched += u64::from(is_innermost && is_elsewhere && !seen.is_rest());
                tally.fragments += u64::from(is_innermost && is_fragment(parcel, piece));
                let (packets, bytes) = piece.counted(seen.is_rest());
                self.accounts[number].at[point].count(seen.look.hop_limit, packets, bytes.into());
            }
            let datagrams = match is_stream(parcel) {
                true => begun,
                false => begun.min(1),
            };
            self.tallies[point].datagrams += if is_innermost { datagrams } else { 0 };
        }
    }

    fn between(
        &mut self,
        flight: &Flight,
        parcel: &Parcel,
        pieces: &[u32],
        number: usize,
        view: &View,
    ) {
        let keeps_delays = self.delays.has_own(number) || !parcel.is_carrier;
        let is_backward = flight.is_backward(flight.paths.resolve(parcel.flow));
        let account = &mut self.accounts[number];
        let between = &mut account.between[view.pair];
        let mut whole = Whole::default();
        for (nth, at) in (0..).zip(pieces) {
            let piece = flight.piece(*at);
            let sides = Sides::of(flight, parcel, *at, view);
            let Some(fate) = fate(flight, parcel, pieces, piece, view, sides) else {
                continue;
            };
            let slow = || self.delays.slow(number, view.pair);
            if !is_judged(flight, *at, view, fate, slow) {
                between.outside[usize::from(fate == Fate::Back)] += 1;
                whole.is_cut_off = true;
                continue;
            }
            whole.note(piece, parcel, sides, fate);
            count(between, parcel, piece, sides, fate);
            if is_stream(parcel) {
                add_part(flight, pieces, piece, view, fate, between);
            }
            let side = if fate == Fate::Back {
                view.back
            } else {
                view.front
            };
            let order = flight.seen(*at, side).order;
            let place = is_fragment(parcel, piece).then(|| Place {
                number: nth,
                of: (parcel.length != UNKNOWN).then_some((piece.offset, parcel.length)),
                is_last: piece.end() == parcel.length,
            });
            if is_counted_here(sides, fate) {
                between.shape.count(fate, piece.ip_bytes, place);
                if fate != Fate::Both {
                    self.losses.push((order, fate));
                }
                if !parcel.is_carrier {
                    let fate = if is_backward { fate.reversed() } else { fate };
                    self.series[view.pair].count(fate, parcel.first);
                }
                if fate != Fate::Both {
                    let lone = &mut between.lone[usize::from(fate == Fate::Back)];
                    if lone.len() < MAX_PAIRS {
                        lone.push(with_others(flight, pieces, *at, side));
                    }
                }
            }
            if piece.seen & (1 << view.front) != 0 && piece.seen & (1 << view.back) != 0 {
                let (front, back) = (flight.seen(*at, view.front), flight.seen(*at, view.back));
                note_damage(flight, *at, view, between);
                between.changed(&front.look, &back.look, 1);
                between.copied(front.copies, back.copies);
                between.overtaken(piece.reordered >> (2 * view.pair));
                if parcel.has_identity || parcel.form == Form::Segment {
                    let delay = flight.took((view.front, view.back), front, back);
                    let delays = self.delays.of(number, view.pair);
                    if let Some(delays) = delays.filter(|_| keeps_delays) {
                        delays.record(delay);
                    }
                }
            }
        }
        // In the order in which they were sent, whatever their places are.
        self.losses.sort_unstable_by_key(|(order, _)| *order);
        for (order, fate) in self.losses.drain(..) {
            between.shape.lose(fate, order);
        }
        whole.write(parcel, between);
        for (side, points) in [view.in_front, view.behind].into_iter().enumerate() {
            let is_whole = is_whole(flight, parcel, pieces, points);
            between.whole[side] += u64::from(is_whole);
        }
    }
}

/// Whether points on one side saw all of a datagram that is in fragments somewhere.
fn is_whole(flight: &Flight, parcel: &Parcel, pieces: &[u32], points: Mask) -> bool {
    if is_stream(parcel) || parcel.length == UNKNOWN || pieces.len() < 2 {
        return false;
    }
    let all = 0..parcel.length;
    is_covered(flight, parcel, pieces, &all, points)
}

/// What pieces add up to.
#[derive(Default)]
struct Whole {
    front: u32,
    back: u32,
    lost: [u32; 2],
    only_front: u32,
    only_back: u32,
    largest: [u32; 2],
    /// Whether any of it is more than the rest of another.
    begins: [bool; 2],
    /// Whether a frame that begins there goes on where that of the other side has ended.
    goes_on: [bool; 2],
    /// Whether some of it passed when the other side did not capture.
    is_cut_off: bool,
}

impl Whole {
    fn note(&mut self, piece: &Piece, parcel: &Parcel, sides: Sides, fate: Fate) {
        let Sides {
            is_front, is_back, ..
        } = sides;
        let is_more = piece.end() != parcel.length;
        self.begins[0] |= is_front && sides.shares[0] != Share::Rest;
        self.begins[1] |= is_back && sides.shares[1] != Share::Rest;
        if is_front && is_back {
            let [front, back] = sides.shares.map(|share| share == Share::Begin);
            self.goes_on[0] |= front && !back;
            self.goes_on[1] |= back && !front;
        }
        if is_front {
            self.front += 1;
            self.largest[0] = self.largest[0].max(if is_more { piece.ip_bytes } else { 0 });
        }
        if is_back {
            self.back += 1;
            self.largest[1] = self.largest[1].max(if is_more { piece.ip_bytes } else { 0 });
        }
        self.only_front += u32::from(is_front && !is_back);
        self.only_back += u32::from(is_back && !is_front);
        self.lost[0] += u32::from(fate == Fate::Front);
        self.lost[1] += u32::from(fate == Fate::Back);
    }

    fn write(&self, parcel: &Parcel, between: &mut Between) {
        let is_stream = is_stream(parcel);
        let is_judged = !is_stream && !self.is_cut_off;
        if self.begins[0] && is_judged {
            between.front.datagrams += 1;
            between.front_passed.datagrams += u64::from(self.back > 0 && self.lost[0] == 0);
        }
        if self.begins[1] && is_judged {
            between.back.datagrams += 1;
            between.back_passed.datagrams += u64::from(self.front > 0 && self.lost[1] == 0);
        }
        // Cut in another way: pieces of either side alone that are no losses.
        let is_recut = self.only_front > self.lost[0] || self.only_back > self.lost[1];
        let is_recut = is_recut && self.front > 0 && self.back > 0;
        let is_piece_in_front = self.front > 1 || self.largest[0] > 0;
        let is_piece_behind = self.back > 1 || self.largest[1] > 0;
        if is_stream {
            let is_cut = self.goes_on[0] || (is_recut && !is_piece_in_front);
            let is_joined = self.goes_on[1] || (is_recut && is_piece_in_front && !is_piece_behind);
            between.segmented += u64::from(is_cut && self.begins[0]);
            between.coalesced += u64::from(is_joined && self.begins[1]);
            return;
        }
        if is_recut {
            *match (is_piece_in_front, is_piece_behind) {
                (false, _) => &mut between.fragmented,
                (_, false) => &mut between.reassembled,
                (true, true) => &mut between.refragmented,
            } += 1;
            for (known, largest) in between.largest_fragment.iter_mut().zip(self.largest) {
                *known = (*known).max(largest);
            }
        }
    }
}

/// Whether NICs cut and join it: each of its packets is a datagram.
fn is_stream(parcel: &Parcel) -> bool {
    parcel.form == Form::Segment || parcel.is_super_udp
}

/// Whether a piece is an IP fragment.
fn is_fragment(parcel: &Parcel, piece: &Piece) -> bool {
    !is_stream(parcel) && (piece.offset, piece.bytes) != (0, parcel.length)
}

/// Whether the bytes of a piece were seen at some of these points, however they were cut.
fn is_covered(
    flight: &Flight,
    parcel: &Parcel,
    pieces: &[u32],
    range: &Range<u32>,
    points: Mask,
) -> bool {
    if parcel.seen & points == 0 || pieces.len() < 2 {
        return false;
    }
    let mut reached = range.start;
    // Messages of a super-frame have headers of their own.
    if parcel.is_super_udp && reached == 0 {
        reached = 8;
    }
    for at in pieces {
        let other = flight.piece(*at);
        if other.seen & points != 0 && other.offset <= reached {
            reached = reached.max(other.end());
        }
    }
    reached >= range.end
}

/// What became of a piece between two points; `None` if it has nothing to do with them.
fn fate(
    flight: &Flight,
    parcel: &Parcel,
    pieces: &[u32],
    piece: &Piece,
    view: &View,
    sides: Sides,
) -> Option<Fate> {
    match (sides.is_front, sides.is_back) {
        (true, true) => Some(Fate::Both),
        (true, false) if piece.seen & (1 << view.front) != 0 => {
            let passed = is_covered(flight, parcel, pieces, &piece.range(), view.behind);
            Some(if passed { Fate::Both } else { Fate::Front })
        }
        (false, true) if piece.seen & (1 << view.back) != 0 => {
            let passed = is_covered(flight, parcel, pieces, &piece.range(), view.in_front);
            Some(if passed { Fate::Both } else { Fate::Back })
        }
        _ => None,
    }
}

/// A piece that was cut in another way on the other side is counted on its own.
fn is_counted_here(sides: Sides, fate: Fate) -> bool {
    fate != Fate::Both || (sides.is_front && sides.shares[0] != Share::Rest)
}

/// Counts one piece on the sides where it was seen.
fn count(between: &mut Between, parcel: &Parcel, piece: &Piece, sides: Sides, fate: Fate) {
    let [front, back] = sides.shares.map(|share| {
        let (packets, bytes) = piece.counted(share == Share::Rest);
        Count {
            datagrams: if is_stream(parcel) { packets.into() } else { 0 },
            packets: packets.into(),
            fragments: is_fragment(parcel, piece).into(),
            bytes: bytes.into(),
        }
    });
    if sides.is_front {
        between.front += front;
        if fate == Fate::Both {
            between.front_passed += front;
        }
    }
    if sides.is_back {
        between.back += back;
        if fate == Fate::Both {
            between.back_passed += back;
        }
    }
}

/// Of a super-frame some may arrive: what is lost is what no other point has.
fn add_part(
    flight: &Flight,
    pieces: &[u32],
    piece: &Piece,
    view: &View,
    fate: Fate,
    between: &mut Between,
) {
    let (points, passed) = match fate {
        Fate::Both => return,
        Fate::Front => (view.behind, &mut between.front_passed),
        Fate::Back => (view.in_front, &mut between.back_passed),
    };
    let (mut reached, mut bytes) = (piece.offset, 0);
    for at in pieces {
        let other = flight.piece(*at);
        if other.seen & points != 0 {
            let (from, to) = (other.offset.max(reached), other.end().min(piece.end()));
            bytes += to.saturating_sub(from);
            reached = reached.max(to);
        }
    }
    passed.bytes += u64::from(bytes.min(piece.ip_bytes));
}

/// Notes a packet whose bytes are others at one of two points.
fn note_damage(flight: &Flight, at: u32, view: &View, between: &mut Between) {
    let damage = flight.piece(at).damaged & (1 << view.front | 1 << view.back);
    if damage.count_ones() != 1 {
        return;
    }
    between.corrupted += 1;
    if between.damaged.len() < MAX_PAIRS {
        between.damaged.push(Pair {
            front: shown(flight, at, view.front),
            back: shown(flight, at, view.back),
        });
    }
}

/// A frame, and one of the same datagram from every other point that has some of it.
fn with_others(flight: &Flight, pieces: &[u32], at: u32, point: usize) -> Vec<Shown> {
    let others = (0..flight.points).filter(|other| *other != point);
    let beside = others.filter_map(|other| {
        let mut seen = pieces.iter();
        let piece = seen.find(|at| flight.piece(**at).seen & (1 << other) != 0)?;
        Some(shown(flight, *piece, other))
    });
    std::iter::once(shown(flight, at, point))
        .chain(beside)
        .collect()
}

fn shown(flight: &Flight, at: u32, point: usize) -> Shown {
    let seen = flight.seen(at, point);
    Shown {
        point,
        frame: seen.frame,
        time: seen.time,
    }
}

/// Near the end of a capture, what is slow may not have come yet.
const NEAR: Duration = Duration::from_secs(1);

/// Whether the capture on the other side went on when a piece passed that it has not.
fn is_judged(
    flight: &Flight,
    at: u32,
    view: &View,
    fate: Fate,
    slow: impl FnOnce() -> Duration,
) -> bool {
    let (here, other) = match fate {
        Fate::Both => return true,
        Fate::Front => (view.front, view.back),
        Fate::Back => (view.back, view.front),
    };
    let Some((from, until)) = flight.spans[other] else {
        return false;
    };
    let time = flight.clocks[here].to_reference(flight.seen(at, here).time);
    let clock = &flight.clocks[other];
    let since = time - clock.to_reference(from);
    let left = clock.to_reference(until) - time;
    let least = since.min(left);
    // At the very time of the first or the last frame it may have passed before or behind.
    let is_within = least.0 > 0 || (least.0 == 0 && from == until);
    least >= NEAR || (is_within && least >= slow())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times() -> impl Strategy<Value = Vec<i64>> {
        let time = prop_oneof![
            0..4_000_i64,
            -100..100_i64,
            (0..2_000_i64).prop_map(|step| step * 1_000),
            Just(i64::MIN),
            Just(i64::MAX),
            any::<i64>(),
        ];
        prop::collection::vec(time, 1..40)
    }

    proptest! {
        #[test]
        fn steps_are_the_same_however_many_are_counted_at_once(
            times in times(),
            together in 1..8_usize,
        ) {
            let times: Vec<Timestamp> = times.into_iter().map(Timestamp).collect();
            let mut at_once = Series::new(Duration(1_000));
            for some in times.chunks(together) {
                at_once.count_all(Fate::Both, some.iter().copied());
            }
            let mut plain = vec![Fates::default()];
            let origin = times[0];
            for time in &times {
                let since = (*time - origin).0.max(0);
                let place = (since / at_once.width.0) as usize;
                plain.resize(plain.len().max(place + 1), Fates::default());
                plain[place].count(Fate::Both);
            }
            prop_assert_eq!(at_once.origin, Some(origin));
            prop_assert!(at_once.steps.len() <= MAX_STEPS);
            prop_assert_eq!(at_once.steps, plain);
        }
    }
}
