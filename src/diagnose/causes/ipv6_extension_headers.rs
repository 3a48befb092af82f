//! D32, ipv6-extension-headers.

use crate::account::{Loss, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D32",
    name: "ipv6-extension-headers",
    title: "IPv6 fragments are filtered",
    severity: Severity::Warning,
    meaning: "IPv6 fragments carry an extension header, and many firewalls and routers drop \
              packets with one, so large datagrams vanish over IPv6 while IPv4 works. Routers \
              never fragment IPv6: only the sender can. A packet that is whole but has a fragment \
              header (an atomic fragment) is legal and must be handled by itself. The first \
              fragment has to hold all headers, or it may be dropped.",
    signature: "Large IPv6 datagrams lose all their fragments, or all but none, while small ones of \
              the same flow get through; the same service works over IPv4.",
    confirms: "Every fragment is in a capture at the sender and none at the receiver.",
    denies: "Fragments arrive, and some are lost at random.",
    disprove: "Run `ping -6 -c 3 -s 4000 PEER` from the sender: answers mean that fragments get \
              through in both directions.",
    fix: &[
        Fix {
            when: "nftables router",
            kind: FixKind::Command,
            command: "nft insert rule inet filter forward exthdr frag exists accept",
        },
        Fix {
            when: "ip6tables router",
            kind: FixKind::Command,
            command: "ip6tables -I FORWARD -m ipv6header --soft --header frag -j ACCEPT",
        },
        Fix {
            when: "DNS server (BIND, Unbound, Knot)",
            kind: FixKind::Advice,
            command: "limit EDNS answers to 1232 bytes",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages at or below 1232 bytes: that fits every IPv6 path",
        },
    ],
    references: &[
        "RFC 8200 section 4.5",
        "RFC 6946 section 4",
        "RFC 7112 section 5",
        "RFC 7872",
        "RFC 9098",
    ],
};

/// IPv6 fragments vanish where those of IPv4 come; or there are fragment headers that
/// filters mistake for fragments.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    vanishing(known).or_else(|| atomic(known))
}

fn vanishing(known: &Known<'_>) -> Option<Finding> {
    let of = |version| {
        known
            .destinations
            .iter()
            .filter(move |host| host.host.version == version)
    };
    let lost = of(IpVersion::V6).find(|host| {
        host.reassembled == 0 && host.lacking().datagrams + host.only_first.datagrams >= FEWEST
    })?;
    let passes = of(IpVersion::V4).any(|host| host.reassembled >= FEWEST)
        && of(IpVersion::V4).all(|host| host.lacking().datagrams == 0);
    let exhibits = known.exhibits();
    let seen = format!(
        "Of {} in IPv6 fragments to {} none is whole, while those of IPv4 come.",
        number::counted(lost.fragmented, "datagram"),
        lost.address(),
    );
    let finding = Finding::new(&CAUSE, confidence::FITS, seen)
        .shown_by(exhibits.of_loss(Loss::Gap), "not all of it came")
        .shown_by(
            exhibits.of_loss(Loss::OnlyFirst),
            "only its first fragment came",
        )
        .shown_by(
            exhibits.of_loss(Loss::NoFirst),
            "its first fragment never came",
        )
        .in_these(lost.flows.iter().map(|key| (1, *key)).collect());
    passes.then_some(finding)
}

/// Datagrams it takes to call it a rule.
const FEWEST: u64 = 3;

fn atomic(known: &Known<'_>) -> Option<Finding> {
    let atomic = known.totals.fragments.atomic;
    if atomic == 0 {
        return None;
    }
    let seen = format!(
        "{} in a single piece {} a fragment header all the same (RFC 6946): what drops IPv6 fragments \
         can drop that too.",
        number::counted(atomic, "IPv6 packet"),
        if atomic == 1 { "has" } else { "have" },
    );
    Some(
        Finding::new(&CAUSE, confidence::POSSIBLE, seen)
            .graded(Severity::Info)
            .shown_by(
                known.exhibits().of_sign(Sign::Atomic),
                "whole, with a fragment header",
            )
            .in_flows(known, |flow| flow.counters().fragments.atomic),
    )
}
