//! Many flows in both directions: they come to the points in different orders, each of them
//! in its own, and what is told of each is what became of it.

use super::Captures;
use super::march::{KNOWN, outcome};
use super::sight::{Chance, Ids, Packet, Sight, Stream};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
use fraglens::compare::{Between, FlowFacts};

/// Flows in each direction.
const FLOWS: u16 = 12;
/// Everything takes longer from one point to the next by chance, by up to so much.
const JITTER: u64 = 60;
/// So many of 1,000 packets are lost there.
const LOST: u64 = 30;

/// A flow of so many packets.
fn streams(number: u16, is_back: bool, datagrams: u32) -> Stream {
    let (path, port) = match is_back {
        false => (A_TO_B, 5_000 + number),
        true => (B_TO_A, 6_000 + number),
    };
    let stream = Stream::to(port, path);
    Stream {
        datagrams,
        begin: stream.begin + u64::from(number) * 7 * MICROSECOND,
        gap: 90 * MICROSECOND,
        ids: Ids::From(u32::from(number) * 3_000 + 1),
        ..stream
    }
}

/// What so many points see of flows in one direction, in the order in which these pass them,
/// each so long after the one before.
fn passing(sent: Sight, points: usize, step: u64, chance: &mut Chance) -> Vec<Sight> {
    let mut sights = vec![sent];
    for _ in 1..points {
        let passed = sights[sights.len() - 1].flat_map(|packet| {
            let is_lost = packet.port != super::sight::BEATS && chance.per_mille(LOST);
            let packet = Packet {
                time: packet.time + step + chance.below(JITTER) * MICROSECOND,
                ..packet.clone().routed()
            };
            (!is_lost).then_some(packet)
        });
        sights.push(passed);
    }
    sights
}

/// The packets of a flow that a point sees, in their order.
fn datagrams(sight: &Sight, port: u16) -> Vec<u32> {
    let of_flow = sight.0.iter().filter(|packet| packet.port == port);
    of_flow.map(|packet| packet.datagram).collect()
}

/// How many packets that came to both of two points had been before one that came to the
/// second before them.
fn overtaken(first: &[u32], second: &[u32]) -> u64 {
    let places = second.iter().filter_map(|datagram| {
        let mut before = first.iter();
        before.position(|other| other == datagram)
    });
    let (mut highest, mut overtaken) = (0, 0);
    for place in places {
        overtaken += u64::from(place < highest);
        highest = highest.max(place);
    }
    overtaken
}

/// What is told of a flow between two points: how much was sent, lost, and overtaken; and how
/// much of the last against its way.
fn told(between: &Between, is_backward: bool) -> ([u64; 3], u64) {
    let [front, back] = between.reordered;
    let (sent, passed, against) = match is_backward {
        false => (&between.front, &between.front_passed, back),
        true => (&between.back, &between.back_passed, front),
    };
    let lost = sent.packets - passed.packets;
    ([sent.packets, lost, front + back], against)
}

fn port_of(flow: &FlowFacts) -> u16 {
    let key = flow.keys.iter().flatten().next().expect("it is named");
    key.ports.expect("it is UDP").destination
}

/// The same of a flow as it was made.
fn made(sights: &[Sight], front: usize, port: u16) -> [u64; 3] {
    let [first, second] = [front, front + 1].map(|point| datagrams(&sights[point], port));
    let lost = (first.len() - second.len()) as u64;
    [first.len() as u64, lost, overtaken(&first, &second)]
}

#[test]
fn each_flow_fares_as_it_was_made_to() {
    for (points, seed) in [(2, 1), (2, 2), (3, 3), (4, 4)] {
        fares_as_made(points, 300 * MICROSECOND, 250, seed);
    }
}

/// More than are at hand of a point are under way each time: each waits for the others.
#[test]
fn so_it_does_where_packets_take_long() {
    for (points, seed) in [(2, 1), (2, 2), (3, 3)] {
        fares_as_made(points, 45 * MILLISECOND, 1_500, seed);
    }
}

/// What is told of flows of so many packets, which take so long from point to point, is what
/// was made of them.
fn fares_as_made(points: usize, step: u64, datagrams: u32, seed: u64) {
    let mut chance = Chance::new(seed);
    let [there, back] = [false, true].map(|is_back| {
        let all: Vec<Stream> = (0..FLOWS)
            .map(|number| streams(number, is_back, datagrams))
            .collect();
        let sent = match is_back {
            false => Sight::of(&all),
            true => Sight::only(&all),
        };
        passing(sent, points, step, &mut chance)
    });
    let seen = (0..points).map(|point| there[point].and(&back[points - 1 - point]));
    let seen: Vec<Sight> = seen.collect();
    let captures = Captures::of(&seen.iter().collect::<Vec<_>>());
    let outcome = outcome(&captures, KNOWN);
    let (mut flows, mut all_against) = (0, 0);
    for flow in &outcome.flows {
        let port = port_of(flow);
        let is_backward = port >= 6_000;
        if port < 5_000 {
            continue;
        }
        flows += 1;
        assert_eq!(flow.is_backward, is_backward);
        for pair in 0..points - 1 {
            let expected = match is_backward {
                false => made(&there, pair, port),
                true => made(&back, points - 2 - pair, port),
            };
            let (told, against) = told(&flow.account.between[pair], is_backward);
            assert_eq!(told, expected, "{points} points, port {port}, pair {pair}");
            all_against += against;
        }
    }
    assert_eq!(flows, 2 * FLOWS, "{points} points");
    // Clocks are known to within the jitter: what is not at hand together may be taken
    // behind first.
    assert!(all_against <= 2, "{points} points: {all_against}");
}

/// By way of a satellite every packet takes longer than one may be late by: that one is not late.
#[test]
fn what_all_takes_long_and_has_no_identification_is_found() {
    for step in [140, 160, 200, 300] {
        let mut chance = Chance::new(step);
        let [there, back] = [false, true].map(|is_back| {
            let of = |number: u16| Stream {
                ids: Ids::None,
                gap: 4 * MILLISECOND,
                ..streams(number, is_back, 800)
            };
            let all = [of(0), of(1)];
            passing(Sight::only(&all), 2, step * MILLISECOND, &mut chance)
        });
        let seen = [there[0].and(&back[1]), there[1].and(&back[0])];
        let captures = Captures::of(&seen.iter().collect::<Vec<_>>());
        let outcome = outcome(&captures, KNOWN);
        for flow in &outcome.flows {
            let is_backward = port_of(flow) >= 6_000;
            assert_eq!(flow.is_backward, is_backward);
            let between = &flow.account.between[0];
            let sides = if is_backward { &back } else { &there };
            let [_, lost, _] = made(sides, 0, port_of(flow));
            let ([_, told, _], _) = told(between, is_backward);
            // What is sent at the end of a capture may still come.
            assert!(
                lost.abs_diff(told) <= 8,
                "{step} ms: {told} told, {lost} lost"
            );
        }
        assert_eq!(outcome.flows.len(), 4);
    }
}
