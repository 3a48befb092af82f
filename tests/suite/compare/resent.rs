//! TCP sends again what was lost: the same bytes in another packet, which is neither a
//! copy nor the one that was lost.

use super::sight::{BEGIN, EDGE, Packet, Sight, Stream};
use super::{Faults, compare, flow_to};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, ACK, Sum, TCP, cut, noise, tcp_at};

const PORT: u16 = 80;
const BYTES: u32 = 1_000;
const SEGMENTS: u32 = 1_500;
const AGAIN: u64 = 30 * MILLISECOND;

/// A segment, sent for the first time or again.
fn segment(number: u32, time: u64, id: u32) -> Packet {
    let data = noise(BYTES as usize, number.into());
    let sequence = 1_000 + number * BYTES;
    let bytes = tcp_at((sequence, 1), A_TO_B, (4000, PORT), ACK, &data, Sum::Right);
    Packet {
        time,
        ip: cut(A_TO_B, TCP, id, &bytes, 1_500).remove(0),
        port: PORT,
        datagram: id,
        index: 0,
        is_last: true,
    }
}

fn is_lost(number: u32) -> bool {
    number % 30 == 7
}

/// Between beats, as everything.
fn sent() -> Sight {
    let segments = (0..SEGMENTS).flat_map(|number| {
        let time = BEGIN + u64::from(number) * MILLISECOND;
        let first = segment(number, time, number);
        let again = is_lost(number).then(|| segment(number, time + AGAIN, SEGMENTS + number));
        [Some(first), again].into_iter().flatten()
    });
    let beats = Sight::of(&[Stream {
        datagrams: 1,
        begin: BEGIN + EDGE / 4,
        ..Stream::to(9, A_TO_B)
    }]);
    beats.and(&Sight(segments.collect()))
}

#[test]
fn segments_that_were_sent_again_were_lost_once() {
    let here = sent();
    let there = here.later(MILLISECOND).without(|packet| {
        packet.port == PORT && packet.datagram < SEGMENTS && is_lost(packet.datagram)
    });
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("path", path, &here, &there);
    for number in ["duplicated", "duplicates_removed", "appeared", "reordered"] {
        faults.must_be(number, &path[number], 0);
    }
    let lost = &flow_to(&comparison, PORT)["path"]["lost"]["packets"];
    faults.must_be("of the flow", lost, SEGMENTS / 30);
    faults.end();
}

/// Needlessly, because the answer was late: both came.
#[test]
fn segments_that_were_sent_twice_are_two() {
    let here = sent();
    let comparison = compare(&[&here, &here.later(MILLISECOND)]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_count("sent", &path["sent"], here.counted());
    for number in ["duplicated", "duplicates_removed", "appeared", "reordered"] {
        faults.must_be(number, &path[number], 0);
    }
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.end();
}
