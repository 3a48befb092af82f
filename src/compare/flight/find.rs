//! The parcel that a sighting is of: by flow and identification, by its datagram, by its
//! bytes, or under another name.

use super::settle::LINGER;
use super::step::COPIES_COME_WITHIN;
use super::{
    Arrival, Flight, MAX_CHAIN, apart, bit, content_key, datagram_key, may_be_renumbered, place_in,
};
use crate::compare::parcel::{Parcel, UNKNOWN};
use crate::compare::sighting::{Form, Lane, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::model::Duration;

/// Fragments of one datagram come to one point within this time, or are of another with
/// the same identification.
pub(super) const FRAGMENTS_COME_WITHIN: Duration = Duration::from_millis(500);
/// Bytes that differ are damage only so near in time: identifications come again.
const DAMAGE_WITHIN: Duration = LINGER;
/// The same where a checksum tells, too.
const BROKEN_WITHIN: Duration = Duration::from_secs(1);

/// How a sighting fits a parcel, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
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

/// A fragment that came to a point, and the parcel that it was found to be of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latest {
    pub parcel: u32,
    pub lane: Lane,
    /// Where its bytes end: where the datagram is whole elsewhere, that tells what is behind it.
    pub end: u32,
}

impl Latest {
    /// None came.
    pub const NONE: Self = Self {
        parcel: NONE,
        lane: NO_LANE,
        end: 0,
    };
}

/// A parcel that a sighting is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub parcel: u32,
    /// The piece that it is, or [`NONE`] for a new one.
    pub piece: u32,
    pub fit: Fit,
}

impl Found {
    /// A piece that nobody else has, of a parcel that is cut in another way there.
    pub fn part_of(parcel: u32) -> Self {
        Self {
            parcel,
            piece: NONE,
            fit: Fit::Part,
        }
    }
}

impl Flight {
    /// The parcel that a sighting is of, and the flow of the path it goes by.
    pub(super) fn find(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let sighting = arrival.sighting;
        let is_unknown = flow == NONE || self.paths.is_wanting(flow);
        let named = (flow != NONE)
            .then(|| self.by_name(arrival, flow))
            .flatten()
            .or_else(|| is_unknown.then(|| self.under_other_name(arrival)).flatten());
        if let Some(named) = named {
            let may_have_two = is_unknown && named.fit == Fit::Part;
            let other = may_have_two.then(|| self.under_two_names(arrival, &named));
            return other.flatten().or(Some(named));
        }
        let shared = self.by_shared_lane(arrival, flow);
        let begun = shared.or_else(|| self.by_begin(arrival, flow));
        if let Some(begun) = begun.or_else(|| self.by_first_message(arrival, flow)) {
            return Some(begun);
        }
        let is_looked_for = is_unknown && self.is_looked_for(flow, sighting);
        let mut found = None;
        if is_looked_for || may_be_renumbered(sighting) || self.may_be_shared(flow, sighting) {
            found = self.by_content(arrival, flow);
        }
        found.or_else(|| is_looked_for.then(|| self.by_answer(arrival)).flatten())
    }

    /// Whether a fragment may be of another host behind the address of its flow, which keeps its
    /// identification.
    pub(super) fn may_be_shared(&self, flow: u32, sighting: &Sighting) -> bool {
        sighting.form == Form::Piece
            && !sighting.is_renumbered
            && flow != NONE
            && self.paths.is_translated(flow)
    }

    /// A fragment of a datagram that one point has begun, and others under another name.
    fn under_two_names(&mut self, arrival: Arrival<'_>, named: &Found) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
        let flow = self.paths.flow_of(point, sighting.lane);
        if sighting.form != Form::Piece || !self.is_looked_for(flow, sighting) {
            return None;
        }
        let key = content_key(sighting);
        self.call_in_alike(point, key);
        let found =
            self.alike_in_content(arrival, key, |theirs| self.may_be_in(arrival, theirs))?;
        self.bind_to(arrival, flow, &found);
        self.unite(named.parcel, found.parcel);
        Some(found)
    }

