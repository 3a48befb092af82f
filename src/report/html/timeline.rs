//! What was offered and what of it could be delivered, over time.

use super::bounds::{BUCKETS, LOST, RECEIVERS};
use super::chart::timeline::{Mark, draw, step};
use super::lost;
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, figure, words};
use crate::model::number;
use crate::report::document::{Report, Time};

pub(super) fn section(report: &Report) -> Option<Section> {
    let buckets = &report.timeline.buckets;
    let first = buckets.first()?.start;
    let marks = marks(report, first);
    let seconds = number::duration(step(&report.timeline));
    let mut lead = format!("In steps of {seconds}; the first begins at {first}.");
    if !marks.is_empty() {
        lead.push_str(" Numbers mark what is listed below the chart.");
    }
    let figure = Figure {
        title: String::new(),
        lead: String::new(),
        svg: draw(&report.timeline, &marks),
        marks: Marks::Numbered(marks.into_iter().map(|mark| mark.what).collect()),
        table: table(report),
    };
    let part = Part::Figure(Box::new(figure));
    Some(Section::of("time", "Over time", lead, part))
}

/// Moments to mark, in their order.
fn marks(report: &Report, first: Time) -> Vec<Mark> {
    let full = report
        .receivers
        .iter()
        .take(RECEIVERS)
        .filter_map(|receiver| {
            let time = receiver.predicted.first_full_timestamp?;
            let what = format!("reassembly memory of {} is full", receiver.address);
            Some((time, what))
        });
    let lost = report.lost_datagrams.iter().take(LOST).map(|datagram| {
        let reason = lost::reason(datagram.reason);
        let what = format!(
            "a datagram is lost: {reason} (frame {})",
            number::count(datagram.frame)
        );
        (datagram.timestamp, what)
    });
    let mut moments: Vec<(Time, String)> = full.chain(lost).collect();
    moments.sort();
    let marks = moments.into_iter().map(|(time, what)| Mark {
        seconds: since(first, time),
        what: format!("{time}: {what}"),
    });
    marks.collect()
}

/// Seconds between two moments.
pub(super) fn since(from: Time, to: Time) -> f64 {
    (to.0.0.saturating_sub(from.0.0)) as f64 / 1e9
}

fn table(report: &Report) -> Table {
    let timeline = &report.timeline;
    let seconds = step(timeline);
    let rate = |bytes: u64| figure(Some(bytes as f64 * 8.0 / seconds), number::bit_rate);
    let columns = [
        "@step begins (UTC)",
        "#offered",
        "#deliverable",
        "#packets",
        "#fragments",
        "#whole datagrams",
        "#never whole",
    ];
    let mut table = Table::new("time-steps", "Each step of the timeline", &columns);
    for bucket in timeline.buckets.iter().take(BUCKETS) {
        table.push(vec![
            words(bucket.start.to_string()),
            rate(bucket.bytes),
            rate(bucket.deliverable_bytes),
            count(bucket.packets),
            count(bucket.fragments),
            count(bucket.datagrams_completed),
            count(bucket.datagrams_lost),
        ]);
    }
    table.of(timeline.buckets.len() as u64, "step")
}
