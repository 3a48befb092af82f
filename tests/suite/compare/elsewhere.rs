//! What one point alone shows and never went to the other: other traffic is nobody's loss.

use super::sight::{BEGIN, Content, EDGE, Ids, Packet, Sight, Stream};
use super::{Captures, Faults, compare, finding};
use crate::findings::capture::{MILLISECOND, SECOND};
use crate::findings::packet::{A_TO_B, A_TO_C, B_TO_A, SYN, Sum, TCP, cut, tcp, v4};
use crate::support::count;
use serde_json::Value;

fn findings(comparison: &Value) -> Vec<&str> {
    let found = comparison["findings"].as_array().unwrap().iter();
    found.map(|found| found["id"].as_str().unwrap()).collect()
}

/// A node's interface beside a pod's: the node talks to a third host, and other pods to
/// theirs. Of what goes to the pod one in ten is lost.
#[test]
fn what_goes_to_hosts_of_which_nothing_passes_is_not_lost() {
    let to_the_pod = Stream {
        datagrams: 1_000,
        ..Stream::to(5001, A_TO_B)
    };
    let others = [
        Stream::to(6001, A_TO_C),
        Stream::fragmented(6002, v4([10, 0, 0, 9], [10, 0, 0, 8])),
    ];
    let mine = Sight::of(&[to_the_pod]);
    let all = mine.and(&Sight::only(&others));
    let pod = mine.later(MILLISECOND);
    let pod = pod.without(|packet| packet.datagram % 10 == 3);
    let comparison = compare(&[&all, &pod]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("to the pod", path, &mine, &pod);
    faults.must_be("appeared", &path["appeared"], 0);
    let packets = Sight::only(&others).0.len() as u64;
    faults.must_be("point", &path["one_sided"][0]["point"], 0);
    faults.must_be("elsewhere", &path["one_sided"][0]["packets"], packets);
    faults.must_be("residual", &comparison["explanation"]["residual_bytes"], 0);
    let found = findings(&comparison);
    faults.unless(found == ["C01", "C13"], || format!("found {found:?}"));
    faults.end();
}

/// A service address of which one pod is dead: SYNs go there again and again, and nothing comes.
#[test]
fn tcp_that_nothing_answers_is_told_apart_from_other_traffic() {
    const SYN_EVERY: u32 = 3;
    let syn = |number: u32| {
        let ports = (40_000 + (number / SYN_EVERY) as u16, 80);
        let segment = tcp(A_TO_C, ports, SYN, &[], Sum::Right);
        Packet {
            time: BEGIN + EDGE + u64::from(number) * MILLISECOND,
            ip: cut(A_TO_C, TCP, 1 + number, &segment, 1_500).remove(0),
            port: ports.0,
            datagram: number,
            index: 0,
            is_last: true,
        }
    };
    let mine = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let others = Stream {
        datagrams: 3_000,
        ..Stream::to(9_999, v4([10, 0, 0, 9], [10, 0, 0, 8]))
    };
    let dead = Sight((0..30).map(syn).collect());
    let all = mine.and(&Sight::only(&[others])).and(&dead);
    let comparison = compare(&[&all, &mine.later(MILLISECOND)]);
    let mut faults = Faults::new();
    let found = finding(&comparison, "C13").cloned().unwrap_or_default();
    let seen = found["seen"].as_str().unwrap_or_default();
    let told = [
        "3,030 packets of 11 flows",
        "(most go to 10.0.0.8, port 9999)",
        "10 of these are of TCP that nothing answers at any point (most go to 10.0.0.3, port 80)",
    ];
    faults.unless(told.iter().all(|told| seen.contains(told)), || {
        seen.to_owned()
    });
    faults.must_be("severity", &found["severity"], "warning");
    faults.end();
}

/// What its kernel counted before and after: nothing of that is in a capture.
#[test]
fn what_the_receivers_sockets_drop_is_told() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let captures = Captures::of(&[&here, &here.later(MILLISECOND)]);
    let of_kernel = |counters: &str| {
        let file = captures.folder.path().join("nstat");
        std::fs::write(&file, counters).unwrap();
        let comparison = captures.compared(&["--nstat", file.to_str().unwrap()]);
        let found = finding(&comparison, "C12").cloned();
        found.map(|found| found["seen"].as_str().unwrap().to_owned())
    };
    let udp = |no_ports: u32, full: u32| {
        format!("Udp: InDatagrams NoPorts RcvbufErrors\nUdp: 5 {no_ports} {full}\n")
    };
    let told = of_kernel(&(udp(3, 10) + &udp(3, 235)));
    let expected = "The kernel's counters say that it dropped 225 datagrams behind B, of all that \
                    came to its sockets: 225 where the buffer of the socket was full \
                    (UdpRcvbufErrors).";
    assert_eq!(told.as_deref(), Some(expected));
    assert_eq!(of_kernel(&(udp(3, 10) + &udp(3, 10))), None);
    assert_eq!(of_kernel(&udp(3, 10)), None, "since the host was started");
}

