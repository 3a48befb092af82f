//! What is wrong now, and what was until a moment ago.

use super::super::row::{Row, Tone, cut, draw_all, fit};
use super::super::view::View;
use super::super::{Focus, Screen};
use super::{heading, mark};
use crate::model::number;
use crate::report::document::Severity;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Columns of what stands behind a title: the bytes that are missing, and since when.
const FIGURES: usize = 24;

/// Lines for all of it, the heading included.
pub(super) fn wanted(view: &View) -> u16 {
    u16::try_from(view.finding_count().max(1) + 1).unwrap_or(u16::MAX)
}

pub(super) fn draw(screen: &mut Screen, view: &View, area: Rect, buffer: &mut Buffer) {
    let has_focus = screen.focus == Focus::Findings;
    let mut rows = Vec::new();
    // On one line there is room for the gravest alone.
    if area.height > 1 {
        rows.push(heading(&title(view), has_focus));
    }
    if view.finding_count() == 0 {
        rows.push(Row::of("  none now", Tone::Quiet));
    }
    let room = usize::from(area.height).saturating_sub(rows.len());
    let count = view.finding_count();
    for line in screen.finding_cursor.window(room, count) {
        let is_chosen = has_focus && line == screen.finding_cursor.at();
        let row = row(view, line, is_chosen, area.width.into());
        rows.extend(row.map(|row| row.chosen_if(is_chosen)));
    }
    draw_all(&rows, area, screen.look.color, buffer);
}

fn title(view: &View) -> String {
    let of = |severity| {
        let findings = view.snapshot.findings.iter();
        findings
            .filter(|active| active.finding.severity == severity)
            .count() as u64
    };
    let counts = [
        (of(Severity::Error), "error"),
        (of(Severity::Warning), "warning"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut named: Vec<String> = counts
        .map(|(count, what)| number::counted(count, what))
        .collect();
    let infos = of(Severity::Info);
    if infos > 0 {
        named.push(format!("{infos} info"));
    }
    if !view.cleared.is_empty() {
        named.push(format!("{} cleared", view.cleared.len()));
    }
    format!("Findings  {}", named.join(", "))
        .trim_end()
        .to_owned()
}

fn row(view: &View, line: usize, is_chosen: bool, columns: usize) -> Option<Row> {
    let active = view.finding(line)?;
    let finding = &active.finding;
    let now = view.snapshot.timestamp.0;
    let cleared = line.checked_sub(view.snapshot.findings.len());
    let cleared = cleared.and_then(|index| view.cleared.get(index));
    let (word, tone, when) = match cleared {
        None => (
            finding.severity.name(),
            severity_tone(finding.severity),
            format!("for {}", span(now - active.since.0)),
        ),
        Some(cleared) => (
            "cleared",
            Tone::Quiet,
            format!("{} ago", span(now - cleared.at)),
        ),
    };
    let missing = finding.missing_bytes.filter(|bytes| *bytes > 0);
    let missing = missing.map_or_else(String::new, number::bytes);
    let front = format!("{}{word:<8}{} ", mark(is_chosen), fit(&finding.id, 4));
    let is_wide = columns >= 60;
    let room = columns.saturating_sub(front.len() + if is_wide { FIGURES } else { 0 });
    let figures = if is_wide {
        format!("{missing:>9} {:>14}", cut(&when, 14))
    } else {
        String::new()
    };
    Some(
        Row::of(&front, tone)
            .and(&fit(&finding.title, room), tone)
            .and(&figures, tone),
    )
}

fn span(span: crate::model::Duration) -> String {
    number::duration(span.as_secs_f64().floor().max(0.0))
}

pub(in super::super) fn severity_tone(severity: Severity) -> Tone {
    match severity {
        Severity::Info => Tone::Normal,
        Severity::Warning => Tone::Doubt,
        Severity::Error => Tone::Fault,
    }
}
