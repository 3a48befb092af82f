//! C09, path-reordering.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C09",
    name: "path-reordering",
    title: "Packets overtake each other",
    severity: Severity::Info,
    meaning: "Packets of one flow leave a segment in another order than they entered it: they \
              take several ways or several queues. TCP may take it for loss; of fragments Linux \
              discards datagrams when too many others of the same source come between \
              (`ipfrag_max_dist`).",
    signature: "A packet comes after one that was sent later (RFC 4737).",
    confirms: "There are several paths (ECMP, bonds) or several transmit queues between the \
               points.",
    denies: "The capture behind merges several interfaces or queues, whose times are not in \
             order.",
    disprove: "Send the flow over one path (`ip route get 10.16.0.9` names it): if the order does \
               not hold there either, it is not the several ways.",
    fix: &[
        Fix {
            when: "bonds",
            kind: FixKind::Advice,
            command: "hash by flow (xmit_hash_policy layer2+3 keeps fragments together), not round-robin",
        },
        Fix {
            when: "Linux receivers of fragments",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_max_dist=1024",
        },
    ],
    references: &["RFC 4737", "Linux Documentation/networking/ip-sysctl.rst"],
};

/// A share of packets that TCP and fragments do not mind.
const HARMLESS: f64 = 0.001;

/// Each segment in which packets overtake others.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given.found(|between| between.reordered[0]).into_iter();
    changed
        .map(|found| {
            let late = found.between.examples.of(Oddity::Overtaken);
            let notes = ["as it entered", "behind others that entered later"];
            Finding {
                severity: match found.is_any(is_harmful) {
                    true => Severity::Warning,
                    false => CAUSE.severity,
                },
                evidence: given.example_frames(late, notes),
                flows: given.flows(found.pair, |between| between.reordered[0]),
                ..found.finding(&CAUSE, 0.95, |way| overtaken(way.between))
            }
        })
        .collect()
}

fn is_harmful(between: &Between) -> bool {
    between.reordered[0] as f64 > HARMLESS * between.front_passed.packets as f64
}

fn overtaken(between: &Between) -> String {
    let (late, all) = (between.reordered[0], between.front_passed.packets);
    format!(
        "{} of {} came after others that were sent later ({}).",
        number::count(late),
        number::counted(all, "packet"),
        number::percent(late, all),
    )
}
