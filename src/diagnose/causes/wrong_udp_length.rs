//! L01, wrong-udp-length.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "L01",
    name: "wrong-udp-length",
    title: "The length in the UDP header is wrong",
    severity: Severity::Error,
    meaning: "The UDP header of a whole datagram names another length than the IP header leaves \
              for it. If it names more than is there, or less than its own 8 bytes, every receiver \
              drops the datagram. If it names less, the bytes behind it are ignored, unless they \
              are UDP options. The sender, or something that shortened or padded the packet, got \
              it wrong.",
    signature: "A datagram that is whole, whether it was fragmented or not, whose UDP length differs \
              from its IP payload.",
    confirms: "UdpInErrors grows on the receiver without UdpRcvbufErrors and UdpInCsumErrors.",
    denies: "Only first fragments look so: that is how old tcpdump reads them (D23). Or the \
              packet is a super-frame (D24).",
    disprove: "Run `tcpdump -c 20 -nvi eth0 udp` at the sender with tcpdump 4.99 or later: if it \
              finds no bad length there, they change on the way.",
    fix: &[
        Fix {
            when: "the sender makes them",
            kind: FixKind::Advice,
            command: "correct the program or driver that writes the header: length is 8 plus the payload",
        },
        Fix {
            when: "a device on the path makes them",
            kind: FixKind::Advice,
            command: "capture on both sides of each device, and take the first that changes them out of the path",
        },
    ],
    references: &[
        "RFC 768",
        "RFC 9868",
        "RFC 8085 section 3.4",
        "Linux net/ipv4/udp.c",
    ],
};
