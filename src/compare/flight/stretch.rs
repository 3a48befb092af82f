//! Stretches of a stream that NICs cut and join.

use super::{Arrival, Flight, MAX_CHAIN, SUPER_BYTES, apart, bit};
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Identity, Sighting};
use crate::compare::slab::NONE;
use std::ops::Range;

/// Bits of an identification that all NICs count in.
const NUMBER_BITS: u32 = 15;

impl Flight {
    /// A stretch of a stream that is several parcels here, or part of a larger one; says
    /// whether all of it was found.
    pub(super) fn spread(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let sighting = arrival.sighting;
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
            let found = self.stretch(arrival, flow, at..end);
            let Some((parcel, offset, bytes)) = found else {
                break;
            };
            let part = sighting.part(at, bytes);
            let piece = match self.exact(&self.parcels[parcel], offset, bytes) {
                NONE => self.add_part(parcel, &part, offset),
                piece => piece,
            };
            self.see(arrival.with(&part), parcel, piece);
            self.leave_super(parcel, offset + bytes);
            any = true;
            at = at.wrapping_add(bytes);
        }
        if any && at != end {
            let rest = sighting.part(at, end.wrapping_sub(at));
            self.begin(arrival.with(&rest), flow);
        }
        any
    }

    /// A piece of a stretch, behind which the next is looked for.
    fn add_part(&mut self, number: u32, part: &Sighting, offset: u32) -> u32 {
        let parcel = &self.parcels[number];
        let is_super = parcel.length > SUPER_BYTES;
        if !is_super && offset + part.bytes < parcel.length {
            let next = Identity::of_segment(part.end()).key(parcel.flow);
            self.add_key(number, next);
        }
        self.add_piece(number, part, offset, part.bytes)
    }

    /// The parcel of a flow that has the byte `at` of its stream and was not seen here,
    /// and what of it that is. What was sent again is in several: the one with the nearest
    /// number is it, or what the point in front saw, or what was sent last before.
    pub(super) fn stretch(
        &self,
        arrival: Arrival<'_>,
        flow: u32,
        wanted: Range<u32>,
    ) -> Option<(u32, u32, u32)> {
        let (point, sighting, time) = arrival.parts();
        let (at, left) = (wanted.start, wanted.end.wrapping_sub(wanted.start));
        let identity = Identity::of_segment(at);
        let names = || self.paths.names(flow);
        let begins = names().flat_map(|name| self.index.newest(identity.key(name)));
        let begins = begins.take(MAX_CHAIN);
        let large = names().flat_map(|name| self.supers.with_byte(name, at));
        let in_front = match self.is_backward(flow) {
            true => Some(point + 1).filter(|front| *front < self.points),
            false => point.checked_sub(1),
        };
        let front = in_front.map_or(0, bit);
        let fitting = begins.chain(large).filter_map(|number| {
            let parcel = &self.parcels[number];
            let offset = at.wrapping_sub(parcel.start);
            let is_it = parcel.is_open
                && parcel.form == Form::Segment
                && offset < parcel.length
                && apart(time, parcel.first) <= self.window;
            let bytes = left.min(parcel.length.checked_sub(offset)?);
            if !is_it || self.covers(point, parcel, offset, bytes) {
                return None;
            }
            let numbers = self.numbers_between(parcel, sighting, at)?;
            let is_unseen = parcel.seen & front == 0;
            let rank = (numbers, is_unseen, apart(time, parcel.first));
            Some((rank, (number, offset, bytes)))
        });
        fitting
            .min_by_key(|(rank, _)| *rank)
            .map(|(_, found)| found)
    }

    /// How far the identification of a stretch from `at` on is from that of another, as far
    /// as they tell anything; `None` if they tell that it is of another packet.
    pub(super) fn numbers_between(
        &self,
        parcel: &Parcel,
        sighting: &Sighting,
        at: u32,
    ) -> Option<u32> {
        let are_numbered = sighting.has_identity() && parcel.has_identity;
        let are_kept = are_numbered && self.paths.get(self.paths.resolve(parcel.flow)).keeps_ids;
        match are_kept {
            true => numbers_from(parcel, sighting, at),
            false => Some(0),
        }
    }

    /// Whether a point saw some of these bytes.
    pub(super) fn covers(&self, point: usize, parcel: &Parcel, offset: u32, bytes: u32) -> bool {
        let mut at = parcel.pieces_near(offset, bytes);
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

    pub(super) fn exact(&self, parcel: &Parcel, offset: u32, bytes: u32) -> u32 {
        let mut at = parcel.pieces_near(offset, bytes);
        while at != NONE {
            let piece = &self.pieces[at];
            if piece.offset == offset && piece.bytes == bytes {
                return at;
            }
            at = piece.next;
        }
        NONE
    }
}

