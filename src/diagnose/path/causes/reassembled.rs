//! C04, path-reassembly.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C04",
    name: "path-reassembly",
    title: "Datagrams are put together on the way",
    severity: Severity::Info,
    meaning: "Datagrams enter in fragments and leave whole, or in other fragments: something on \
              the way puts them together, as connection tracking does on Linux routers, hosts and \
              Open vSwitch. It has a reassembly memory of its own, so that one lost fragment \
              takes the whole datagram there, and a full memory takes all.",
    signature: "Between two points fragments of a datagram become one packet, or fragments of \
                other lengths.",
    confirms: "`IpReasmReqds` and `IpReasmOKs` of the device between grow; it has nf_conntrack \
               loaded.",
    denies: "The packets behind are super-frames that a NIC joined: those are TCP or UDP GRO, not \
             fragments.",
    disprove: "Watch `nstat IpReasmReqds IpReasmOKs` on the device between: if they stand still, \
               it is not there.",
    fix: &[
        Fix {
            when: "Linux, more memory where datagrams are put together",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_high_thresh=67108864",
        },
        Fix {
            when: "Linux, leave this traffic out of connection tracking",
            kind: FixKind::Command,
            command: "nft add rule inet raw prerouting udp dport 5001 notrack",
        },
    ],
    references: &[
        "Linux net/ipv4/netfilter/nf_defrag_ipv4.c",
        "RFC 2979",
        "RFC 8900 section 4.3",
    ],
};

/// Each segment in which datagrams become whole.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given.found(|between| between.reassembled).into_iter();
    changed
        .map(|found| {
            let joined = found.between.examples.of_reverse(Oddity::Fragmented);
            let notes = ["in fragments as it entered", "whole as it left"];
            Finding {
                evidence: given.example_frames(joined, notes),
                flows: given.flows(found.pair, |between| between.reassembled),
                ..found.finding(&CAUSE, 0.95, |way| became_whole(way.between))
            }
        })
        .collect()
}

fn became_whole(between: &Between) -> String {
    let datagrams = number::counted(between.reassembled, "datagram");
    format!("{datagrams} entered in fragments and left whole.")
}
