//! What was read at each point, and how far it can be trusted.

use super::SEGMENTS;
use crate::model::number;
use crate::report::comparison::document::Point;
use crate::report::comparison::{Comparison, words};
use crate::report::html::bounds::{LINE, PARAGRAPH, clipped};
use crate::report::html::capture::problem_table;
use crate::report::html::section::{Fact, Part, Section};
use crate::report::html::table::{Cell, Table, bytes, count, words as text};

const COLUMNS: [&str; 8] = [
    "@point",
    "file",
    "format",
    "#size",
    "#frames",
    "#datagrams",
    "#fragments",
    "@first frame (UTC, its clock)",
];

pub(super) fn section(comparison: &Comparison) -> Option<Section> {
    let all = comparison.points.len() as u64;
    let mut table = Table::new(
        "captures-table",
        "Files, in the order of the path",
        &COLUMNS,
    );
    let shown = comparison.points.iter().take(SEGMENTS);
    for point in shown.clone() {
        table.push(row(point));
    }
    let mut parts = vec![Part::Facts(shown.map(fact).collect())];
    parts.extend(problems(comparison));
    parts.push(Part::Table(Box::new(table.of(all, "point"))));
    Some(Section {
        id: "captures",
        title: "Captures",
        lead: lead(comparison),
        parts,
    })
}

fn lead(comparison: &Comparison) -> String {
    let order = match comparison.options.order_found {
        true => "The order of the points was found from what they show.",
        false => "In the order they were given.",
    };
    let filter = comparison.options.filter.as_ref();
    let filter = filter.map(|filter| format!(" The filter was {}.", clipped(filter, LINE)));
    format!("{order}{}", filter.unwrap_or_default())
}

/// All that is said of a point, under its name.
fn fact(point: &Point) -> Fact {
    let facts = words::point_facts(point);
    let lines = facts.iter();
    let lines = lines.map(|fact| clipped(&format!("{}: {}", fact.name, fact.text), PARAGRAPH));
    Fact {
        name: clipped(&point.name, LINE / 8),
        lines: lines.collect(),
    }
}

fn problems(comparison: &Comparison) -> Option<Part> {
    let of_all = comparison.problems.iter().map(|problem| ("", problem));
    let in_files = comparison.files().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (file.path.as_str(), problem))
    });
    let table = problem_table(of_all.chain(in_files).collect(), &comparison.limits)?;
    Some(Part::Table(Box::new(table)))
}

fn row(point: &Point) -> Vec<Cell> {
    let file = &point.file;
    let format = file.format.as_deref().unwrap_or(number::ABSENT);
    let format = match &file.compression {
        Some(compression) => format!("{format}, {compression}"),
        None => format.to_owned(),
    };
    let first = number::or_absent(point.first_timestamp, |time| time.to_string());
    vec![
        text(clipped(&point.name, LINE / 8)),
        text(clipped(&file.path, LINE)),
        text(clipped(&format, LINE)),
        bytes(file.bytes),
        count(file.frames),
        count(point.datagrams),
        count(point.fragments),
        text(first),
    ]
}
