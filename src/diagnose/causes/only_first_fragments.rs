//! D02, only-first-fragments.

use crate::account::Loss;
use crate::diagnose::destination::Destination;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::FlowKey;
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D02",
    name: "only-first-fragments",
    title: "Only first fragments arrive",
    severity: Severity::Error,
    meaning: "Something on the path decides by port numbers, which only the first fragment of a \
              datagram holds, and drops the others. It is a packet filter, load balancer or policy \
              that does not put fragments together before it looks. Small messages of the same \
              flow get through, so a short test looks healthy while every large message is lost.",
    signature: "First fragments of a flow without anything behind them, datagram after datagram, \
              while small datagrams of the same flow are whole. After 30 seconds the receiver \
              answers with ICMP time exceeded, code 1.",
    confirms: "A capture at the sender shows all fragments. The rules of a device between the two \
              match on ports.",
    denies: "Later fragments are seen on the receiver's physical NIC: then they are lost inside \
              the host.",
    disprove: "Run `tcpdump -c 10 -ni eth0 'ip[6:2] & 0x1fff != 0'` on the receiver: if it prints \
              later fragments of this flow, nothing in front of it took them away.",
    fix: &[
        Fix {
            when: "nftables without connection tracking",
            kind: FixKind::Command,
            command: "nft insert rule inet filter forward 'ip frag-off & 0x1fff != 0' accept",
        },
        Fix {
            when: "iptables without connection tracking",
            kind: FixKind::Command,
            command: "iptables -I FORWARD -f -j ACCEPT",
        },
        Fix {
            when: "Linux router (connection tracking puts fragments together)",
            kind: FixKind::Command,
            command: "nft add rule inet filter forward ct state established,related accept",
        },
        Fix {
            when: "security group, cloud firewall, load balancer",
            kind: FixKind::Advice,
            command: "allow UDP between the two addresses without a port range, or keep messages below the MTU",
        },
    ],
    references: &[
        "RFC 1858 section 2",
        "RFC 8900 section 3.4",
        "RFC 8900 section 3.5",
    ],
};

/// Nothing comes of datagrams but their first fragments.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let hosts = known.destinations.iter();
    let hosts = hosts.filter(|host| host.only_first.datagrams > 0);
    let worst = hosts.clone().max_by_key(|host| host.only_first.bytes)?;
    let told = known.told_of_timeouts(&worst.only_first_flows);
    let mut seen = format!(
        "Of {} to {} only the first fragment came, and none is whole.",
        number::counted(worst.only_first.datagrams, "datagram"),
        worst.address(),
    );
    if worst.unfragmented > 0 {
        let small = number::counted(worst.unfragmented, "datagram");
        seen.push_str(&format!(" {small} of the same flows came in one packet."));
    }
    if told > 0 {
        let told = number::counted(told, "time");
        seen.push_str(&format!(" The receiver said so {told} by ICMP."));
    }
    let sureness = if told > 0 || worst.unfragmented > 0 {
        confidence::LIKELY
    } else {
        confidence::FITS
    };
    let lost = hosts.clone().map(|host| host.only_first.bytes).sum();
    Some(
        Finding::new(&CAUSE, sureness, seen)
            .missing(lost)
            .shown_by(
                known.exhibits().of_loss(Loss::OnlyFirst),
                "only its first fragment came",
            )
            .in_these(hosts.flat_map(firsts).collect()),
    )
}

fn firsts(host: &Destination) -> impl Iterator<Item = (u64, FlowKey)> {
    let flows = host.only_first_flows.iter();
    flows.map(|key| (host.only_first.bytes, *key))
}