    /// By flow, and all that became part of it. What is begun under two of these names is
    /// one.
    pub(super) fn by_name(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        if let Some(found) = self.with_the_latest(arrival, flow) {
            return Some(found);
        }
        self.call_in(flow);
        if arrival.sighting.may_be_cut() {
            self.call_in_fragments_of(flow);
        }
        if arrival.sighting.form == Form::Piece {
            self.call_in_uncut(arrival.point, flow, arrival.sighting);
        }
        if arrival.sighting.is_nameless() {
            self.leave_late(arrival, flow);
        }
        let (mut best, mut other): (Option<Found>, Option<Found>) = (None, None);
        for name in self.paths.names(flow) {
            let Some(found) = self.by_one_name(arrival, name) else {
                continue;
            };
            other = match best {
                Some(known) if known.fit <= found.fit => Some(found),
                known => {
                    best = Some(found);
                    known
                }
            };
        }
        let best = best?;
        if let Some(other) = other.filter(|other| self.are_one(&best, other)) {
            self.unite(other.parcel, best.parcel);
        }
        Some(best)
    }

    /// What has other bytes is the last that it may be.
    fn by_one_name(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let named = self.by_identity(arrival, flow);
        let is_damaged = |found: &Found| found.fit == Fit::Damaged;
        named
            .filter(|found| !is_damaged(found))
            .or_else(|| self.as_datagram(arrival, flow))
            .or_else(|| self.as_message(arrival, flow))
            .or(named)
    }

    pub(super) fn by_identity(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        match arrival.sighting.is_nameless() {
            true => self.next_nameless(arrival, flow),
            false => self.look(arrival, arrival.sighting.identity().key(flow)),
        }
    }

    /// As part of the datagram of the fragment that came to the point before, as most are.
    fn with_the_latest(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
        let latest = self.latest[point];
        if sighting.form != Form::Piece || latest.parcel == NONE || self.paths.has_parts(flow) {
            return None;
        }
        let parcel = &self.parcels[latest.parcel];
        let (is_of_flow, reached) = match parcel.form {
            Form::Piece => (parcel.flow == flow, parcel.reach),
            // What is whole elsewhere is found by another flow, and all of it is there.
            Form::Whole => (latest.lane == sighting.lane, latest.end),
            Form::Segment => return None,
        };
        let is_it = parcel.is_under_way
            && is_of_flow
            && parcel.id == sighting.id
            && parcel.seen & bit(point) != 0;
        let found = is_it.then(|| self.fit(arrival, latest.parcel)).flatten()?;
        let is_next = found.fit == Fit::Part && sighting.offset >= reached;
        (found.fit == Fit::Same || is_next).then_some(found)
    }

    /// Whether fragments found under two names are of one datagram.
    fn are_one(&self, best: &Found, other: &Found) -> bool {
        let [one, another] = [best, other].map(|found| &self.parcels[found.parcel]);
        best.parcel != other.parcel
            && [best.fit, other.fit].iter().all(|fit| *fit <= Fit::Part)
            && [one, another]
                .iter()
                .all(|parcel| parcel.form == Form::Piece)
            && apart(one.first, another.first) <= FRAGMENTS_COME_WITHIN
    }

    /// Whole here and in fragments elsewhere, or the other way round.
    pub(super) fn as_datagram(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let sighting = arrival.sighting;
        let look = |flow: u32| self.look(arrival, datagram_key(flow, sighting.id));
        // Two flows between the same addresses may have the same identifications.
        let is_cut = |found: &Found| self.parcels[found.parcel].form == Form::Piece;
        match sighting.form {
            Form::Piece => look(flow),
            Form::Whole if sighting.may_be_cut() => {
                let mut bases = self.paths.bases(flow);
                bases.find_map(|base| look(base).filter(is_cut))
            }
            Form::Whole | Form::Segment => None,
        }
    }

