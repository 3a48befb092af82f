//! What was offered and what of it could be delivered, over time.

use super::WIDTH;
use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Rect, Svg};
use crate::model::number;
use crate::report::document::{Bucket, Timeline};

/// A moment that is marked by its number.
#[derive(Clone, Debug)]
pub(in crate::report) struct Mark {
    /// Seconds since the first step began.
    pub seconds: f64,
    /// What happened, for who points at it.
    pub what: String,
}

/// Left and right edge of the plot.
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH - 28.0;

/// The plot of rates, and below it that of datagrams.
const TOP: f64 = 64.0;
const MIDDLE: f64 = 224.0;
const LANE_TOP: f64 = 240.0;
const LANE_BOTTOM: f64 = 276.0;

/// Rows that marks are put into where they would cover each other.
const MARK_ROWS: usize = 2;
const MARK_WIDTH: f64 = 16.0;

/// Draws the timeline; an empty one is drawn as axes.
pub(in crate::report) fn draw(timeline: &Timeline, marks: &[Mark]) -> String {
    let width = step(timeline);
    let seconds = width * timeline.buckets.len() as f64;
    let x = Scale::new(seconds, LEFT, RIGHT);
    let peak = peak(timeline, |bucket| {
        bucket.bytes.max(bucket.deliverable_bytes)
    }) * 8.0;
    let y = Scale::new(peak, MIDDLE, TOP);
    let mut svg = Svg::default();
    legend(&mut svg);
    time_axis(&mut svg, seconds, x);
    rate_axis(&mut svg, peak, y);
    let rate = |bytes: u64| y.at(bytes as f64 * 8.0 / width);
    let offered = steps(timeline, x, |bucket| rate(bucket.bytes));
    let delivered = steps(timeline, x, |bucket| rate(bucket.deliverable_bytes));
    svg.path("lost", &between(&offered, &delivered));
    svg.path(
        "good",
        &between(&delivered, &[(RIGHT, MIDDLE), (LEFT, MIDDLE)]),
    );
    svg.path("offered", &offered);
    lost_lane(&mut svg, timeline, x);
    draw_marks(&mut svg, marks, x);
    svg.finish(
        "over-time",
        LANE_BOTTOM + 40.0,
        "Offered and deliverable traffic over time",
        &words(timeline),
    )
}

/// Seconds of a step; never 0.
pub(in crate::report) fn step(timeline: &Timeline) -> f64 {
    let seconds = timeline.bucket_seconds;
    if seconds.is_finite() && seconds > 0.0 {
        seconds
    } else {
        1.0
    }
}

/// The largest figure of a step, per second.
fn peak(timeline: &Timeline, figure: fn(&Bucket) -> u64) -> f64 {
    let most = timeline.buckets.iter().map(figure).max().unwrap_or(0);
    most as f64 / step(timeline)
}

/// A line that is level over each step.
fn steps(timeline: &Timeline, x: Scale, y: impl Fn(&Bucket) -> f64) -> Vec<(f64, f64)> {
    let width = step(timeline);
    let corners = timeline
        .buckets
        .iter()
        .enumerate()
        .flat_map(|(index, bucket)| {
            let height = y(bucket);
            let from = x.at(index as f64 * width);
            [(from, height), (x.at((index + 1) as f64 * width), height)]
        });
    corners.collect()
}

/// The outline of what lies between two lines.
fn between(upper: &[(f64, f64)], lower: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if upper.is_empty() {
        return Vec::new();
    }
    // A line that comes back already is taken as it is.
    let back = lower.windows(2).all(|pair| pair[0].0 >= pair[1].0);
    let mut outline = upper.to_vec();
    if back {
        outline.extend(lower);
    } else {
        outline.extend(lower.iter().rev());
    }
    outline
}

