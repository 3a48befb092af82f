//! What a flow is called along the path.

use super::{point_name, stretch};
use crate::model::number;
use crate::report::comparison::document::{Comparison, Direction, PathFlow, SeenAs, Segment};
use crate::report::document::FlowKey;
use crate::report::label;

/// The flow as it enters the path, and as what it is seen where that differs.
pub(in crate::report::comparison) fn flow(comparison: &Comparison, flow: &PathFlow) -> String {
    let mut name = label::flow(&flow.key);
    let mut last = without_tunnel(&flow.key);
    for (place, seen) in in_order(flow) {
        let key = without_tunnel(&seen.key);
        if key != last {
            let point = u32::try_from(place).unwrap_or(u32::MAX);
            let point = point_name(comparison, point);
            name.push_str(&format!("; at {point} {}", label::flow(&key)));
        }
        last = key;
    }
    name
}

/// The segment that loses most of it.
pub(in crate::report::comparison) fn worst_stretch(
    comparison: &Comparison,
    flow: &PathFlow,
) -> String {
    let losing = flow.segments.iter();
    let losing = losing.filter(|segment| segment.lost.packets > 0);
    let worst = losing.max_by_key(|segment| segment.lost.packets);
    number::or_absent(worst, |segment| stretch(comparison, segment))
}

/// What became of it over the whole path; of one that goes not all of that, as the outer packets
/// of a tunnel, in the segment that loses most of it, or has most of it.
pub(in crate::report::comparison) fn passage(flow: &PathFlow) -> &Segment {
    let most = flow.segments.iter();
    let most = most.max_by_key(|segment| (segment.lost.bytes, segment.sent.bytes));
    match most {
        Some(segment) if flow.path.sent.packets == 0 => segment,
        _ => &flow.path,
    }
}

/// Where it was seen, in the order it passed.
fn in_order(flow: &PathFlow) -> Vec<(usize, &SeenAs)> {
    let seen = flow.seen_as.iter().enumerate();
    let seen = seen.filter_map(|(place, seen)| Some((place, seen.as_ref()?)));
    let mut seen: Vec<_> = seen.collect();
    if flow.direction == Direction::Backward {
        seen.reverse();
    }
    seen
}

/// What tunnels are at a point is said of the point.
fn without_tunnel(key: &FlowKey) -> FlowKey {
    FlowKey {
        tunnel: None,
        vlans: Vec::new(),
        ..key.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::comparison::document::Count;
    use crate::report::comparison::samples;

    #[test]
    fn what_does_not_go_all_of_the_path_has_the_figures_of_a_segment() {
        let mut flow = samples::lossy().flows.swap_remove(0);
        assert!(std::ptr::eq(passage(&flow), &flow.path));
        let bytes = |bytes: u64| Count {
            packets: 1,
            bytes,
            ..Count::default()
        };
        let segment = |sent: u64, lost: u64| Segment {
            sent: bytes(sent),
            lost: bytes(lost),
            ..Segment::default()
        };
        flow.path = Segment::default();
        flow.segments = vec![segment(900, 0), segment(800, 70), segment(0, 0)];
        assert!(std::ptr::eq(passage(&flow), &flow.segments[1]));
        flow.segments.remove(1);
        assert!(std::ptr::eq(passage(&flow), &flow.segments[0]));
    }
}
