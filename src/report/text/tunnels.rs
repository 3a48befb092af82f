//! The tunnels by what their outer packets went through.

use super::page::{Page, Tone};
use super::table::{Column, Table};
use crate::model::number;
use crate::report::document::{Report, Sort, Tunnel};
use crate::report::figures::bad;
use crate::report::label::{self, order};
use std::io::{self, Write};

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if report.tunnels.is_empty() {
        return Ok(());
    }
    let tunnels = &report.tunnels;
    page.heading("Tunnels", &remark(report, tunnels.len() as u64))?;
    let mut columns = vec![
        column("packets", tunnels, |tunnel| {
            number::count(tunnel.counters.packets)
        }),
        column("bytes", tunnels, |tunnel| {
            number::bytes(tunnel.counters.bytes)
        }),
    ];
    if tunnels
        .iter()
        .any(|tunnel| tunnel.counters.fragments.total > 0)
    {
        columns.push(column("outer fragments", tunnels, |tunnel| {
            number::count(tunnel.counters.fragments.total)
        }));
        columns.push(column("whole", tunnels, |tunnel| {
            let datagrams = &tunnel.counters.datagrams;
            let whole = datagrams.unfragmented + datagrams.reassembled;
            number::percent(whole, datagrams.unfragmented + datagrams.fragmented)
        }));
    }
    if tunnels.iter().any(|tunnel| bad(&tunnel.counters) > 0) {
        columns.push(column("bad", tunnels, |tunnel| {
            number::count(bad(&tunnel.counters))
        }));
    }
    let names = tunnels.iter().map(|tunnel| label::tunnel(&tunnel.key));
    Table {
        names: names.collect(),
        columns,
    }
    .write(page)
}

fn remark(report: &Report, shown: u64) -> String {
    let all = report.tunnels.len() as u64 + report.tunnels_omitted;
    // Nothing is known of what a tunnel should have carried: by bytes then.
    let order = match report.options.sort {
        Sort::Missing => order(Sort::Bytes),
        sort => order(sort),
    };
    match all {
        1 => String::new(),
        all if all == shown => format!("{}, {order} first", number::counted(all, "tunnel")),
        all => format!(
            "{} of {}, {order} first",
            number::count(shown),
            number::counted(all, "tunnel")
        ),
    }
}

fn column(name: &'static str, tunnels: &[Tunnel], cell: fn(&Tunnel) -> String) -> Column {
    Column {
        name,
        dispensable: 0,
        cells: tunnels
            .iter()
            .map(|tunnel| (cell(tunnel), Tone::Normal))
            .collect(),
    }
}