    /// A flow with the same addresses, which nothing of this point is part of yet.
    pub(super) fn under_other_name(&mut self, arrival: Arrival<'_>) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
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
            if let Some(found) = self.by_those_aside(arrival, flow) {
                return Some(found);
            }
            let found = self
                .by_name(arrival, flow)
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
    pub(super) fn begins_with_another(&self, point: usize, sighting: &Sighting, flow: u32) -> bool {
        let is_it =
            |parcel: u32| self.begins_as(point, parcel, sighting, |length| length < sighting.bytes);
        sighting.form == Form::Segment
            && self
                .index
                .newest(sighting.identity().key(flow))
                .take(MAX_CHAIN)
                .any(is_it)
    }

    /// A super-frame that begins with what is seen here.
    pub(super) fn begun_by(&self, point: usize, sighting: &Sighting, flow: u32) -> Option<Found> {
        if sighting.form != Form::Segment {
            return None;
        }
        let chain = self.index.newest(sighting.identity().key(flow));
        let mut chain = chain.take(MAX_CHAIN);
        let parcel = chain.find(|parcel| {
            self.begins_as(point, *parcel, sighting, |length| length > sighting.bytes)
        })?;
        Some(Found::part_of(parcel))
    }

    /// The same bytes under other addresses.
    pub(super) fn by_content(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let Some(found) = self.with_same_bytes(arrival, flow) else {
            self.bind_by_begin(arrival, flow);
            return None;
        };
        self.bind_to(arrival, flow, &found);
        Some(found)
    }

    /// A super-frame begins as what was seen of a flow under other addresses: it is of that, and
    /// more of it is there.
    fn bind_by_begin(&mut self, arrival: Arrival<'_>, flow: u32) {
        let (point, sighting, _) = arrival.parts();
        if sighting.form != Form::Segment {
            return;
        }
        let theirs = {
            let mut chain = self.index.newest(content_key(sighting)).take(MAX_CHAIN);
            chain.find_map(|parcel| {
                let theirs = self.paths.resolve(self.parcels[parcel].flow);
                let begins =
                    self.begins_as(point, parcel, sighting, |length| length < sighting.bytes);
                (begins && theirs != flow && self.may_be_of(arrival, theirs)).then_some(theirs)
            })
        };
        if let Some(theirs) = theirs {
            self.bind_told(point, sighting.lane, theirs);
        }
    }

    /// Whether a stretch of a stream, of some length, begins as what a point sees that saw
    /// nothing of it.
    fn begins_as(
        &self,
        point: usize,
        parcel: u32,
        sighting: &Sighting,
        is_length: impl Fn(u32) -> bool,
    ) -> bool {
        let parcel = &self.parcels[parcel];
        parcel.form == Form::Segment
            && parcel.seen & bit(point) == 0
            && is_length(parcel.length)
            && self.begins_with(parcel, sighting.content())
    }

    /// Whether somebody saw a packet with some bytes begin a parcel: who came next may have cut it
    /// otherwise.
    fn begins_with(&self, parcel: &Parcel, content: u64) -> bool {
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.offset == 0 && piece.content == content {
                return true;
            }
            at = piece.next;
        }
        false
    }

    /// What has the same bytes as what is of one flow, or may be of others.
    pub(super) fn with_same_bytes(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let key = content_key(arrival.sighting);
        match arrival.sighting.form {
            Form::Piece => self.call_in_alike(arrival.point, key),
            Form::Whole | Form::Segment => self.call_in_with_bytes(arrival.point, key),
        }
        let is_free = |parcel: &Parcel| {
            let theirs = self.paths.resolve(parcel.flow);
            theirs == flow || self.may_be_in(arrival, parcel)
        };
        self.alike_in_content(arrival, key, is_free)
    }

    /// Whether a sighting may be of a parcel by its bytes, whose flow is not known to be its own.
    fn may_be_in(&self, arrival: Arrival<'_>, parcel: &Parcel) -> bool {
        self.may_be_of(arrival, self.paths.resolve(parcel.flow))
            || self.may_share(arrival, parcel)
            || self.may_be_named_anew(arrival, parcel)
    }

    /// Whether a fragment may be of a flow that has others at its point. Where it has another
    /// identification there, this is told by the ports that a first fragment shows.
    fn may_share(&self, arrival: Arrival<'_>, parcel: &Parcel) -> bool {
        let (point, sighting, _) = arrival.parts();
        let theirs = self.paths.resolve(parcel.flow);
        let may_share =
            sighting.form == Form::Piece && self.paths.may_share(point, sighting.lane, theirs);
        let has_ports = || {
            let ported = self.paths.resolve(parcel.ported);
            let mine = sighting.ported;
            let may_be = |ported| {
                self.paths.resolve(self.paths.bound_to(point, mine)) == ported
                    || self.paths.may_be_renamed(point, mine, ported)
            };
            mine != NO_LANE && ported != NONE && may_be(ported)
        };
        may_share && (!sighting.is_renumbered || has_ports())
    }

