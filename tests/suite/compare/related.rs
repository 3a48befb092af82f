//! Whether captures show the same traffic: the same file twice, and another one.

use super::sight::{Sight, Stream};
use super::{Captures, Faults, compare, compared, finding, is_untouched};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, A_TO_C, B_TO_A};
use crate::support::{count, pcap};
use serde_json::Value;

const HOUR: i64 = 3_600_000 * MILLISECOND as i64;

fn traffic() -> Sight {
    Sight::of(&[Stream::to(5001, A_TO_B), Stream::fragmented(5002, A_TO_B)])
}

/// What a comparison of something with itself must be.
fn is_itself(faults: &mut Faults, comparison: &Value) {
    faults.must_be("relation", &comparison["relation"], "same");
    is_untouched(faults, comparison);
    let clock = &comparison["points"][1]["clock"];
    faults.must_be("offset", &clock["offset_seconds"], 0.0);
    let drift = clock["drift_ppm"].as_f64();
    faults.unless(drift.is_none_or(|drift| drift.abs() < 0.001), || {
        format!("drift is {drift:?}")
    });
    let findings = comparison["findings"].as_array().unwrap();
    // What a receiver makes of what arrives is no difference between two points, nor how what
    // comes to the first is cut.
    let of_points = ["loss-behind-path", "path-tunnel-fragments"];
    let of_path = findings
        .iter()
        .filter(|one| of_points.iter().all(|name| one["name"] != *name));
    let grave = of_path.filter(|one| one["severity"] != "info");
    let grave: Vec<&Value> = grave.map(|one| &one["title"]).collect();
    faults.unless(grave.is_empty(), || format!("found {grave:?}"));
}

#[test]
fn a_capture_beside_itself_differs_in_nothing() {
    let all = traffic();
    let mut faults = Faults::new();
    let comparison = compare(&[&all, &all]);
    is_itself(&mut faults, &comparison);
    let packets = all.0.len() as u64;
    for point in comparison["points"].as_array().unwrap() {
        faults.must_be("matched", &point["matched"], packets);
    }
    faults.must_be("delay", &comparison["path"]["delay"]["max_seconds"], 0.0);
    faults.must_be("judged", &comparison["path"]["sent"]["packets"], packets);
    faults.end();
}

#[test]
fn one_file_may_be_given_twice() {
    let mut captures = Captures::of(&[&traffic()]);
    captures.paths.push(captures.paths[0].clone());
    let mut faults = Faults::new();
    is_itself(&mut faults, &captures.compared(&[]));
    faults.end();
}

/// Whatever is in a capture, tunnels, copies, damage and other odds, it is so twice.
#[test]
fn real_captures_beside_themselves_differ_in_nothing() {
    let mut faults = Faults::new();
    for name in [
        "duplicate-fragments.pcap",
        "geneve-ovn.pcap",
        "id-reuse.pcap",
        "netperf-loss3.pcap.zst",
        "offload-sender.pcap.zst",
        "splice.pcap",
        "tcp-superframes.pcap.zst",
        "two-tenants.pcap",
        "two-vlans.pcap",
        "vxlan-inner-fragments.pcap.zst",
        "vxlan-outer-fragments.pcap.zst",
    ] {
        let mut of_one = Faults::new();
        is_itself(&mut of_one, &compared(&[pcap(name), pcap(name)], &[]));
        let named = of_one.0.into_iter().map(|fault| format!("{name}: {fault}"));
        faults.0.extend(named);
    }
    faults.end();
}

/// Nothing is said of losses between captures of different traffic: everything would be.
#[test]
fn other_traffic_is_not_lost_traffic() {
    let here = Sight::only(&[Stream::to(5001, A_TO_B)]);
    let there = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let comparison = compare(&[&here, &there.later(MILLISECOND)]);
    is_unrelated(&comparison);
}

/// Nor if it is only at another time, as long as packets do not look alike.
#[test]
fn the_same_hosts_at_another_time_are_other_traffic() {
    let stream = Stream::to(5001, A_TO_B);
    let here = Sight::only(&[stream]);
    let later = Sight::only(&[Stream {
        datagrams: 2 * stream.datagrams,
        ..stream
    }])
    .without(|packet| packet.datagram < stream.datagrams);
    is_unrelated(&compare(&[&here, &later]));
}

fn is_unrelated(comparison: &Value) {
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "unrelated");
    let problems = comparison["problems"].as_array().unwrap();
    faults.unless(!problems.is_empty(), || "no problem is told".to_owned());
    faults.must_be("findings", &comparison["findings"], Vec::<Value>::new());
    let lost = count(comparison, "path.lost.packets");
    faults.unless(lost == 0, || format!("{lost} packets are lost"));
    faults.end();
}

