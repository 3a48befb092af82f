//! D30, odd-fragment-length.

use crate::account::Loss;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D30",
    name: "odd-fragment-length",
    title: "A fragment has an impossible length",
    severity: Severity::Error,
    meaning: "A fragment that is not the last carries no multiple of 8 bytes, or one ends beyond \
              65,535 bytes, and its datagram can never be whole. Offsets count in units of 8, so \
              an odd length leaves a gap that nothing can fill: Linux cuts the excess off, and the \
              datagram times out; for IPv6 it answers with an ICMPv6 parameter problem. The source \
              is a broken stack or middlebox, or an attack.",
    signature: "Fragments with \"more fragments\" set whose payload is no multiple of 8, or an \
              offset plus length beyond 65,535.",
    confirms: "The same fragments are in a capture at the source, or first appear behind one \
              device.",
    denies: "The file was cut short and the lengths are those of the capture, not of the IP \
              header.",
    disprove: "Run `tcpdump -ni eth0 'ip[6] & 0x20 != 0 and ip[3] & 7 != 4'` at the source (for IP \
              headers of 20 bytes): if nothing is printed, they are not made there.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "update or replace the device that makes them: its MAC address is in the frame",
        },
        Fix {
            when: "any, to see who sends them",
            kind: FixKind::Command,
            command: "tcpdump -c 20 -eni eth0 'ip[6] & 0x20 != 0'",
        },
    ],
    references: &["RFC 791 section 3.2", "RFC 8200 section 4.5"],
};

/// Fragments whose lengths no correct sender makes.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let ragged = known.lost(Loss::Ragged);
    let oversized = known.lost(Loss::Oversized);
    if ragged.datagrams + oversized.datagrams == 0 {
        return None;
    }
    let mut seen = Vec::new();
    if ragged.datagrams > 0 {
        seen.push(format!(
            "{} a fragment that is not the last and whose length is no multiple of 8: Linux leaves \
             a hole there, and the datagram times out.",
            has(ragged.datagrams),
        ));
    }
    if oversized.datagrams > 0 {
        seen.push(format!(
            "{} a fragment that ends beyond 65,535 bytes, which no datagram can have.",
            has(oversized.datagrams),
        ));
    }
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen.join(" "))
            .missing(ragged.bytes + oversized.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::Ragged),
                "a fragment of it has a length that is no multiple of 8",
            )
            .shown_by(
                known.exhibits().of_loss(Loss::Oversized),
                "a fragment of it ends beyond 65,535 bytes",
            )
            .in_flows(known, |flow| {
                flow.losses().of_any(&[Loss::Ragged, Loss::Oversized]).bytes
            }),
    )
}

fn has(datagrams: u64) -> String {
    let verb = if datagrams == 1 { "has" } else { "have" };
    format!("{} {verb}", number::counted(datagrams, "datagram"))
}
