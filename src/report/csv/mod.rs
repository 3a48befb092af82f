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
        let cells = columns::COLUMNS.iter().map(|(_, figure)| figure(flow));
        write_row(&mut table, cells)?;
    }
    table.flush()
}

/// Writes a row in which no cell is a formula, whatever its column holds.
fn write_row(
    table: &mut csv::Writer<impl Write>,
    cells: impl Iterator<Item = String>,
) -> io::Result<()> {
    for cell in cells {
        table.write_field(escape::cell(&cell).as_bytes())?;
    }
    // No field: ends the record.
    table.write_record(None::<&[u8]>)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::report::samples;
    use proptest::prelude::*;

    /// Whether a spreadsheet would run it.
    fn is_formula(cell: &str) -> bool {
        let begin = cell.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
        begin.starts_with(|c: char| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(c))
    }

    /// A row with this text in every column, read back.
    fn row_of(text: &str) -> Vec<String> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let cells = columns::COLUMNS.iter().map(|_| text.to_owned());
        write_row(&mut table, cells).unwrap();
        let written = table.into_inner().unwrap();
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(written.as_slice());
        let row: Vec<String> = rows.deserialize().next().unwrap().unwrap();
        assert_eq!(row.len(), columns::COLUMNS.len());
        row
    }

    #[test]
    fn hostile_text_is_text_in_every_column() {
        for begin in [
            "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
        ] {
            for before in [
                "", "\t", "\r", "\n", " ", "\"", "' ", "\u{a0}", "\u{200b}", "\u{3000}",
            ] {
                let text = format!("{before}{begin}cmd|' /C calc'!A0,\"x\";y");
                for cell in row_of(&text) {
                    assert!(!is_formula(&cell), "{cell:?} of {text:?}");
                    assert!(!cell.contains(escape::is_active), "{cell:?}");
                    let told = cell.strip_prefix('\'').unwrap_or(&cell);
                    assert!(told == escape::line(&text) || cell == escape::line(&text));
                }
            }
        }
    }

    #[test]
    fn no_figure_is_a_formula() {
        for (name, report) in samples::all() {
            for (column, figure) in columns::COLUMNS {
                let mut cells = report.flows.iter().map(figure);
                assert!(!cells.any(|cell| is_formula(&cell)), "{column} in {name}");
            }
        }
    }

    #[test]
    fn rows_are_written_as_they_come() {
        /// Counts what it is given at once.
        #[derive(Default)]
        struct Pieces {
            largest: usize,
            all: usize,
        }
        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.largest = self.largest.max(bytes.len());
                self.all += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut report = samples::many();
        report.flows = vec![report.flows[0].clone(); 10_000];
        let mut pieces = Pieces::default();
        write(&report, &mut pieces).unwrap();
        assert!(pieces.all > 1 << 20, "{} bytes", pieces.all);
        assert!(pieces.largest <= 64 << 10, "{} bytes", pieces.largest);
    }

    proptest! {
        #[test]
        fn no_text_is_a_formula(text in any::<String>()) {
            prop_assert!(!is_formula(&row_of(&text)[0]));
        }
    }
}
