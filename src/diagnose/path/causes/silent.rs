//! C14, point-silent.

use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Given, Way};
use crate::diagnose::path::sums::{ends_of, is_much_unjudged, name};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C14",
    name: "point-silent",
    title: "A point is silent while others are not",
    severity: Severity::Warning,
    meaning: "Before the first or behind the last packet of one capture, another goes on with \
              packets that should have come there. Either nobody captured at that point then, \
              or nothing came there any more. The files do not say which, so that none of these \
              packets is counted as lost: they may all be.",
    signature: "Many packets of a flow passed one point when the other shows nothing of any flow.",
    confirms: "The capture was still running: somebody stopped it by hand later, or it is pcapng \
               and says so (dumpcap and Wireshark write when capturing ended). Then all of it \
               was lost.",
    denies: "The capture was started later, or stopped earlier, than the other.",
    disprove: "Capture again with `dumpcap -i eth0 -w again.pcapng` at both points, and stop both \
               by hand: these files say from when to when they captured.",
    fix: &[
        Fix {
            when: "dumpcap",
            kind: FixKind::Command,
            command: "dumpcap -i eth0 -w capture.pcapng",
        },
        Fix {
            when: "it was running",
            kind: FixKind::Advice,
            command: "look at what happened at that time: a link down, a route withdrawn, a policy",
        },
    ],
    references: &["www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html"],
};

/// Each segment and way in which much passed one end while the other was silent.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let pairs = given.segments().map(|(pair, _)| pair);
    let pairs = pairs.filter(|pair| !has_other_ways(given, *pair));
    let found = pairs.flat_map(|pair| {
        let ways = given.ways(pair);
        ways.map(|way| is_much_unjudged(way.between).then(|| finding(pair, &way)))
    });
    found.flatten().collect()
}

/// Whether what one end shows may pass beside the other.
fn has_other_ways(given: &Given<'_>, pair: usize) -> bool {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let side_by_side = &given.outcome.side_by_side;
    side_by_side.is_any_beside(front) || side_by_side.is_any_beside(back)
}

fn finding(pair: usize, way: &Way<'_>) -> Finding {
    let unjudged = way.between.outside[0];
    let all = number::counted(way.between.front.packets + unjudged, "packet");
    let (from, to) = (name(way.from), name(way.to));
    let seen = format!(
        "{}: {} of {all} passed when {from} or {to} shows nothing.",
        way.name(),
        number::count(unjudged)
    );
    Finding {
        is_backward: Some(way.is_backward),
        ..Finding::between(&CAUSE, pair, 0.4, seen)
    }
}
