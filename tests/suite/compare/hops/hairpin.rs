//! A router that passes packets on by the interface at which they came in.

use super::super::Faults;
use super::{SENDER, captured_whole, frames, send};
use crate::kernel::capture::{AT_RECEIVER, Place};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, LAN, Network, RECEIVER};
use std::path::Path;

/// Address of the router on the sender's side.
const ROUTER: &str = "10.1.0.1";

/// As a node does it of which a port stands for a service: neither end is left as it was.
const SERVICE: &str = "add table ip service
     add chain ip service in { type nat hook prerouting priority dstnat; }
     add rule ip service in ip daddr 10.1.0.1 dnat to 10.2.0.2
     add chain ip service out { type nat hook postrouting priority srcnat; }
     add rule ip service out ip daddr 10.2.0.2 masquerade";

/// The same of one end.
const DNAT: &str = "add table ip service
     add chain ip service in { type nat hook prerouting priority dstnat; }
     add rule ip service in ip daddr 10.1.0.1 dnat to 10.2.0.2";

/// What lets netfilter see what crosses a bridge.
const BRIDGE_NETFILTER: &str = "/proc/sys/net/bridge/bridge-nf-call-iptables";

/// A router on a stick with these rules drops some of what it passes on, and that is lost behind
/// it; all else of it is one packet.
fn is_one_point(rules: &str, dropped: &str, traffic: impl Fn(&Network)) {
    let network = || {
        let network = Network::new();
        network.put_router_on_a_stick();
        if !rules.is_empty() {
            network.filter(rules);
        }
        network.drop_at_router(&[dropped]);
        network
    };
    let stick = Place {
        host: Host::Router,
        device: LAN,
    };
    let run = captured_whole(&[SENDER, stick, AT_RECEIVER], network, |network| {
        let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
        let _connections = start_taking(network, Host::Receiver, &["serve"]);
        traffic(network);
        network.dropped_at_router()
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    faults.unless(run.sent > 10, || format!("{} dropped", run.sent));
    faults.must_be("relation", &comparison["relation"], "same");
    let [sender, router, receiver] = [0, 1, 2].map(|point| frames(&comparison, point));
    faults.must_be("in and out", &router.into(), sender + receiver);
    for (point, again) in [(0, 0), (1, receiver), (2, 0)] {
        let point = &comparison["points"][point];
        faults.must_be("again", &point["seen_again"], again);
    }
    for (hop, lost) in [(0, 0), (1, run.sent)] {
        let segment = &comparison["segments"][hop];
        faults.must_be("lost", &segment["lost"]["packets"], lost);
        for number in ["appeared", "outside", "duplicated", "corrupted"] {
            faults.must_be(number, &segment[number], 0);
        }
        faults.must_be("elsewhere", &segment["one_sided"], serde_json::json!([]));
    }
    faults.end();
}

/// A promiscuous bridge whose netfilter translates what crosses it sends that on bridged, and
/// routed too: the receiver has each datagram twice, with TTLs one apart.
#[test]
fn a_bridge_that_also_routes_makes_copies() {
    if !Path::new(BRIDGE_NETFILTER).exists() {
        return eprintln!("skipped: the kernel has no {BRIDGE_NETFILTER}");
    }
    let network = || {
        let network = Network::new();
        network.put_router_on_a_stick();
        network.filter(DNAT);
        let setting = ["sysctl", "-qw", "net.bridge.bridge-nf-call-iptables=1"];
        network.run(Host::Router, &setting);
        let promiscuous = ["ip", "link", "set", LAN, "promisc", "on"];
        network.run(Host::Router, &promiscuous);
        network
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
        send(network, &["flood", ROUTER, "100", "0.5", "0.7"]);
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    let [sent, arrived] = [0, 1].map(|point| frames(&comparison, point));
    faults.unless(sent > 100, || format!("{sent} sent"));
    faults.unless(arrived > sent * 19 / 10, || {
        format!("{arrived} frames of {sent}")
    });
    for point in [0, 1] {
        faults.must_be("again", &comparison["points"][point]["seen_again"], 0);
    }
    let path = &comparison["path"];
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.must_be("duplicated", &path["duplicated"], arrived - sent);
    faults.must_be("appeared", &path["appeared"], 0);
    faults.end();
}

#[test]
fn a_router_on_a_stick_is_one_point() {
    let lost = "ip frag-off & 0x3fff != 0 numgen random mod 1000 < 30";
    is_one_point("", lost, |network| {
        send(network, &["flood", RECEIVER, "8000", "20", "0.5"]);
    });
}

#[test]
fn a_node_whose_port_stands_for_a_service_is_one_point() {
    let lost = "udp length 108 numgen random mod 1000 < 50";
    is_one_point(SERVICE, lost, |network| {
        send(network, &["flood", ROUTER, "100", "0.5", "0.7"]);
        send(network, &["stream", ROUTER, "300000"]);
    });
}
