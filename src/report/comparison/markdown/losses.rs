//! What losses between two points look like, and how bytes differ.

use crate::model::number;
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Loss, Segment};
use crate::report::comparison::ways::ways;
use crate::report::comparison::words::{self, LossRow};
use crate::report::markdown::page::{Page, Table, figure, sentence};

pub(super) fn write(comparison: &Comparison, page: &mut Page) {
    let ways = ways(comparison);
    let segments: Vec<&Segment> = ways.iter().flat_map(|way| way.segments.clone()).collect();
    for segment in page.shown(&segments, usize::MAX) {
        if let Some(loss) = &segment.loss {
            write_loss(comparison, segment, loss, page);
        }
        write_damage(comparison, segment, page);
    }
}

fn write_loss(comparison: &Comparison, segment: &Segment, loss: &Loss, page: &mut Page) {
    let stretch = words::stretch(comparison, segment);
    page.heading(3, &format!("Losses from {}", sentence(&stretch)));
    let lines = [
        ("Pattern", words::described(loss)),
        ("Bursts", words::bursts(loss)),
        ("With the rate of sending", words::with_rate(loss)),
    ];
    let lines = lines.map(|(name, text)| format!("- **{name}:** {}", sentence(&text)));
    page.paragraph(&lines.join("\n"));
    write_rows("fragment", &words::place_rows(loss), page);
    write_rows("part of the datagram", &words::tenth_rows(loss), page);
    write_rows("IP bytes", &words::size_rows(loss), page);
}

/// A row for each kind of packets; nothing of a single one.
fn write_rows(what: &str, rows: &[LossRow], page: &mut Page) {
    if rows.len() < 2 {
        return;
    }
    let row = |row: &LossRow| {
        let share = number::percent(row.lost, row.sent);
        let figures = [number::count(row.sent), number::count(row.lost), share];
        let figures = figures.map(|text| figure(&text));
        [figure(&row.name)].into_iter().chain(figures).collect()
    };
    let rows = page.shown(rows, usize::MAX);
    page.table(&Table {
        head: vec![what, "sent", "lost", "share"],
        texts: 1,
        rows: rows.iter().map(row).collect(),
    });
}

fn write_damage(comparison: &Comparison, segment: &Segment, page: &mut Page) {
    if segment.damage.is_empty() {
        return;
    }
    let stretch = words::stretch(comparison, segment);
    page.heading(3, &format!("Damage from {}", sentence(&stretch)));
    let all = number::counted(segment.corrupted, "packet");
    let mut remark = format!("{all} whose bytes are not the same at both ends");
    for common in words::damage_in_common(segment) {
        remark.push_str("; ");
        remark.push_str(&common);
    }
    page.paragraph(&sentence(&format!("{remark}.")));
    let (from, to) = (segment.from, segment.to);
    let (from, to) = (
        words::point_name(comparison, from),
        words::point_name(comparison, to),
    );
    let lines = page
        .shown(&segment.damage, usize::MAX)
        .iter()
        .map(|damage| {
            let (there, here) = (damage.from_frame, damage.to_frame);
            let (there, here) = (number::count(there), number::count(here));
            let text = words::damage_of(segment, damage);
            let frames = format!("frame {there} of {from}, frame {here} of {to}");
            format!("- {}", sentence(&format!("{frames}: {text}")))
        });
    page.paragraph(&lines.collect::<Vec<_>>().join("\n"));
}
