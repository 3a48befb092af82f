//! What is captured on and since when, and the sentence that says it all.

use super::super::row::{Row, Tone, cut, fit, width};
use super::super::view::View;
use super::super::{Screen, clock};
use crate::model::number;
use crate::report::escape;
use crate::report::wrap::wrap;
use ratatui::layout::Rect;

/// The first line.
pub(super) fn title(screen: &Screen, view: &View, columns: usize) -> Row {
    let snapshot = &view.snapshot;
    let since = number::duration(snapshot.elapsed_seconds.floor());
    let mut right = format!("{since:>12}  {} UTC", clock(snapshot.timestamp));
    let paused = screen
        .seconds_behind(view)
        .map(|seconds| format!(" PAUSED, {} ago ", number::duration(seconds.floor())));
    let paused = paused.unwrap_or_default();
    let taken = width(&paused);
    if columns < 60 {
        right = since;
    }
    let names: Vec<&str> = snapshot
        .captured
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let left = format!("fraglens watch  {}", escape::line(&names.join(", ")));
    let room = columns.saturating_sub(taken + width(&right) + 2);
    Row::of(&fit(&left, room), Tone::Strong)
        .and(&paused, Tone::Chosen)
        .and("  ", Tone::Normal)
        .and(&right, Tone::Normal)
}

/// The explanation of the last seconds, or what there is in place of one.
pub(super) fn sentence(view: &View, columns: usize) -> Vec<Row> {
    let lines = wrap(&escape::line(&text(view)), columns);
    lines
        .iter()
        .map(|line| Row::of(line, Tone::Strong))
        .collect()
}

fn text(view: &View) -> String {
    let snapshot = &view.snapshot;
    let span = number::duration(snapshot.window_seconds.round());
    match &snapshot.window.explanation {
        Some(explanation) => format!("Last {span}: {}", explanation.sentence),
        None if snapshot.totals.frames == 0 => "Nothing captured yet.".to_owned(),
        None => format!("Last {span}: no IP packets."),
    }
}

/// As many rows as there is room for; an ellipsis says that there are more.
pub(super) fn shortened(mut rows: Vec<Row>, area: Rect) -> Vec<Row> {
    let room = usize::from(area.height);
    if rows.len() > room {
        rows.truncate(room);
        if let Some(last) = rows.pop() {
            let columns = usize::from(area.width).saturating_sub(2);
            let text = format!("{} …", cut(&last.text(), columns));
            rows.push(Row::of(&text, Tone::Strong));
        }
    }
    rows
}
