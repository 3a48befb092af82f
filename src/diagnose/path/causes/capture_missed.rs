//! C03, capture-missed.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C03",
    name: "capture-missed",
    title: "A capture misses what passed its point",
    severity: Severity::Warning,
    meaning: "Packets were seen in front of a point and behind it, so that they passed it, and \
              the capture there does not have them: it lost them, or they pass on a way that it \
              does not see. A filter for ports lets no fragments pass but first ones, and one \
              direction (`-Q in`) half of all. Taken alone, that capture shows a loss that never \
              was. They are counted as arrived here.",
    signature: "Packets of the points on both sides are missing in the capture between them, or \
                come out of a segment that they were not seen to enter.",
    confirms: "tcpdump ended with packets dropped by kernel above 0 at that point.",
    denies: "The file says 0 dropped, and packets take two ways of which only one is captured.",
    disprove: "Capture again at that point alone, with a larger buffer and a smaller snaplen: \
               `tcpdump -i eth0 -s 128 -B 262144 -w again.pcap`; if as many are missing, they \
               pass another way.",
    fix: &[
        Fix {
            when: "tcpdump",
            kind: FixKind::Command,
            command: "tcpdump -i eth0 -s 128 -B 262144 -w capture.pcap",
        },
        Fix {
            when: "a filter for ports: take fragments, which have none, as well",
            kind: FixKind::Command,
            command: "tcpdump -i eth0 -s 128 -w capture.pcap 'udp port 5201 or ip[6:2] & 0x1fff != 0'",
        },
        Fix {
            when: "bonds, multipath routes, several queues or paths",
            kind: FixKind::Advice,
            command: "capture on each of the interfaces, and compare them one by one",
        },
    ],
    references: &[
        "www.tcpdump.org/manpages/tcpdump.1.html",
        "man7.org/linux/man-pages/man7/packet.7.html",
    ],
};

/// Each point between others that misses something, and each segment out of which more
/// came than went in.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let points = given.outcome.points.iter().enumerate();
    let missing = points.skip(1).filter(|(_, point)| point.tally.missed > 0);
    let mut found: Vec<Finding> = missing
        .map(|(place, point)| {
            let passed = point.tally.missed;
            let to_many = to_many(given, place).map(|what| (what, 0.5));
            let known = to_many.or_else(|| given.lacks(place));
            let (what, confidence) = known.unwrap_or((String::new(), 0.95));
            let seen = format!(
                "{} of {} that passed {} are not in its capture ({}).{what}",
                number::count(passed),
                number::counted(passed + point.tally.matched, "packet"),
                name(place),
                point.file.path,
            );
            let missed = given.sums.pairs.get(place - 1);
            let missed = missed
                .into_iter()
                .flat_map(|between| between.examples.of(Oddity::Missed));
            let note = format!("passed {}, which does not show it", name(place));
            Finding {
                evidence: given.example_frames(missed, [&note, &note]),
                ..Finding::at(&CAUSE, place, confidence, seen)
            }
        })
        .collect();
    let unseen_before = given.found(appeared).into_iter();
    found.extend(unseen_before.map(|found| Finding {
        evidence: given.appeared_frames(found.pair, found.between),
        ..found.finding(&CAUSE, 0.6, |way| {
            let is_late = given.outcome.nearly_too_late(found.pair).is_some();
            unseen(appeared(way.between), is_late)
        })
    }));
    found
}

/// Of what goes to a group and is missed, the points may be receivers.
fn to_many(given: &Given<'_>, place: usize) -> Option<String> {
    let flows = given.outcome.flows.iter();
    let missed = flows.filter(|flow| flow.account.at[place].missed > 0);
    let missed = missed.max_by_key(|flow| flow.account.at[place].missed)?;
    let key = missed.keys.iter().flatten().next()?;
    key.addresses.are_to_many().then(|| {
        format!(
            " Most of it goes to {}, of which the points may be receivers beside each other: then \
             compare each with the sender by itself.",
            key.addresses.destination()
        )
    })
}

fn appeared(between: &Between) -> u64 {
    between.appeared().packets
}

/// Packets that came out of a segment alone.
fn unseen(packets: u64, is_late: bool) -> String {
    let (were, them, they) = match packets {
        1 => ("was", "it", "it"),
        _ => ("were", "them", "they"),
    };
    let took = match is_late {
        true => format!(", or {they} took longer than `--window` waits for"),
        false => String::new(),
    };
    format!(
        "{} came out that {were} not seen to go in: the capture in front lost {them}, or {they} \
         came another way{took}.",
        number::counted(packets, "packet"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_packet_was_and_two_were() {
        let one = "1 packet came out that was not seen to go in: the capture in front lost it, or \
                   it came another way.";
        assert_eq!(unseen(1, false), one);
        assert!(unseen(2, true).starts_with("2 packets came out that were not seen"));
    }
}
