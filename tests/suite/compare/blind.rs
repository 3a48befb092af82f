//! Captures that have nothing of some of what passes their points: one direction, fragments without
//! ports, whole flows, or all for a while. What of that is lost behind is not said to be lost in front.

use super::sight::{BEGIN, Chance, Packet, Sight, Stream};
use super::{Faults, compare, finding};
use crate::findings::capture::{MILLISECOND, SECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
use serde_json::Value;

/// The port to which answers go.
const BACK: u16 = 6001;

/// Four points; all that is lost is lost between the second and the third.
struct Path {
    points: [Sight; 4],
    lost: usize,
}

fn path(streams: &[Stream], per_mille: u64) -> Path {
    let (back, there): (Vec<Stream>, Vec<Stream>) = streams
        .iter()
        .copied()
        .partition(|stream| stream.port == BACK);
    let mut chance = Chance::new(5);
    let sent = Sight::of(&there);
    let second = sent.later(MILLISECOND).map(Packet::routed);
    let third = second
        .later(MILLISECOND)
        .without(|_| chance.per_mille(per_mille));
    let lost = second.0.len() - third.0.len();
    let [first, second, third, fourth] = [
        sent,
        second,
        third.map(Packet::routed),
        third.later(MILLISECOND).map(Packet::routed),
    ];
    let answered = Sight::only(&back);
    let hops = [3, 2, 1, 0].map(|hops| {
        let back = answered.later(hops * MILLISECOND);
        (0..hops).fold(back, |back, _| back.map(Packet::routed))
    });
    let mut hops = hops.into_iter();
    let mut with_back = |seen: Sight| seen.and(&hops.next().unwrap());
    Path {
        points: [
            with_back(first),
            with_back(second),
            with_back(third),
            with_back(fourth),
        ],
        lost,
    }
}

fn both_ways() -> [Stream; 2] {
    [Stream::to(5001, A_TO_B), Stream::to(BACK, B_TO_A)]
}

fn goes_back(packet: &Packet) -> bool {
    packet.port == BACK
}

impl Path {
    /// What is said if the second point, and the third, have less of it.
    fn seen_without(
        &self,
        second: impl FnMut(&Packet) -> bool,
        third: impl FnMut(&Packet) -> bool,
    ) -> Value {
        let [a, b, c, d] = &self.points;
        compare(&[a, &b.without(second), &c.without(third), d])
    }
}

/// The loss is between the first two, as it looks, and may be behind them.
fn must_be_in_doubt(faults: &mut Faults, comparison: &Value, lost: usize, why: &str) {
    let first = &comparison["segments"][0];
    faults.must_be("lost in front", &first["lost"]["packets"], lost as u64);
    let mut losses = comparison["findings"].as_array().unwrap().iter();
    let is_it = |found: &&Value| found["id"] == "C01" && found["segment"] == 0;
    let found = losses.find(is_it).cloned().unwrap_or_default();
    let confidence = found["confidence"].as_f64();
    faults.unless(confidence.is_some_and(|sure| sure <= 0.3), || {
        format!("sure of it: {confidence:?}")
    });
    let seen = found["seen"].as_str().unwrap_or_default();
    faults.unless(
        seen.contains(why) && seen.contains("all of these may"),
        || format!("told otherwise: {seen}"),
    );
}

#[test]
fn with_everything_captured_it_is_sure() {
    let path = path(&both_ways(), 30);
    let comparison = path.seen_without(|_| false, |_| false);
    let mut faults = Faults::new();
    let lost = &comparison["segments"][1]["lost"]["packets"];
    faults.must_be("lost in the middle", lost, path.lost as u64);
    let found = finding(&comparison, "C01").unwrap();
    faults.unless(found["confidence"].as_f64() > Some(0.9), || {
        format!("not sure: {found}")
    });
    faults.unless(finding(&comparison, "C03").is_none(), || {
        "a capture is said to miss something".to_owned()
    });
    faults.end();
}

/// `tcpdump -Q in` on the NICs of two nodes: each has the other half.
#[test]
fn one_direction_each_is_neither_loss_in_front_nor_points_side_by_side() {
    let path = path(&both_ways(), 30);
    let is_beat = |packet: &Packet| packet.port == super::sight::BEATS;
    let [a, b, c, d] = &path.points;
    // Beats go there, too.
    let b = Sight(b.0.iter().filter(|one| goes_back(one)).cloned().collect());
    let c = c.without(goes_back);
    assert!(!b.0.iter().any(is_beat));
    let comparison = compare(&[a, &b, &c, d]);
    let mut faults = Faults::new();
    faults.must_be(
        "side by side",
        &comparison["side_by_side"],
        serde_json::json!([]),
    );
    must_be_in_doubt(
        &mut faults,
        &comparison,
        path.lost,
        "has nothing of what goes this way",
    );
    let missed = finding(&comparison, "C03").unwrap();
    let seen = missed["seen"].as_str().unwrap();
    faults.unless(seen.contains("It has nothing of what goes forward"), || {
        seen.to_owned()
    });
    faults.end();
}

/// `tcpdump udp port 5001` on a node: other fragments have no ports.
#[test]
fn a_filter_for_ports_takes_first_fragments_alone() {
    let path = path(&[Stream::fragmented(5001, A_TO_B)], 10);
    let [a, b, ..] = &path.points;
    let lost_behind = b.missing_in(&path.points[2]);
    let first_lost = lost_behind.0.iter().filter(|one| one.index == 0).count();
    let comparison = path.seen_without(|packet| packet.index > 0, |_| false);
    let mut faults = Faults::new();
    assert!(first_lost > 0 && a.0.len() > 10_000);
    must_be_in_doubt(
        &mut faults,
        &comparison,
        path.lost - first_lost,
        "has no fragments but first ones",
    );
    let filtered = finding(&comparison, "C22").cloned().unwrap_or_default();
    faults.must_be("at", &filtered["point"], 1);
    faults.unless(filtered["confidence"].as_f64() > Some(0.9), || {
        format!("filtered: {filtered}")
    });
    faults.end();
}

#[test]
fn first_fragments_everywhere_tell_nothing_of_the_others() {
    let path = path(&[Stream::fragmented(5001, A_TO_B)], 0);
    let first = path
        .points
        .each_ref()
        .map(|seen| seen.without(|packet| packet.index > 0));
    let [a, b, c, d] = &first;
    let comparison = compare(&[a, b, c, d]);
    let mut faults = Faults::new();
    let filtered = finding(&comparison, "C22").cloned().unwrap_or_default();
    faults.must_be("at", &filtered["point"], 0);
    let seen = filtered["seen"].as_str().unwrap_or_default();
    faults.unless(seen.starts_with("No capture has a fragment"), || {
        seen.to_owned()
    });
    faults.end();
}

/// Only first fragments come to the last point: dropped, or its capture has a filter.
#[test]
fn at_the_end_a_filter_for_ports_cannot_be_told_from_a_firewall() {
    let path = path(&[Stream::fragmented(5001, A_TO_B)], 0);
    let [a, b, c, d] = &path.points;
    let comparison = compare(&[a, b, c, &d.without(|packet| packet.index > 0)]);
    let mut faults = Faults::new();
    let found = finding(&comparison, "C02").cloned().unwrap_or_default();
    let sure = found["confidence"].as_f64();
    faults.unless(sure.is_some_and(|sure| sure < 0.9), || format!("{sure:?}"));
    let seen = found["seen"].as_str().unwrap_or_default();
    faults.unless(seen.contains("has a filter for ports"), || seen.to_owned());
    faults.unless(finding(&comparison, "C22").is_none(), || {
        "nothing passed it that it has not".to_owned()
    });
    faults.end();
}

/// Half a second of a capture is missing, as where its buffer overflows.
#[test]
fn what_is_lost_in_a_hole_of_a_capture_may_be_lost_behind_it() {
    let path = path(&[Stream::to(5001, A_TO_B), Stream::to(5003, A_TO_B)], 30);
    let hole = BEGIN + SECOND / 2..BEGIN + SECOND;
    let is_in_hole = |packet: &Packet| hole.contains(&packet.time);
    let [_, b, c, _] = &path.points;
    let lost = b
        .missing_in(c)
        .0
        .iter()
        .filter(|one| is_in_hole(one))
        .count();
    let comparison = path.seen_without(is_in_hole, |_| false);
    let mut faults = Faults::new();
    must_be_in_doubt(&mut faults, &comparison, lost, "has nothing for");
    let missed = finding(&comparison, "C03").unwrap();
    let seen = missed["seen"].as_str().unwrap();
    let is_named = ["500 ms", "510 ms"]
        .iter()
        .any(|length| seen.contains(length));
    faults.unless(is_named, || seen.to_owned());
    faults.end();
}

/// A filter for one port of several: what is lost of the others is lost anywhere.
#[test]
fn what_is_lost_of_flows_that_a_capture_has_not_may_be_lost_behind_it() {
    let streams = [5001, 5002, 5003].map(|port| Stream::to(port, A_TO_B));
    let path = path(&streams, 30);
    let [_, b, c, _] = &path.points;
    let of_others = b.missing_in(c);
    let lost = of_others.0.iter().filter(|one| one.port != 5001).count();
    let comparison = path.seen_without(|packet| packet.port != 5001, |_| false);
    let mut faults = Faults::new();
    must_be_in_doubt(&mut faults, &comparison, lost, "has nothing of some flows");
    faults.end();
}

/// What is under way when a capture ends passes it later.
#[test]
fn what_is_under_way_when_a_capture_ends_is_not_missed() {
    let path = path(&both_ways(), 0);
    let [a, b, c, d] = &path.points;
    let ends = BEGIN + SECOND;
    let early = c.between(0, ends);
    let late = b.between(ends, u64::MAX);
    for points in [[a, b, &early, d], [a, &late, c, d]] {
        let comparison = compare(&points);
        let mut faults = Faults::new();
        for point in [1, 2] {
            faults.must_be("missed", &comparison["points"][point]["missed"], 0);
        }
        faults.unless(finding(&comparison, "C03").is_none(), || {
            "a capture is said to miss something".to_owned()
        });
        faults.end();
    }
}
