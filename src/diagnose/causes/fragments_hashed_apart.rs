//! D29, fragments-hashed-apart.

use crate::account::{Flow, Loss, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D29",
    name: "fragments-hashed-apart",
    title: "Fragments take different queues or paths",
    severity: Severity::Warning,
    meaning: "A hash over ports sends the first fragment of a datagram another way than the rest, \
              which have no ports. NICs, bonds and routers spread packets over queues and links by \
              such hashes. The head of each datagram travels apart: it comes out of order, or is \
              lost on its own where one queue or link is full. On Azure, Linux's documentation \
              reports high loss of fragmented UDP with such a hash.",
    signature: "First fragments come out of order against the rest of their datagram, or are lost \
              far more often or far more seldom than other positions.",
    confirms: "`ethtool -n eth0 rx-flow-hash udp4` lists L4 bytes; a bond has policy layer3+4; the \
              reordering ends with a hash over addresses only.",
    denies: "All positions are reordered and lost alike.",
    disprove: "Run `ethtool -n eth0 rx-flow-hash udp4` on both hosts: if only IP SA and IP DA are \
              listed, their NICs keep fragments together.",
    fix: &[
        Fix {
            when: "Linux NIC",
            kind: FixKind::Command,
            command: "ethtool -N eth0 rx-flow-hash udp4 sd",
        },
        Fix {
            when: "Linux NIC, IPv6",
            kind: FixKind::Command,
            command: "ethtool -N eth0 rx-flow-hash udp6 sd",
        },
        Fix {
            when: "Linux bond",
            kind: FixKind::Command,
            command: "ip link set dev bond0 type bond xmit_hash_policy layer2+3",
        },
        Fix {
            when: "Open vSwitch bond",
            kind: FixKind::Command,
            command: "ovs-vsctl set port bond0 bond_mode=balance-slb",
        },
        Fix {
            when: "many small packets at the same time",
            kind: FixKind::Advice,
            command: "keep messages below the MTU instead: the hash sdfn spreads small-packet floods, and parts fragments",
        },
    ],
    references: &[
        "Linux Documentation/networking/device_drivers/ethernet/microsoft/netvsc.rst",
        "Linux Documentation/networking/scaling.rst",
        "openvswitch/ovs-issues#368",
    ],
};

/// First fragments come later than their place, and nothing else does.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows = known.odd.iter().filter(|(_, flow)| is_apart(flow));
    let late: u64 = flows.clone().map(|(_, flow)| flow.order().first_late).sum();
    let all: u64 = flows
        .clone()
        .map(|(_, flow)| flow.counters().datagrams.fragmented)
        .sum();
    if late == 0 {
        return None;
    }
    let seen = format!(
        "In {} of {} in fragments the first came after others, which were in order: it took another \
         way, or waited in another queue.",
        number::count(late),
        number::counted(all, "datagram"),
    );
    let is_lossy = flows.clone().any(|(_, flow)| {
        let reasons = [Loss::Gap, Loss::OnlyFirst, Loss::NoFirst];
        flow.losses().of_any(&reasons).datagrams > 0
    });
    Some(
        Finding::new(&CAUSE, confidence::FITS, seen)
            .graded(if is_lossy {
                Severity::Warning
            } else {
                Severity::Info
            })
            .shown_by(
                known.exhibits().of_sign(Sign::FirstLate),
                "its first fragment came after others",
            )
            .in_these(
                flows
                    .map(|(key, flow)| (flow.order().first_late, **key))
                    .collect(),
            ),
    )
}

/// Datagrams it takes to call it a rule.
const FEWEST: u64 = 3;

/// Whether first fragments, and only they, come late in more than a tenth of datagrams.
fn is_apart(flow: &Flow) -> bool {
    let order = flow.order();
    let fragmented = flow.counters().datagrams.fragmented;
    order.first_late >= FEWEST
        && order.first_late * 10 > fragmented
        && order.disordered * 2 < order.first_late
}
