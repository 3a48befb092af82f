//! What is said of a point.

use super::Fact;
use crate::model::number;
use crate::report::comparison::document::{Clock, ClockBasis, Comparison, Point, TunnelAt};
use crate::report::escape;

/// `A`; `?` for a point that is not there.
pub(in crate::report::comparison) fn point_name(comparison: &Comparison, point: u32) -> String {
    let place = usize::try_from(point).ok();
    let point = place.and_then(|place| comparison.points.get(place));
    point.map_or_else(
        || "?".to_owned(),
        |point| escape::line(&point.name).into_owned(),
    )
}

/// What was seen there, and how far it can be trusted.
pub(in crate::report::comparison) fn point_facts(point: &Point) -> Vec<Fact> {
    let mut facts = vec![Fact::plain("seen", seen(point))];
    if point.seen_again > 0 {
        let again = number::counted(point.seen_again, "packet");
        facts.push(Fact::plain(
            "again",
            format!("{again} once more on their way through, counted where first seen"),
        ));
    }
    if !point.tunnels.is_empty() {
        facts.push(Fact::plain("tunnels", tunnels(&point.tunnels)));
    }
    facts.push(match point.clock.basis {
        ClockBasis::None | ClockBasis::Alike => Fact::doubt("clock", clock(&point.clock)),
        _ => Fact::plain("clock", clock(&point.clock)),
    });
    facts.push(not_captured(point));
    if point.truncated_frames > 0 {
        let frames = number::counted(point.truncated_frames, "frame");
        facts.push(Fact::plain("cut short", format!("{frames} by the snaplen")));
    }
    facts
}

fn seen(point: &Point) -> String {
    let mut seen = number::counted(point.datagrams, "datagram");
    if point.fragments > 0 {
        seen.push_str(&format!(
            ", {}",
            number::counted(point.fragments, "fragment")
        ));
    }
    let matched = match point.matched {
        0 => "nothing matched".to_owned(),
        matched => format!("{} matched", number::count(matched)),
    };
    format!("{seen}; {matched}")
}

fn tunnels(tunnels: &[TunnelAt]) -> String {
    let all = tunnels.iter().map(|tunnel| tunnel.packets);
    let all = all.fold(0, u64::saturating_add);
    let named = tunnels.iter().map(|tunnel| {
        let name = tunnel_at(tunnel);
        match tunnels.len() {
            1 => name,
            _ => format!("{name} ({})", number::percent(tunnel.packets, all)),
        }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// `vxlan 42`; `none` for packets in none.
pub(in crate::report::comparison) fn tunnel_at(tunnel: &TunnelAt) -> String {
    match (tunnel.kind, tunnel.id) {
        (None, _) => "none".to_owned(),
        (Some(kind), None) => kind.name().to_owned(),
        (Some(kind), Some(id)) => format!("{} {id}", kind.name()),
    }
}

/// How a clock goes, seen from the first.
fn clock(clock: &Clock) -> String {
    let rest = match clock.basis {
        ClockBasis::Reference => return "reference".to_owned(),
        ClockBasis::None => return "unknown: nothing was matched".to_owned(),
        ClockBasis::Alike => {
            let offset = number::or_absent(clock.offset_seconds, ahead);
            return format!("about {offset}; what was matched looks too much alike to say more");
        }
        ClockBasis::BothDirections => "both directions",
        ClockBasis::OneDirection => "one direction, the fastest taken to need no time",
    };
    let offset = number::or_absent(clock.offset_seconds, ahead);
    let matched = number::counted(clock.matched, "packet");
    format!("{offset}, {}; from {matched} in {rest}", drift(clock))
}

fn ahead(seconds: f64) -> String {
    let size = number::duration(seconds.abs());
    if seconds == 0.0 {
        "equal".to_owned()
    } else if seconds < 0.0 {
        format!("{size} behind")
    } else {
        format!("{size} ahead")
    }
}

fn drift(clock: &Clock) -> String {
    let Some(ppm) = clock.drift_ppm.filter(|ppm| ppm.is_finite()) else {
        return "drift unknown".to_owned();
    };
    let error = clock.drift_error_ppm.filter(|error| error.is_finite());
    let error = error.map_or_else(String::new, |error| format!(" ± {error:.2}"));
    format!("drift {ppm:+.2}{error} ppm")
}

/// What passed there and is not in the capture.
fn not_captured(point: &Point) -> Fact {
    let dropped = match point.dropped_frames {
        None => "not recorded".to_owned(),
        Some(0) => "nothing".to_owned(),
        Some(frames) => number::counted(frames, "frame"),
    };
    let missed = match point.missed {
        None => "unknown at an end".to_owned(),
        Some(0) => "nothing".to_owned(),
        Some(packets) => format!("{} that passed", number::counted(packets, "packet")),
    };
    let beside = match point.passed_beside {
        0 => String::new(),
        packets => format!(", {} passed beside it", number::count(packets)),
    };
    let parts = format!("{missed}{beside}; dropped by host: {dropped}");
    let is_doubt = point.dropped_frames > Some(0) || point.missed > Some(0);
    if is_doubt {
        Fact::doubt("missed", parts)
    } else {
        Fact::plain("missed", parts)
    }
}
