//! The totals in plain words.

use super::section::{Fact, Part, Section};
use crate::model::number;
use crate::report::document::{Report, Throughput};
use crate::report::figures;

pub(super) fn section(report: &Report) -> Option<Section> {
    let totals = &report.totals;
    if totals.packets == 0 {
        return None;
    }
    let mut facts = Vec::new();
    facts.extend(rates(&report.throughput));
    let datagrams = &totals.datagrams;
    let unfinished = datagrams.fragmented.saturating_sub(datagrams.reassembled);
    facts.push(Fact::new(
        "Datagrams",
        format!(
            "{}: {} in one packet, {} in fragments",
            number::count(datagrams.unfragmented + datagrams.fragmented),
            number::count(datagrams.unfragmented),
            number::count(datagrams.fragmented)
        ),
    ));
    if unfinished > 0 {
        let reasons = figures::unfinished(datagrams, "still incomplete when the capture ended");
        let share = number::percent(unfinished, datagrams.fragmented);
        let line = format!("{} ({share}): {reasons}", number::count(unfinished));
        facts.push(Fact::new("Never whole", line));
    }
    facts.push(fragments(report));
    facts.push(Fact::new("Lengths", figures::lengths(&totals.bad_length)));
    let sums = figures::checksums(&totals.checksums);
    if !sums.is_empty() {
        let lines = sums.into_iter();
        let lines =
            lines.map(|(name, verdicts)| format!("{name}: {}", figures::verdicts(verdicts)));
        facts.push(Fact {
            name: "Checksums".to_owned(),
            lines: lines.collect(),
        });
    }
    let lead = if report.tunnels.is_empty() {
        ""
    } else {
        "At every IP layer: tunnels and what is inside them."
    };
    Some(Section::of(
        "traffic",
        "Traffic",
        lead.to_owned(),
        Part::Facts(facts),
    ))
}

fn rates(throughput: &Throughput) -> Vec<Fact> {
    let rate = |name, bits: Option<f64>| {
        let bits = bits.filter(|bits| bits.is_finite())?;
        Some(Fact::new(name, number::bit_rate(bits)))
    };
    let offered = rate("Offered", throughput.bits_per_second);
    let deliverable = rate("Deliverable", throughput.deliverable_bits_per_second);
    offered.into_iter().chain(deliverable).collect()
}

fn fragments(report: &Report) -> Fact {
    let fragments = &report.totals.fragments;
    let line = match fragments.total {
        0 => "none".to_owned(),
        total => format!(
            "{}: {}; {} full-size, {} duplicate, {} overlapping",
            number::count(total),
            figures::positions(fragments),
            number::count(fragments.full_size),
            number::count(fragments.duplicate),
            number::count(fragments.overlapping)
        ),
    };
    Fact::new("Fragments", line)
}
