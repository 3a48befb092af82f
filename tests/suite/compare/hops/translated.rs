//! A router that translates addresses, and for that puts fragments together.

use super::super::Faults;
use super::{SENDER, captured_whole, frames, send};
use crate::kernel::capture::AT_RECEIVER;
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use serde_json::Value;

/// Address of the router on the sender's side.
const ROUTER: &str = "10.1.0.1";

/// Small datagrams, such in fragments, and TCP, all to one address.
fn all_kinds(network: &Network, address: &str) {
    let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
    let _connections = start_taking(network, Host::Receiver, &["serve"]);
    send(network, &["flood", address, "100", "0.5", "0.5"]);
    send(network, &["flood", address, "8000", "20", "0.5"]);
    send(network, &["stream", address, "300000"]);
}

/// Everything is found again at both ends, nothing is lost, and all is as it was but for
/// one side of its address.
fn is_translated(rules: &str, address: &str, kind: &str, was: [&str; 2], is: [&str; 2]) {
    let network = || {
        let network = Network::new();
        network.filter(rules);
        network
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        all_kinds(network, address);
    });
    let comparison = run.compared();
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    for number in ["appeared", "outside", "duplicated", "corrupted"] {
        faults.must_be(number, &path[number], 0);
    }
    faults.must_be("lost", &path["lost"]["packets"], 0);
    for point in [0, 1] {
        let all = frames(&comparison, point);
        let matched = &comparison["points"][point]["matched"];
        faults.unless(all > 500, || format!("{all} frames"));
        faults.must_be("matched", matched, all);
    }
    let mappings = path["changes"]["nat"].as_array().unwrap();
    for protocol in ["udp", "tcp"] {
        let of_protocol = mappings.iter().filter(|one| {
            one["kind"] == kind
                && one["from"]["protocol"] == protocol
                && [&one["from"]["src"], &one["from"]["dst"]] == was
                && [&one["to"]["src"], &one["to"]["dst"]] == is
        });
        let told: Vec<&Value> = of_protocol.collect();
        faults.unless(!told.is_empty(), || {
            format!("{protocol} is not translated: {mappings:?}")
        });
    }
    faults.end();
}

#[test]
fn what_another_address_stands_for_is_found_again() {
    is_translated(
        "add table ip translate
         add chain ip translate in { type nat hook prerouting priority dstnat; }
         add rule ip translate in ip daddr 10.1.0.1 dnat to 10.2.0.2",
        ROUTER,
        "destination",
        ["10.1.0.2", ROUTER],
        ["10.1.0.2", RECEIVER],
    );
}

/// Ports of the sender change, too.
#[test]
fn what_hides_behind_another_address_is_found_again() {
    is_translated(
        "add table ip translate
         add chain ip translate out { type nat hook postrouting priority srcnat; }
         add rule ip translate out oifname rb meta l4proto { tcp, udp } snat to 10.2.0.1:20000-20999",
        RECEIVER,
        "source",
        ["10.1.0.2", RECEIVER],
        ["10.2.0.1", RECEIVER],
    );
}
