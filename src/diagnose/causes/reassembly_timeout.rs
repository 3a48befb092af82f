//! D10, reassembly-timeout.

use crate::account::Loss;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D10",
    name: "reassembly-timeout",
    title: "The last fragment comes too late",
    severity: Severity::Warning,
    meaning: "All fragments arrive, but the last one after the receiver gave up: Linux waits 30 \
              seconds for IPv4 and 60 for IPv6, counted from the first fragment to arrive. So long \
              a delay is no normal queue. Something stored the fragments and sent them on later, \
              rerouted them, or replayed them.",
    signature: "Datagrams whose fragments are all in the capture, the last more than 30 seconds \
              (IPv6: 60) behind the first.",
    confirms: "IpReasmTimeout grows on the receiver, and the gaps between fragments of one datagram \
              are of many seconds.",
    denies: "The gaps are below a second. Or the clock of the capture jumped.",
    disprove: "Run `nstat -az IpReasmTimeout Ip6ReasmTimeout` on the receiver: if neither grows, \
              nothing timed out.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "find what holds packets for so long: capture on both sides of each hop and compare the times",
        },
        Fix {
            when: "Linux, to prove the point",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_time=60",
        },
    ],
    references: &[
        "RFC 791 section 3.2",
        "RFC 8200 section 4.5",
        "Linux Documentation/networking/ip-sysctl.rst",
    ],
};

/// What was missing of datagrams came, but after they had timed out.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let rest = known.lost(Loss::Late);
    let begun: u64 = known
        .destinations
        .iter()
        .map(|host| host.late().bytes)
        .sum();
    if rest.datagrams == 0 {
        return None;
    }
    let seen = format!(
        "All fragments of {} came, but the last of them only after the receiver's time for it was \
         over.",
        number::counted(rest.datagrams, "datagram"),
    );
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .missing(begun + rest.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::Late),
                "the rest of a datagram that had timed out",
            )
            .in_flows(known, |flow| flow.losses().of(Loss::Late).bytes),
    )
}
