//! D14, ip-id-reused.

use crate::account::{Flow, Loss};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, number};

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

/// Pieces of two datagrams with one identification were put together, or may be.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    mixed(known).or_else(|| possible(known))
}

fn mixed(known: &Known<'_>) -> Option<Finding> {
    let spliced = known.lost(Loss::Spliced);
    let overlapped = known.lost(Loss::OverlapAfterPause);
    if spliced.datagrams + overlapped.datagrams == 0 {
        return None;
    }
    let mut seen = Vec::new();
    if spliced.datagrams > 0 {
        seen.push(format!(
            "{} whole but wrong by the checksum, and came in pieces with a pause between: as if an \
             unfinished datagram was completed with pieces of a later one.",
            are(spliced.datagrams),
        ));
    }
    if overlapped.datagrams > 0 {
        seen.push(format!(
            "In {} pieces overlap that came so far apart that they are hardly of one datagram.",
            number::counted(overlapped.datagrams, "datagram"),
        ));
    }
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen.join(" "))
            .missing(spliced.bytes + overlapped.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::Spliced),
                "the unfinished datagram whose identification came again",
            )
            .shown_by(
                known.exhibits().of_loss(Loss::OverlapAfterPause),
                "the unfinished datagram whose identification came again",
            )
            .in_flows(known, |flow| {
                let losses = flow.losses();
                losses
                    .of_any(&[Loss::Spliced, Loss::OverlapAfterPause])
                    .bytes
            }),
    )
}

fn are(datagrams: u64) -> String {
    let verb = if datagrams == 1 { "is" } else { "are" };
    format!("{} {verb}", number::counted(datagrams, "datagram"))
}

/// Datagrams it takes to measure a rate.
const FEWEST: u64 = 1_000;
/// IPv4 identifications.
const IDS: f64 = 65_536.0;

/// The identifications come round before a receiver forgets an unfinished datagram.
fn possible(known: &Known<'_>) -> Option<Finding> {
    let round = |flow: &Flow| {
        let datagrams = flow.counters().datagrams.fragmented;
        let seconds = (flow.last - flow.first).as_secs_f64();
        (datagrams >= FEWEST && seconds > 0.0).then(|| IDS * seconds / datagrams as f64)
    };
    let ipv4 = known
        .odd
        .iter()
        .filter(|(key, _)| key.addresses.version == IpVersion::V4);
    let rounds = ipv4.filter_map(|(key, flow)| Some((round(flow)?, *key, *flow)));
    let fast = rounds.filter(|(seconds, ..)| *seconds < LINUX_SECONDS);
    let (seconds, key, flow) = fast.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let unfinished = flow.counters().datagrams.fragmented - flow.counters().datagrams.reassembled;
    let seen = format!(
        "At its rate {} needs all 65,536 identifications in {}, and Linux keeps an \
         unfinished datagram for 30 s: pieces of a later one can complete it. {} unfinished here; none \
         is known to have been completed so.",
        key.addresses.source(),
        number::duration(seconds),
        are(unfinished),
    );
    Some(
        Finding::new(&CAUSE, confidence::POSSIBLE, seen)
            .graded(Severity::Info)
            .in_these(vec![(1, *key)]),
    )
}

/// `net.ipv4.ipfrag_time` by default.
const LINUX_SECONDS: f64 = 30.0;
