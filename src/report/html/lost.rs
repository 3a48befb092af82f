//! Single datagrams that could not be delivered, piece by piece.

use super::bounds::{FLOWS, LINE, LOST, STRETCHES, clipped};
use super::chart::strip::{Fate, draw, place, stretches};
use super::section::{Figure, Marks, Part, Section};
use super::table::{Table, count, words};
use crate::model::number;
use crate::report::document::{LostDatagram, Report};

pub(super) fn section(report: &Report) -> Option<Section> {
    let lost = &report.lost_datagrams;
    if lost.is_empty() {
        return None;
    }
    let figures = lost.iter().take(LOST).enumerate();
    let parts = figures.map(|(index, datagram)| {
        let figure = figure(datagram, index);
        Part::Figure(Box::new(figure))
    });
    Some(Section {
        id: "lost",
        title: "Datagrams that were lost",
        lead:
            "One for each reason, the first of the capture. Filled: what came. Hatched: what did \
               not."
                .to_owned(),
        parts: parts.collect(),
    })
}

fn figure(datagram: &LostDatagram, index: usize) -> Figure {
    let number = index + 1;
    let reason = reason(datagram.reason);
    let identification = format!("{:#06x}", datagram.identification);
    let title = format!("Datagram {identification}: {reason}");
    let flow = match datagram.flow {
        Some(flow) if flow < FLOWS as u64 => format!(", flow {}", number::count(flow + 1)),
        _ => String::new(),
    };
    let size = datagram.payload_bytes.map_or_else(
        || "of unknown size".to_owned(),
        |bytes| format!("{} of payload", number::counted(bytes.into(), "byte")),
    );
    Figure {
        lead: format!(
            "{size}{flow}; its first fragment to come is frame {} of {}, at {}.",
            number::count(datagram.frame),
            clipped(&datagram.file, LINE),
            datagram.timestamp
        ),
        svg: draw(&format!("lost-{number}"), &title, datagram),
        title,
        marks: Marks::None,
        table: table(datagram, number),
    }
}

fn table(datagram: &LostDatagram, number: usize) -> Table {
    let columns = ["part", "#first byte", "#last byte", "what became of it"];
    let id = format!("lost-{number}-stretches");
    let mut table = Table::new(id, "What came of it, in order", &columns);
    let all = stretches(datagram);
    for stretch in all.iter().take(STRETCHES) {
        let fate = match stretch.fate {
            Fate::Came(pieces) => format!("came in {}", number::counted(pieces.into(), "piece")),
            Fate::Missing => "missing".to_owned(),
        };
        table.push(vec![
            words(place(datagram, stretch.from, stretch.to)),
            count(stretch.from.into()),
            count(stretch.to.saturating_sub(1).into()),
            words(fate),
        ]);
    }
    if datagram.pieces_omitted > 0 {
        let pieces = number::counted(datagram.pieces_omitted, "more piece");
        table.left_out = Some(format!("{pieces} came that are not recorded one by one"));
        table
    } else {
        table.of(all.len() as u64, "part")
    }
}

/// Why a datagram could not be delivered, in words.
pub(super) fn reason(name: &'static str) -> &'static str {
    match name {
        "gap" => "fragments in its middle are missing",
        "only_first" => "nothing came but its first fragment",
        "no_first" => "its first fragment is missing",
        "late" => "its last piece came after the timeout",
        "ragged" => "a fragment has a length that is no multiple of 8",
        "overlap" => "its fragments contradict each other",
        "overlap_after_pause" => "fragments contradict each other after a pause",
        "oversized" => "its fragments reach beyond 65,535 bytes",
        "evicted" => "it was given up for want of memory (--reassembly-memory)",
        "header_checksum" => "the checksum of an IP header is wrong",
        "checksum" => "its checksum is wrong",
        "spliced" => "it was put together from fragments of two datagrams",
        "no_checksum" => "it has no UDP checksum, and needs one",
        "length" => "the length in its UDP header is wrong",
        other => other,
    }
}
