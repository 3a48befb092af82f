//! The path as a drawing: boxes for points, arrows for what goes between them.

mod labels;

use crate::report::comparison::document::{Comparison, Direction, Segment};
use crate::report::comparison::ways::{Way, ways};
use crate::report::comparison::words;
use crate::report::html::chart::WIDTH;
use crate::report::html::chart::svg::{Anchor, Rect, Svg};
use labels::{Word, below, facts, notes, share};

/// Points that are drawn.
pub(super) const POINTS: usize = 24;

/// Points in a row; the next row begins with the last of them.
const ROW: usize = 3;

/// Room that a character of a name takes.
const CHARACTER: f64 = 7.4;

/// Height of a line of words, and of what an arrow takes with the words around it.
const LINE: f64 = 16.0;
const ARROW: f64 = 58.0;

/// Room between rows.
const BETWEEN: f64 = 22.0;

/// How wide boxes are, and gaps between them.
#[derive(Clone, Copy)]
struct Grid {
    width: f64,
    gap: f64,
}

impl Grid {
    /// For rows of as many as there are, or of as many as fit.
    fn of(points: usize) -> Self {
        if points < ROW {
            Self {
                width: 250.0,
                gap: WIDTH - 2.0 - 2.0 * 250.0,
            }
        } else {
            Self {
                width: 150.0,
                gap: (WIDTH - 2.0 - ROW as f64 * 150.0) / (ROW as f64 - 1.0),
            }
        }
    }

    /// Left edge of a box.
    fn left(self, column: usize) -> f64 {
        1.0 + column as f64 * (self.width + self.gap)
    }

    /// Characters of a name that fit into a box.
    fn characters(self) -> usize {
        ((self.width - 20.0) / CHARACTER) as usize
    }
}

/// Draws all points that there is room for.
pub(super) fn draw(comparison: &Comparison) -> String {
    let ways = ways(comparison);
    let shown = comparison.points.len().min(POINTS);
    let grid = Grid::of(shown);
    let mut svg = Svg::default();
    let mut top = 1.0;
    let mut first = 0;
    while first < shown {
        let end = (first + ROW).min(shown);
        let height = row(&mut svg, comparison, &ways, grid, first..end, top);
        top += height + BETWEEN;
        first = if end < shown { end - 1 } else { end };
    }
    let height = (top - BETWEEN).max(1.0) + 1.0;
    svg.finish("path", height, "The path", &description(comparison, &ways))
}

/// Draws one row of points and what is between them; its height.
fn row(
    svg: &mut Svg,
    comparison: &Comparison,
    ways: &[Way<'_>],
    grid: Grid,
    points: std::ops::Range<usize>,
    top: f64,
) -> f64 {
    let gaps = points.clone().skip(1).map(|place| {
        let there = ways.iter().filter_map(|way| {
            let segment = way.segments.get(place - 1)?;
            Some((way.direction, *segment))
        });
        there.collect::<Vec<_>>()
    });
    let gaps: Vec<Vec<(Option<Direction>, &Segment)>> = gaps.collect();
    let notes: Vec<Vec<String>> = gaps.iter().map(|gap| notes(gap)).collect();
    let boxes = comparison.points[points].iter();
    let boxes: Vec<Vec<Word>> = boxes.map(|point| facts(point, grid.characters())).collect();
    let high = |gap: usize| ARROW * gaps[gap].len() as f64 + LINE * notes[gap].len() as f64;
    let tallest = (0..gaps.len()).map(high).fold(0.0, f64::max);
    let lines = boxes.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let height = tallest.max(34.0 + LINE * lines) + 8.0;
    for (column, words) in boxes.iter().enumerate() {
        draw_box(svg, words, grid.width, (grid.left(column), top), height);
    }
    for (column, gap) in gaps.iter().enumerate() {
        let left = grid.left(column) + grid.width;
        draw_gap(svg, gap, &notes[column], grid.gap, (left, top));
    }
    height
}

fn draw_box(svg: &mut Svg, words: &[Word], width: f64, (left, top): (f64, f64), height: f64) {
    let rect = Rect {
        x: left,
        y: top,
        width,
        height,
    };
    svg.rect("path-box", rect);
    for (line, (class, text)) in words.iter().enumerate() {
        let down = if line == 0 { 22.0 } else { 26.0 };
        let base = top + down + LINE * line as f64;
        svg.text(class, Anchor::Start, (left + 10.0, base), text);
    }
}

/// Draws the arrows of a gap below each other, and what was changed below them.
fn draw_gap(
    svg: &mut Svg,
    gap: &[(Option<Direction>, &Segment)],
    notes: &[String],
    width: f64,
    (left, top): (f64, f64),
) {
    for (line, (direction, segment)) in gap.iter().enumerate() {
        draw_arrow(
            svg,
            *direction,
            segment,
            width,
            (left, top + ARROW * line as f64),
        );
    }
    let middle = left + width / 2.0;
    let below = top + ARROW * gap.len() as f64 + 14.0;
    for (line, note) in notes.iter().enumerate() {
        let base = below + LINE * line as f64;
        svg.text("path-note", Anchor::Middle, (middle, base), note);
    }
}

/// An arrow with the share that was lost above it, and below it how many and how long
/// the others took.
fn draw_arrow(
    svg: &mut Svg,
    direction: Option<Direction>,
    segment: &Segment,
    width: f64,
    (left, top): (f64, f64),
) {
    let (middle, line) = (left + width / 2.0, top + 26.0);
    let is_lossy = segment.lost.packets > 0;
    let (line_class, head_class) = match is_lossy {
        true => ("path-line lossy", "path-head lossy"),
        false => ("path-line", "path-head"),
    };
    let (start, end) = (left + 5.0, left + width - 5.0);
    svg.line(line_class, (start, line), (end, line));
    if direction != Some(Direction::Backward) {
        head(svg, head_class, end, line, 9.0);
    }
    if direction != Some(Direction::Forward) {
        head(svg, head_class, start, line, -9.0);
    }
    let share_class = if is_lossy { "path-lost" } else { "path-share" };
    svg.text(
        share_class,
        Anchor::Middle,
        (middle, line - 8.0),
        &share(segment),
    );
    for (row, text) in below(segment).iter().enumerate() {
        let base = line + 14.0 + 13.0 * row as f64;
        svg.text("path-note", Anchor::Middle, (middle, base), text);
    }
}

/// The head of an arrow that ends here.
fn head(svg: &mut Svg, class: &str, at: f64, line: f64, length: f64) {
    let back = at - length;
    svg.path(class, &[(at, line), (back, line - 5.0), (back, line + 5.0)]);
}

/// The same in words.
fn description(comparison: &Comparison, ways: &[Way<'_>]) -> String {
    let segments = ways.iter().flat_map(|way| way.segments.iter().take(POINTS));
    let said = segments.map(|segment| {
        let stretch = words::stretch(comparison, segment);
        format!("{stretch}: {}", share(segment))
    });
    said.collect::<Vec<_>>().join("; ")
}
