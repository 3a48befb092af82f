//! What became of packets on one segment, as lines that stand beside an arrow.

use super::tone;
use crate::model::number;
use crate::report::comparison::document::{Count, Segment};
use crate::report::comparison::over_time::OverTime;
use crate::report::comparison::{Comparison, words};
use crate::report::text::page::{Tone, wrap};
use crate::report::text::timeline::spark;

/// Pieces of a line, each with its tone.
pub(super) type Line = Vec<(String, Tone)>;

/// Columns of the names in front.
const NAME: usize = 11;

/// Columns kept for the peak behind losses over time.
const PEAK: usize = 28;

/// All that is said of a segment, no wider than this.
pub(super) fn lines(comparison: &Comparison, segment: &Segment, width: usize) -> Vec<Line> {
    let stretch = words::stretch(comparison, segment);
    if words::is_blank(segment) {
        return blank(comparison, segment, width);
    }
    let mut lines = figures(&stretch, segment, width);
    let over = segment.loss.as_ref();
    let columns = width.saturating_sub(NAME + PEAK).max(8);
    let over = over.and_then(|loss| OverTime::of(loss, columns));
    for fact in words::segment_facts(comparison, segment) {
        lines.extend(labelled(fact.name, &fact.text, tone(fact.weight), width));
        if let Some(over) = over.as_ref().filter(|_| fact.name == "pattern") {
            lines.push(over_time(over));
        }
    }
    lines
}

/// The figures of a segment, and how long packets took.
pub(super) fn totals(comparison: &Comparison, segment: &Segment, width: usize) -> Vec<Line> {
    let stretch = words::stretch(comparison, segment);
    if words::is_blank(segment) {
        return blank(comparison, segment, width);
    }
    let mut lines = figures(&stretch, segment, width);
    let facts = words::segment_facts(comparison, segment);
    for fact in facts.iter().filter(|fact| fact.name == "delay") {
        lines.extend(labelled(fact.name, &fact.text, tone(fact.weight), width));
    }
    lines
}

/// A segment of which nothing is known.
fn blank(comparison: &Comparison, segment: &Segment, width: usize) -> Vec<Line> {
    let stretch = words::stretch(comparison, segment);
    let text = words::why_blank(comparison, segment);
    let mut lines = labelled(&stretch, text, Tone::Doubt, width);
    if let Some((_, tone)) = lines.first_mut().and_then(|line| line.first_mut()) {
        *tone = Tone::Heading;
    }
    lines
}

fn over_time(over: &OverTime) -> Line {
    let (peak, seconds) = (over.peak(), over.seconds);
    let words = format!(
        "peak {}, {} a column",
        number::share(peak),
        number::duration(seconds)
    );
    let line = format!("{}  {words}", spark(&over.shares(), peak));
    vec![named("over time"), (line, Tone::Normal)]
}

/// A text under a name, wrapped.
pub(super) fn labelled(name: &str, text: &str, tone: Tone, width: usize) -> Vec<Line> {
    let wrapped = wrap(text, width.saturating_sub(NAME));
    let lines = wrapped.into_iter().enumerate();
    let lines = lines.map(|(index, line)| {
        let name = if index == 0 { name } else { "" };
        vec![named(name), (line, tone)]
    });
    lines.collect()
}

fn named(name: &str) -> (String, Tone) {
    (format!("{name:<NAME$}"), Tone::Quiet)
}

/// A column of figures: its name, and one for each row.
struct Figures {
    name: &'static str,
    sent: String,
    arrived: String,
    lost: String,
    share: String,
}

impl Figures {
    fn width(&self) -> usize {
        let cells = [&self.sent, &self.arrived, &self.lost, &self.share];
        let cells = cells.map(|cell| cell.chars().count());
        cells.into_iter().fold(self.name.len(), usize::max)
    }
}

/// Sent, arrived and lost, in as many columns as there is room for.
fn figures(stretch: &str, segment: &Segment, width: usize) -> Vec<Line> {
    let mut columns = columns(segment);
    let room = |columns: &[Figures]| -> usize { columns.iter().map(|one| one.width() + 2).sum() };
    // Packets stay: of the others, fragments say least.
    while columns.len() > 1 && NAME + room(&columns) > width + 2 {
        let place = columns.iter().position(|one| one.name == "fragments");
        columns.remove(place.unwrap_or(columns.len() - 1));
    }
    let line = |name: &str, heading: Tone, tone: Tone, cell: fn(&Figures) -> &str| {
        let cells = columns.iter().enumerate().map(|(index, column)| {
            let gap = if index == 0 { 0 } else { 2 };
            format!("{:>width$}", cell(column), width = column.width() + gap)
        });
        let name = format!("{name:<NAME$}");
        vec![(name, heading), (cells.collect::<String>(), tone)]
    };
    let tone = Tone::fault_if(segment.lost.packets > 0 || segment.lost.datagrams > 0);
    let mut lines = vec![
        line(stretch, Tone::Heading, Tone::Quiet, |column| column.name),
        line("sent", Tone::Quiet, Tone::Normal, |column| &column.sent),
        line("arrived", Tone::Quiet, Tone::Normal, |column| {
            &column.arrived
        }),
        line("lost", Tone::Quiet, tone, |column| &column.lost),
    ];
    if tone == Tone::Fault {
        lines.push(line("", Tone::Quiet, tone, |column| &column.share));
    }
    lines
}

fn columns(segment: &Segment) -> Vec<Figures> {
    let column = |name, of: fn(&Count) -> u64, shown: fn(u64) -> String| {
        let (sent, lost) = (of(&segment.sent), of(&segment.lost));
        Figures {
            name,
            sent: shown(sent),
            arrived: shown(of(&segment.arrived)),
            lost: shown(lost),
            share: number::percent(lost, sent),
        }
    };
    let mut columns = vec![
        column("packets", |count| count.packets, number::count),
        column("fragments", |count| count.fragments, number::count),
        column("datagrams", |count| count.datagrams, number::count),
        column("bytes", |count| count.bytes, number::bytes),
    ];
    columns.retain(|column| column.name != "fragments" || segment.sent.fragments > 0);
    columns
}
