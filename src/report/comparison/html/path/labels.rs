//! What is written into the boxes of a path, and beside its arrows.

use super::super::base;
use crate::model::number;
use crate::report::comparison::document::{ClockBasis, Direction, Point, Segment, TunnelAt};
use crate::report::comparison::words;
use crate::report::escape;

/// Characters of a note that fit into the narrowest gap.
const NOTE: usize = 22;

/// A line of words, and the class of the style sheet they are shown in.
pub(super) type Word = (&'static str, String);

/// What is written into the box of a point.
pub(super) fn facts(point: &Point, most: usize) -> Vec<Word> {
    let mut words: Vec<Word> = vec![
        ("path-name", shortened(&point.name, most)),
        ("path-file", shortened(base(&point.file.path), most)),
    ];
    let in_tunnel = |tunnel: &&TunnelAt| tunnel.kind.is_some();
    if let Some(tunnel) = point.tunnels.iter().find(in_tunnel) {
        let name = format!("in {}", words::tunnel_at(tunnel));
        words.push(("label", shortened(&name, most)));
    }
    let counts = [(point.datagrams, "datagram"), (point.fragments, "fragment")];
    for (count, noun) in counts.into_iter().filter(|(count, _)| *count > 0) {
        words.push(("path-note", number::counted(count, noun)));
    }
    words.push(("path-note", clock(point)));
    if let Some(drift) = drift(point) {
        words.push(("path-note", drift));
    }
    let counts = [
        (point.missed.unwrap_or(0), "missed"),
        (point.dropped_frames.unwrap_or(0), "dropped by host"),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let count = number::short(count as f64);
        words.push(("path-doubt", format!("{count} {what}")));
    }
    words
}

fn clock(point: &Point) -> String {
    let clock = &point.clock;
    let offset = clock.offset_seconds.filter(|offset| offset.is_finite());
    match (clock.basis, offset) {
        (ClockBasis::Reference, _) => "clock of reference".to_owned(),
        (ClockBasis::None, _) | (_, None) => "clock unknown".to_owned(),
        (_, Some(offset)) => {
            let sign = if offset < 0.0 { "−" } else { "+" };
            format!("clock {sign}{}", number::duration(offset.abs()))
        }
    }
}

fn drift(point: &Point) -> Option<String> {
    let is_seen = point.clock.basis != ClockBasis::Reference;
    let ppm = point
        .clock
        .drift_ppm
        .filter(|ppm| ppm.is_finite() && is_seen)?;
    let sign = if ppm < 0.0 { "−" } else { "+" };
    Some(format!("drift {sign}{:.1} ppm", ppm.abs()))
}

/// How much was lost.
pub(super) fn share(segment: &Segment) -> String {
    if words::is_blank(segment) {
        return "unknown".to_owned();
    }
    match segment.lost.packets {
        0 => "nothing lost".to_owned(),
        lost => format!("{} lost", number::percent(lost, segment.sent.packets)),
    }
}

/// What stands below an arrow: how many, and how long they took.
pub(super) fn below(segment: &Segment) -> Vec<String> {
    if words::is_blank(segment) {
        return Vec::new();
    }
    let short = |count: u64| number::short(count as f64);
    let sent = short(segment.sent.packets);
    let counts = match segment.lost.packets {
        0 => format!("of {sent}"),
        lost => format!("{} of {sent}", short(lost)),
    };
    let delay = segment.delay.as_ref();
    let delay = delay.map(|delay| format!("median {}", number::duration(delay.median_seconds)));
    [Some(counts), delay].into_iter().flatten().collect()
}

/// What happened to packets, in a word or two each.
pub(super) fn notes(gap: &[(Option<Direction>, &Segment)]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in gap.iter().flat_map(|(_, segment)| changed(segment)) {
        if !notes.contains(&note) {
            notes.push(shortened(&note, NOTE));
        }
    }
    notes
}

fn changed(segment: &Segment) -> Vec<String> {
    let (changes, layout) = (&segment.changes, &segment.layout);
    let ttl = changes.hop_limit_by;
    let ttl = ttl.map_or_else(|| "TTL changed".to_owned(), |by| format!("TTL {by:+}"));
    let bad = changes.checksums.iter().any(|change| change.to == "bad");
    let notes = [
        (segment.corrupted > 0, "bytes damaged".to_owned()),
        (bad, "checksums go bad".to_owned()),
        (segment.reordered > 0, "reordered".to_owned()),
        (segment.duplicated > 0, "duplicated".to_owned()),
        (changes.hop_limit > 0, ttl),
        (changes.nat_flows > 0, "NAT".to_owned()),
        (changes.tunnel_added > 0, "put into a tunnel".to_owned()),
        (changes.tunnel_removed > 0, "out of a tunnel".to_owned()),
        (changes.tunnel_changed > 0, "into another tunnel".to_owned()),
        (layout.fragmented > 0, "fragmented".to_owned()),
        (layout.refragmented > 0, "fragmented anew".to_owned()),
        (layout.reassembled > 0, "reassembled".to_owned()),
        (changes.dscp > 0, "DSCP changed".to_owned()),
        (changes.congestion_marked > 0, "marked CE".to_owned()),
    ];
    let present = notes.into_iter().filter(|(is_there, _)| *is_there);
    present.map(|(_, note)| note).collect()
}

/// Text of at most so many characters; of longer ones, the end, which tells names apart.
fn shortened(text: &str, most: usize) -> String {
    let text = escape::line(text);
    let length = text.chars().count();
    if length <= most {
        return text.into_owned();
    }
    let end = text.chars().skip(length - most.saturating_sub(1));
    format!("…{}", end.collect::<String>())
}
