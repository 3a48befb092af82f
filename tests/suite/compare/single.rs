//! Flows that one point alone has: a host has much on its interface that never comes to the
//! container that is compared with it.

use super::changes::rewritten;
use super::sight::{Ids, Packet, Sight, Stream};
use super::{Captures, Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, Sum, v4};

const WAY: u64 = 2 * MILLISECOND;
/// More packets than are looked for by their bytes one by one.
const LONG: u32 = 1_500;

/// A flow to a port, which begins with all others.
fn stream(port: u16) -> Stream {
    Stream {
        datagrams: LONG,
        gap: 500 * MICROSECOND,
        ids: Ids::From(u32::from(port) * 3_001),
        ..Stream::to(port, A_TO_B)
    }
}

fn streams(ports: std::ops::Range<u16>) -> Vec<Stream> {
    ports.map(stream).collect()
}

fn is_among(packet: &Packet, ports: &std::ops::Range<u16>) -> bool {
    ports.contains(&packet.port)
}

#[test]
fn what_the_host_alone_has_does_not_come_to_the_container() {
    let host = Sight::of(&streams(5_000..5_012));
    let arrives = |packet: &Packet| packet.port < 5_003 && packet.datagram % 40 != 7;
    let container = host.later(WAY).map(Packet::routed);
    let container = container.without(|packet| !arrives(packet));
    let process = container.later(WAY).without(|packet| packet.port == 5_001);
    for points in [
        vec![&host, &container],
        vec![&host, &container, &process],
        vec![&host, &host, &container],
    ] {
        let comparison = compare(&points);
        let mut faults = Faults::new();
        let segments = comparison["segments"].as_array().unwrap();
        for (pair, segment) in points.windows(2).zip(segments) {
            faults.must_have_lost("segment", segment, pair[0], pair[1]);
            for number in ["appeared", "duplicated", "reordered", "corrupted"] {
                faults.must_be(number, &segment[number], 0);
            }
        }
        faults.end();
    }
}

#[test]
fn what_either_has_alone_is_told_of_both() {
    let here = Sight::of(&streams(5_000..5_009));
    let there = here.and(&Sight::only(&streams(5_009..5_014))).later(WAY);
    let here_alone = 5_003..5_009;
    let there = there.without(|packet| is_among(packet, &here_alone));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    let appeared = there.missing_in(&here).0.len();
    faults.must_be("appeared", &comparison["path"]["appeared"], appeared);
    faults.end();
}

/// It is known by its bytes, though that is asked only when there is something to be known.
#[test]
fn what_is_translated_is_found_among_what_one_point_alone_has() {
    let behind = v4([10, 0, 0, 1], [192, 168, 7, 9]);
    let translated = 5_010..5_013;
    let sent = |begins: u64| {
        let late = move |stream: Stream| Stream {
            begin: stream.begin + begins,
            ids: Ids::From(1),
            ..stream
        };
        let all = streams(5_000..5_010).into_iter();
        all.chain(streams(translated.clone()).into_iter().map(late))
    };
    for begins in [0, 400 * MILLISECOND] {
        let here = Sight::of(&sent(begins).collect::<Vec<_>>());
        let there = here.later(WAY).map(|packet| match packet.port {
            port if is_among(&packet, &translated) => {
                rewritten(packet, behind, port + 1_000, Sum::Right).routed()
            }
            _ => packet.routed(),
        });
        let arrived =
            there.without(|packet| !is_among(packet, &translated) || packet.datagram % 100 == 42);
        let comparison = compare(&[&here, &arrived]);
        let mut faults = Faults::new();
        faults.must_have_lost("path", &comparison["path"], &here, &arrived);
        faults.must_be("appeared", &comparison["path"]["appeared"], 0);
        let changes = &comparison["path"]["changes"];
        faults.must_be("flows translated", &changes["nat_flows"], 3);
        faults.end();
    }
}

/// Captures of which one begins late have nothing under the same name to go by, either.
#[test]
fn what_comes_to_a_late_capture_is_found_again() {
    let here = Sight::of(&streams(5_000..5_004));
    let there = here.later(WAY).map(Packet::routed);
    let lone = 5_002..5_004;
    let there = there.without(|packet| is_among(packet, &lone));
    let from = there.0.iter().find(|packet| packet.datagram == 900);
    let from = from.expect("it is there").time;
    let late = there.between(from, u64::MAX);
    let comparison = Captures::of(&[&here, &late]).compared(&[]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_be("appeared", &path["appeared"], 0);
    let both = here
        .0
        .iter()
        .filter(|packet| packet.time + WAY >= from && !is_among(packet, &lone));
    let arrived = path["arrived"]["packets"].clone();
    faults.must_be("arrived", &arrived, both.count());
    faults.end();
}
