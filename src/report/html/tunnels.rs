//! The tunnels by what their outer packets went through.

use super::bounds::TUNNELS;
use super::flows::capital;
use super::section::{Part, Section};
use super::table::{Table, Use, bytes, count, percent, words};
use crate::report::document::{Report, Sort};
use crate::report::figures::{bad, datagrams, whole};
use crate::report::label::{self, order};

const COLUMNS: [&str; 7] = [
    "##",
    "~tunnel",
    "#packets",
    "#bytes",
    "#outer fragments",
    "#whole",
    "#bad sums, lengths",
];

pub(super) fn section(report: &Report) -> Option<Section> {
    if report.tunnels.is_empty() {
        return None;
    }
    let mut table = Table::new("tunnels-table", "One direction of each tunnel", &COLUMNS);
    table.head = 1;
    table.use_of = Use::Lookup;
    for (index, tunnel) in report.tunnels.iter().take(TUNNELS).enumerate() {
        let counters = &tunnel.counters;
        table.push(vec![
            count(index as u64 + 1),
            words(label::tunnel(&tunnel.key)),
            count(counters.packets),
            bytes(counters.bytes),
            count(counters.fragments.total),
            percent(whole(counters), datagrams(counters)),
            count(bad(counters)),
        ]);
    }
    let all = report.tunnels.len() as u64 + report.tunnels_omitted;
    let table = table.of(all, "tunnel");
    // Nothing is known of what a tunnel should have carried: by bytes then.
    let by = match report.options.sort {
        Sort::Missing => Sort::Bytes,
        sort => sort,
    };
    let lead = match all {
        1 => String::new(),
        _ => format!("{} first.", capital(order(by))),
    };
    Some(Section::of(
        "tunnels",
        "Tunnels",
        lead,
        Part::Table(Box::new(table)),
    ))
}
