//! D13, duplicated-packets.

use crate::account::Sign;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D13",
    name: "duplicated-packets",
    title: "Packets are in the capture twice",
    severity: Severity::Info,
    meaning: "The capture saw the same packet at more than one place: on a mirror port that copies \
              both directions, on a bond and its members, or on all interfaces at once. This is \
              not a fault, and the receiver got one copy. Sums over the file count the copies, \
              though, so rates look doubled.",
    signature: "Copies that are equal from the IP header on, often microseconds apart, with an equal \
              TTL or one lower by 1.",
    confirms: "A capture on one interface has no copies.",
    denies: "The copies differ in their data. Or they arrive at the receiver's NIC, where only \
              one interface was captured: then something in the network does duplicate.",
    disprove: "Run `tcpdump -i eth0 -w one.pcap` on a single physical interface: if the copies are \
              still there, they are on the wire.",
    fix: &[
        Fix {
            when: "nothing to repair; for one copy in a new capture",
            kind: FixKind::Command,
            command: "tcpdump -i eth0 -s 128 -w one.pcap",
        },
        Fix {
            when: "nothing to repair; for one copy in this file",
            kind: FixKind::Command,
            command: "editcap -D 100 twice.pcap once.pcap",
        },
    ],
    references: &[
        "www.tcpdump.org/manpages/tcpdump.1.html",
        "www.wireshark.org/docs/man-pages/editcap.html",
    ],
};

/// Fragments come twice.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let fragments = known.totals.fragments;
    // Those with other bytes are no copies, but D12.
    let altered: u64 = known
        .odd
        .iter()
        .map(|(_, flow)| flow.altered_copies())
        .sum();
    let copies = fragments.duplicate.saturating_sub(altered);
    if copies == 0 {
        return None;
    }
    let seen = format!(
        "{} of {} {} of what is there already, and left out of every figure of what is missing.",
        number::count(copies),
        number::counted(fragments.total, "fragment"),
        if copies == 1 {
            "is a copy"
        } else {
            "are copies"
        },
    );
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::Copy),
                "a piece of it came twice",
            )
            .in_flows(known, |flow| {
                flow.counters().fragments.duplicate - flow.altered_copies()
            }),
    )
}
