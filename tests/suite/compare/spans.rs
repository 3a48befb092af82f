//! Captures that do not begin and end together: what only one of them can have seen is
//! nobody's loss.

use super::sight::{Packet, Sight, Stream};
use super::{Captures, Faults, compare};
use crate::findings::capture::{MILLISECOND, SECOND};
use crate::findings::packet::A_TO_B;
use crate::support::count;
use serde_json::Value;

/// A minute of traffic, of which something is lost all the time.
fn traffic() -> (Sight, Sight) {
    let here = Sight::of(&[
        Stream {
            datagrams: 6_000,
            gap: 10 * MILLISECOND,
            ..Stream::to(5001, A_TO_B)
        },
        Stream {
            datagrams: 600,
            gap: 100 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]);
    let is_lost = |packet: &Packet| packet.datagram % 25 == 3 && packet.index == 0;
    let there = here.later(MILLISECOND).without(is_lost);
    (here, there)
}

/// When the captures are cut, in nanoseconds: nothing is under way at these moments.
fn moment(seconds: u64) -> u64 {
    super::sight::BEGIN + seconds * SECOND + 5 * MILLISECOND
}

/// What was lost between two moments that a packet may take no longer to reach than
/// `margin`.
fn lost_between(here: &Sight, there: &Sight, from: u64, to: u64) -> u64 {
    here.between(from, to).missing_in(there).counted().packets
}

/// Losses are those between two moments, and everything else that any of the captures
/// has is outside.
fn must_be_within(
    comparison: &Value,
    captured: [&Sight; 2],
    (here, there): (&Sight, &Sight),
    (from, to): (u64, u64),
) -> Faults {
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("appeared", &path["appeared"], 0);
    let [first, second] = captured;
    let all = (first.0.len() + second.missing_in(first).0.len()) as u64;
    let told = count(path, "sent.packets") + count(path, "outside");
    faults.unless(told == all, || {
        format!("{told} packets are judged or outside, of {all}")
    });
    // Near the ends a packet may have passed unseen; how near, follows from how long
    // packets took, which is a millisecond.
    let second = SECOND;
    let most = lost_between(here, there, from, to);
    let least = lost_between(here, there, from + second, to - second);
    let lost = count(path, "lost.packets");
    faults.unless((least..=most).contains(&lost), || {
        format!("{lost} packets lost, not {least} to {most}")
    });
    faults
}

#[test]
fn a_capture_that_begins_later_has_not_lost_what_was_before() {
    let (here, there) = traffic();
    let from = moment(20);
    let late = there.between(from, u64::MAX);
    let comparison = compare(&[&here, &late]);
    let all = (&here, &there);
    must_be_within(&comparison, [&here, &late], all, (from, u64::MAX - SECOND)).end();
}

#[test]
fn a_capture_that_ends_earlier_has_not_lost_what_came_after() {
    let (here, there) = traffic();
    let to = moment(45);
    let short = there.between(0, to);
    let comparison = compare(&[&here, &short]);
    must_be_within(&comparison, [&here, &short], (&here, &there), (0, to)).end();
}

/// Clocks tick, and many packets come in one tick: of those in the last, or the first, some
/// are behind the end, or in front of the beginning.
#[test]
fn what_came_in_the_last_tick_may_have_come_after_the_end() {
    let tick = 50 * MILLISECOND;
    let here = traffic().0.map(|packet| Packet {
        time: packet.time - packet.time % tick,
        ..packet
    });
    for (from, to) in [(0, 3_001), (3_001, usize::MAX), (1_001, 5_003)] {
        let cut: Vec<Packet> = here.0.iter().take(to).skip(from).cloned().collect();
        let cut = Sight(cut);
        let comparison = compare(&[&here, &cut]);
        let path = &comparison["path"];
        let mut faults = Faults::new();
        faults.must_be("lost", &path["lost"]["packets"], 0);
        faults.must_be("arrived", &path["arrived"]["packets"], cut.0.len() as u64);
        let outside = (here.0.len() - cut.0.len()) as u64;
        faults.must_be("outside", &path["outside"], outside);
        faults.end();
    }
}

/// What a datagram has left when a capture ends, or had before it began, is not lost.
#[test]
fn a_capture_may_end_and_begin_within_a_datagram() {
    let here = traffic().0;
    let there = here.later(MILLISECOND);
    let is_within = |packet: &Packet| packet.index == 1 && !packet.is_last;
    let places: Vec<usize> = (0..here.0.len())
        .filter(|place| is_within(&here.0[*place]))
        .collect();
    let middle = places[places.len() / 2];
    for (from, to) in [(0, middle), (middle, usize::MAX), (places[0], middle)] {
        let cut: Vec<Packet> = there.0.iter().take(to).skip(from).cloned().collect();
        let comparison = compare(&[&here, &Sight(cut.clone())]);
        let path = &comparison["path"];
        let mut faults = Faults::new();
        faults.must_be("lost", &path["lost"]["packets"], 0);
        faults.must_be("datagrams lost", &path["lost"]["datagrams"], 0);
        faults.must_be("arrived", &path["arrived"]["packets"], cut.len() as u64);
        let refragmented = &path["layout"]["refragmented"];
        faults.must_be("cut otherwise", refragmented, 0);
        faults.end();
    }
}

/// Neither holds all of the other, and clocks are a day apart.
#[test]
fn captures_that_overlap_are_judged_where_they_do() {
    let (here, there) = traffic();
    let (from, to) = (moment(15), moment(50));
    let first = here.between(0, to);
    let second = there.between(from, u64::MAX);
    let comparison = compare(&[&first, &second.by_clock(-26 * 3_600 * SECOND as i64, 0)]);
    must_be_within(&comparison, [&first, &second], (&here, &there), (from, to)).end();
    let common = &comparison["common"];
    let seconds = common["duration_seconds"].as_f64().unwrap();
    assert!((seconds - 35.0).abs() < 1.0, "{seconds} s in common");
}

/// Captures of the same flow, one after the other: nothing in common, nothing lost.
#[test]
fn captures_that_do_not_overlap_say_nothing() {
    let (here, there) = traffic();
    let first = here.between(0, moment(20));
    let second = there.between(moment(30), u64::MAX);
    let comparison = compare(&[&first, &second]);
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "unrelated");
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}

/// The window is the longest time that a packet may take: what takes longer did not
/// arrive.
#[test]
fn packets_that_take_longer_than_the_window_are_lost() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let is_slow = |packet: &Packet| packet.port == 5001 && packet.datagram % 20 == 7;
    let there = here.map(|mut packet| {
        packet.time += if is_slow(&packet) {
            3 * SECOND
        } else {
            MILLISECOND
        };
        packet
    });
    let captures = Captures::of(&[&here, &there]);
    let mut faults = Faults::new();
    let wide = captures.compared(&[]);
    faults.must_be("lost in 5 s", &wide["path"]["lost"]["packets"], 0);
    faults.must_be("window", &wide["options"]["window_seconds"], 5.0);
    let narrow = captures.compared(&["--window", "1s"]);
    faults.must_be("lost in 1 s", &narrow["path"]["lost"]["packets"], 100);
    faults.must_be("appeared", &narrow["path"]["appeared"], 100);
    faults.must_be("window", &narrow["options"]["window_seconds"], 1.0);
    faults.end();
}
