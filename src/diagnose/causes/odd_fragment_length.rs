//! D30, odd-fragment-length.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D30",
    name: "odd-fragment-length",
    title: "A fragment has an impossible length",
    severity: Severity::Error,
    meaning: "A fragment that is not the last carries no multiple of 8 bytes, or one ends beyond \
              65,535 bytes, and its datagram can never be whole. Offsets count in units of 8, so \
              an odd length leaves a gap that nothing can fill: Linux cuts the excess off, and the \
              datagram times out; for IPv6 it answers with an ICMPv6 parameter problem. The source \
              is a broken stack or middlebox, or an attack.",
    signature: "Fragments with \"more fragments\" set whose payload is no multiple of 8, or an \
              offset plus length beyond 65,535.",
    confirms: "The same fragments are in a capture at the source, or first appear behind one \
              device.",
    denies: "The file was cut short and the lengths are those of the capture, not of the IP \
              header.",
    disprove: "Run `tcpdump -ni eth0 'ip[6] & 0x20 != 0 and ip[3] & 7 != 4'` at the source (for IP \
              headers of 20 bytes): if nothing is printed, they are not made there.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "update or replace the device that makes them: its MAC address is in the frame",
        },
        Fix {
            when: "any, to see who sends them",
            kind: FixKind::Command,
            command: "tcpdump -c 20 -eni eth0 'ip[6] & 0x20 != 0'",
        },
    ],
    references: &["RFC 791 section 3.2", "RFC 8200 section 4.5"],
};
