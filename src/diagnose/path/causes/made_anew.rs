//! C20, made-anew.

use crate::compare::Between;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::{ends_of, name};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C20",
    name: "made-anew",
    title: "Connections are made anew in between",
    severity: Severity::Info,
    meaning: "Two neighbours show flows by the same addresses and ports, and no packet of one is \
              at the other. Something between them ends a connection and opens another in the \
              name of its hosts (a transparent proxy, a service mesh, a load balancer), or numbers \
              its stream anew (`synproxy`, a firewall that randomizes sequence numbers). What is \
              lost on either side of it is sent again from there, and throughput is that of the \
              worse side.",
    signature: "The same addresses, protocol and ports on both sides, other sequence numbers or \
                other bytes, and 8 packets or more on each.",
    confirms: "Handshakes answer faster than the host is far: `tcpdump -ni eth0 'tcp[13] & 2 != 0'` \
               in front and behind. A socket or a rule for it is there: `ss -tlnp`, \
               `nft list ruleset`.",
    denies: "Delays are longer than `--window`: then the packets are the same, and found with a \
             longer one.",
    disprove: "Send something that no proxy ends: `ping -c 3 192.0.2.1` passes as it is.",
    fix: &[
        Fix {
            when: "Linux, which rule takes connections",
            kind: FixKind::Command,
            command: "nft list ruleset",
        },
        Fix {
            when: "each side by itself",
            kind: FixKind::Advice,
            command: "compare the captures in front of it with each other, and those behind it",
        },
    ],
    references: &[
        "RFC 3135 section 2",
        "Linux net/netfilter/nf_synproxy_core.c",
    ],
};

/// Each pair of neighbours between which flows are made anew.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let segments = given.segments();
    let those = segments.filter(|(_, between)| packets(between) > 0);
    those
        .map(|(pair, between)| finding(given, pair, between))
        .collect()
}

fn packets(between: &Between) -> u64 {
    between.one_sided.iter().map(|side| side.remade).sum()
}

fn finding(given: &Given<'_>, pair: usize, between: &Between) -> Finding {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let [in_front, behind] =
        [0, 1].map(|side| number::counted(between.one_sided[side].remade, "packet"));
    let seen = format!(
        "{in_front} at {} and {behind} at {} are of flows by the same addresses and ports, and none \
         of these packets is at both: they are made anew in between, and neither sent nor lost there.",
        name(front),
        name(back),
    );
    let flows = given.flows(pair, packets);
    let frames = [0, 1].map(|side| given.one_sided_frames(pair, side, &flows));
    Finding {
        evidence: frames.into_iter().flatten().collect(),
        flows,
        ..Finding::between(&CAUSE, pair, 0.8, seen)
    }
}
