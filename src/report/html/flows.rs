//! The flows, the worst first.

use super::bounds::{CELLS_BYTES, FLOWS, FLOWS_ON_PAPER, part, room_for_flows};
use super::section::{Part, Section};
use super::table::{Cell, Row, Table, Use, bytes, count, figure, percent, words};
use crate::model::number;
use crate::report::beside::{Elsewhere, MoreFlows};
use crate::report::document::{Flow, Report};
use crate::report::figures::{bad, datagrams, whole};
use crate::report::label::{self, order};

const COLUMNS: [&str; 12] = [
    "##",
    "~flow",
    "#bytes",
    "#missing",
    "#offered",
    "#deliverable",
    "#packets",
    "#datagrams",
    "#whole",
    "#fragments",
    "#MTU",
    "#bad sums, lengths",
];

pub(super) fn section(report: &Report, elsewhere: Elsewhere) -> Option<Section> {
    if report.flows.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "flows-table",
        "One direction of each innermost 5-tuple",
        &COLUMNS,
    );
    table.head = 1;
    table.use_of = Use::Lookup;
    let room = room_for_flows(report.findings.len(), report.lost_datagrams.len());
    table.rows = rows(&report.flows, room);
    // A search finds those on the page alone.
    table.left_out = left_out(report, table.rows.len(), elsewhere);
    let lead = match report.flows_total {
        1 => String::new(),
        _ => format!("{} first.", capital(order(report.options.sort))),
    };
    Some(Section::of(
        "flows",
        "Flows",
        lead,
        Part::Table(Box::new(table.print_first(FLOWS_ON_PAPER))),
    ))
}

/// As many as there is room for on the page.
fn rows(flows: &[Flow], room: usize) -> Vec<Row> {
    let mut room = room;
    let fitting = flows
        .iter()
        .take(FLOWS)
        .enumerate()
        .map_while(|(index, flow)| {
            let row = row(index, flow);
            let bytes = CELLS_BYTES + label::flow_with_remarks(flow).len();
            room = room.checked_sub(bytes)?;
            Some(row)
        });
    fitting.collect()
}

/// How many of all flows are on the page, and where the others are.
fn left_out(report: &Report, shown: usize, elsewhere: Elsewhere) -> Option<String> {
    let part = part(shown, report.flows_total, "flow")?;
    let more = MoreFlows::than(shown, report).map_or_else(String::new, |more| {
        let Elsewhere { json, csv } = elsewhere;
        format!("; {csv} and {json} have {}", more.words())
    });
    Some(format!("{part} are here{more}."))
}

fn row(index: usize, flow: &Flow) -> Row {
    let number = index as u64 + 1;
    Row {
        id: Some(format!("flow-{number}")),
        cells: cells(number, flow),
        ..Row::default()
    }
}

fn cells(number: u64, flow: &Flow) -> Vec<Cell> {
    let counters = &flow.counters;
    let throughput = &flow.throughput;
    let mtu = number::or_absent(flow.mtu, |mtu| number::range(mtu.from, mtu.to));
    vec![
        count(number),
        words(label::flow_with_remarks(flow)),
        bytes(counters.bytes),
        bytes(throughput.missing_bytes(counters.bytes)),
        figure(throughput.bits_per_second, number::bit_rate),
        figure(throughput.deliverable_bits_per_second, number::bit_rate),
        count(counters.packets),
        count(datagrams(counters)),
        percent(whole(counters), datagrams(counters)),
        count(counters.fragments.total),
        figure(flow.mtu.map(|mtu| mtu.from.into()), |_| mtu),
        count(bad(counters)),
    ]
}

/// With a capital letter in front.
pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
