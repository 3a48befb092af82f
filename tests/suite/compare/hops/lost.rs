//! Fragments that a router drops: the comparison counts what its nft counts, and knows
//! what the receiving kernel makes of the rest.

use super::super::{Faults, finding};
use super::{SENDER, captured_whole, send};
use crate::kernel::capture::{AT_RECEIVER, Place};
use crate::kernel::counters::{Counters, Version};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use crate::support::count;
use serde_json::Value;

/// What is known of a run without its captures.
struct Known {
    messages: u64,
    dropped: u64,
    kernel: Counters,
}

fn flood(network: &Network, bytes: &str, mbits: &str, seconds: &str) -> Known {
    let receiver = start_taking(network, Host::Receiver, &["receive"]);
    let before = Counters::read(receiver.0.id(), Version::V4);
    let messages = send(network, &["flood", RECEIVER, bytes, mbits, seconds]);
    Known {
        messages,
        dropped: network.dropped_at_router(),
        kernel: Counters::read(receiver.0.id(), Version::V4) - before,
    }
}

#[test]
fn fragments_dropped_at_random_are_those_the_router_counted() {
    let network = || {
        let network = Network::new();
        network.lose_fragments(30);
        network
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        flood(network, "65507", "100", "2")
    });
    let known = &run.sent;
    let comparison = run.compared();
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.unless(known.dropped > 200, || format!("{} dropped", known.dropped));
    faults.must_be("relation", &comparison["relation"], "same");
    faults.must_be("fragments lost", &path["lost"]["fragments"], known.dropped);
    faults.must_be("packets lost", &path["lost"]["packets"], known.dropped);
    faults.must_be(
        "fragments sent",
        &path["sent"]["fragments"],
        known.messages * 47,
    );
    let arrived = &path["arrived"]["fragments"];
    faults.must_be("fragments arrived", arrived, known.kernel.fragments);
    faults.must_be("pattern", &path["loss"]["pattern"], "random");
    for number in ["appeared", "outside", "duplicated", "corrupted"] {
        faults.must_be(number, &path[number], 0);
    }
    let counted = known.kernel.reassembled;
    let room = 5.max(counted / 20);
    let predicted = count(&comparison, "receivers.0.predicted.reassembled");
    faults.must_be("receiver", &comparison["receivers"][0]["address"], RECEIVER);
    faults.unless(predicted.abs_diff(counted) <= room, || {
        format!("{predicted} datagrams predicted, the kernel put together {counted}")
    });
    let explanation = &comparison["explanation"];
    let told = &explanation["predicted_datagrams"];
    faults.must_be("predicted", told, predicted);
    faults.end();
}

/// Each packet that it passes on comes in at one interface and goes out at another.
#[test]
fn a_router_captured_on_all_its_interfaces_is_one_point() {
    let network = || {
        let network = Network::new();
        network.lose_fragments(30);
        network
    };
    let everywhere = Place {
        host: Host::Router,
        device: "any",
    };
    let run = captured_whole(&[SENDER, everywhere, AT_RECEIVER], network, |network| {
        flood(network, "8000", "40", "1")
    });
    let known = &run.sent;
    let comparison = run.compared();
    let mut faults = Faults::new();
    let sent = known.messages * 6;
    for (hop, (sent, lost)) in [(sent, 0), (sent, known.dropped)].into_iter().enumerate() {
        let segment = &comparison["segments"][hop];
        faults.must_be("sent", &segment["sent"]["fragments"], sent);
        faults.must_be("lost", &segment["lost"]["packets"], lost);
        for number in ["appeared", "duplicated", "duplicates_removed"] {
            faults.must_be(number, &segment[number], 0);
        }
    }
    let again = count(&comparison["points"][1], "seen_again");
    let arrived = count(&comparison["path"], "arrived.packets");
    faults.unless(again >= arrived && arrived > 2_000, || {
        format!("{again} seen again, {arrived} passed on")
    });
    faults.unless(known.dropped > 30, || format!("{} dropped", known.dropped));
    let passed = &comparison["points"][1]["passed_host"][0];
    let inside = count(passed, "came_packets") - count(passed, "left_packets");
    faults.must_be("lost inside", &inside.into(), known.dropped);
    let found = finding(&comparison, "C18").unwrap_or(&Value::Null);
    faults.must_be("segment", &found["segment"], 1);
    faults.must_be("direction", &found["direction"], "forward");
    let told = comparison["explanation"]["sentence"].as_str().unwrap_or("");
    let where_it_is = "nearly all of it inside the host of B";
    faults.unless(told.contains(where_it_is), || told.to_owned());
    faults.end();
}

/// Where no capture is behind it.
#[test]
fn what_the_last_host_loses_itself_is_told() {
    let network = || {
        let network = Network::new();
        network.drop_at_router(&["meta length > 1000 numgen random mod 100 < 3"]);
        network
    };
    let everywhere = Place {
        host: Host::Router,
        device: "any",
    };
    let run = captured_whole(&[SENDER, everywhere], network, |network| {
        flood(network, "1000", "16", "1")
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    let found = finding(&comparison, "C18").unwrap_or(&Value::Null);
    let passed = &comparison["points"][1]["passed_host"][0];
    let inside = count(passed, "came_packets") - count(passed, "left_packets");
    let dropped = run.sent.dropped;
    faults.unless(dropped > 10, || format!("{dropped} dropped"));
    faults.must_be("lost inside", &inside.into(), dropped);
    faults.must_be("segment", &found["segment"], Value::Null);
    faults.must_be("point", &found["point"], 1);
    faults.end();
}

#[test]
fn a_router_that_passes_first_fragments_only_is_recognised() {
    let network = || {
        let network = Network::new();
        network.drop_at_router(&["ip frag-off & 0x1fff != 0"]);
        network
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        flood(network, "8000", "20", "1")
    });
    let known = &run.sent;
    let comparison = run.compared();
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("dropped", &known.dropped.into(), known.messages * 5);
    faults.must_be("fragments lost", &path["lost"]["fragments"], known.dropped);
    faults.must_be("datagrams lost", &path["lost"]["datagrams"], known.messages);
    let loss = &path["loss"];
    faults.must_be("pattern", &loss["pattern"], "only-first-passes");
    faults.must_be("first sent", &loss["first"]["sent"], known.messages);
    faults.must_be("first lost", &loss["first"]["lost"], 0);
    let predicted = &comparison["explanation"]["predicted_datagrams"];
    faults.must_be("predicted", predicted, known.kernel.reassembled);
    faults.end();
}
