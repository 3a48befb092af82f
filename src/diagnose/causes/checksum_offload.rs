//! D18, checksum-offload.

use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use super::inner_checksum_mangled;
use crate::account::{Flow, Loss, Sign};
use crate::diagnose::known::checksums;
use crate::model::{Verdict, number};

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

/// Transport checksums that the sender's kernel left to its NIC.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let left = |flow: &Flow| checksums(flow, Verdict::Offloaded);
    let flows = known.odd.iter().filter(|(key, flow)| {
        left(flow) > 0 && !inner_checksum_mangled::is_of(known, key, flow)
    });
    let packets: u64 = flows.clone().map(|(_, flow)| left(flow)).sum();
    let unsure: u64 = flows.clone().map(|(_, flow)| flow.losses().of(Loss::Checksum).datagrams).sum();
    let mut seen = format!(
        "{} the bare sum of the pseudo-header in place of a checksum, as a kernel leaves it for its \
         NIC to finish: the capture was made beside their sender.",
        have(packets),
    );
    if unsure > 0 {
        let unsure = number::counted(unsure, "packet");
        seen.push_str(&format!(
            " {unsure} of the same flows hold neither that nor a right one; that proves nothing here, \
             so capture at the receiver as well."
        ));
    }
    let keys = flows.map(|(key, flow)| (left(flow), **key));
    let finding = Finding::new(&CAUSE, confidence::SURE, seen)
        .shown_by(known.exhibits().of_sign(Sign::Offloaded), "checksum left to the NIC")
        .in_these(keys.collect());
    (packets > 0).then_some(finding)
}

fn have(packets: u64) -> String {
    let verb = if packets == 1 { "has" } else { "have" };
    format!("{} {verb}", number::counted(packets, "packet"))
}
