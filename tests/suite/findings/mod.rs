//! Every finding has a capture in which it shows, with the frames that are to blame, and a
//! near miss in which it must not.

pub mod capture;
mod checksums;
mod fragments;
mod hosts;
mod loads;
pub mod packet;
mod row;
mod tunnels;

use crate::support::none;
use row::Row;
use std::collections::BTreeSet;

/// Causes that need more than a capture.
const ELSEWHERE: [&str; 1] = ["D34"];

fn table() -> Vec<Row> {
    let mut rows = fragments::rows();
    rows.extend(checksums::rows());
    rows.extend(tunnels::rows());
    rows.extend(loads::rows());
    rows
}

/// All captures of the table, by what is in them.
pub fn captures() -> Vec<(String, Vec<u8>)> {
    table().iter().map(Row::named_capture).collect()
}

#[test]
fn findings_show_where_they_must_and_nowhere_else() {
    let faults: Vec<String> = table().iter().flat_map(Row::faults).collect();
    none(&faults);
}

#[test]
fn every_cause_has_a_row_that_shows_it_and_a_near_miss() {
    let rows = table();
    let with = |shows: bool| -> BTreeSet<&str> {
        let rows = rows.iter().filter(|row| row.shows_it() == shows);
        rows.map(Row::cause).collect()
    };
    let (shown, missed) = (with(true), with(false));
    let causes = fraglens::diagnose::ALL.iter().map(|cause| cause.id);
    let bare: Vec<String> = causes
        .filter(|id| !ELSEWHERE.contains(id))
        .filter(|id| !shown.contains(id) || !missed.contains(id))
        .map(|id| format!("{id} lacks a row that shows it, or a near miss"))
        .collect();
    none(&bare);
}
