//! Messages of UDP that all points have at hand, and that some have in one frame: a sender left it
//! to its NIC to cut them (`UDP_SEGMENT`), or a receiver had them joined (`UDP_GRO`).

use super::joined::{are_alike, data_sum, data_sum_from};
use super::{Flight, UDP_HEADER};
use crate::compare::sighting::Sighting;
use crate::model::Sum;

/// Where in a frame each of its messages begins, behind a header of its own.
fn offsets(messages: &[Sighting]) -> impl Iterator<Item = (&Sighting, u32)> {
    messages.iter().scan(UDP_HEADER, |at, message| {
        let offset = *at;
        *at += message.bytes - UDP_HEADER;
        Some((message, offset))
    })
}

/// Whether a frame has the bytes of these messages: all are of one size, but the last may be
/// shorter. It begins as the first does, and is numbered like it.
fn is_made_of(frame: &Sighting, messages: &[Sighting]) -> bool {
    let [first, .., last] = messages else {
        return false;
    };
    let mut but_the_last = messages.iter().rev().skip(1);
    let are_of_one_size = but_the_last.all(|it| it.bytes == first.bytes);
    let begins_alike =
        (frame.head, frame.id, frame.is_numbered) == (first.head, first.id, first.is_numbered);
    are_of_one_size
        && last.bytes <= first.bytes
        && begins_alike
        && are_numbered_on(messages)
        && has_sum_of(frame, messages)
}

/// Whether none is missing in between, as far as identifications tell: they are numbered on, or all
/// alike.
fn are_numbered_on(messages: &[Sighting]) -> bool {
    let mut steps = messages.windows(2).map(|two| {
        let [one, next] = [0, 1].map(|place| two[place].id as u16);
        next.wrapping_sub(one)
    });
    let first = steps.next().unwrap_or_default();
    first <= 1 && steps.all(|step| step == first)
}

/// Whether all bytes are known, and add up to the same.
fn has_sum_of(frame: &Sighting, messages: &[Sighting]) -> bool {
    let sum = offsets(messages).try_fold(Sum(0), |sum, (message, offset)| {
        Some(sum.plus(data_sum_from(offset, message.sum, message.bytes)?))
    });
    let expected = data_sum(frame.sum, frame.bytes);
    sum.zip(expected)
        .is_some_and(|(sum, expected)| are_alike(sum, expected))
}

fn are_the_same(some: &[Sighting], others: &[Sighting]) -> bool {
    let mut both = some.iter().zip(others);
    some.len() == others.len() && both.all(|(one, other)| one.is_same_as(other))
}

