//! What was offered and what of it could be delivered, over time.

use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Rect, Svg};
use super::{Room, both};
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

/// Where things are.
#[derive(Clone, Copy, Debug)]
struct Place {
    room: Room,
    /// Left and right edge of the plot.
    left: f64,
    right: f64,
    /// The marks, the plot of rates, and below it that of datagrams.
    marks: f64,
    top: f64,
    middle: f64,
    lane_top: f64,
    lane_bottom: f64,
}

impl Place {
    fn of(room: Room) -> Self {
        // The legend has one row, or three.
        let legend = room.choose(0.0, 36.0);
        Self {
            room,
            left: room.choose(76.0, 66.0),
            right: room.width() - room.choose(28.0, 26.0),
            marks: 32.0 + legend,
            top: 64.0 + legend,
            middle: 224.0 + legend,
            lane_top: 240.0 + legend,
            lane_bottom: 276.0 + legend,
        }
    }

    fn center(&self) -> f64 {
        (self.left + self.right) / 2.0
    }
}

/// Rows that marks are put into where they would cover each other.
const MARK_ROWS: usize = 2;
const MARK_WIDTH: f64 = 16.0;

/// Draws the timeline; an empty one is drawn as axes.
pub(in crate::report) fn draw(timeline: &Timeline, marks: &[Mark]) -> String {
    both(|room| draw_at(Place::of(room), timeline, marks))
}

fn draw_at(place: Place, timeline: &Timeline, marks: &[Mark]) -> String {
    let width = step(timeline);
    let seconds = width * timeline.buckets.len() as f64;
    let x = Scale::new(seconds, place.left, place.right);
    let peak = peak(timeline, |bucket| {
        bucket.bytes.max(bucket.deliverable_bytes)
    }) * 8.0;
    let y = Scale::new(peak, place.middle, place.top);
    let mut svg = Svg::default();
    legend(&mut svg, place);
    time_axis(&mut svg, place, seconds, x);
    rate_axis(&mut svg, place, peak, y);
    let rate = |bytes: u64| y.at(bytes as f64 * 8.0 / width);
    let offered = steps(timeline, x, |bucket| rate(bucket.bytes));
    let delivered = steps(timeline, x, |bucket| rate(bucket.deliverable_bytes));
    svg.path("lost", &between(&offered, &delivered));
    svg.path(
        "good",
        &between(
            &delivered,
            &[(place.right, place.middle), (place.left, place.middle)],
        ),
    );
    svg.path("offered", &offered);
    lost_lane(&mut svg, place, timeline, x);
    draw_marks(&mut svg, place, marks, x);
    svg.finish_for(
        place.room,
        "over-time",
        place.lane_bottom + 40.0,
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

fn legend(svg: &mut Svg, place: Place) {
    let entries = [
        ("offered-key", "offered"),
        ("good", "deliverable"),
        ("lost", "offered, not deliverable"),
        ("count", "datagrams never whole"),
    ];
    let places = place.room.choose(
        [0.0, 92.0, 208.0, 394.0].map(|from| (place.left + from, 4.0)),
        [(1.0, 4.0), (93.0, 4.0), (1.0, 22.0), (1.0, 40.0)],
    );
    for ((class, name), (left, top)) in entries.into_iter().zip(places) {
        let rect = Rect {
            x: left,
            y: top,
            width: 16.0,
            height: 12.0,
        };
        svg.rect(class, rect);
        svg.text("label", Anchor::Start, (left + 22.0, top + 10.0), name);
    }
}

fn time_axis(svg: &mut Svg, place: Place, seconds: f64, x: Scale) {
    let bottom = place.lane_bottom;
    for tick in ticks(seconds, place.room.choose(8, 4), Round::Time) {
        let at = x.at(tick);
        svg.line("grid", (at, place.top), (at, bottom));
        let label = number::duration(tick);
        svg.text("tick", Anchor::Middle, (at, bottom + 15.0), &label);
    }
    let name = "time since the first step began";
    let at = (place.center(), bottom + 33.0);
    svg.text("tick", Anchor::Middle, at, name);
}

fn rate_axis(svg: &mut Svg, place: Place, peak: f64, y: Scale) {
    for tick in ticks(peak, 4, Round::Decimal) {
        let at = y.at(tick);
        svg.line("grid", (place.left, at), (place.right, at));
        svg.text(
            "tick",
            Anchor::End,
            (place.left - 6.0, at + 4.0),
            &number::bit_rate(tick),
        );
    }
    let (from, to) = ((place.left, place.middle), (place.right, place.middle));
    svg.line("axis", from, to);
}

/// Bars for the datagrams that were begun and never became whole.
fn lost_lane(svg: &mut Svg, place: Place, timeline: &Timeline, x: Scale) {
    let (left, right) = (place.left, place.right);
    let (top, bottom) = (place.lane_top, place.lane_bottom);
    let lost = timeline.buckets.iter().map(|bucket| bucket.datagrams_lost);
    let most = lost.max().unwrap_or(0) as f64;
    let y = Scale::new(most, bottom, top);
    svg.line("axis", (left, bottom), (right, bottom));
    let label = format!("{} a step", number::short(most));
    svg.text("tick", Anchor::End, (left - 6.0, top + 8.0), &label);
    svg.text("tick", Anchor::End, (left - 6.0, bottom + 2.0), "0");
    let line = steps(timeline, x, |bucket| y.at(bucket.datagrams_lost as f64));
    let outline = between(&line, &[(right, bottom), (left, bottom)]);
    svg.path("count", &outline);
}

/// Numbers above the plot, and lines down from them.
fn draw_marks(svg: &mut Svg, place: Place, marks: &[Mark], x: Scale) {
    let mut ends = [f64::MIN; MARK_ROWS];
    for (index, mark) in marks.iter().enumerate() {
        let at = x.at(mark.seconds);
        let free = ends.iter().position(|end| at - MARK_WIDTH / 2.0 >= *end);
        let row = free.unwrap_or(index % MARK_ROWS);
        ends[row] = at + MARK_WIDTH / 2.0;
        let middle = place.marks + row as f64 * 18.0;
        svg.line("mark", (at, middle + 7.0), (at, place.lane_bottom));
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
