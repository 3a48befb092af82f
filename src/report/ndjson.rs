//! One JSON document a line; an analysis writes one line.

use super::document::Report;
use std::io::{self, Write};

/// Writes the document on one line, with a line break.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    super::json::write_line(report, out)
}
