//! Super-frames in flight, by flow: what is in one may come in many packets elsewhere.

use super::{Flight, SUPER_BYTES, UDP_HEADER, bit};
use crate::compare::parcel::Parcel;
use crate::compare::run::MAX_POINTS;
use crate::compare::slab::NONE;
use hashbrown::HashMap;

/// Super-frames of one flow that are known at once.
const MAX_SUPER: usize = 256;

/// Such super-frames, of each flow in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Supers {
    by_flow: HashMap<u32, Vec<Super>>,
}

/// A super-frame, and what of its stream it has.
#[derive(Clone, Copy, Debug)]
struct Super {
    number: u32,
    start: u32,
    length: u32,
}

impl Supers {
    /// Adds one, with its number; of too many the oldest goes.
    pub fn add(&mut self, number: u32, parcel: &Parcel) {
        let supers = self.by_flow.entry(parcel.flow).or_default();
        if supers.len() >= MAX_SUPER {
            supers.remove(0);
        }
        let Parcel { start, length, .. } = *parcel;
        supers.push(Super {
            number,
            start,
            length,
        });
    }

    /// One is no longer looked for, if it was.
    pub fn forget(&mut self, flow: u32, number: u32) {
        if let Some(supers) = self.by_flow.get_mut(&flow) {
            supers.retain(|known| known.number != number);
            if supers.is_empty() {
                self.by_flow.remove(&flow);
            }
        }
    }

    /// Those of a flow.
    pub fn of(&self, flow: u32) -> impl DoubleEndedIterator<Item = u32> + Clone + '_ {
        let supers = self.by_flow.get(&flow);
        let supers = supers.map_or(&[][..], Vec::as_slice);
        supers.iter().map(|known| known.number)
    }

    /// Those of a flow that have a byte of its stream. Most have another: that is told without
    /// their parcels, which are far apart.
    pub fn with_byte(&self, flow: u32, at: u32) -> impl Iterator<Item = u32> + '_ {
        let supers = self.by_flow.get(&flow).into_iter().flatten();
        let supers = supers.filter(move |known| at.wrapping_sub(known.start) < known.length);
        supers.map(|known| known.number)
    }
}

impl Flight {
    /// A super-frame of which all points have all bytes is looked for no more. Mostly its end comes
    /// last, and so that is asked once a piece that reaches so far has come.
    pub(super) fn leave_super(&mut self, number: u32, reached: u32) {
        let parcel = &self.parcels[number];
        if parcel.length > SUPER_BYTES && reached == parcel.length && self.is_had_by_all(parcel) {
            self.supers.forget(parcel.flow, number);
        }
    }

    /// Whether every point saw all bytes of a parcel, in whatever pieces: none sees any twice.
    pub(super) fn is_had_by_all(&self, parcel: &Parcel) -> bool {
        // Each message has a header of its own.
        let header = if parcel.is_super_udp { UDP_HEADER } else { 0 };
        let has_all = |bytes: &u32| bytes.saturating_add(header) >= parcel.length;
        parcel.seen == self.everywhere
            && self.bytes_by_point(parcel)[..self.points]
                .iter()
                .all(has_all)
    }

    fn bytes_by_point(&self, parcel: &Parcel) -> [u32; MAX_POINTS] {
        let mut bytes = [0_u32; MAX_POINTS];
        let mut at = parcel.pieces;
        while at != NONE {
            let piece = &self.pieces[at];
            for (point, bytes) in bytes[..self.points].iter_mut().enumerate() {
                let is_here = piece.seen & bit(point) != 0;
                *bytes = bytes.saturating_add(if is_here { piece.bytes } else { 0 });
            }
            at = piece.next;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{of_one_flow, take};
    use crate::compare::sighting::{Form, Sighting, example};
    use crate::model::{Protocol, Timestamp};

    /// A stretch of a stream of flow 7.
    fn stretch(start: u32, length: u32) -> Parcel {
        let sighting = Sighting {
            form: Form::Segment,
            offset: start,
            bytes: length,
            ..example(1)
        };
        Parcel::of(&sighting, 7, Timestamp(0))
    }

    #[test]
    fn who_has_a_byte_is_found_where_streams_wrap_too() {
        let mut supers = Supers::default();
        let starts = [5_000_u32, 0_u32.wrapping_sub(3_000), 9_000];
        for (number, start) in (1..).zip(starts) {
            supers.add(number, &stretch(start, 4_000));
        }
        let found = |at: u32| -> Vec<u32> { supers.with_byte(7, at).collect() };
        assert!(found(4_999).is_empty());
        assert_eq!(found(5_000), [1]);
        assert_eq!(found(8_999), [1]);
        assert_eq!(found(9_000), [3]);
        assert_eq!(found(999), [2]);
        assert!(found(1_000).is_empty());
        assert_eq!(found(u32::MAX), [2]);
        assert_eq!(supers.with_byte(8, 5_000).count(), 0);
    }

    #[test]
    fn the_latest_of_a_flow_are_known_until_they_are_forgotten() {
        let mut supers = Supers::default();
        for number in 0..=MAX_SUPER as u32 {
            supers.add(number, &stretch(number * 4_000, 4_000));
        }
        assert_eq!(supers.of(7).next(), Some(1));
        assert_eq!(supers.of(7).count(), MAX_SUPER);
        for number in 1..=MAX_SUPER as u32 {
            assert!(supers.of(7).any(|known| known == number));
            supers.forget(7, number);
        }
        assert_eq!(supers.of(7).count(), 0);
        assert!(supers.by_flow.is_empty());
        supers.forget(7, 1);
    }

    /// What of a super-frame of four packets comes to the other point, in this order; says whether
    /// it is looked for then.
    fn is_looked_for(whole: &Sighting, packets: &[Sighting]) -> bool {
        let mut flight = of_one_flow();
        take(&mut flight, 0, 1, whole);
        assert_eq!(flight.supers.of(0).count(), 1);
        for (millisecond, packet) in (2..).zip(packets) {
            take(&mut flight, 1, millisecond, packet);
        }
        flight.supers.of(0).count() > 0
    }

    #[test]
    fn a_stream_is_looked_for_until_all_have_it() {
        const SIZE: u32 = 1_000;
        let packets = |number: u32, count: u32| Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            offset: number * SIZE,
            bytes: count * SIZE,
            ip_bytes: count * SIZE + 40,
            ..example(1 + number)
        };
        let whole = packets(0, 4);
        let each = [0, 1, 2, 3].map(|number| packets(number, 1));
        assert!(!is_looked_for(&whole, &each));
        assert!(!is_looked_for(&whole, &[each[0], packets(1, 3)]));
        assert!(is_looked_for(&whole, &each[..3]));
        assert!(is_looked_for(&whole, &[each[0], each[1], each[3]]));
    }

    #[test]
    fn messages_are_looked_for_until_all_have_them() {
        const SIZE: u32 = 500;
        let whole = Sighting {
            bytes: 8 + 4 * SIZE,
            ip_bytes: 28 + 4 * SIZE,
            head: 1,
            ..example(1)
        };
        let each = [0, 1, 2, 3].map(|number| Sighting {
            bytes: 8 + SIZE,
            ip_bytes: 28 + SIZE,
            head: 1 + u64::from(number),
            ..example(1 + number)
        });
        assert!(!is_looked_for(&whole, &each));
        assert!(is_looked_for(&whole, &each[..3]));
        assert!(is_looked_for(&whole, &[each[0], each[2], each[3]]));
    }
}
