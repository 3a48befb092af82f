//! Work that the sender leaves to its NIC: checksums, and the cutting of TCP into packets.

use super::super::Faults;
use super::{ROUTER, SENDER, captured_whole, frames, send};
use crate::kernel::capture::AT_RECEIVER;
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use crate::support::count;
use serde_json::Value;

/// A router whose NIC does nothing of its own, and a receiver that puts segments together.
fn network() -> Network {
    let network = Network::new();
    let nothing = ["tx", "off", "tso", "off", "gso", "off"];
    let device = ["ethtool", "-K", "rb"];
    network.run(Host::Router, &[&device[..], &nothing].concat());
    network.run(Host::Receiver, &["ethtool", "-K", "b0", "gro", "on"]);
    network
}

/// How many packets had a checksum of one verdict at one point and another at the next.
fn packets_from(segment: &Value, from: &str, to: &str) -> u64 {
    let changes = segment["changes"]["checksums"].as_array().unwrap().iter();
    let these = changes.filter(|change| change["from"] == from && change["to"] == to);
    these.map(|change| count(change, "packets")).sum()
}

/// What is lost between the points is what was dropped there, and nothing else is wrong.
fn nothing_else_is_lost(faults: &mut Faults, comparison: &Value, dropped: [u64; 2]) {
    faults.must_be("relation", &comparison["relation"], "same");
    let segments = comparison["segments"].as_array().unwrap();
    for (segment, dropped) in segments.iter().zip(dropped) {
        for number in ["appeared", "outside", "duplicated", "corrupted"] {
            faults.must_be(number, &segment[number], 0);
        }
        faults.must_be("lost", &segment["lost"]["packets"], dropped);
        if dropped == 0 {
            faults.must_be("lost bytes", &segment["lost"]["bytes"], 0);
        }
    }
}

/// How many packets did not fit into the cables in front of the router, and behind it.
fn crowded_out(network: &Network) -> [u64; 2] {
    [(Host::Sender, "a0"), (Host::Router, "rb")]
        .map(|(host, device)| network.dropped_by_device(host, device))
}

/// Sends 3 MB over TCP.
fn stream(network: &Network) {
    let _connections = start_taking(network, Host::Receiver, &["serve"]);
    let _beats = start_taking(network, Host::Receiver, &["receive"]);
    send(network, &["stream", RECEIVER, "3000000"]);
}

#[test]
fn checksums_left_to_a_nic_are_no_damage() {
    let run = captured_whole(&[SENDER, ROUTER, AT_RECEIVER], network, |network| {
        let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["flood", RECEIVER, "1000", "8", "0.6"])
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    nothing_else_is_lost(&mut faults, &comparison, [0, 0]);
    let finished = packets_from(&comparison["segments"][0], "offloaded", "good");
    faults.unless(finished >= run.sent, || {
        format!("{finished} checksums finished, of {}", run.sent)
    });
    let changes = &comparison["segments"][1]["changes"]["checksums"];
    faults.must_be("behind the router", changes, Vec::<Value>::new());
    faults.end();
}

#[test]
fn super_frames_are_the_packets_that_become_of_them() {
    let run = captured_whole(&[SENDER, ROUTER, AT_RECEIVER], network, |network| {
        stream(network);
        crowded_out(network)
    });
    let comparison = run.compared();
    let [cut, joined] = [0, 1].map(|index| &comparison["segments"][index]["layout"]);
    let mut faults = Faults::new();
    nothing_else_is_lost(&mut faults, &comparison, run.sent);
    for point in 0..2 {
        let sent = &comparison["segments"][point]["sent"]["packets"];
        faults.must_be("sent", sent, frames(&comparison, point));
    }
    for (what, layout, field, other) in [
        ("cut", cut, "segmented", "coalesced"),
        ("joined", joined, "coalesced", "segmented"),
    ] {
        let number = count(layout, field);
        faults.unless(number > 20, || format!("{number} super-frames {what}"));
        faults.must_be(what, &layout[other], 0);
    }
    faults.end();
}

/// What TCP sends again may overtake what it had sent before, and is cut in another way.
#[test]
fn super_frames_that_a_router_drops_are_sent_again() {
    let network = || {
        let network = network();
        let super_frames = "tcp dport 5001 meta length > 3000 numgen random mod 100 < 4";
        let answers = "tcp sport 5001 tcp flags != syn | ack numgen random mod 100 < 10";
        network.drop_at_router(&[super_frames, answers]);
        network
    };
    let run = captured_whole(&[SENDER, ROUTER, AT_RECEIVER], network, |network| {
        stream(network);
        (network.dropped_by_match(), crowded_out(network))
    });
    let (by_match, crowded_out) = &run.sent;
    let by_router: u64 = by_match.iter().sum();
    let dropped = [by_router + crowded_out[0], crowded_out[1]];
    let comparison = run.compared();
    let mut faults = Faults::new();
    faults.unless(by_router > 0, || "nothing dropped".into());
    nothing_else_is_lost(&mut faults, &comparison, dropped);
    // What goes back is sent by what is behind.
    for (point, unseen) in [by_match[1], 0].into_iter().enumerate() {
        let sent = &comparison["segments"][point]["sent"]["packets"];
        faults.must_be("sent", sent, frames(&comparison, point) + unseen);
    }
    faults.end();
}
