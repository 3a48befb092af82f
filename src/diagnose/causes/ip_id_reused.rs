//! D14, ip-id-reused.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D14",
    name: "ip-id-reused",
    title: "Identifications repeat too soon",
    severity: Severity::Error,
    meaning: "IPv4 tells datagrams apart by 65,536 identifications for each pair of addresses and \
              protocol, and at a high rate they repeat while an unfinished datagram still waits. \
              At 10,000 datagrams a second that takes 6.5 seconds, and Linux waits for 30. The \
              hole is then filled with a piece of a later datagram. The result has the right \
              length and the wrong content: a checksum catches most of it, and where there is \
              none, as in most VXLAN and Geneve outer headers, wrong data is delivered.",
    signature: "An identification comes again while a datagram with it was unfinished, and the two \
              are mixed: a wrong checksum on a datagram that is whole, or an overlap.",
    confirms: "The previous datagram with that identification had a hole, and the checksum is right \
              for the pieces of the newer one alone.",
    denies: "No datagram with the same identification was unfinished in the 30 seconds before.",
    disprove: "Run `sysctl -w net.ipv4.ipfrag_time=2` on the receiver: if as many checksums are \
              wrong as before, it is not this.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages below the MTU: datagrams in one packet need no identification",
        },
        Fix {
            when: "Linux receiver",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_time=2",
        },
        Fix {
            when: "Open vSwitch tunnel",
            kind: FixKind::Command,
            command: "ovs-vsctl set interface vxlan0 options:csum=true",
        },
        Fix {
            when: "Linux VXLAN, when it is made",
            kind: FixKind::Command,
            command: "ip link add vxlan0 type vxlan id 42 dev eth0 remote 10.0.0.2 dstport 4789 udpcsum",
        },
    ],
    references: &[
        "RFC 4963 section 2",
        "RFC 6864 section 4.3",
        "RFC 8900 section 3.6",
    ],
};
