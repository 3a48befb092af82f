//! What is said of a segment, besides its figures.

use super::{Fact, changes, pattern, point_name};
use crate::model::number;
use crate::report::comparison::document::{
    ClockBasis, Comparison, Delay, Direction, OneSided, Segment,
};

/// `A to B`.
pub(in crate::report::comparison) fn stretch(comparison: &Comparison, segment: &Segment) -> String {
    way(comparison, segment, None)
}

/// `B to A` of what goes back.
pub(in crate::report::comparison) fn way(
    comparison: &Comparison,
    segment: &Segment,
    direction: Option<Direction>,
) -> String {
    let (from, to) = match direction {
        Some(Direction::Backward) => (segment.to, segment.from),
        Some(Direction::Forward) | None => (segment.from, segment.to),
    };
    let [from, to] = [from, to].map(|point| point_name(comparison, point));
    format!("{from} to {to}")
}

/// Whether nothing is known of it: no figure of it is a measurement.
pub(in crate::report::comparison) fn is_blank(segment: &Segment) -> bool {
    segment.sent.packets == 0 && segment.appeared == 0 && segment.delay.is_none()
}

/// What happened to packets on the way: faults first, then what was changed on purpose.
pub(in crate::report::comparison) fn segment_facts(
    comparison: &Comparison,
    segment: &Segment,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(side_by_side(comparison, segment));
    if let Some(loss) = &segment.loss {
        facts.push(Fact::fault("pattern", pattern(loss)));
    }
    if segment.corrupted > 0 {
        let packets = number::counted(segment.corrupted, "packet");
        let text = format!("{packets} whose bytes are not the same at both ends");
        facts.push(Fact::fault("damaged", text));
    }
    if segment.spoiled_datagrams > 0 {
        let (spoiled, arrived) = (segment.spoiled_datagrams, segment.arrived.datagrams);
        let all = number::counted(arrived, "datagram");
        let text = format!(
            "{} of {all} that arrived, by damage or a checksum that went wrong",
            number::count(spoiled)
        );
        facts.push(Fact::fault("spoiled", text));
    }
    let took = match &segment.delay {
        Some(took) => delay(took, is_relative(comparison, segment)),
        None if segment.arrived.packets > 0 => {
            "unknown: what was matched looks too much alike to be timed".to_owned()
        }
        None => "unknown: nothing was matched".to_owned(),
    };
    facts.push(Fact::plain("delay", took));
    facts.extend(order(segment));
    facts.extend(changes(segment));
    if segment.outside > 0 {
        let packets = number::counted(segment.outside, "packet");
        let text = format!("{packets} that passed while the other capture showed nothing");
        facts.push(Fact::plain("not judged", text));
    }
    if segment.partly_compared > 0 {
        let packets = number::counted(segment.partly_compared, "packet");
        let text = format!("{packets} in a capture; just their beginning is compared");
        facts.push(Fact::plain("cut off", text));
    }
    facts.extend(one_sided(comparison, segment));
    facts
}

/// Its ends, if they lie side by side.
fn side_by_side(comparison: &Comparison, segment: &Segment) -> Option<Fact> {
    let text = format!("{PARTED}: what is lost is lost further on");
    are_side_by_side(comparison, segment).then(|| Fact::plain("beside", text))
}

/// Of two points side by side.
const PARTED: &str = "nothing goes from one to the other";

fn are_side_by_side(comparison: &Comparison, segment: &Segment) -> bool {
    let ends = [segment.from, segment.to];
    let turned = [segment.to, segment.from];
    let pairs = &comparison.side_by_side;
    pairs.contains(&ends) || pairs.contains(&turned)
}

/// Why [nothing is known](is_blank) of it.
pub(in crate::report::comparison) fn why_blank(
    comparison: &Comparison,
    segment: &Segment,
) -> &'static str {
    match are_side_by_side(comparison, segment) {
        true => PARTED,
        false => "no packets that can be compared",
    }
}

/// Flows that one end alone shows, and that may go elsewhere.
fn one_sided(comparison: &Comparison, segment: &Segment) -> Option<Fact> {
    let ends = segment.one_sided.iter().map(|seen| {
        format!(
            "{} of {} at {} alone, {}",
            number::counted(seen.packets, "packet"),
            number::counted(seen.flows, "flow"),
            point_name(comparison, seen.point),
            why_apart(seen)
        )
    });
    let ends: Vec<String> = ends.collect();
    let text = || format!("{}: neither sent nor lost", ends.join("; "));
    (!ends.is_empty()).then(|| Fact::plain("elsewhere", text()))
}

fn why_apart(seen: &OneSided) -> String {
    let others = seen.packets.saturating_sub(seen.both_ways + seen.remade);
    let reasons = [
        (others, "with hosts of which nothing passes"),
        (seen.both_ways, "which go both ways there"),
        (seen.remade, "of which the other end shows other packets"),
    ];
    let reasons = reasons.into_iter().filter(|(packets, _)| *packets > 0);
    let reasons = reasons.map(|(packets, why)| match packets == seen.packets {
        true => why.to_owned(),
        false => format!("{} {why}", number::count(packets)),
    });
    let reasons: Vec<String> = reasons.collect();
    reasons.join(" and ")
}

/// Whether delays are those beyond the fastest: where a clock rests on one direction.
pub(in crate::report::comparison) fn is_relative(
    comparison: &Comparison,
    segment: &Segment,
) -> bool {
    [segment.from, segment.to].iter().any(|point| {
        let place = usize::try_from(*point).ok();
        let point = place.and_then(|place| comparison.points.get(place));
        point.is_some_and(|point| point.clock.basis == ClockBasis::OneDirection)
    })
}

/// `min 1.02 ms, median 1.10 ms, p99 2.40 ms, max 9.00 ms`.
pub(in crate::report::comparison) fn delay(delay: &Delay, is_relative: bool) -> String {
    let figures = [
        ("min", delay.min_seconds),
        ("median", delay.median_seconds),
        ("p99", delay.p99_seconds),
        ("max", delay.max_seconds),
    ];
    let figures = figures.map(|(name, seconds)| format!("{name} {}", number::duration(seconds)));
    let beyond = if is_relative {
        " beyond the fastest"
    } else {
        ""
    };
    format!("{}{beyond}", figures.join(", "))
}

/// Packets that came twice, too late, or from nowhere.
fn order(segment: &Segment) -> Option<Fact> {
    let copies = |copies| number::counted(copies, "copy");
    let (made, removed) = (segment.duplicated, segment.duplicates_removed);
    let (overtaken, appeared) = (segment.reordered, segment.appeared);
    let parts = [
        (
            overtaken,
            number::count(overtaken),
            "overtaken by later ones",
        ),
        (made, copies(made), "made"),
        (removed, copies(removed), "removed"),
        (appeared, number::count(appeared), "not seen to enter"),
    ];
    let present = parts.iter().filter(|(count, ..)| *count > 0);
    let parts = present.map(|(_, how_many, what)| format!("{how_many} {what}"));
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| Fact::doubt("packets", parts.join(", ")))
}
