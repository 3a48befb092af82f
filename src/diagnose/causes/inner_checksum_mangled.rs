//! D17, inner-checksum-mangled.

use crate::account::{Flow, HopLimits, Loss, Sign, Tunnel};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::known::checksums;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, Protocol, Verdict, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D17",
    name: "inner-checksum-mangled",
    title: "A NIC spoils checksums inside tunnels",
    severity: Severity::Error,
    meaning: "The sender's kernel left the inner checksum to the NIC, and the NIC, or the \
              hypervisor behind a virtual one, did not fill it in for a packet inside VXLAN or \
              Geneve. ICMP works, because it is not offloaded, and TCP and UDP across nodes fail. \
              vmxnet3 on ESXi is the known case, and there the UDP port matters, because the \
              hypervisor knows tunnels by it.",
    signature: "Incoming packets with a good outer header whose inner TCP or UDP checksum is wrong \
              or the bare pseudo-header sum. On a received packet that cannot be an artefact. They \
              may also vanish on the way.",
    confirms: "`nstat -az TcpInCsumErrors UdpInCsumErrors` grows in the receiving pod's namespace, \
              and stops with the sender's offload off.",
    denies: "The checksums are good on the receiving node's physical NIC.",
    disprove: "Run `ethtool -K eth0 tx-checksum-ip-generic off` on the sending node: if nothing \
              changes, it is not this.",
    fix: &[
        Fix {
            when: "any, the sending node's physical NIC",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx-udp_tnl-segmentation off tx-udp_tnl-csum-segmentation off",
        },
        Fix {
            when: "any, if that is not enough",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx-checksum-ip-generic off",
        },
        Fix {
            when: "Calico on ESXi without NSX",
            kind: FixKind::Command,
            command: "kubectl patch felixconfiguration default --type merge -p '{\"spec\":{\"vxlanPort\":8472}}'",
        },
        Fix {
            when: "Kube-OVN (Geneve)",
            kind: FixKind::Command,
            command: "ethtool -K genev_sys_6081 tx off",
        },
    ],
    references: &[
        "projectcalico/calico#4727",
        "projectcalico/calico#7040",
        "projectcalico/calico#9433",
        "rancher/rke2#6307",
        "cilium/cilium#21801",
        "kubeovn/kube-ovn#3045",
    ],
};

/// Inside a tunnel checksums are wrong or unfinished on packets that came from elsewhere.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows: Vec<(u64, FlowKey)> = known
        .odd
        .iter()
        .filter(|(key, flow)| is_of(known, key, flow))
        .map(|(key, flow)| (spoiled(flow), **key))
        .collect();
    let packets: u64 = flows.iter().map(|(packets, _)| packets).sum();
    let key = flows
        .iter()
        .max_by_key(|(packets, key)| (*packets, *key))
        .map(|(_, key)| key)?;
    let (tunnel, _) = known.tunnel_around(key)?;
    let lost = |key: &FlowKey| {
        let flow = known.given.ledger.flows.get(key);
        flow.map_or(0, |flow| flow.losses().of(Loss::Checksum).bytes)
    };
    let missing = flows.iter().map(|(_, key)| lost(key)).sum();
    let mut seen = format!(
        "{} inside {} {} > {} came with a checksum that is wrong or was never finished, and these \
         flows have no right one. The tunnel's own headers are right.",
        number::counted(packets, "packet"),
        tunnel.kind.name(),
        tunnel.endpoints.source(),
        tunnel.endpoints.destination(),
    );
    let refused = known.refused_here(flows.iter().map(|(_, key)| key));
    let sureness = if refused.is_some() {
        confidence::LIKELY
    } else {
        confidence::FITS
    };
    if let Some(refused) = refused {
        seen.push_str(&format!(" {refused}"));
    }
    let finding = Finding::new(&CAUSE, sureness, seen).missing(missing);
    let exhibits = known.exhibits();
    let finding = if missing > 0 {
        finding.shown_by(
            exhibits.of_loss(Loss::Checksum),
            "wrong checksum inside the tunnel",
        )
    } else {
        finding.shown_by(exhibits.of_sign(Sign::Offloaded), "checksum never finished")
    };
    Some(finding.in_these(flows))
}

/// Packets it takes to speak of all.
const FEWEST: u64 = 3;

fn spoiled(flow: &Flow) -> u64 {
    checksums(flow, Verdict::Bad) + checksums(flow, Verdict::Offloaded)
}

/// Whether the checksums of a flow are spoiled so: inside a tunnel, all of them, on packets
/// that were not sent by the host that captured them.
pub(super) fn is_of(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> bool {
    let Some((_, tunnel)) = known.tunnel_around(key) else {
        return false;
    };
    let is_outer_right = tunnel.counters().checksums.udp.bad == 0;
    let are_all_wrong = checksums(flow, Verdict::Bad) >= FEWEST
        && flow.losses().of(Loss::Checksum).datagrams >= FEWEST
        && !known.is_local(key);
    let were_all_left = checksums(flow, Verdict::Offloaded) >= FEWEST
        && has_come(flow, tunnel)
        && is_ignored(known, key, flow);
    checksums(flow, Verdict::Good) == 0 && is_outer_right && (are_all_wrong || were_all_left)
}

/// Whether packets of a flow were sent by another host than the one that captured them.
pub(super) fn has_come(flow: &Flow, tunnel: &Tunnel) -> bool {
    flow.directions.incoming || tunnel.hop_limits.is_some_and(has_passed_router)
}

/// Whether a host goes on opening a TCP connection and gets no answer. Between virtual
/// interfaces checksums are never finished, and all is well.
fn is_ignored(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> bool {
    /// Headers with all options that an opening has.
    const WITHOUT_DATA: u32 = 100;
    key.protocol == Protocol::TCP
        && flow.largest_unfragmented_bytes <= WITHOUT_DATA
        && known.answering(key).is_none()
}

/// Whether TTLs are other than those that systems begin with.
fn has_passed_router(limits: HopLimits) -> bool {
    const BEGINNINGS: [u8; 4] = [32, 64, 128, 255];
    limits.lowest == limits.highest && !BEGINNINGS.contains(&limits.highest)
}
