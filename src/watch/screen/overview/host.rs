//! What the kernel of this host says of its own reassembly and its interfaces.

use super::super::row::{Row, Tone, fit};
use super::super::view::View;
use super::{LABEL, labelled};
use crate::host::Statistics;
use crate::host::{Interface, State};
use crate::model::number;
use crate::report::text::interface_details;
use crate::watch::{Host, HostCounter};

/// Columns of one counter.
const COUNTER: usize = 33;

/// The counters, those first that say of a fault that it happened.
pub(super) fn counters(view: &View, columns: usize) -> Vec<Row> {
    let Some(host) = &view.snapshot.host else {
        return Vec::new();
    };
    let mut sorted: Vec<&HostCounter> = host.counters.iter().collect();
    sorted.sort_by_key(|counter| (counter.since_start == 0, !is_of_fault(&counter.name)));
    let beside = (columns.saturating_sub(LABEL) / COUNTER).max(1);
    let rows = sorted.chunks(beside).map(|counters| {
        let row = Row::default();
        counters.iter().fold(row, |row, counter| {
            let is_now = is_of_fault(&counter.name) && counter.per_second > 0.0;
            row.and(&cell(counter), Tone::fault_if(is_now))
        })
    });
    labelled("host", rows)
}

fn is_of_fault(name: &str) -> bool {
    ["Fail", "Error", "Timeout", "Overlap"]
        .iter()
        .any(|word| name.contains(word))
}

fn cell(counter: &HostCounter) -> String {
    format!(
        "{} {:>5}/s {:>5}  ",
        fit(&counter.name, 17),
        number::short(counter.per_second),
        number::short(counter.since_start as f64),
    )
}

/// A line for each interface: those captured on first.
pub(super) fn interfaces(view: &View, columns: usize) -> Vec<Row> {
    let Some(host) = &view.snapshot.host else {
        return Vec::new();
    };
    let is_captured = |interface: &&Interface| {
        view.snapshot
            .captured
            .iter()
            .any(|one| one.name == interface.name)
    };
    let (captured, others): (Vec<_>, Vec<_>) = host.interfaces.iter().partition(is_captured);
    let facts = captured.into_iter().chain(others);
    let rows = facts.map(|interface| facts_of(interface, host));
    let unknown = host.interface_counts.iter().filter(|counts| {
        let mut known = host.interfaces.iter();
        !known.any(|interface| interface.name == counts.name)
    });
    let counted = unknown.map(|counts| {
        let tone = Tone::fault_if(lost(counts) > 0);
        Row::of(&format!("{}: {}", counts.name, traffic(counts)), tone)
    });
    let width = columns.saturating_sub(LABEL);
    labelled("interfaces", rows.chain(counted).map(|row| row.cut(width)))
}

fn facts_of(interface: &Interface, host: &Host) -> Row {
    let mtu = number::or_absent(interface.mtu, |mtu| mtu.to_string());
    let head = format!("{}: {}, MTU {mtu}", interface.name, interface.state.name());
    let tone = Tone::fault_if(interface.state == State::Down);
    let mut row = Row::of(&head, tone);
    let mut counts = host.interface_counts.iter();
    if let Some(counts) = counts.find(|counts| counts.name == interface.name) {
        let tone = Tone::fault_if(lost(counts) > 0);
        row = row.and(&format!("; {}", traffic(counts)), tone);
    }
    // Addresses are the least of it, and the first that is said.
    let details: Vec<String> = interface_details(interface).collect();
    let skipped = usize::from(!interface.addresses.is_empty());
    for detail in details.iter().skip(skipped) {
        row = row.and(&format!("; {detail}"), Tone::Normal);
    }
    row
}

fn lost(counts: &Statistics) -> u64 {
    let lost = [
        counts.rx_errors,
        counts.rx_dropped,
        counts.tx_errors,
        counts.tx_dropped,
    ];
    lost.into_iter().fold(0, u64::saturating_add)
}

fn traffic(counts: &Statistics) -> String {
    let mut text = format!(
        "rx {}, tx {} packets",
        number::short(counts.rx_packets as f64),
        number::short(counts.tx_packets as f64),
    );
    for (count, what) in [
        (counts.rx_errors, "rx errors"),
        (counts.rx_dropped, "rx dropped"),
        (counts.tx_errors, "tx errors"),
        (counts.tx_dropped, "tx dropped"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {} {what}", number::count(count)));
        }
    }
    text
}
