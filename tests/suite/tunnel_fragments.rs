//! What becomes of fragmented tunnel packets is what becomes of the flows in them.

use crate::capture_files::{Pcap, plain_bytes};
use crate::support::{Setup, at, count, pcap, value};
use serde_json::Value;

/// 20 VXLAN packets, each in two outer fragments.
fn outer_fragments() -> Pcap {
    Pcap::parse(&plain_bytes(&pcap("vxlan-outer-fragments.pcap.zst"))).unwrap()
}

fn report(capture: &[u8]) -> Value {
    value(&Setup::default().bytes(capture))
}

#[test]
fn a_lost_tunnel_packet_is_offered_by_the_flow_inside() {
    let mut capture = outer_fragments();
    let mut number = 0;
    // Every second packet loses its second fragment.
    capture.records_mut().retain(|_| {
        number += 1;
        number % 4 != 0
    });
    let report = report(&capture.to_bytes());
    assert_eq!(count(&report, "flows.#"), 1);
    assert_eq!(count(&report, "flows.0.packets_lost_in_tunnel"), 10);
    assert_eq!(
        count(&report, "flows.0.counters.datagrams.unfragmented"),
        10
    );
    assert_eq!(
        count(&report, "flows.0.throughput.deliverable_datagrams"),
        10
    );
    assert_eq!(count(&report, "flows.0.sizes.0.datagrams"), 20);
    assert_eq!(count(&report, "flows.0.sizes.0.delivered"), 10);
    assert_eq!(
        count(&report, "flows.0.counters.bytes"),
        count(&report, "capture.bytes")
    );
    let rate = |path| at(&report, path).unwrap().as_f64().unwrap();
    let delivered = rate("throughput.deliverable_bits_per_second");
    assert!(delivered < 0.7 * rate("throughput.bits_per_second"));
}

#[test]
fn a_tunnel_packet_that_the_snaplen_cut_still_names_the_flow() {
    let report = report(&outer_fragments().cut(128, |_| true));
    assert_eq!(count(&report, "flows.#"), 1);
    assert_eq!(at(&report, "flows.0.key.dst_port").unwrap(), 5001);
    assert_eq!(count(&report, "flows.0.counters.packets"), 20);
    assert_eq!(count(&report, "totals.checksums.udp.unverifiable"), 20);
    assert_eq!(count(&report, "totals.checksums.udp.bad"), 0);
    assert_eq!(count(&report, "totals.datagrams.reassembled"), 20);
}

/// A file that was reserved and not written to its end.
#[test]
fn zeros_behind_the_records_are_damage_and_no_frames() {
    let mut bytes = outer_fragments().to_bytes();
    let end = bytes.len();
    bytes.resize(end + 4096, 0);
    let report = report(&bytes);
    assert_eq!(count(&report, "capture.frames"), 40);
    let problem = at(&report, "capture.files.0.problems.0.message").unwrap();
    let problem = problem.as_str().unwrap();
    assert!(problem.contains(&format!("offset {end} ")), "{problem}");
}