/// How far an identification is on from that of another stretch; `None` if a NIC cannot
/// have made both of one super-frame. Those that a NIC makes of a super-frame are
/// numbered on, all but the last of the same size; some NICs keep the highest bit.
fn numbers_from(parcel: &Parcel, sighting: &Sighting, at: u32) -> Option<u32> {
    let numbers = sighting.id.wrapping_sub(parcel.id) as i32;
    let numbers = numbers << (i32::BITS - NUMBER_BITS) >> (i32::BITS - NUMBER_BITS);
    let bytes = sighting.offset.wrapping_sub(parcel.start) as i32;
    let size = match sighting.bytes > SUPER_BYTES {
        true => 1,
        false => sighting.bytes.max(1),
    };
    let is_in_order = numbers.signum() == bytes.signum() || numbers == 0;
    let is_possible = is_in_order && numbers.unsigned_abs() <= bytes.unsigned_abs() / size;
    // What a NIC joined may have come in another order.
    let is_rest = at != sighting.offset;
    (is_possible || is_rest).then_some(numbers.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::{Share, example};
    use crate::model::Timestamp;

    const SIZE: u32 = 1_398;

    fn segment(id: u16, offset: u32, packets: u32) -> Sighting {
        Sighting {
            form: Form::Segment,
            offset,
            bytes: packets * SIZE,
            ..example(id.into())
        }
    }

    /// How far a stretch is from a super-frame of ten packets.
    fn from_super_frame(id: u16, sighting: &Sighting) -> Option<u32> {
        let parcel = Parcel::of(&segment(id, 100_000, 10), 0, Timestamp(0));
        numbers_from(&parcel, sighting, sighting.offset)
    }

    #[test]
    fn packets_of_a_super_frame_are_numbered_on() {
        for number in 0..10 {
            let packet = segment(700 + number, 100_000 + u32::from(number) * SIZE, 1);
            assert_eq!(from_super_frame(700, &packet), Some(number.into()));
        }
    }

    #[test]
    fn some_nics_number_all_alike_or_keep_the_highest_bit() {
        let packet = segment(700, 100_000 + 9 * SIZE, 1);
        assert_eq!(from_super_frame(700, &packet), Some(0));
        for (first, fourth) in [(0x7ffe, 1), (0xfffe, 0x8001), (0xfffe, 1)] {
            let packet = segment(fourth, 100_000 + 3 * SIZE, 1);
            assert_eq!(from_super_frame(first, &packet), Some(3));
        }
    }

    #[test]
    fn what_was_sent_before_or_again_is_of_another() {
        let places = [(699, 0), (699, 3), (702, 1), (720, 3), (710, 0)];
        for (id, place) in places {
            let packet = segment(id, 100_000 + place * SIZE, 1);
            assert_eq!(from_super_frame(700, &packet), None, "{id} at {place}");
        }
    }

    #[test]
    fn what_a_nic_joined_begins_before_the_rest_of_it() {
        let joined = segment(697, 100_000 - 3 * SIZE, 20);
        assert_eq!(from_super_frame(700, &joined), Some(3));
        let parcel = Parcel::of(&segment(700, 100_000, 1), 0, Timestamp(0));
        let out_of_order = segment(650, 100_000 - SIZE, 2);
        assert_eq!(numbers_from(&parcel, &out_of_order, 100_000), Some(50));
    }

    #[test]
    fn parts_of_a_stretch_are_as_long_as_it() {
        let mut whole = segment(1, 100_000, 3);
        whole.ip_bytes = whole.bytes + 52;
        let parts = [0, 1, 2].map(|place| whole.part(100_000 + place * SIZE, SIZE));
        let bytes: u32 = parts.iter().map(|part| part.ip_bytes).sum();
        assert_eq!(bytes, whole.ip_bytes);
        assert_eq!(
            parts.map(|part| part.share),
            [Share::Begin, Share::Rest, Share::Rest]
        );
        assert_eq!(parts.map(|part| part.has_identity()), [true, false, false]);
    }
}
