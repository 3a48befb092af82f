//! The flows as a table: a row a flow, a column a figure.
//!
//! Columns are named by the path of the figure in the JSON document, with `_` for
//! the dots and without `key` and `counters`. Absent is an empty cell. Sizes are
//! left out, as they are a table of their own.

mod columns;

use super::document::Report;
use super::escape;
use std::io::{self, Write};

/// Writes a header and a row for each listed flow.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(columns::COLUMNS.iter().map(|(name, _)| name))?;
    for flow in &report.flows {
        for (_, figure) in columns::COLUMNS {
            table.write_field(escape::cell(&figure(flow)).as_bytes())?;
        }
        // No field: ends the record.
        table.write_record(None::<&[u8]>)?;
    }
    table.flush()
}
