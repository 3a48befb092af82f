//! D24, super-frames.

use crate::account::Sign;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D24",
    name: "super-frames",
    title: "Packets larger than the wire allows",
    severity: Severity::Info,
    meaning: "The capture shows packets before the sender's NIC cut them up, or after the \
              receiver's kernel joined them (TSO, GSO, GRO, BIG TCP). On the wire they have the \
              normal size. This is not a fault: it saves processor time. They are not jumbo \
              frames, and no device in the network sees them. Very large ones have a length of 0 \
              in the IP header, since the true one does not fit.",
    signature: "IP packets larger than the MTU that are no fragments, nearly always with \"don't \
              fragment\" set, and often a multiple of a segment plus headers.",
    confirms: "Captured at the other end or at a switch, the same bytes come in packets of wire \
              size.",
    denies: "They are seen on a mirror port: then jumbo frames are in use.",
    disprove: "Run `ethtool -k eth0 | grep -E 'segmentation|receive-offload'` where it was \
              captured: if all are off, this host does not make them.",
    fix: &[Fix {
        when: "nothing to repair; to see wire sizes, at a cost in speed",
        kind: FixKind::Command,
        command: "ethtool -K eth0 tso off gso off gro off",
    }],
    references: &[
        "Linux Documentation/networking/segmentation-offloads.rst",
        "the-tcpdump-group/tcpdump#1085",
        "the-tcpdump-group/tcpdump#1329",
        "quinn-rs/quinn#1572",
    ],
};

/// Packets larger than any wire carries.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let packets: u64 = known.odd.iter().map(|(_, flow)| flow.super_frames()).sum();
    let largest = known
        .odd
        .iter()
        .filter(|(_, flow)| flow.super_frames() > 0)
        .map(|(_, flow)| flow.largest_unfragmented_bytes)
        .max();
    if packets == 0 {
        return None;
    }
    let seen = format!(
        "{} larger than a wire carries, up to {} bytes: captured before the sender's NIC cut them \
         up, or after the receiver joined them.",
        if packets == 1 {
            "1 packet is".to_owned()
        } else {
            format!("{} packets are", number::count(packets))
        },
        number::count(largest.unwrap_or(0).into()),
    );
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::SuperFrame),
                "larger than the wire allows",
            )
            .in_flows(known, |flow| flow.super_frames()),
    )
}
