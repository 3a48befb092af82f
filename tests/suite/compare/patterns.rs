//! What losses have in common: each kind made, counted and named.

use super::sight::{BEGIN, Chance, Ids, Packet, Sight, Stream};
use super::{Captures, Faults, compare, flow_to};
use crate::findings::capture::{Capture, MILLISECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
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

#[test]
fn every_hundredth_packet_is_lost() {
    let mut number = 0;
    let (mut faults, path) = lossy(Stream::to(PORT, A_TO_B), |_| {
        number += 1;
        number % 100 == 0
    });
    faults.must_be("k", &path["loss"]["number"], 100);
    is_named(faults, &path, "every-kth");
}

/// What a path loses of a few streams between beats, all flows together.
fn lossy_streams(streams: &[Stream], is_lost: impl FnMut(&Packet) -> bool) -> (Faults, Value) {
    let here = Sight::of(streams);
    let there = here.later(MILLISECOND).without(is_lost);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    (faults, comparison)
}

/// The pattern is in the document, in words too, and in the sentence.
fn is_told(mut faults: Faults, comparison: &Value, pattern: &str, words: &str) {
    let loss = &comparison["path"]["loss"];
    let sentence = &comparison["explanation"]["sentence"];
    for (name, text) in [("pattern", &loss["described"]), ("sentence", sentence)] {
        let text = text.as_str().unwrap_or_default();
        faults.unless(text.contains(words), || format!("the {name} is {text:?}"));
    }
    is_named(faults, &comparison["path"], pattern);
}

/// A rule that counts packets of all flows.
#[test]
fn every_third_packet_of_several_flows_is_lost() {
    // Which flow is next is hardly ever the same.
    let streams = [(0_u16, 7), (1, 11), (2, 13)].map(|(flow, gap)| Stream {
        port: PORT + flow,
        bytes: 5_000,
        datagrams: 300,
        gap: gap * MILLISECOND / 10,
        ids: Ids::From(u32::from(flow) * 5_000 + 1),
        ..fragmented()
    });
    let mut number = 0;
    let (mut faults, comparison) = lossy_streams(&streams, |_| {
        number += 1;
        number % 3 == 0
    });
    faults.must_be("k", &comparison["path"]["loss"]["number"], 3);
    let words = "exactly one of every 3 fragments was lost (1,200 of 3,600)";
    is_told(faults, &comparison, "every-kth", words);
}

/// Datagrams of several lengths, of which something does not like the third fragment.
#[test]
fn third_fragments_are_lost() {
    let streams = [(0_u16, 8_000), (1, 5_000)].map(|(flow, bytes)| Stream {
        port: PORT + flow,
        bytes,
        datagrams: 300,
        gap: 4 * MILLISECOND,
        ids: Ids::From(u32::from(flow) * 5_000 + 1),
        begin: BEGIN + u64::from(flow) * 2 * MILLISECOND,
        ..fragmented()
    });
    let is_lost = |packet: &Packet| packet.index == 2 && packet.datagram % 7 != 3;
    let (mut faults, comparison) = lossy_streams(&streams, is_lost);
    faults.must_be("number", &comparison["path"]["loss"]["number"], 3);
    faults.must_be("cause", &comparison["findings"][0]["id"], "C02");
    let words = "fragments that are the 3rd of their datagram";
    is_told(faults, &comparison, "by-place", words);
}

/// Streams of packets of many lengths.
fn of_lengths() -> Vec<Stream> {
    let streams = (0_u16..5).map(|flow| Stream {
        port: PORT + flow,
        bytes: 1_260 + 50 * usize::from(flow),
        datagrams: 400,
        gap: 5 * MILLISECOND,
        begin: BEGIN + u64::from(flow) * MILLISECOND,
        ids: Ids::From(u32::from(flow) * 5_000 + 1),
        ..Stream::to(PORT, A_TO_B)
    });
    streams.collect()
}

/// An MTU in the midst of a class of lengths.
#[test]
fn packets_beyond_a_length_are_lost() {
    let (mut faults, comparison) = lossy_streams(&of_lengths(), |packet| packet.ip.len() > 1_400);
    faults.must_be("passing", &comparison["path"]["loss"]["number"], 1_388);
    let words = "packets of 1,438 bytes and more were lost, and none of up to 1,388";
    is_told(faults, &comparison, "large", words);
}

#[test]
fn more_large_packets_are_lost_than_others() {
    let small = Stream {
        bytes: 300,
        ..of_lengths()[1]
    };
    let streams = [of_lengths()[0], small];
    let mut chance = Chance::new(11);
    let (faults, comparison) = lossy_streams(&streams, |packet| {
        chance.per_mille(if packet.ip.len() > 1_000 { 400 } else { 10 })
    });
    is_told(
        faults,
        &comparison,
        "by-size",
        "packets of 1,280 to 1,518 bytes",
    );
}

#[test]
fn a_flow_is_blocked_and_another_is_not() {
    let streams = [PORT, 5002].map(|port| Stream {
        port,
        ids: Ids::From(u32::from(port - PORT) * 5_000 + 1),
        ..Stream::to(port, A_TO_B)
    });
    let (faults, comparison) = lossy_streams(&streams, |packet| packet.port == 5002);
    let words = "all 2,000 packets of 1 of 3 flows were lost, and none of";
    is_told(faults, &comparison, "by-flow", words);
}

#[test]
fn packets_are_lost_some_of_the_time() {
    let stream = Stream {
        datagrams: 3_000,
        gap: 10 * MILLISECOND,
        ..Stream::to(PORT, A_TO_B)
    };
    let mut chance = Chance::new(13);
    let (faults, comparison) = lossy_streams(&[stream], |packet| {
        (1_000..1_300).contains(&packet.datagram) && chance.per_mille(500)
    });
    is_told(faults, &comparison, "by-time", "steps of 1 s");
}

/// A filter on ports takes away all fragments but the first: that those are lost says nothing.
#[test]
fn a_filter_on_ports_makes_no_place() {
    let here = Sight::of(&[fragmented()]);
    let mut chance = Chance::new(17);
    let there = here.later(MILLISECOND);
    let there = there.without(|_| chance.per_mille(50));
    let comparison =
        Captures::of(&[&here, &there]).compared(&["--filter", "udp port 5001 or udp port 7"]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("first", &path["loss"]["first"]["sent"], 2_000);
    faults.must_be("middle", &path["loss"]["middle"]["sent"], 0);
    for finding in comparison["findings"].as_array().unwrap() {
        faults.unless(finding["id"] != "C02", || {
            "first fragments are told".to_owned()
        });
    }
    is_named(faults, path, "random");
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

/// The same, while something comes back.
#[test]
fn all_of_one_direction_is_lost_from_some_time_on() {
    let back = Stream {
        datagrams: 40,
        gap: 50 * MILLISECOND,
        ids: Ids::From(9_000),
        ..Stream::to(6001, B_TO_A)
    };
    let sent = Sight::of(&[Stream::to(PORT, A_TO_B)]);
    let there = sent.later(MILLISECOND);
    let there = there.without(|packet| packet.datagram >= 1_200);
    let answers = Sight::only(&[back]);
    let here = sent.and(&answers.later(MILLISECOND));
    let comparison = compare(&[&here, &there.and(&answers)]);
    let mut faults = Faults::new();
    let [forward, backward] = [0, 1].map(|way| &comparison["directions"][way]["path"]);
    let times = forward["loss"]["times"].as_array().unwrap();
    let lost: u64 = times.iter().map(|step| count(step, "lost")).sum();
    faults.must_be("lost in steps of time", &lost.into(), 800);
    faults.must_be("step", &forward["loss"]["step_seconds"], 1.0);
    faults.must_be("lost backward", &backward["lost"]["packets"], 0);
    let of_flow = flow_to(&comparison, PORT)["path"]["loss"].clone();
    faults.must_be("step of a flow", &of_flow["step_seconds"], Value::Null);
    let words = "everything of one flow behind its first 1,200 packets was lost";
    is_told(faults, &comparison, "from-time-on", words);
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
    is_told(faults, &comparison, "by-rate", "or more were sent");
}

/// A queue that overflows for milliseconds: what is told of it does not rest on the steps that
/// are shown.
#[test]
fn losses_are_told_alike_in_whatever_steps_they_are_shown() {
    let stream = Stream {
        datagrams: 10_000,
        ..Stream::to(PORT, A_TO_B)
    };
    let bursts = (0..19_u16).map(|number| Stream {
        port: 6_000 + number,
        datagrams: 30,
        begin: stream.begin + (u64::from(number) * 500 + 251) * MILLISECOND,
        gap: MILLISECOND / 4,
        ..stream
    });
    let streams: Vec<Stream> = bursts.chain([stream]).collect();
    let here = Sight::of(&streams);
    let mut chance = Chance::new(29);
    let there = here.later(MILLISECOND);
    let there = there.without(|packet| packet.port >= 6_000 && chance.per_mille(400));
    let captures = Captures::of(&[&here, &there]);
    let [long, short] = [&[][..], &["--timeline-bucket", "10ms"]].map(|words| {
        let comparison = captures.compared(words);
        let loss = comparison["path"]["loss"].clone();
        (comparison, loss)
    });
    let mut faults = Faults::new();
    faults.must_be("long steps", &long.1["step_seconds"], 1.0);
    faults.must_be("short steps", &short.1["step_seconds"], 0.01);
    for name in ["pattern", "described", "with_rate"] {
        faults.must_be(name, &short.1[name], long.1[name].clone());
    }
    faults.must_be("findings", &short.0["findings"], long.0["findings"].clone());
    is_told(faults, &long.0, "by-rate", "or more were sent");
}

/// Of what goes there some is lost at random, and nothing of what comes back.
#[test]
fn what_comes_back_whole_makes_no_flows_of_what_is_lost() {
    let there = Stream::to(PORT, A_TO_B);
    let (sent, answered) = (Sight::of(&[there]), Sight::only(&[there.back_to(4000)]));
    let mut chance = Chance::new(5);
    let arrived = sent.later(MILLISECOND).without(|_| chance.per_mille(50));
    let here = sent.and(&answered.later(MILLISECOND));
    let comparison = compare(&[&here, &arrived.and(&answered)]);
    is_named(Faults::new(), &comparison["path"], "random");
}
