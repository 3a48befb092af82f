//! C18, path-lost-in-host.

use crate::compare::InHost;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C18",
    name: "path-lost-in-host",
    title: "A host loses what passes it",
    severity: Severity::Error,
    meaning: "A capture on all interfaces of a host shows packets coming in, and does not show \
              all of them going out. What drops them is in the host itself: a firewall rule or \
              policy, connection tracking, the switch or the service proxy in it, a queue in \
              front of an interface; not the network, and not the next host.",
    signature: "Of flows that one interface of the point shows, another shows less, further on.",
    confirms: "A counter of drops on the host grows by as many: of a rule, of the datapath, of \
               the queue of an interface.",
    denies: "The capture says that it dropped packets: it may lack one of the two sights of a \
             packet.",
    disprove: "Count at both interfaces in the kernel, where no capture can lose: `tc filter add \
               dev eth0 ingress matchall action ok`, and the same with `egress` at the other, \
               each behind `tc qdisc add dev eth0 clsact`; then `tc -s filter show`.",
    fix: &[
        Fix {
            when: "Linux, where in the kernel packets are dropped",
            kind: FixKind::Command,
            command: "perf trace --no-syscalls -e skb:kfree_skb --duration 10",
        },
        Fix {
            when: "Linux, which firewall rule drops",
            kind: FixKind::Command,
            command: "nft list ruleset",
        },
        Fix {
            when: "Linux, whether connection tracking drops",
            kind: FixKind::Command,
            command: "conntrack -S",
        },
        Fix {
            when: "Open vSwitch, which datapath drops",
            kind: FixKind::Command,
            command: "ovs-appctl coverage/show",
        },
        Fix {
            when: "Cilium, which policy drops",
            kind: FixKind::Command,
            command: "cilium-dbg monitor --type drop",
        },
    ],
    references: &[
        "man7.org/linux/man-pages/man8/tc-actions.8.html",
        "Linux include/net/dropreason-core.h",
    ],
};

/// Packets at which a capture may begin or end between two interfaces.
const ENOUGH: u64 = 4;

/// Each host that loses something, either way.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let lossy = lossy(given);
    lossy.map(|host| finding(given, host)).collect()
}

/// Hosts that lose more than the edges of a capture make of it.
pub(in crate::diagnose::path) fn lossy<'a>(
    given: &Given<'a>,
) -> impl Iterator<Item = &'a InHost> + use<'a> {
    let outcome: &'a crate::compare::Outcome = given.outcome;
    outcome.in_hosts.iter().filter(|host| is_lossy(host))
}

fn is_lossy(host: &InHost) -> bool {
    let mean = host.came.bytes / host.came.packets.max(1);
    let lost = host.lost_packets().unwrap_or(u64::MAX);
    lost >= ENOUGH && host.lost_bytes() >= ENOUGH * mean.max(1)
}

fn finding(given: &Given<'_>, host: &InHost) -> Finding {
    let at = name(host.point);
    let flows = number::counted(host.flows, "flow");
    let (came, lost, share) = match host.lost_packets() {
        Some(lost) => (
            number::counted(host.came.packets, "packet"),
            number::count(lost),
            number::percent(lost, host.came.packets),
        ),
        None => (
            number::bytes(host.came.bytes),
            number::bytes(host.lost_bytes()),
            number::percent(host.lost_bytes(), host.came.bytes),
        ),
    };
    let (confidence, doubt) = doubt(given, host.point);
    let seen = format!(
        "Of {came} of {flows} that come in to the host of {at}, {lost} ({share}) go out by no \
         interface of it.{doubt}"
    );
    let found = match host.segment {
        Some(pair) => Finding::between(&CAUSE, pair, confidence, seen),
        None => Finding::at(&CAUSE, host.point, confidence, seen),
    };
    Finding {
        is_backward: Some(host.is_backward),
        ..found
    }
}

fn doubt(given: &Given<'_>, point: usize) -> (f64, String) {
    match given.own_drops(point) {
        Some(0) => (0.9, String::new()),
        Some(dropped) => (
            0.4,
            format!(
                " The capture says that it dropped {}, and may lack them itself.",
                number::counted(dropped, "frame")
            ),
        ),
        None => (
            0.75,
            " The capture does not say whether it dropped any (pcap has no room for it)."
                .to_owned(),
        ),
    }
}
