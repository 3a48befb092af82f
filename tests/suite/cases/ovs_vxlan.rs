//! OVS with VXLAN on UDP port 5799, loaded with packets as small as they get.

use super::stream::{Around, Stream};
use super::told::{Beside, Told};
use crate::support::{fraglens, none};

const PORTS: [u16; 3] = [5799, 4789, 20_001];

fn flood(port: u16) -> Stream {
    Stream {
        around: Around::Vxlan { port, vni: 42 },
        message_bytes: 1,
        messages: 60_000,
        messages_per_second: 300_000.0,
        ..Stream::NETPERF
    }
}

#[test]
fn vxlan_is_known_on_any_port() {
    let mut faults = Vec::new();
    for port in PORTS {
        let stream = Stream {
            messages: 50,
            message_bytes: 1400,
            ..flood(port)
        };
        let told = Told::of_bytes(
            format!("port {port}"),
            &stream.captured().0,
            Beside::default(),
        )
        .finds_no_fault()
        .says(&[
            "10.16.0.8:40000 > 10.16.0.9:5001 udp, in vxlan 42",
            &format!("vxlan 42 192.0.2.1 > 192.0.2.2:{port}"),
        ])
        .holds(&[
            ("flows.0.key.tunnel.id", 42),
            ("flows.0.key.tunnel.dst_port", port),
            ("flows.0.counters.datagrams.unfragmented", 50),
            ("flows.#", 1),
        ])
        .holds(&[("flows.0.key.tunnel.kind", "vxlan")]);
        faults.extend(told.into_faults());
    }
    none(&faults);
}

/// 1 byte in a datagram, 300,000 datagrams a second: next to no bits.
#[test]
fn packets_are_shown_beside_bits() {
    Told::of_bytes(
        "1-byte messages",
        &flood(5799).captured().0,
        Beside::default(),
    )
    .finds_no_fault()
    .finds(&[("P01", "info", 0.0)])
    .says(&[
        "300,005 packets/s of 93 bytes on average are 223 Mbit/s",
        "offered 223 Mbit/s, 300,005 packets/s, 300,005 datagrams/s",
        "fraglens explain P01",
    ])
    .ranges(&[
        (
            "flows.0.throughput.packets_per_second",
            299_000.0..=301_000.0,
        ),
        (
            "flows.0.throughput.datagrams_per_second",
            299_000.0..=301_000.0,
        ),
        ("flows.0.throughput.bits_per_second", 222e6..=225e6),
    ])
    .end();
}

/// Large packets at the same rate are no such load.
#[test]
fn large_packets_are_not_called_small() {
    let stream = Stream {
        message_bytes: 1_400,
        ..flood(5799)
    };
    Told::of_bytes(
        "1,400-byte messages",
        &stream.captured().0,
        Beside::default(),
    )
    .finds_no_fault()
    .never_finds(&["P01"])
    .end();
}

/// What spreads the load parts fragments: said where it is advised, and on its own page.
#[test]
fn hashing_on_ports_is_advised_with_a_warning() {
    let told = Told::of_bytes(
        "1-byte messages",
        &flood(5799).captured().0,
        Beside::default(),
    );
    let fixes = &told.json["findings"][0]["fix"];
    let fixes = fixes.as_array().expect("fixes are listed");
    let hashing = fixes.iter().find(|fix| {
        let command = fix["command"].as_str().unwrap_or_default();
        command.contains("rx-flow-hash udp4 sdfn")
    });
    let when = hashing.expect("it is advised")["when"]
        .as_str()
        .unwrap_or_default();
    assert!(
        when.contains("it parts fragments from their head, see D29"),
        "{when}"
    );

    for (id, warning) in [
        ("P01", "it parts fragments from their head, see D29"),
        ("D29", "rx-flow-hash"),
    ] {
        let output = fraglens()
            .args(["explain", id])
            .output()
            .expect("fraglens starts");
        let page = String::from_utf8_lossy(&output.stdout).into_owned();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(warning), "{id}: {page}");
    }
}
