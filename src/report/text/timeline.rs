//! The course of the capture in three lines.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Bucket, Report, Timeline};
use std::io::{self, Write};

/// Columns kept for the peak behind a line.
const PEAK_COLUMNS: usize = 30;

/// Heights from nothing to the peak.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let timeline = &report.timeline;
    if timeline.buckets.len() < 2 {
        return Ok(());
    }
    let columns = page.field_width().saturating_sub(PEAK_COLUMNS).max(10);
    let per_column = timeline.buckets.len().div_ceil(columns);
    let seconds = timeline.bucket_seconds * per_column as f64;
    page.heading(
        "Timeline",
        &format!("{} a column", number::duration(seconds)),
    )?;
    let bit_rate = |bytes: f64| format!("peak {}", number::bit_rate(bytes * 8.0));
    let rate = |datagrams: f64| format!("peak {}", number::rate(datagrams, "datagrams"));
    // One scale for both, so that the gap between them can be seen.
    let offered = folded(timeline, per_column, |bucket| bucket.bytes);
    let deliverable = folded(timeline, per_column, |bucket| bucket.deliverable_bytes);
    let scale = peak(&offered).max(peak(&deliverable));
    let line = |values: &[f64], scale, words: String| format!("{}  {words}", spark(values, scale));
    page.field(
        "offered",
        &line(&offered, scale, bit_rate(peak(&offered))),
        Tone::Normal,
    )?;
    page.field(
        "deliverable",
        &line(&deliverable, scale, bit_rate(peak(&deliverable))),
        Tone::Normal,
    )?;
    let lost = folded(timeline, per_column, |bucket| bucket.datagrams_lost);
    if peak(&lost) > 0.0 {
        page.field(
            "never whole",
            &line(&lost, peak(&lost), rate(peak(&lost))),
            Tone::Normal,
        )?;
    }
    Ok(())
}

/// Means per second over every `per_column` buckets; the last may be fewer.
fn folded(timeline: &Timeline, per_column: usize, figure: fn(&Bucket) -> u64) -> Vec<f64> {
    let columns = timeline.buckets.chunks(per_column);
    columns
        .map(|chunk| {
            let sum: f64 = chunk.iter().map(|bucket| figure(bucket) as f64).sum();
            sum / (timeline.bucket_seconds * chunk.len() as f64)
        })
        .collect()
}

fn peak(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// A character a value. What is not 0 has at least the lowest height.
pub(in crate::report) fn spark(values: &[f64], scale: f64) -> String {
    let top = HEIGHTS.len() - 1;
    let height = |value: f64| {
        if value <= 0.0 || scale <= 0.0 {
            0
        } else {
            ((value / scale * top as f64).round() as usize).clamp(1, top)
        }
    };
    values.iter().map(|value| HEIGHTS[height(*value)]).collect()
}
