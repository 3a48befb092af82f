//! The worst flows of the last seconds, if they are asked for.

use super::family::Family;
use super::series::Series;
use crate::report::document::{Flow, FlowKey};
use crate::report::label;
use crate::watch::Snapshot;
use std::cmp::Reverse;

static FLOWS: Family = Family::gauge(
    "window_flows",
    "Flows of the last seconds, those without series of their own included",
);
static OFFERED: Family = Family::gauge(
    "flow_offered_bytes_per_second",
    "Bytes on the wire of one of the worst flows, in the last seconds",
);
static DELIVERABLE: Family = Family::gauge(
    "flow_deliverable_bytes_per_second",
    "Bytes of one of the worst flows that could be delivered, in the last seconds",
);
static MISSING: Family = Family::gauge(
    "flow_missing_bytes_per_second",
    "Bytes of one of the worst flows that could not be delivered and were no copies, in the last seconds",
);
static FRAGMENTS: Family = Family::gauge(
    "flow_fragments_per_second",
    "Fragments of one of the worst flows, in the last seconds",
);
static LOST: Family = Family::gauge(
    "flow_datagrams_lost_per_second",
    "Datagrams of one of the worst flows that were given up, in the last seconds",
);

pub(super) fn gather(snapshot: &Snapshot, most: usize, series: &mut Series) {
    series.count(&FLOWS, [], snapshot.window.flows_total);
    // Before there is any time there is no rate.
    if snapshot.window_seconds > 0.0 {
        for flow in worst(&snapshot.window.flows, most) {
            show(flow, snapshot.window_seconds, series);
        }
    }
}

/// Those of which most bytes are missing, whatever the report is sorted by; of those
/// equally bad the largest.
fn worst(flows: &[Flow], most: usize) -> impl Iterator<Item = &Flow> {
    let mut ranks: Vec<_> = flows
        .iter()
        .enumerate()
        .map(|(index, flow)| (Reverse((missing(flow), flow.counters.bytes)), index))
        .collect();
    if most < ranks.len() {
        ranks.select_nth_unstable(most);
        ranks.truncate(most);
    }
    ranks.into_iter().map(|(_, index)| &flows[index])
}

fn missing(flow: &Flow) -> u64 {
    flow.throughput.missing_bytes(flow.counters.bytes)
}

fn show(flow: &Flow, seconds: f64, series: &mut Series) {
    let datagrams = &flow.counters.datagrams;
    let lost = datagrams.timed_out + datagrams.overlapped + datagrams.oversized + datagrams.evicted;
    let owned = labels(&flow.key);
    let labels = owned.each_ref().map(|(name, text)| (*name, text.as_str()));
    for (family, count) in [
        (&OFFERED, flow.counters.bytes),
        (&DELIVERABLE, flow.throughput.deliverable_bytes),
        (&MISSING, missing(flow)),
        (&FRAGMENTS, flow.counters.fragments.total),
        (&LOST, lost),
    ] {
        series.measure(family, labels, count as f64 / seconds);
    }
}

/// What is not there is empty, which Prometheus takes for a label that is not there.
fn labels(key: &FlowKey) -> [(&'static str, String); 7] {
    let port = |port: Option<u16>| port.map_or_else(String::new, |port| port.to_string());
    let tunnel = key.tunnel.as_ref().map(label::tunnel);
    [
        ("src", key.src.to_string()),
        ("dst", key.dst.to_string()),
        ("src_port", port(key.src_port)),
        ("dst_port", port(key.dst_port)),
        ("protocol", key.protocol.to_string()),
        ("vlans", label::vlans(&key.vlans)),
        ("tunnel", tunnel.unwrap_or_default()),
    ]
}
