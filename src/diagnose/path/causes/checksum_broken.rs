//! C06, path-checksum-broken.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Found, Given};
use crate::diagnose::path::sums::ends_of;
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
        TRANSLATOR,
    ],
    references: &[
        "RFC 3022 section 4.2",
        "RFC 1624",
        "Linux Documentation/networking/checksum-offloads.rst",
        "projectcalico/calico#3145",
    ],
};

/// It comes first where addresses are translated and no offload is to blame.
const TRANSLATOR: Fix = Fix {
    when: "what translates was written or built by oneself (eBPF, DPDK, a switch)",
    kind: FixKind::Advice,
    command: "change the checksum by what an address or a port is changed by (RFC 1624; in eBPF: \
              bpf_l3_csum_replace and bpf_l4_csum_replace)",
};

/// Each segment in which checksums break.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let broken = given.found(count).into_iter();
    broken.map(|found| finding(given, &found)).collect()
}

fn finding(given: &Given<'_>, found: &Found<'_>) -> Finding {
    let has_nat = translates(given, found.pair);
    let examples = found.between.examples.of(Oddity::ChecksumBroken);
    let notes = ["its checksum is not wrong", "its checksum is wrong"];
    let mut finding = Finding {
        evidence: given.example_frames(examples, notes),
        fix: fix(found.between, has_nat),
        flows: given.flows(found.pair, count),
        ..found.finding(&CAUSE, 0.95, |way| went_wrong(way.between))
    };
    if has_nat {
        finding.seen.push_str(" Addresses are translated there.");
    }
    finding
}

fn went_wrong(between: &Between) -> String {
    format!(
        "the checksums of {} were {} and are wrong behind.",
        number::counted(count(between), "packet"),
        before(between),
    )
}

/// What checksums were where they entered.
fn before(between: &Between) -> &'static str {
    let [of_fragments, right, unfinished] =
        ["none", "good", "offloaded"].map(|from| between.checksums_became(from, "bad"));
    match (of_fragments + right, unfinished) {
        (_, 0) => "right",
        (0, _) => "unfinished",
        _ => "right or unfinished",
    }
}

/// What repairs it: no offload is to blame for a checksum that was right already.
fn fix(between: &Between, has_nat: bool) -> Vec<&'static Fix> {
    let mut fix: Vec<&Fix> = CAUSE.fix.iter().collect();
    if has_nat && between.checksums_became("offloaded", "bad") == 0 {
        fix.rotate_right(1);
    }
    fix
}

/// Whether addresses of a flow are others at the second point of a pair.
fn translates(given: &Given<'_>, pair: usize) -> bool {
    let (from, to) = ends_of(given.outcome.points.len(), pair);
    given.outcome.flows.iter().any(|flow| {
        let ends = flow.keys[from].as_ref().zip(flow.keys[to].as_ref());
        ends.is_some_and(|(from, to)| from.addresses != to.addresses)
    })
}

/// Packets whose bytes stayed the same; damaged ones break their checksum as well.
fn count(between: &Between) -> u64 {
    between.checksums_broken().saturating_sub(between.corrupted)
}
