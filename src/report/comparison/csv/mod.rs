//! The flows along the path as a table: a row for each flow and segment it passes, then
//! one for its whole path; a column a figure.
//!
//! | columns | what is in them |
//! | --- | --- |
//! | `flow` | the number of the flow, from 1, as in the other formats |
//! | `direction` | `forward` or `backward` |
//! | `part` | `segment`; `path` for the row from end to end, which is no sum of the others |
//! | `from`, `to` | names of the points that it begins and ends at |
//! | `src` … `tunnel_dst_port` | the flow where it enters the path |
//! | `exit_src` … `exit_tunnel_dst_port` | as what it is seen at `to`; empty where it was not |
//! | `sent_*`, `arrived_*`, `lost_*` | datagrams, packets, fragments, bytes |
//! | `loss_*` | what losses look like; empty where nothing was lost |
//! | `delay_*` | seconds; empty where nothing was matched |
//! | `changes_*`, `layout_*` | what was changed on the way |
//! | others | as in the JSON document |
//!
//! Columns are named by the path of the figure in the JSON document, with `_` for the
//! dots. Absent is an empty cell. What is a list in the document is left out.

mod columns;

use super::Comparison;
use super::document::{PathFlow, Segment};
use crate::report::escape;
use std::borrow::Cow;
use std::io::{self, Write};

/// What a row is about.
struct Row<'a> {
    comparison: &'a Comparison,
    /// Number of the flow.
    number: usize,
    flow: &'a PathFlow,
    segment: &'a Segment,
    /// `segment` or `path`.
    part: &'static str,
}

/// Writes a header and the rows of each listed flow.
pub fn write(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    let mut table = ::csv::Writer::from_writer(out);
    table.write_record(columns::COLUMNS.iter().map(|(name, _)| name))?;
    for (index, flow) in comparison.flows.iter().enumerate() {
        let segments = flow.segments.iter().map(|segment| (segment, "segment"));
        for (segment, part) in segments.chain([(&flow.path, "path")]) {
            let row = Row {
                comparison,
                number: index + 1,
                flow,
                segment,
                part,
            };
            let cells = columns::COLUMNS.iter().map(|(_, figure)| figure(&row));
            write_row(&mut table, cells)?;
        }
    }
    table.flush()
}

/// Writes a row in which no cell is a formula.
fn write_row(
    table: &mut ::csv::Writer<impl Write>,
    cells: impl Iterator<Item = String>,
) -> io::Result<()> {
    for cell in cells {
        table.write_field(inert(&cell).as_bytes())?;
    }
    // No field: ends the record.
    table.write_record(None::<&[u8]>)?;
    Ok(())
}

/// A number as it is, also one below 0; whatever else as text.
fn inert(cell: &str) -> Cow<'_, str> {
    match cell.parse::<f64>() {
        Ok(_) => Cow::Borrowed(cell),
        Err(_) => escape::cell(cell),
    }
}
