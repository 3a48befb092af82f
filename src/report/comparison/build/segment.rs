//! What became of packets between two points, as a row.

use super::{is_named, loss};
use crate::compare::{
    self, Between, DamageLook, DelayFigures, Delays, FlowFacts, Outcome, VERDICT_NAMES,
};
use crate::diagnose::path::pattern::{FlowLoss, Lossy};
use crate::diagnose::path::{Sums, ends_of};
use crate::model::{FlowKey, TunnelKind};
use crate::report::build::rows::flow_key;
use crate::report::comparison::document::{
    Changes, ChecksumChange, Count, Damage, DamageKind, DamagePlace, Delay, DscpChange,
    HopLimitChange, InFragments, Layout, Left, NatMapping, OneSided, Segment,
};

/// Most mappings that are listed.
const MAX_NAT: usize = 16;
const NANOS: f64 = 1e9;

/// What became of all flows between a pair of points.
pub(super) fn of_all(outcome: &Outcome, sums: &Sums, pair: usize) -> Segment {
    let (series, delays) = &outcome.series[pair];
    let between = &sums.pairs[pair];
    let mut segment = of(outcome, between, (pair, false), delays.as_ref());
    segment.loss = loss::of(&Lossy {
        between,
        series: Some(series),
        flows: FlowLoss::of_all(outcome, pair, None),
    });
    let flows = outcome.flows.iter().filter(|flow| !flow.account.is_carrier);
    for flow in flows {
        add_changes(outcome, flow, pair, &mut segment.changes);
    }
    segment
}

/// What became of all that goes one way, between each pair.
pub(super) fn of_one_way(outcome: &Outcome, ways: &[Between], is_backward: bool) -> Vec<Segment> {
    let pairs = ways.iter().enumerate().map(|(pair, between)| {
        let delays = between.delays.as_deref();
        let mut segment = of(outcome, between, (pair, is_backward), delays);
        segment.loss = loss::of(&Lossy {
            between,
            series: Some(&outcome.series[pair].0.one_way(is_backward)),
            flows: FlowLoss::of_all(outcome, pair, Some(is_backward)),
        });
        let flows = outcome.flows.iter();
        let those =
            flows.filter(|flow| !flow.account.is_carrier && flow.is_backward == is_backward);
        those.for_each(|flow| add_changes(outcome, flow, pair, &mut segment.changes));
        segment
    });
    pairs.collect()
}

/// What became of one flow between a pair of points.
pub(super) fn of_flow(outcome: &Outcome, flow: &FlowFacts, pair: usize) -> Segment {
    let between = flow.between(pair);
    let delays = between.delays.as_deref();
    let mut segment = of(outcome, &between, (pair, flow.is_backward), delays);
    segment.loss = loss::of(&Lossy::of_flow(&between));
    add_changes(outcome, flow, pair, &mut segment.changes);
    segment
}

/// Between a pair of points, from the second to the first if that is how it went.
fn of(
    outcome: &Outcome,
    between: &Between,
    (pair, is_backward): (usize, bool),
    delays: Option<&Delays>,
) -> Segment {
    let (from, to) = along(outcome, pair, is_backward);
    let appeared = between.appeared().packets;
    Segment {
        from: from as u32,
        to: to as u32,
        sent: count(&between.front),
        arrived: count(&between.front_passed),
        lost: count(&between.lost()),
        duplicated: between.more_copies[1],
        duplicates_removed: between.more_copies[0],
        reordered: between.reordered[0],
        appeared,
        corrupted: between.corrupted,
        damage: between
            .damaged
            .iter()
            .map(|pair| damage(outcome, pair))
            .collect(),
        damage_at: outcome.damage_in_common(between).map(|place| DamagePlace {
            first_offset: place.start,
            last_offset: place.end.saturating_sub(1),
        }),
        spoiled_datagrams: between.spoiled,
        partly_compared: between.partly_compared,
        changes: changes(between),
        loss: None,
        delay: delays.and_then(Delays::figures).as_ref().map(delay),
        layout: Layout {
            fragmented: between.fragmented,
            reassembled: between.reassembled,
            refragmented: between.refragmented,
            largest_fragment_bytes: Some(between.largest_fragment[1]).filter(|bytes| *bytes > 0),
            segmented: between.segmented,
            coalesced: between.coalesced,
        },
        in_fragments: InFragments {
            whole: left(&between.in_fragments[0].whole),
            incomplete: left(&between.in_fragments[0].incomplete),
        },
        outside: between.outside[0] + between.outside[1],
        one_sided: one_sided(outcome, between, pair),
    }
}

/// What one end alone shows of other hosts.
fn one_sided(outcome: &Outcome, between: &Between, pair: usize) -> Vec<OneSided> {
    let (front, back) = ends_of(outcome.points.len(), pair);
    let seen = [front, back].into_iter().zip(&between.one_sided);
    let seen = seen.filter(|(_, seen)| seen.flows > 0);
    seen.map(|(point, seen)| OneSided {
        point: point as u32,
        flows: seen.flows,
        packets: seen.count.packets,
        bytes: seen.count.bytes,
        both_ways: seen.both_ways,
        remade: seen.remade,
    })
    .collect()
}

/// Where something enters what is between a pair of points, and where it leaves.
fn along(outcome: &Outcome, pair: usize, is_backward: bool) -> (usize, usize) {
    let (front, back) = ends_of(outcome.points.len(), pair);
    match is_backward {
        true => (back, front),
        false => (front, back),
    }
}

fn left(left: &compare::Left) -> Left {
    Left {
        all: left.all,
        some: left.some,
        none: left.none.datagrams,
    }
}

fn count(count: &compare::Count) -> Count {
    Count {
        datagrams: count.datagrams,
        packets: count.packets,
        fragments: count.fragments,
        bytes: count.bytes,
    }
}

