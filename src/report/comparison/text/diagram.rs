//! The path: a box for each point, and between them what became of packets.

use super::lane::{self, Line, labelled};
use super::tone;
use crate::report::comparison::document::{Direction, Point};
use crate::report::comparison::ways::{Way, ways};
use crate::report::comparison::{Comparison, words};
use crate::report::escape;
use crate::report::text::page::{Page, Tone};
use std::io::{self, Write};

/// Columns in front of the boxes.
const INDENT: usize = 2;

/// Columns that an arrow takes, with what is around it.
const ARROW: usize = 4;

/// Least width of a lane, so that two stand side by side.
const LANE: usize = 52;

/// Widest box, and the widest lane: longer lines are hard to read.
const WIDEST: usize = 116;

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    page.heading("Path", &words::common(comparison))?;
    if let Some(relation) = words::relation(comparison) {
        page.paragraph("  ", INDENT, &relation, Tone::Fault)?;
    }
    for line in diagram(comparison, page.width()) {
        page.pieces(&line)?;
    }
    Ok(())
}

/// The diagram without colour.
pub(in crate::report::comparison) fn lines(comparison: &Comparison, width: usize) -> Vec<String> {
    let lines = diagram(comparison, width);
    let lines = lines.iter().map(|line| {
        let text: String = line.iter().map(|(text, _)| text.as_str()).collect();
        text.trim_end().to_owned()
    });
    lines.collect()
}

fn diagram(comparison: &Comparison, width: usize) -> Vec<Line> {
    let width = width.saturating_sub(INDENT).min(WIDEST);
    let ways = ways(comparison);
    let mut lines = Vec::new();
    for (place, point) in comparison.points.iter().enumerate() {
        lines.extend(point_box(point, width));
        if place + 1 < comparison.points.len() {
            lines.extend(between(comparison, &ways, place, width));
        }
    }
    if comparison.points.len() > 2 {
        lines.extend(end_to_end(comparison, &ways, width));
    }
    let indent = " ".repeat(INDENT);
    for line in &mut lines {
        line.insert(0, (indent.clone(), Tone::Normal));
    }
    lines
}

/// A box with the name of a point and its file on its edge.
fn point_box(point: &Point, width: usize) -> Vec<Line> {
    let inside = width.saturating_sub(4);
    let edge = |text: String| (text, Tone::Quiet);
    let name = escape::line(&point.name).into_owned();
    let title = title(
        &point.file.path,
        inside.saturating_sub(name.chars().count() + 5),
    );
    let used = name.chars().count() + title.chars().count() + 7;
    let rest = "─".repeat(width.saturating_sub(used + 1));
    let mut lines = vec![vec![
        edge("┌─ ".to_owned()),
        (name, Tone::Heading),
        edge(" ─ ".to_owned()),
        (title, Tone::Normal),
        edge(format!(" {rest}┐")),
    ]];
    for fact in words::point_facts(point) {
        for line in labelled(fact.name, &fact.text, tone(fact.weight), inside) {
            lines.push(boxed(line, inside));
        }
    }
    lines.push(vec![edge(format!(
        "└{}┘",
        "─".repeat(width.saturating_sub(2))
    ))]);
    lines
}

/// A line between the edges of a box.
fn boxed(line: Line, inside: usize) -> Line {
    let used = columns(&line);
    let mut boxed = vec![("│ ".to_owned(), Tone::Quiet)];
    boxed.extend(line);
    let pad = " ".repeat(inside.saturating_sub(used));
    boxed.push((pad, Tone::Normal));
    boxed.push((" │".to_owned(), Tone::Quiet));
    boxed
}

/// The end of a path, which says more than its beginning.
fn title(path: &str, room: usize) -> String {
    let path = escape::line(path);
    let length = path.chars().count();
    if length <= room {
        return path.into_owned();
    }
    let end: String = path.chars().skip(length - room.saturating_sub(1)).collect();
    format!("…{end}")
}

/// Arrows from one point to the next and back, with what became of packets.
fn between(comparison: &Comparison, ways: &[Way<'_>], place: usize, width: usize) -> Vec<Line> {
    let there = ways.iter().filter_map(|way| {
        let segment = way.segments.get(place)?;
        Some((way.direction, *segment))
    });
    let there: Vec<_> = there.collect();
    let arrows: Vec<Option<Direction>> = there.iter().map(|(direction, _)| *direction).collect();
    let (room, is_wide) = lanes(there.len(), width);
    let segments = there.into_iter();
    let lanes = segments.map(|(_, segment)| lane::lines(comparison, segment, room - 1));
    if is_wide {
        beside(&arrows, lanes.collect(), room)
    } else {
        below(&arrows, lanes.collect())
    }
}

/// How wide so many lanes are behind their arrows, and whether side by side.
fn lanes(count: usize, width: usize) -> (usize, bool) {
    let is_wide = count > 1 && width / count >= LANE + ARROW;
    let room = match is_wide {
        true => width / count - ARROW,
        false => width.saturating_sub(ARROW * count),
    };
    (room.max(ARROW), is_wide)
}

/// Lanes below each other, with all arrows in front of them.
fn below(arrows: &[Option<Direction>], lanes: Vec<Vec<Line>>) -> Vec<Line> {
    let lines = lanes.join(&Line::new());
    let height = lines.len();
    let lines = lines.into_iter().enumerate().map(|(row, line)| {
        let shafts = arrows.iter().map(|arrow| shaft(*arrow, row, height));
        shafts.chain(line).collect()
    });
    lines.collect()
}

/// Lanes as columns of this width, each behind its arrow.
fn beside(arrows: &[Option<Direction>], lanes: Vec<Vec<Line>>, room: usize) -> Vec<Line> {
    let height = lanes.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| {
        let mut line = Line::new();
        for (number, (arrow, lane)) in arrows.iter().zip(&lanes).enumerate() {
            line.push((pad_to(&line, number * (room + ARROW)), Tone::Normal));
            line.push(shaft(*arrow, row, height));
            line.extend(lane.get(row).cloned().unwrap_or_default());
        }
        line
    };
    (0..height).map(row).collect()
}

/// One row of an arrow that is so many rows high.
fn shaft(arrow: Option<Direction>, row: usize, height: usize) -> (String, Tone) {
    let points_up = arrow != Some(Direction::Forward);
    let points_down = arrow != Some(Direction::Backward);
    let shaft = match row {
        0 if points_up => "▲",
        row if row + 1 == height && points_down => "▼",
        _ => "│",
    };
    (format!("  {shaft} "), Tone::Normal)
}

/// What the whole path makes of packets, below it.
fn end_to_end(comparison: &Comparison, ways: &[Way<'_>], width: usize) -> Vec<Line> {
    let (room, is_wide) = lanes(ways.len(), width);
    let totals = ways.iter().map(|way| {
        let mut lines = lane::totals(comparison, way.path, room - 1);
        lines.insert(0, Line::new());
        lines
    });
    let totals: Vec<Vec<Line>> = totals.collect();
    if !is_wide {
        return totals.concat();
    }
    let height = totals.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| {
        let mut line = Line::new();
        for (number, lane) in totals.iter().enumerate() {
            line.push((pad_to(&line, number * (room + ARROW)), Tone::Normal));
            line.extend(lane.get(row).cloned().unwrap_or_default());
        }
        line
    };
    (0..height).map(row).collect()
}

/// Spaces up to a column.
fn pad_to(line: &Line, column: usize) -> String {
    " ".repeat(column.saturating_sub(columns(line)))
}

fn columns(line: &Line) -> usize {
    line.iter().map(|(text, _)| text.chars().count()).sum()
}
