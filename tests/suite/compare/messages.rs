//! A host hands its NIC many UDP messages of one flow at a time (UDP GSO): behind the NIC each
//! is a datagram of its own.

use super::sight::{BEGIN, Packet, Sight};
use super::truth::translated;
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, Sum, UDP, cut, noise, udp, whole};
use std::ops::Range;

const PORT: u16 = 7_000;
const MESSAGE: usize = 1_400;
const MESSAGES: u32 = 10;
const FRAMES: u32 = 300;

/// So many messages of a frame, from one on.
fn packet(frame: u32, first: u32, messages: u32, time: u64) -> Packet {
    packet_of(MESSAGE, 0, frame, first..first + messages, time)
}

/// The same of messages of some size, of which so many bytes are the same in all.
fn packet_of(size: usize, alike: usize, frame: u32, messages: Range<u32>, time: u64) -> Packet {
    let first = messages.start;
    let data = messages.flat_map(|number| {
        let mut data = noise(size, (frame * MESSAGES + number).into());
        data[..alike].fill(0xa7);
        data
    });
    let data: Vec<u8> = data.collect();
    Packet {
        time,
        ip: whole(A_TO_B, UDP, &udp(A_TO_B, PORT, &data, Sum::Right)),
        port: PORT,
        datagram: frame * MESSAGES + first,
        index: 0,
        is_last: true,
    }
}

fn begin(frame: u32) -> u64 {
    BEGIN + u64::from(frame) * 5 * MILLISECOND
}

/// With an identification.
fn numbered(packet: Packet, id: u32) -> Packet {
    let ip = cut(A_TO_B, UDP, id & 0xffff, &packet.ip[20..], 65_535).remove(0);
    Packet { ip, ..packet }
}

