//! Where in their datagrams the missing fragments were.

use super::chart::bars::{Bar, Look, draw};
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, percent, words};
use crate::model::number;
use crate::report::document::{Gaps, Report};

/// Fragments at one position of their datagrams.
struct Position {
    name: &'static str,
    expected: u64,
    missing: u64,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let gaps = sum(report);
    if gaps.fragments_missing == 0 {
        return None;
    }
    let positions = positions(&gaps);
    let lead = format!(
        "Of {} that lack fragments and whose size is known: {} came, {} did not. Chance takes \
         all positions alike; a filter, a full memory or a hash does not.",
        number::counted(gaps.datagrams, "datagram"),
        number::counted(gaps.fragments_seen, "fragment"),
        number::count(gaps.fragments_missing),
    );
    let bars: Vec<Bar> = positions
        .iter()
        .map(|position| Bar {
            name: format!("{} fragments", position.name),
            share: position.missing as f64 / position.expected.max(1) as f64,
            figures: format!(
                "{} of {}, {}",
                number::count(position.missing),
                number::count(position.expected),
                number::percent(position.missing, position.expected)
            ),
        })
        .collect();
    let look = Look {
        filled: "lost",
        rest: None,
        axis: "share of the fragments at this position that is missing",
    };
    let title = "Missing fragments by position";
    let figure = Figure {
        title: String::new(),
        lead: String::new(),
        svg: draw("gaps-chart", title, &bars, look),
        marks: Marks::None,
        table: table(&positions, &gaps),
    };
    let part = Part::Figure(Box::new(figure));
    Some(Section::of(
        "gaps",
        "Where fragments are missing",
        lead,
        part,
    ))
}

fn sum(report: &Report) -> Gaps {
    let mut sum = Gaps::default();
    for flow in &report.flows {
        let gaps = &flow.gaps;
        sum.datagrams += gaps.datagrams;
        sum.fragments_seen += gaps.fragments_seen;
        sum.fragments_missing += gaps.fragments_missing;
        sum.without_first += gaps.without_first;
        sum.without_last += gaps.without_last;
        sum.only_first += gaps.only_first;
    }
    sum
}

fn positions(gaps: &Gaps) -> [Position; 3] {
    let expected = gaps.fragments_seen + gaps.fragments_missing;
    let ends = gaps.without_first + gaps.without_last;
    let position = |name, expected, missing| Position {
        name,
        expected,
        missing,
    };
    [
        position("first", gaps.datagrams, gaps.without_first),
        position(
            "middle",
            expected.saturating_sub(2 * gaps.datagrams),
            gaps.fragments_missing.saturating_sub(ends),
        ),
        position("last", gaps.datagrams, gaps.without_last),
    ]
}

fn table(positions: &[Position], gaps: &Gaps) -> Table {
    let columns = [
        "position",
        "#fragments expected",
        "#missing",
        "#share missing",
    ];
    let caption = format!(
        "Missing fragments by position; nothing but the first came of {}",
        number::counted(gaps.only_first, "datagram")
    );
    let mut table = Table::new("gaps-positions", caption, &columns);
    for position in positions {
        table.push(vec![
            words(position.name),
            count(position.expected),
            count(position.missing),
            percent(position.missing, position.expected),
        ]);
    }
    table
}
