//! What is under way: every sighting finds the parcel it is of, at whatever point that was
//! seen before, or becomes one.

use super::book::Book;
use super::clock::Clock;
use super::content::hash;
use super::copies::{Copied, Copies};
use super::index::Index;
use super::march::{March, Step};
use super::observer::segment_identity;
use super::parcel::{Mask, Parcel, Piece, Seen, UNKNOWN};
use super::paths::Paths;
use super::recent::Before;
use super::sighting::{Form, LaneFacts, Sighting};
use super::slab::{NONE, Slab};
use crate::model::facts::LARGEST_MTU;
use crate::model::{Addresses, Duration, Protocol, Timestamp};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// Copies come within this time.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);
/// What every point has seen stays known for so long, for copies that come late.
const LINGER: Duration = Duration::from_millis(150);
/// So many of them, at most: what is known of more would not stay in a cache.
const MAX_LINGERING: usize = 1 << 13;
/// Fragments of one datagram come to one point within this time, or are of another with
/// the same identification.
const FRAGMENTS_COME_WITHIN: Duration = Duration::from_millis(500);
/// Bytes that differ are damage only so near in time: identifications come again.
const DAMAGE_WITHIN: Duration = Duration::from_millis(50);
/// Parcels with the same key that are looked at.
const MAX_CHAIN: usize = 256;
/// The same where nothing but their order tells them apart.
const MAX_ALIKE: usize = 32;
/// Sightings of a flow that are looked for by content; then every eighth.
const EAGER: u32 = 1024;
/// Packets from this size on may be super-frames, of which there are few in flight.
const SUPER_BYTES: u32 = 1_500;
/// Bytes of a UDP header.
const UDP_HEADER: u32 = 8;
/// Super-frames of one flow that are known at once.
const MAX_SUPER: usize = 256;
/// Whole datagrams from this size on may come in fragments elsewhere.
const MAY_BE_CUT: u32 = 576;
/// Pieces in flight at once.
pub(super) const MAX_IN_FLIGHT: usize = 1 << 21;

/// Keys of things that are no sightings of their own.
const DATAGRAM: u64 = 11;
const BY_CONTENT: u64 = 12;

/// All that is under way.
pub(super) struct Flight {
    pub points: usize,
    everywhere: Mask,
    window: Duration,
    pub paths: Paths,
    pub march: March,
    copies: Copies,
    index: Index,
    parcels: Slab<Parcel>,
    pieces: Slab<Piece>,
    /// Of each piece, by point.
    seen: Vec<Seen>,
    /// Super-frames in flight, by flow.
    supers: HashMap<u32, Vec<u32>>,
    pub clocks: Vec<Clock>,
    /// How many packets it takes to know a clock well enough to tell at once how long a
    /// packet took, and whether all are known so.
    march_after: u64,
    is_acquainted: bool,
    /// The clock of each point against that of the point in front of it: the fastest packet
    /// of one segment need not be that of another.
    beside: Vec<Clock>,
    /// From when to when each point captured, by its own clock.
    pub spans: Vec<Option<(Timestamp, Timestamp)>>,
    /// Seen not long ago, and seen before that but not everywhere; in order of time.
    young: VecDeque<Due>,
    old: BinaryHeap<Reverse<Due>>,
    now: Timestamp,
    /// Away while it is written in.
    book: Option<Box<Book>>,
    /// Ways that addresses go: those that go back.
    backward: HashMap<(usize, Addresses), bool>,
    /// Parcels given up early for want of room.
    pub crowded_out: u64,
    /// Times that were far from those before and behind them.
    pub times_wrong: u64,
    /// Times at which a clock was set back.
    pub clocks_set_back: u64,
}

/// A parcel to look at when its time has come: in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    since: Timestamp,
    /// Its place among those of its flow.
    order: u32,
    parcel: u32,
}

/// How a sighting fits a parcel, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It is what somebody else saw.
    Same,
    /// It is part of the same datagram, cut in another way.
    Part,
    /// It is a message of a super-frame, whose bytes begin there.
    Message(u32),
    /// It came again.
    Copy,
    /// It has the same name and other bytes.
    Damaged,
}

/// A parcel that a sighting is of.
#[derive(Clone, Copy, Debug)]
struct Found {
    parcel: u32,
    /// The piece that it is, or [`NONE`] for a new one.
    piece: u32,
    fit: Fit,
}

/// What may be learnt from a packet that two points saw.
#[derive(Clone, Copy, Debug)]
struct Trust {
    /// Both have it under the same identification.
    is_numbered_alike: bool,
    /// It is sure to be the same packet.
    tells_time: bool,
}

impl Trust {
    fn of(sighting: &Sighting, is_alike: bool, is_intact: bool) -> Self {
        Self {
            is_numbered_alike: sighting.has_identity() && is_alike,
            tells_time: is_intact && sighting.can_be_told(),
        }
    }
}

impl Flight {
    pub fn new(
        clocks: Vec<Clock>,
        window: Duration,
        book: Book,
        backward: HashMap<(usize, Addresses), bool>,
        march_after: u64,
    ) -> Self {
        let points = clocks.len();
        let beside = (0..points).map(|point| {
            let front = point.saturating_sub(1);
            Clock::new(clocks[point].rough() - clocks[front].rough())
        });
        let beside = beside.collect();
        Self {
            points,
            everywhere: ((1_u32 << points) - 1) as Mask,
            window,
            paths: Paths::new(points),
            march: March::new(points),
            copies: Copies::default(),
            index: Index::default(),
            parcels: Slab::default(),
            pieces: Slab::default(),
            seen: Vec::new(),
            supers: HashMap::default(),
            clocks,
            march_after,
            is_acquainted: false,
            beside,
            spans: vec![None; points],
            young: VecDeque::new(),
            old: BinaryHeap::new(),
            now: Timestamp::MIN,
            book: Some(Box::new(book)),
            backward,
            crowded_out: 0,
            times_wrong: 0,
            clocks_set_back: 0,
        }
    }

