//! What explains a part of what is missing.

use super::way;
use crate::report::comparison::document::{Comparison, PathFinding, PathPart};

/// The place of the finding among all of them.
pub(in crate::report::comparison) fn finding_of(
    comparison: &Comparison,
    part: &PathPart,
) -> Option<usize> {
    let is_it =
        |found: &PathFinding| found.id == part.finding && found.segment == Some(part.segment);
    comparison.findings.iter().position(is_it)
}

/// `B to C: Packets are lost between two points`.
pub(in crate::report::comparison) fn part_title(
    comparison: &Comparison,
    part: &PathPart,
) -> String {
    let found = finding_of(comparison, part);
    let title = found.map_or("", |place| comparison.findings[place].title.as_str());
    let segment = usize::try_from(part.segment).ok();
    let segment = segment.and_then(|segment| comparison.segments.get(segment));
    let Some(segment) = segment else {
        return title.to_owned();
    };
    let direction = comparison.explanation.as_ref().map(|said| said.direction);
    format!("{}: {title}", way(comparison, segment, direction))
}

/// What the rest is: more is missing than the segments lose, or they lose more than that.
pub(in crate::report::comparison) fn residual(bytes: i64) -> &'static str {
    match bytes {
        0.. => "missing, and not lost in any of these segments",
        _ => "lost in these, and not judged over the whole path: an end showed nothing then",
    }
}
