//! C17, path-drops-told.

use crate::compare::DropsTold;
use crate::diagnose::path::finding::{Evidence, Finding};
use crate::diagnose::path::given::{Given, MAX_FLOWS, MAX_SHOWN};
use crate::diagnose::path::told::{self, Reason};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;
use std::collections::BTreeSet;

/// Errors that are told one by one; those behind them in one number.
const TOLD: usize = 3;

/// For each flow a sender that learns how large packets may be loses a few.
const LEARNT_FROM: u64 = 3;

pub(super) const CAUSE: Cause = Cause {
    id: "C17",
    name: "path-drops-told",
    title: "ICMP errors say why packets are dropped",
    severity: Severity::Error,
    meaning: "Who drops a packet may say so to its sender: a router that has no route, or no hops \
              left for it, or a smaller MTU behind; a firewall that rejects; a host where nobody \
              listens. Errors that are in one capture and not in the next, further on, were sent \
              by somebody in between.",
    signature: "ICMP errors that quote packets of the path come back, to a point in front of the \
                one that does not show them.",
    confirms: "Packets of the flows that are quoted are missing at the next point, and `ping` or \
               `traceroute` from the sender ends at the address that sends the errors.",
    denies: "As many packets are at the next point as were sent: then errors are late, forged, or \
             of packets that went another way.",
    disprove: "Capture at the host that sends the errors, `tcpdump -ni any icmp or icmp6`: it has \
               to show them going out, and the packets coming in.",
    fix: &FIXES,
    references: &[
        "RFC 792",
        "RFC 1191 section 4",
        "RFC 1812 section 5.2.7",
        "RFC 4443 section 3",
        "Linux net/ipv4/icmp.c",
    ],
};

static FIXES: [Fix; 7] = [
    Fix {
        when: "too large: what the sender takes the path's MTU for",
        kind: FixKind::Command,
        command: "ip route get 192.0.2.1",
    },
    Fix {
        when: "too large, TCP: the router lets connections agree on less",
        kind: FixKind::Command,
        command: "nft add rule inet filter forward tcp flags syn tcp option maxseg size set rt mtu",
    },
    Fix {
        when: "prohibited: which firewall rule rejects",
        kind: FixKind::Command,
        command: "nft list ruleset",
    },
    Fix {
        when: "no route or host: where the one who says so sends it",
        kind: FixKind::Command,
        command: "ip route get 192.0.2.1; ip neigh show",
    },
    Fix {
        when: "TTL ran out: whether routes lead in a circle",
        kind: FixKind::Command,
        command: "mtr -n -r -c 10 192.0.2.1",
    },
    Fix {
        when: "nobody listens: what does, at the receiver",
        kind: FixKind::Command,
        command: "ss -lnutwS",
    },
    Fix {
        when: "not whole in time: what the receiver lacks",
        kind: FixKind::Command,
        command: "nstat -az IpReasmFails IpReasmTimeout",
    },
];

/// Which of them help.
fn fixes(reason: Reason) -> &'static [Fix] {
    match reason {
        Reason::TooBig => &FIXES[0..2],
        Reason::Prohibited => &FIXES[2..3],
        Reason::NoRoute | Reason::Unreachable => &FIXES[3..4],
        Reason::HopLimit => &FIXES[4..5],
        Reason::NobodyListens => &FIXES[5..6],
        Reason::NotWhole => &FIXES[6..7],
        Reason::Malformed | Reason::Other => &[],
    }
}

/// Each segment in which packets are dropped by somebody who says so, and what is behind the ends.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let told = given.outcome.drops_told.iter();
    let places: BTreeSet<_> = told.map(|told| (told.segment, told.is_backward)).collect();
    let findings = places.into_iter().filter_map(|(segment, is_backward)| {
        let told: Vec<&DropsTold> = given.told(segment, is_backward).collect();
        finding(given, segment, is_backward, &told)
    });
    findings.collect()
}

