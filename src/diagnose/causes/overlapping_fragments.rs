//! D12, overlapping-fragments.

use crate::account::{Flow, Loss, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D12",
    name: "overlapping-fragments",
    title: "Fragments contradict each other",
    severity: Severity::Warning,
    meaning: "Two fragments of one datagram claim the same bytes, but not as copies of each other: \
              they overlap in part, or name two different ends. Linux throws the whole datagram \
              away, as IPv6 demands of everyone, because overlaps were used to smuggle data past \
              firewalls. The usual sources are an attack or a test tool, a broken middlebox, or \
              two datagrams with the same identification (D14).",
    signature: "Fragments of one datagram overlap in part, or two of them are last at different \
              places.",
    confirms: "IpExtReasmOverlaps grows on the receiver.",
    denies: "The overlapping pieces are equal byte for byte: those are copies (D13), which do no \
              harm.",
    disprove: "Run `nstat -az IpExtReasmOverlaps` on the receiver: if it does not grow, the kernel \
              threw nothing away for this.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "find the emitter: compare TTL and source MAC address of the fragments that contradict each other",
        },
        Fix {
            when: "identifications that repeat",
            kind: FixKind::Advice,
            command: "keep messages below the MTU, see D14",
        },
    ],
    references: &[
        "RFC 5722 section 4",
        "RFC 8200 section 4.5",
        "RFC 1858 section 4",
        "git.kernel.org/linus/7969e5c40dfd",
    ],
};

/// Pieces of one datagram contradict each other, in place or in content.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let overlapped = known.lost(Loss::Overlap);
    let altered: u64 = known.odd.iter().map(|(_, flow)| altered_copies(flow)).sum();
    if overlapped.datagrams + altered == 0 {
        return None;
    }
    let mut seen = Vec::new();
    if overlapped.datagrams > 0 {
        seen.push(format!(
            "Pieces of {} overlap in part, or disagree about its end: Linux throws such a \
             datagram away.",
            number::counted(overlapped.datagrams, "datagram"),
        ));
    }
    if altered > 0 {
        seen.push(format!(
            "{} brought other bytes than the piece with the same place: a receiver keeps one of \
             them, and says nothing.",
            number::counted(altered, "fragment"),
        ));
    }
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen.join(" "))
            .missing(overlapped.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::Overlap),
                "its pieces overlap",
            )
            .shown_by(
                known.exhibits().of_sign(Sign::AlteredCopy),
                "a piece came twice with other bytes",
            )
            .in_flows(known, |flow| {
                flow.losses().of(Loss::Overlap).datagrams + altered_copies(flow)
            }),
    )
}

/// Copies with other bytes. Those in flows whose identifications come again are of other
/// datagrams.
fn altered_copies(flow: &Flow) -> u64 {
    let reused = flow
        .losses()
        .of_any(&[Loss::Spliced, Loss::OverlapAfterPause]);
    if reused.datagrams == 0 {
        flow.altered_copies()
    } else {
        0
    }
}
