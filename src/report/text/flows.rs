//! The worst flows, so that "who loses" is answered at a glance.

use super::page::{Page, Tone};
use super::table::{Column, Table};
use crate::model::number;
use crate::report::document::{Flow, Report};
use crate::report::figures::{self, bad, datagrams};
use crate::report::label::{self, order};
use std::io::{self, Write};

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if report.flows.is_empty() {
        return Ok(());
    }
    page.heading("Flows", &remark(report))?;
    let flows = &report.flows;
    let table = Table {
        names: flows.iter().map(label::flow_with_remarks).collect(),
        columns: columns(flows),
    };
    table.write(page)
}

/// How many there are, and in what order.
fn remark(report: &Report) -> String {
    let order = order(report.options.sort);
    let all = number::counted(report.flows_total, "flow");
    if report.flows_total == 1 {
        String::new()
    } else if report.flows_omitted == 0 {
        format!("{all}, {order} first")
    } else {
        format!(
            "{} of {all}, {order} first",
            number::count(report.flows.len() as u64)
        )
    }
}

fn columns(flows: &[Flow]) -> Vec<Column> {
    let mut columns = vec![
        column("offered", 0, flows, offered),
        column("deliverable", 0, flows, deliverable),
        column("datagrams", 2, flows, |flow| {
            plain(number::count(datagrams(&flow.counters)))
        }),
        column("whole", 0, flows, whole),
    ];
    // What no flow has needs no column.
    if flows.iter().any(|flow| flow.counters.fragments.total > 0) {
        columns.push(column("fragments", 3, flows, fragments));
        columns.push(column("each", 4, flows, fragments_each));
        columns.push(column("MTU", 1, flows, mtu));
    }
    if flows.iter().any(|flow| bad(&flow.counters) > 0) {
        columns.push(column("bad", 0, flows, bad_cell));
    }
    columns
}

type Cell = (String, Tone);

fn column(name: &'static str, dispensable: u8, flows: &[Flow], cell: fn(&Flow) -> Cell) -> Column {
    Column {
        name,
        dispensable,
        cells: flows.iter().map(cell).collect(),
    }
}

fn plain(text: String) -> Cell {
    (text, Tone::Normal)
}

fn offered(flow: &Flow) -> Cell {
    plain(number::or_absent(
        flow.throughput.bits_per_second,
        number::bit_rate,
    ))
}

fn deliverable(flow: &Flow) -> Cell {
    plain(number::or_absent(
        flow.throughput.deliverable_bits_per_second,
        number::bit_rate,
    ))
}

fn whole(flow: &Flow) -> Cell {
    let all = datagrams(&flow.counters);
    let whole = figures::whole(&flow.counters);
    (number::percent(whole, all), Tone::fault_if(whole < all))
}

fn fragments(flow: &Flow) -> Cell {
    plain(number::count(flow.counters.fragments.total))
}

fn fragments_each(flow: &Flow) -> Cell {
    plain(number::or_absent(flow.fragments_per_datagram, |each| {
        number::range(each.min, each.max)
    }))
}

fn mtu(flow: &Flow) -> Cell {
    plain(number::or_absent(flow.mtu, |mtu| {
        number::range(mtu.from, mtu.to)
    }))
}

fn bad_cell(flow: &Flow) -> Cell {
    let bad = bad(&flow.counters);
    (number::count(bad), Tone::fault_if(bad > 0))
}
