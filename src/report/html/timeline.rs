//! What was offered and what of it could be delivered, over time.

use super::bounds::{BUCKETS, LOST, RECEIVERS, STEPS_ON_PAPER};
use super::chart::timeline::{Mark, draw, step};
use super::lost;
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, figure, words};
use crate::model::number;
use crate::report::document::{Bucket, Flow, Receiver, Report, Time};

pub(super) fn section(report: &Report) -> Option<Section> {
    let buckets = &report.timeline.buckets;
    let first = buckets.first()?.start;
    let marks = marks(report, first);
    let seconds = number::duration(step(&report.timeline));
    let mut lead = format!("In steps of {seconds}; the first begins at {first}.");
    lead.push_str(&deliverable(report));
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

/// What deliverable means, and what a receiver makes of it.
fn deliverable(report: &Report) -> String {
    let mut said = " Deliverable is what is in datagrams that the capture shows whole and \
                    undamaged: what the network brought, whatever the receiver makes of it."
        .to_owned();
    let bytes = |of: fn(&Bucket) -> u64| report.timeline.buckets.iter().map(of).sum();
    let (offered, whole) = (bytes(|bucket| bucket.bytes), bytes(|b| b.deliverable_bytes));
    if offered > whole {
        said.push_str(&format!(
            " That is {} of the bytes on the wire.",
            number::percent(whole, offered)
        ));
    }
    let worst = report.receivers.iter();
    let worst = worst.max_by_key(|receiver| (receiver.predicted.failed, receiver.address));
    if let Some(receiver) = worst {
        let whole = whole_in_fragments(receiver, &report.flows);
        let predicted = receiver.predicted.reassembled;
        if predicted < whole {
            said.push_str(&format!(
                " Of fragments, {} came whole for {}: a Linux receiver there puts {} together, \
                 by the model told of under Receivers.",
                number::counted(whole, "datagram"),
                receiver.address,
                number::count(predicted),
            ));
        }
    }
    said
}

/// Datagrams for a receiver that came whole in fragments.
fn whole_in_fragments(receiver: &Receiver, flows: &[Flow]) -> u64 {
    let to = flows.iter().filter(|flow| flow.key.dst == receiver.address);
    to.map(|flow| flow.counters.datagrams.reassembled).sum()
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
    let table = table.print_some(STEPS_ON_PAPER);
    table.of(timeline.buckets.len() as u64, "step")
}
