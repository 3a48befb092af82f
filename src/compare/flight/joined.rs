//! Messages of UDP that came alone, and that the receiver's kernel or NIC has joined (UDP GRO):
//! one frame there, whose bytes are those of several datagrams in a row.

use super::{Arrival, Flight, SUPER_BYTES, UDP_HEADER, apart, bit};
use crate::compare::parcel::Piece;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::{Protocol, Sum};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// Messages of one flow that are known at once.
const MOST: usize = 1 << 12;
/// Messages that are joined, at most (`UDP_MAX_SEGMENTS`, include/linux/udp.h).
const JOINED: usize = 128;
/// Messages that begin alike, of which each is tried.
const ALIKE: usize = 16;

/// Messages under way, by flow.
#[derive(Debug, Default)]
pub(super) struct Messages(HashMap<u32, Line>);

/// Those of one flow, in the order in which they came.
#[derive(Debug, Default)]
struct Line {
    messages: VecDeque<Message>,
    /// How many there were so far.
    count: u64,
    /// Up to which of all these some were joined: what is in front of that and still under way is
    /// most likely lost.
    reached: u64,
}

/// A message that may have been joined to others.
#[derive(Clone, Copy, Debug)]
struct Message {
    parcel: u32,
    /// Its number among all of its flow.
    number: u64,
    /// What it begins with.
    head: u64,
}

impl Messages {
    /// One more of a flow.
    pub fn note(&mut self, flow: u32, parcel: u32, sighting: &Sighting) {
        let line = self.0.entry(flow).or_default();
        if line.messages.len() == MOST {
            line.messages.pop_front();
        }
        line.messages.push_back(Message {
            parcel,
            number: line.count,
            head: sighting.head,
        });
        line.count += 1;
    }

    /// One of them no longer is under way.
    pub fn forget(&mut self, flow: u32, parcel: u32) {
        let Some(line) = self.0.get_mut(&flow) else {
            return;
        };
        // Most that passes came not long ago.
        let mut all = line.messages.iter();
        if let Some(place) = all.rposition(|known| known.parcel == parcel) {
            line.messages.remove(place);
        }
        if line.messages.is_empty() {
            self.0.remove(&flow);
        }
    }

    /// One of them was joined to others.
    fn reach(&mut self, flow: u32, parcel: u32) {
        if let Some(line) = self.0.get_mut(&flow) {
            let mut all = line.messages.iter().rev();
            let number = all.find_map(|known| (known.parcel == parcel).then_some(known.number));
            line.reached = line.reached.max(number.map_or(0, |number| number + 1));
        }
    }
}

impl Line {
    /// Where messages begin as something does: first of all behind what was joined last.
    fn beginning_with(&self, head: u64) -> impl Iterator<Item = usize> {
        let begins = move |place: &usize| self.messages[*place].head == head;
        let behind = |message: &Message| message.number < self.reached;
        let next = self.messages.partition_point(behind);
        let behind = (next..self.messages.len()).filter(begins).take(ALIKE);
        behind.chain((0..next).filter(begins).take(ALIKE))
    }
}

/// A message, and where it begins in the datagram that it was joined to.
type Part = (u32, u32);

/// Whether a packet may be one of those that are joined.
pub(super) fn is_message(sighting: &Sighting) -> bool {
    is_udp(sighting) && sighting.bytes > UDP_HEADER && sighting.bytes <= SUPER_BYTES
}

fn is_udp(sighting: &Sighting) -> bool {
    sighting.form == Form::Whole && sighting.protocol == Protocol::UDP
}

impl Flight {
    /// Messages that others saw and that a datagram was joined of become one parcel with it; says
    /// whether they did.
    pub(super) fn join_messages(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        if !self.joins_udp || !is_udp(sighting) {
            return false;
        }
        let Some((theirs, parts)) = self.made_of(arrival, flow) else {
            return false;
        };
        if theirs != flow {
            self.paths.bind(point, sighting.lane, theirs);
        }
        let whole = self.begin(arrival, self.paths.resolve(theirs));
        self.parcels[whole].is_super_udp = true;
        if let Some((last, _)) = parts.last() {
            self.messages.reach(self.parcels[*last].flow, *last);
        }
        for (message, offset) in parts {
            // There may have been no room for all.
            if self.parcels[whole].is_open && self.parcels[message].is_open {
                self.absorb(message, whole, offset);
            }
        }
        self.leave_super(whole, self.parcels[whole].length);
        true
    }

