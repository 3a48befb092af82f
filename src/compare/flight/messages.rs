//! Messages of UDP super-frames (UDP_SEGMENT): each has a header of its own and the next
//! identification, where there is one. Elsewhere many of them are one packet.

use super::find::{Fit, Found};
use super::{Arrival, Flight, UDP_HEADER, apart, bit};
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::Protocol;

/// What is known of the messages of a super-frame.
#[derive(Default)]
struct Known {
    /// Bytes of each but the last; 0 if no point has any.
    size: u32,
    /// How far those go that this point has.
    reached: u32,
    /// How the first begins, from the frame itself.
    head: Option<u64>,
    /// Whether this point has the frame itself.
    is_whole_here: bool,
}

impl Flight {
    /// One of the messages that a NIC makes of a super-frame: as another point has it, or where
    /// that tells nothing, the one that it must be by its place.
    pub(super) fn as_message(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
        let is_message = sighting.form == Form::Whole
            && sighting.protocol == Protocol::UDP
            && sighting.bytes > UDP_HEADER;
        if !is_message {
            return None;
        }
        let near = |number: &u32| {
            let parcel = &self.parcels[*number];
            let is_near = parcel.is_open && apart(time, parcel.first) <= self.window;
            is_near && parcel.form == Form::Whole && parcel.length > sighting.bytes
        };
        let in_turn = || self.supers_in_turn(point, sighting, flow).filter(near);
        let found = |parcel: u32, piece: u32, offset: u32| Found {
            parcel,
            piece,
            fit: Fit::Message(offset),
        };
        let as_known = |number: u32| {
            let piece = self.same_message(point, &self.parcels[number], sighting)?;
            Some(found(number, piece, self.pieces[piece].offset))
        };
        let by_place = |number: u32, may_differ: bool| {
            let offset = self.message(point, &self.parcels[number], sighting, may_differ)?;
            Some(found(number, NONE, offset))
        };
        // A damaged one is in nobody else's place.
        let known = in_turn().find_map(as_known);
        let by_place_alone = || in_turn().find_map(|number| by_place(number, false));
        let damaged = || in_turn().find_map(|number| by_place(number, true));
        known.or_else(by_place_alone).or_else(damaged)
    }

    /// Identifications of one super-frame are those of the next, too, but for the first: the kernel
    /// counts one for each. So what begins one as no other does is of that, and else of what was
    /// begun last.
    fn supers_in_turn<'a>(
        &'a self,
        point: usize,
        sighting: &'a Sighting,
        flow: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        let head = |number: u32| self.pieces[self.parcels[number].pieces].head;
        let is_begun = move |number: &u32| self.parcels[*number].seen & bit(point) != 0;
        let is_alone = move || {
            self.supers
                .of(flow)
                .filter(|it| head(*it) == sighting.head)
                .count()
                == 1
        };
        let begins = move |number: &u32| {
            !is_begun(number)
                && self.parcels[*number].id == sighting.id
                && head(*number) == sighting.head
                && is_alone()
        };
        let all = || self.supers.of(flow);
        let begun = all().rev().filter(is_begun);
        let others = all().filter(move |number| !is_begun(number));
        all().filter(begins).chain(begun).chain(others)
    }

    /// The message that another point has with the same bytes, and this one has not; that which is
    /// in front of all others.
    fn same_message(&self, point: usize, parcel: &Parcel, sighting: &Sighting) -> Option<u32> {
        let bytes = sighting.bytes - UDP_HEADER;
        let (mut first, mut at) = (NONE, parcel.pieces);
        while at != NONE {
            let piece = &self.pieces[at];
            let is_same = piece.bytes == bytes && piece.seen & bit(point) == 0;
            let is_in_front = first == NONE || piece.offset < self.pieces[first].offset;
            if is_same
                && is_in_front
                && piece.agrees(sighting)
                && !self.covers(point, parcel, piece.offset, bytes)
            {
                first = at;
            }
            at = piece.next;
        }
        (first != NONE).then_some(first)
    }

    /// Where in a super-frame a message is by its number: all are of one size, but for the last.
    /// Where another point has another one it is not, unless it may differ.
    pub(super) fn message(
        &self,
        point: usize,
        parcel: &Parcel,
        sighting: &Sighting,
        may_differ: bool,
    ) -> Option<u32> {
        let known = self.known(point, parcel);
        let bytes = sighting.bytes - UDP_HEADER;
        let all = parcel.length - UDP_HEADER;
        if known.is_whole_here {
            return None;
        }
        let begins = known.head == Some(sighting.head);
        let number = match sighting.is_numbered {
            true => u32::from((sighting.id as u16).wrapping_sub(parcel.id as u16)),
            false if known.size > 0 => known.reached.div_ceil(known.size),
            false => 0,
        };
        // What begins none may be of one that has not come yet.
        let size = match known.size {
            0 if number > 0 || !begins => return None,
            0 => bytes,
            size => size,
        };
        let next = number.checked_mul(size)?;
        let is_last = |offset: u32| offset.checked_add(bytes) == Some(all);
        // Messages in front of the last, which is shorter, may be lost.
        let offset = match sighting.is_numbered || is_last(next) || bytes == size {
            true => next,
            false => all.checked_sub(bytes).filter(|last| last % size == 0)?,
        };
        let fits = is_last(offset) || (bytes == size && offset.checked_add(bytes)? < all);
        let at = UDP_HEADER + offset;
        let is_free = fits
            && !self.covers(point, parcel, at, bytes)
            && (may_differ || !self.has_another(parcel, at, sighting));
        is_free.then_some(at)
    }

    /// Whether another point has another message in some place.
    fn has_another(&self, parcel: &Parcel, offset: u32, sighting: &Sighting) -> bool {
        let bytes = sighting.bytes - UDP_HEADER;
        let at = self.exact(parcel, offset, bytes);
        at != NONE && !self.pieces[at].agrees(sighting)
    }

    fn known(&self, point: usize, parcel: &Parcel) -> Known {
        let mut known = Known::default();
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            let is_here = piece.seen & bit(point) != 0;
            if piece.bytes == parcel.length {
                known.head = Some(piece.head);
                known.is_whole_here |= is_here;
            } else {
                known.size = known.size.max(piece.bytes);
                // A fragment may end in the header.
                let end = piece.end().saturating_sub(UDP_HEADER);
                known.reached = known.reached.max(if is_here { end } else { 0 });
            }
            at = piece.next;
        }
        known
    }
}
