//! What the receivers' kernels would make of the fragments, and what would change it.

use super::bounds::{ALTERNATIVES, MEMORIES, RECEIVERS, STEPS_ON_PAPER};
use super::chart::memory::{Curve, Memories, draw, letter, step};
use super::section::{Figure, Marks, Part, Section};
use super::table::{Cell, Table, bytes, count, figure as figure_of, words};
use super::timeline::since;
use crate::model::number;
use crate::report::document::{Alternative, MemoryUse, Prediction, Receiver, Report, Time};
use crate::report::label;
use std::cmp::Reverse;

pub(super) fn section(report: &Report) -> Option<Section> {
    of(&report.receivers, "here", report.capture.first_timestamp)
}

/// What becomes of the fragments captured at some place from some time on.
pub(in crate::report) fn of(
    receivers: &[Receiver],
    place: &str,
    since: Option<Time>,
) -> Option<Section> {
    if receivers.is_empty() {
        return None;
    }
    let mut worst: Vec<&Receiver> = receivers.iter().collect();
    worst.sort_by_key(|receiver| Reverse(receiver.predicted.failed));
    let mut parts = vec![Part::Table(Box::new(all(&worst, since)))];
    let drawn = worst
        .iter()
        .filter(|receiver| has_something_to_draw(receiver));
    let drawn = drawn.take(MEMORIES).enumerate();
    for (index, receiver) in drawn {
        let figure = figure(receiver, index, since);
        parts.push(Part::Figure(Box::new(figure)));
        parts.push(Part::Table(Box::new(alternatives(receiver, index, since))));
    }
    Some(Section {
        id: "receivers",
        title: "Receivers",
        lead: format!(
            "What a Linux host makes of the fragments captured {place}, from a model of its \
             kernel that is fed with them."
        ),
        parts,
    })
}

fn has_something_to_draw(receiver: &Receiver) -> bool {
    receiver.predicted.failed > 0 || receiver.predicted.first_full_timestamp.is_some()
}

fn all(receivers: &[&Receiver], since: Option<Time>) -> Table {
    let columns = ["@address"].into_iter().chain(PREDICTED);
    let columns: Vec<&str> = columns.chain(["assumed"]).collect();
    let mut table = Table::new(
        "receivers-all",
        "Addresses that fragments were sent to",
        &columns,
    );
    for receiver in receivers.iter().take(RECEIVERS) {
        let settings = receiver.settings.iter();
        let settings = settings.map(|(name, value)| label::setting(name, *value));
        let settings: Vec<String> = settings.collect();
        let mut cells = vec![words(receiver.address.to_string())];
        cells.extend(predicted(&receiver.predicted, since));
        cells.push(words(settings.join(", ")));
        table.push(cells);
    }
    table.of(receivers.len() as u64, "receiver")
}

/// Columns of what a kernel does.
const PREDICTED: [&str; 8] = [
    "#fragments",
    "#refused",
    "#put together",
    "#given up",
    "#open at the end",
    "#memory at most",
    "#memory full after",
    "#delivered",
];

/// Moments are told from `capture` on, when the capture began.
fn predicted(of: &Prediction, capture: Option<Time>) -> Vec<Cell> {
    let given_up = of.timed_out + of.overlapped + of.too_distant + of.oversized;
    vec![
        count(of.fragments),
        count(of.rejected_fragments),
        count(of.reassembled),
        count(given_up),
        count(of.open_at_end),
        bytes(of.memory_peak_bytes),
        figure_of(
            seconds_after(capture, of.first_full_timestamp),
            number::duration,
        ),
        bytes(of.delivered_bytes),
    ]
}

fn figure(receiver: &Receiver, index: usize, capture: Option<Time>) -> Figure {
    let shown = shown(receiver);
    let recorded = !receiver.memory.peak_bytes.is_empty();
    let names = names(receiver, shown);
    let others = shown.iter().map(|alternative| alternative.memory.as_ref());
    let memories = Some(&receiver.memory).into_iter().map(Some).chain(others);
    let named = names.iter().zip(memories).enumerate();
    let curves: Vec<Curve<'_>> = named
        .filter_map(|(index, (name, memory))| {
            Some(Curve {
                letter: letter(index),
                name: name.clone(),
                memory: memory?,
                begins: seconds_after(capture, memory?.first_timestamp).unwrap_or(0.0),
            })
        })
        .filter(|curve| !curve.memory.peak_bytes.is_empty())
        .collect();
    let title = format!("Reassembly memory of {}", receiver.address);
    let svg = if recorded {
        draw(&Memories {
            id: format!("memory-{index}"),
            title: title.clone(),
            limit_bytes: limit(receiver),
            full_after: seconds_after(capture, receiver.predicted.first_full_timestamp),
            curves: curves.clone(),
        })
    } else {
        String::new()
    };
    Figure {
        title,
        lead: told(receiver),
        svg,
        marks: Marks::None,
        table: table(&curves, index),
    }
}

