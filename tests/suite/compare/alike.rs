//! Packets that cannot be told from each other: floods of one byte.

use super::sight::{BEGIN, Chance, Content, Ids, Sight, Stream};
use super::{Faults, compare, flow_to};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::A_TO_B;

const PORT: u16 = 5001;

/// As `iperf3 -u -l 1` sends, and qperf with a message size of 1.
fn flood(ids: Ids) -> Stream {
    Stream {
        bytes: 1,
        content: Content::Zeros,
        ids,
        datagrams: 20_000,
        gap: 50 * MICROSECOND,
        ..Stream::to(PORT, A_TO_B)
    }
}

fn lossy(ids: Ids, is_lost: impl FnMut(u32) -> bool) {
    let mut is_lost = is_lost;
    let here = Sight::of(&[flood(ids)]);
    let there = here
        .later(MILLISECOND)
        .without(|packet| is_lost(packet.datagram));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &here, &there);
    for number in ["duplicated", "duplicates_removed", "appeared", "reordered"] {
        faults.must_be(number, &path[number], 0);
    }
    let lost = here.missing_in(&there).0.len();
    let of_flow = &flow_to(&comparison, PORT)["path"]["lost"]["packets"];
    faults.must_be("of the flow", of_flow, lost);
    faults.end();
}

#[test]
fn a_flood_of_equal_payloads_loses_some_by_chance() {
    let mut chance = Chance::new(6);
    lossy(Ids::From(1), |_| chance.per_mille(20));
}

/// Nothing tells them apart, not even the id: how many is known all the same.
#[test]
fn a_flood_of_equal_packets_loses_some_by_chance() {
    let mut chance = Chance::new(7);
    lossy(Ids::None, |_| chance.per_mille(20));
}

#[test]
fn a_flood_of_equal_packets_loses_a_run() {
    lossy(Ids::None, |datagram| (8_000..8_500).contains(&datagram));
}

#[test]
fn a_flood_of_equal_packets_loses_nothing() {
    lossy(Ids::None, |_| false);
}

/// The delay that everything has is not taken for the distance to the next one like it.
#[test]
fn packets_that_are_alike_are_as_late_as_others() {
    let here = Sight::of(&[flood(Ids::None)]);
    let mut chance = Chance::new(2);
    let there = here.map(|mut packet| {
        packet.time += MILLISECOND + chance.below(20 * MICROSECOND);
        packet
    });
    let comparison = compare(&[&here, &there]);
    let longest = comparison["path"]["delay"]["max_seconds"].as_f64();
    let mut faults = Faults::new();
    faults.unless(longest.is_some_and(|longest| longest < 0.001), || {
        format!("a packet took {longest:?} s longer than the fastest")
    });
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}

/// Where one point saw what others did not, nobody takes the packets behind that for it. Some of
/// it comes first to whoever is behind, by clocks that are not known better.
#[test]
fn of_packets_that_are_alike_four_points_know_how_many_are_lost() {
    let mut faults = Faults::new();
    for (datagrams, gap) in [(2_000, MILLISECOND), (20_000, 50 * MICROSECOND)] {
        let sent = Sight::of(&[Stream {
            datagrams,
            gap,
            ..flood(Ids::None)
        }]);
        let mut chance = Chance::new(gap);
        let mut passed = vec![sent];
        for per_mille in [0, 20, 0] {
            let before = &passed[passed.len() - 1];
            passed.push(before.without(|_| chance.per_mille(per_mille)));
        }
        let seen = passed.iter().map(|sight| {
            sight.map(|mut packet| {
                packet.time += chance.below(40 * MICROSECOND);
                packet
            })
        });
        let seen: Vec<Sight> = seen.collect();
        let comparison = compare(&seen.iter().collect::<Vec<_>>());
        for (hop, sides) in passed.windows(2).enumerate() {
            let segment = &comparison["segments"][hop];
            faults.must_have_lost("segment", segment, &sides[0], &sides[1]);
            faults.must_be("appeared", &segment["appeared"], 0);
            faults.must_be("reordered", &segment["reordered"], 0);
        }
        let pattern = &comparison["segments"][1]["loss"]["pattern"];
        faults.must_be("pattern", pattern, "alike");
    }
    faults.end();
}

/// As hosts say which groups they are in: again and again, and not often. What was said before
/// the other capture began is not what it saw.
#[test]
fn what_is_said_again_is_not_what_was_said_before() {
    let again = Stream {
        datagrams: 5,
        gap: 534 * MILLISECOND,
        ..flood(Ids::None)
    };
    let others = Stream {
        datagrams: 4_000,
        gap: MILLISECOND,
        ..Stream::to(PORT + 1, A_TO_B)
    };
    let here = Sight::of(&[again, others]);
    let there = here
        .later(30 * MICROSECOND)
        .between(super::sight::BEGIN + 200 * MILLISECOND, u64::MAX);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.must_be("appeared", &comparison["path"]["appeared"], 0);
    let told = &flow_to(&comparison, PORT)["path"];
    faults.must_be("arrived", &told["arrived"]["packets"], 4);
    faults.end();
}

/// A generator sends the same in many flows, none of which has ids. Their packets are not
/// taken for those of each other, as if addresses had been translated.
#[test]
fn flows_that_send_the_same_are_told_apart() {
    let mut faults = Faults::new();
    for seed in 0..3 {
        let mut chance = Chance::new(seed);
        let flow = |number: u16| Stream {
            content: Content::Shared,
            ids: Ids::None,
            datagrams: 200,
            gap: 400 * MICROSECOND,
            begin: super::sight::BEGIN + chance.below(400 * MICROSECOND),
            ..Stream::to(PORT + number, A_TO_B)
        };
        let flows: Vec<Stream> = (0..60).map(flow).collect();
        let here = Sight::of(&flows);
        let mut chance = Chance::new(seed + 100);
        let there = here.map(|mut packet| {
            packet.time += 20 * MICROSECOND + chance.below(300 * MICROSECOND);
            packet
        });
        let path = &compare(&[&here, &there])["path"];
        faults.must_have_lost("path", path, &here, &there);
        faults.must_be("translated", &path["changes"]["nat_flows"], 0);
        faults.must_be("appeared", &path["appeared"], 0);
        let longest = path["delay"]["max_seconds"].as_f64();
        faults.unless(longest.is_some_and(|longest| longest < 0.001), || {
            format!("a packet took {longest:?} s longer than the fastest")
        });
    }
    faults.end();
}

/// Questions of one packet each, without identifications: nothing of a flow is like another of it,
/// and it is known which are lost.
#[test]
fn the_only_packets_of_their_flows_are_not_alike() {
    let question = |number: u16| Stream {
        datagrams: 1,
        begin: BEGIN + u64::from(number) * 2 * MILLISECOND,
        ids: Ids::None,
        ..Stream::to(10_000 + number, A_TO_B)
    };
    let questions: Vec<Stream> = (0..1_000).map(question).collect();
    let here = Sight::of(&questions);
    let there = here.later(MILLISECOND);
    let there = there.without(|packet| (10_300..10_400).contains(&packet.port));
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("path", path, &here, &there);
    faults.must_be("pattern", &path["loss"]["pattern"], "by-time");
    faults.end();
}
