//! L01, wrong-udp-length.

use crate::account::{Loss, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "L01",
    name: "wrong-udp-length",
    title: "The length in the UDP header is wrong",
    severity: Severity::Error,
    meaning: "The UDP header of a whole datagram names another length than the IP header leaves \
              for it. If it names more than is there, or less than its own 8 bytes, every receiver \
              drops the datagram. If it names less, the bytes behind it are ignored, unless they \
              are UDP options. The sender, or something that shortened or padded the packet, got \
              it wrong.",
    signature: "A datagram that is whole, whether it was fragmented or not, whose UDP length differs \
              from its IP payload.",
    confirms: "UdpInErrors grows on the receiver without UdpRcvbufErrors and UdpInCsumErrors.",
    denies: "Only first fragments look so: that is how old tcpdump reads them (D23). Or the \
              packet is a super-frame (D24).",
    disprove: "Run `tcpdump -c 20 -nvi eth0 udp` at the sender with tcpdump 4.99 or later: if it \
              finds no bad length there, they change on the way.",
    fix: &[
        Fix {
            when: "the sender makes them",
            kind: FixKind::Advice,
            command: "correct the program or driver that writes the header: length is 8 plus the payload",
        },
        Fix {
            when: "a device on the path makes them",
            kind: FixKind::Advice,
            command: "capture on both sides of each device, and take the first that changes them out of the path",
        },
    ],
    references: &[
        "RFC 768",
        "RFC 9868",
        "RFC 8085 section 3.4",
        "Linux net/ipv4/udp.c",
    ],
};

/// Length fields that contradict the datagram they are in.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let lengths = known.totals.bad_length;
    let lost = known.lost(Loss::Length);
    let kinds = [
        (
            lengths.udp_longer,
            "UDP length beyond the end of the datagram",
        ),
        (lengths.udp_below_header, "UDP length below 8"),
        (lengths.udp_shorter, "bytes left over behind the UDP length"),
        (lengths.ip_longer, "IP length beyond the frame"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds
        .map(|(count, what)| format!("{} with {what}", number::count(*count)))
        .collect();
    if lengths.total == 0 {
        return None;
    }
    let seen = format!(
        "{} a wrong length: {}.",
        if lengths.total == 1 {
            "1 packet has".to_owned()
        } else {
            format!("{} packets have", number::count(lengths.total))
        },
        kinds.join(", "),
    );
    let is_harmless = lengths.total == lengths.udp_shorter;
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .graded(if is_harmless {
                Severity::Info
            } else {
                Severity::Error
            })
            .missing(lost.bytes)
            .shown_by(
                known.exhibits().of_loss(Loss::Length),
                "its length contradicts the packet",
            )
            .shown_by(
                known.exhibits().of_sign(Sign::Trailing),
                "bytes behind the UDP length",
            )
            .in_flows(known, |flow| flow.counters().bad_length.total),
    )
}
