//! D11, fragment-distance.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D11",
    name: "fragment-distance",
    title: "Fragments come too far apart",
    severity: Severity::Warning,
    meaning: "Linux presumes that a datagram is lost when too many other fragments of the same \
              source came in between two of its own. The limit is 64 fragments \
              (net.ipv4.ipfrag_max_dist), not datagrams. Then it throws away what it held and \
              begins anew with the late fragment, which can never become whole. Queues that are \
              served in turn, or links that share the load packet by packet, mix fragments that \
              much at a high rate. IPv6 has no such limit.",
    signature: "Complete IPv4 datagrams of which two fragments in a row have more than 64 fragments \
              of other datagrams of the same source between them.",
    confirms: "IpReasmFails grows on the receiver, IpReasmTimeout less so, and both stop growing \
              with the limit off.",
    denies: "Fragments of one datagram follow each other closely, or the traffic is IPv6.",
    disprove: "Run `sysctl -w net.ipv4.ipfrag_max_dist=0` on the receiver, which turns the limit \
              off: if as much is lost as before, it is not this.",
    fix: &[
        Fix {
            when: "Linux",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_max_dist=0",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "stop the reordering: one path and one queue for each pair of addresses, see D29",
        },
    ],
    references: &[
        "Linux Documentation/networking/ip-sysctl.rst",
        "Linux net/ipv4/ip_fragment.c",
    ],
};
