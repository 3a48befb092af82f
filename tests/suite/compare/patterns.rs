//! What losses have in common: each kind made, counted and named.

use super::sight::{BEGIN, Chance, Ids, Packet, Sight, Stream};
use super::{Captures, Faults, compare, flow_to};
use crate::findings::capture::{Capture, MILLISECOND};
use crate::findings::packet::A_TO_B;
use crate::support::count;
use serde_json::Value;

const PORT: u16 = 5001;

/// Compares what a path leaves of a stream with what was sent, and holds the counts.
fn lossy(stream: Stream, is_lost: impl FnMut(&Packet) -> bool) -> (Faults, Value) {
    let here = Sight::of(&[stream]);
    let there = here.later(MILLISECOND).without(is_lost);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.must_be("outside", &comparison["path"]["outside"], 0);
    let flow = flow_to(&comparison, PORT).clone();
    // Beats, which are never lost, are no part of the flow.
    let stream = |sight: &Sight| Sight(sight.0.iter().filter(is_of_stream).cloned().collect());
    let [here, there] = [&here, &there].map(stream);
    faults.must_have_lost("flow", &flow["path"], &here, &there);
    (faults, flow["path"].clone())
}

fn is_of_stream(packet: &&Packet) -> bool {
    packet.port == PORT
}

fn is_named(mut faults: Faults, segment: &Value, pattern: &str) {
    let loss = &segment["loss"];
    faults.must_be("pattern", &loss["pattern"], pattern);
    let described = loss["described"].as_str().unwrap_or_default();
    faults.unless(!described.is_empty(), || "nothing is described".to_owned());
    faults.end();
}

fn fragmented() -> Stream {
    Stream::fragmented(PORT, A_TO_B)
}

#[test]
fn losses_by_chance() {
    let mut chance = Chance::new(3);
    let (mut faults, path) = lossy(fragmented(), |_| chance.per_mille(30));
    let loss = &path["loss"];
    let mean = loss["mean_burst"].as_f64().unwrap();
    faults.unless((1.0..1.1).contains(&mean), || format!("bursts of {mean}"));
    // Evenly over the datagram.
    for tenth in loss["positions"].as_array().unwrap() {
        let (sent, lost) = (count(tenth, "sent"), count(tenth, "lost"));
        let rate = lost as f64 / sent.max(1) as f64;
        let is_even = sent == 0 || (0.015..0.045).contains(&rate);
        faults.unless(is_even, || format!("{lost} of {sent} lost in a tenth"));
    }
    is_named(faults, &path, "random");
}

#[test]
fn losses_by_chance_of_whole_datagrams() {
    let mut chance = Chance::new(5);
    let stream = Stream::to(PORT, A_TO_B);
    let (mut faults, path) = lossy(stream, |_| chance.per_mille(50));
    let none: Vec<Value> = Vec::new();
    faults.must_be("positions", &path["loss"]["positions"], none);
    is_named(faults, &path, "random");
}

#[test]
fn only_first_fragments_pass() {
    let (mut faults, path) = lossy(fragmented(), |packet| packet.index > 0);
    let loss = &path["loss"];
    faults.must_be("first lost", &loss["first"]["lost"], 0);
    for place in ["middle", "last"] {
        let of = &loss[place];
        faults.must_be(place, &of["lost"], of["sent"].clone());
    }
    is_named(faults, &path, "only-first-passes");
}

#[test]
fn first_fragments_are_lost() {
    let (mut faults, path) = lossy(fragmented(), |packet| packet.index == 0);
    let loss = &path["loss"];
    faults.must_be("first", &loss["first"]["lost"], 2_000);
    faults.must_be("middle", &loss["middle"]["lost"], 0);
    faults.must_be("last", &loss["last"]["lost"], 0);
    is_named(faults, &path, "first-lost");
}

#[test]
fn last_fragments_are_lost() {
    // Of several sizes, else the sixth would be lost as well as the last.
    let streams = [8_000, 5_000, 3_000, 6_500].map(|bytes| Stream {
        bytes,
        port: PORT + bytes as u16,
        gap: 4 * MILLISECOND,
        datagrams: 500,
        // No two of them at the same time.
        ids: Ids::From(bytes as u32 * 8),
        ..fragmented()
    });
    let here = Sight::of(&streams);
    let there = here.later(MILLISECOND);
    let there = there.without(|packet| packet.is_last);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    let loss = &comparison["path"]["loss"];
    faults.must_be("first", &loss["first"]["lost"], 0);
    faults.must_be("middle", &loss["middle"]["lost"], 0);
    faults.must_be("last", &loss["last"]["lost"], 2_000);
    is_named(faults, &comparison["path"], "last-lost");
}

/// As a box does that holds so many fragments of a datagram.
#[test]
fn fragments_beyond_a_number_are_lost() {
    let stream = Stream {
        bytes: 30_000,
        datagrams: 500,
        ..fragmented()
    };
    let (mut faults, path) = lossy(stream, |packet| packet.index >= 16);
    faults.must_be("passing", &path["loss"]["number"], 16);
    is_named(faults, &path, "beyond");
}

#[test]
fn every_seventh_packet_is_lost() {
    let mut number = 0;
    let (mut faults, path) = lossy(Stream::to(PORT, A_TO_B), |_| {
        number += 1;
        number % 7 == 0
    });
    faults.must_be("k", &path["loss"]["number"], 7);
    faults.must_be("burst", &path["loss"]["longest_burst"], 1);
    is_named(faults, &path, "every-kth");
}

