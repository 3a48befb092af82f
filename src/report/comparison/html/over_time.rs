//! The share lost over time, as columns.

use crate::model::number;
use crate::report::comparison::over_time::OverTime;
use crate::report::html::chart::WIDTH;
use crate::report::html::chart::scale::{Round, Scale, ticks};
use crate::report::html::chart::svg::{Anchor, Rect, Svg};

/// The plot.
const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 28.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 120.0;

/// Draws a column for each step.
pub(super) fn draw(id: &str, title: &str, over: &OverTime) -> String {
    let shares = over.shares();
    let seconds = over.seconds * shares.len() as f64;
    let x = Scale::new(seconds, LEFT, RIGHT);
    // Room above the highest, and never an axis of nothing.
    let largest = match over.peak() {
        peak if peak > 0.0 => (peak * 1.15).min(1.0),
        _ => 1.0,
    };
    let y = Scale::new(largest, BOTTOM, TOP);
    let mut svg = Svg::default();
    axes(&mut svg, seconds, largest, x, y);
    let columns = shares.iter().enumerate().map(|(place, share)| {
        let begins = x.at(over.seconds * place as f64);
        let ends = x.at(over.seconds * (place + 1) as f64);
        Rect {
            x: begins,
            y: y.at(*share),
            width: (ends - begins - 0.5).max(0.5),
            height: BOTTOM - y.at(*share),
        }
    });
    let columns: Vec<Rect> = columns.filter(|column| column.height > 0.0).collect();
    svg.rects("count", &columns);
    svg.line("axis", (LEFT, BOTTOM), (RIGHT, BOTTOM));
    svg.finish(id, BOTTOM + 40.0, title, &described(over))
}

fn axes(svg: &mut Svg, seconds: f64, largest: f64, x: Scale, y: Scale) {
    for tick in ticks(largest, 4, Round::Decimal) {
        let at = y.at(tick);
        svg.line("grid", (LEFT, at), (RIGHT, at));
        let label = number::share(tick);
        svg.text("tick", Anchor::End, (LEFT - 6.0, at + 4.0), &label);
    }
    for tick in ticks(seconds, 8, Round::Time) {
        let at = x.at(tick);
        svg.line("grid", (at, TOP), (at, BOTTOM));
        let label = number::duration(tick);
        svg.text("tick", Anchor::Middle, (at, BOTTOM + 15.0), &label);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    let name = "time since the first step began, by the clock of the first point";
    svg.text("tick", Anchor::Middle, (middle, BOTTOM + 33.0), name);
}

fn described(over: &OverTime) -> String {
    format!(
        "{} of {}; at most {} lost in one",
        number::counted(over.columns.len() as u64, "step"),
        number::duration(over.seconds),
        number::share(over.peak())
    )
}