fn finding(
    given: &Given<'_>,
    segment: Option<usize>,
    is_backward: bool,
    told: &[&DropsTold],
) -> Option<Finding> {
    let worst = told.iter().map(|told| severity(told)).max()?;
    let (place, end) = given.place(segment, is_backward);
    let lost = segment.map_or(0, |pair| {
        given.sums.one_way(is_backward)[pair].lost().packets
    });
    let seen = format!(
        "{place}: {}.{}{}",
        list(told),
        more_lost(told, lost),
        more_refused(given, told, end)
    );
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in told.iter().map(|told| Reason::of(&told.says)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let flows = told.iter().flat_map(|told| &told.flows);
    let found = match segment {
        Some(pair) => Finding::between(&CAUSE, pair, 0.9, seen),
        None => Finding::at(&CAUSE, end, 0.9, seen),
    };
    Some(Finding {
        is_backward: Some(is_backward),
        severity: worst,
        evidence: told
            .iter()
            .take(MAX_SHOWN)
            .map(|told| shown(told))
            .collect(),
        fix: reasons.iter().flat_map(|reason| fixes(*reason)).collect(),
        flows: flows
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .take(MAX_FLOWS)
            .collect(),
        ..found
    })
}

fn list(told: &[&DropsTold]) -> String {
    let mut list: Vec<String> = told.iter().take(TOLD).map(|told| one(told)).collect();
    if told.len() > TOLD {
        let others = told[TOLD..].iter();
        let errors: u64 = others.map(|told| told.errors).sum();
        list.push(format!(
            "others say the like of {}",
            number::counted(errors, "packet")
        ));
    }
    list.join("; ")
}

fn one(told: &DropsTold) -> String {
    let of = match told.flows.len() {
        0 => String::new(),
        flows => format!(" of {}", number::counted(flows as u64, "flow")),
    };
    format!(
        "{} says of {}{of} that {} (ICMP type {}, code {})",
        told.says.by,
        number::counted(told.errors, "packet"),
        told::why(&told.says, told.errors),
        told.says.kind,
        told.says.code,
    )
}

/// Whether more is lost than is told.
fn more_lost(told: &[&DropsTold], lost: u64) -> String {
    let errors: u64 = told.iter().map(|told| told.errors).sum();
    match lost > errors {
        true => format!(
            " {} are lost there: hosts send so many errors a second and no more.",
            number::counted(lost, "packet")
        ),
        false => String::new(),
    }
}

/// Whether more comes to ports at which nobody listens than is told. Linux sends one such error a
/// second to each host, after the first six (net/ipv4/icmp.c, `icmp_ratelimit`).
fn more_refused(given: &Given<'_>, told: &[&DropsTold], end: usize) -> String {
    let refusing = told
        .iter()
        .filter(|told| Reason::of(&told.says) == Reason::NobodyListens);
    let errors: u64 = refusing.clone().map(|told| told.errors).sum();
    let flows: BTreeSet<usize> = refusing
        .flat_map(|told| told.flows.iter().copied())
        .collect();
    let came = flows.iter().map(|flow| {
        let at = given.outcome.flows[*flow].account.at.get(end);
        at.map_or(0, |at| at.packets)
    });
    let came: u64 = came.sum();
    match errors > 0 && came > errors {
        true => format!(
            " {} of these flows come there, and hosts send few such errors (Linux: one a second to \
             each host): more may be refused.",
            number::counted(came, "packet"),
        ),
        false => String::new(),
    }
}

fn severity(told: &DropsTold) -> Severity {
    match Reason::of(&told.says) {
        Reason::TooBig if told.errors <= LEARNT_FROM * told.flows.len() as u64 => Severity::Info,
        Reason::TooBig
        | Reason::NobodyListens
        | Reason::NotWhole
        | Reason::Malformed
        | Reason::Other => Severity::Warning,
        Reason::Prohibited | Reason::NoRoute | Reason::Unreachable | Reason::HopLimit => {
            Severity::Error
        }
    }
}

fn shown(told: &DropsTold) -> Evidence {
    Evidence {
        point: told.first.point,
        frame: told.first.frame,
        timestamp: told.first.time,
        note: format!(
            "{} says of a packet that {}",
            told.says.by,
            told::why(&told.says, 1)
        ),
    }
}
