//! The worst flows and tunnels.

use super::page::{Page, Table, cell, figure};
use crate::model::{Counters, number};
use crate::report::beside::{Elsewhere, MoreFlows};
use crate::report::document::{Flow, Report, Sort, Tunnel};
use crate::report::figures::{self, bad, datagrams};
use crate::report::label::{self, order};

/// A column: its header, and its figure in the row of a flow.
type Column<T> = (&'static str, fn(&T) -> String);

/// Flows and tunnels that are enough for a comment.
const MOST: usize = 15;

/// Writes the worst of the flows that are listed.
pub(super) fn write(report: &Report, elsewhere: Elsewhere, page: &mut Page) {
    if report.flows.is_empty() {
        return;
    }
    let flows = page.shown(&report.flows, MOST);
    page.heading(3, "Flows");
    page.paragraph(&remark(
        report.flows_total,
        "flow",
        flows.len(),
        report.options.sort,
    ));
    if let Some(more) = MoreFlows::than(flows.len(), report) {
        let Elsewhere { json, csv } = elsewhere;
        page.paragraph(&format!("`{csv}` and `{json}` have {}.", more.words()));
    }
    let mut columns: Vec<Column<Flow>> = vec![
        ("offered", |flow| {
            number::or_absent(flow.throughput.bits_per_second, number::bit_rate)
        }),
        ("deliverable", |flow| {
            let rate = flow.throughput.deliverable_bits_per_second;
            number::or_absent(rate, number::bit_rate)
        }),
        ("datagrams", |flow| number::count(datagrams(&flow.counters))),
        ("whole", |flow| whole(&flow.counters)),
    ];
    // What no flow has needs no column.
    if flows.iter().any(|flow| flow.counters.fragments.total > 0) {
        columns.push(("fragments", |flow| {
            number::count(flow.counters.fragments.total)
        }));
        columns.push(("each", |flow| {
            let each = flow.fragments_per_datagram;
            number::or_absent(each, |each| number::range(each.min, each.max))
        }));
        columns.push(("MTU", |flow| {
            number::or_absent(flow.mtu, |mtu| number::range(mtu.from, mtu.to))
        }));
    }
    if flows.iter().any(|flow| bad(&flow.counters) > 0) {
        columns.push(("bad", |flow| number::count(bad(&flow.counters))));
    }
    write_table("flow", flows, label::flow_with_remarks, &columns, page);
}

/// Writes the tunnels that are listed.
pub(super) fn write_tunnels(report: &Report, page: &mut Page) {
    if report.tunnels.is_empty() {
        return;
    }
    let tunnels = page.shown(&report.tunnels, MOST);
    let all = report.tunnels.len() as u64 + report.tunnels_omitted;
    // Nothing is known of what a tunnel should have carried: by bytes then.
    let sort = match report.options.sort {
        Sort::Missing => Sort::Bytes,
        sort => sort,
    };
    page.heading(3, "Tunnels");
    page.paragraph(&remark(all, "tunnel", tunnels.len(), sort));
    let mut columns: Vec<Column<Tunnel>> = vec![
        ("packets", |tunnel| number::count(tunnel.counters.packets)),
        ("bytes", |tunnel| number::bytes(tunnel.counters.bytes)),
    ];
    if tunnels
        .iter()
        .any(|tunnel| tunnel.counters.fragments.total > 0)
    {
        columns.push(("outer fragments", |tunnel| {
            number::count(tunnel.counters.fragments.total)
        }));
        columns.push(("whole", |tunnel| whole(&tunnel.counters)));
    }
    if tunnels.iter().any(|tunnel| bad(&tunnel.counters) > 0) {
        columns.push(("bad", |tunnel| number::count(bad(&tunnel.counters))));
    }
    let label = |tunnel: &Tunnel| label::tunnel(&tunnel.key);
    write_table("tunnel", tunnels, label, &columns, page);
}

fn write_table<T>(
    what: &'static str,
    listed: &[T],
    label: fn(&T) -> String,
    columns: &[Column<T>],
    page: &mut Page,
) {
    let row = |one: &T| {
        let figures = columns.iter().map(|(_, of)| figure(&of(one)));
        [cell(&label(one))].into_iter().chain(figures).collect()
    };
    let head = [what]
        .into_iter()
        .chain(columns.iter().map(|(name, _)| *name));
    page.table(&Table {
        head: head.collect(),
        texts: 1,
        rows: listed.iter().map(row).collect(),
    });
}

fn whole(counters: &Counters) -> String {
    number::percent(figures::whole(counters), datagrams(counters))
}

/// How many there are, and in what order; nothing of a single one.
fn remark(all: u64, noun: &str, shown: usize, sort: Sort) -> String {
    let counted = number::counted(all, noun);
    match shown as u64 {
        0 => format!("{counted}."),
        shown if shown < all => {
            let shown = number::count(shown);
            format!("{shown} of {counted}, {} first.", order(sort))
        }
        1 => String::new(),
        _ => format!("{counted}, {} first.", order(sort)),
    }
}
