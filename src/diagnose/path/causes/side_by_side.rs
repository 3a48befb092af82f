//! C21, side-by-side.

use crate::compare::Oddity;
use crate::diagnose::path::finding::{Evidence, Finding};
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C21",
    name: "side-by-side",
    title: "Two points lie beside each other",
    severity: Severity::Info,
    meaning: "Both points have packets of a third, and none in common: what goes by one does not go \
              by the other. Routes of equal cost (ECMP), the members of a bond, or two of the hosts \
              that something is sent to are such. Neither misses what the other has, and what is \
              lost in the segment between them is lost behind the one that it passed.",
    signature: "Of all that two neighbours show at the same time next to nothing is at both, and \
                8 packets or more of each are at another point.",
    confirms: "Two next hops or two ports lead there: `ip route get 192.0.2.1` with other source \
               ports, `ip -d link show type bond`.",
    denies: "Both captures have filters, each for something else: then each lacks what the other \
             is for.",
    disprove: "Capture all of one interface at both: `tcpdump -ni eth0 -s 128 -w again.pcap`, \
               without an expression.",
    fix: &[
        Fix {
            when: "each way by itself",
            kind: FixKind::Advice,
            command: "compare the captures of one way with each other, and then those of the other",
        },
        Fix {
            when: "Linux, which way a flow is sent",
            kind: FixKind::Command,
            command: "ip route get 192.0.2.1 ipproto udp sport 4096 dport 5201",
        },
    ],
    references: &[
        "RFC 2992 section 2",
        "www.kernel.org/doc/html/latest/networking/ip-sysctl.html",
    ],
};

/// Neighbours that do.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let neighbours = given.outcome.side_by_side.neighbours();
    neighbours.map(|front| finding(given, front)).collect()
}

fn finding(given: &Given<'_>, front: usize) -> Finding {
    let points = [front, front + 1];
    let [one, other] = points.map(name);
    let [packets, others] = points.map(|point| {
        let matched = given.outcome.points[point].tally.matched;
        number::count(matched)
    });
    let seen = format!(
        "Of {packets} packets at {one} and {others} at {other} that other points have too, next to \
         none are at both. {}",
        means(given, front)
    );
    let is_parted = given.outcome.side_by_side.is_at_end(front);
    let frames = points.map(|point| beside(given, point));
    Finding {
        evidence: frames.into_iter().flatten().collect(),
        severity: match is_parted {
            true => Severity::Warning,
            false => CAUSE.severity,
        },
        ..Finding::between(&CAUSE, front, 0.8, seen)
    }
}

/// Frames that passed beside a point, as others show them.
fn beside(given: &Given<'_>, point: usize) -> Vec<Evidence> {
    let pair = point.checked_sub(1);
    let between = pair.and_then(|pair| given.sums.pairs.get(pair));
    let passed = between
        .into_iter()
        .flat_map(|between| between.examples.of(Oddity::Missed));
    let note = format!("passed beside {}", name(point));
    given.example_frames(passed, [&note, &note])
}

/// What that means for what is told of the segment between them.
fn means(given: &Given<'_>, front: usize) -> String {
    let [one, other] = [front, front + 1].map(name);
    let side_by_side = &given.outcome.side_by_side;
    let ways = [(front, false), (front + 1, true)];
    let onward = ways.map(|(from, is_backward)| side_by_side.next(from, is_backward).map(name));
    match onward {
        [Some(ahead), Some(back)] if !side_by_side.is_at_end(front) => format!(
            "What {one} to {other} loses is lost on the way from {one} to {ahead}, and what {other} \
             to {one} loses on that from {other} to {back}."
        ),
        _ => format!(
            "Nothing goes from {one} to {other}, and so nothing is said of what would be lost \
             between them, nor of the whole path."
        ),
    }
}
