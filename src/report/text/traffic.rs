//! The totals in plain words.

use super::page::{Page, Tone};
use crate::model::Counters;
use crate::model::number;
use crate::report::document::{Report, Throughput};
use crate::report::figures;
use std::io::{self, Write};

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if report.totals.packets == 0 {
        page.heading("Traffic", "")?;
        return page.line("  no IP packets", Tone::Normal);
    }
    let remark = if report.tunnels.is_empty() {
        ""
    } else {
        "at every IP layer: tunnels and what is inside them"
    };
    page.heading("Traffic", remark)?;
    write_rates(&report.throughput, page)?;
    write_datagrams(&report.totals, page)?;
    write_fragments(&report.totals, page)?;
    write_lengths(&report.totals, page)?;
    write_checksums(&report.totals, page)
}

fn write_rates(throughput: &Throughput, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let (Some(offered), Some(deliverable)) = (
        throughput.bits_per_second,
        throughput.deliverable_bits_per_second,
    ) else {
        return Ok(());
    };
    let mut line = number::bit_rate(offered);
    if let Some(packets) = throughput.packets_per_second {
        line.push_str(&format!(", {}", number::rate(packets, "packets")));
    }
    if let Some(datagrams) = throughput.datagrams_per_second {
        line.push_str(&format!(", {}", number::rate(datagrams, "datagrams")));
    }
    page.field("offered", &line, Tone::Normal)?;
    let seconds = throughput.duration_seconds.unwrap_or_default();
    let copies = throughput.duplicate_bytes as f64 * 8.0 / seconds;
    if throughput.duplicate_bytes > 0 {
        let line = format!(
            "{} ({}) in fragments that were seen before",
            number::bit_rate(copies),
            number::share(copies / offered),
        );
        page.field("copies", &line, Tone::Normal)?;
    }
    let wanted = offered - copies;
    let line = format!(
        "{} ({}) in datagrams that are whole and not corrupt",
        number::bit_rate(deliverable),
        number::share(deliverable / wanted),
    );
    page.field(
        "deliverable",
        &line,
        Tone::fault_if(deliverable < wanted * 0.99),
    )
}

fn write_datagrams(totals: &Counters, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let datagrams = &totals.datagrams;
    let all = datagrams.unfragmented + datagrams.fragmented;
    let line = format!(
        "{}: {} in one packet, {} in fragments",
        number::count(all),
        number::count(datagrams.unfragmented),
        number::count(datagrams.fragmented),
    );
    page.field("datagrams", &line, Tone::Normal)?;
    if datagrams.fragmented == 0 {
        return Ok(());
    }
    let share = |part| number::percent(part, datagrams.fragmented);
    let line = format!(
        "{} ({})",
        number::count(datagrams.reassembled),
        share(datagrams.reassembled)
    );
    page.field("reassembled", &line, Tone::Normal)?;
    let unfinished = datagrams.fragmented - datagrams.reassembled.min(datagrams.fragmented);
    if unfinished == 0 {
        return Ok(());
    }
    let reasons = figures::unfinished(datagrams, "still incomplete when the capture ended");
    let line = format!(
        "{} ({}): {reasons}",
        number::count(unfinished),
        share(unfinished)
    );
    // Datagrams that were only still open at the end are no fault.
    page.field(
        "never whole",
        &line,
        Tone::fault_if(unfinished > datagrams.incomplete),
    )
}

fn write_fragments(totals: &Counters, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let fragments = &totals.fragments;
    if fragments.total == 0 {
        return page.field("fragments", "none", Tone::Normal);
    }
    let positions = figures::positions(fragments);
    let line = format!("{}: {positions}", number::count(fragments.total));
    page.field("fragments", &line, Tone::Normal)?;
    let line = format!(
        "{} full-size, {} duplicate, {} overlapping",
        number::count(fragments.full_size),
        number::count(fragments.duplicate),
        number::count(fragments.overlapping),
    );
    page.field("", &line, Tone::fault_if(fragments.overlapping > 0))
}

/// The sentence for those who counted "bad length" with grep.
fn write_lengths(totals: &Counters, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let lengths = &totals.bad_length;
    let line = figures::lengths(lengths);
    page.field("lengths", &line, Tone::fault_if(lengths.total > 0))
}

fn write_checksums(totals: &Counters, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let counted = figures::checksums(&totals.checksums);
    for (index, (protocol, verdicts)) in counted.into_iter().enumerate() {
        let label = if index == 0 { "checksums" } else { "" };
        let line = format!("{protocol:<4}  {}", figures::verdicts(verdicts));
        page.field(label, &line, Tone::fault_if(verdicts.bad > 0))?;
    }
    Ok(())
}