    /// Takes in flows that a point met.
    pub fn meet(&mut self, point: usize, fresh: &[LaneFacts]) {
        self.paths.meet(point, fresh);
    }

    /// The time of a sighting by the clock of the first point.
    pub fn time_of(&self, point: usize, sighting: &Sighting) -> Timestamp {
        self.clocks[point].to_reference(sighting.time)
    }

    /// Takes the next sighting, whichever point it is of, with its time by the clock of the
    /// first.
    pub fn take(&mut self, point: usize, sighting: &Sighting, time: Timestamp) {
        self.pass(time);
        let flow = self.paths.flow_of(point, sighting.lane);
        if sighting.form == Form::Piece {
            if self.paths.comes_in_fragments(point, sighting.lane) {
                self.all_fall_out();
            }
        } else if flow != NONE && self.in_step(point, sighting, flow, time) {
            return;
        }
        if let Some(found) = self.find(point, sighting, flow, time) {
            self.join(point, sighting, &found, time);
            return;
        }
        // It may have turned out meanwhile.
        let flow = self.paths.flow_of(point, sighting.lane);
        if self.is_copy(point, sighting, flow, time) {
            return;
        }
        let is_spread = sighting.form == Form::Segment && self.spread(point, sighting, flow, time);
        if !is_spread {
            self.begin(point, sighting, flow, time);
        }
    }

    /// Takes a sighting that is what its point is to see next of its flow, or the first of
    /// it; anything else is to be looked for among all that is under way, for which all
    /// that waits of its flow falls out of step.
    fn in_step(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) -> bool {
        if self.may_march(sighting, flow) {
            match self.march.step(point, flow, sighting) {
                Step::Expected { place, passed_over } => {
                    for _ in 0..passed_over {
                        self.falls_out(self.march.expected(point, flow));
                    }
                    self.see_in_step(point, sighting, place, time);
                    return true;
                }
                Step::Ahead if self.lead(point, sighting, flow, time) => return true,
                Step::Astray if self.join_same(point, sighting, flow, time) => return true,
                Step::Astray if self.is_copy(point, sighting, flow, time) => return true,
                Step::Ahead | Step::Astray => {}
            }
        }
        self.fall_out(flow);
        false
    }

    /// What every point is sure to see as one packet.
    fn may_march(&self, sighting: &Sighting, flow: u32) -> bool {
        let may_be_super = sighting.form == Form::Segment || sighting.protocol == Protocol::UDP;
        self.is_acquainted
            && sighting.form != Form::Piece
            && self.paths.get(flow).points == self.everywhere
            && !(may_be_super && sighting.bytes > SUPER_BYTES)
            && !(may_be_cut(sighting) && self.paths.may_have_fragments(flow))
    }

    /// A point comes first with a packet, unless that was seen before; says whether that
    /// was all.
    fn lead(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) -> bool {
        if self.paths.get(flow).under_way > 0 {
            if let Some(found) = self.find(point, sighting, flow, time) {
                self.join(point, sighting, &found, time);
                return true;
            }
            if sighting.form == Form::Segment && self.spread(point, sighting, flow, time) {
                return true;
            }
        }
        let key = key(flow, sighting.identity);
        if sighting.can_be_told() {
            match self.march.before(key, sighting) {
                Before::Waits => return false,
                Before::Passed(before) if is_copy_of(before, sighting, time) => {
                    self.copies.note(key, flow, point, self.now);
                    return true;
                }
                Before::Passed(_) | Before::Unknown => {}
            }
        }
        let place = self.march.line_up(point, sighting, flow, key, time);
        self.see_in_step(point, sighting, place, time);
        true
    }

    /// Takes a copy of what every point had seen; says whether it is one.
    fn is_copy(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) -> bool {
        if flow == NONE {
            return false;
        }
        let key = key(flow, sighting.identity);
        match self.march.before(key, sighting) {
            Before::Passed(before) if is_copy_of(before, sighting, time) => {
                self.copies.note(key, flow, point, self.now);
                true
            }
            Before::Passed(_) | Before::Waits | Before::Unknown => false,
        }
    }

    /// A packet that fell out of step before, and comes now.
    fn join_same(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) -> bool {
        let is_out = self.paths.get(flow).under_way > 0;
        let found = is_out
            .then(|| self.find(point, sighting, flow, time))
            .flatten();
        match found.filter(|found| found.fit == Fit::Same) {
            None => false,
            Some(found) => {
                self.join(point, sighting, &found, time);
                true
            }
        }
    }

    fn see_in_step(&mut self, point: usize, sighting: &Sighting, place: u32, time: Timestamp) {
        let waiting = self.march.get(place);
        let (flow, others) = (waiting.flow, waiting.seen);
        let order = self.paths.next_order(flow, point);
        self.ask_the_way(flow);
        if others != 0 {
            let seen_at = |flight: &Self, other: usize| *flight.march.seen(place, other);
            let trust = Trust::of(sighting, true, true);
            self.learn(point, sighting, others, seen_at, flow, trust);
            let reordered = self.paths.come(flow, point, others, |other| {
                self.march.seen(place, other).order
            });
            self.march.get_mut(place).reordered |= reordered;
        }
        if self
            .march
            .see(point, place, Seen::of(sighting, order), time)
        {
            self.march.arrive(place);
            if let Some(mut book) = self.book.take() {
                book.settle_in_step(self, place);
                self.book = Some(book);
            }
        }
    }

