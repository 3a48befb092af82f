//! D26, tunnel-mtu-too-large.

use crate::account::{Loss, Sign, Tunnel};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::this_host::{self, Misfit};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, ScopeTag, TunnelKey, TunnelKind, number};
use std::collections::BTreeSet;

pub(super) const CAUSE: Cause = Cause {
    id: "D26",
    name: "tunnel-mtu-too-large",
    title: "Tunnel packets are fragmented outside",
    severity: Severity::Warning,
    meaning: "The inner MTU plus the tunnel's headers is more than the network below carries, so \
              each full inner packet leaves as one full fragment and one small one. That is twice \
              the packets for the same data, and losing the small one loses the packet. Later \
              fragments have no ports, so queues and links may treat the two differently (D29). \
              VXLAN forbids its endpoints to fragment, and lets receivers drop what was.",
    signature: "Outer packets between tunnel endpoints come in pairs of fragments, one full and one \
              small, for large inner packets only.",
    confirms: "Inner packet plus overhead is a little more than the MTU below. Overhead over IPv4: \
              VXLAN 50 bytes, Geneve 50 plus options (OVN 58), GRE 24, IPIP 20, WireGuard 60; over \
              IPv6 20 more each.",
    denies: "The fragments are inside the tunnel: then the inner host or its message size made \
              them.",
    disprove: "Run `ip link set dev eth0 mtu 1400` in one sending pod or VM: if outer fragments \
              stay, something else makes them.",
    fix: &MTU_OF_TUNNELS,
    references: &[
        "RFC 7348 section 4.3",
        "RFC 4459 section 3.1",
        "kubernetes-sigs/cluster-api-provider-azure#1353",
    ],
};

/// How what goes into tunnels is made to fit.
pub(in crate::diagnose) const MTU_OF_TUNNELS: [Fix; 6] = [
    Fix {
        when: "Calico with its operator, MTU 1500 below",
        kind: FixKind::Command,
        command: "kubectl patch installation default --type merge -p '{\"spec\":{\"calicoNetwork\":{\"mtu\":1450}}}'",
    },
    Fix {
        when: "Cilium, given the MTU below (it subtracts the overhead)",
        kind: FixKind::Command,
        command: "helm upgrade cilium cilium/cilium -n kube-system --reuse-values --set MTU=1500",
    },
    Fix {
        when: "Kube-OVN, where it says --mtu (add it with 1400 if it does not)",
        kind: FixKind::Command,
        command: "kubectl -n kube-system edit daemonset kube-ovn-cni",
    },
    Fix {
        when: "OpenStack Neutron",
        kind: FixKind::Command,
        command: "openstack network set --mtu 1450 NETWORK",
    },
    Fix {
        when: "Linux VXLAN",
        kind: FixKind::Command,
        command: "ip link set dev vxlan0 mtu 1450",
    },
    Fix {
        when: "any, if every switch in between is set likewise",
        kind: FixKind::Command,
        command: "ip link set dev eth0 mtu 1600",
    },
];

/// Tunnel packets come in fragments, or full ones of this host would have to.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    fragmented_outside(known).or_else(|| too_large_here(known))
}

fn fragmented_outside(known: &Known<'_>) -> Option<Finding> {
    let fragmented = |tunnel: &Tunnel| tunnel.counters().datagrams.fragmented;
    let tunnels = known
        .tunnels
        .iter()
        .filter(|(_, _, tunnel)| fragmented(tunnel) > 0);
    let (tag, key, tunnel) = tunnels
        .clone()
        .max_by_key(|(tag, _, tunnel)| (fragmented(tunnel), *tag))?;
    let counters = tunnel.counters();
    let all = counters.datagrams.fragmented + counters.datagrams.unfragmented;
    let mut seen = format!(
        "{} of {} of {} {} > {} came in fragments{}.",
        number::count(counters.datagrams.fragmented),
        number::counted(all, "packet"),
        key.kind.name(),
        key.endpoints.source(),
        key.endpoints.destination(),
        never_whole(counters.datagrams.fragmented - counters.datagrams.reassembled),
    );
    if let Some(sizes) = sizes(known, *tag, key, tunnel) {
        seen.push_str(&sizes);
    }
    let device = known.host.device_of(key);
    if let Some(misfit) = device.and_then(|device| known.host.misfit(device)) {
        seen.push_str(&format!(" {}", misfit.sentence()));
    }
    let decided = |tunnel: &Tunnel| tunnel.unattributed_bytes - tunnel.undecided_bytes;
    let unattributed: u64 = tunnels.clone().map(|(_, _, tunnel)| decided(tunnel)).sum();
    let tags: BTreeSet<ScopeTag> = tunnels.clone().map(|(tag, ..)| *tag).collect();
    let flows = known
        .given
        .ledger
        .flows
        .iter()
        .filter(|(key, _)| tags.contains(&key.scope));
    let lost: Vec<_> = flows
        .map(|(key, flow)| (flow.losses().of(Loss::InTunnel).bytes, *key))
        .collect();
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .missing(unattributed + lost.iter().map(|(bytes, _)| bytes).sum::<u64>())
            .shown_by(
                known.exhibits().of_sign(Sign::OuterFragments),
                "a tunnel packet in fragments",
            )
            .in_these(lost),
    )
}

