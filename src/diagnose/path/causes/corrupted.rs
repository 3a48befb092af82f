//! C07, path-corruption.

use crate::compare::{Between, DamageLook, Outcome};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C07",
    name: "path-corruption",
    title: "Bytes of packets change on the way",
    severity: Severity::Error,
    meaning: "The same packet has other bytes at the next point, beyond what NAT, tunnels and \
              offloads change. Ethernet's FCS finds what a cable does, so that a device between \
              the points does it: memory, a bus, a NIC that gets offloading wrong, or a middlebox \
              that rewrites payloads.",
    signature: "A packet with the same identification and length has another payload behind.",
    confirms: "Its checksum verifies in front and not behind; single bits differ, or a run of \
               bytes is zero.",
    denies: "Checksums are right at both points: then somebody rewrites the payload on purpose \
             (an application-level gateway, MSS clamping, a proxy).",
    disprove: "Send a known pattern, as in `ping -p ff00 -s 1400 -c 1000 10.16.0.9`, around the \
               device: if bytes differ still, it is not this one.",
    fix: &[
        Fix {
            when: "Linux, NIC offloads one by one",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx off rx off gso off gro off tso off",
        },
        Fix {
            when: "Linux, errors of the NIC",
            kind: FixKind::Command,
            command: "ethtool -S eth0",
        },
        Fix {
            when: "application-level gateways",
            kind: FixKind::Command,
            command: "sysctl -w net.netfilter.nf_conntrack_helper=0",
        },
        TRANSLATOR,
    ],
    references: &["RFC 1071", "RFC 3022 section 6.3"],
};

/// What repairs a translator; it comes first where one is to blame.
const TRANSLATOR: Fix = Fix {
    when: "NAT that takes each fragment for a whole packet",
    kind: FixKind::Advice,
    command: "put datagrams together in front of it, as connection tracking does (`dnat to ADDRESS` \
              in a nat chain of nftables), or let it leave later fragments as they are",
};

/// Each segment in which bytes change.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given.found(|between| between.corrupted).into_iter();
    changed
        .map(|found| Finding {
            fix: fix(given.outcome, found.between),
            evidence: given.changed_frames(&found.between.damaged, "other bytes"),
            flows: given.flows(found.pair, |between| between.corrupted),
            ..found.finding(&CAUSE, 0.8, |way| changed_bytes(given.outcome, way.between))
        })
        .collect()
}

fn changed_bytes(outcome: &Outcome, between: &Between) -> String {
    format!(
        "{} left with other bytes than they entered with.{}{}",
        number::counted(between.corrupted, "packet"),
        spoiled(between),
        described(outcome, between),
    )
}

/// What repairs it, what fits best first.
fn fix(outcome: &Outcome, between: &Between) -> Vec<&'static Fix> {
    let mut fix: Vec<&Fix> = CAUSE.fix.iter().collect();
    let looks = outcome.damage_looks(between);
    let most = looks.first().map(|(look, _)| *look);
    if most == Some(DamageLook::Translated) {
        fix.rotate_right(1);
    }
    fix
}

/// How many datagrams are of no use because of it.
fn spoiled(between: &Between) -> String {
    match between.spoiled {
        0 => String::new(),
        spoiled => format!(
            " Of {} that left with all their bytes {} are spoiled.",
            number::counted(between.front_passed.datagrams, "datagram"),
            number::count(spoiled),
        ),
    }
}

/// What the damage looks like, and where it is.
fn described(outcome: &Outcome, between: &Between) -> String {
    let looks = outcome.damage_looks(between);
    if looks.is_empty() {
        return String::new();
    }
    let looked_at: u64 = looks.iter().map(|(_, packets)| packets).sum();
    let which = match looked_at == between.corrupted {
        true => "They differ",
        false => "The first differ",
    };
    let kinds = looks.iter().map(|(look, packets)| match looks.len() {
        1 => sight(*look).to_owned(),
        _ => format!("{} ({})", sight(*look), number::count(*packets)),
    });
    let kinds: Vec<String> = kinds.collect();
    format!(" {which} {}{}.", kinds.join(", "), place(outcome, between))
}

/// Where it is, if that is always the same place.
fn place(outcome: &Outcome, between: &Between) -> String {
    let Some(place) = outcome.damage_in_common(between) else {
        return String::new();
    };
    let [first, last] = [place.start, place.end.saturating_sub(1)];
    let bytes = match first == last {
        true => format!("byte {first}"),
        false => format!("bytes {first} to {last}"),
    };
    format!(", always at the same place ({bytes} of what IP carries)")
}

fn sight(look: DamageLook) -> &'static str {
    match look {
        DamageLook::Bits => "in single bits",
        DamageLook::Filled => "in a run of equal bytes",
        DamageLook::Patterned => "by a pattern that repeats",
        DamageLook::Shifted => "by bytes that moved",
        DamageLook::Resized => "in length",
        DamageLook::Translated => {
            "in later fragments, where a first one has ports and checksum, as NAT spoils them that \
             takes each fragment for a whole packet"
        }
        DamageLook::SamePlace => "in what somebody writes there",
        DamageLook::Replaced => "in other data",
    }
}
