//! Where in their datagrams the missing fragments were.

use super::chart::bars::{Bar, Look, draw};
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, percent, words};
use crate::model::number;
use crate::report::document::{Gaps, PositionGap, Report};
use std::collections::BTreeMap;

/// Fragments of one kind.
struct Row {
    name: String,
    all: u64,
    of_these: u64,
}

/// A chart of such rows.
struct Chart {
    id: &'static str,
    title: &'static str,
    lead: String,
    axis: &'static str,
    columns: [&'static str; 4],
    rows: Vec<Row>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let gaps = sum(report);
    if gaps.fragments_missing == 0 {
        return None;
    }
    let charts = [tenths(&gaps), kinds(&gaps), distances(report, &gaps)];
    let figures = charts.into_iter().filter(|chart| !chart.rows.is_empty());
    let parts = figures.map(|chart| Part::Figure(Box::new(figure(chart))));
    Some(Section {
        id: "gaps",
        title: "Where fragments are missing",
        lead: lead(&gaps),
        parts: parts.collect(),
    })
}

fn lead(gaps: &Gaps) -> String {
    let mut lead = format!(
        "Of {} that lack fragments and whose size is known: {} came, {} did not. Datagrams that \
         lack none are not counted here. Chance takes all positions alike; a filter, a full \
         memory or a hash does not. Where the last fragment is missing, the length of the \
         datagram is that in the UDP header of the first",
        number::counted(gaps.datagrams, "datagram"),
        number::counted(gaps.fragments_seen, "fragment"),
        number::count(gaps.fragments_missing),
    );
    match gaps.datagrams_unmeasured {
        0 => lead.push('.'),
        unmeasured => lead.push_str(&format!(
            "; {} of which nothing that came tells the length, or that of a fragment, {} left out.",
            number::counted(unmeasured, "datagram"),
            if unmeasured == 1 { "is" } else { "are" }
        )),
    }
    lead
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
        sum.datagrams_unmeasured += gaps.datagrams_unmeasured;
        let more = gaps.positions.len().max(sum.positions.len());
        sum.positions.resize(more, PositionGap::default());
        for (sum, position) in sum.positions.iter_mut().zip(&gaps.positions) {
            sum.expected += position.expected;
            sum.missing += position.missing;
        }
        let more = gaps.distances.len().max(sum.distances.len());
        sum.distances.resize(more, 0);
        for (sum, distance) in sum.distances.iter_mut().zip(&gaps.distances) {
            *sum += distance;
        }
    }
    sum
}

/// By the part of the datagram that fragments begin in.
fn tenths(gaps: &Gaps) -> Chart {
    let positions = gaps.positions.iter().enumerate();
    let row = |(index, position): (usize, &PositionGap)| Row {
        name: format!("{}–{} %", index * 10, index * 10 + 10),
        all: position.expected,
        of_these: position.missing,
    };
    Chart {
        id: "gaps-tenths",
        title: "By place in the datagram",
        lead: "In tenths of its payload, from its beginning to its end; a fragment is where it \
               begins."
            .to_owned(),
        axis: "share of the fragments here that is missing",
        columns: [
            "part of the datagram",
            "#fragments expected",
            "#missing",
            "#share missing",
        ],
        rows: positions.map(row).collect(),
    }
}

/// First, middle and last fragments.
fn kinds(gaps: &Gaps) -> Chart {
    let expected = gaps.fragments_seen + gaps.fragments_missing;
    let ends = gaps.without_first + gaps.without_last;
    let row = |name: &str, all, of_these| Row {
        name: name.to_owned(),
        all,
        of_these,
    };
    Chart {
        id: "gaps-positions",
        title: "By kind of fragment",
        lead: match gaps.only_first {
            0 => String::new(),
            alone => format!(
                "Nothing but the first fragment came of {}.",
                number::counted(alone, "datagram")
            ),
        },
        axis: "share of these fragments that is missing",
        columns: [
            "fragments",
            "#fragments expected",
            "#missing",
            "#share missing",
        ],
        rows: vec![
            row("first", gaps.datagrams, gaps.without_first),
            row(
                "middle",
                expected.saturating_sub(2 * gaps.datagrams),
                gaps.fragments_missing.saturating_sub(ends),
            ),
            row("last", gaps.datagrams, gaps.without_last),
        ],
    }
}

/// By how far the missing fragments of a datagram are apart.
fn distances(report: &Report, gaps: &Gaps) -> Chart {
    let all = gaps.distances.iter().sum();
    let farthest = gaps.distances.len();
    let listed = gaps.distances.iter().zip(1..);
    let row = |(count, distance): (&u64, usize)| Row {
        name: match distance {
            1 => "the next".to_owned(),
            distance if distance == farthest => {
                format!("the {} or later", number::ordinal(distance as u64))
            }
            distance => format!("the {}", number::ordinal(distance as u64)),
        },
        all,
        of_these: *count,
    };
    let some = listed.filter(|(count, _)| **count > 0);
    let mut lead = "Of the fragments that are missing behind another of the same datagram: which \
                    one after it. The more of them chance takes, the more often it is the next."
        .to_owned();
    for (distance, flows) in rules(report) {
        lead.push_str(&format!(
            " In {}, it is nearly always the {}.",
            number::counted(flows, "flow"),
            number::ordinal(distance)
        ));
    }
    Chart {
        id: "gaps-distances",
        title: "By distance from the one missing before",
        lead,
        axis: "share of those missing behind another",
        columns: [
            "fragment behind the one missing before",
            "#missing behind another",
            "#so far behind",
            "#share",
        ],
        rows: some.map(row).collect(),
    }
}

/// Flows in which every n-th fragment is missing, by n.
fn rules(report: &Report) -> BTreeMap<u64, u64> {
    let mut flows = BTreeMap::new();
    for distance in report.flows.iter().filter_map(|flow| flow.gaps.every_nth) {
        *flows.entry(distance).or_insert(0) += 1;
    }
    flows
}

fn figure(chart: Chart) -> Figure {
    let bars: Vec<Bar> = chart.rows.iter().map(bar).collect();
    let look = Look {
        filled: "lost",
        rest: None,
        axis: chart.axis,
    };
    Figure {
        title: chart.title.to_owned(),
        svg: draw(&format!("{}-chart", chart.id), chart.title, &bars, look),
        marks: Marks::None,
        table: table(&chart),
        lead: chart.lead,
    }
}

fn bar(row: &Row) -> Bar {
    let figures = match row.all {
        0 => "no fragment begins here".to_owned(),
        all => format!(
            "{} of {}, {}",
            number::count(row.of_these),
            number::count(all),
            number::percent(row.of_these, all)
        ),
    };
    Bar {
        name: row.name.clone(),
        share: row.of_these as f64 / row.all.max(1) as f64,
        figures,
    }
}

fn table(chart: &Chart) -> Table {
    let caption = format!("Missing fragments: {}", chart.title.to_lowercase());
    let mut table = Table::new(chart.id, caption, &chart.columns);
    for row in &chart.rows {
        table.push(vec![
            words(row.name.clone()),
            count(row.all),
            count(row.of_these),
            percent(row.of_these, row.all),
        ]);
    }
    table
}