/// The same the other way round: what comes out of the node and was never in the pod.
#[test]
fn what_was_never_seen_in_front_was_not_missed_there() {
    let mine = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let others = Sight::only(&[Stream::to(6001, v4([10, 0, 0, 7], [10, 0, 0, 8]))]);
    let comparison = compare(&[&mine, &mine.later(MILLISECOND).and(&others)]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.must_be("appeared", &path["appeared"], 0);
    faults.must_be("point", &path["one_sided"][0]["point"], 1);
    let found = findings(&comparison);
    faults.unless(found.is_empty(), || format!("found {found:?}"));
    faults.end();
}

/// A flow of which nothing passes is lost if others reach its host.
#[test]
fn a_flow_that_is_blocked_is_lost() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B), Stream::to(5002, A_TO_B)]);
    let there = here
        .later(MILLISECOND)
        .without(|packet| packet.port == 5002);
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("to both", path, &here, &there);
    faults.must_be("elsewhere", &path["one_sided"], Value::Array(Vec::new()));
    // What is lost over time is what is lost.
    let steps = path["loss"]["times"].as_array().unwrap().iter();
    let lost: u64 = steps.map(|step| count(step, "lost")).sum();
    faults.unless(lost == count(path, "lost.packets"), || {
        format!("{lost} are lost over time")
    });
    faults.end();
}

