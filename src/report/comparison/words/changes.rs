//! What was changed on purpose between two points.

use super::{Fact, listed};
use crate::model::number;
use crate::report::comparison::document::{
    Changes, ChecksumChange, DscpChange, Layout, NatMapping, Segment,
};
use crate::report::label;

/// Everything that was changed, a line each.
pub(in crate::report::comparison) fn changes(segment: &Segment) -> Vec<Fact> {
    let changes = &segment.changes;
    let facts = [
        hop_limit(changes),
        dscp(changes),
        congestion(changes),
        tunnel(changes),
        nat(changes),
        checksums(changes),
        layout(&segment.layout),
    ];
    facts.into_iter().flatten().collect()
}

fn hop_limit(changes: &Changes) -> Option<Fact> {
    let kinds = changes.hop_limits.iter();
    let kinds = kinds.map(|change| (format!("{:+}", change.by), change.packets));
    Some(Fact::plain("TTL", each(kinds, changes.hop_limit)?))
}

fn dscp(changes: &Changes) -> Option<Fact> {
    let kinds = changes.dscps.iter();
    let kinds = kinds.map(|change| {
        let DscpChange { from, to, packets } = change;
        (format!("{from} became {to}"), *packets)
    });
    Some(Fact::plain("DSCP", each(kinds, changes.dscp)?))
}

/// Changes that are named, at most.
const NAMED: usize = 3;

/// `-1 in 4,808 packets, -14 in 949`, the most frequent first; `None` without any.
fn each(kinds: impl Iterator<Item = (String, u64)>, all: u64) -> Option<String> {
    let mut told = Vec::new();
    let mut left = all;
    for (what, packets) in kinds.take(NAMED) {
        left = left.saturating_sub(packets);
        told.push(match told.is_empty() {
            true => format!("{what} in {}", number::counted(packets, "packet")),
            false => format!("{what} in {}", number::count(packets)),
        });
    }
    if left > 0 {
        told.push(format!("otherwise in {}", number::count(left)));
    }
    (!told.is_empty()).then(|| told.join(", "))
}

fn congestion(changes: &Changes) -> Option<Fact> {
    let packets = number::counted(changes.congestion_marked, "packet");
    let text = format!("{packets} marked as having met congestion (CE)");
    (changes.congestion_marked > 0).then(|| Fact::doubt("ECN", text))
}

fn tunnel(changes: &Changes) -> Option<Fact> {
    let counts = [
        (changes.tunnel_added, "put into one"),
        (changes.tunnel_removed, "taken out of one"),
        (changes.tunnel_changed, "put into another"),
    ];
    let text = listed_counts(&counts, "packet")?;
    Some(Fact::plain("tunnel", text))
}

fn nat(changes: &Changes) -> Option<Fact> {
    if changes.nat_flows == 0 {
        return None;
    }
    let flows = number::counted(changes.nat_flows, "flow");
    let first = changes.nat.first();
    let first = first.map_or_else(String::new, |mapping| format!(": {}", translated(mapping)));
    Some(Fact::plain("NAT", format!("{flows}{first}")))
}

/// `source, 10.0.0.1:4000 > … became 192.0.2.1:61000 > …`.
fn translated(mapping: &NatMapping) -> String {
    let bare = |key: &crate::report::document::FlowKey| {
        let mut key = key.clone();
        key.tunnel = None;
        label::flow(&key)
    };
    let kind = crate::report::escape::line(mapping.kind);
    format!(
        "{kind}, {} became {}",
        bare(&mapping.from),
        bare(&mapping.to)
    )
}

fn checksums(changes: &Changes) -> Option<Fact> {
    let changed = changes.checksums.iter().map(verdict);
    let changed: Vec<String> = changed.collect();
    let is_bad = |change: &ChecksumChange| change.to == "bad";
    match changed.as_slice() {
        [] => None,
        changed if changes.checksums.iter().any(is_bad) => {
            Some(Fact::fault("checksums", changed.join("; ")))
        }
        changed => Some(Fact::plain("checksums", changed.join("; "))),
    }
}

fn verdict(change: &ChecksumChange) -> String {
    let packets = number::counted(change.packets, "packet");
    format!(
        "{} became {} in {packets}",
        named(change.from),
        named(change.to)
    )
}

/// A verdict as people say it.
fn named(verdict: &str) -> &str {
    match verdict {
        "offloaded" => "left to the NIC",
        "absent" => "not used",
        verdict => verdict,
    }
}

fn layout(layout: &Layout) -> Option<Fact> {
    let datagrams = [
        (layout.fragmented, "cut into fragments"),
        (layout.refragmented, "cut anew"),
        (layout.reassembled, "put together"),
    ];
    let frames = [
        (layout.segmented, "cut up (TSO, GSO)"),
        (layout.coalesced, "joined from several (GRO, LRO)"),
    ];
    let mut parts = Vec::new();
    if let Some(mut text) = listed_counts(&datagrams, "datagram") {
        let largest = layout.largest_fragment_bytes;
        let largest = largest.map(|bytes| number::counted(bytes.into(), "byte"));
        let largest = largest.map(|bytes| format!(", fragments of at most {bytes}"));
        text.push_str(&largest.unwrap_or_default());
        parts.push(text);
    }
    parts.extend(listed_counts(&frames, "frame"));
    (!parts.is_empty()).then(|| Fact::plain("sizes", parts.join("; ")))
}

/// `3 packets put into one, 4 taken out of one`; `None` if all are 0.
fn listed_counts(counts: &[(u64, &str)], noun: &str) -> Option<String> {
    let present = counts.iter().filter(|(count, _)| *count > 0);
    let named = present
        .enumerate()
        .map(|(index, (count, what))| match index {
            0 => format!("{} {what}", number::counted(*count, noun)),
            _ => format!("{} {what}", number::count(*count)),
        });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| listed(&named))
}
