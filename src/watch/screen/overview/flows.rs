//! The flows, the worst first.

use super::super::columns::Column;
use super::super::row::{Row, Tone, draw_all, fit};
use super::super::view::View;
use super::super::{Focus, Screen};
use super::mark;
use crate::model::number;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The least that is left of a name before a column is left out.
const NAME: usize = 26;

/// Columns for names as long as those of flows on the wire over IPv4.
const FULL_NAME: usize = 48;

/// Lines for all of it, the header included.
pub(super) fn wanted(view: &View) -> u16 {
    u16::try_from(view.flow_count().max(1) + 1).unwrap_or(u16::MAX)
}

pub(super) fn draw(screen: &mut Screen, view: &View, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let has_focus = screen.focus == Focus::Flows;
    let columns = columns(width, screen.wish.sort, has_bad(view));
    let mut rows = Vec::new();
    // On one line there is room for the worst alone.
    if area.height > 1 {
        rows.push(header(screen, view, &columns, width));
    }
    if view.flow_count() == 0 {
        let why = if screen.wish.filter.is_empty() {
            "  none"
        } else {
            "  none that the filter lets through"
        };
        rows.push(Row::of(why, Tone::Quiet));
    }
    let room = usize::from(area.height).saturating_sub(rows.len());
    for line in screen.flow_cursor.window(room, view.flow_count()) {
        let is_chosen = has_focus && line == screen.flow_cursor.at();
        let Some(flow) = view.flow(line) else { break };
        let name = Column::Flow.cell(flow).0;
        let name = format!("{}{name}", mark(is_chosen));
        let mut row = Row::of(&fit(&name, name_width(width, &columns)), Tone::Normal);
        for column in &columns {
            let (cell, tone) = column.cell(flow);
            row = row.and(&format!("{cell:>width$}", width = column.width()), tone);
        }
        rows.push(row.chosen_if(is_chosen));
    }
    draw_all(&rows, area, screen.look.color, buffer);
}

fn has_bad(view: &View) -> bool {
    let flows = &view.snapshot.window.flows;
    flows
        .iter()
        .any(|flow| crate::report::figures::bad(&flow.counters) > 0)
}

/// The columns there is room for; the one that is sorted by is among them.
fn columns(width: usize, sort: Column, has_bad: bool) -> Vec<Column> {
    let sorted = Column::FIGURES.into_iter().filter(|column| *column == sort);
    let by_worth = sorted.chain(Column::BY_WORTH);
    let mut left = width.saturating_sub(NAME);
    let mut kept = Vec::new();
    for (rank, column) in by_worth.enumerate() {
        let is_needed = column != Column::Bad || has_bad || column == sort;
        // Names get all they need before the lesser columns get anything.
        let room = if rank > 3 {
            left.saturating_sub(FULL_NAME - NAME)
        } else {
            left
        };
        if is_needed && !kept.contains(&column) && column.width() <= room {
            left -= column.width();
            kept.push(column);
        }
    }
    let shown = Column::FIGURES.into_iter();
    shown.filter(|column| kept.contains(column)).collect()
}

fn name_width(width: usize, columns: &[Column]) -> usize {
    let figures: usize = columns.iter().map(|column| column.width()).sum();
    width.saturating_sub(figures)
}

fn header(screen: &Screen, view: &View, columns: &[Column], width: usize) -> Row {
    let has_focus = screen.focus == Focus::Flows;
    let tone = if has_focus {
        Tone::Chosen
    } else {
        Tone::Strong
    };
    let sort = screen.wish.sort;
    let title = format!(" {} ", title(screen, view));
    let mut row = Row::of(&fit(&title, name_width(width, columns)), tone);
    for column in columns {
        let arrow = match (*column == sort, screen.wish.is_reversed) {
            (false, _) => "",
            (true, false) => "↓",
            (true, true) => "↑",
        };
        let name = format!("{arrow}{}", column.name());
        let tone = if *column == sort {
            Tone::Strong
        } else {
            Tone::Quiet
        };
        row = row.and(&format!("{name:>width$}", width = column.width()), tone);
    }
    row
}

fn title(screen: &Screen, view: &View) -> String {
    let all = number::count(view.snapshot.window.flows_total);
    let shown = view.flow_count() as u64;
    let mut title = if shown == view.snapshot.window.flows_total {
        format!("Flows  {all}")
    } else {
        format!("Flows  {} of {all}", number::count(shown))
    };
    if !screen.wish.filter.is_empty() {
        title.push_str(&format!("  /{}", screen.wish.filter));
    }
    if screen.wish.sort == Column::Flow {
        title.push_str("  by name");
    }
    title
}