    /// All that waits of a flow becomes parcels.
    fn fall_out(&mut self, flow: u32) {
        loop {
            match self.march.first_of(flow) {
                NONE => return,
                place => self.falls_out(place),
            }
        }
    }

    fn all_fall_out(&mut self) {
        while let Some(place) = self.march.oldest() {
            self.falls_out(place);
        }
    }

    /// What waits becomes a parcel.
    fn falls_out(&mut self, place: u32) {
        let waiting = *self.march.get(place);
        self.march.fall_out(place);
        let (number, piece) = self.open(
            waiting.point,
            &waiting.sighting,
            waiting.flow,
            waiting.first,
        );
        for point in 0..self.points {
            if waiting.seen & bit(point) != 0 {
                *self.seen_mut(piece, point) = *self.march.seen(place, point);
            }
        }
        self.pieces[piece].seen = waiting.seen;
        self.pieces[piece].reordered = waiting.reordered;
        let parcel = &mut self.parcels[number];
        parcel.seen = waiting.seen;
        parcel.last = waiting.last;
        self.old.push(Reverse(Due {
            since: waiting.first,
            order: self.seen(piece, waiting.point).order,
            parcel: number,
        }));
        self.keep_to_bounds();
    }

    /// The parcel that a sighting is of, and the flow of the path it goes by.
    fn find(
        &mut self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> Option<Found> {
        if flow != NONE {
            let found = self
                .look(point, sighting, key(flow, sighting.identity), time)
                .or_else(|| self.as_datagram(point, sighting, flow, time))
                .or_else(|| self.as_message(point, sighting, flow, time));
            if found.is_some() {
                return found;
            }
        }
        let is_unknown = flow == NONE || self.paths.is_alone(flow, point);
        if is_unknown && let Some(found) = self.under_other_name(point, sighting, time) {
            return Some(found);
        }
        let is_renumbered = sighting.form == Form::Piece && sighting.id > 0xffff;
        if (is_unknown && self.is_looked_for(flow, sighting)) || is_renumbered {
            return self.by_content(point, sighting, flow, time);
        }
        None
    }

    /// Whole here and in fragments elsewhere, or the other way round.
    fn as_datagram(
        &self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> Option<Found> {
        let look = |flow: u32| self.look(point, sighting, datagram_key(flow, sighting.id), time);
        // Two flows between the same addresses may have the same identifications.
        let is_cut = |found: &Found| self.parcels[found.parcel].form == Form::Piece;
        match sighting.form {
            Form::Piece => look(flow),
            Form::Whole if may_be_cut(sighting) => {
                let mut bases = self.paths.bases(flow);
                bases.find_map(|base| look(base).filter(is_cut))
            }
            Form::Whole | Form::Segment => None,
        }
    }

    /// One of the messages that a NIC makes of a super-frame of UDP (UDP_SEGMENT): each has
    /// a header of its own and the next identification; where there is none, they come in
    /// their order.
    fn as_message(
        &self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> Option<Found> {
        let is_message = sighting.form == Form::Whole
            && sighting.protocol == Protocol::UDP
            && sighting.bytes > UDP_HEADER;
        let supers = self.supers.get(&flow).filter(|_| is_message)?;
        supers.iter().copied().find_map(|number| {
            let parcel = &self.parcels[number];
            let is_near = parcel.is_open && apart(time, parcel.first) <= self.window;
            let is_larger = parcel.form == Form::Whole && parcel.length > sighting.bytes;
            let message =
                (is_near && is_larger).then(|| self.message(point, parcel, sighting))??;
            Some(Found {
                parcel: number,
                piece: NONE,
                fit: Fit::Message(message),
            })
        })
    }

    /// Where in a super-frame a message is: the first of it that comes to this point begins
    /// as it does, and the others are as long as that one, but for the last.
    fn message(&self, point: usize, parcel: &Parcel, sighting: &Sighting) -> Option<u32> {
        let bytes = sighting.bytes - UDP_HEADER;
        let (mut size, mut reached, mut head) = (0, UDP_HEADER, None);
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.bytes == parcel.length {
                head = Some(piece.head);
            }
            if piece.seen & bit(point) != 0 {
                if piece.bytes == parcel.length {
                    return None;
                }
                size = size.max(piece.bytes);
                reached = reached.max(piece.end());
            }
            at = piece.next;
        }
        let number = match sighting.is_numbered {
            true => u32::from((sighting.id as u16).wrapping_sub(parcel.id as u16)),
            false => (reached - UDP_HEADER).div_ceil(size.max(1)),
        };
        let is_begun = size > 0;
        let offset = match is_begun {
            true => UDP_HEADER.checked_add(number.checked_mul(size)?)?,
            false => UDP_HEADER,
        };
        let end = offset.checked_add(bytes)?;
        let fits = match is_begun {
            true => (bytes == size && end <= parcel.length) || end == parcel.length,
            false => number == 0 && head == Some(sighting.head) && end < parcel.length,
        };
        (fits && !self.covers(point, parcel, offset, bytes)).then_some(offset)
    }

    /// A flow with the same addresses, which nothing of this point is part of yet.
    fn under_other_name(
        &mut self,
        point: usize,
        sighting: &Sighting,
        time: Timestamp,
    ) -> Option<Found> {
        let mine = self.paths.flow_of(point, sighting.lane);
        let alike: [u32; 8] = {
            let mut alike = [NONE; 8];
            let known = self.paths.alike(point, sighting.lane);
            for (place, flow) in alike.iter_mut().zip(known) {
                *place = flow;
            }
            alike
        };
        for flow in alike {
            if flow == NONE || flow == mine || !self.paths.may_bind(point, sighting.lane, flow) {
                continue;
            }
            let found = self
                .look(point, sighting, key(flow, sighting.identity), time)
                .or_else(|| self.as_datagram(point, sighting, flow, time))
                .or_else(|| self.as_message(point, sighting, flow, time))
                .or_else(|| self.begun_by(point, sighting, flow));
            if let Some(found) = found.filter(|found| found.fit != Fit::Damaged) {
                self.paths.bind(point, sighting.lane, flow);
                return Some(found);
            }
            if self.begins_with_another(point, sighting, flow) {
                self.paths.bind(point, sighting.lane, flow);
                return None;
            }
        }
        None
    }

    /// Whether a super-frame begins with what was seen of a flow elsewhere.
    fn begins_with_another(&self, point: usize, sighting: &Sighting, flow: u32) -> bool {
        let is_it = |parcel: u32| {
            let parcel = &self.parcels[parcel];
            parcel.seen & bit(point) == 0
                && parcel.length < sighting.bytes
                && self.pieces[parcel.pieces].content == sighting.content
        };
        sighting.form == Form::Segment
            && self
                .index
                .newest(key(flow, sighting.identity))
                .take(MAX_CHAIN)
                .any(is_it)
    }

    /// A super-frame that begins with what is seen here.
    fn begun_by(&self, point: usize, sighting: &Sighting, flow: u32) -> Option<Found> {
        if sighting.form != Form::Segment {
            return None;
        }
        let chain = self.index.newest(key(flow, sighting.identity));
        let mut chain = chain.take(MAX_CHAIN);
        let parcel = chain.find(|parcel| {
            let parcel = &self.parcels[*parcel];
            let piece = &self.pieces[parcel.pieces];
            parcel.seen & bit(point) == 0
                && piece.content == sighting.content
                && parcel.length > sighting.bytes
        })?;
        Some(Found {
            parcel,
            piece: NONE,
            fit: Fit::Part,
        })
    }

    /// The same bytes under other addresses.
    fn by_content(
        &mut self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> Option<Found> {
        let chain = self.index.newest(content_key(sighting));
        let mut best: Option<(Found, (bool, Duration))> = None;
        for parcel in chain.take(MAX_CHAIN) {
            let theirs = self.paths.resolve(self.parcels[parcel].flow);
            let is_free = theirs == flow || self.paths.may_bind(point, sighting.lane, theirs);
            let fitting = is_free.then(|| self.fit_by_content(point, parcel, sighting));
            let Some(found) = fitting.flatten() else {
                continue;
            };
            let known = &self.parcels[parcel];
            let rank = (known.id != sighting.id, apart(time, known.first));
            if best.is_none_or(|(_, best)| rank < best) {
                best = Some((found, rank));
            }
        }
        let (found, _) = best?;
        let theirs = self.paths.resolve(self.parcels[found.parcel].flow);
        if theirs != flow {
            self.paths.bind(point, sighting.lane, theirs);
        }
        if sighting.form == Form::Piece {
            // Other pieces of it come under the same new number.
            self.add_key(found.parcel, datagram_key(theirs, sighting.id));
        }
        Some(found)
    }

    fn fit_by_content(&self, point: usize, parcel: u32, sighting: &Sighting) -> Option<Found> {
        let known = &self.parcels[parcel];
        let mut at = known.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.content == sighting.content
                && piece.agrees(sighting)
                && piece.bytes == sighting.bytes
                && piece.seen & bit(point) == 0
            {
                return Some(Found {
                    parcel,
                    piece: at,
                    fit: Fit::Same,
                });
            }
            at = piece.next;
        }
        None
    }

    /// The parcel with a key that fits best.
    fn look(&self, point: usize, sighting: &Sighting, key: u64, time: Timestamp) -> Option<Found> {
        if sighting.form == Form::Whole && !sighting.has_identity() {
            let chain = self.index.oldest(key).take(MAX_ALIKE);
            return chain
                .filter_map(|parcel| self.fit(point, parcel, sighting, time))
                .find(|found| found.fit == Fit::Same);
        }
        let mut best: Option<(Found, (Fit, bool, Duration))> = None;
        for parcel in self.index.newest(key).take(MAX_CHAIN) {
            let Some(found) = self.fit(point, parcel, sighting, time) else {
                continue;
            };
            let known = &self.parcels[parcel];
            let rank = (found.fit, known.id != sighting.id, apart(time, known.first));
            if best.is_none_or(|(_, best)| rank < best) {
                best = Some((found, rank));
            }
        }
        best.map(|(found, _)| found)
    }

    /// How a sighting fits a parcel; `None` if it is of another.
    fn fit(
        &self,
        point: usize,
        parcel: u32,
        sighting: &Sighting,
        time: Timestamp,
    ) -> Option<Found> {
        let known = &self.parcels[parcel];
        let (offset, bytes) = place_in(known, sighting)?;
        if apart(time, known.first) > self.window {
            return None;
        }
        let is_late = apart(time, known.last) > FRAGMENTS_COME_WITHIN;
        if sighting.form == Form::Piece && known.seen & bit(point) != 0 && is_late {
            return None;
        }
        let mut overlaps = false;
        let mut at = known.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.offset == offset && piece.bytes == bytes {
                let fit = self.fit_of_piece(point, at, sighting, time, known)?;
                return Some(Found {
                    parcel,
                    piece: at,
                    fit,
                });
            }
            let is_here = piece.seen & bit(point) != 0;
            overlaps |= is_here && piece.offset < offset + bytes && offset < piece.end();
            at = piece.next;
        }
        let ends_within = known.length == UNKNOWN || offset + bytes <= known.length;
        let is_cut_anew = !overlaps && ends_within && (offset, bytes) != (0, known.length);
        let is_whole_of = sighting.form == Form::Whole && known.form == Form::Piece && !overlaps;
        (is_cut_anew || is_whole_of).then_some(Found {
            parcel,
            piece: NONE,
            fit: Fit::Part,
        })
    }

    fn fit_of_piece(
        &self,
        point: usize,
        at: u32,
        sighting: &Sighting,
        time: Timestamp,
        parcel: &Parcel,
    ) -> Option<Fit> {
        let piece = &self.pieces[at];
        if self.was_sent_again(sighting, parcel) {
            return None;
        }
        let agrees = piece.agrees(sighting) || sighting.form != parcel.form;
        if piece.seen & bit(point) == 0 {
            let is_near = apart(time, parcel.first) <= DAMAGE_WITHIN;
            // Another stretch of a stream never takes the place of one.
            let may_be_damaged = is_near && sighting.has_identity() && parcel.id == sighting.id;
            return match agrees {
                true => Some(Fit::Same),
                false => may_be_damaged.then_some(Fit::Damaged),
            };
        }
        let before = self.seen(at, point).time;
        let is_copy = agrees
            && sighting.has_identity()
            && parcel.id == sighting.id
            && apart(sighting.time, before) <= COPIES_COME_WITHIN;
        is_copy.then_some(Fit::Copy)
    }

    /// Whether a stretch of a stream is the same in another packet. NICs that cut
    /// super-frames number what comes of them anew.
    fn was_sent_again(&self, sighting: &Sighting, parcel: &Parcel) -> bool {
        sighting.form == Form::Segment
            && sighting.has_identity()
            && parcel.has_identity
            && parcel.id != sighting.id
            && parcel.length <= SUPER_BYTES
            && sighting.bytes <= SUPER_BYTES
            && self.paths.get(self.paths.resolve(parcel.flow)).keeps_ids
    }

    /// A stretch of a stream that is several parcels here, or part of a larger one; says
    /// whether all of it was found.
    fn spread(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) -> bool {
        if flow == NONE {
            return false;
        }
        let end = sighting.end();
        let mut at = sighting.offset;
        let mut any = false;
        // A super-frame is 64 KiB, of packets of a few bytes at the least.
        for _ in 0..2048 {
            let left = end.wrapping_sub(at);
            if left == 0 || left > sighting.bytes {
                break;
            }
            let found = self.stretch(point, sighting, flow, at..end, time);
            let Some((parcel, offset, bytes)) = found else {
                break;
            };
            let piece = self.exact(parcel, offset, bytes);
            let piece = match piece {
                NONE => self.add_piece(parcel, sighting, offset, bytes),
                piece => piece,
            };
            self.see(point, sighting, parcel, piece, time);
            any = true;
            at = at.wrapping_add(bytes);
        }
        if any && at != end {
            let rest = Sighting {
                offset: at,
                bytes: end.wrapping_sub(at),
                ..*sighting
            };
            self.begin(point, &rest, flow, time);
        }
        any
    }

    /// The parcel of a flow that has the byte `at` of its stream and was not seen here,
    /// and what of it that is.
    fn stretch(
        &self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        wanted: Range<u32>,
        time: Timestamp,
    ) -> Option<(u32, u32, u32)> {
        let (at, left) = (wanted.start, wanted.end.wrapping_sub(wanted.start));
        let identity = segment_identity(at);
        let begins = self.index.newest(key(flow, identity)).take(MAX_CHAIN);
        let large = self.supers.get(&flow).into_iter().flatten().rev().copied();
        begins.chain(large).find_map(|number| {
            let parcel = &self.parcels[number];
            let offset = at.wrapping_sub(parcel.start);
            let is_it = parcel.is_open
                && parcel.form == Form::Segment
                && !self.was_sent_again(sighting, parcel)
                && offset < parcel.length
                && apart(time, parcel.first) <= self.window;
            let bytes = left.min(parcel.length.checked_sub(offset)?);
            (is_it && !self.covers(point, parcel, offset, bytes)).then_some((number, offset, bytes))
        })
    }

    /// Whether a point saw some of these bytes.
    fn covers(&self, point: usize, parcel: &Parcel, offset: u32, bytes: u32) -> bool {
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            let overlaps = piece.offset < offset + bytes && offset < piece.end();
            if overlaps && piece.seen & bit(point) != 0 {
                return true;
            }
            at = piece.next;
        }
        false
    }

