//! Routers that cut fragments again, that put them together first, and a middlebox behind
//! which they stay together.

use super::super::Faults;
use super::{SENDER, captured_whole, send};
use crate::kernel::capture::AT_RECEIVER;
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use serde_json::Value;

const LAYOUTS: [&str; 3] = ["fragmented", "reassembled", "refragmented"];

/// What becomes of 8,000-byte messages, of which none is lost and all change so.
fn all_become(
    layout: &str,
    network: impl Fn() -> Network,
    traffic: impl Fn(&Network) -> u64,
) -> Value {
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
        traffic(network)
    });
    let comparison = run.compared();
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    for name in LAYOUTS {
        let must = if name == layout { run.sent } else { 0 };
        faults.must_be(name, &path["layout"][name], must);
    }
    for number in ["appeared", "outside", "duplicated", "corrupted"] {
        faults.must_be(number, &path[number], 0);
    }
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.must_be("sent", &path["sent"]["fragments"], run.sent * 6);
    faults.end();
    comparison
}

fn flood(network: &Network) -> u64 {
    send(network, &["flood", RECEIVER, "8000", "20", "0.6"])
}

fn is_cut_to(comparison: &Value, bytes: u32) {
    let layout = &comparison["path"]["layout"];
    assert_eq!(layout["largest_fragment_bytes"], bytes);
}

#[test]
fn fragments_cut_again_are_the_same_datagrams() {
    let network = || Network::with_mtus(1_500, 1_400);
    is_cut_to(&all_become("refragmented", network, flood), 1_396);
}

/// To track connections, a router needs datagrams.
#[test]
fn fragments_put_together_and_cut_are_the_same_datagrams() {
    let network = || {
        let network = Network::with_mtus(1_500, 1_400);
        network.filter(
            "add table ip track
             add chain ip track forward { type filter hook forward priority 0; }
             add rule ip track forward ct state new counter accept",
        );
        network
    };
    is_cut_to(&all_become("refragmented", network, flood), 1_396);
}

/// Linux cuts what it put together as it was; others pass it on.
#[test]
fn fragments_put_together_are_the_same_datagrams() {
    let network = || {
        let network = Network::with_mtus(1_500, 9_000);
        // Checksums have to be right already where the middlebox reads.
        network.run(Host::Sender, &["ethtool", "-K", "a0", "tx", "off"]);
        for words in [
            &["rule", "add", "iif", "ra", "to", RECEIVER, "lookup", "100"][..],
            &[
                "route", "add", "local", RECEIVER, "dev", "lo", "table", "100",
            ],
        ] {
            network.run(Host::Router, &[&["ip"], words].concat());
        }
        network
    };
    all_become("reassembled", network, |network| {
        let _middlebox = start_taking(network, Host::Router, &["relay", "rb", RECEIVER]);
        flood(network)
    });
}
