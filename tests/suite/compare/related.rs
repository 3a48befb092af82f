//! Whether captures show the same traffic: the same file twice, and another one.

use super::sight::{Sight, Stream};
use super::{Captures, Faults, compare, compared, is_untouched};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, A_TO_C};
use crate::support::{count, pcap};
use serde_json::Value;

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
    // What a receiver makes of what arrives is no difference between two points.
    let of_path = findings
        .iter()
        .filter(|one| one["name"] != "loss-behind-path");
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

/// One of three that does not belong there takes nothing from the other two.
#[test]
fn a_stranger_between_two_captures_is_named() {
    let here = traffic();
    let there = here
        .later(2 * MILLISECOND)
        .without(|packet| packet.port == 5001 && packet.datagram % 50 == 7);
    let stranger = Sight::only(&[Stream::to(6001, A_TO_C)]);
    let comparison = compare(&[&here, &stranger, &there]);
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "partly");
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.must_be("of B", &comparison["points"][1]["matched"], 0);
    let problems = comparison["problems"].to_string();
    faults.unless(problems.contains('B'), || format!("told is {problems}"));
    faults.end();
}
