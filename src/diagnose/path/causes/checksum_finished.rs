//! C10, path-checksum-left.

use crate::compare::{Between, Oddity};
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C10",
    name: "path-checksum-left",
    title: "Checksums are finished on the way",
    severity: Severity::Info,
    meaning: "The sender leaves checksums to its NIC, so that a capture beside it has unfinished \
              ones; behind they are right. What other tools call an incorrect checksum in the \
              first capture is not a fault, as the second capture proves.",
    signature: "The same packet has an unfinished transport checksum at one point and a good one \
                at the next.",
    confirms: "`ethtool -k` of the sender's interface says tx-checksumming: on.",
    denies: "Nothing does: both captures show the same packet.",
    disprove: "Capture in front again with `ethtool -K eth0 tx off`: checksums are right there, \
               too.",
    fix: &[Fix {
        when: "nothing to repair",
        kind: FixKind::Advice,
        command: "nothing is broken; do not look for a fault in checksums here",
    }],
    references: &[
        "Linux Documentation/networking/checksum-offloads.rst",
        "wiki.wireshark.org/CaptureSetup/Offloading",
    ],
};

/// Each segment in which checksums are finished.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let finished = given.found(count).into_iter();
    finished
        .map(|found| {
            let finished = found.between.examples.of(Oddity::ChecksumFinished);
            let notes = ["its checksum is unfinished", "its checksum is right"];
            Finding {
                evidence: given.example_frames(finished, notes),
                flows: given.flows(found.pair, count),
                ..found.finding(&CAUSE, 0.95, |way| became_right(way.between))
            }
        })
        .collect()
}

fn became_right(between: &Between) -> String {
    format!(
        "the checksums of {} are unfinished in front and right behind.",
        number::counted(count(between), "packet"),
    )
}

fn count(between: &Between) -> u64 {
    between.checksums_became("offloaded", "good")
}
