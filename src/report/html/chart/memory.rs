//! How the reassembly memory of a receiver filled up, with its settings and with others.

use super::WIDTH;
use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Svg};
use crate::model::number;
use crate::report::document::MemoryUse;

/// What is drawn.
#[derive(Clone, Debug)]
pub(in crate::report) struct Memories<'a> {
    /// Name that is one of its own in the page.
    pub id: String,
    /// Whose memory it is.
    pub title: String,
    /// The curves, the one with the settings that were assumed first.
    pub curves: Vec<Curve<'a>>,
    /// Where memory is full, with the settings that were assumed.
    pub limit_bytes: Option<u64>,
    /// Seconds after the capture began when it was first full.
    pub full_after: Option<f64>,
}

/// One curve.
#[derive(Clone, Debug)]
pub(in crate::report) struct Curve<'a> {
    /// What it is called in the drawing.
    pub letter: String,
    /// The settings.
    pub name: String,
    /// What was recorded.
    pub memory: &'a MemoryUse,
    /// Seconds from the beginning of the capture to the first step, which may begin a little
    /// earlier.
    pub begins: f64,
}

/// Left and right edge of the plot; behind it, letters name the curves.
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH - 30.0;

/// Height of the plot, and of a line of the legend.
const HEIGHT: f64 = 160.0;
const LINE: f64 = 18.0;

/// Height of a letter: ends that are nearer than this are as one.
const LETTER: f64 = 12.0;

/// Dashes that tell curves apart: classes of the style sheet.
const DASHES: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// Draws the curves; what was not recorded is left out.
pub(in crate::report) fn draw(memories: &Memories<'_>) -> String {
    let top = 14.0 + LINE * memories.curves.len() as f64;
    let bottom = top + HEIGHT;
    let x = Scale::new(memories.seconds(), LEFT, RIGHT);
    let y = Scale::new(memories.largest(), bottom, top);
    let mut svg = Svg::default();
    axes(&mut svg, memories, x, y);
    write_bounds(&mut svg, memories, x, y);
    for (index, curve) in memories.curves.iter().enumerate() {
        draw_curve(&mut svg, index, curve, x, y);
    }
    write_letters(&mut svg, &memories.curves, y);
    svg.finish(
        &memories.id,
        bottom + 38.0,
        &memories.title,
        &memories.words(),
    )
}

/// The limit, and when it was first met. Their words are at opposite ends.
fn write_bounds(svg: &mut Svg, memories: &Memories<'_>, x: Scale, y: Scale) {
    let full = memories.full_after.map(|seconds| (seconds, x.at(seconds)));
    let is_late = full.is_some_and(|(_, at)| at > (LEFT + RIGHT) / 2.0);
    if let Some((seconds, at)) = full {
        let top = y.at(f64::MAX);
        svg.line("mark", (at, top), (at, y.at(0.0)));
        let words = format!("full after {}", number::duration(seconds));
        let (anchor, gap) = if is_late {
            (Anchor::End, -5.0)
        } else {
            (Anchor::Start, 5.0)
        };
        svg.text("label", anchor, (at + gap, top + 11.0), &words);
    }
    if let Some(limit) = memories.limit_bytes {
        let at = y.at(limit as f64);
        svg.line("limit", (LEFT, at), (RIGHT, at));
        let words = format!("limit {}", number::bytes(limit));
        let (anchor, place) = if is_late {
            (Anchor::Start, LEFT + 6.0)
        } else {
            (Anchor::End, RIGHT - 6.0)
        };
        svg.text("label", anchor, (place, at - 4.0), &words);
    }
}

/// A curve, and its line of the legend.
fn draw_curve(svg: &mut Svg, index: usize, curve: &Curve<'_>, x: Scale, y: Scale) {
    let dashes = DASHES[index % DASHES.len()];
    let (letter, name) = (&curve.letter, &curve.name);
    let middle = 8.0 + LINE * index as f64;
    svg.line(dashes, (LEFT, middle), (LEFT + 30.0, middle));
    let words = format!("{letter}  {name}");
    svg.text("label", Anchor::Start, (LEFT + 38.0, middle + 4.0), &words);
    let peaks = curve.memory.peak_bytes.iter().enumerate();
    let points: Vec<(f64, f64)> = peaks
        .map(|(index, bytes)| (x.at(curve.middle(index)), y.at(*bytes as f64)))
        .collect();
    svg.path(dashes, &points);
}

