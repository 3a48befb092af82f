//! A router that puts datagrams together to track connections, and cuts them again as they were:
//! of one that misses a fragment nothing leaves it.

use super::super::{Faults, finding};
use super::{SENDER, captured_whole, send};
use crate::kernel::capture::{AT_RECEIVER, Place};
use crate::kernel::counters::{Counters, Version};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use crate::support::count;
use serde_json::Value;

/// Where fragments come to the router.
const AT_ROUTER: Place = Place {
    host: Host::Router,
    device: "ra",
};
const AT_RANDOM: &str = "numgen random mod 1000 < 30 counter drop";
/// Fragments of a message.
const FRAGMENTS: u64 = 6;

/// Messages sent, and those that the receiver's kernel put together.
struct Known {
    messages: u64,
    whole: u64,
}

fn flood(network: &Network) -> Known {
    let receiver = start_taking(network, Host::Receiver, &["receive"]);
    let before = Counters::read(receiver.0.id(), Version::V4);
    let messages = send(network, &["flood", RECEIVER, "8000", "20", "2"]);
    let counted = Counters::read(receiver.0.id(), Version::V4) - before;
    Known {
        messages,
        whole: counted.reassembled,
    }
}

/// A router that tracks connections, and loses fragments before it does.
fn tracking(more: &str) -> Network {
    let network = Network::new();
    let track = "add table ip track
                 add chain ip track forward { type filter hook forward priority 0; }
                 add rule ip track forward ct state new counter accept\n";
    network.filter(&format!("{track}{more}"));
    network
}

/// What must be told of a run in which all is lost of some datagrams, and nothing of others.
fn told(comparison: &Value, known: &Known, pattern: &str) -> Faults {
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.unless(
        known.whole > 200 && known.whole + 40 < known.messages,
        || format!("{} of {} came whole", known.whole, known.messages),
    );
    let arrived = &path["arrived"]["fragments"];
    faults.must_be("arrived", arrived, known.whole * FRAGMENTS);
    let of_beats = count(path, "arrived.datagrams") - known.whole;
    let sent = count(path, "sent.datagrams") - of_beats;
    faults.must_be("datagrams", &sent.into(), known.messages);
    faults.must_be("pattern", &path["loss"]["pattern"], pattern);
    faults.unless(finding(comparison, "C04").is_some(), || {
        "not told".to_owned()
    });
    faults
}

#[test]
fn what_comes_incomplete_to_a_router_that_puts_it_together_goes_no_further() {
    let network = || {
        let network = tracking("");
        // A sender that cannot send the first sends none.
        let lossy = format!(
            "add table netdev loss
             add chain netdev loss out {{ type filter hook egress device a0 priority 0; }}
             add rule netdev loss out ip frag-off & 0x1fff != 0 {AT_RANDOM}"
        );
        network.run(Host::Sender, &["nft", &lossy]);
        network
    };
    let run = captured_whole(&[AT_ROUTER, AT_RECEIVER], network, flood);
    let comparison = run.compared();
    let mut faults = told(&comparison, &run.sent, "incomplete");
    let lost = &comparison["path"]["lost"];
    let together = finding(&comparison, "C04");
    let together = together.unwrap_or(&Value::Null);
    faults.must_be("missing", &together["missing_bytes"], lost["bytes"].clone());
    // What came whole passed.
    faults.must_be("severity", &together["severity"], "info");
    let left = &comparison["path"]["in_fragments"];
    let known = &run.sent;
    let incomplete = known.messages - known.whole;
    faults.must_be("whole", &left["whole"]["all"], known.whole);
    faults.must_be("incomplete", &left["incomplete"]["none"], incomplete);
    for (class, number) in [
        ("whole", "some"),
        ("whole", "none"),
        ("incomplete", "all"),
        ("incomplete", "some"),
    ] {
        faults.must_be(number, &left[class][number], 0);
    }
    let words = format!(
        "puts {} datagrams together; {} left",
        known.whole, known.whole
    );
    let seen = together["seen"].as_str().unwrap_or_default();
    faults.unless(seen.contains(&words), || seen.to_owned());
    faults.unless(finding(&comparison, "C01").is_none(), || {
        "told as loss of the link".to_owned()
    });
    faults.end();
}

/// Behind the loss, and between the same two captures.
#[test]
fn a_router_that_puts_together_what_it_lost_fragments_of_loses_whole_datagrams() {
    let network = || {
        tracking(&format!(
            "add table inet loss
             add chain inet loss forward {{ type filter hook prerouting priority -500; }}
             add rule inet loss forward ip frag-off & 0x3fff != 0 {AT_RANDOM}"
        ))
    };
    let run = captured_whole(&[SENDER, AT_RECEIVER], network, |network| {
        let known = flood(network);
        (known, network.dropped_at_router())
    });
    let (known, dropped) = &run.sent;
    let comparison = run.compared();
    let mut faults = told(&comparison, known, "by-datagram");
    let lost = &comparison["path"]["lost"]["fragments"];
    let gone = known.messages - known.whole;
    faults.must_be("lost", lost, gone * FRAGMENTS);
    let described = comparison["path"]["loss"]["described"].as_str();
    let share = described.and_then(|text| text.split("takes all; ").nth(1)?.split(' ').next());
    let share: f64 = share.and_then(|share| share.parse().ok()).unwrap_or(0.0);
    let truth = 100.0 * *dropped as f64 / (known.messages * FRAGMENTS) as f64;
    faults.unless((share - truth).abs() < 0.4, || {
        format!("{share} % told, {truth} % lost: {described:?}")
    });
    faults.unless(finding(&comparison, "C01").is_some(), || {
        "the loss is not told".to_owned()
    });
    faults.end();
}
