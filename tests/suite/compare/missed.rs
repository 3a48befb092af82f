//! What a capture in the middle lost itself, and what the path lost.

use super::sight::{BEATS, Chance, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::A_TO_B;

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
