//! C07, path-corruption.

use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C07",
    name: "path-corruption",
    title: "Bytes of packets change on the way",
    severity: Severity::Error,
    meaning: "The same packet has other bytes at the next point, beyond what NAT, tunnels and \
              offloads change. Ethernet's FCS finds what a cable does, so that a device between \
              the points does it: memory, a bus, a NIC that gets offloading wrong, or a middlebox \
              that rewrites payloads.",
    signature: "A packet with the same identification and length has another payload behind.",
    confirms: "Its checksum verifies in front and not behind; single bits differ, or a run of \
               bytes is zero.",
    denies: "Checksums are right at both points: then somebody rewrites the payload on purpose \
             (an application-level gateway, MSS clamping, a proxy).",
    disprove: "Send a known pattern, as in `ping -p ff00 -s 1400 -c 1000 10.16.0.9`, around the \
               device: if bytes differ still, it is not this one.",
    fix: &[
        Fix {
            when: "Linux, NIC offloads one by one",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx off rx off gso off gro off tso off",
        },
        Fix {
            when: "Linux, errors of the NIC",
            kind: FixKind::Command,
            command: "ethtool -S eth0",
        },
        Fix {
            when: "application-level gateways",
            kind: FixKind::Command,
            command: "sysctl -w net.netfilter.nf_conntrack_helper=0",
        },
    ],
    references: &["RFC 1071"],
};

/// Each segment in which bytes change.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given
        .segments()
        .filter(|(_, between)| between.corrupted > 0);
    changed
        .map(|(pair, between)| {
            let seen = format!(
                "{}: {} left with other bytes than they entered with.",
                given.segment_name(pair),
                number::counted(between.corrupted, "packet"),
            );
            Finding {
                evidence: given.changed_frames(&between.damaged, "other bytes"),
                flows: given.flows(pair, |between| between.corrupted),
                ..Finding::between(&CAUSE, pair, 0.8, seen)
            }
        })
        .collect()
}