/// The settings that were assumed, and what others change.
fn names(receiver: &Receiver, shown: &[Alternative]) -> Vec<String> {
    let limit = limit(receiver).map_or_else(String::new, |bytes| {
        format!(" ({} of memory)", number::bytes(bytes))
    });
    let assumed = format!("as assumed{limit}");
    let others = shown.iter().map(change);
    std::iter::once(assumed).chain(others).collect()
}

/// What is changed for an alternative.
fn change(alternative: &Alternative) -> String {
    if let Some(bytes) = alternative.settings.get("largest_message_bytes") {
        let bytes = number::counted(*bytes, "byte");
        return format!("messages of at most {bytes}");
    }
    let changed = alternative.changed.iter();
    let changed = changed.filter_map(|name| {
        let value = alternative.settings.get(name)?;
        Some(label::setting(name, *value))
    });
    let changed: Vec<String> = changed.collect();
    if changed.is_empty() {
        "other settings".to_owned()
    } else {
        changed.join(", ")
    }
}

/// The other settings that there is room for.
fn shown(receiver: &Receiver) -> &[Alternative] {
    let all = &receiver.alternatives;
    &all[..all.len().min(ALTERNATIVES)]
}

/// What each of the settings comes to.
fn alternatives(receiver: &Receiver, index: usize, since: Option<Time>) -> Table {
    let shown = shown(receiver);
    let columns = ["@curve", "settings"].into_iter().chain(PREDICTED);
    let columns: Vec<&str> = columns.collect();
    let caption = format!(
        "With other settings, from the same fragments: {}",
        receiver.address
    );
    let mut table = Table::new(format!("receiver-{index}-settings"), caption, &columns);
    table.head = 1;
    let others = shown.iter().map(|alternative| &alternative.predicted);
    let all = std::iter::once(&receiver.predicted).chain(others);
    let named = names(receiver, shown).into_iter().zip(all);
    for (place, (name, of)) in named.enumerate() {
        let mut cells = vec![words(letter(place)), words(name)];
        cells.extend(predicted(of, since));
        table.push(cells);
    }
    table.of(receiver.alternatives.len() as u64 + 1, "setting")
}

fn told(receiver: &Receiver) -> String {
    match receiver.timeouts_told {
        0 => "When its timers fire is not known from messages of its own, so that what is put \
              together can be a quarter off where memory fills up."
            .to_owned(),
        times => format!(
            "{} of its own tell when its timers fire.",
            number::counted(times, "ICMP message")
        ),
    }
}

/// Where its memory is full.
fn limit(receiver: &Receiver) -> Option<u64> {
    let mut settings = receiver.settings.iter();
    let found = settings.find(|(name, _)| name.ends_with("high_thresh"));
    found.map(|(_, bytes)| *bytes)
}

/// Seconds from the beginning of the capture to a moment.
fn seconds_after(capture: Option<Time>, moment: Option<Time>) -> Option<f64> {
    Some(since(capture?, moment?))
}

/// The curves step by step; what is shorter than the first has no figure there.
fn table(curves: &[Curve<'_>], index: usize) -> Table {
    let letters: Vec<String> = curves
        .iter()
        .map(|curve| format!("#{}", curve.letter))
        .collect();
    let columns = ["#seconds since the capture began"].into_iter();
    let columns: Vec<&str> = columns.chain(letters.iter().map(String::as_str)).collect();
    let names = curves.iter();
    let names = names.map(|curve| format!("{}: {}", curve.letter, curve.name));
    let caption = format!(
        "Most memory in each step. {}",
        names.collect::<Vec<_>>().join("; ")
    );
    let mut table = Table::new(format!("memory-{index}-steps"), caption, &columns);
    let Some(first) = curves.first() else {
        return table;
    };
    for place in 0..first.memory.peak_bytes.len() {
        let seconds = place as f64 * step(first.memory);
        let begins = (first.begins + seconds).max(0.0);
        let mut cells = vec![words(format!("{begins:.3}"))];
        cells.extend(curves.iter().map(|curve| at(curve.memory, seconds)));
        table.push(cells);
    }
    table.print_some(STEPS_ON_PAPER)
}

/// What a curve says of a moment.
fn at(memory: &MemoryUse, seconds: f64) -> Cell {
    // Half a step on, so that rounding does not fall into the step before.
    let place = seconds / step(memory) + 0.5;
    match memory.peak_bytes.get(place as usize) {
        Some(peak) => bytes(*peak),
        None => words(number::ABSENT),
    }
}
