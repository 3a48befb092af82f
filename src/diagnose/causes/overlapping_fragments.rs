//! D12, overlapping-fragments.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D12",
    name: "overlapping-fragments",
    title: "Fragments contradict each other",
    severity: Severity::Warning,
    meaning: "Two fragments of one datagram claim the same bytes, but not as copies of each other: \
              they overlap in part, or name two different ends. Linux throws the whole datagram \
              away, as IPv6 demands of everyone, because overlaps were used to smuggle data past \
              firewalls. The usual sources are an attack or a test tool, a broken middlebox, or \
              two datagrams with the same identification (D14).",
    signature: "Fragments of one datagram overlap in part, or two of them are last at different \
              places.",
    confirms: "IpExtReasmOverlaps grows on the receiver.",
    denies: "The overlapping pieces are equal byte for byte: those are copies (D13), which do no \
              harm.",
    disprove: "Run `nstat -az IpExtReasmOverlaps` on the receiver: if it does not grow, the kernel \
              threw nothing away for this.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "find the emitter: compare TTL and source MAC address of the fragments that contradict each other",
        },
        Fix {
            when: "identifications that repeat",
            kind: FixKind::Advice,
            command: "keep messages below the MTU, see D14",
        },
    ],
    references: &[
        "RFC 5722 section 4",
        "RFC 8200 section 4.5",
        "RFC 1858 section 4",
        "git.kernel.org/linus/7969e5c40dfd",
    ],
};
