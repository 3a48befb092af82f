//! What losses between two points look like: over places in datagrams, sizes and rates.

use crate::model::number;
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Loss, Segment};
use crate::report::comparison::ways::ways;
use crate::report::comparison::words::{self, LossRow};
use crate::report::text::page::{Page, Tone};
use crate::report::text::timeline::spark;
use std::io::{self, Write};

/// Longest bar; it stands for the largest share of a table.
const BAR: usize = 24;

/// Columns in front of the bar.
const BAR_START: usize = 58;

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    for segment in ways(comparison).iter().flat_map(|way| &way.segments) {
        if let Some(loss) = &segment.loss {
            write_loss(comparison, segment, loss, page)?;
        }
    }
    Ok(())
}

fn write_loss(
    comparison: &Comparison,
    segment: &Segment,
    loss: &Loss,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let title = format!("Losses from {}", words::stretch(comparison, segment));
    page.heading(&title, &words::pattern(loss))?;
    page.field("pattern", &words::described(loss), Tone::Normal)?;
    page.field("bursts", &words::bursts(loss), Tone::Normal)?;
    page.field("with rate", &words::with_rate(loss), Tone::Normal)?;
    write_tenths(loss, page)?;
    write_rows("fragment", &words::place_rows(loss), page)?;
    write_rows("IP bytes", &words::size_rows(loss), page)
}

/// The share lost from the beginning of datagrams to their end.
fn write_tenths(loss: &Loss, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let shares: Vec<f64> = words::tenth_rows(loss).iter().map(share).collect();
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Ok(());
    }
    let least = shares.iter().copied().fold(largest, f64::min);
    let line = format!(
        "{}  from its beginning to its end, {} to {}",
        spark(&shares, largest),
        number::share(least),
        number::share(largest)
    );
    page.field("in datagram", &line, Tone::Normal)
}

/// A row for each kind of packets; nothing of a single one.
fn write_rows(what: &str, rows: &[LossRow], page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if rows.len() < 2 {
        return Ok(());
    }
    let header = format!(
        "  {what:<18}  {:>13}  {:>11}  {:>6}",
        "sent", "lost", "share"
    );
    page.line(&header, Tone::Quiet)?;
    let largest = rows.iter().map(share).fold(0.0, f64::max);
    let bar = BAR.min(page.width().saturating_sub(BAR_START));
    for row in rows {
        let filled = match largest {
            largest if largest > 0.0 => (share(row) / largest * bar as f64).round() as usize,
            _ => 0,
        };
        let line = format!(
            "  {:<18}  {:>13}  {:>11}  {:>6}  {}",
            row.name,
            number::count(row.sent),
            number::count(row.lost),
            number::percent(row.lost, row.sent),
            "#".repeat(filled.min(bar)),
        );
        page.line(line.trim_end(), Tone::Normal)?;
    }
    Ok(())
}

fn share(row: &LossRow) -> f64 {
    row.share().unwrap_or(0.0)
}
