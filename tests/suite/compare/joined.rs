//! Small segments that a NIC joins, to frames that are no larger than an MTU: neither is
//! what one point saw known by its size, nor which of the points comes first.

use super::sight::{BEGIN, Packet, Sight};
use super::{Faults, compare, flow_to};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, ACK, Sum, TCP, cut, noise, tcp_at};
use std::ops::Range;

const PORT: u16 = 80;
const SEGMENT: usize = 500;
/// A frame of one segment, then one of two, and so on.
const FRAMES: u32 = 600;
const PAIRS: u32 = FRAMES / 2;

fn is_pair(frame: u32) -> bool {
    frame % 2 == 1
}

fn is_lost(frame: u32) -> bool {
    frame % 60 == 7 || frame % 60 == 30
}

/// The segments of a frame.
fn segments(frame: u32) -> Range<u32> {
    let first = frame + frame / 2;
    first..first + if is_pair(frame) { 2 } else { 1 }
}

/// Some segments in one packet.
fn packet(segments: Range<u32>, time: u64) -> Packet {
    let data = segments
        .clone()
        .flat_map(|number| noise(SEGMENT, number.into()));
    let data: Vec<u8> = data.collect();
    let sequence = 1_000 + segments.start * SEGMENT as u32;
    let bytes = tcp_at((sequence, 1), A_TO_B, (4000, PORT), ACK, &data, Sum::Right);
    Packet {
        time,
        ip: cut(A_TO_B, TCP, segments.start, &bytes, 1_500).remove(0),
        port: PORT,
        datagram: segments.start,
        index: 0,
        is_last: true,
    }
}

fn begin(frame: u32) -> u64 {
    BEGIN + u64::from(frame) * MILLISECOND
}

/// Each segment as it was sent.
fn alone(frames: impl Iterator<Item = u32>) -> Sight {
    Sight::between_beats(frames.flat_map(|frame| {
        let numbered = segments(frame).zip(0..);
        numbered.map(move |(segment, place)| {
            packet(segment..segment + 1, begin(frame) + place * 5 * MICROSECOND)
        })
    }))
}

/// Each frame as the NIC has it, so long after its first segment.
fn joined(frames: impl Iterator<Item = u32>, after: u64) -> Sight {
    Sight::between_beats(frames.map(|frame| packet(segments(frame), begin(frame) + after)))
}

/// What the way between two points is told to have done.
fn compared(front: &Sight, back: &Sight, lost: u32, layout: (u32, u32)) {
    let comparison = compare(&[front, &back.later(MILLISECOND)]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_count("sent", &path["sent"], front.counted());
    for number in ["duplicated", "duplicates_removed", "appeared", "reordered"] {
        faults.must_be(number, &path[number], 0);
    }
    faults.must_be("lost", &path["lost"]["packets"], lost);
    let of_flow = &flow_to(&comparison, PORT)["path"];
    faults.must_be("of the flow", &of_flow["lost"]["packets"], lost);
    faults.must_be("segmented", &path["layout"]["segmented"], layout.0);
    faults.must_be("coalesced", &path["layout"]["coalesced"], layout.1);
    faults.end();
}

/// As many segments or frames as are lost, and pairs that arrive.
fn expected() -> (u32, u32, u32) {
    let lost = || (0..FRAMES).filter(|frame| is_lost(*frame));
    let lost_segments: usize = lost().map(|frame| segments(frame).len()).sum();
    let lost_pairs = lost().filter(|frame| is_pair(*frame)).count() as u32;
    (
        lost_segments as u32,
        lost().count() as u32,
        PAIRS - lost_pairs,
    )
}

fn all() -> impl Iterator<Item = u32> {
    0..FRAMES
}

fn arrived() -> impl Iterator<Item = u32> {
    all().filter(|frame| !is_lost(*frame))
}

/// When a joined frame is seen, after the first of its segments: with it, with the last
/// one, and later than both.
const AFTER: [u64; 3] = [0, 5 * MICROSECOND, 40 * MICROSECOND];

#[test]
fn small_segments_that_are_joined_are_not_lost() {
    for after in AFTER {
        compared(&alone(all()), &joined(all(), after), 0, (0, PAIRS));
    }
}

#[test]
fn small_frames_that_are_cut_are_not_lost() {
    for after in AFTER {
        compared(&joined(all(), after), &alone(all()), 0, (PAIRS, 0));
    }
}

#[test]
fn of_small_segments_that_are_joined_some_are_lost() {
    let (segments, _, pairs) = expected();
    for after in AFTER {
        compared(
            &alone(all()),
            &joined(arrived(), after),
            segments,
            (0, pairs),
        );
    }
}

#[test]
fn of_small_frames_that_are_cut_some_are_lost() {
    let (_, frames, pairs) = expected();
    for after in AFTER {
        compared(&joined(all(), after), &alone(arrived()), frames, (pairs, 0));
    }
}
