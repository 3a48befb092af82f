//! Which sizes of datagrams get through.

use super::chart::bars::{Bar, Look, draw};
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, percent, words};
use crate::model::number;
use crate::report::document::{Report, SizeClass};
use std::collections::BTreeMap;

pub(super) fn section(report: &Report) -> Option<Section> {
    let classes = classes(report);
    if classes.is_empty() {
        return None;
    }
    let unknown = report.flows.iter();
    let unknown: u64 = unknown.map(|flow| flow.datagrams_of_unknown_size).sum();
    let mut lead = "Of all flows that are listed; IP header included.".to_owned();
    if unknown > 0 {
        let unknown = number::counted(unknown, "datagram");
        lead.push_str(&format!(
            " Besides, {unknown} of unknown size: the last fragment never came."
        ));
    }
    let bars: Vec<Bar> = classes.iter().map(bar).collect();
    let look = Look {
        filled: "good",
        rest: Some("lost"),
        axis: "share that could be delivered",
    };
    let figure = Figure {
        title: String::new(),
        lead: String::new(),
        svg: draw("sizes-chart", "Delivery by datagram size", &bars, look),
        marks: Marks::None,
        table: table(&classes),
    };
    let part = Part::Figure(Box::new(figure));
    Some(Section::of("sizes", "Datagram sizes", lead, part))
}

/// All classes with datagrams, the smallest first.
fn classes(report: &Report) -> Vec<SizeClass> {
    let mut classes: BTreeMap<u32, SizeClass> = BTreeMap::new();
    for class in report.flows.iter().flat_map(|flow| &flow.sizes) {
        let sum = classes.entry(class.datagram_bytes_from);
        let sum = sum.or_insert(SizeClass {
            datagrams: 0,
            delivered: 0,
            ..*class
        });
        sum.datagrams += class.datagrams;
        sum.delivered += class.delivered;
    }
    let classes = classes.into_values();
    classes.filter(|class| class.datagrams > 0).collect()
}

fn bar(class: &SizeClass) -> Bar {
    Bar {
        name: name(class),
        share: class.delivered as f64 / class.datagrams as f64,
        figures: format!(
            "{} of {}, {}",
            number::count(class.delivered),
            number::count(class.datagrams),
            number::percent(class.delivered, class.datagrams)
        ),
    }
}

fn name(class: &SizeClass) -> String {
    let from = number::count(class.datagram_bytes_from.into());
    match class.datagram_bytes_to {
        Some(to) if to == class.datagram_bytes_from => format!("{from} B"),
        Some(to) => format!("{from}–{} B", number::count(to.into())),
        None => format!("{from} B and more"),
    }
}

fn table(classes: &[SizeClass]) -> Table {
    let columns = ["size", "#datagrams", "#deliverable", "#share"];
    let mut table = Table::new("sizes-classes", "Datagrams by size", &columns);
    for class in classes {
        table.push(vec![
            words(name(class)),
            count(class.datagrams),
            count(class.delivered),
            percent(class.delivered, class.datagrams),
        ]);
    }
    table
}