    /// A message is part of a datagram, from some byte of that on.
    fn absorb(&mut self, message: u32, whole: u32, offset: u32) {
        let at = self.parcels[message].pieces;
        let piece = &mut self.pieces[at];
        (piece.offset, piece.bytes) = (offset, piece.bytes - UDP_HEADER);
        let reach = piece.end();
        let length = self.parcels[whole].length;
        let part = &mut self.parcels[message];
        (part.length, part.reach) = (length, reach);
        self.unite(message, whole);
    }

    /// The flow of messages that a datagram was joined of, and these.
    fn made_of(&self, arrival: Arrival<'_>, flow: u32) -> Option<(u32, Vec<Part>)> {
        let (point, sighting, _) = arrival.parts();
        let may_be = |other: &u32| self.paths.may_bind(point, sighting.lane, *other);
        let alike = self.paths.alike(point, sighting.lane).filter(may_be);
        let own = Some(flow).filter(|flow| *flow != NONE);
        own.into_iter().chain(alike).find_map(|flow| {
            let mut names = self.paths.names(flow);
            let parts = names.find_map(|name| self.in_a_row(arrival, self.messages.0.get(&name)?));
            Some((flow, parts?))
        })
    }

    /// Those in a line that begin as a datagram does, and that have all of its bytes.
    fn in_a_row(&self, arrival: Arrival<'_>, line: &Line) -> Option<Vec<Part>> {
        let mut firsts = line.beginning_with(arrival.sighting.head);
        firsts.find_map(|first| {
            let row = line.messages.range(first..).take(JOINED);
            self.with_all_of(arrival, row.map(|message| message.parcel))
        })
    }

    /// As many of the first of some messages as a datagram is long: all are of one size, but the
    /// last may be shorter. If there are too few, and identifications tell that they are of it, the
    /// others are yet to come: clocks are not known to the microsecond.
    fn with_all_of(
        &self,
        arrival: Arrival<'_>,
        row: impl Iterator<Item = u32>,
    ) -> Option<Vec<Part>> {
        let sighting = arrival.sighting;
        let (mut parts, mut at, mut sum) = (Vec::new(), UDP_HEADER, Some(Sum(0)));
        let mut size = None;
        for message in row {
            let piece = self.message_of(arrival, message)?;
            let bytes = piece.bytes - UDP_HEADER;
            let size = *size.get_or_insert(bytes);
            let is_last = at + bytes == sighting.bytes;
            if bytes != size && !(is_last && bytes < size) {
                return None;
            }
            let data = data_sum_from(at, piece.sum, piece.bytes);
            sum = sum.zip(data).map(|(sum, data)| sum.plus(data));
            parts.push((message, at));
            at += bytes;
            if is_last {
                let expected = data_sum(sighting.sum, sighting.bytes);
                let is_it = sum.zip(expected);
                return is_it
                    .is_none_or(|(sum, expected)| are_alike(sum, expected))
                    .then_some(parts);
            }
            if at > sighting.bytes {
                return None;
            }
        }
        let (first, _) = *parts.first()?;
        let may_go_on = sighting.bytes > SUPER_BYTES
            && sighting.is_numbered
            && self.parcels[first].has_identity
            && self.parcels[first].id == sighting.id;
        may_go_on.then_some(parts)
    }

    /// A message as others saw it, in one piece, and not the point that something comes to.
    fn message_of(&self, arrival: Arrival<'_>, number: u32) -> Option<&Piece> {
        let parcel = &self.parcels[number];
        let piece = &self.pieces[parcel.pieces];
        let is_it = parcel.is_open
            && parcel.seen & bit(arrival.point) == 0
            && apart(arrival.time, parcel.first) <= self.window
            && parcel.is_one(piece);
        is_it.then_some(piece)
    }
}

/// Whether two sums may be of the same bytes: zero has two forms.
pub(super) fn are_alike(one: Sum, other: Sum) -> bool {
    one.minus(other).0.is_multiple_of(u16::MAX)
}

/// The sum of the data of a UDP packet, as it counts from some byte of a frame on.
pub(super) fn data_sum_from(at: u32, sum: Option<Sum>, bytes: u32) -> Option<Sum> {
    let data = data_sum(sum, bytes)?;
    Some(match at.is_multiple_of(2) {
        true => data,
        false => data.swapped(),
    })
}

/// The sum of the data of a UDP packet, without the length in its header.
pub(super) fn data_sum(sum: Option<Sum>, bytes: u32) -> Option<Sum> {
    let length = u16::try_from(bytes).ok()?;
    Some(sum?.minus(Sum(length)))
}
