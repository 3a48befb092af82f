//! C08, path-duplication.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C08",
    name: "path-duplication",
    title: "Packets come twice",
    severity: Severity::Warning,
    meaning: "Packets leave a segment more often than they entered it: something on the way sends \
              copies, as a switch that floods, a bond that sends on both links, a mirror that \
              feeds back, a loop, or a promiscuous Linux bridge that also routes what its \
              netfilter translates. Copies cost bandwidth, and a copy of a fragment opens a \
              datagram at the receiver that never becomes whole.",
    signature: "The same packet (identification and bytes) comes more often at one point than at \
                the one before it.",
    confirms: "The copies come within milliseconds, and with another source MAC address or \
               another TTL.",
    denies: "The capture was made on several interfaces (`-i any`), or at a mirror port: then it \
             sees each packet twice by itself.",
    disprove: "Capture behind on one interface alone, with `tcpdump -i eth0 -Q in`: if there are \
               no copies, the capture made them.",
    fix: &[
        Fix {
            when: "Linux bridges: look for an address that moves between ports",
            kind: FixKind::Command,
            command: "bridge monitor fdb",
        },
        Fix {
            when: "copies with a TTL one lower, by a node with services or DNAT: a bridge with \
                   promiscuity above 0 routes what it has bridged; a capture on it is enough",
            kind: FixKind::Command,
            command: "ip -details link show type bridge",
        },
        Fix {
            when: "captures on all interfaces",
            kind: FixKind::Advice,
            command: "capture on one interface, or one direction",
        },
    ],
    references: &[
        "RFC 5560",
        "Linux net/bridge/br_netfilter_hooks.c",
        "man7.org/linux/man-pages/man8/bridge.8.html",
    ],
};

/// Each segment in which copies are made.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let copied = given.found(|between| between.more_copies[1]).into_iter();
    copied
        .map(|found| {
            let copied = found.between.examples.of(Oddity::Copied);
            let notes = ["came once as it entered", "came more often as it left"];
            Finding {
                evidence: given.example_frames(copied, notes),
                flows: given.flows(found.pair, |between| between.more_copies[1]),
                ..found.finding(&CAUSE, 0.8, |way| copies(way.between))
            }
        })
        .collect()
}

fn copies(between: &Between) -> String {
    format!(
        "{} more left than entered, of {}.",
        number::counted(between.more_copies[1], "copy"),
        number::counted(between.front_passed.packets, "packet"),
    )
}
