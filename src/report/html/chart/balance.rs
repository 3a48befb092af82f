//! One bar for all that was sent, divided by what became of it.

use super::scale::Scale;
use super::svg::{Anchor, Rect, Svg};
use super::{Room, both};
use crate::model::number;

/// What a stretch of the bar stands for.
#[derive(Clone, Debug)]
pub(in crate::report) struct Stretch {
    /// What is written in it where there is room.
    pub label: String,
    /// How it is filled: a class of the style sheet.
    pub fill: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// Upper edge and height of the bar.
const TOP: f64 = 20.0;
const HEIGHT: f64 = 34.0;

/// Width that a character of a label takes.
const CHARACTER: f64 = 7.2;

/// Draws the bar, with the sum above it.
pub(in crate::report) fn draw(stretches: &[Stretch]) -> String {
    both(|room| draw_for(room, stretches))
}

fn draw_for(room: Room, stretches: &[Stretch]) -> String {
    let total: u64 = sum(stretches);
    let scale = Scale::new(total as f64, 0.5, room.width() - 0.5);
    let mut svg = Svg::default();
    let sent = format!("{} sent", number::bytes(total));
    svg.text("label", Anchor::Start, (0.0, 12.0), &sent);
    let mut before = 0_u64;
    for stretch in stretches {
        let x = scale.at(before as f64);
        before = before.saturating_add(stretch.bytes);
        let width = scale.at(before as f64) - x;
        let share = number::percent(stretch.bytes, total);
        let rect = Rect {
            x,
            y: TOP,
            width,
            height: HEIGHT,
        };
        let name = format!(
            "{}: {} ({share})",
            stretch.label,
            number::bytes(stretch.bytes)
        );
        svg.named_rect(stretch.fill, rect, &name);
        write_label(&mut svg, rect, &format!("{} {share}", stretch.label));
    }
    svg.rect(
        "frame",
        Rect {
            x: 0.5,
            y: TOP,
            width: room.width() - 1.0,
            height: HEIGHT,
        },
    );
    svg.finish_for(
        room,
        "balance",
        TOP + HEIGHT + 2.0,
        "What became of the bytes sent",
        &words(stretches),
    )
}

/// A label on a plate, so that it can be read on any hatching.
fn write_label(svg: &mut Svg, of: Rect, label: &str) {
    let width = label.chars().count() as f64 * CHARACTER + 10.0;
    if of.width < width + 6.0 {
        return;
    }
    let middle = of.x + of.width / 2.0;
    svg.rect(
        "plate",
        Rect {
            x: middle - width / 2.0,
            y: of.y + 8.0,
            width,
            height: 18.0,
        },
    );
    svg.text("label", Anchor::Middle, (middle, of.y + 21.0), label);
}

fn words(stretches: &[Stretch]) -> String {
    let total = sum(stretches);
    let parts = stretches.iter().map(|stretch| {
        let share = number::percent(stretch.bytes, total);
        format!(
            "{} {} ({share})",
            stretch.label,
            number::bytes(stretch.bytes)
        )
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn sum(stretches: &[Stretch]) -> u64 {
    stretches
        .iter()
        .fold(0, |sum, stretch| sum.saturating_add(stretch.bytes))
}
