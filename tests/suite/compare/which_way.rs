//! Findings name the way that what they tell of goes.

use super::sight::{Packet, Sight, Stream};
use super::{Captures, Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
use crate::support::fraglens;
use serde_json::{Value, json};

const QUESTIONS: u16 = 5001;
/// Where answers go to; 4000 is the port that questions come from.
const ANSWERS: u16 = 4000;
/// Length of an IPv4 header.
const HEADER: usize = 20;

/// What two points see of questions, all of which pass, and of fewer answers, to some of which
/// something happens.
fn seen(harm: impl Fn(&Packet) -> Vec<Packet>) -> [Sight; 2] {
    let questions = Stream::to(QUESTIONS, A_TO_B);
    let asked = Sight::of(&[questions]);
    let answered = Sight::only(&[Stream {
        path: B_TO_A,
        port: ANSWERS,
        datagrams: 1_000,
        begin: questions.begin + 5 * MILLISECOND,
        ..questions
    }]);
    let heard = answered.later(MILLISECOND).flat_map(harm);
    [asked.and(&heard), asked.later(MILLISECOND).and(&answered)]
}

fn damaged(packet: &Packet) -> Packet {
    let mut packet = packet.clone();
    packet.ip[HEADER + 50] ^= 0xff;
    packet
}

fn copy(packet: &Packet) -> Packet {
    Packet {
        time: packet.time + 20 * MICROSECOND,
        ..packet.clone()
    }
}

/// Of each hundred answers one is damaged, one comes twice, and one is lost.
fn harmed(packet: &Packet) -> Vec<Packet> {
    match packet.datagram % 100 {
        3 => vec![damaged(packet)],
        5 => vec![packet.clone(), copy(packet)],
        7 => Vec::new(),
        _ => vec![packet.clone()],
    }
}

fn finding<'a>(comparison: &'a Value, id: &str) -> &'a Value {
    let findings = comparison["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["id"] == id);
    found.unwrap_or_else(|| panic!("no {id}"))
}

fn must_say(faults: &mut Faults, finding: &Value, words: &str) {
    let seen = finding["seen"].as_str().unwrap_or_default();
    faults.unless(seen.starts_with(words), || {
        format!("{seen:?} is not {words:?}")
    });
}

#[test]
fn what_happens_to_answers_alone_is_told_of_their_way() {
    let [here, there] = seen(harmed);
    let captures = Captures::of(&[&here, &there]);
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    let told = [
        ("C01", "B to A: "),
        (
            "C07",
            "B to A: 10 packets left with other bytes than they entered with. Of 990 datagrams \
             that left with all their bytes 10 are spoiled.",
        ),
        (
            "C08",
            "B to A: 10 copies more left than entered, of 990 packets.",
        ),
    ];
    for (id, words) in told {
        let found = finding(&comparison, id);
        must_say(&mut faults, found, words);
        faults.must_be(id, &found["direction"], "backward");
        faults.must_be(id, &found["segment"], 0);
    }
    let text = fraglens()
        .args(["compare", "--quiet"])
        .args(&captures.paths)
        .output();
    let text = String::from_utf8(text.unwrap().stdout).unwrap();
    for title in [
        "C01  B to A: Packets are lost between two points",
        "C07  B to A: Bytes of packets change on the way",
        "C08  B to A: Packets come twice",
    ] {
        faults.unless(text.contains(title), || format!("no {title:?} in {text}"));
    }
    faults.end();
}

#[test]
fn what_happens_both_ways_is_told_of_each() {
    let [here, there] = seen(|packet| match packet.datagram % 100 {
        3 => vec![damaged(packet)],
        _ => vec![packet.clone()],
    });
    let there = there.map(|packet| match packet.port {
        QUESTIONS if packet.datagram % 100 == 50 => damaged(&packet),
        _ => packet,
    });
    let comparison = compare(&[&here, &there]);
    let found = finding(&comparison, "C07");
    let mut faults = Faults::new();
    must_say(
        &mut faults,
        found,
        "A to B: 20 packets left with other bytes",
    );
    let seen = found["seen"].as_str().unwrap_or_default();
    let back = " B to A: 10 packets left with other bytes than they entered with. Of 1,000 ";
    faults.unless(seen.contains(back), || {
        format!("{back:?} is not in {seen:?}")
    });
    faults.must_be("direction", &found["direction"], json!(null));
    faults.end();
}
