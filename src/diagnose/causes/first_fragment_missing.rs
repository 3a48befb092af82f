//! D03, first-fragment-missing.

use crate::account::Loss;
use crate::diagnose::destination::Pattern;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D03",
    name: "first-fragment-missing",
    title: "First fragments never arrive",
    severity: Severity::Error,
    meaning: "The head of each datagram is missing while the rest arrives. The head is the only \
              fragment with ports, so whatever looks at ports treats it differently: a rule \
              rejects it, or a tunnel or virtual switch handles it on another path. Nothing can be \
              delivered, and because the head is missing the receiver does not even send an ICMP \
              error: the loss is silent.",
    signature: "Datagrams with fragments at offsets above 0 only, one after the other; their flow \
              has no known ports. No ICMP time exceeded comes back.",
    confirms: "A capture in front of the device shows the heads, one behind it does not.",
    denies: "Heads are missing as often as any other position: then it is ordinary loss.",
    disprove: "Run `tcpdump -c 10 -ni eth0 'ip[6:2] & 0x3fff = 0x2000'` on the receiver: these are \
              first fragments, and if it prints those of this flow, they do get there.",
    fix: &[
        Fix {
            when: "nftables",
            kind: FixKind::Command,
            command: "nft list ruleset | grep -nE 'dport|sport'",
        },
        Fix {
            when: "Open vSwitch",
            kind: FixKind::Command,
            command: "ovs-ofctl set-frags br-int nx-match",
        },
        Fix {
            when: "a firewall in between",
            kind: FixKind::Advice,
            command: "allow UDP between the two addresses without a port range, or keep messages below the MTU",
        },
    ],
    references: &["RFC 8900 section 3.4", "networkservicemesh/sdk#1148"],
};

/// All of a datagram comes but its first fragment.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let hosts = known.destinations.iter();
    let hosts = hosts.filter(|host| host.pattern() == Some(Pattern::NoFirst));
    let worst = hosts.clone().next()?;
    let seen = format!(
        "The first fragment of {} to {} never came while others did, and none is whole.",
        number::counted(worst.losses.of(Loss::NoFirst).datagrams, "datagram"),
        worst.address(),
    );
    let lost = hosts.clone().map(|host| host.lacking().bytes).sum();
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .missing(lost)
            .shown_by(
                known.exhibits().of_loss(Loss::NoFirst),
                "its first fragment never came",
            )
            .in_these(known.lacking_flows(hosts)),
    )
}
