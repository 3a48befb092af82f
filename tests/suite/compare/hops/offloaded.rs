//! Work that the sender leaves to its NIC: checksums, and the cutting of TCP into packets.

use super::super::Faults;
use super::{ROUTER, SENDER, captured_whole, send};
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

fn nothing_is_lost(faults: &mut Faults, comparison: &Value) {
    faults.must_be("relation", &comparison["relation"], "same");
    for segment in comparison["segments"].as_array().unwrap() {
        for number in ["appeared", "outside", "duplicated", "corrupted"] {
            faults.must_be(number, &segment[number], 0);
        }
        faults.must_be("lost", &segment["lost"]["packets"], 0);
        faults.must_be("lost bytes", &segment["lost"]["bytes"], 0);
    }
}

#[test]
fn checksums_left_to_a_nic_are_no_damage() {
    let run = captured_whole(&[SENDER, ROUTER, AT_RECEIVER], network, |network| {
        let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["flood", RECEIVER, "1000", "8", "0.6"])
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison);
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
        let _connections = start_taking(network, Host::Receiver, &["serve"]);
        let _beats = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["stream", RECEIVER, "3000000"])
    });
    let comparison = run.compared();
    let [cut, joined] = [0, 1].map(|index| &comparison["segments"][index]["layout"]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison);
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