impl Flight {
    /// Takes messages that some points have in one frame, as each has them next of a flow; says
    /// whether it did.
    pub(super) fn take_messages(&mut self, flow: u32, packets: &[Vec<Sighting>]) -> bool {
        let joined = packets.iter().position(|packets| packets.len() == 1);
        let messages = packets.iter().find(|packets| packets.len() > 1);
        let (Some(joined), Some(messages)) = (joined, messages) else {
            return false;
        };
        let frame = &packets[joined][0];
        let are_those = |packets: &Vec<Sighting>| match &packets[..] {
            [one] => one.is_same_as(frame),
            many => are_the_same(many, messages),
        };
        if !(is_made_of(frame, messages) && packets.iter().all(are_those)) {
            return false;
        }
        let number = self.begin_at_hand(joined, frame, flow);
        self.parcels[number].is_super_udp = true;
        for point in self.others(joined) {
            match &packets[point][..] {
                [frame] => self.see_at_hand(self.arrival(point, frame), number, 0, frame.bytes),
                messages => {
                    for (message, offset) in offsets(messages) {
                        let bytes = message.bytes - UDP_HEADER;
                        self.see_at_hand(self.arrival(point, message), number, offset, bytes);
                    }
                }
            }
        }
        let last = self.parcels[number].last;
        self.settle(number);
        self.remember(flow, std::iter::once(frame).chain(messages), last);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{begun_at, told_at_hand, told_one_by_one};
    use crate::compare::sighting::example;
    use crate::model::Timestamp;
    use proptest::prelude::*;

    const FLOW: u32 = 0;
    /// Odd: every second message begins at an odd byte of the frame.
    const SIZE: u32 = 801;

    fn packet(id: u32, bytes: u32, data: u16, head: u64, time: i64) -> Sighting {
        Sighting {
            bytes,
            ip_bytes: bytes + 20,
            sum: Some(Sum(data).plus(Sum(bytes as u16))),
            head,
            is_fresh: true,
            time: Timestamp(time),
            ..example(id)
        }
    }

    /// Messages of which the last has so many bytes, and the frame that has all of them.
    fn messages(count: u32, last: u32) -> (Vec<Sighting>, Sighting) {
        let all = (0..count).map(|number| {
            let bytes = if number + 1 == count { last } else { SIZE };
            let data = 0x1234_u16.wrapping_mul(number as u16 + 1);
            let time = 1_000_000 + i64::from(number) * 1_000;
            packet(100 + number, UDP_HEADER + bytes, data, number.into(), time)
        });
        let all: Vec<Sighting> = all.collect();
        let sum = offsets(&all).fold(Sum(0), |sum, (message, offset)| {
            sum.plus(data_sum_from(offset, message.sum, message.bytes).unwrap())
        });
        let bytes = UDP_HEADER + (count - 1) * SIZE + last;
        let frame = packet(100, bytes, sum.0, 0, 1_050_000);
        (all, frame)
    }

    fn flight() -> Flight {
        let mut flight = begun_at(2);
        flight.expect_joined();
        flight
    }

    proptest! {
        #[test]
        fn messages_at_hand_are_told_as_those_that_come_one_by_one(
            count in 3..12_u32,
            last in 1..=SIZE,
            goes_first in any::<bool>(),
        ) {
            let (messages, frame) = messages(count, last);
            let packets = match goes_first {
                true => [vec![frame], messages],
                false => [messages, vec![frame]],
            };
            let at_hand = told_at_hand(flight(), 0, &packets);
            prop_assert_eq!(at_hand, Some(told_one_by_one(flight(), 0, &packets)));
        }
    }

    #[test]
    fn what_may_be_other_messages_is_not_taken() {
        let (of_frame, frame) = messages(5, 300);
        let is_taken = |messages: Vec<Sighting>, frame: Sighting| {
            told_at_hand(flight(), 0, &[messages, vec![frame]]).is_some()
        };
        let but = |number: usize, change: fn(&mut Sighting)| {
            let mut messages = of_frame.clone();
            change(&mut messages[number]);
            messages
        };
        assert!(is_taken(of_frame.clone(), frame));
        let others = [
            but(3, |it| it.sum = it.sum.map(|sum| sum.plus(Sum(1)))),
            but(3, |it| it.sum = None),
            but(0, |it| it.head += 1),
            but(0, |it| it.id += 1),
            but(4, |it| it.id += 1),
            but(2, |it| it.bytes -= 2),
            of_frame[..1].to_vec(),
        ];
        for messages in others {
            assert!(!is_taken(messages, frame));
        }
        let as_it_was = [of_frame.clone(), of_frame];
        assert_eq!(told_at_hand(flight(), 0, &as_it_was), None);
    }

    #[test]
    fn where_two_points_have_the_messages_they_are_the_same() {
        let (messages, frame) = messages(4, SIZE);
        let is_taken = |behind: Vec<Sighting>| {
            let packets = [vec![frame], messages.clone(), behind];
            begun_at(3).take_at_hand(FLOW, 0, &packets)
        };
        let mut other = messages.clone();
        other[2].head += 1;
        assert!(is_taken(messages.clone()) && is_taken(vec![frame]));
        assert!(!is_taken(other) && !is_taken(messages[..3].to_vec()));
    }
}
