//! D18, checksum-offload.

use super::{corruption, inner_checksum_mangled};
use crate::account::{Flow, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::known::checksums;
use crate::diagnose::this_host;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, Verdict, number};
use std::collections::BTreeSet;

pub(super) const CAUSE: Cause = Cause {
    id: "D18",
    name: "checksum-offload",
    title: "Checksums are left to the NIC",
    severity: Severity::Info,
    meaning: "The capture was made on the sender, before its NIC filled in the checksums: the \
              kernel writes a part of the sum and leaves the rest to the hardware. This is not a \
              fault. Wireshark and tcpdump call such packets incorrect, and the receiver finds \
              them correct. Between virtual interfaces of one host the checksum is never \
              completed, as nothing can go wrong there.",
    signature: "Outgoing packets whose checksum is the bare sum over the pseudo-header; nearly all \
              of one direction, none of the other. Packets larger than the MTU are often nearby.",
    confirms: "The same packets have good checksums at the receiver.",
    denies: "They are incoming packets on a physical NIC: then see D17.",
    disprove: "Run `tcpdump -c 20 -nvvi eth0 src SENDER` on the receiver: if it calls the checksums \
              incorrect there too, they are no artefact.",
    fix: &[Fix {
        when: "nothing to repair; to see finished checksums, at a cost in speed",
        kind: FixKind::Command,
        command: "ethtool -K eth0 tx off",
    }],
    references: &[
        "wiki.wireshark.org/CaptureSetup/Offloading",
        "Linux Documentation/networking/checksum-offloads.rst",
    ],
};

/// Transport checksums that the sender's kernel left to its NIC, and wrong ones beside a
/// sender, of which nobody can tell there whether they stay wrong.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows = known
        .odd
        .iter()
        .filter(|(key, flow)| !inner_checksum_mangled::is_of(known, key, flow));
    let sum = |of: fn(&Known<'_>, &FlowKey, &Flow) -> u64| -> u64 {
        flows.clone().map(|(key, flow)| of(known, key, flow)).sum()
    };
    let (unfinished, unsure) = (sum(left), sum(wrong_beside_sender));
    let elsewhere = sum(left_and_from_elsewhere);
    if unfinished + unsure == 0 {
        return None;
    }
    let seen = [
        (unfinished > 0).then(|| left_by_kernel(unfinished)),
        left_here(
            known,
            flows
                .clone()
                .filter(|(key, flow)| left(known, key, flow) > 0),
        ),
        (elsewhere > 0).then(|| come_from_elsewhere(elsewhere)),
        (unsure > 0).then(|| unproven(unsure)),
    ];
    let seen: Vec<String> = seen.into_iter().flatten().collect();
    let sureness = if unfinished > 0 {
        confidence::SURE
    } else {
        confidence::POSSIBLE
    };
    let mut finding = Finding::new(&CAUSE, sureness, seen.join(" ")).shown_by(
        known.exhibits().of_sign(Sign::Offloaded),
        "checksum left to the NIC",
    );
    // Frames of other senders are not to be taken for those.
    if known.losses.of_any(&corruption::DAMAGE).datagrams == unsure {
        for loss in corruption::DAMAGE {
            finding = finding.shown_by(
                known.exhibits().of_loss(loss),
                "wrong, but seen beside the sender",
            );
        }
    }
    let weighed = flows.map(|(key, flow)| {
        (
            left(known, key, flow) + wrong_beside_sender(known, key, flow),
            **key,
        )
    });
    Some(finding.in_these(weighed.filter(|(packets, _)| *packets > 0).collect()))
}

fn left(_: &Known<'_>, _: &FlowKey, flow: &Flow) -> u64 {
    checksums(flow, Verdict::Offloaded)
}

/// Whose NIC is to finish what this host sent, as far as that is one of its own.
fn left_here<'k>(
    known: &Known<'_>,
    flows: impl Iterator<Item = &'k (&'k FlowKey, &'k Flow)>,
) -> Option<String> {
    let sent_here = flows.filter_map(|(key, _)| {
        let outside = known.outside(key)?;
        known.host.with_address(outside.source())?;
        known.host.beside(&outside)
    });
    let leaving = sent_here.filter(|one| one.offload.is_some_and(|of| of.tx_checksumming));
    let names: BTreeSet<_> = leaving.map(this_host::name).collect();
    let names: Vec<_> = names.into_iter().take(MOST_NAMES).collect();
    (!names.is_empty()).then(|| {
        format!(
            "tx-checksumming is on on {}, so checksums of what this host sends are not filled in \
             yet.",
            names.join(", "),
        )
    })
}

/// Interfaces that are named.
const MOST_NAMES: usize = 5;

/// What is wrong where nothing proves it; a kernel computes the checksum of ICMP itself.
fn wrong_beside_sender(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> u64 {
    if known.is_local(key) && key.protocol.has_ports() {
        flow.losses().of_any(&corruption::DAMAGE).datagrams
    } else {
        0
    }
}

/// Those of the packets left to a NIC that another host sent.
fn left_and_from_elsewhere(known: &Known<'_>, key: &FlowKey, flow: &Flow) -> u64 {
    let around = known.tunnel_around(key);
    let has_come = around.is_some_and(|(_, tunnel)| inner_checksum_mangled::has_come(flow, tunnel));
    if has_come { left(known, key, flow) } else { 0 }
}

fn left_by_kernel(packets: u64) -> String {
    format!(
        "{} the bare sum of the pseudo-header in place of a checksum, as a kernel leaves it for its \
         NIC to finish: the capture was made beside their sender, or between virtual interfaces of \
         one host.",
        have(packets),
    )
}

fn come_from_elsewhere(packets: u64) -> String {
    format!(
        "{} come in a tunnel from another host: if this is a physical NIC, see D17.",
        if packets == 1 {
            "1 has".to_owned()
        } else {
            format!("{} have", number::count(packets))
        },
    )
}

fn unproven(datagrams: u64) -> String {
    format!(
        "{} a wrong checksum where the capture was made beside the sender; that proves nothing here, \
         so capture at the receiver as well.",
        if datagrams == 1 {
            "1 datagram has".to_owned()
        } else {
            format!("{} datagrams have", number::count(datagrams))
        },
    )
}

fn have(packets: u64) -> String {
    let verb = if packets == 1 { "has" } else { "have" };
    format!("{} {verb}", number::counted(packets, "packet"))
}
