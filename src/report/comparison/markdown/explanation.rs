//! The sentence that says it all, and where what is missing went.

use crate::model::number;
use crate::report::comparison::Comparison;
use crate::report::comparison::document::PathExplanation;
use crate::report::comparison::words::{part_title, residual};
use crate::report::markdown::page::{Page, Table, figure, sentence, words};

pub(super) fn write(comparison: &Comparison, page: &mut Page) {
    let Some(explanation) = &comparison.explanation else {
        return;
    };
    page.paragraph(&sentence(&explanation.sentence));
    page.table(&Table {
        head: vec!["what", "datagrams", "share"],
        texts: 1,
        rows: datagrams(explanation),
    });
    let rows = bytes(comparison, explanation, page);
    page.table(&Table {
        head: vec!["what", "bytes", "share"],
        texts: 1,
        rows,
    });
}

/// Datagrams from where they enter the path to who receives them.
fn datagrams(explanation: &PathExplanation) -> Vec<Vec<String>> {
    let delivered = match explanation.delivers_others() {
        false => "delivered, of those in fragments, by the model",
        true => "delivered, of all fragments that came to the receivers, by the model",
    };
    let spoiled = Some(explanation.spoiled_datagrams).filter(|spoiled| *spoiled > 0);
    let rows = [
        ("sent", Some(explanation.sent_datagrams)),
        ("arrived whole", Some(explanation.arrived_datagrams)),
        ("of these spoiled on the way", spoiled),
        (delivered, explanation.predicted_datagrams),
        ("counted by the receiver", explanation.counted_datagrams),
    ];
    let rows = rows.into_iter().filter_map(|(what, count)| {
        let is_of_others = what == delivered && explanation.delivers_others();
        let share = match is_of_others || count? > explanation.sent_datagrams {
            true => String::new(),
            false => number::percent(count?, explanation.sent_datagrams),
        };
        Some(vec![
            words(what),
            figure(&number::count(count?)),
            figure(&share),
        ])
    });
    rows.collect()
}

fn bytes(
    comparison: &Comparison,
    explanation: &PathExplanation,
    page: &mut Page,
) -> Vec<Vec<String>> {
    let row = |what: &str, bytes: u64| {
        let share = number::percent(bytes, explanation.sent_bytes);
        vec![words(what), figure(&number::bytes(bytes)), figure(&share)]
    };
    let mut rows = vec![
        row("sent", explanation.sent_bytes),
        row("arrived", explanation.arrived_bytes),
    ];
    let parts = page.shown(&explanation.parts, usize::MAX);
    for part in parts {
        let title = part_title(comparison, part);
        rows.push(row(&format!("lost, {}: {title}", part.finding), part.bytes));
    }
    let others = explanation.parts[parts.len()..].iter();
    let others = others.fold(0, |sum: u64, part| sum.saturating_add(part.bytes));
    if others > 0 {
        rows.push(row("lost, by other findings", others));
    }
    let rest = explanation.residual_bytes;
    if rest != 0 {
        rows.push(row(residual(rest), rest.unsigned_abs()));
    }
    rows
}