/// One of three that does not belong there takes nothing from the other two, wherever it was
/// given: the path goes on between them.
#[test]
fn a_stranger_is_left_out_of_the_path() {
    let here = traffic();
    // Hours apart, so that both clocks have to be found from one another.
    let there = here
        .later(2 * MILLISECOND)
        .by_clock(5 * HOUR, 0)
        .without(|packet| packet.port == 5001 && packet.datagram % 50 == 7);
    let stranger = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let with_it = compare(&[&here, &there]);
    let mut faults = Faults::new();
    for place in 0..3 {
        let mut sights = vec![&here, &there];
        sights.insert(place, &stranger);
        let comparison = compare(&sights);
        faults.must_be("relation", &comparison["relation"], "partly");
        faults.must_have_lost("path", &comparison["path"], &here, &there);
        for field in ["segments", "flows", "common"] {
            faults.must_be(field, &comparison[field], with_it[field].clone());
        }
        // Behind the others it may be where all of it is lost.
        let told = finding(&comparison, "C15");
        faults.unless(told.is_some() == (place == 2), || {
            format!("{place}: {told:?}")
        });
        let of_others = comparison["findings"].as_array().unwrap().iter();
        let of_others: Vec<_> = of_others.filter(|one| one["id"] != "C15").collect();
        let known: Vec<_> = with_it["findings"].as_array().unwrap().iter().collect();
        faults.unless(of_others == known, || format!("{of_others:?}"));
        let files = |field: &str| -> Vec<String> {
            let rows = comparison[field].as_array().unwrap().iter();
            rows.map(|row| row["file"]["path"].to_string()).collect()
        };
        let (points, left_out) = (files("points"), files("off_path"));
        faults.unless(points.len() == 2 && left_out.len() == 1, || {
            format!("at {place}: {points:?}, {left_out:?}")
        });
        let seen = &comparison["off_path"][0]["packets"];
        faults.must_be("seen", seen, stranger.0.len() as u64);
        let problems = comparison["problems"].to_string();
        let name = left_out[0].trim_matches('"');
        faults.unless(problems.contains(name), || format!("told is {problems}"));
    }
    faults.end();
}

/// All may be lost on the last segment, and nothing is counted as that.
#[test]
fn what_goes_on_to_where_nothing_of_it_is_found_is_told() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let there = here.later(MILLISECOND);
    let sent = here.0.len() as u64;
    let silent = Sight::default();
    let stranger = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let mut faults = Faults::new();
    for (what, end) in [("silent", &silent), ("stranger", &stranger)] {
        let comparison = compare(&[&here, &there, end]);
        let told = finding(&comparison, "C15").unwrap_or(&Value::Null);
        faults.must_be("point", &told["point"], 1);
        faults.must_be("direction", &told["direction"], "forward");
        faults.must_be("missing", &told["missing_bytes"], Value::Null);
        let seen = told["seen"].as_str().unwrap_or_default();
        let words = "packets of 2 flows passed B and are not found in";
        faults.unless(seen.contains(words), || format!("{what}: {seen}"));
        let explained = &comparison["explanation"];
        faults.must_be("sent", &explained["sent_datagrams"], sent);
        faults.must_be("arrived", &explained["arrived_datagrams"], sent);
        let sentence = explained["sentence"].as_str().unwrap_or_default();
        let is_said = sentence.contains("nothing of it is found in");
        faults.unless(is_said, || format!("{what}: {sentence}"));
    }
    faults.end();
}

/// Who gets answers from there is not cut off: the capture is of something else.
#[test]
fn where_answers_come_from_something_arrives() {
    let asked = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let answered = Sight::only(&[Stream::to(5002, B_TO_A)]);
    let here = asked.and(&answered.later(MILLISECOND));
    let there = asked.later(MILLISECOND).and(&answered);
    let stranger = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let comparison = compare(&[&here, &there, &stranger]);
    let told = finding(&comparison, "C15");
    assert_eq!(told, None);
}

/// Two that are strangers to the others, and not to each other, are fewer.
#[test]
fn the_path_is_of_those_that_are_most() {
    let one = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let here = traffic();
    let there = here.later(2 * MILLISECOND);
    let comparison = compare(&[&one, &one, &here, &there, &there]);
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "partly");
    let count = |field: &str| comparison[field].as_array().unwrap().len();
    faults.unless(count("points") == 3 && count("off_path") == 2, || {
        format!("{} points of 5", count("points"))
    });
    for (place, other) in [(0, 1), (1, 0)] {
        let shares = &comparison["off_path"][place]["shares_with"];
        faults.unless(*shares == serde_json::json!([other]), || shares.to_string());
    }
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}

/// All is in fragments in front and whole behind, an hour later by its clock: the same traffic,
/// though no two points on the two sides have a packet in common.
#[test]
fn fragments_and_what_is_put_together_of_them_are_the_same_traffic() {
    let sight = |mtu| {
        Sight::only(&[Stream {
            mtu,
            ..Stream::fragmented(5002, A_TO_B)
        }])
    };
    let (cut, whole) = (sight(1_500), sight(9_000));
    let behind = whole.later(2 * MILLISECOND).by_clock(HOUR, 0);
    let all = [
        &cut,
        &cut.later(MILLISECOND),
        &behind,
        &behind.later(MILLISECOND),
    ];
    let comparison = compare(&all);
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    faults.must_be("problems", &comparison["problems"], Vec::<Value>::new());
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.must_count("sent", &comparison["path"]["sent"], cut.counted());
    faults.must_be(
        "put together",
        &comparison["segments"][1]["layout"]["reassembled"],
        2_000,
    );
    for point in [1, 2, 3] {
        let basis = &comparison["points"][point]["clock"]["basis"];
        faults.must_be(&format!("basis of {point}"), basis, "one-direction");
    }
    faults.end();
}

/// What both have may begin far behind the first packets of one, by a clock that is an hour
/// ahead.
#[test]
fn a_capture_that_begins_much_later_is_of_the_same_path() {
    let here = Sight::of(&[Stream {
        datagrams: 30_000,
        gap: MILLISECOND / 5,
        ..Stream::to(5001, A_TO_B)
    }]);
    let there = here.later(MILLISECOND);
    let begin = there.0[15_000].time;
    let there = there
        .between(begin, u64::MAX)
        .by_clock(3_600_000_000_000, 0);
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    faults.must_be("arrived", &path["arrived"]["packets"], there.0.len() as u64);
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.end();
}
