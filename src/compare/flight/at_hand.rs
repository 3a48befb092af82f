//! What all points have at hand and NICs have cut or joined in between: a stretch of a stream, or
//! [messages](super::joined_at_hand). No packet of it is at two points, but all of its bytes are
//! at all of them: it is done with at once, and nobody has to look for it.

use super::settle::LINGER;
use super::{Arrival, Flight};
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::model::Timestamp;

/// What of a packet is in one that another point had before: which that is, and from which of its
/// bytes on how many are in both.
struct Part {
    place: usize,
    offset: u32,
    bytes: u32,
}

/// The parts of a packet, by the packets of another point that have the same bytes in a row.
fn parts<'a>(packet: &Sighting, before: &'a [Sighting]) -> impl Iterator<Item = Part> + 'a {
    let (mut at, mut left) = (packet.offset, packet.bytes);
    let places = before.iter().enumerate();
    places.filter_map(move |(place, other)| {
        let offset = at.wrapping_sub(other.offset);
        let bytes = other.bytes.checked_sub(offset)?.min(left);
        at = at.wrapping_add(bytes);
        left -= bytes;
        (bytes > 0).then_some(Part {
            place,
            offset,
            bytes,
        })
    })
}

/// Whether packets of any two points that begin and end with the same byte are the same.
fn are_alike_where_cut_alike(packets: &[Vec<Sighting>]) -> bool {
    let is_it = |packet: &Sighting, others: &[Sighting]| {
        parts(packet, others).all(|part| {
            let other = &others[part.place];
            let is_cut_alike = (other.offset, other.bytes) == (packet.offset, packet.bytes);
            !is_cut_alike || other.is_same_as(packet)
        })
    };
    let mut points = packets.iter().enumerate();
    points.all(|(point, some)| {
        let mut others = packets[..point].iter();
        others.all(|others| some.iter().all(|packet| is_it(packet, others)))
    })
}

impl Flight {
    /// Takes what is of one flow, in the packets in which each point has it next. It goes first at
    /// one of them. Says whether it did: `false` if these may be other packets.
    pub fn take_at_hand(&mut self, flow: u32, first: usize, packets: &[Vec<Sighting>]) -> bool {
        let is_stream = packets.iter().flatten().all(|it| it.form == Form::Segment);
        self.is_whole_everywhere(flow)
            && self.come_soon(packets)
            && match is_stream {
                true => self.take_stretch(flow, first, packets),
                false => self.take_messages(flow, packets),
            }
    }

    /// The same of a stretch of a stream.
    fn take_stretch(&mut self, flow: u32, first: usize, packets: &[Vec<Sighting>]) -> bool {
        let before = &packets[first];
        let mut others = self.others(first).flat_map(|point| &packets[point]);
        let are_those = are_alike_where_cut_alike(packets)
            && others.all(|packet| self.are_numbered_like(flow, packet, before));
        if !are_those {
            return false;
        }
        let mut numbers = std::mem::take(&mut self.at_hand);
        numbers.extend(
            before
                .iter()
                .map(|packet| self.begin_at_hand(first, packet, flow)),
        );
        for point in self.others(first) {
            for packet in &packets[point] {
                self.lay_over(self.arrival(point, packet), &numbers, before);
            }
        }
        let last = numbers.iter().map(|number| self.parcels[*number].last);
        let last = last.max().unwrap_or(Timestamp::MIN);
        for number in numbers.drain(..) {
            self.settle(number);
        }
        self.remember(flow, packets.iter().flatten(), last);
        self.at_hand = numbers;
        true
    }

    /// A parcel of what a point sees first; it has no keys.
    pub(super) fn begin_at_hand(&mut self, point: usize, packet: &Sighting, flow: u32) -> u32 {
        let arrival = self.arrival(point, packet);
        let (number, piece) = self.make_parcel(arrival, flow);
        self.note_begun(flow);
        self.parcels[number].tells_time = self.tells_time(flow, packet);
        self.see(arrival, number, piece);
        number
    }

    /// A point sees some bytes of a parcel, which others may have seen in a packet like that.
    pub(super) fn see_at_hand(
        &mut self,
        arrival: Arrival<'_>,
        number: u32,
        offset: u32,
        bytes: u32,
    ) {
        let piece = match self.exact(&self.parcels[number], offset, bytes) {
            NONE => self.add_piece(number, arrival.sighting, offset, bytes),
            piece => piece,
        };
        self.see(arrival, number, piece);
    }

