//! A bar a row: a share of something, with its name in front and figures behind.

use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Rect, Svg};
use super::{Room, both};
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

/// Where bars begin and end: between names and figures, or below them.
fn ends(room: Room) -> (f64, f64) {
    room.choose((150.0, 520.0), (12.0, room.width() - 22.0))
}

/// Height of a row, of the names above the bar in it, and of the bar.
fn heights(room: Room) -> (f64, f64, f64) {
    room.choose((26.0, 0.0, 16.0), (38.0, 14.0, 14.0))
}

/// Upper edge of the first row.
const TOP: f64 = 8.0;

/// Draws the rows and an axis below them.
pub(in crate::report) fn draw(id: &str, title: &str, bars: &[Bar], look: Look) -> String {
    both(|room| draw_for(room, (id, title), bars, look))
}

fn draw_for(room: Room, (id, title): (&str, &str), bars: &[Bar], look: Look) -> String {
    let largest = match look.rest {
        Some(_) => 1.0,
        None => largest(bars),
    };
    let (start, end) = ends(room);
    let scale = Scale::new(largest, start, end);
    let (height, ..) = heights(room);
    let bottom = TOP + height * bars.len() as f64;
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
        row(
            room,
            &mut svg,
            bar,
            look,
            TOP + height * index as f64,
            scale,
        );
    }
    svg.line("axis", (start, TOP), (start, bottom));
    let middle = (start + end) / 2.0;
    svg.text("tick", Anchor::Middle, (middle, bottom + 32.0), look.axis);
    svg.finish_for(room, id, bottom + 38.0, title, &words(bars))
}

/// A row whose upper edge is at `top`.
fn row(room: Room, svg: &mut Svg, bar: &Bar, look: Look, top: f64, scale: Scale) {
    let (start, end) = ends(room);
    let (height, above, thick) = heights(room);
    let filled = scale.at(bar.share);
    let rect = |x: f64, to: f64| Rect {
        x,
        y: top + above + (height - above - thick) / 2.0,
        width: to - x,
        height: thick,
    };
    svg.rect(look.filled, rect(start, filled));
    if let Some(rest) = look.rest {
        svg.rect(rest, rect(filled, end));
    }
    let (name, figures) = match room {
        Room::Wide => ((Anchor::End, start - 8.0), (Anchor::Start, end + 10.0)),
        Room::Narrow => ((Anchor::Start, 1.0), (Anchor::End, room.width() - 1.0)),
    };
    let base = top + room.choose(height / 2.0 + 4.0, above - 1.0);
    svg.text("label", name.0, (name.1, base), &bar.name);
    svg.text("label", figures.0, (figures.1, base), &bar.figures);
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
