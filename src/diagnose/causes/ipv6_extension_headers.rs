//! D32, ipv6-extension-headers.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D32",
    name: "ipv6-extension-headers",
    title: "IPv6 fragments are filtered",
    severity: Severity::Warning,
    meaning: "IPv6 fragments carry an extension header, and many firewalls and routers drop \
              packets with one, so large datagrams vanish over IPv6 while IPv4 works. Routers \
              never fragment IPv6: only the sender can. A packet that is whole but has a fragment \
              header (an atomic fragment) is legal and must be handled by itself. The first \
              fragment has to hold all headers, or it may be dropped.",
    signature: "Large IPv6 datagrams lose all their fragments, or all but none, while small ones of \
              the same flow get through; the same service works over IPv4.",
    confirms: "Every fragment is in a capture at the sender and none at the receiver.",
    denies: "Fragments arrive, and some are lost at random.",
    disprove: "Run `ping -6 -c 3 -s 4000 PEER` from the sender: answers mean that fragments get \
              through in both directions.",
    fix: &[
        Fix {
            when: "nftables router",
            kind: FixKind::Command,
            command: "nft insert rule inet filter forward exthdr frag exists accept",
        },
        Fix {
            when: "ip6tables router",
            kind: FixKind::Command,
            command: "ip6tables -I FORWARD -m ipv6header --soft --header frag -j ACCEPT",
        },
        Fix {
            when: "DNS server (BIND, Unbound, Knot)",
            kind: FixKind::Advice,
            command: "limit EDNS answers to 1232 bytes",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages at or below 1232 bytes: that fits every IPv6 path",
        },
    ],
    references: &[
        "RFC 8200 section 4.5",
        "RFC 6946 section 4",
        "RFC 7112 section 5",
        "RFC 7872",
        "RFC 9098",
    ],
};
