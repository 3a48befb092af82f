//! What was read, and how far it can be trusted.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Capture, CaptureFile, Report};
use crate::report::escape;
use std::io::{self, Write};

/// Most files and reasons listed by name.
const MOST_LISTED: usize = 6;

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let capture = &report.capture;
    page.heading("Capture", "")?;
    for (index, file) in capture.files.iter().take(MOST_LISTED).enumerate() {
        let label = match (index, capture.files.len()) {
            (0, 1) => "file",
            (0, _) => "files",
            _ => "",
        };
        page.field(label, &file_line(file), Tone::Normal)?;
    }
    if let Some(more @ 1..) = capture.files.len().checked_sub(MOST_LISTED) {
        page.field(
            "",
            &format!("and {}", number::counted(more as u64, "more file")),
            Tone::Normal,
        )?;
    }
    page.field("frames", &frames_line(capture), Tone::Normal)?;
    if let Some(first) = capture.first_timestamp {
        page.field("began", &first.to_string(), Tone::Normal)?;
    }
    write_filter(report, page)?;
    write_doubts(capture, page)
}

fn file_line(file: &CaptureFile) -> String {
    let mut parts = Vec::new();
    parts.push(file.format.clone().unwrap_or("format unknown".to_owned()));
    parts.extend(file.compression.clone());
    parts.push(number::bytes(file.bytes));
    parts.extend(file.link_types.iter().map(ToString::to_string));
    parts.extend(
        file.snaplen
            .map(|bytes| format!("snaplen {}", number::count(bytes.into()))),
    );
    format!(
        "{} ({})",
        escape::line(&file.path),
        escape::line(&parts.join(", "))
    )
}

fn frames_line(capture: &Capture) -> String {
    let frames = number::count(capture.frames);
    let span = capture
        .duration_seconds
        .map_or_else(String::new, |seconds| {
            format!(" in {}", number::duration(seconds))
        });
    format!(
        "{frames}{span}, {} on the wire",
        number::bytes(capture.bytes)
    )
}

fn write_filter(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let Some(filter) = &report.options.filter else {
        return Ok(());
    };
    page.field("filter", &escape::line(filter), Tone::Normal)?;
    match report.capture.filtered_frames {
        Some(frames) => page.field(
            "",
            &format!("took away {}", number::counted(frames, "frame")),
            Tone::Normal,
        ),
        None => Ok(()),
    }
}

/// What the capture does not hold, and what could not be read of it.
fn write_doubts(capture: &Capture, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if capture.truncated_frames > 0 {
        let share = number::percent(capture.truncated_frames, capture.frames);
        let frames = number::counted(capture.truncated_frames, "frame");
        let line = format!(
            "{frames} ({share}) by the snaplen; checksums over what is missing cannot be verified"
        );
        page.field("cut short", &line, Tone::Normal)?;
    }
    match capture.dropped_frames {
        None => page.field(
            "lost",
            "by the capturing host: not recorded in the file",
            Tone::Normal,
        )?,
        Some(0) => page.field("lost", "by the capturing host: none", Tone::Normal)?,
        Some(dropped) => {
            let share = number::percent(dropped, dropped.saturating_add(capture.frames));
            let frames = number::counted(dropped, "frame");
            let line = format!(
                "by the capturing host: {frames} ({share}), so what is missing below may have arrived"
            );
            page.field("lost", &line, Tone::Doubt)?;
        }
    }
    write_undecoded(capture, page)
}

fn write_undecoded(capture: &Capture, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let mut reasons: Vec<_> = capture.undecoded_frames.iter().collect();
    // The most frequent first; the map's order decides between equals.
    reasons.sort_by_key(|(_, frames)| std::cmp::Reverse(**frames));
    for (index, (reason, frames)) in reasons.iter().take(MOST_LISTED).enumerate() {
        let label = if index == 0 { "not decoded" } else { "" };
        let line = format!(
            "{}: {}",
            number::counted(**frames, "frame"),
            escape::line(reason)
        );
        page.field(label, &line, Tone::Normal)?;
    }
    if let Some(more @ 1..) = reasons.len().checked_sub(MOST_LISTED) {
        page.field(
            "",
            &format!("and for {}", number::counted(more as u64, "more reason")),
            Tone::Normal,
        )?;
    }
    Ok(())
}
