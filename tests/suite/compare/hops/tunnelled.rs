//! A VXLAN tunnel captured inside and outside, at both of its ends.

use super::super::{Faults, finding};
use super::{SENDER, captured_whole, frames, send};
use crate::kernel::capture::{AT_RECEIVER, Place};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, TENANT};
use crate::support::count;
use serde_json::Value;

/// Into the tunnel, on the wire, from the wire, out of the tunnel.
const PLACES: [Place; 4] = [
    Place {
        host: Host::Sender,
        device: "va",
    },
    SENDER,
    AT_RECEIVER,
    Place {
        host: Host::Tenant,
        device: "vc",
    },
];

fn through_tunnel(mtu: u32) -> Value {
    let network = || {
        let network = Network::new();
        network.add_tunnel_of(mtu);
        network
    };
    let run = captured_whole(&PLACES, network, |network| {
        let _datagrams = start_taking(network, Host::Tenant, &["receive"]);
        send(network, &["flood", TENANT, "1000", "4", "0.4"]);
        send(network, &["flood", TENANT, "8000", "20", "0.6"])
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    let inside = frames(&comparison, 0);
    faults.unless(inside > 1_000, || format!("{inside} packets sent"));
    faults.must_be("came out", &frames(&comparison, 3).into(), inside);
    for (index, added, removed) in [(0, inside, 0), (1, 0, 0), (2, 0, inside)] {
        let segment = &comparison["segments"][index];
        let what = format!("segment {index}");
        faults.must_be(&what, &segment["changes"]["tunnel_added"], added);
        faults.must_be(&what, &segment["changes"]["tunnel_removed"], removed);
        faults.must_be(&what, &segment["changes"]["tunnel_changed"], 0);
        faults.must_be(&what, &segment["sent"]["packets"], inside);
        for number in ["appeared", "outside", "duplicated", "corrupted"] {
            faults.must_be(&what, &segment[number], 0);
        }
        faults.must_be(&what, &segment["lost"]["packets"], 0);
    }
    for (point, kind) in [
        (0, Value::Null),
        (1, "vxlan".into()),
        (2, "vxlan".into()),
        (3, Value::Null),
    ] {
        let of = &comparison["points"][point];
        faults.must_be("tunnel", &of["tunnels"][0]["kind"], kind);
        faults.must_be("matched", &of["matched"], inside);
    }
    faults.end();
    comparison
}

#[test]
fn what_goes_into_a_tunnel_is_found_on_the_wire_and_behind_it() {
    let comparison = through_tunnel(1_400);
    assert_eq!(frames(&comparison, 1), frames(&comparison, 0));
    assert_eq!(finding(&comparison, "C16"), None);
}

/// On the node it is plain at one interface, and in the tunnel at another.
#[test]
fn a_node_captured_on_all_its_interfaces_is_one_point() {
    let network = || {
        let network = Network::new();
        network.add_tunnel_of(1_400);
        network
    };
    let everywhere = |host: Host| Place {
        host,
        device: "any",
    };
    let places = [PLACES[0], everywhere(Host::Sender), AT_RECEIVER, PLACES[3]];
    let run = captured_whole(&places, network, |network| {
        let _datagrams = start_taking(network, Host::Tenant, &["receive"]);
        send(network, &["flood", TENANT, "8000", "20", "0.6"])
    });
    let comparison = run.compared();
    let mut faults = Faults::new();
    let sent = frames(&comparison, 0);
    for hop in 0..3 {
        let segment = &comparison["segments"][hop];
        faults.must_be("sent", &segment["sent"]["packets"], sent);
        for number in ["appeared", "outside", "duplicated", "duplicates_removed"] {
            faults.must_be(number, &segment[number], 0);
        }
        faults.must_be("lost", &segment["lost"]["packets"], 0);
    }
    for point in 0..4 {
        let of = &comparison["points"][point];
        faults.must_be("matched", &of["matched"], sent);
        let again = if point == 1 { sent } else { 0 };
        faults.must_be("again", &of["seen_again"], again);
    }
    faults.end();
}

/// On the wire the tunnel itself is in fragments.
#[test]
fn so_it_is_where_the_tunnel_is_too_wide_for_the_wire() {
    let comparison = through_tunnel(1_500);
    assert!(frames(&comparison, 1) > frames(&comparison, 0) * 3 / 2);
    let carriers = comparison["carriers"].as_array().unwrap();
    let fragments: u64 = carriers
        .iter()
        .map(|carrier| count(&carrier["segments"][1], "sent.fragments"))
        .sum();
    assert!(fragments > 0, "{carriers:?}");
    let told = finding(&comparison, "C16").expect("it is told");
    assert_eq!(
        (&told["point"], &told["severity"]),
        (&1.into(), &"warning".into())
    );
}