fn legend(svg: &mut Svg) {
    let entries = [
        ("offered-key", "offered", LEFT),
        ("good", "deliverable", LEFT + 92.0),
        ("lost", "offered, not deliverable", LEFT + 208.0),
        ("count", "datagrams never whole", LEFT + 394.0),
    ];
    for (class, name, left) in entries {
        let rect = Rect {
            x: left,
            y: 4.0,
            width: 16.0,
            height: 12.0,
        };
        svg.rect(class, rect);
        svg.text("label", Anchor::Start, (left + 22.0, 14.0), name);
    }
}

fn time_axis(svg: &mut Svg, seconds: f64, x: Scale) {
    for tick in ticks(seconds, 8, Round::Time) {
        let at = x.at(tick);
        svg.line("grid", (at, TOP), (at, LANE_BOTTOM));
        let label = number::duration(tick);
        svg.text("tick", Anchor::Middle, (at, LANE_BOTTOM + 15.0), &label);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    let name = "time since the first step began";
    svg.text("tick", Anchor::Middle, (middle, LANE_BOTTOM + 33.0), name);
}

fn rate_axis(svg: &mut Svg, peak: f64, y: Scale) {
    for tick in ticks(peak, 4, Round::Decimal) {
        let at = y.at(tick);
        svg.line("grid", (LEFT, at), (RIGHT, at));
        svg.text(
            "tick",
            Anchor::End,
            (LEFT - 6.0, at + 4.0),
            &number::bit_rate(tick),
        );
    }
    svg.line("axis", (LEFT, MIDDLE), (RIGHT, MIDDLE));
}

/// Bars for the datagrams that were begun and never became whole.
fn lost_lane(svg: &mut Svg, timeline: &Timeline, x: Scale) {
    let lost = timeline.buckets.iter().map(|bucket| bucket.datagrams_lost);
    let most = lost.max().unwrap_or(0) as f64;
    let y = Scale::new(most, LANE_BOTTOM, LANE_TOP);
    svg.line("axis", (LEFT, LANE_BOTTOM), (RIGHT, LANE_BOTTOM));
    let label = format!("{} a step", number::short(most));
    svg.text("tick", Anchor::End, (LEFT - 6.0, LANE_TOP + 8.0), &label);
    svg.text("tick", Anchor::End, (LEFT - 6.0, LANE_BOTTOM + 2.0), "0");
    let line = steps(timeline, x, |bucket| y.at(bucket.datagrams_lost as f64));
    let outline = between(&line, &[(RIGHT, LANE_BOTTOM), (LEFT, LANE_BOTTOM)]);
    svg.path("count", &outline);
}

/// Numbers above the plot, and lines down from them.
fn draw_marks(svg: &mut Svg, marks: &[Mark], x: Scale) {
    let mut ends = [f64::MIN; MARK_ROWS];
    for (index, mark) in marks.iter().enumerate() {
        let at = x.at(mark.seconds);
        let free = ends.iter().position(|end| at - MARK_WIDTH / 2.0 >= *end);
        let row = free.unwrap_or(index % MARK_ROWS);
        ends[row] = at + MARK_WIDTH / 2.0;
        let middle = 32.0 + row as f64 * 18.0;
        svg.line("mark", (at, middle + 7.0), (at, LANE_BOTTOM));
        let rect = Rect {
            x: at - 7.0,
            y: middle - 8.0,
            width: 14.0,
            height: 15.0,
        };
        svg.named_rect("flag", rect, &mark.what);
        let number = number::count(index as u64 + 1);
        svg.text("flag-text", Anchor::Middle, (at, middle + 4.0), &number);
    }
}

fn words(timeline: &Timeline) -> String {
    let bits = |figure| number::bit_rate(peak(timeline, figure) * 8.0);
    let lost = timeline.buckets.iter().map(|bucket| bucket.datagrams_lost);
    let lost = lost.fold(0, u64::saturating_add);
    format!(
        "{} of {}. At most {} offered and {} deliverable; {} never whole.",
        number::counted(timeline.buckets.len() as u64, "step"),
        number::duration(step(timeline)),
        bits(|bucket| bucket.bytes),
        bits(|bucket| bucket.deliverable_bytes),
        number::counted(lost, "datagram"),
    )
}
