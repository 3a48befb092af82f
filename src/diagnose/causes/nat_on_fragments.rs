//! D20, nat-on-fragments.

use crate::account::{Flow, Loss};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D20",
    name: "nat-on-fragments",
    title: "NAT spoils checksums of fragments",
    severity: Severity::Error,
    meaning: "NAT that works packet by packet corrects a TCP or UDP checksum in fragments that \
              have none, and so corrupts their data. Only the first fragment has that checksum: in \
              the others the same bytes are payload. Every fragmented datagram of the flow is then \
              thrown away by the receiver, while small ones get through. Linux had this in \
              nftables' stateless rewriting.",
    signature: "Every fragmented datagram of a flow is whole but has a wrong checksum, and those in \
              one packet are good.",
    confirms: "In front of the NAT the checksum is good, behind it wrong, by the difference of the \
              two addresses.",
    denies: "Datagrams in one packet are wrong as well, or the flow is not rewritten.",
    disprove: "Run `nft list ruleset | grep -E '[sd]addr set'` on the router: if no rule sets an \
              address, nothing rewrites without state here.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "use a kernel with the fix applied: git.kernel.org/linus/4e1860a38637",
        },
        Fix {
            when: "nftables",
            kind: FixKind::Advice,
            command: "replace `ip daddr set ADDRESS` by `dnat to ADDRESS` in a nat chain: connection tracking puts fragments together first",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages below the MTU",
        },
    ],
    references: &["git.kernel.org/linus/4e1860a38637", "RFC 3022 section 6.3"],
};

/// What came in fragments is wrong by the checksum, what came in one packet is right.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows = known
        .odd
        .iter()
        .filter(|(key, flow)| is_of(known, key, flow));
    let lost: Vec<_> = flows
        .map(|(key, flow)| (flow.losses().of(Loss::ChecksumOfWhole), **key))
        .collect();
    let datagrams = lost.iter().map(|(lost, _)| lost.datagrams).sum();
    if datagrams == 0 {
        return None;
    }
    let seen = format!(
        "All {} of {} that came in fragments and are whole are wrong by the checksum, and what came in \
         one packet is right.",
        number::counted(datagrams, "datagram"),
        number::counted(lost.len() as u64, "flow"),
    );
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .missing(lost.iter().map(|(lost, _)| lost.bytes).sum())
            .shown_by(
                known.exhibits().of_loss(Loss::ChecksumOfWhole),
                "whole, and wrong by its checksum",
            )
            .in_these(lost.iter().map(|(lost, key)| (lost.bytes, *key)).collect()),
    )
}

/// Datagrams it takes to speak of all.
const FEWEST: u64 = 3;

/// Whether the fragments of a flow, and nothing else of it, are spoiled on the way.
pub(super) fn is_of(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> bool {
    !known.is_local(key)
        && flow.losses().of(Loss::ChecksumOfWhole).datagrams >= FEWEST
        && flow.sound_wholes() == 0
        && flow.losses().of(Loss::Checksum).datagrams == 0
        && flow.deliverable_unfragmented_bytes() > 0
}
