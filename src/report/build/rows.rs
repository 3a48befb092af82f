//! Flows and tunnels as rows, sorted by what was asked for.

use super::throughput;
use crate::account::{self, Ledger};
use crate::model::size_class::class_bounds;
use crate::model::{self, Counters, ScopeSet, Timestamp};
use crate::report::document::{
    Closed, Flow, FlowKey, FragmentsPerDatagram, Gaps, IcmpErrors, Mtu, Options, OvnPorts,
    PositionGap, SizeClass, Sort, Time, Tunnel, TunnelKey,
};
use std::cmp::Reverse;

/// Rows for the document, and what they are a part of.
pub(super) struct Rows<T> {
    pub listed: Vec<T>,
    /// How many there are, those left out included.
    pub seen: u64,
    /// Sum over all of them, and over what is beyond the ledger's bound.
    pub totals: Counters,
}

/// The flows, the first in the order asked for on top, and the keys of those listed.
pub(super) fn flows(ledger: &Ledger, options: &Options) -> (Rows<Flow>, Vec<model::FlowKey>) {
    let mut totals = Counters::default();
    let mut rows = Vec::with_capacity(ledger.flows.len());
    for (key, flow) in ledger.flows.iter() {
        let counters = flow.counters();
        totals += counters;
        let missing = throughput::of_flow(flow, &counters).missing_bytes(counters.bytes);
        let weight = weight(options.sort, &counters, missing);
        rows.push((Reverse((weight, counters.bytes)), key, flow));
    }
    if let Some(beyond) = ledger.flows.beyond() {
        totals += beyond.counters();
    }
    let seen = rows.len() as u64;
    let scopes = &ledger.scopes;
    let order = |row: &(_, &model::FlowKey, _)| (row.0, identity(row.1, scopes));
    keep_first(&mut rows, options.top, |a, b| order(a).cmp(&order(b)));
    let keys = rows.iter().map(|(_, key, _)| **key).collect();
    let listed = rows
        .into_iter()
        .map(|(_, key, flow)| flow_row(key, flow, scopes))
        .collect();
    let rows = Rows {
        listed,
        seen,
        totals,
    };
    (rows, keys)
}

/// The tunnels likewise.
pub(super) fn tunnels(ledger: &Ledger, options: &Options) -> Rows<Tunnel> {
    let scopes = &ledger.scopes;
    let mut totals = Counters::default();
    let mut rows = Vec::with_capacity(ledger.tunnels.len());
    for (tag, tunnel) in ledger.tunnels.iter() {
        let counters = tunnel.counters();
        totals += counters;
        if let Some(scope) = scopes.get(*tag)
            && let Some(key) = tunnel_key(scope, scopes)
        {
            let weight = weight(options.sort, &counters, counters.bytes);
            rows.push((
                Reverse((weight, counters.bytes)),
                scope,
                Tunnel { key, counters },
            ));
        }
    }
    if let Some(beyond) = ledger.tunnels.beyond() {
        totals += beyond.counters();
    }
    let seen = rows.len() as u64;
    keep_first(&mut rows, options.top, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    Rows {
        listed: rows.into_iter().map(|(_, _, row)| row).collect(),
        seen,
        totals,
    }
}

/// What a row is sorted by, largest first.
fn weight(sort: Sort, counters: &Counters, missing: u64) -> u64 {
    match sort {
        Sort::Missing => missing,
        Sort::Bytes => counters.bytes,
        Sort::Packets => counters.packets,
        Sort::Fragments => counters.fragments.total,
        Sort::Bad => {
            let sums = &counters.checksums;
            counters.bad_length.total
                + [
                    sums.ipv4, sums.udp, sums.tcp, sums.icmp, sums.sctp, sums.gre,
                ]
                .iter()
                .map(|verdicts| verdicts.bad)
                .sum::<u64>()
        }
    }
}

/// Sorts what is kept; of a million rows only those.
fn keep_first<T>(
    rows: &mut Vec<T>,
    top: Option<u64>,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) {
    let top = top
        .and_then(|top| usize::try_from(top).ok())
        .unwrap_or(usize::MAX);
    if top < rows.len() {
        rows.select_nth_unstable_by(top, &order);
        rows.truncate(top);
    }
    rows.sort_unstable_by(order);
}

/// What puts flows of equal weight into an order.
fn identity<'a>(
    key: &model::FlowKey,
    scopes: &'a ScopeSet,
) -> (
    model::Addresses,
    Option<model::Ports>,
    model::Protocol,
    Option<&'a model::Scope>,
) {
    (
        key.addresses,
        key.ports,
        key.protocol,
        scopes.get(key.scope),
    )
}

