//! D21, corruption.

use super::{inner_checksum_mangled, nat_on_fragments, vxlan_nat_checksum};
use crate::account::{Flow, Loss, Lost};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D21",
    name: "corruption",
    title: "Data changes on the way",
    severity: Severity::Error,
    meaning: "Packets reach the receiving side with a wrong checksum, and none of the harmless \
              explanations fits. Ethernet's own checksum catches what a cable does to a frame, so \
              damage that only TCP or UDP notice usually happens inside something: the memory or \
              firmware of a NIC or switch, or a middlebox that edits packets. What the checksum \
              misses is delivered as good data.",
    signature: "Wrong checksums on received packets that are neither left to a NIC nor put together \
              from two datagrams.",
    confirms: "The sender's copy of the same packet is good. If many flows suffer, look at a link \
              or a NIC; if one does, at a device that rewrites it.",
    denies: "The capture was made on the sender. Or the sender's copy is wrong in the same way: \
              it left like that.",
    disprove: "Run `nstat -az UdpInCsumErrors TcpInCsumErrors IcmpInCsumErrors` on the receiver: if \
              none grows, its kernel found nothing wrong.",
    fix: &[
        Fix {
            when: "any, to find the place",
            kind: FixKind::Command,
            command: "ethtool -S eth0 | grep -iE 'crc|fcs|csum'",
        },
        Fix {
            when: "errors grow on one port",
            kind: FixKind::Advice,
            command: "replace cable, optics or NIC of that port, one at a time",
        },
        Fix {
            when: "one application only",
            kind: FixKind::Advice,
            command: "turn off the application gateway (ALG) or the proxy in its path",
        },
        Fix {
            when: "one host only, to leave out its NIC",
            kind: FixKind::Command,
            command: "ethtool -K eth0 rx off tx off",
        },
    ],
    references: &[
        "Linux Documentation/networking/statistics.rst",
        "RFC 1071 section 1",
        "RFC 8085 section 3.4",
    ],
};

/// Checksums that are wrong, and nothing else explains it.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows: Vec<(Lost, FlowKey)> = known
        .odd
        .iter()
        .map(|(key, flow)| (corrupt(known, key, flow), **key))
        .filter(|(lost, _)| lost.datagrams > 0)
        .collect();
    let datagrams: u64 = flows.iter().map(|(lost, _)| lost.datagrams).sum();
    if datagrams == 0 {
        return None;
    }
    let mut seen = format!(
        "{} of {} {} a checksum that is wrong and that neither offload nor a splice of fragments \
         explains.",
        number::counted(datagrams, "datagram"),
        number::counted(flows.len() as u64, "flow"),
        if datagrams == 1 { "has" } else { "have" },
    );
    let refused = known.refused_here(flows.iter().map(|(_, key)| key));
    if let Some(refused) = &refused {
        seen.push_str(&format!(" {refused}"));
    }
    // One flow: some device may rewrite it. Many: what they have in common is broken.
    let sureness = if flows.len() >= MANY || refused.is_some() {
        confidence::LIKELY
    } else {
        confidence::FITS
    };
    let exhibits = known.exhibits();
    Some(
        Finding::new(&CAUSE, sureness, seen)
            .missing(flows.iter().map(|(lost, _)| lost.bytes).sum())
            .shown_by(
                exhibits.of_loss(Loss::HeaderChecksum),
                "wrong IPv4 header checksum",
            )
            .shown_by(
                exhibits.of_loss(Loss::OuterChecksum),
                "wrong checksum of the tunnel packet",
            )
            .shown_by(exhibits.of_loss(Loss::Checksum), "wrong checksum")
            .shown_by(
                exhibits.of_loss(Loss::ChecksumOfWhole),
                "whole, and wrong by its checksum",
            )
            .in_these(flows.iter().map(|(lost, key)| (lost.bytes, *key)).collect()),
    )
}

/// Flows it takes to say that the damage is not one flow's.
const MANY: usize = 3;

/// Losses that are damage, unless another cause explains them.
pub(in crate::diagnose) const DAMAGE: [Loss; 4] = [
    Loss::HeaderChecksum,
    Loss::OuterChecksum,
    Loss::Checksum,
    Loss::ChecksumOfWhole,
];

/// What of a flow is corrupt. Beside the sender a wrong checksum proves nothing, but for
/// that of ICMP, which no kernel leaves to a NIC.
fn corrupt(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> Lost {
    let losses = flow.losses();
    if known.is_local(key) {
        let proven = if key.protocol.has_ports() {
            Lost::default()
        } else {
            losses.of(Loss::Checksum)
        };
        return proven;
    }
    let mut corrupt = losses.of(Loss::HeaderChecksum);
    if !inner_checksum_mangled::is_of(known, key, flow) {
        corrupt += losses.of(Loss::Checksum);
    }
    if !nat_on_fragments::is_of(known, key, flow) {
        corrupt += losses.of(Loss::ChecksumOfWhole);
    }
    if !vxlan_nat_checksum::is_of(known, key) {
        corrupt += losses.of(Loss::OuterChecksum);
    }
    corrupt
}
