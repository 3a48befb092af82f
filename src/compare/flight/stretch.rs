//! Stretches of a stream that NICs cut and join.

use super::{Flight, MAX_CHAIN, apart, bit, key};
use crate::compare::observer::segment_identity;
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::Timestamp;
use std::ops::Range;

impl Flight {
    /// A stretch of a stream that is several parcels here, or part of a larger one; says
    /// whether all of it was found.
    pub(super) fn spread(
        &mut self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        time: Timestamp,
    ) -> bool {
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
    pub(super) fn stretch(
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
    pub(super) fn covers(&self, point: usize, parcel: &Parcel, offset: u32, bytes: u32) -> bool {
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

    pub(super) fn exact(&self, parcel: u32, offset: u32, bytes: u32) -> u32 {
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
}
