//! D21, corruption.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D21",
    name: "corruption",
    title: "Data changes on the way",
    severity: Severity::Error,
    meaning: "Packets reach the receiving side with a wrong checksum, and none of the harmless \
              explanations fits. Ethernet's own checksum catches what a cable does to a frame, so \
              damage that only TCP or UDP notice usually happens inside something: the memory or \
              firmware of a NIC or switch, or a middlebox that edits packets. What the checksum \
              misses is delivered as good data.",
    signature: "Wrong checksums on received packets that are neither left to a NIC nor put together \
              from two datagrams.",
    confirms: "The sender's copy of the same packet is good. If many flows suffer, look at a link \
              or a NIC; if one does, at a device that rewrites it.",
    denies: "The capture was made on the sender. Or the sender's copy is wrong in the same way: \
              it left like that.",
    disprove: "Run `nstat -az UdpInCsumErrors TcpInCsumErrors IcmpInCsumErrors` on the receiver: if \
              none grows, its kernel found nothing wrong.",
    fix: &[
        Fix {
            when: "any, to find the place",
            kind: FixKind::Command,
            command: "ethtool -S eth0 | grep -iE 'crc|fcs|csum'",
        },
        Fix {
            when: "errors grow on one port",
            kind: FixKind::Advice,
            command: "replace cable, optics or NIC of that port, one at a time",
        },
        Fix {
            when: "one application only",
            kind: FixKind::Advice,
            command: "turn off the application gateway (ALG) or the proxy in its path",
        },
        Fix {
            when: "one host only, to leave out its NIC",
            kind: FixKind::Command,
            command: "ethtool -K eth0 rx off tx off",
        },
    ],
    references: &[
        "Linux Documentation/networking/statistics.rst",
        "RFC 1071 section 1",
        "RFC 8085 section 3.4",
    ],
};