    fn exact(&self, parcel: u32, offset: u32, bytes: u32) -> u32 {
        let mut at = self.parcels[parcel].pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.offset == offset && piece.bytes == bytes {
                return at;
            }
            at = piece.next;
        }
        NONE
    }

    /// A sighting is of something that somebody saw.
    fn join(&mut self, point: usize, sighting: &Sighting, found: &Found, time: Timestamp) {
        let (offset, bytes) = match found.fit {
            Fit::Message(offset) => (offset, sighting.bytes - UDP_HEADER),
            _ => place_in(&self.parcels[found.parcel], sighting).unwrap_or((0, sighting.bytes)),
        };
        let piece = match found.piece {
            NONE => self.add_piece(found.parcel, sighting, offset, bytes),
            piece => piece,
        };
        match found.fit {
            Fit::Copy => {
                let seen = self.seen_mut(piece, point);
                seen.copies = seen.copies.saturating_add(1);
                return;
            }
            Fit::Damaged => self.pieces[piece].damaged |= bit(point),
            Fit::Message(_) => self.parcels[found.parcel].is_super_udp = true,
            Fit::Same | Fit::Part => {}
        }
        self.see(point, sighting, found.parcel, piece, time);
    }

    /// A point saw a piece of a parcel.
    fn see(&mut self, point: usize, sighting: &Sighting, number: u32, piece: u32, time: Timestamp) {
        let flow = self.paths.resolve(self.parcels[number].flow);
        let order = self.paths.next_order(flow, point);
        *self.seen_mut(piece, point) = Seen::of(sighting, order);
        self.ask_the_way(flow);
        let others = self.pieces[piece].seen;
        if others != 0 {
            let is_alike = self.parcels[number].id == sighting.id;
            let is_intact = self.pieces[piece].damaged == 0;
            let trust = Trust::of(sighting, is_alike, is_intact);
            let seen_at = |flight: &Self, other: usize| *flight.seen(piece, other);
            self.learn(point, sighting, others, seen_at, flow, trust);
            let (points, seen) = (self.points, &self.seen);
            let order_at = |other: usize| seen[piece as usize * points + other].order;
            self.pieces[piece].reordered |= self.paths.come(flow, point, others, order_at);
        }
        self.pieces[piece].seen |= bit(point);
        let parcel = &mut self.parcels[number];
        parcel.seen |= bit(point);
        parcel.last = parcel.last.max(time);
        parcel.is_carrier |= sighting.is_carrier;
        if parcel.length == UNKNOWN && parcel.form == Form::Piece && sighting.ends_datagram() {
            parcel.length = sighting.end();
        }
        if sighting.is_carrier {
            self.paths.get_mut(flow).is_carrier = true;
        }
        self.name(point, sighting, number);
        self.settle_at_once(number, piece, sighting);
    }

    /// What other points have seen, too, tells about clocks and ways.
    fn learn(
        &mut self,
        point: usize,
        sighting: &Sighting,
        others: Mask,
        seen_at: impl Fn(&Self, usize) -> Seen,
        flow: u32,
        trust: Trust,
    ) {
        let Some(other) = nearest(others, point, self.points) else {
            return;
        };
        let there = seen_at(self, other);
        let steps = i32::from(there.hop_limit) - i32::from(sighting.hop_limit);
        let steps = if other < point { steps } else { -steps };
        let known = self.paths.get_mut(flow);
        known.keeps_ids |= trust.is_numbered_alike;
        known.steps = (known.steps + steps.signum()).clamp(-1000, 1000);
        if trust.tells_time {
            let is_backward = self.is_backward(flow);
            self.set_clock((point, sighting.time), (other, there.time), is_backward);
            let beside = [point.checked_sub(1), point.checked_add(1)].into_iter();
            let points = self.points;
            let is_seen = |other: &usize| *other < points && others & bit(*other) != 0;
            for other in beside.flatten().filter(is_seen) {
                let there = seen_at(self, other).time;
                self.set_beside((point, sighting.time), (other, there), is_backward);
            }
        }
    }

    /// Holds the clock of one of two points against that of the first.
    fn set_clock(&mut self, one: (usize, Timestamp), other: (usize, Timestamp), back: bool) {
        let (low, high) = (one.min(other), one.max(other));
        let there = self.clocks[low.0].to_reference(low.1);
        self.clocks[high.0].learn(there, high.1, back);
        if !self.is_acquainted {
            let mut clocks = self.clocks.iter().skip(1);
            self.is_acquainted =
                clocks.all(|clock| clock.matched.iter().sum::<u64>() >= self.march_after);
        }
    }

    /// Holds the clocks of two neighbours against each other, whichever was seen first.
    fn set_beside(&mut self, one: (usize, Timestamp), other: (usize, Timestamp), back: bool) {
        let (front, behind) = (one.min(other), one.max(other));
        if front.0 > 0 {
            self.beside[behind.0].learn(front.1, behind.1, back);
        }
    }

    /// How long a packet took from one point to another behind it, in nanoseconds,
    /// whichever way it went.
    pub fn took(&self, (front, back): (usize, usize), entered: &Seen, left: &Seen) -> i64 {
        let is_beside = back - front == 1 && front > 0;
        let (clock, entered) = match is_beside {
            true => (&self.beside[back], entered.time),
            false => {
                let entered = self.clocks[front].to_reference(entered.time);
                (&self.clocks[back], entered)
            }
        };
        (clock.to_reference(left.time) - entered).0.saturating_abs()
    }

    /// Whether a flow goes from the last point to the first.
    pub fn is_backward(&self, flow: u32) -> bool {
        let known = self.paths.get(flow);
        match known.steps {
            0 => known.goes_back,
            steps => steps < 0,
        }
    }

    /// Which way the addresses of a flow go, once more of them are known.
    fn ask_the_way(&mut self, flow: u32) {
        let known = self.paths.get(flow);
        if known.asked == known.points {
            return;
        }
        let points = known.points;
        let goes_back = (0..self.points).any(|point| {
            let key = self.paths.key_at(flow, point);
            let hint = key.and_then(|key| self.backward.get(&(point, key.addresses)));
            hint == Some(&true)
        });
        let known = self.paths.get_mut(flow);
        (known.goes_back, known.asked) = (goes_back, points);
    }

    /// A first fragment shows the ports of its datagram.
    fn name(&mut self, point: usize, sighting: &Sighting, parcel: u32) {
        if sighting.ported == super::sighting::NO_LANE {
            return;
        }
        let known = self.parcels[parcel].ported;
        let mine = self.paths.flow_of(point, sighting.ported);
        let ported = match (known, mine) {
            (NONE, NONE) => self.paths.add(point, sighting.ported),
            (NONE, mine) => mine,
            (known, mine) => {
                let known = self.paths.resolve(known);
                if mine != known && self.paths.may_bind(point, sighting.ported, known) {
                    self.paths.bind(point, sighting.ported, known);
                }
                known
            }
        };
        self.parcels[parcel].ported = ported;
        self.ask_the_way(ported);
        let steps = self.paths.get(self.parcels[parcel].flow).steps;
        let flow = self.paths.get_mut(ported);
        flow.is_carrier |= sighting.is_carrier;
        if flow.steps == 0 {
            flow.steps = steps;
        }
    }

    /// Something that nobody saw before.
    fn begin(&mut self, point: usize, sighting: &Sighting, flow: u32, time: Timestamp) {
        let flow = match flow {
            NONE => self.paths.add(point, sighting.lane),
            flow => flow,
        };
        let (number, piece) = self.open(point, sighting, flow, time);
        self.see(point, sighting, number, piece, time);
        self.young.push_back(Due {
            since: time,
            order: self.seen(piece, point).order,
            parcel: number,
        });
        self.keep_to_bounds();
    }

    /// A parcel with its first piece, to be found by all its keys.
    fn open(
        &mut self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> (u32, u32) {
        let parcel = Parcel::of(sighting, flow, time);
        let number = self.parcels.insert(parcel);
        let (offset, bytes) = place_in(&parcel, sighting).unwrap_or((0, sighting.bytes));
        let piece = self.add_piece(number, sighting, offset, bytes);
        let identity = match sighting.form {
            Form::Segment => segment_identity(sighting.offset),
            Form::Whole | Form::Piece => sighting.identity,
        };
        self.add_key(number, key(flow, identity));
        if may_be_cut(sighting) {
            let base = self.paths.base_of(point, sighting.lane);
            let base = match self.paths.flow_of(point, base) {
                NONE => self.paths.add(point, base),
                base => base,
            };
            self.add_key(number, datagram_key(base, sighting.id));
        } else if sighting.form == Form::Piece {
            self.add_key(number, datagram_key(flow, sighting.id));
        }
        let is_wanted = self.paths.is_wanting(flow) && self.is_looked_for(flow, sighting);
        let is_renumbered = sighting.form == Form::Piece && sighting.id > 0xffff;
        if is_wanted || is_renumbered {
            self.add_key(number, content_key(sighting));
        }
        let known = self.paths.get_mut(flow);
        known.sightings = known.sightings.saturating_add(1);
        known.under_way += 1;
        if may_be_super(&parcel, sighting) {
            let supers = self.supers.entry(flow).or_default();
            if supers.len() >= MAX_SUPER {
                supers.remove(0);
            }
            supers.push(number);
        }
        (number, piece)
    }

    fn keep_to_bounds(&mut self) {
        if self.pieces.len() > MAX_IN_FLIGHT {
            self.make_room();
        }
    }

    /// By content are looked for all at first, then some: the same at every point.
    fn is_looked_for(&self, flow: u32, sighting: &Sighting) -> bool {
        flow == NONE || self.paths.get(flow).sightings < EAGER || sighting.content.is_multiple_of(8)
    }

    fn add_key(&mut self, parcel: u32, key: u64) {
        let first = self.parcels[parcel].keys;
        self.parcels[parcel].keys = self.index.insert(key, parcel, first);
    }

    fn add_piece(&mut self, parcel: u32, sighting: &Sighting, offset: u32, bytes: u32) -> u32 {
        let next = self.parcels[parcel].pieces;
        let piece = self.pieces.insert(Piece::of(sighting, offset, bytes, next));
        let needed = (piece as usize + 1) * self.points;
        if self.seen.len() < needed {
            self.seen.resize(needed, Seen::default());
        }
        self.parcels[parcel].pieces = piece;
        piece
    }

    pub fn seen(&self, piece: u32, point: usize) -> &Seen {
        &self.seen[piece as usize * self.points + point]
    }

    fn seen_mut(&mut self, piece: u32, point: usize) -> &mut Seen {
        &mut self.seen[piece as usize * self.points + point]
    }

    pub fn piece(&self, piece: u32) -> &Piece {
        &self.pieces[piece]
    }

    /// Time goes on: what is over is settled.
    fn pass(&mut self, time: Timestamp) {
        self.now = self.now.max(time);
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
        while let Some(Reverse(due)) = self.old.peek().copied() {
            if self.now - due.since <= self.window {
                break;
            }
            self.old.pop();
            self.settle(due.parcel);
        }
    }

    fn look_at(&mut self, due: Due) {
        let parcel = &self.parcels[due.parcel];
        if !parcel.is_open {
            self.parcels.remove(due.parcel);
        } else if self.is_complete(parcel) {
            self.settle(due.parcel);
        } else {
            self.parcels[due.parcel].is_old = true;
            self.old.push(Reverse(due));
        }
    }

    /// Whether every point saw all of it, in the same pieces.
    fn is_complete(&self, parcel: &Parcel) -> bool {
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
    fn settle_at_once(&mut self, number: u32, piece: u32, sighting: &Sighting) {
        let parcel = &self.parcels[number];
        if self.pieces[piece].seen != self.everywhere || !parcel.is_open {
            return;
        }
        let flow = self.paths.resolve(parcel.flow);
        let is_alike = parcel.form == Form::Whole && !parcel.has_identity;
        let might_have_marched = self.may_march(sighting, flow)
            && parcel.is_one(&self.pieces[piece])
            && parcel.id == sighting.id
            && (0..self.points).all(|point| self.seen(piece, point).copies == 0);
        let took_long = parcel.is_old || self.now - parcel.first > LINGER;
        if is_alike || might_have_marched || (took_long && self.is_complete(parcel)) {
            if might_have_marched {
                let key = key(flow, sighting.identity);
                self.march.passed(key, sighting, parcel.last);
            }
            self.close(number);
        }
    }

    /// The oldest go first.
    fn make_room(&mut self) {
        let oldest = self.old.pop().map(|Reverse(due)| due);
        let due = oldest.or_else(|| self.young.pop_front());
        if let Some(due) = due {
            self.crowded_out += u64::from(self.parcels[due.parcel].is_open);
            self.settle(due.parcel);
        }
    }

    /// The book, once all is settled.
    pub fn take_book(&mut self) -> Book {
        self.book.take().map(|book| *book).unwrap_or_default()
    }

    fn write_copies(&mut self, copied: &Copied) {
        let flow = self.paths.resolve(copied.flow);
        if let Some(book) = &mut self.book {
            book.copied(flow, &copied.copies);
        }
    }

    /// Settles all that is left.
    pub fn finish(&mut self) {
        self.all_fall_out();
        while let Some(copied) = self.copies.take() {
            self.write_copies(&copied);
        }
        while let Some(due) = self.young.pop_front() {
            self.look_at(due);
        }
        while let Some(Reverse(due)) = self.old.pop() {
            self.settle(due.parcel);
        }
    }

    fn settle(&mut self, number: u32) {
        if self.parcels[number].is_open {
            self.close(number);
        }
        self.parcels.remove(number);
    }

    /// Writes a parcel into the book and forgets it; its number stays taken.
    fn close(&mut self, number: u32) {
        let parcel = self.parcels[number];
        self.parcels[number].is_open = false;
        let flow = self.paths.resolve(parcel.flow);
        self.paths.get_mut(flow).under_way -= 1;
        let account = match parcel.ported {
            NONE => parcel.flow,
            ported => ported,
        };
        let account = self.paths.resolve(account);
        if let Some(mut book) = self.book.take() {
            book.settle(self, &parcel, account);
            self.book = Some(book);
        }
        self.index.remove(parcel.keys);
        if parcel.form != Form::Piece && parcel.length > SUPER_BYTES {
            self.forget_super(parcel.flow, number);
        }
        let mut at = parcel.pieces;
        while at != NONE {
            let next = self.pieces[at].next;
            self.pieces.remove(at);
            at = next;
        }
    }

    fn forget_super(&mut self, flow: u32, number: u32) {
        if let Some(supers) = self.supers.get_mut(&flow) {
            supers.retain(|known| *known != number);
            if supers.is_empty() {
                self.supers.remove(&flow);
            }
        }
    }
}

/// Pairs of points between which is counted: neighbours, then the ends if others are
/// between them.
pub(super) fn pairs(points: usize) -> impl Iterator<Item = (usize, usize)> {
    let neighbours = (1..points).map(|back| (back - 1, back));
    neighbours.chain((points > 2).then_some((0, points - 1)))
}

fn bit(point: usize) -> Mask {
    1 << point
}

/// The point nearest to one among others, those in front first.
fn nearest(others: Mask, point: usize, points: usize) -> Option<usize> {
    let in_front = (0..point).rev().find(|other| others & bit(*other) != 0);
    in_front.or_else(|| (point + 1..points).find(|other| others & bit(*other) != 0))
}

fn key(flow: u32, identity: u64) -> u64 {
    hash(&[flow.into(), identity])
}

fn datagram_key(flow: u32, id: u32) -> u64 {
    hash(&[DATAGRAM, flow.into(), id.into()])
}

fn content_key(sighting: &Sighting) -> u64 {
    hash(&[BY_CONTENT, sighting.content])
}

fn may_be_cut(sighting: &Sighting) -> bool {
    sighting.form == Form::Whole && sighting.has_identity() && sighting.ip_bytes > MAY_BE_CUT
}

/// Whether a NIC may cut it into several packets. UDP of such a size is cut by routers, too.
fn may_be_super(parcel: &Parcel, sighting: &Sighting) -> bool {
    let is_cut_so = parcel.form == Form::Segment || sighting.protocol == Protocol::UDP;
    is_cut_so && parcel.form != Form::Piece && parcel.length > SUPER_BYTES
}

/// Whether what comes now is a copy of the same that passed before.
fn is_copy_of(before: Timestamp, sighting: &Sighting, time: Timestamp) -> bool {
    sighting.has_identity() && apart(time, before) <= COPIES_COME_WITHIN
}

/// How far apart two times are.
pub(super) fn apart(one: Timestamp, other: Timestamp) -> Duration {
    let apart = one - other;
    Duration(apart.0.saturating_abs())
}

/// What of a parcel a sighting is; `None` if it cannot be any.
fn place_in(parcel: &Parcel, sighting: &Sighting) -> Option<(u32, u32)> {
    let (offset, bytes) = match (parcel.form, sighting.form) {
        (Form::Segment, Form::Segment) => {
            (sighting.offset.wrapping_sub(parcel.start), sighting.bytes)
        }
        (Form::Segment, _) | (_, Form::Segment) => return None,
        (_, Form::Piece) => (sighting.offset, sighting.bytes),
        (Form::Piece, Form::Whole) => (0, sighting.bytes),
        (Form::Whole, Form::Whole) if parcel.length == sighting.bytes => (0, sighting.bytes),
        (Form::Whole, Form::Whole) => return None,
    };
    // Sizes of a stream's stretches are bounded by those of packets.
    (offset <= LARGEST_MTU * 64 && bytes <= LARGEST_MTU * 64).then_some((offset, bytes))
}
