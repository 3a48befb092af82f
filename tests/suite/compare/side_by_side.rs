//! Points that lie side by side: flows are spread over two routers.

use super::sight::{BEATS, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, B_TO_A};
use serde_json::{Value, json};

fn findings(comparison: &Value) -> Vec<&str> {
    let found = comparison["findings"].as_array().unwrap().iter();
    found.map(|found| found["id"].as_str().unwrap()).collect()
}

/// What goes there and back, and what of it passes either router.
struct Spread {
    here: Sight,
    one: Sight,
    other: Sight,
}

fn by_the_other(packet: &Packet) -> bool {
    packet.port != BEATS && packet.port.is_multiple_of(2)
}

fn spread() -> Spread {
    let streams = |first, path| (first..first + 8).map(move |port| Stream::to(port, path));
    let there: Vec<Stream> = streams(5_001, A_TO_B).collect();
    let back: Vec<Stream> = streams(6_001, B_TO_A).collect();
    let here = Sight::of(&there).and(&Sight::only(&back));
    let passing = here.later(MILLISECOND).map(Packet::routed);
    // Beats go by the first.
    let (other, one) = passing.0.into_iter().partition(by_the_other);
    Spread {
        one: Sight(one),
        other: Sight(other),
        here,
    }
}

fn is_lost_behind_one(packet: &Packet) -> bool {
    packet.datagram % 10 == 3
}

fn is_lost_behind_the_other(packet: &Packet) -> bool {
    packet.datagram % 20 == 7
}

impl Spread {
    /// What is left behind both.
    fn behind(&self) -> [Sight; 2] {
        [
            self.one.without(is_lost_behind_one),
            self.other.without(is_lost_behind_the_other),
        ]
        .map(|left| left.later(MILLISECOND))
    }
}

#[test]
fn what_is_lost_behind_either_is_told_there() {
    let spread = spread();
    let [left, left_by_other] = spread.behind();
    let there = left.and(&left_by_other);
    let comparison = compare(&[&spread.here, &spread.one, &spread.other, &there]);
    let mut faults = Faults::new();
    faults.must_be("beside", &comparison["side_by_side"], json!([[1, 2]]));
    let segments = &comparison["segments"];
    let lost = [
        &segments[0],
        &segments[1],
        &segments[2],
        &comparison["path"],
    ];
    let lost = lost.map(|segment| &segment["lost"]["packets"]);
    let missing = [(&spread.one, &left), (&spread.other, &left_by_other)];
    let [behind, behind_other] = missing.map(|(entered, left)| entered.0.len() - left.0.len());
    faults.must_be("in front", lost[0], 0);
    faults.must_be("behind one", lost[1], behind);
    faults.must_be("behind the other", lost[2], behind_other);
    faults.must_be("in all", lost[3], behind + behind_other);
    for point in [1, 2] {
        let point = &comparison["points"][point];
        faults.must_be("missed", &point["missed"], 0);
        let beside = point["passed_beside"].as_u64();
        faults.unless(beside > Some(500), || format!("{beside:?} passed beside"));
    }
    let found = findings(&comparison);
    faults.unless(found == ["C01", "C01", "C21"], || {
        format!("found {found:?}")
    });
    let sentence = comparison["explanation"]["sentence"].as_str().unwrap();
    let is_told = sentence.contains("B to D, beside C, loses");
    faults.unless(is_told, || sentence.to_owned());
    faults.end();
}

/// Two receivers, of which neither is behind the other.
#[test]
fn at_the_end_nothing_is_lost_between_two() {
    let spread = spread();
    let comparison = compare(&[&spread.here, &spread.one, &spread.other]);
    let mut faults = Faults::new();
    faults.must_be("beside", &comparison["side_by_side"], json!([[1, 2]]));
    let [first, second] = [0, 1].map(|segment| &comparison["segments"][segment]);
    faults.must_be("in front", &first["lost"]["packets"], 0);
    for blank in [second, &comparison["path"]] {
        faults.must_be("sent", &blank["sent"]["packets"], 0);
        faults.must_be("not judged", &blank["outside"], 0);
    }
    let found = findings(&comparison);
    faults.unless(found == ["C21"], || format!("found {found:?}"));
    let sentence = comparison["explanation"]["sentence"].as_str().unwrap();
    let is_told = sentence.contains("arrived at B or C");
    faults.unless(is_told, || sentence.to_owned());
    faults.end();
}

/// One behind the other, and both captures lack much.
#[test]
fn captures_that_lack_much_are_not_beside_each_other() {
    let spread = spread();
    let lacking = |every: u32| {
        let seen = spread.here.later(MILLISECOND).map(Packet::routed);
        seen.without(|packet| packet.datagram % every == 0)
    };
    let there = spread.here.later(2 * MILLISECOND);
    let comparison = compare(&[&spread.here, &lacking(2), &lacking(3), &there]);
    let mut faults = Faults::new();
    faults.must_be("beside", &comparison["side_by_side"], json!([]));
    let found = findings(&comparison);
    faults.unless(found.contains(&"C03"), || format!("found {found:?}"));
    faults.end();
}
