//! The worst flows, and where they lose.

use crate::model::number;
use crate::report::comparison::document::{Direction, PathFlow};
use crate::report::comparison::{Comparison, words};
use crate::report::markdown::page::{Page, Table, cell, figure, sentence};

pub(super) fn write(comparison: &Comparison, page: &mut Page) {
    let flows = page.shown(comparison.judged_flows(), usize::MAX);
    let all = comparison.flows_total.max(comparison.flows.len() as u64);
    let remark = match (flows.len() as u64, all) {
        (_, 0) => return,
        (1, 1) => String::new(),
        (shown, all) if shown < all => {
            let all = number::counted(all, "flow");
            format!("{} of {all}, most bytes lost first.", number::count(shown))
        }
        (_, all) => format!("{}, most bytes lost first.", number::counted(all, "flow")),
    };
    write_table(comparison, "Flows", &remark, flows, page);
    let carriers = page.shown(&comparison.carriers, usize::MAX);
    let remark = "Outer packets of tunnels; not part of the figures above.";
    if !carriers.is_empty() {
        write_table(comparison, "Fragmented tunnels", remark, carriers, page);
    }
}

fn write_table(
    comparison: &Comparison,
    title: &str,
    remark: &str,
    flows: &[PathFlow],
    page: &mut Page,
) {
    page.heading(3, title);
    page.paragraph(&sentence(remark));
    let both = flows
        .iter()
        .any(|flow| flow.direction == Direction::Backward);
    let mut head = vec!["flow"];
    head.extend(both.then_some("way"));
    head.extend([
        "sent", "packets", "lost", "share", "where", "whole", "delay",
    ]);
    let rows = flows.iter().map(|flow| {
        let mut row = vec![cell(&words::flow(comparison, flow))];
        row.extend(both.then(|| figure(&words::name_of(flow.direction))));
        row.extend(figures(comparison, flow));
        row
    });
    page.table(&Table {
        texts: if both { 2 } else { 1 },
        head,
        rows: rows.collect(),
    });
}

fn figures(comparison: &Comparison, flow: &PathFlow) -> [String; 7] {
    let path = words::passage(flow);
    let delay = path.delay.as_ref();
    let delay = number::or_absent(delay, |delay| number::duration(delay.median_seconds));
    let figures = [
        number::bytes(path.sent.bytes),
        number::count(path.sent.packets),
        number::count(path.lost.packets),
        number::percent(path.lost.packets, path.sent.packets),
        words::worst_stretch(comparison, flow),
        number::percent(path.arrived.datagrams, path.sent.datagrams),
        delay,
    ];
    figures.map(|text| figure(&text))
}
