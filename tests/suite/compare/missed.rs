//! What a capture in the middle lost itself, and what the path lost.

use super::sight::{BEATS, Chance, Packet, Sight, Stream};
use super::{Captures, Faults, compare, finding};
use crate::findings::capture::{MICROSECOND, MILLISECOND, SECOND};
use crate::findings::packet::A_TO_B;
use serde_json::Value;

fn streams() -> [Stream; 2] {
    [Stream::to(5001, A_TO_B), Stream::fragmented(5002, A_TO_B)]
}

/// Three points that everything passes, and a capture at the second that does not see
/// some of it.
fn missed(is_missed: impl FnMut(&Packet) -> bool, is_lossy: bool) -> Faults {
    let mut chance = Chance::new(4);
    let often = if is_lossy { 20 } else { 0 };
    let mut lose = |_: &Packet| chance.per_mille(often);
    let here = Sight::of(&streams());
    let passed = here.later(MILLISECOND).without(&mut lose);
    let there = passed.later(MILLISECOND).without(&mut lose);
    // What is lost behind it and not seen there either could have been lost in front.
    let lost_behind = passed.missing_in(&there);
    let seen = passed.without(is_missed).and(&lost_behind);
    let unseen = passed.missing_in(&seen);
    let middle = passed.missing_in(&unseen);
    let comparison = compare(&[&here, &middle, &there]);

    let mut faults = Faults::new();
    faults.must_be(
        "missed by B",
        &comparison["points"][1]["missed"],
        unseen.0.len() as u64,
    );
    let segments = &comparison["segments"];
    faults.must_have_lost("A to B", &segments[0], &here, &passed);
    faults.must_have_lost("B to C", &segments[1], &passed, &there);
    faults.must_have_lost("A to C", &comparison["path"], &here, &there);
    for segment in [0, 1] {
        faults.must_be("appeared", &segments[segment]["appeared"], 0);
    }
    faults
}

#[test]
fn frames_that_a_capture_lost_are_not_lost_by_the_path() {
    let mut chance = Chance::new(8);
    missed(|_| chance.per_mille(100), false).end();
}

#[test]
fn both_kinds_of_losses_are_told_apart() {
    let mut chance = Chance::new(8);
    missed(|_| chance.per_mille(100), true).end();
}

/// As when the buffer of a capture overflows: everything, for a while.
#[test]
fn a_gap_in_a_capture_is_no_gap_in_the_path() {
    missed(|packet| (700..1_100).contains(&packet.datagram), true).end();
}

/// At the ends nobody can tell: what the first capture lacks appears, what the last lacks
/// is lost.
#[test]
fn what_only_the_first_capture_lacks_appears_behind_it() {
    let sent = Sight::of(&streams());
    let here = sent.without(|packet| packet.datagram % 40 == 3);
    let there = sent.later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let unseen = sent.missing_in(&here).0.len() as u64;
    faults.must_be("appeared", &comparison["path"]["appeared"], unseen);
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.end();
}

/// A capture that misses how flows begin, and whose clock is told from packets that took
/// longer: what it sees of them then seems to come before it was sent.
#[test]
fn flows_that_a_capture_sees_late_and_too_early_are_the_same() {
    let here = Sight::of(&streams());
    let there = here.later(2 * MILLISECOND);
    let delayed = here.map(|packet| {
        let longer = if packet.port == BEATS { 400 } else { 0 };
        Packet {
            time: packet.time + MILLISECOND + longer * MICROSECOND,
            ..packet
        }
    });
    let middle = delayed.without(|packet| packet.datagram < 300);
    let comparison = compare(&[&here, &middle, &there]);
    let mut faults = Faults::new();
    let missed = here.0.len() - middle.0.len();
    faults.must_be("missed by B", &comparison["points"][1]["missed"], missed);
    let between = [
        ("A to B", &comparison["segments"][0]),
        ("B to C", &comparison["segments"][1]),
        ("A to C", &comparison["path"]),
    ];
    for (name, segment) in between {
        let lost = &segment["lost"]["packets"];
        for (what, number) in [("lost", lost), ("appeared", &segment["appeared"])] {
            faults.must_be(&format!("{name}: {what}"), number, 0);
        }
        faults.must_be(&format!("{name}: reordered"), &segment["reordered"], 0);
    }
    faults.end();
}

/// What is said of losses of the first segment: how sure it is, and in which words.
fn of_first_segment(comparison: &Value) -> (f64, &str) {
    let findings = comparison["findings"].as_array().expect("a list");
    let mut findings = findings.iter();
    let found = findings.find(|found| found["id"] == "C01" && found["segment"] == 0);
    let found = found.unwrap_or_else(|| panic!("no C01 of the first segment"));
    let confidence = found["confidence"].as_f64().expect("it is a number");
    (confidence, found["seen"].as_str().expect("it is text"))
}