/// A box that lets through what fits and nothing else, between streams of both kinds.
#[test]
fn large_packets_are_lost() {
    let large = Stream {
        bytes: 1_400,
        datagrams: 500,
        gap: 4 * MILLISECOND,
        port: 5002,
        ..Stream::to(PORT, A_TO_B)
    };
    let here = Sight::of(&[Stream::to(PORT, A_TO_B), large]);
    let there = here
        .later(MILLISECOND)
        .without(|packet| packet.ip.len() > 1_000);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    let sizes = comparison["path"]["loss"]["sizes"].as_array().unwrap();
    for class in sizes {
        let is_large = count(class, "bytes_from") > 1_000;
        let must = if is_large { count(class, "sent") } else { 0 };
        let what = format!("lost from {}", class["bytes_from"]);
        faults.must_be(&what, &class["lost"], must);
    }
    is_named(faults, &comparison["path"], "large");
}

#[test]
fn runs_of_packets_are_lost() {
    let (mut faults, path) = lossy(Stream::to(PORT, A_TO_B), |packet| {
        packet.datagram % 400 >= 360
    });
    faults.must_be("burst", &path["loss"]["longest_burst"], 40);
    faults.must_be("mean burst", &path["loss"]["mean_burst"], 40.0);
    is_named(faults, &path, "bursts");
}

/// A capture of a stream, and of ARP all the time: it goes on where nothing else comes.
fn beside_arp(sight: &Sight) -> Vec<u8> {
    const STEP: u64 = 500 * MILLISECOND;
    let arp = || [&[0xff; 6][..], &[2, 0, 0, 0, 0, 1, 8, 6], &[0; 28]].concat();
    let (mut capture, mut next) = (Capture::new(), BEGIN - 2 * STEP);
    let mut frames = sight.0.iter().peekable();
    while next < BEGIN + 30 * STEP {
        while let Some(packet) = frames.next_if(|packet| packet.time < next) {
            capture = capture.at(packet.time).packet(&packet.ip);
        }
        capture = capture.at(next).frame(arp());
        next += STEP;
    }
    assert!(frames.next().is_none());
    capture.pcap()
}

/// A link that goes away: the other side hears nothing more.
#[test]
fn everything_is_lost_from_some_time_on() {
    let here = Sight::only(&[Stream {
        datagrams: 10_000,
        ..Stream::to(PORT, A_TO_B)
    }]);
    let there = here.later(MILLISECOND);
    let there = there.without(|packet| packet.datagram >= 6_000);
    let mut captures = Captures::new();
    captures.add(&beside_arp(&here));
    captures.add(&beside_arp(&there));
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    is_named(faults, &comparison["path"], "from-time-on");
}

/// A box that forgets a flow, and lets others pass.
#[test]
fn all_of_a_flow_is_lost_from_some_time_on() {
    let (faults, path) = lossy(Stream::to(PORT, A_TO_B), |packet| packet.datagram >= 1_200);
    is_named(faults, &path, "from-time-on");
}

/// A flow that a firewall drops while another passes.
#[test]
fn a_whole_flow_is_lost() {
    let (faults, path) = lossy(fragmented(), |_| true);
    is_named(faults, &path, "all");
}

#[test]
fn two_lost_packets_have_nothing_in_common() {
    let (faults, path) = lossy(Stream::to(PORT, A_TO_B), |packet| {
        [700, 1_111].contains(&packet.datagram)
    });
    is_named(faults, &path, "too-few");
}

/// Losses are told where they were in time, by the clock of the first point.
#[test]
fn losses_are_told_when_they_were() {
    let stream = Stream {
        datagrams: 10_000,
        ..Stream::to(PORT, A_TO_B)
    };
    let from = stream.begin + 6_000 * MILLISECOND;
    let lost = from..from + 100 * MILLISECOND;
    let here = Sight::of(&[stream]);
    let there = here.without(|packet| lost.contains(&packet.time));
    let there = there.later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let loss = &comparison["path"]["loss"];
    let times = loss["times"].as_array().unwrap();
    let with_losses = times.iter().filter(|step| count(step, "lost") > 0);
    let with_losses: Vec<&Value> = with_losses.collect();
    let step = loss["step_seconds"].as_f64().unwrap();
    let most = (0.1 / step).ceil() as usize + 1;
    faults.unless((1..=most).contains(&with_losses.len()), || {
        format!("losses in {} steps of {step} s", with_losses.len())
    });
    let told = with_losses.iter().map(|step| count(step, "lost"));
    faults.must_be("lost", &told.sum::<u64>().into(), 100);
    let begin = "2024-01-04T03:04:11";
    for step in &with_losses {
        let at = step["timestamp"].as_str().unwrap();
        faults.unless(at.starts_with(begin), || format!("losses at {at}"));
    }
    faults.must_be("burst", &loss["longest_burst"], 100);
    faults.end();
}

/// The faster is sent, the more is lost: the queue in front of a slower link.
#[test]
fn losses_go_with_the_rate_of_sending() {
    let stream = Stream {
        datagrams: 200,
        ..Stream::to(PORT, A_TO_B)
    };
    // Every second, for ten of them, as many as its number.
    let seconds = (1..=10).flat_map(|second| (0..second).map(move |part| (second, part)));
    let bursts = seconds.map(|(second, part)| Stream {
        port: PORT + second as u16 * 16 + part as u16,
        begin: stream.begin + second * 1_000 * MILLISECOND,
        gap: 5 * MILLISECOND,
        ..stream
    });
    let here = Sight::of(&bursts.collect::<Vec<_>>());
    let mut chance = Chance::new(9);
    let there = here.later(MILLISECOND).without(|packet| {
        let second = u64::from(packet.port - PORT) / 16;
        chance.per_mille(10 * second)
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    let with_rate = comparison["path"]["loss"]["with_rate"].as_f64();
    faults.unless(with_rate.is_some_and(|with| with > 0.6), || {
        format!("correlation with the rate {with_rate:?}")
    });
    faults.end();
}
