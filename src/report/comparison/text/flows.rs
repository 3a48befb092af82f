//! The worst flows, and where they lose.

use crate::model::number;
use crate::report::comparison::document::{Direction, PathFlow, Segment};
use crate::report::comparison::{Comparison, words};
use crate::report::text::page::{Page, Tone};
use crate::report::text::table::{Column, Table};
use std::io::{self, Write};

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let remark = remark(comparison);
    write_table(
        comparison,
        "Flows",
        &remark,
        comparison.judged_flows(),
        page,
    )?;
    let remark = "outer packets of tunnels; not part of the figures above";
    let carriers = "Fragmented tunnels";
    write_table(comparison, carriers, remark, &comparison.carriers, page)
}

/// How many there are, and in what order.
fn remark(comparison: &Comparison) -> String {
    let all = number::counted(comparison.flows_total, "flow");
    if comparison.flows_total == 1 {
        String::new()
    } else if comparison.flows_omitted == 0 {
        format!("{all}, most bytes lost first")
    } else {
        let listed = number::count(comparison.flows.len() as u64);
        format!("{listed} of {all}, most bytes lost first")
    }
}

fn write_table(
    comparison: &Comparison,
    title: &str,
    remark: &str,
    flows: &[PathFlow],
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    if flows.is_empty() {
        return Ok(());
    }
    page.heading(title, remark)?;
    let names = flows.iter().map(|flow| words::flow(comparison, flow));
    let table = Table {
        names: names.collect(),
        columns: columns(comparison, flows),
    };
    table.write(page)
}

type Cell = (String, Tone);

fn columns(comparison: &Comparison, flows: &[PathFlow]) -> Vec<Column> {
    let column = |name, dispensable, cell: &dyn Fn(&PathFlow) -> Cell| Column {
        name,
        dispensable,
        cells: flows.iter().map(cell).collect(),
    };
    let plain = |text: String| (text, Tone::Normal);
    let mut columns = vec![
        column("sent", 3, &|flow| {
            plain(number::bytes(words::passage(flow).sent.bytes))
        }),
        column("packets", 1, &|flow| {
            plain(number::count(words::passage(flow).sent.packets))
        }),
        column("lost", 0, &|flow| lost(words::passage(flow))),
        column("share", 0, &|flow| share(words::passage(flow))),
        column("where", 0, &|flow| {
            plain(words::worst_stretch(comparison, flow))
        }),
        column("whole", 2, &|flow| {
            let path = words::passage(flow);
            let (arrived, sent) = (path.arrived.datagrams, path.sent.datagrams);
            plain(number::percent(arrived, sent))
        }),
        column("delay", 4, &|flow| {
            let delay = words::passage(flow).delay.as_ref();
            plain(number::or_absent(delay, |delay| {
                number::duration(delay.median_seconds)
            }))
        }),
    ];
    let is_backward = |flow: &PathFlow| flow.direction == Direction::Backward;
    if flows.iter().any(is_backward) {
        let way = |flow: &PathFlow| plain(words::name_of(flow.direction));
        columns.insert(0, column("way", 0, &way));
    }
    columns
}

fn lost(path: &Segment) -> Cell {
    let lost = path.lost.packets;
    (number::count(lost), Tone::fault_if(lost > 0))
}

fn share(path: &Segment) -> Cell {
    let lost = path.lost.packets;
    let share = number::percent(lost, path.sent.packets);
    (share, Tone::fault_if(lost > 0))
}
