//! Traffic in both directions: what comes back passes the points in the opposite order.

use super::sight::{Packet, Sight, Stream};
use super::{Faults, compare, flow_to};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, B_TO_A};

const QUESTIONS: u16 = 5001;
/// Where answers go to; 4000 is the port that questions come from.
const ANSWERS: u16 = 4000;

fn is_question(packet: &Packet) -> bool {
    packet.port != ANSWERS
}

/// What each of three points sees: each step takes 2 ms.
struct Path {
    sent: [Sight; 3],
    answered: [Sight; 3],
}

impl Path {
    fn new() -> Self {
        let questions = Stream::to(QUESTIONS, A_TO_B);
        let all = Sight::of(&[questions]);
        let answers = Sight::only(&[Stream {
            path: B_TO_A,
            port: ANSWERS,
            bytes: 3_000,
            begin: questions.begin + 5 * MILLISECOND,
            ..questions
        }]);
        let step = 2 * MILLISECOND;
        let asked = all.later(step).without(|packet| packet.datagram % 50 == 1);
        let heard = asked
            .later(step)
            .without(|packet| packet.datagram % 50 == 2);
        let passed = answers
            .later(step)
            .without(|packet| packet.datagram % 25 == 3 && packet.index == 1);
        let back = passed
            .later(step)
            .without(|packet| packet.datagram % 25 == 4 && packet.index == 2);
        Self {
            sent: [all, asked, heard],
            answered: [answers, passed, back],
        }
    }

    fn seen(&self, point: usize) -> Sight {
        self.sent[point].and(&self.answered[2 - point])
    }
}

#[test]
fn answers_are_lost_between_the_points_that_they_pass() {
    let path = Path::new();
    let [first, middle, last] = [0, 1, 2].map(|point| path.seen(point));
    assert!(first.0.iter().any(is_question) && !first.0.iter().all(is_question));
    let comparison = compare(&[&first, &middle, &last]);
    let mut faults = Faults::new();
    let questions = flow_to(&comparison, QUESTIONS);
    let answers = flow_to(&comparison, ANSWERS);
    faults.must_be("questions", &questions["direction"], "forward");
    faults.must_be("answers", &answers["direction"], "backward");
    faults.must_be("relation", &comparison["relation"], "same");
    let both = |of: &dyn Fn(&Sight, &Sight) -> Sight, from: usize, to: usize| {
        let there = of(&path.sent[from], &path.sent[to]);
        there.and(&of(&path.answered[2 - to], &path.answered[2 - from]))
    };
    let sent = |from: &Sight, _: &Sight| from.clone();
    let lost = |from: &Sight, to: &Sight| from.missing_in(to);
    for (what, segment, from, to) in [
        ("A, B", &comparison["segments"][0], 0, 1),
        ("B, C", &comparison["segments"][1], 1, 2),
        ("A, C", &comparison["path"], 0, 2),
    ] {
        faults.must_count(what, &segment["sent"], both(&sent, from, to).counted());
        faults.must_count(what, &segment["lost"], both(&lost, from, to).counted());
        faults.must_be(what, &segment["appeared"], 0);
        faults.must_be(what, &segment["reordered"], 0);
    }
    let back = &answers["path"];
    let [sent, _, got] = &path.answered;
    faults.must_have_lost("answers", back, sent, got);
    faults.end();
}

/// What came back is no part of what was sent forward and arrived.
#[test]
fn the_explanation_is_of_what_goes_forward() {
    let path = Path::new();
    let [first, middle, last] = [0, 1, 2].map(|point| path.seen(point));
    let comparison = compare(&[&first, &middle, &last]);
    let explanation = &comparison["explanation"];
    let mut faults = Faults::new();
    let [sent, _, arrived] = &path.sent;
    for (name, must) in [
        ("sent_datagrams", sent.counted().datagrams),
        ("sent_bytes", sent.counted().bytes),
        ("arrived_datagrams", arrived.counted().datagrams),
        ("arrived_bytes", arrived.counted().bytes),
    ] {
        faults.must_be(name, &explanation[name], must);
    }
    faults.end();
}

/// Captures of nothing but answers: hop limits tell which way they go.
#[test]
fn traffic_that_only_comes_back_is_backward() {
    let [sent, _, got] = Path::new().answered;
    let got = got.map(|packet| packet.routed().routed());
    let comparison = compare(&[&got, &sent]);
    let mut faults = Faults::new();
    let answers = flow_to(&comparison, ANSWERS);
    faults.must_be("direction", &answers["direction"], "backward");
    faults.must_be("appeared", &comparison["path"]["appeared"], 0);
    let lost = &comparison["path"]["lost"];
    faults.must_count("lost", lost, sent.missing_in(&got).counted());
    faults.end();
}