/// Questions that are flows of their own, some of which are lost, beside traffic of other hosts: when
/// these were lost is told, and of the others it is not.
#[test]
fn what_is_lost_over_time_has_nothing_of_what_goes_elsewhere() {
    let question = |number: u16| Stream {
        datagrams: 1,
        begin: BEGIN + EDGE / 2 + u64::from(number) * 20 * MILLISECOND,
        ..Stream::to(10_000 + number, A_TO_B)
    };
    let questions: Vec<Stream> = (0..400).map(question).collect();
    let here = Sight::of(&questions);
    let is_lost = |packet: &Packet| packet.port % 10 == 3;
    let there = here.later(MILLISECOND).without(is_lost);
    let others = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let comparison = compare(&[&here.and(&others), &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("questions", path, &here, &there);
    faults.must_be(
        "elsewhere",
        &path["one_sided"][0]["packets"],
        others.0.len() as u64,
    );
    let steps = path["loss"]["times"].as_array().unwrap().iter();
    let lost: u64 = steps.map(|step| count(step, "lost")).sum();
    faults.unless(lost == 40, || format!("{lost} are lost over time"));
    faults.end();
}

/// The ports of a datagram, the other way around.
fn to_where_it_came_from(mut packet: Packet) -> Packet {
    packet.ip[20..24].rotate_left(2);
    packet
}

/// One capture has a filter: it lacks a conversation of hosts of which others pass.
#[test]
fn a_conversation_that_one_capture_lacks_is_not_lost() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let asks = Sight::only(&[Stream::to(5002, A_TO_B)]);
    let answers = Sight::only(&[Stream::to(5002, B_TO_A)]).map(to_where_it_came_from);
    let lacking = asks.and(&answers);
    let there = here.later(MILLISECOND);
    let there = there.without(|packet| packet.datagram % 10 == 3);
    let comparison = compare(&[&here.and(&lacking), &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("of others", path, &here, &there);
    faults.must_be("appeared", &path["appeared"], 0);
    let packets = lacking.0.len() as u64;
    let apart = &path["one_sided"][0];
    faults.must_be("point", &apart["point"], 0);
    faults.must_be("flows", &apart["flows"], 2);
    faults.must_be("elsewhere", &apart["packets"], packets);
    faults.must_be("both ways", &apart["both_ways"], packets);
    let found = findings(&comparison);
    faults.unless(found == ["C01", "C19"], || format!("found {found:?}"));
    let at = comparison["findings"][1]["point"].clone();
    faults.must_be("lacking", &at, 1);
    faults.end();
}

/// A proxy on the way ends a connection and opens another in the names of its hosts.
#[test]
fn what_is_made_anew_in_between_is_not_lost() {
    let passes = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let to_proxy = Stream::to(5002, A_TO_B);
    let from_proxy = Stream {
        content: Content::Shared,
        ids: Ids::From(30_000),
        ..to_proxy
    };
    let [in_front, behind] = [to_proxy, from_proxy].map(|stream| Sight::only(&[stream]));
    let passed = passes.later(MILLISECOND);
    let passed = passed.without(|packet| packet.datagram % 10 == 3);
    let comparison = compare(&[
        &passes.and(&in_front),
        &passed.and(&behind.later(MILLISECOND)),
    ]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("of others", path, &passes, &passed);
    faults.must_be("appeared", &path["appeared"], 0);
    for (place, sight) in [in_front, behind].iter().enumerate() {
        let apart = &path["one_sided"][place];
        faults.must_be("point", &apart["point"], place);
        faults.must_be("remade", &apart["remade"], sight.0.len());
        faults.must_be("in all", &apart["packets"], sight.0.len());
    }
    let found = findings(&comparison);
    faults.unless(found == ["C01", "C20"], || format!("found {found:?}"));
    faults.end();
}

/// A router passes nothing on that stays on its link, and C13 does not wonder at it.
#[test]
fn what_stays_on_its_link_is_not_even_worth_a_note() {
    let mine = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let group = Sight::only(&[Stream::to(5353, v4([10, 0, 0, 1], [224, 0, 0, 251]))]);
    let routed = mine.later(MILLISECOND).map(Packet::routed);
    let comparison = compare(&[&mine.and(&group), &routed]);
    let mut faults = Faults::new();
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    let found = findings(&comparison);
    faults.unless(found.is_empty(), || format!("found {found:?}"));
    faults.end();
}

/// What goes each way, and the loss of each; the sentence tells of both, and parts add up.
#[test]
fn both_ways_are_told() {
    let way = |path, port| Stream {
        datagrams: 1_000,
        ..Stream::to(port, path)
    };
    let there = Sight::of(&[way(A_TO_B, 5001)]).map(|packet| packet);
    let back = Sight::only(&[way(B_TO_A, 5002)]);
    let is_lost = |packet: &Packet| packet.datagram % 20 == 3;
    let a = there.and(
        &back
            .later(2 * MILLISECOND)
            .map(Packet::routed)
            .without(is_lost),
    );
    let b = there.later(2 * MILLISECOND).map(Packet::routed);
    let b = b.without(|packet| packet.datagram % 50 == 3).and(&back);
    let comparison = compare(&[&a, &b]);
    let explanation = &comparison["explanation"];
    let mut faults = Faults::new();
    faults.must_be("residual", &explanation["residual_bytes"], 0);
    let part = &explanation["parts"][0];
    let missing = count(explanation, "sent_bytes") - count(explanation, "arrived_bytes");
    faults.must_be("part", &part["bytes"], missing);
    let sentence = explanation["sentence"].as_str().unwrap();
    for told in [
        "A to B loses",
        "(20 of",
        "on the way back B to A loses 5.0 %",
    ] {
        faults.unless(sentence.contains(told), || {
            format!("no {told:?}: {sentence}")
        });
    }
    let backward = &comparison["directions"][1]["segments"][0];
    faults.must_be("from", &backward["from"], 1);
    faults.must_be("to", &backward["to"], 0);
    faults.must_be("lost", &backward["lost"]["packets"], 50);
    faults.end();
}

/// One capture in the middle has only a part of the time: it missed nothing before, and the
/// share that is lost behind it is that of its time.
#[test]
fn a_point_between_others_is_asked_only_while_it_captured() {
    let all = Stream {
        datagrams: 12_000,
        gap: 2 * MILLISECOND,
        ..Stream::to(5001, A_TO_B)
    };
    let a = Sight::of(&[all]);
    let from = BEGIN + 10 * SECOND + MILLISECOND / 2;
    let b = a.later(MILLISECOND).between(from, u64::MAX);
    let c = a.later(3 * MILLISECOND);
    let c = c.without(|packet| packet.datagram % 25 == 3);
    let comparison = compare(&[&a, &b, &c]);
    let mut faults = Faults::new();
    faults.must_be("missed", &comparison["points"][1]["missed"], 0);
    faults.must_have_lost("behind it", &comparison["segments"][1], &b, &c);
    faults.must_have_lost("in all", &comparison["path"], &a, &c);
    let found = findings(&comparison);
    faults.unless(!found.contains(&"C03"), || format!("found {found:?}"));
    faults.end();
}

/// Everything is lost from some time on, to the end of the capture.
fn outage() -> (Sight, Sight) {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let there = here.later(MILLISECOND).between(0, BEGIN + SECOND);
    (here, there)
}

#[test]
fn an_outage_that_may_be_the_end_of_a_capture_is_told_as_that() {
    let (here, there) = outage();
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("lost", &path["lost"]["packets"], 0);
    let behind = (here.0.len() - there.0.len()) as u64;
    faults.must_be("outside", &path["outside"], behind);
    let found = findings(&comparison);
    faults.unless(found == ["C14"], || format!("found {found:?}"));
    let sentence = comparison["explanation"]["sentence"].as_str().unwrap();
    let told = "more cannot be judged";
    faults.unless(sentence.contains(told), || sentence.to_owned());
    faults.end();
}

#[test]
fn an_outage_in_a_capture_that_says_when_it_ended_is_loss() {
    let (here, there) = outage();
    let end = BEGIN + EDGE + 5 * SECOND;
    let mut captures = Captures::of(&[&here]);
    captures.add(&there.pcapng_until(end));
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    faults.must_have_lost("in all", &comparison["path"], &here, &there);
    let ended = &comparison["points"][1]["last_timestamp"];
    faults.must_be("when it ended", ended, "2024-01-04T03:04:22.000000000Z");
    faults.end();
}
