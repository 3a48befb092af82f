//! The sentence that says it all, and under it where what is missing went.

use crate::model::number;
use crate::report::comparison::document::PathExplanation;
use crate::report::comparison::{Comparison, words};
use crate::report::escape;
use crate::report::text::page::{Page, Tone};
use std::io::{self, Write};

/// Characters of an id that there is room for.
const ID: usize = 12;

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let Some(explanation) = &comparison.explanation else {
        return Ok(());
    };
    page.gap()?;
    let sentence = escape::line(&explanation.sentence);
    page.paragraph("", 0, &sentence, Tone::Heading)?;
    write_datagrams(explanation, page)?;
    write_missing(comparison, explanation, page)
}

/// Datagrams from where they enter the path to who receives them.
fn write_datagrams(
    explanation: &PathExplanation,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let sent = explanation.sent_datagrams;
    let of_sent = |datagrams: u64| {
        let share = number::percent(datagrams, sent);
        format!("{} ({share})", number::count(datagrams))
    };
    let rate = explanation.sent_bits_per_second;
    let rate = rate.map_or_else(String::new, |rate| format!(", {}", number::bit_rate(rate)));
    let mut text = format!(
        "{} sent{rate}; {} arrived whole",
        number::counted(sent, "datagram"),
        of_sent(explanation.arrived_datagrams)
    );
    if explanation.spoiled_datagrams > 0 {
        let spoiled = number::count(explanation.spoiled_datagrams);
        text.push_str(&format!(", {spoiled} of them spoiled"));
    }
    if let Some(predicted) = explanation.predicted_datagrams {
        let predicted = number::count(predicted);
        let of = match explanation.delivers_others() {
            false => "those in fragments",
            true => "all in fragments that came to them",
        };
        text.push_str(&format!("; receivers would deliver {predicted} of {of}"));
    }
    if let Some(counted) = explanation.counted_datagrams {
        text.push_str(&format!(
            "; {} counted by the receiver",
            number::count(counted)
        ));
    }
    page.field("datagrams", &text, Tone::Normal)
}

fn write_missing(
    comparison: &Comparison,
    explanation: &PathExplanation,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let sent = explanation.sent_bytes;
    let missing = sent.saturating_sub(explanation.arrived_bytes);
    if missing == 0 {
        return Ok(());
    }
    let amount = |bytes: u64| {
        let share = number::percent(bytes, sent);
        format!("{} ({share})", number::bytes(bytes))
    };
    let line = format!("{} of {} sent", amount(missing), number::bytes(sent));
    page.field("missing", &line, Tone::Fault)?;
    for part in &explanation.parts {
        let title = words::part_title(comparison, part);
        let line = format!("{}  {}", amount(part.bytes), escape::line(&title));
        let id: String = escape::line(&part.finding).chars().take(ID).collect();
        page.field(&id, &line, Tone::Normal)?;
    }
    if explanation.residual_bytes != 0 {
        let residual = explanation.residual_bytes;
        let sign = if residual < 0 { "-" } else { "" };
        let bytes = number::bytes(residual.unsigned_abs());
        let line = format!("{sign}{bytes}  {}", words::residual(residual));
        page.field("residual", &line, Tone::Normal)?;
    }
    Ok(())
}
