//! What the receivers' kernels would make of the fragments, and what would change it.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Alternative, Prediction, Receiver, Report};
use crate::report::label;
use std::io::{self, Write};

/// Receivers that are shown; JSON has all.
const SHOWN: usize = 5;

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    write_section(&report.receivers, "here", page)
}

/// Writes the receivers that fail, by the fragments captured at some place.
pub(in crate::report) fn write_section(
    receivers: &[Receiver],
    place: &str,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let mut failing: Vec<&Receiver> = receivers
        .iter()
        .filter(|receiver| receiver.predicted.failed > 0)
        .collect();
    failing.sort_by_key(|receiver| std::cmp::Reverse(receiver.predicted.failed));
    if failing.is_empty() {
        return Ok(());
    }
    page.heading("Receivers", &remark(failing.len(), place))?;
    for receiver in failing.into_iter().take(SHOWN) {
        page.line(&format!("  {}", receiver.address), Tone::Normal)?;
        write_prediction(receiver, page)?;
        write_alternatives(&receiver.alternatives, page)?;
    }
    Ok(())
}

fn remark(failing: usize, place: &str) -> String {
    let what = format!("what a Linux host makes of the fragments captured {place}");
    if failing > SHOWN {
        format!("{what}; {SHOWN} of {failing} that fail")
    } else {
        what
    }
}

fn write_prediction(receiver: &Receiver, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let predicted = &receiver.predicted;
    page.field(
        "assumed",
        &label::settings(&receiver.settings),
        Tone::Normal,
    )?;
    let mut reassembles = number::counted(predicted.reassembled, "datagram");
    if predicted.open_at_end > 0 {
        let open = number::count(predicted.open_at_end);
        reassembles.push_str(&format!("; {open} still open when the capture ended"));
    }
    page.field("reassembles", &reassembles, Tone::Normal)?;
    if predicted.rejected_fragments > 0 {
        let since = predicted.first_full_timestamp;
        let since = since.map_or_else(String::new, |time| format!(" from {time} on"));
        let text = format!(
            "{} of {}: reassembly memory full{since}",
            number::count(predicted.rejected_fragments),
            number::counted(predicted.fragments, "fragment"),
        );
        page.field("refuses", &text, Tone::Fault)?;
    }
    let given_up = given_up(predicted);
    if !given_up.is_empty() {
        page.field("gives up", &given_up, Tone::Fault)?;
    }
    page.field(
        "memory",
        &format!("{} at most", number::bytes(predicted.memory_peak_bytes)),
        Tone::Normal,
    )
}

fn given_up(predicted: &Prediction) -> String {
    let parts = [
        (predicted.timed_out, "timed out"),
        (
            predicted.overlapped,
            "with pieces that contradict each other",
        ),
        (predicted.too_distant, "with pieces too far apart"),
        (predicted.oversized, "longer than 65,535 bytes"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, what)| format!("{} {what}", number::count(*count)));
    parts.collect::<Vec<_>>().join(", ")
}

fn write_alternatives(
    alternatives: &[Alternative],
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let mut label = "instead";
    for alternative in alternatives {
        page.field(label, &what_if(alternative), Tone::Normal)?;
        label = "";
    }
    Ok(())
}

fn what_if(alternative: &Alternative) -> String {
    let reassembled = number::count(alternative.predicted.reassembled);
    match alternative.settings.get("largest_message_bytes") {
        Some(bytes) => format!(
            "messages of at most {}: {reassembled} delivered, one for each fragment",
            number::counted(*bytes, "byte")
        ),
        None => {
            let changed = alternative.changed.iter();
            let changed = changed
                .filter_map(|name| Some(label::setting(name, *alternative.settings.get(name)?)));
            format!("{}: {reassembled}", changed.collect::<Vec<_>>().join(", "))
        }
    }
}