    /// All points have seen these packets, the last then: what comes again is known by them.
    pub(super) fn remember<'a>(
        &mut self,
        flow: u32,
        packets: impl Iterator<Item = &'a Sighting>,
        last: Timestamp,
    ) {
        for packet in packets.filter(|packet| packet.can_be_told()) {
            let identity = packet.identity();
            let key = match packet.form {
                Form::Segment => identity.key_of_size(flow, packet.bytes),
                Form::Whole | Form::Piece => identity.key(flow),
            };
            self.march.passed(key, packet, last);
        }
    }

    /// Whether no copy of any of these can have come in between.
    fn come_soon(&self, packets: &[Vec<Sighting>]) -> bool {
        let (mut first, mut last) = (Timestamp::MAX, Timestamp::MIN);
        for (point, packets) in packets.iter().enumerate() {
            for packet in packets {
                let time = self.time_of(point, packet);
                (first, last) = (first.min(time), last.max(time));
            }
        }
        last - first <= LINGER
    }

    /// Whether identifications allow that a packet is of the same bytes as those that another point
    /// had before.
    fn are_numbered_like(&self, flow: u32, packet: &Sighting, before: &[Sighting]) -> bool {
        parts(packet, before).all(|part| {
            let theirs = &before[part.place];
            let at = theirs.offset.wrapping_add(part.offset);
            let parcel = Parcel::of(theirs, flow, theirs.time);
            self.numbers_between(&parcel, packet, at).is_some()
        })
    }

    /// Another point saw a packet of bytes that came in these parcels to the first.
    fn lay_over(&mut self, arrival: Arrival<'_>, numbers: &[u32], before: &[Sighting]) {
        for Part {
            place,
            offset,
            bytes,
        } in parts(arrival.sighting, before)
        {
            let number = numbers[place];
            let at = before[place].offset.wrapping_add(offset);
            let part = arrival.sighting.part(at, bytes);
            self.see_at_hand(arrival.with(&part), number, offset, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{
        begun_at, take, tallies, told_at_hand, told_one_by_one,
    };
    use crate::compare::sighting::example;
    use crate::model::{Duration, Protocol};
    use proptest::prelude::*;

    const A: usize = 0;
    const B: usize = 1;
    const FLOW: u32 = 0;

    /// Bytes that are in one packet everywhere.
    const UNIT: u32 = 1_000;
    const UNITS: u32 = 12;

    /// Some units of a stream in one packet, by the clock of the point.
    fn packet(units: std::ops::Range<u32>, time: i64) -> Sighting {
        let bytes = (units.end - units.start) * UNIT;
        Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            offset: units.start * UNIT,
            bytes,
            ip_bytes: bytes + 40,
            is_fresh: true,
            time: Timestamp(time),
            ..example(100 + units.start)
        }
    }

    /// The stream of a point that has it cut behind these units.
    fn cut(behind: &[u32], time: i64) -> Vec<Sighting> {
        let ends = behind.iter().copied().chain([UNITS]);
        let mut begin = 0;
        let packets = ends.map(|end| {
            let units = std::mem::replace(&mut begin, end)..end;
            let time = time + i64::from(units.start) * 1_000;
            packet(units, time)
        });
        packets.collect()
    }

    fn cuts() -> impl Strategy<Value = Vec<u32>> {
        let units: Vec<u32> = (1..UNITS).collect();
        prop::sample::subsequence(units, 0..=UNITS as usize - 1)
    }

    proptest! {
        #[test]
        fn what_is_at_hand_is_told_as_what_comes_one_by_one(
            cuts in [cuts(), cuts()],
            first in 0..2_usize,
        ) {
            let packets = [cut(&cuts[A], 1_000_000), cut(&cuts[B], 1_050_000)];
            let at_hand = told_at_hand(begun_at(2), first, &packets);
            let one_by_one = told_one_by_one(begun_at(2), first, &packets);
            prop_assert_eq!(at_hand, Some(one_by_one));
        }
    }

    #[test]
    fn what_may_be_another_packet_is_not_taken() {
        let told = |packets: &[Vec<Sighting>; 2]| told_at_hand(begun_at(2), A, packets);
        let whole = cut(&[], 1_000_000);
        let halves = || cut(&[6], 1_050_000);
        assert!(told(&[whole.clone(), halves()]).is_some());
        let mut numbered_before = halves();
        numbered_before[1].id = 90;
        assert_eq!(told(&[whole.clone(), numbered_before]), None);
        let mut late = halves();
        late[1].time = late[1].time + Duration(LINGER.0 + 1);
        assert_eq!(told(&[whole, late]), None);
        let mut damaged = cut(&[6, 9], 1_050_000);
        damaged[0].head ^= 1;
        assert_eq!(told(&[halves(), damaged]), None);
    }

    #[test]
    fn damage_between_two_that_have_it_cut_alike_is_not_passed_over() {
        let is_taken = |behind: Vec<Sighting>| {
            let mut flight = begun_at(3);
            let packets = [cut(&[], 1_000_000), cut(&[6], 1_050_000), behind];
            flight.take_at_hand(FLOW, A, &packets)
        };
        let mut damaged = cut(&[6], 1_060_000);
        assert!(is_taken(damaged.clone()));
        damaged[1].head ^= 1;
        assert!(!is_taken(damaged));
    }

    #[test]
    fn it_is_found_nowhere_afterwards_but_told_from_copies() {
        let mut flight = begun_at(2);
        let packets = [cut(&[3, 6], 1_000_000), cut(&[], 1_050_000)];
        let known = |flight: &Flight| (flight.parcels.len(), flight.pieces.len());
        let before = known(&flight);
        assert!(flight.take_at_hand(FLOW, A, &packets));
        assert_eq!(known(&flight), before);
        assert!(flight.is_idle(FLOW));
        // Each as its point had it.
        for (point, packet) in [(A, packets[A][1]), (B, packets[B][0])] {
            let again = Sighting {
                is_fresh: false,
                frame: 99,
                ..packet
            };
            take(&mut flight, point, 2, &again);
        }
        assert_eq!(tallies(flight), [(4, 4), (2, 2)]);
    }
}
