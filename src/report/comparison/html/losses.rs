//! What losses look like: over time, by place in the datagram, by size.

use super::{over_time, segments};
use crate::model::number;
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Loss, Segment};
use crate::report::comparison::over_time::OverTime;
use crate::report::comparison::words::{self, LossRow};
use crate::report::html::bounds::{PARAGRAPH, clipped};
use crate::report::html::chart::bars::{self, Bar, Look};
use crate::report::html::section::{Fact, Figure, Marks, Part, Section};
use crate::report::html::table::{Table, count, percent, words as text};

/// Segments whose losses are drawn.
const DRAWN: usize = 8;

/// Columns of losses over time.
const COLUMNS: usize = 120;

/// Classes of sizes that are drawn.
const ROWS: usize = 32;

pub(super) fn section(comparison: &Comparison) -> Option<Section> {
    let lossy = segments::shown(comparison).into_iter();
    let lossy = lossy.filter_map(|segment| Some((segment, segment.loss.as_ref()?)));
    let mut parts = Vec::new();
    for (index, (segment, loss)) in lossy.take(DRAWN).enumerate() {
        parts.extend(of_segment(comparison, index, segment, loss));
    }
    (!parts.is_empty()).then(|| Section {
        id: "losses",
        title: "Losses",
        lead: "The share lost, of what was sent.".to_owned(),
        parts,
    })
}

fn of_segment(comparison: &Comparison, index: usize, segment: &Segment, loss: &Loss) -> Vec<Part> {
    let stretch = words::stretch(comparison, segment);
    let facts = vec![
        Fact::new(&stretch, clipped(&words::described(loss), PARAGRAPH)),
        Fact::new("Bursts", words::bursts(loss)),
        Fact::new("With the rate", words::with_rate(loss)),
    ];
    let figures = [
        over(index, &stretch, loss),
        shares(index, &stretch, &KINDS[0], &words::place_rows(loss)),
        shares(index, &stretch, &KINDS[1], &words::tenth_rows(loss)),
        shares(index, &stretch, &KINDS[2], &words::size_rows(loss)),
    ];
    let figures = figures.into_iter().flatten();
    let figures = figures.map(|figure| Part::Figure(Box::new(figure)));
    [Part::Facts(facts)].into_iter().chain(figures).collect()
}

/// What packets are told apart by.
struct Kind {
    id: &'static str,
    title: &'static str,
    column: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        id: "place",
        title: "By kind of fragment",
        column: "fragment",
    },
    Kind {
        id: "tenth",
        title: "By place in the datagram",
        column: "part of the datagram",
    },
    Kind {
        id: "size",
        title: "By IP length",
        column: "IP bytes",
    },
];

/// A bar for each kind of packets; nothing of a single one.
fn shares(index: usize, stretch: &str, kind: &Kind, rows: &[LossRow]) -> Option<Figure> {
    let shown = &rows[..rows.len().min(ROWS)];
    if shown.len() < 2 {
        return None;
    }
    let bars = shown.iter().map(|row| Bar {
        name: row.name.clone(),
        share: row.share().unwrap_or(0.0),
        figures: figures(row),
    });
    let bars: Vec<Bar> = bars.collect();
    let look = Look {
        filled: "lost",
        rest: None,
        axis: "lost, of those sent",
    };
    let id = format!("loss-{index}-{}", kind.id);
    let title = format!("{}, {stretch}", kind.title);
    let columns = [kind.column, "#sent", "#lost", "#share"];
    let mut table = Table::new(format!("{id}-table"), title.clone(), &columns);
    for row in shown {
        table.push(vec![
            text(row.name.clone()),
            count(row.sent),
            count(row.lost),
            percent(row.lost, row.sent),
        ]);
    }
    Some(Figure {
        svg: bars::draw(&id, &title, &bars, look),
        title,
        lead: String::new(),
        marks: Marks::None,
        table: table.of(rows.len() as u64, "class"),
    })
}

fn figures(row: &LossRow) -> String {
    let share = number::percent(row.lost, row.sent);
    let (sent, lost) = (number::count(row.sent), number::count(row.lost));
    format!("{share}: {lost} of {sent}")
}

fn over(index: usize, stretch: &str, loss: &Loss) -> Option<Figure> {
    let over = OverTime::of(loss, COLUMNS)?;
    let id = format!("loss-{index}-time");
    let title = format!("Over time, {stretch}");
    let columns = ["#seconds from the beginning", "#sent", "#lost", "#share"];
    let mut table = Table::new(format!("{id}-table"), title.clone(), &columns);
    for (place, (sent, lost)) in over.columns.iter().enumerate() {
        let seconds = over.seconds * place as f64;
        table.push(vec![
            text(format!("{seconds:.3}")),
            count(*sent),
            count(*lost),
            percent(*lost, *sent),
        ]);
    }
    Some(Figure {
        svg: over_time::draw(&id, &title, &over),
        title,
        lead: format!("In steps of {}.", number::duration(over.seconds)),
        marks: Marks::None,
        table,
    })
}
