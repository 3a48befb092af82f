//! A bar a row: a share of something, with its name in front and figures behind.

use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Rect, Svg};
use crate::model::number;

/// One row.
#[derive(Clone, Debug)]
pub(in crate::report) struct Bar {
    /// What it is.
    pub name: String,
    /// The share, from 0 to 1.
    pub share: f64,
    /// Figures, behind the bar.
    pub figures: String,
}

/// How the rows are drawn.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Look {
    /// How the share is filled: a class of the style sheet.
    pub filled: &'static str,
    /// How the rest of 1 is filled; `None`: the scale ends where the largest share does.
    pub rest: Option<&'static str>,
    /// What the axis shows.
    pub axis: &'static str,
}

/// Where bars begin and end.
const START: f64 = 150.0;
const END: f64 = 520.0;

/// Height of a row, and of the bar in it.
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;

/// Upper edge of the first row.
const TOP: f64 = 8.0;

/// Draws the rows and an axis below them.
pub(in crate::report) fn draw(id: &str, title: &str, bars: &[Bar], look: Look) -> String {
    let largest = match look.rest {
        Some(_) => 1.0,
        None => largest(bars),
    };
    let scale = Scale::new(largest, START, END);
    let bottom = TOP + ROW * bars.len() as f64;
    let mut svg = Svg::default();
    for tick in ticks(largest, 5, Round::Decimal) {
        let x = scale.at(tick);
        svg.line("grid", (x, TOP), (x, bottom));
        svg.text(
            "tick",
            Anchor::Middle,
            (x, bottom + 15.0),
            &number::share(tick),
        );
    }
    for (index, bar) in bars.iter().enumerate() {
        row(&mut svg, bar, look, scale, TOP + ROW * index as f64);
    }
    svg.line("axis", (START, TOP), (START, bottom));
    let middle = (START + END) / 2.0;
    svg.text("tick", Anchor::Middle, (middle, bottom + 32.0), look.axis);
    svg.finish(id, bottom + 38.0, title, &words(bars))
}

fn row(svg: &mut Svg, bar: &Bar, look: Look, scale: Scale, top: f64) {
    let base = top + ROW / 2.0 + 4.0;
    let end = scale.at(bar.share);
    let rect = |x: f64, to: f64| Rect {
        x,
        y: top + (ROW - BAR) / 2.0,
        width: to - x,
        height: BAR,
    };
    svg.text("label", Anchor::End, (START - 8.0, base), &bar.name);
    svg.rect(look.filled, rect(START, end));
    if let Some(rest) = look.rest {
        svg.rect(rest, rect(end, END));
    }
    svg.text("label", Anchor::Start, (END + 10.0, base), &bar.figures);
}

/// The largest share, and a little, so that its bar is a bar.
fn largest(bars: &[Bar]) -> f64 {
    let shares = bars.iter().map(|bar| bar.share);
    let largest = shares.filter(|share| share.is_finite()).fold(0.0, f64::max);
    if largest > 0.0 { largest.min(1.0) } else { 1.0 }
}

fn words(bars: &[Bar]) -> String {
    let rows = bars
        .iter()
        .map(|bar| format!("{}: {}", bar.name, bar.figures));
    format!("{}.", rows.collect::<Vec<_>>().join("; "))
}
