//! Which ways there was traffic, and what became of it along each.

use super::document::{Comparison, Direction, Segment};

/// What went one way, or both ways if they are not told apart.
pub(super) struct Way<'a> {
    /// Which way; `None` for both.
    pub direction: Option<Direction>,
    /// Segments in the order of the points.
    pub segments: Vec<&'a Segment>,
    /// The same from end to end.
    pub path: &'a Segment,
}

/// Forward first.
pub(super) fn ways(comparison: &Comparison) -> Vec<Way<'_>> {
    let apart = comparison.directions.iter().map(|way| Way {
        direction: Some(way.direction),
        segments: way.segments.iter().collect(),
        path: &way.path,
    });
    let apart: Vec<Way<'_>> = apart.collect();
    if !apart.is_empty() {
        return apart;
    }
    vec![Way {
        direction: only_direction(comparison),
        segments: comparison.segments.iter().collect(),
        path: &comparison.path,
    }]
}

/// The direction of all flows; `None` if they go both ways.
fn only_direction(comparison: &Comparison) -> Option<Direction> {
    let mut flows = comparison.flows.iter().map(|flow| flow.direction);
    let first = flows.next().unwrap_or_default();
    flows.all(|direction| direction == first).then_some(first)
}