/// All is lost behind the second point, whose capture misses a third: what it misses of that
/// looks lost in front of it.
#[test]
fn what_is_lost_behind_a_lossy_capture_is_not_sure_to_be_lost_in_front_of_it() {
    let mut chance = Chance::new(6);
    let here = Sight::of(&streams());
    let there = here
        .later(2 * MILLISECOND)
        .without(|_| chance.per_mille(20));
    let middle = here.later(MILLISECOND).without(|_| chance.per_mille(330));
    let comparison = compare(&[&here, &middle, &there]);
    let (confidence, seen) = of_first_segment(&comparison);
    assert!(confidence <= 0.3, "{confidence}: {seen}");
    assert!(seen.ends_with("all of these may be lost there."), "{seen}");
}

/// The capture misses little, and what is lost in front of it is much.
#[test]
fn what_is_lost_in_front_of_a_lossy_capture_is_sure() {
    let mut chance = Chance::new(6);
    let here = Sight::of(&streams());
    let arrived = here.later(MILLISECOND).without(|_| chance.per_mille(100));
    let there = arrived.later(MILLISECOND).without(|_| chance.per_mille(20));
    let middle = arrived.without(|_| chance.per_mille(100));
    let comparison = compare(&[&here, &middle, &there]);
    let (confidence, seen) = of_first_segment(&comparison);
    assert!(confidence > 0.9, "{confidence}: {seen}");
}

/// A filter that names a port leaves all but first fragments out, both ways.
#[test]
fn what_a_filter_leaves_out_at_an_end_is_not_sure_to_be_lost() {
    let there = Stream::fragmented(5002, A_TO_B);
    let (sent, answered) = (Sight::of(&[there]), Sight::only(&[there.back_to(4000)]));
    let here = sent.and(&answered.later(MILLISECOND));
    let all = sent.later(MILLISECOND).and(&answered);
    let filtered = all.without(|packet| packet.index > 0);
    let comparison = compare(&[&here, &filtered]);
    assert_eq!(finding(&comparison, "C02"), None);
    let (confidence, seen) = of_first_segment(&comparison);
    assert!(confidence <= 0.3, "{confidence}: {seen}");
    assert!(seen.ends_with("all of these may have arrived."), "{seen}");
    // Of what goes one way alone it is what it looks like.
    let behind = sent.later(MILLISECOND).without(|packet| packet.index > 0);
    let comparison = compare(&[&sent, &behind]);
    assert!(finding(&comparison, "C02").is_some());
}

/// A filter leaves out what goes to some port and what comes from there; on the way back others
/// are lost.
#[test]
fn what_is_doubtful_one_way_is_sure_the_other_way() {
    let there = Stream::to(5001, A_TO_B);
    let filtered = Stream::fragmented(5002, A_TO_B);
    let sent = Sight::of(&[there, filtered]);
    let answered = Sight::only(&[there.back_to(4000), filtered.back_to(4001)]);
    let mut chance = Chance::new(3);
    let heard = answered
        .later(MILLISECOND)
        .without(|packet| packet.port == 4000 && chance.per_mille(50));
    let here = sent.and(&heard);
    let all = sent.later(MILLISECOND).and(&answered);
    let shown = all.without(|packet| [5002, 4001].contains(&packet.port));
    let comparison = compare(&[&here, &shown]);
    let findings = comparison["findings"].as_array().expect("a list").iter();
    let losses = findings.filter(|found| found["id"] == "C01");
    let told = losses.map(|found| {
        let confidence = found["confidence"].as_f64().expect("it is a number");
        (found["direction"].as_str(), confidence > 0.5)
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable();
    assert_eq!(told, [(Some("backward"), true), (Some("forward"), false)]);
}

/// Some packets take longer than they are waited for: that is not the path's loss, nor that of the
/// capture behind.
#[test]
fn what_comes_too_late_is_told() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let there = here.map(|packet| {
        let took = match (packet.port, packet.datagram % 10) {
            (BEATS, _) => MILLISECOND,
            (_, 3) => 3 * SECOND,
            (_, 4) => 700 * MILLISECOND,
            _ => MILLISECOND,
        };
        Packet {
            time: packet.time + took,
            ..packet
        }
    });
    let comparison = Captures::of(&[&here, &there]).compared(&["--window", "1s"]);
    let mut faults = Faults::new();
    let lost = finding(&comparison, "C01").map(|found| found["seen"].to_string());
    let is_told = |told: &String| told.contains("lost towards B may have come later than");
    faults.unless(lost.as_ref().is_some_and(is_told), || format!("{lost:?}"));
    faults.end();
}
