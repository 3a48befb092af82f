//! What the receivers' kernels would make of the fragments, and what would change it.

use super::page::{Page, Table, figure, words};
use crate::model::number;
use crate::report::document::{Alternative, Prediction, Receiver, Report};
use crate::report::label;

/// Receivers that are shown; JSON has all.
const SHOWN: usize = 5;

pub(super) fn write(report: &Report, page: &mut Page) {
    write_section(&report.receivers, "here", page);
}

/// Writes the receivers that fail, by the fragments captured at some place.
pub(in crate::report) fn write_section(receivers: &[Receiver], place: &str, page: &mut Page) {
    let failing = receivers.iter();
    let failing = failing.filter(|receiver| receiver.predicted.failed > 0);
    let mut failing: Vec<&Receiver> = failing.collect();
    failing.sort_by_key(|receiver| std::cmp::Reverse(receiver.predicted.failed));
    if failing.is_empty() {
        return;
    }
    let shown = page.shown(&failing, SHOWN);
    page.heading(3, "Receivers");
    let mut remark = format!("What a Linux host makes of the fragments captured {place}");
    if shown.len() < failing.len() {
        remark.push_str(&format!("; {} of {} that fail", shown.len(), failing.len()));
    }
    page.paragraph(&format!("{remark}."));
    let mut rows = Vec::new();
    for receiver in shown {
        let assumed = words(&label::settings(&receiver.settings));
        let mut row = vec![receiver.address.to_string(), assumed];
        row[0] = words(&row[0]);
        row.extend(figures(&receiver.predicted));
        rows.push(row);
        for alternative in page.shown(&receiver.alternatives, usize::MAX) {
            rows.push(instead(alternative));
        }
    }
    page.table(&Table {
        head: vec![
            "receiver",
            "with",
            "reassembled",
            "refused",
            "given up",
            "memory",
        ],
        texts: 2,
        rows,
    });
}

fn instead(alternative: &Alternative) -> Vec<String> {
    let predicted = &alternative.predicted;
    let mut row = vec![String::new()];
    match alternative.settings.get("largest_message_bytes") {
        Some(bytes) => {
            let bytes = number::counted(*bytes, "byte");
            row.push(words(&format!(
                "messages of at most {bytes}, one a fragment"
            )));
            // They need no memory to be put together in.
            row.push(figure(&number::count(predicted.reassembled)));
            row.extend([number::ABSENT; 3].map(str::to_owned));
        }
        None => {
            let changed = alternative.changed.iter();
            let changed = changed.filter_map(|name| {
                let value = alternative.settings.get(name)?;
                Some(label::setting(name, *value))
            });
            let changed: Vec<String> = changed.collect();
            row.push(words(&changed.join(", ")));
            row.extend(figures(predicted));
        }
    }
    row
}

fn figures(predicted: &Prediction) -> [String; 4] {
    let given_up =
        predicted.timed_out + predicted.overlapped + predicted.too_distant + predicted.oversized;
    [
        number::count(predicted.reassembled),
        number::count(predicted.rejected_fragments),
        number::count(given_up),
        number::bytes(predicted.memory_peak_bytes),
    ]
    .map(|text| figure(&text))
}
