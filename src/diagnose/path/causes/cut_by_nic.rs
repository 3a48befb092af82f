//! C11, path-segmentation.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Given, MAX_SHOWN};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C11",
    name: "path-segmentation",
    title: "Packets are cut or joined by NICs",
    severity: Severity::Info,
    meaning: "A host hands its NIC more than a packet at a time (TSO, GSO), and gets several \
              joined into one (GRO, LRO). Captures beside it show packets that were never on a \
              wire; the same bytes are more or fewer packets at the other point. Numbers of \
              packets cannot be compared, bytes can. It is not a fault.",
    signature: "The bytes of one packet at one point are several packets at the other.",
    confirms: "`ethtool -k` says tcp-segmentation-offload or generic-receive-offload: on.",
    denies: "The pieces are IP fragments: then something cut them that knows nothing of TCP.",
    disprove: "Capture again with `ethtool -K eth0 tso off gso off gro off`: sizes are equal at \
               both points.",
    fix: &[Fix {
        when: "nothing to repair",
        kind: FixKind::Advice,
        command: "nothing is broken; compare bytes, not packets",
    }],
    references: &["Linux Documentation/networking/segmentation-offloads.rst"],
};

/// Each segment in which packets are cut or joined.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let changed = given.found(count).into_iter();
    changed
        .map(|found| {
            let examples = &found.between.examples;
            let cut = examples.of(Oddity::Segmented).take(MAX_SHOWN / 2);
            let joined = examples.of_reverse(Oddity::Segmented).take(MAX_SHOWN / 2);
            let cut_notes = [
                "a super-frame as it entered",
                "of the same bytes as they left",
            ];
            let joined_notes = ["of the same bytes as they entered", "joined as they left"];
            Finding {
                evidence: [
                    given.example_frames(cut, cut_notes),
                    given.example_frames(joined, joined_notes),
                ]
                .concat(),
                flows: given.flows(found.pair, count),
                ..found.finding(&CAUSE, 0.95, |way| {
                    let resized = resized(way.between.segmented, way.between.coalesced);
                    format!("{resized}.")
                })
            }
        })
        .collect()
}

fn count(between: &Between) -> u64 {
    between.segmented + between.coalesced
}

/// Super-frames that were cut, and packets that were joined.
fn resized(cut: u64, joined: u64) -> String {
    let cut_too = format!(
        "{} left as several packets",
        number::counted(cut, "super-frame")
    );
    let were = if joined == 1 { "was" } else { "were" };
    match (cut, joined) {
        (_, 0) => cut_too,
        (0, _) => format!("{} {were} joined", number::counted(joined, "packet")),
        _ => format!("{cut_too}, and {} {were} joined", number::count(joined)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_happen_is_not_told() {
        assert_eq!(resized(1, 0), "1 super-frame left as several packets");
        assert_eq!(resized(0, 5), "5 packets were joined");
        let both = "2 super-frames left as several packets, and 5 were joined";
        assert_eq!(resized(2, 5), both);
    }
}
