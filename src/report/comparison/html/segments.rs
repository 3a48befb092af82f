//! What became of packets on each segment, in figures.

use super::SEGMENTS;
use crate::model::number;
use crate::report::comparison::document::Segment;
use crate::report::comparison::ways::ways;
use crate::report::comparison::{Comparison, words};
use crate::report::html::bounds::{PARAGRAPH, clipped};
use crate::report::html::section::{Fact, Part, Section};
use crate::report::html::table::{Cell, Table, bytes, count, percent, words as text};

/// All segments that are shown, those going forward first.
pub(super) fn shown(comparison: &Comparison) -> Vec<&Segment> {
    let ways = ways(comparison);
    let segments = ways.iter().flat_map(|way| {
        let segments = way.segments.iter().take(SEGMENTS).copied();
        segments.collect::<Vec<_>>()
    });
    segments.collect()
}

const COLUMNS: [&str; 17] = [
    "@segment",
    "#packets sent",
    "#arrived",
    "#lost",
    "#share",
    "#fragments lost",
    "#datagrams sent",
    "#arrived whole",
    "#bytes sent",
    "#bytes lost",
    "#reordered",
    "#copies made, removed",
    "#appeared",
    "#damaged",
    "#datagrams spoiled",
    "#not judged",
    "#elsewhere",
];

/// A row for each segment, and for the path if that is more than one.
pub(super) fn figures(comparison: &Comparison) -> Option<Section> {
    let segments = shown(comparison);
    if segments.is_empty() {
        return None;
    }
    let mut table = Table::new("segments-table", "Packets between points", &COLUMNS);
    for segment in segments {
        table.push(row(comparison, segment));
    }
    let all: usize = ways(comparison).iter().map(|way| way.segments.len()).sum();
    let mut table = table.of(all as u64, "segment");
    if comparison.points.len() > 2 {
        for way in ways(comparison) {
            table.push(row(comparison, way.path));
        }
    }
    let lead = "What entered a segment and what of it left it, or was seen further on. A datagram \
                arrives whole if all of its fragments that were sent do.";
    let part = Part::Table(Box::new(table));
    Some(Section::of("segments", "Segments", lead.to_owned(), part))
}

fn row(comparison: &Comparison, segment: &Segment) -> Vec<Cell> {
    let name = text(words::stretch(comparison, segment));
    if words::is_blank(segment) {
        // Nothing of it was measured: no figure is 0.
        let absent = || text(number::ABSENT);
        let absent = (1..COLUMNS.len()).map(|_| absent());
        return [name].into_iter().chain(absent).collect();
    }
    let (sent, arrived, lost) = (segment.sent, segment.arrived, segment.lost);
    let copies = format!(
        "{}, {}",
        number::count(segment.duplicated),
        number::count(segment.duplicates_removed)
    );
    vec![
        name,
        count(sent.packets),
        count(arrived.packets),
        count(lost.packets),
        percent(lost.packets, sent.packets),
        count(lost.fragments),
        count(sent.datagrams),
        count(arrived.datagrams),
        bytes(sent.bytes),
        bytes(lost.bytes),
        count(segment.reordered),
        text(copies),
        count(segment.appeared),
        count(segment.corrupted),
        count(segment.spoiled_datagrams),
        count(segment.outside),
        count(segment.one_sided.iter().map(|seen| seen.packets).sum()),
    ]
}

/// What was changed on purpose, segment by segment.
pub(super) fn changes(comparison: &Comparison) -> Option<Section> {
    let facts = shown(comparison).into_iter().filter_map(|segment| {
        let changes = words::changes(segment);
        let lines = changes.iter();
        let lines = lines.map(|fact| clipped(&format!("{}: {}", fact.name, fact.text), PARAGRAPH));
        let name = words::stretch(comparison, segment);
        let lines: Vec<String> = lines.collect();
        (!lines.is_empty()).then_some(Fact { name, lines })
    });
    let facts: Vec<Fact> = facts.collect();
    let lead = "What routers, translators and tunnels made of packets on their way.".to_owned();
    let is_empty = facts.is_empty();
    let part = Part::Facts(facts);
    (!is_empty).then(|| Section::of("changes", "Changes on the way", lead, part))
}

/// Packets whose bytes differ, frame by frame.
pub(super) fn damage(comparison: &Comparison) -> Option<Section> {
    let columns = [
        "@segment",
        "#frame in front",
        "#frame behind",
        "how they differ",
    ];
    let mut table = Table::new("damage-table", "The first of each segment", &columns);
    let mut all = 0_u64;
    let mut lead = "Packets whose bytes are not the same at both ends.".to_owned();
    for segment in shown(comparison) {
        let common = words::damage_in_common(segment).join("; ");
        if !common.is_empty() {
            lead.push_str(&format!(
                " {}: {common}.",
                words::stretch(comparison, segment)
            ));
        }
        all = all.saturating_add(segment.corrupted);
        for damage in segment.damage.iter().take(8) {
            table.push(vec![
                text(words::stretch(comparison, segment)),
                count(damage.from_frame),
                count(damage.to_frame),
                text(clipped(&words::damage_of(segment, damage), PARAGRAPH)),
            ]);
        }
    }
    let is_empty = table.rows.is_empty();
    let part = Part::Table(Box::new(table.of(all, "packet")));
    let lead = clipped(&lead, PARAGRAPH);
    (!is_empty).then(|| Section::of("damage", "Damage", lead, part))
}
