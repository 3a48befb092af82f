//! The worst flows, so that "who loses" is answered at a glance.

use super::page::{Page, Tone};
use super::table::{Column, Table};
use crate::model::Counters;
use crate::model::number;
use crate::report::document::{Closed, Flow, Report, Sort};
use crate::report::label;
use std::io::{self, Write};

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if report.flows.is_empty() {
        return Ok(());
    }
    page.heading("Flows", &remark(report))?;
    let flows = &report.flows;
    let table = Table {
        names: flows.iter().map(name).collect(),
        columns: columns(flows),
    };
    table.write(page)
}

/// The flow, and what else is known of it.
fn name(flow: &Flow) -> String {
    let mut name = label::flow(&flow.key);
    match flow.closed {
        Some(Closed::Wireguard) => name.push_str("; WireGuard, not opened"),
        Some(Closed::Esp) => name.push_str("; ESP, not opened"),
        None => {}
    }
    if flow.super_frames > 0 {
        let frames = number::counted(flow.super_frames, "super-frame");
        name.push_str(&format!("; {frames} (TSO, GSO or GRO)"));
    }
    let errors = &flow.icmp_errors;
    let too_big = errors.fragmentation_needed + errors.packet_too_big;
    if too_big > 0 {
        let told = number::counted(too_big, "time");
        let mtu = errors
            .lowest_mtu
            .map_or_else(String::new, |mtu| format!(" (MTU {mtu})"));
        name.push_str(&format!(
            "; told {told} by ICMP that packets are too big{mtu}"
        ));
    }
    if errors.reassembly_time_exceeded > 0 {
        let told = number::counted(errors.reassembly_time_exceeded, "time");
        name.push_str(&format!("; told {told} by ICMP that fragments never came"));
    }
    name
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

/// What comes first, in words.
pub(super) fn order(sort: Sort) -> &'static str {
    match sort {
        Sort::Missing => "most bytes missing",
        Sort::Bytes => "most bytes",
        Sort::Packets => "most packets",
        Sort::Fragments => "most fragments",
        Sort::Bad => "most bad checksums and lengths",
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

/// Datagrams offered, whole or not.
fn datagrams(counters: &Counters) -> u64 {
    counters.datagrams.unfragmented + counters.datagrams.fragmented
}

fn whole(flow: &Flow) -> Cell {
    let all = datagrams(&flow.counters);
    let whole = flow.counters.datagrams.unfragmented + flow.counters.datagrams.reassembled;
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

/// Wrong checksums of any protocol, and bad lengths.
pub(super) fn bad(counters: &Counters) -> u64 {
    let sums = &counters.checksums;
    let protocols = [
        &sums.ipv4, &sums.udp, &sums.tcp, &sums.icmp, &sums.sctp, &sums.gre,
    ];
    protocols.iter().map(|verdicts| verdicts.bad).sum::<u64>() + counters.bad_length.total
}

fn bad_cell(flow: &Flow) -> Cell {
    let bad = bad(&flow.counters);
    (number::count(bad), Tone::fault_if(bad > 0))
}