/// The letter of each curve where it ends; of those that end together, side by side.
fn write_letters(svg: &mut Svg, curves: &[Curve<'_>], y: Scale) {
    let mut ends: Vec<(f64, String)> = Vec::new();
    for curve in curves {
        let Some(last) = curve.memory.peak_bytes.last() else {
            continue;
        };
        let height = y.at(*last as f64);
        let near = ends
            .iter_mut()
            .find(|(other, _)| (other - height).abs() < LETTER);
        match near {
            Some((_, letters)) => letters.push_str(&curve.letter),
            None => ends.push((height, curve.letter.clone())),
        }
    }
    for (height, letters) in ends {
        let place = (RIGHT + 4.0, height + 4.0);
        svg.text("label", Anchor::Start, place, &letters);
    }
}

fn axes(svg: &mut Svg, memories: &Memories<'_>, x: Scale, y: Scale) {
    let (top, bottom) = (y.at(f64::MAX), y.at(0.0));
    for tick in ticks(memories.largest(), 6, Round::Binary) {
        let at = y.at(tick);
        svg.line("grid", (LEFT, at), (RIGHT, at));
        svg.text(
            "tick",
            Anchor::End,
            (LEFT - 6.0, at + 4.0),
            &number::bytes(tick as u64),
        );
    }
    for tick in ticks(memories.seconds(), 8, Round::Time) {
        let at = x.at(tick);
        svg.line("grid", (at, top), (at, bottom));
        svg.text(
            "tick",
            Anchor::Middle,
            (at, bottom + 15.0),
            &number::duration(tick),
        );
    }
    svg.line("axis", (LEFT, bottom), (RIGHT, bottom));
    let middle = (LEFT + RIGHT) / 2.0;
    let name = "time since the capture began";
    svg.text("tick", Anchor::Middle, (middle, bottom + 33.0), name);
}

/// `A`, `B` and so on.
pub(in crate::report) fn letter(index: usize) -> String {
    let letter = u8::try_from(index).ok().filter(|index| *index < 26);
    letter.map_or_else(String::new, |index| char::from(b'A' + index).to_string())
}

/// Seconds of a step; never 0.
pub(in crate::report) fn step(memory: &MemoryUse) -> f64 {
    let seconds = memory.step_seconds;
    if seconds.is_finite() && seconds > 0.0 {
        seconds
    } else {
        1.0
    }
}

impl Curve<'_> {
    /// Seconds from the beginning of the capture to the middle of a step.
    fn middle(&self, index: usize) -> f64 {
        (self.begins + (index as f64 + 0.5) * step(self.memory)).max(0.0)
    }

    fn ends(&self) -> f64 {
        self.begins + step(self.memory) * self.memory.peak_bytes.len() as f64
    }
}

impl Memories<'_> {
    fn seconds(&self) -> f64 {
        let ends = self.curves.iter().map(Curve::ends);
        ends.fold(0.0, f64::max)
    }

    /// The largest value, and room for the word above the limit.
    fn largest(&self) -> f64 {
        let curves = self.curves.iter();
        let peaks = curves.flat_map(|curve| curve.memory.peak_bytes.iter().copied());
        let largest = peaks.chain(self.limit_bytes).max().unwrap_or(0);
        largest as f64 * 1.12
    }

    fn words(&self) -> String {
        let curves = self.curves.iter().map(|curve| {
            let peak = curve.memory.peak_bytes.iter().copied().max().unwrap_or(0);
            format!("{}: {} at most", curve.name, number::bytes(peak))
        });
        let mut words = curves.collect::<Vec<_>>().join("; ");
        if let Some(limit) = self.limit_bytes {
            words.push_str(&format!("; the limit is {}", number::bytes(limit)));
        }
        words
    }
}
