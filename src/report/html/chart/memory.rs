//! How the reassembly memory of a receiver filled up, with its settings and with others.

use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Svg};
use super::{Room, both};
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

/// Where the plot is.
#[derive(Clone, Copy, Debug)]
struct Plot {
    room: Room,
    /// Left and right edge; behind it, letters name the curves.
    left: f64,
    right: f64,
    x: Scale,
    y: Scale,
}

impl Plot {
    fn of(room: Room, memories: &Memories<'_>) -> Self {
        let top = 14.0 + LINE * memories.curves.len() as f64;
        let left = room.choose(76.0, 66.0);
        let right = room.width() - 48.0;
        Self {
            room,
            left,
            right,
            x: Scale::new(memories.seconds(), left, right),
            y: Scale::new(memories.largest(), top + HEIGHT, top),
        }
    }

    fn top(&self) -> f64 {
        self.y.at(f64::MAX)
    }

    fn bottom(&self) -> f64 {
        self.y.at(0.0)
    }
}

/// Height of the plot, and of a line of the legend.
const HEIGHT: f64 = 160.0;
const LINE: f64 = 18.0;

/// Height of a letter: ends that are nearer than this are as one.
const LETTER: f64 = 12.0;

/// Dashes that tell curves apart: classes of the style sheet.
const DASHES: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// Draws the curves; what was not recorded is left out.
pub(in crate::report) fn draw(memories: &Memories<'_>) -> String {
    both(|room| draw_for(Plot::of(room, memories), memories))
}

fn draw_for(plot: Plot, memories: &Memories<'_>) -> String {
    let mut svg = Svg::default();
    axes(&mut svg, memories, plot);
    write_bounds(&mut svg, memories, plot);
    for (index, curve) in memories.curves.iter().enumerate() {
        draw_curve(&mut svg, index, curve, plot);
    }
    write_letters(&mut svg, &memories.curves, plot);
    svg.finish_for(
        plot.room,
        &memories.id,
        plot.bottom() + 38.0,
        &memories.title,
        &memories.words(),
    )
}

/// The limit, and when it was first met. Their words are at opposite ends.
fn write_bounds(svg: &mut Svg, memories: &Memories<'_>, plot: Plot) {
    let full = memories
        .full_after
        .map(|seconds| (seconds, plot.x.at(seconds)));
    let is_late = full.is_some_and(|(_, at)| at > (plot.left + plot.right) / 2.0);
    if let Some((seconds, at)) = full {
        let top = plot.top();
        svg.line("mark", (at, top), (at, plot.bottom()));
        let words = format!("full after {}", number::duration(seconds));
        let (anchor, gap) = if is_late {
            (Anchor::End, -5.0)
        } else {
            (Anchor::Start, 5.0)
        };
        svg.text("label", anchor, (at + gap, top + 11.0), &words);
    }
    if let Some(limit) = memories.limit_bytes {
        let at = plot.y.at(limit as f64);
        svg.line("limit", (plot.left, at), (plot.right, at));
        let words = format!("limit {}", number::bytes(limit));
        let (anchor, place) = if is_late {
            (Anchor::Start, plot.left + 6.0)
        } else {
            (Anchor::End, plot.right - 6.0)
        };
        svg.text("label", anchor, (place, at - 4.0), &words);
    }
}

/// A curve, and its line of the legend.
fn draw_curve(svg: &mut Svg, index: usize, curve: &Curve<'_>, plot: Plot) {
    let dashes = DASHES[index % DASHES.len()];
    let (letter, name) = (&curve.letter, &curve.name);
    let middle = 8.0 + LINE * index as f64;
    // Names of settings are long.
    let (from, to) = plot.room.choose((plot.left, plot.left + 30.0), (1.0, 19.0));
    svg.line(dashes, (from, middle), (to, middle));
    let words = format!("{letter}  {name}");
    svg.text("label", Anchor::Start, (to + 8.0, middle + 4.0), &words);
    let peaks = curve.memory.peak_bytes.iter().enumerate();
    let points: Vec<(f64, f64)> = peaks
        .map(|(index, bytes)| (plot.x.at(curve.middle(index)), plot.y.at(*bytes as f64)))
        .collect();
    svg.path(dashes, &points);
}

/// The letter of each curve where it ends; of those that end together, side by side.
fn write_letters(svg: &mut Svg, curves: &[Curve<'_>], plot: Plot) {
    let mut ends: Vec<(f64, String)> = Vec::new();
    for curve in curves {
        let Some(last) = curve.memory.peak_bytes.last() else {
            continue;
        };
        let height = plot.y.at(*last as f64);
        let near = ends
            .iter_mut()
            .find(|(other, _)| (other - height).abs() < LETTER);
        match near {
            Some((_, letters)) => letters.push_str(&curve.letter),
            None => ends.push((height, curve.letter.clone())),
        }
    }
    for (height, letters) in ends {
        let place = (plot.right + 4.0, height + 4.0);
        svg.text("label", Anchor::Start, place, &letters);
    }
}

fn axes(svg: &mut Svg, memories: &Memories<'_>, plot: Plot) {
    let (left, right) = (plot.left, plot.right);
    let (top, bottom) = (plot.top(), plot.bottom());
    for tick in ticks(memories.largest(), 6, Round::Binary) {
        let at = plot.y.at(tick);
        svg.line("grid", (left, at), (right, at));
        svg.text(
            "tick",
            Anchor::End,
            (left - 6.0, at + 4.0),
            &number::bytes(tick as u64),
        );
    }
    for tick in ticks(memories.seconds(), plot.room.choose(8, 4), Round::Time) {
        let at = plot.x.at(tick);
        svg.line("grid", (at, top), (at, bottom));
        svg.text(
            "tick",
            Anchor::Middle,
            (at, bottom + 15.0),
            &number::duration(tick),
        );
    }
    svg.line("axis", (left, bottom), (right, bottom));
    let middle = (left + right) / 2.0;
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
