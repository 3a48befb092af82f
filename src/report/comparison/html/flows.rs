//! The flows, the one that lost most first.

use crate::model::number;
use crate::report::comparison::document::PathFlow;
use crate::report::comparison::{Comparison, words};
use crate::report::html::bounds::{FLOWS, PARAGRAPH, clipped};
use crate::report::html::section::{Part, Section};
use crate::report::html::table::{
    Cell, Row, Table, Use, bytes, count, figure, percent, words as text,
};

/// Tunnels that are shown.
const CARRIERS: usize = 100;

const COLUMNS: [&str; 11] = [
    "##",
    "flow",
    "@way",
    "#bytes",
    "#bytes lost",
    "#packets",
    "#lost",
    "#share",
    "@most lost",
    "#datagrams whole",
    "#median delay",
];

pub(super) fn section(comparison: &Comparison) -> Option<Section> {
    let judged = comparison.judged_flows();
    let shown = &judged[..judged.len().min(FLOWS)];
    let mut table = table(comparison, "flows-table", "Most bytes lost first", shown)?;
    for (index, row) in table.rows.iter_mut().enumerate() {
        row.id = Some(format!("flow-{}", index + 1));
    }
    let all = comparison.flows_total;
    if (shown.len() as u64) < all {
        table.left_out = Some(format!(
            "{} of {}; --format csv has all that --top leaves",
            number::count(shown.len() as u64),
            number::counted(all, "flow")
        ));
    }
    let part = Part::Table(Box::new(table));
    Some(Section::of("flows", "Flows", String::new(), part))
}

/// Flows of the outer packets of tunnels.
pub(super) fn carriers(comparison: &Comparison) -> Option<Section> {
    let all = comparison.carriers.len();
    let shown = &comparison.carriers[..all.min(CARRIERS)];
    let table = table(comparison, "carriers-table", "Outer packets", shown)?;
    let part = Part::Table(Box::new(table.of(all as u64, "flow")));
    let lead = "Tunnels whose own packets are fragmented; not part of the figures above.";
    let title = "Fragmented tunnels";
    Some(Section::of("carriers", title, lead.to_owned(), part))
}

fn table(comparison: &Comparison, id: &str, caption: &str, flows: &[PathFlow]) -> Option<Table> {
    let mut table = Table::new(id, caption, &COLUMNS);
    table.head = 1;
    table.use_of = Use::Lookup;
    let rows = flows.iter().enumerate().map(|(index, flow)| Row {
        cells: cells(comparison, index as u64 + 1, flow),
        ..Row::default()
    });
    table.rows = rows.collect();
    (!flows.is_empty()).then_some(table)
}

fn cells(comparison: &Comparison, number: u64, flow: &PathFlow) -> Vec<Cell> {
    let path = words::passage(flow);
    let delay = path.delay.as_ref().map(|delay| delay.median_seconds);
    vec![
        count(number),
        text(clipped(&words::flow(comparison, flow), PARAGRAPH)),
        text(words::name_of(flow.direction)),
        bytes(path.sent.bytes),
        bytes(path.lost.bytes),
        count(path.sent.packets),
        count(path.lost.packets),
        percent(path.lost.packets, path.sent.packets),
        text(words::worst_stretch(comparison, flow)),
        percent(path.arrived.datagrams, path.sent.datagrams),
        figure(delay, number::duration),
    ]
}