/// How the bytes of one packet differ, as they went.
fn damage(outcome: &Outcome, pair: &compare::Pair) -> Damage {
    let examined = outcome.damage(pair);
    let sides = examined.map(|(damage, is_backward)| match is_backward {
        false => (damage, &damage.front, &damage.back, damage.look(false)),
        true => (damage, &damage.back, &damage.front, damage.look(true)),
    });
    Damage {
        from_frame: pair.front.frame,
        to_frame: pair.back.frame,
        bytes_differing: sides.map(|(damage, ..)| damage.bytes),
        bits_differing: sides.map(|(damage, ..)| damage.bits),
        first_offset: sides.map(|(damage, ..)| damage.first),
        was: sides.map_or_else(String::new, |(_, was, ..)| hex(was)),
        is: sides.map_or_else(String::new, |(_, _, is, _)| hex(is)),
        kind: sides.map_or(DamageKind::Unknown, |(.., look)| kind(look)),
    }
}

fn kind(look: DamageLook) -> DamageKind {
    match look {
        DamageLook::Bits => DamageKind::Bits,
        DamageLook::Filled => DamageKind::Filled,
        DamageLook::Patterned => DamageKind::Patterned,
        DamageLook::Shifted => DamageKind::Shifted,
        DamageLook::Resized => DamageKind::Resized,
        DamageLook::Translated => DamageKind::Translated,
        DamageLook::SamePlace => DamageKind::SamePlace,
        DamageLook::Replaced => DamageKind::Replaced,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn delay(figures: &DelayFigures) -> Delay {
    Delay {
        packets: figures.packets,
        min_seconds: figures.min as f64 / NANOS,
        median_seconds: figures.median as f64 / NANOS,
        p99_seconds: figures.p99 as f64 / NANOS,
        max_seconds: figures.max as f64 / NANOS,
    }
}

fn changes(between: &Between) -> Changes {
    let hop_limits = between.hop_limits.sorted().into_iter();
    let hop_limits = hop_limits.map(|(by, packets)| HopLimitChange { by, packets });
    let hop_limits: Vec<HopLimitChange> = hop_limits.collect();
    let dscps = between.dscps.sorted().into_iter();
    let dscps = dscps.map(|((from, to), packets)| DscpChange { from, to, packets });
    let dscps: Vec<DscpChange> = dscps.collect();
    Changes {
        hop_limit: between.hop_limits.packets(),
        hop_limit_by: hop_limits.first().map(|most| most.by),
        hop_limits,
        dscp: between.dscps.packets(),
        dscp_from_to: dscps.first().map(|most| (most.from, most.to)),
        dscps,
        congestion_marked: between.congestion_marked[0],
        checksums: checksums(between),
        ..Changes::default()
    }
}

/// Verdicts that changed; what one side could not verify is no change.
fn checksums(between: &Between) -> Vec<ChecksumChange> {
    let is_known = |verdict: &usize| !["none", "unverifiable"].contains(&VERDICT_NAMES[*verdict]);
    let mut changes = Vec::new();
    for from in (0..VERDICT_NAMES.len()).filter(is_known) {
        for to in (0..VERDICT_NAMES.len()).filter(is_known) {
            let packets = between.checksums[from][to];
            if from != to && packets > 0 {
                changes.push(ChecksumChange {
                    from: VERDICT_NAMES[from],
                    to: VERDICT_NAMES[to],
                    packets,
                });
            }
        }
    }
    changes.sort_by_key(|change| std::cmp::Reverse(change.packets));
    changes
}

/// What the keys of a flow on both sides say of NAT and tunnels.
fn add_changes(outcome: &Outcome, flow: &FlowFacts, pair: usize, changes: &mut Changes) {
    if !is_named(flow) {
        return;
    }
    let (from, to) = along(outcome, pair, flow.is_backward);
    let (Some(entered), Some(left)) = (&flow.keys[from], &flow.keys[to]) else {
        return;
    };
    let packets = flow.between(pair).front_passed.packets;
    let tunnels = [entered, left].map(|key| tunnel(outcome, key));
    match tunnels {
        [None, Some(_)] => changes.tunnel_added += packets,
        [Some(_), None] => changes.tunnel_removed += packets,
        [Some(one), Some(other)] if one != other => changes.tunnel_changed += packets,
        _ => {}
    }
    let Some(kind) = translated(entered, left) else {
        return;
    };
    // Fragments are translated with the flow they are of.
    if entered.ports.is_none() && entered.protocol == crate::model::Protocol::UDP {
        return;
    }
    changes.nat_flows += 1;
    if changes.nat.len() < MAX_NAT {
        changes.nat.push(NatMapping {
            from: flow_key(entered, &outcome.scopes),
            to: flow_key(left, &outcome.scopes),
            kind,
        });
    }
}

/// The innermost tunnel around a flow.
pub(super) fn tunnel(outcome: &Outcome, key: &FlowKey) -> Option<(TunnelKind, Option<u32>)> {
    outcome.scopes.innermost_tunnel(key.scope)
}

/// Which ends of a flow are others than they were. The identifier of an echo is of neither.
fn translated(entered: &FlowKey, left: &FlowKey) -> Option<&'static str> {
    let end = |key: &FlowKey| {
        let ports = key.ports.filter(|_| key.protocol.has_ports());
        let ports = ports.unwrap_or_default();
        [
            (key.addresses.source, ports.source),
            (key.addresses.destination, ports.destination),
        ]
    };
    let ([source, destination], [new_source, new_destination]) = (end(entered), end(left));
    match (source == new_source, destination == new_destination) {
        (true, true) => None,
        (false, true) => Some("source"),
        (true, false) => Some("destination"),
        (false, false) => Some("both"),
    }
}
