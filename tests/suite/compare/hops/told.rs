//! Packets that a router drops and says so.

use super::super::{Faults, finding};
use super::{SENDER, captured_whole, send};
use crate::kernel::capture::AT_RECEIVER;
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use serde_json::Value;

/// As the router is called at its sender's side.
const ROUTER: &str = "10.1.0.1";

/// It says so each time.
fn without_rate_limit() -> Network {
    let network = Network::new();
    let unlimited = ["sysctl", "-qw", "net.ipv4.icmp_ratelimit=0"];
    network.run(Host::Router, &unlimited);
    network
}

fn flooded(network: impl Fn() -> Network) -> (Value, u64) {
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        let _receiver = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["flood", RECEIVER, "1000", "8", "1"]);
        network.dropped_at_router()
    });
    (run.compared(), run.sent)
}

#[test]
fn a_router_that_rejects_is_named() {
    let (comparison, rejected) = flooded(|| {
        let network = without_rate_limit();
        network.filter(
            "add table inet loss
             add chain inet loss forward { type filter hook forward priority 0; }
             add rule inet loss forward meta length 1028 numgen inc mod 20 < 1 counter \
                 reject with icmp host-unreachable",
        );
        network
    });
    let mut faults = Faults::new();
    faults.unless(rejected > 20, || format!("{rejected} rejected"));
    let path = &comparison["path"];
    faults.must_be("lost", &path["lost"]["packets"], rejected);
    let told = &comparison["icmp_errors"][0];
    faults.must_be("segment", &told["segment"], 0);
    faults.must_be("direction", &told["direction"], "forward");
    faults.must_be("from", &told["from"], ROUTER);
    faults.must_be("type", &told["type"], 3);
    faults.must_be("code", &told["code"], 1);
    faults.must_be("errors", &told["errors"], rejected);
    faults.must_be("flows", &told["flows"], 1);
    let all = comparison["icmp_errors"].as_array().map(Vec::len);
    faults.unless(all == Some(1), || format!("{all:?} kinds of errors"));
    let found = finding(&comparison, "C17").unwrap_or(&Value::Null);
    let seen = format!(
        "A to B: {ROUTER} says of {rejected} packets of 1 flow that their host is not reached \
         (ICMP type 3, code 1)."
    );
    faults.must_be("seen", &found["seen"], seen);
    // These are no traffic of others.
    faults.must_be(
        "others",
        finding(&comparison, "C13").unwrap_or(&Value::Null),
        Value::Null,
    );
    faults.end();
}

#[test]
fn nothing_is_told_where_a_router_drops_in_silence() {
    let (comparison, dropped) = flooded(|| {
        let network = without_rate_limit();
        network.drop_at_router(&["meta length 1028 numgen inc mod 20 < 1"]);
        network
    });
    assert!(dropped > 20, "{dropped} dropped");
    assert_eq!(comparison["path"]["lost"]["packets"], dropped);
    assert_eq!(comparison["icmp_errors"], Value::Array(Vec::new()));
    assert_eq!(finding(&comparison, "C17"), None);
}

/// TCP learns how large packets may be from the first that are not passed on.
#[test]
fn the_mtu_behind_a_router_is_named() {
    let network = || {
        let network = Network::with_mtus(1_500, 1_400);
        // Each packet is on the wire as it is in the capture.
        for (host, device) in [(Host::Sender, "a0"), (Host::Receiver, "b0")] {
            let off = [
                "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off",
            ];
            network.run(host, &off);
        }
        // Or it says what it takes, and nothing larger is sent.
        let mss = [
            "ip", "route", "add", RECEIVER, "via", ROUTER, "advmss", "1460",
        ];
        network.run(Host::Sender, &mss);
        network.run(
            Host::Receiver,
            &["ip", "link", "set", "dev", "b0", "mtu", "1500"],
        );
        network
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        let _connections = start_taking(network, Host::Receiver, &["serve"]);
        let _beats = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["stream", RECEIVER, "2000000"])
    });
    let comparison = run.compared();
    let told = &comparison["icmp_errors"][0];
    let mut faults = Faults::new();
    faults.must_be("from", &told["from"], ROUTER);
    faults.must_be("type", &told["type"], 3);
    faults.must_be("code", &told["code"], 4);
    faults.must_be("MTU", &told["next_hop_mtu"], 1_400);
    faults.must_be("segment", &told["segment"], 0);
    let found = finding(&comparison, "C17").unwrap_or(&Value::Null);
    let fix = found["fix"][0]["command"].as_str().unwrap_or_default();
    faults.unless(fix.starts_with("ip route get"), || format!("fix: {fix}"));
    faults.end();
}
