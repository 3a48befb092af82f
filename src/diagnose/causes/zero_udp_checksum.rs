//! D22, zero-udp-checksum.

use crate::account::{Flow, Loss, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D22",
    name: "zero-udp-checksum",
    title: "UDP without a checksum",
    severity: Severity::Info,
    meaning: "A UDP checksum of 0 says that the sender computed none. Over IPv4 that is allowed, \
              and tunnels such as VXLAN normally do so in their outer header. Over IPv6 it is \
              allowed only in tunnels whose two ends agreed on it; any other such datagram is \
              dropped by the receiver. Without a checksum nobody notices damage, which matters \
              where datagrams are fragmented (D14).",
    signature: "UDP checksum 0. Over IPv6 outside known tunnels it is counted as bad.",
    confirms: "For a tunnel, `ip -d link` shows noudpcsum, or udp6zerocsumtx for IPv6.",
    denies: "A sum that happens to be 0 is sent as 0xffff, so a 0 is never a coincidence. It can \
              be an offload artefact in a capture on the sender.",
    disprove: "Run `ip -d link show vxlan0` on the sender: if it shows udpcsum, the tunnel does \
              compute checksums and the zero comes from elsewhere.",
    fix: &[
        Fix {
            when: "Linux VXLAN over IPv4, when it is made",
            kind: FixKind::Command,
            command: "ip link add vxlan0 type vxlan id 42 dev eth0 remote 10.0.0.2 dstport 4789 udpcsum",
        },
        Fix {
            when: "Linux VXLAN over IPv6, to accept zeros",
            kind: FixKind::Command,
            command: "ip link add vxlan0 type vxlan id 42 dev eth0 remote 2001:db8::2 dstport 4789 udp6zerocsumrx",
        },
        Fix {
            when: "Open vSwitch",
            kind: FixKind::Command,
            command: "ovs-vsctl set interface vxlan0 options:csum=true",
        },
    ],
    references: &[
        "RFC 768",
        "RFC 8200 section 8.1",
        "RFC 6935 section 5",
        "RFC 6936 section 4",
        "RFC 7348 section 5",
        "antrea-io/antrea#1048",
    ],
};

/// UDP without a checksum, where that loses it or hides damage.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    over_ipv6(known).or_else(|| in_fragments(known))
}

fn over_ipv6(known: &Known<'_>) -> Option<Finding> {
    let lost = known.lost(Loss::NoChecksum);
    if lost.datagrams == 0 {
        return None;
    }
    let seen = format!(
        "{} over IPv6 came without a checksum outside any tunnel, which receivers drop.",
        number::counted(lost.datagrams, "UDP datagram"),
    );
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .graded(Severity::Error)
            .missing(lost.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::NoChecksum),
                "UDP over IPv6 with checksum 0",
            )
            .in_flows(known, |flow| flow.losses().of(Loss::NoChecksum).bytes),
    )
}

fn in_fragments(known: &Known<'_>) -> Option<Finding> {
    let exhibits = known.exhibits().of_sign(Sign::UnsummedFragments);
    if exhibits.is_empty() {
        return None;
    }
    let absent = |flow: &Flow| {
        let counters = flow.counters();
        let unsummed = counters.checksums.udp.absent;
        if counters.datagrams.fragmented > 0 {
            unsummed
        } else {
            0
        }
    };
    let datagrams: u64 = known.odd.iter().map(|(_, flow)| absent(flow)).sum();
    let seen = format!(
        "{} of flows that come in fragments {} no checksum: if pieces of two are mixed, nobody \
         notices.",
        number::counted(datagrams, "UDP datagram"),
        if datagrams == 1 { "has" } else { "have" },
    );
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .shown_by(exhibits, "put together, with checksum 0")
            .in_flows(known, absent),
    )
}
