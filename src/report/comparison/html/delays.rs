//! How long packets took: from the fastest to the slowest, on a scale of powers of ten.

use super::segments;
use crate::model::number;
use crate::report::comparison::document::{Delay, Segment};
use crate::report::comparison::ways::ways;
use crate::report::comparison::{Comparison, words};
use crate::report::html::chart::WIDTH;
use crate::report::html::chart::scale::Scale;
use crate::report::html::chart::svg::{Anchor, Rect, Svg};
use crate::report::html::section::{Figure, Marks, Part, Section};
use crate::report::html::table::{Table, count, figure, words as text};

/// Where ranges begin and end.
const LEFT: f64 = 90.0;
const RIGHT: f64 = WIDTH - 110.0;

/// Height of a row.
const ROW: f64 = 28.0;

/// Upper edge of the first row.
const TOP: f64 = 24.0;

/// The shortest time that is drawn; shorter ones are drawn as it.
const LEAST: f64 = 1e-7;

/// Most powers of ten on the scale.
const DECADES: i32 = 9;

/// A range: what it is of, and the figures.
struct Range<'a> {
    name: String,
    delay: &'a Delay,
}

pub(super) fn section(comparison: &Comparison) -> Option<Section> {
    let mut segments: Vec<&Segment> = segments::shown(comparison);
    let ways = ways(comparison);
    if comparison.points.len() > 2 {
        segments.extend(ways.iter().map(|way| way.path));
    }
    let ranges = segments.iter().filter_map(|segment| {
        let name = words::stretch(comparison, segment);
        let delay = segment.delay.as_ref()?;
        Some(Range { name, delay })
    });
    let ranges: Vec<Range<'_>> = ranges.collect();
    if ranges.is_empty() {
        return None;
    }
    let is_relative = |segment: &&Segment| words::is_relative(comparison, segment);
    let lead = if segments.iter().any(is_relative) {
        "Where packets were matched in one direction only: how much longer than the fastest."
    } else {
        "From the clocks as they are set against each other."
    };
    let figure = Figure {
        title: String::new(),
        lead: String::new(),
        svg: draw(&ranges),
        marks: Marks::None,
        table: table(&ranges),
    };
    let part = Part::Figure(Box::new(figure));
    Some(Section::of("delays", "Delays", lead.to_owned(), part))
}

fn table(ranges: &[Range<'_>]) -> Table {
    let columns = ["@segment", "#packets", "#min", "#median", "#p99", "#max"];
    let mut table = Table::new("delays-table", "How long packets took", &columns);
    for Range { name, delay } in ranges {
        let time = |seconds| figure(Some(seconds), number::duration);
        table.push(vec![
            text(name.clone()),
            count(delay.packets),
            time(delay.min_seconds),
            time(delay.median_seconds),
            time(delay.p99_seconds),
            time(delay.max_seconds),
        ]);
    }
    table
}

fn draw(ranges: &[Range<'_>]) -> String {
    let (low, high) = bounds(ranges);
    let scale = Scale::new(f64::from(high - low), LEFT, RIGHT);
    let at = |seconds: f64| scale.at(power(seconds) - f64::from(low));
    let bottom = TOP + ROW * ranges.len() as f64;
    let mut svg = Svg::default();
    for decade in low..=high {
        let x = scale.at(f64::from(decade - low));
        svg.line("grid", (x, TOP), (x, bottom));
        let label = number::duration(10_f64.powi(decade));
        svg.text("tick", Anchor::Middle, (x, bottom + 15.0), &label);
    }
    let key = "line: min to max, bar: min to p99, mark: median";
    svg.text("tick", Anchor::Start, (LEFT, 13.0), key);
    for (row, range) in ranges.iter().enumerate() {
        draw_range(&mut svg, range, TOP + ROW * row as f64, &at);
    }
    svg.finish("delays", bottom + 22.0, "Delays", &described(ranges))
}

fn draw_range(svg: &mut Svg, range: &Range<'_>, top: f64, at: &dyn Fn(f64) -> f64) {
    let (delay, middle) = (range.delay, top + ROW / 2.0);
    let (min, max) = (at(delay.min_seconds), at(delay.max_seconds));
    svg.text(
        "label",
        Anchor::End,
        (LEFT - 10.0, middle + 4.0),
        &range.name,
    );
    svg.line("delay-all", (min, middle), (max, middle));
    let most = Rect {
        x: min,
        y: middle - 5.0,
        width: at(delay.p99_seconds) - min,
        height: 10.0,
    };
    svg.rect("delay-most", most);
    let median = at(delay.median_seconds);
    svg.line(
        "delay-median",
        (median, middle - 8.0),
        (median, middle + 8.0),
    );
    let words = format!("{} median", number::duration(delay.median_seconds));
    svg.text("label", Anchor::Start, (RIGHT + 10.0, middle + 4.0), &words);
}

/// The power of ten that a time is; what is no time is the least.
fn power(seconds: f64) -> f64 {
    if seconds.is_finite() {
        seconds.max(LEAST).log10()
    } else {
        LEAST.log10()
    }
}

/// The powers of ten that all times are between.
fn bounds(ranges: &[Range<'_>]) -> (i32, i32) {
    let min = ranges.iter().map(|range| power(range.delay.min_seconds));
    let max = ranges.iter().map(|range| power(range.delay.max_seconds));
    // A cast of what is too large gives the largest.
    let low = min.fold(f64::INFINITY, f64::min).floor() as i32;
    let high = max.fold(f64::NEG_INFINITY, f64::max).ceil() as i32;
    let low = low.clamp(-7, 6);
    (low, high.clamp(low + 1, low + DECADES))
}

fn described(ranges: &[Range<'_>]) -> String {
    let said = ranges.iter();
    let said = said.map(|range| format!("{}: {}", range.name, words::delay(range.delay, false)));
    said.collect::<Vec<_>>().join("; ")
}
