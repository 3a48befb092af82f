//! C05, path-fragmentation.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Given, MAX_SHOWN};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C05",
    name: "path-fragmentation",
    title: "Packets are fragmented on the way",
    severity: Severity::Warning,
    meaning: "Packets are larger than the MTU of a link on the way, so that a router there cuts \
              them up, or cuts fragments once more. Each packet becomes two, the second of them \
              tiny; one that is lost costs the datagram; and the router's slow path does the \
              work.",
    signature: "A datagram enters whole and leaves in fragments, or enters in fragments and \
                leaves in others.",
    confirms: "`IpFragCreates` of a device between the points grows.",
    denies: "The fragments leave a tunnel's end: then the tunnel cut its outer packets.",
    disprove: "Send a packet of the size that the last link carries, with DF set: `ping -M do -s \
               1372 10.16.0.9`; if a larger one passes too, the MTU is not the reason.",
    fix: &[
        Fix {
            when: "Linux, the sender sends what the path carries",
            kind: FixKind::Command,
            command: "ip link set dev eth0 mtu 1400",
        },
        Fix {
            when: "Linux, one route",
            kind: FixKind::Command,
            command: "ip route change default via 10.0.0.1 mtu lock 1400",
        },
        Fix {
            when: "Linux, look for the link",
            kind: FixKind::Command,
            command: "tracepath -n 10.16.0.9",
        },
    ],
    references: &["RFC 791 section 3.2", "RFC 8900 section 6", "RFC 4821"],
};

/// Each segment in which datagrams are cut, or cut anew.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given.found(count).into_iter();
    changed
        .map(|found| {
            let examples = &found.between.examples;
            let shown = examples.of(Oddity::Fragmented);
            let shown = shown.chain(examples.of(Oddity::Refragmented));
            let notes = ["as it entered", "cut as it left"];
            Finding {
                evidence: given.example_frames(shown.take(MAX_SHOWN), notes),
                flows: given.flows(found.pair, count),
                ..found.finding(&CAUSE, 0.95, |way| cut_to(way.between))
            }
        })
        .collect()
}

fn count(between: &Between) -> u64 {
    between.fragmented + between.refragmented
}

fn cut_to(between: &Between) -> String {
    format!(
        "{}; the largest fragment that left has {} bytes.",
        cut(between.fragmented, between.refragmented),
        number::count(between.largest_fragment[1].into()),
    )
}

/// Datagrams that were cut, and those that were cut anew.
fn cut(whole: u64, in_others: u64) -> String {
    const WHOLE: &str = "entered whole and left in fragments";
    const ANEW: &str = "entered in fragments and left in others";
    let datagrams = |count: u64| number::counted(count, "datagram");
    match (whole, in_others) {
        (0, _) => format!("{} {ANEW}", datagrams(in_others)),
        (_, 0) => format!("{} {WHOLE}", datagrams(whole)),
        _ => format!(
            "{} {WHOLE}, {} {ANEW}",
            datagrams(whole),
            number::count(in_others)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_happen_is_not_told() {
        let anew = "300 datagrams entered in fragments and left in others";
        assert_eq!(cut(0, 300), anew);
        assert_eq!(cut(1, 0), "1 datagram entered whole and left in fragments");
        let both = "2 datagrams entered whole and left in fragments, 3 entered in fragments and \
                    left in others";
        assert_eq!(cut(2, 3), both);
    }
}