/// The first takes longest: somebody has to ask for an address before. Whatever a clock makes of
/// that, all others are found.
#[test]
fn messages_of_one_frame_are_found_whatever_the_first_takes() {
    let front = (0..FRAMES).map(|frame| packet(frame, 0, MESSAGES, begin(frame)));
    let back = (0..FRAMES)
        .filter(|frame| frame % 40 != 7)
        .flat_map(|frame| {
            let takes = if frame == 0 { 33 } else { 20 };
            (0..MESSAGES).map(move |message| {
                let later = takes * MICROSECOND + u64::from(message) * MICROSECOND / 2;
                packet(frame, message, 1, begin(frame) + later)
            })
        });
    let (front, back) = (Sight::between_beats(front), Sight::between_beats(back));
    let comparison = compare(&[&front, &back]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    let lost = (0..FRAMES).filter(|frame| frame % 40 == 7).count();
    faults.must_be("lost", &path["lost"]["packets"], lost as u64);
    faults.must_be("appeared", &path["appeared"], 0);
    let cut = u64::from(FRAMES) - lost as u64;
    faults.must_be("cut", &path["layout"]["segmented"], cut);
    faults.end();
}

/// Linux counts one identification for each frame that it hands on, and its NIC one for each
/// message: those of frames overlap. Some messages are lost, but none that begins a frame. Behind
/// NAT they go by another address, too.
#[test]
fn messages_of_frames_whose_identifications_overlap_are_told_apart() {
    let is_lost = |frame: u32, message: u32| message > 0 && (frame * MESSAGES + message) % 37 == 11;
    let begin = |frame: u32| BEGIN + u64::from(frame) * MILLISECOND;
    let front = (0..FRAMES).map(|frame| {
        let sent = packet(frame, 0, MESSAGES, begin(frame));
        numbered(sent, 100 + frame)
    });
    let back = (0..FRAMES).flat_map(|frame| {
        let messages = (0..MESSAGES).filter(move |message| !is_lost(frame, *message));
        messages.map(move |message| {
            let later = 20 * MICROSECOND + u64::from(message) * MICROSECOND / 2;
            let sent = packet(frame, message, 1, begin(frame) + later);
            numbered(sent, 100 + frame + message)
        })
    });
    let (front, back) = (Sight::between_beats(front), Sight::between_beats(back));
    let behind_nat = back.map(|packet| match packet.port {
        PORT => translated(packet),
        _ => packet,
    });
    for back in [back, behind_nat] {
        let comparison = compare(&[&front, &back]);
        let path = &comparison["path"];
        let mut faults = Faults::new();
        let of_frame = |frame: u32| (0..MESSAGES).any(|message| is_lost(frame, message));
        let lost = (0..FRAMES).filter(|frame| of_frame(*frame)).count();
        faults.must_be("frames in part", &path["lost"]["packets"], lost as u64);
        faults.must_be("appeared", &path["appeared"], 0);
        faults.must_be("corrupted", &path["corrupted"], 0);
        faults.end();
    }
}

/// Behind a point that has the messages one by one each is known by its bytes: whichever is lost,
/// the first and the last too, is one packet, with identifications and without.
#[test]
fn messages_that_two_points_have_one_by_one_are_lost_one_by_one() {
    let is_lost = |frame: u32, message: u32| (frame * MESSAGES + message) % 37 == 11;
    let all = || (0..FRAMES).flat_map(|frame| (0..MESSAGES).map(move |message| (frame, message)));
    let begin = |frame: u32| BEGIN + u64::from(frame) * MILLISECOND;
    for has_numbers in [true, false] {
        let named = |packet: Packet, id: u32| match has_numbers {
            true => numbered(packet, id),
            false => packet,
        };
        let front =
            (0..FRAMES).map(|frame| named(packet(frame, 0, MESSAGES, begin(frame)), 100 + frame));
        let middle = all().map(|(frame, message)| {
            let later = 20 * MICROSECOND + u64::from(message) * MICROSECOND / 2;
            let sent = packet(frame, message, 1, begin(frame) + later);
            named(sent, 100 + frame + message)
        });
        let (front, middle) = (Sight::between_beats(front), Sight::between_beats(middle));
        let back = middle.later(30 * MICROSECOND).without(|packet| {
            let (frame, message) = (packet.datagram / MESSAGES, packet.datagram % MESSAGES);
            is_lost(frame, message)
        });
        let comparison = compare(&[&front, &middle, &back]);
        let [cut, lossy] = [0, 1].map(|segment| &comparison["segments"][segment]);
        let lost = all().filter(|(frame, message)| is_lost(*frame, *message));
        let mut faults = Faults::new();
        faults.must_be("lost where they are cut", &cut["lost"]["packets"], 0);
        faults.must_be("lost", &lossy["lost"]["packets"], lost.count() as u64);
        for segment in [cut, lossy] {
            faults.must_be("appeared", &segment["appeared"], 0);
            faults.must_be("corrupted", &segment["corrupted"], 0);
        }
        faults.end();
    }
}

/// What of the messages of a frame was not lost is joined as far as it came in a row.
fn rows(is_lost: impl Fn(u32) -> bool) -> Vec<Range<u32>> {
    let mut rows: Vec<Range<u32>> = Vec::new();
    for message in (0..MESSAGES).filter(|message| !is_lost(*message)) {
        match rows.last_mut().filter(|row| row.end == message) {
            Some(row) => row.end += 1,
            None => rows.push(message..message + 1),
        }
    }
    rows
}

/// The kernel of a receiver joins messages that come in a row (UDP GRO), with or without
/// identifications, of whatever size, also where all begin alike. Some are lost on the way.
#[test]
fn messages_that_a_receiver_joins_are_those_that_were_sent() {
    let is_lost = |frame: u32, message: u32| (frame * MESSAGES + message) % 37 == 11;
    let begin = |frame: u32| BEGIN + u64::from(frame) * MILLISECOND;
    for (is_numbered, size, alike) in [
        (true, MESSAGE, 0),
        (false, MESSAGE, 0),
        (true, 301, 0),
        (false, 301, 0),
        (false, 900, 20),
    ] {
        let sent = |frame: u32, messages: Range<u32>, time: u64| {
            let id = frame * MESSAGES + messages.start + 1;
            let packet = packet_of(size, alike, frame, messages, time);
            if is_numbered {
                numbered(packet, id)
            } else {
                packet
            }
        };
        let front = (0..FRAMES).flat_map(|frame| {
            (0..MESSAGES).map(move |message| {
                let time = begin(frame) + u64::from(message) * MICROSECOND / 2;
                sent(frame, message..message + 1, time)
            })
        });
        let back = (0..FRAMES).flat_map(|frame| {
            let rows = rows(|message| is_lost(frame, message));
            rows.into_iter().map(move |row| {
                let time = begin(frame) + 20 * MICROSECOND + u64::from(row.start) * MICROSECOND;
                sent(frame, row, time)
            })
        });
        let (front, back) = (Sight::between_beats(front), Sight::between_beats(back));
        let comparison = compare(&[&front, &back]);
        let path = &comparison["path"];
        let mut faults = Faults::new();
        let all = (0..FRAMES).flat_map(|frame| (0..MESSAGES).map(move |message| (frame, message)));
        let lost = all.filter(|(frame, message)| is_lost(*frame, *message));
        faults.must_be("lost", &path["lost"]["packets"], lost.count() as u64);
        for number in ["appeared", "corrupted", "duplicated", "outside"] {
            faults.must_be(number, &path[number], 0);
        }
        faults.end();
    }
}