/// The MTU of an overlay of this host is more than the network below carries. That matters
/// where it is in use.
fn too_large_here(known: &Known<'_>) -> Option<Finding> {
    let misfits = known.host.misfits();
    let is_used = |misfit: &&Misfit<'_>| {
        let mut tunnels = known.tunnels.iter();
        tunnels.any(|(_, key, _)| {
            let device = known.host.device_of(key);
            device.is_some_and(|device| device.index == misfit.overlay.index)
        })
    };
    let used: Vec<_> = misfits.iter().filter(is_used).collect();
    let (shown, severity) = if used.is_empty() {
        (misfits.iter().collect(), Severity::Info)
    } else {
        (used, CAUSE.severity)
    };
    let first = shown.first()?;
    let consequence = if severity == Severity::Info {
        "None of its packets are in the capture.".to_owned()
    } else {
        format!(
            "Packets of more than {} bytes have to be cut up outside, or do not get through.",
            number::count(first.fitting().into()),
        )
    };
    let mut seen = format!("{} {consequence}", first.sentence());
    let others: Vec<_> = shown
        .iter()
        .skip(1)
        .map(|of| this_host::name(of.overlay))
        .collect();
    if !others.is_empty() {
        let named = others.get(..MOST_NAMES).unwrap_or(&others).join(", ");
        let unnamed = others.len().saturating_sub(MOST_NAMES);
        let more = if unnamed > 0 {
            format!(" and {unnamed} more")
        } else {
            String::new()
        };
        seen.push_str(&format!(" The same is wrong with {named}{more}."));
    }
    Some(Finding::new(&CAUSE, confidence::LIKELY, seen).graded(severity))
}

/// Overlays that are named beside the first.
const MOST_NAMES: usize = 5;

/// What the inner packets need, and what the network below carries.
fn sizes(known: &Known<'_>, tag: ScopeTag, key: &TunnelKey, tunnel: &Tunnel) -> Option<String> {
    let full = tunnel.largest_full().ip_bytes;
    let inside = known
        .given
        .ledger
        .flows
        .iter()
        .filter(|(key, _)| key.scope == tag);
    let inner = inside
        .map(|(_, flow)| {
            flow.largest_unfragmented_bytes
                .max(flow.largest_full().ip_bytes)
        })
        .max()?;
    let overhead = overhead(key)?;
    (full > 0 && inner + overhead > full + 7).then(|| {
        format!(
            " Inner packets of up to {} bytes and {overhead} bytes of headers need an MTU of at least {}; the \
             network below cuts at {}.",
            number::count(inner.into()),
            number::count((inner + overhead).into()),
            number::range(full, full + 7),
        )
    })
}

/// Bytes of headers that a tunnel puts in front of an inner packet; options and VLAN tags
/// left out.
fn overhead(key: &TunnelKey) -> Option<u32> {
    let outer = match key.endpoints.version {
        IpVersion::V4 => 20,
        IpVersion::V6 => 40,
    };
    let headers = match key.kind {
        TunnelKind::Vxlan | TunnelKind::Geneve => 8 + 8 + 14,
        TunnelKind::VxlanGpe => return None,
        TunnelKind::Gre => 4,
        TunnelKind::Gretap => 4 + 14,
        TunnelKind::Nvgre => 8 + 14,
        TunnelKind::Erspan => return None,
        TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Ip6tnl => 0,
    };
    Some(outer + headers)
}

fn never_whole(packets: u64) -> String {
    match packets {
        0 => String::new(),
        some => format!(", {} of them never whole", number::count(some)),
    }
}
