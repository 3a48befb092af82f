//! C06, path-checksum-broken.

use crate::compare::Between;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C06",
    name: "path-checksum-broken",
    title: "Checksums are broken on the way",
    severity: Severity::Error,
    meaning: "Packets enter with a right checksum, or with one that is left to a NIC, and leave \
              with a wrong one: the receiver drops them without a word. Whoever changes an \
              address or a port has to change the checksum with it; on a checksum that is not \
              finished, that goes wrong.",
    signature: "The same packet has a good or an unfinished transport checksum at one point and a \
                bad one at the next.",
    confirms: "NAT or a tunnel lies between the points; `UdpInCsumErrors` or `TcpInCsumErrors` of \
               the receiver grows.",
    denies: "The bytes of the packets differ, too: then they are damaged, not translated.",
    disprove: "Switch checksum offloading off where the packets enter: `ethtool -K eth0 tx off`; \
               if checksums are wrong behind still, it is not the offload.",
    fix: &[
        Fix {
            when: "the device in front leaves checksums to its NIC",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx off",
        },
        Fix {
            when: "VXLAN devices under NAT (Calico, Flannel)",
            kind: FixKind::Command,
            command: "ethtool -K vxlan.calico tx-checksum-ip-generic off",
        },
    ],
    references: &[
        "RFC 3022 section 4.2",
        "Linux Documentation/networking/checksum-offloads.rst",
        "projectcalico/calico#3145",
    ],
};

/// Each segment in which checksums break.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let broken = given.segments().filter(|(_, between)| count(between) > 0);
    broken
        .map(|(pair, between)| {
            let has_nat = given.outcome.flows.iter().any(|flow| {
                let keys: Vec<_> = flow.keys.iter().flatten().collect();
                keys.windows(2)
                    .any(|pair| pair[0].addresses != pair[1].addresses)
            });
            let why = if has_nat {
                " Addresses are translated on this path."
            } else {
                ""
            };
            let seen = format!(
                "{}: the checksums of {} were right or unfinished and are wrong behind.{why}",
                given.segment_name(pair),
                number::counted(count(between), "packet"),
            );
            Finding {
                flows: given.flows(pair, count),
                ..Finding::between(&CAUSE, pair, 0.95, seen)
            }
        })
        .collect()
}

/// Packets whose bytes stayed the same; damaged ones break their checksum as well.
fn count(between: &Between) -> u64 {
    let broken = ["good", "offloaded"].map(|from| between.checksums_became(from, "bad"));
    broken.iter().sum::<u64>().saturating_sub(between.corrupted)
}