fn flow_row(key: &model::FlowKey, flow: &account::Flow, scopes: &ScopeSet) -> Flow {
    let counters = flow.counters();
    let largest = flow.largest_full();
    let was_seen = flow.first <= flow.last;
    let time = |time: Timestamp| was_seen.then_some(Time(time));
    Flow {
        key: flow_key(key, scopes),
        counters,
        throughput: throughput::of_flow(flow, &counters),
        sizes: flow.sizes.iter().map(size_class).collect(),
        datagrams_of_unknown_size: flow.datagrams_of_unknown_size(),
        // RFC 791: all but the last piece are cut to a multiple of 8 bytes, so up
        // to 7 bytes of the MTU stay unused.
        mtu: (largest.count > 0).then(|| Mtu {
            from: largest.ip_bytes,
            to: largest.ip_bytes.saturating_add(7),
        }),
        fragments_per_datagram: flow.fragments_per_datagram().map(|(min, max)| {
            FragmentsPerDatagram {
                min: saturating(min),
                max: saturating(max),
            }
        }),
        largest_datagram_bytes: Some(flow.sizes.largest_bytes()).filter(|bytes| *bytes > 0),
        gaps: gaps(flow),
        packets_lost_in_tunnel: flow.packets_lost_in_tunnel(),
        super_frames: flow.super_frames(),
        closed: flow.closed().map(|closed| match closed {
            account::Closed::Esp => Closed::Esp,
            account::Closed::WireGuard => Closed::Wireguard,
        }),
        ovn: flow.ovn_ports().map(|ports| OvnPorts {
            ingress: ports.ingress,
            egress: ports.egress,
        }),
        icmp_errors: icmp_errors(flow.icmp_errors()),
        first_timestamp: time(flow.first),
        last_timestamp: time(flow.last),
    }
}

fn saturating(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn size_class((class, count): (u8, account::SizeCount)) -> SizeClass {
    let (from, to) = class_bounds(class);
    SizeClass {
        datagram_bytes_from: from,
        datagram_bytes_to: (to != u32::MAX).then_some(to),
        datagrams: count.datagrams,
        delivered: count.delivered,
    }
}

fn gaps(flow: &account::Flow) -> Gaps {
    let gaps = flow.gaps();
    let places = flow.places();
    let both = places.expected.into_iter().zip(places.missing);
    let positions = both.map(|(expected, missing)| PositionGap { expected, missing });
    let has_distances = places.distances.iter().any(|count| *count > 0);
    Gaps {
        datagrams: gaps.datagrams,
        fragments_seen: gaps.fragments_seen,
        fragments_missing: gaps.fragments_missing.saturating_sub(gaps.fragments_late),
        without_first: gaps.without_first,
        without_last: gaps.without_last,
        only_first: gaps.only_first,
        datagrams_unmeasured: gaps.datagrams_unmeasured,
        positions: positions.filter(|_| gaps.datagrams > 0).collect(),
        distances: Vec::from(if has_distances {
            &places.distances[..]
        } else {
            &[]
        }),
        every_nth: places.every_nth(),
    }
}

fn icmp_errors(errors: account::IcmpErrors) -> IcmpErrors {
    IcmpErrors {
        fragmentation_needed: errors.fragmentation_needed,
        packet_too_big: errors.packet_too_big,
        reassembly_time_exceeded: errors.reassembly_time_exceeded,
        lowest_mtu: errors.lowest_mtu,
    }
}

/// A flow's key with its tunnel and VLANs written out.
pub(in crate::report) fn flow_key(key: &model::FlowKey, scopes: &ScopeSet) -> FlowKey {
    let scope = scopes.get(key.scope);
    // The identifier of an ICMP query is of neither end.
    let is_port = |port: &u16| key.protocol.has_ports() || *port != 0;
    FlowKey {
        src: key.addresses.source(),
        dst: key.addresses.destination(),
        src_port: key.ports.map(|ports| ports.source),
        dst_port: key.ports.map(|ports| ports.destination).filter(is_port),
        protocol: key.protocol,
        vlans: scope
            .map(|scope| scope.vlans.ids().to_vec())
            .unwrap_or_default(),
        tunnel: scope.and_then(|scope| tunnel_key(scope, scopes)),
    }
}

/// The innermost tunnel around a scope.
fn tunnel_key(scope: &model::Scope, scopes: &ScopeSet) -> Option<TunnelKey> {
    let around = scopes.get(scope.parent);
    let further_out = || around.and_then(|around| tunnel_key(around, scopes));
    let Some(tunnel) = &scope.tunnel else {
        return further_out();
    };
    Some(TunnelKey {
        kind: tunnel.kind,
        id: tunnel.id,
        src: tunnel.endpoints.source(),
        dst: tunnel.endpoints.destination(),
        dst_port: tunnel.destination_port,
        vlans: around
            .map(|around| around.vlans.ids().to_vec())
            .unwrap_or_default(),
        inside: further_out().map(Box::new),
    })
}