    /// Whether a flow may turn out to be that of a sighting by its bytes, and is not yet.
    fn may_be_of(&self, arrival: Arrival<'_>, flow: u32) -> bool {
        let lane = arrival.sighting.lane;
        self.paths.may_be_renamed(arrival.point, lane, flow)
    }

    /// What has the same bytes, under the key of these, in flows that are free to be that of a
    /// sighting.
    pub(super) fn alike_in_content(
        &self,
        arrival: Arrival<'_>,
        key: u64,
        is_free: impl Fn(&Parcel) -> bool,
    ) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
        let chain = self.index.newest(key);
        let mut best: Option<(Found, (usize, bool, Duration))> = None;
        for parcel in chain.take(MAX_CHAIN) {
            let is_free = is_free(&self.parcels[parcel]);
            let fitting = is_free.then(|| self.fit_by_content(point, parcel, sighting));
            let Some(found) = fitting.flatten() else {
                continue;
            };
            let known = &self.parcels[parcel];
            let flow = self.paths.resolve(known.flow);
            let renamed = self.paths.renamed(point, sighting.lane, flow);
            let rank = (renamed, known.id != sighting.id, apart(time, known.first));
            if best.is_none_or(|(_, best)| rank < best) {
                best = Some((found, rank));
            }
        }
        best.map(|(found, _)| found)
    }

    /// The flow of a sighting is that of what it was found to be.
    pub(super) fn bind_to(&mut self, arrival: Arrival<'_>, flow: u32, found: &Found) {
        let sighting = arrival.sighting;
        let theirs = self.paths.resolve(self.parcels[found.parcel].flow);
        if theirs != flow {
            self.bind_found(arrival, theirs, found);
        }
        if sighting.form == Form::Piece {
            // Other pieces of it come under the same new number.
            let theirs = self.paths.resolve(theirs);
            self.add_key(found.parcel, datagram_key(theirs, sighting.id));
        }
    }

    pub(super) fn fit_by_content(
        &self,
        point: usize,
        parcel: u32,
        sighting: &Sighting,
    ) -> Option<Found> {
        let known = &self.parcels[parcel];
        let are_numbered = sighting.has_identity() && known.has_identity;
        if sighting.form == Form::Whole && are_numbered && known.id != sighting.id {
            return None;
        }
        let mut at = known.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.content == sighting.content()
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
        let is_begin = sighting.form == Form::Segment
            && self.begins_as(point, parcel, sighting, |length| length > sighting.bytes);
        is_begin.then_some(Found::part_of(parcel))
    }

    /// The parcel with a key that fits best.
    pub(super) fn look(&self, arrival: Arrival<'_>, key: u64) -> Option<Found> {
        let (_, sighting, time) = arrival.parts();
        let mut best: Option<(Found, (Fit, bool, Duration))> = None;
        for parcel in self.index.newest(key).take(MAX_CHAIN) {
            let Some(found) = self.fit(arrival, parcel) else {
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
    pub(super) fn fit(&self, arrival: Arrival<'_>, parcel: u32) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
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
        let mut at = known.pieces_near(offset, bytes);
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.offset == offset && piece.bytes == bytes {
                if sighting.form == Form::Segment && self.came_otherwise(point, at, known) {
                    return None;
                }
                let fit = self.fit_of_piece(arrival, at, known)?;
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
        // Of a stream, several parcels may have it: see `stretch`.
        let is_datagram = sighting.form != Form::Segment;
        let is_other_cut = ends_within && (offset, bytes) != (0, known.length);
        let is_cut_anew = is_datagram && !overlaps && is_other_cut;
        let is_whole_of = sighting.form == Form::Whole && known.form == Form::Piece && !overlaps;
        (is_cut_anew || is_whole_of).then_some(Found::part_of(parcel))
    }

    pub(super) fn fit_of_piece(
        &self,
        arrival: Arrival<'_>,
        at: u32,
        parcel: &Parcel,
    ) -> Option<Fit> {
        let (point, sighting, _) = arrival.parts();
        let piece = &self.pieces[at];
        if sighting.form == Form::Segment {
            self.numbers_between(parcel, sighting, sighting.offset)?;
        }
        let agrees = piece.agrees(sighting) || sighting.form != parcel.form;
        if piece.seen & bit(point) == 0 {
            return match agrees {
                true => Some(Fit::Same),
                false => self
                    .may_be_damaged(arrival, at, parcel)
                    .then_some(Fit::Damaged),
            };
        }
        let before = self.seen(at, point).time;
        let is_copy = agrees
            && sighting.has_identity()
            && parcel.id == sighting.id
            && apart(sighting.time, before) <= COPIES_COME_WITHIN;
        is_copy.then_some(Fit::Copy)
    }

    /// Whether what has other bytes than a piece may be that, damaged: as another point has it, or
    /// soon enough.
    fn may_be_damaged(&self, arrival: Arrival<'_>, at: u32, parcel: &Parcel) -> bool {
        let (_, sighting, time) = arrival.parts();
        let piece = &self.pieces[at];
        if self.damages.is_alike(at, piece, sighting) {
            return true;
        }
        // Another stretch of a stream never takes the place of one.
        let is_named = sighting.has_identity() && parcel.id == sighting.id;
        // Without a name, one that begins as no other does is known by that.
        let begins_alone = !parcel.has_identity && sighting.is_nameless() && parcel.tells_time;
        let first = piece.seen.trailing_zeros() as usize;
        let is_broken = first < self.points && self.seen(at, first).look.breaks(&sighting.look);
        let is_stretch = is_broken && sighting.form == Form::Segment;
        let within = if is_broken {
            BROKEN_WITHIN
        } else {
            DAMAGE_WITHIN
        };
        apart(time, parcel.first) <= self.comes_within(within)
            && (is_named || begins_alone || is_stretch)
    }

    /// Whether a point saw the bytes of a piece, but in others.
    fn came_otherwise(&self, point: usize, at: u32, parcel: &Parcel) -> bool {
        let piece = &self.pieces[at];
        piece.seen & bit(point) == 0 && self.covers(point, parcel, piece.offset, piece.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::meet_one;
    use crate::compare::flight::of_points;
    use crate::compare::sighting::example;
    use crate::model::{Addresses, Protocol, Timestamp};

    fn fragment(offset: u32) -> Sighting {
        Sighting {
            form: Form::Piece,
            offset,
            head: offset.into(),
            is_fresh: true,
            ..example(1)
        }
    }

    /// What begins a datagram has come to the last point under another name before the first
    /// shows it; there the datagram is known by its name, from a point that missed its
    /// beginning.
    #[test]
    fn a_datagram_may_be_begun_under_two_names_before_its_first_point_shows_it() {
        const SENT: [u8; 4] = [10, 0, 0, 1];
        const TRANSLATED: [u8; 4] = [192, 0, 2, 77];
        let mut flight = of_points(3);
        for (point, from) in [SENT, SENT, TRANSLATED].into_iter().enumerate() {
            let addresses = Addresses::v4(from, [10, 0, 0, 2]);
            meet_one(&mut flight, point, addresses);
        }
        let span = Some((Timestamp(0), Timestamp(10_000_000_000)));
        flight.spans.fill(span);
        let order = [(2, 0), (1, 1_000), (0, 0), (0, 1_000)];
        for (time, (point, offset)) in (0..).zip(order) {
            flight.take(point, &fragment(offset), Timestamp(time));
        }
        flight.finish();
        let book = flight.take_book();
        let matched = book.tallies.iter().map(|tally| tally.matched);
        assert_eq!(matched.collect::<Vec<_>>(), [2, 1, 1]);
    }

    #[test]
    fn each_of_three_points_may_have_a_stretch_cut_in_its_own_way() {
        const SIZE: u32 = 500;
        let mut flight = of_points(3);
        for point in 0..3 {
            meet_one(&mut flight, point, Addresses::default());
        }
        let span = Some((Timestamp(0), Timestamp(10_000_000_000)));
        flight.spans.fill(span);
        for (point, packets) in [(0, 1), (1, 2), (2, 4)] {
            let bytes = 4 * SIZE / packets;
            for number in 0..packets {
                let packet = Sighting {
                    form: Form::Segment,
                    protocol: Protocol::TCP,
                    offset: number * bytes,
                    bytes,
                    ip_bytes: bytes + 40,
                    head: (number * bytes).into(),
                    ..example(1)
                };
                let time = Timestamp(i64::from(point * 4 + number) * 1_000_000);
                flight.take(point as usize, &packet, time);
            }
        }
        flight.finish();
        let book = flight.take_book();
        let matched = book.tallies.iter().map(|tally| tally.matched);
        assert_eq!(matched.collect::<Vec<_>>(), [1, 2, 4]);
    }
}
