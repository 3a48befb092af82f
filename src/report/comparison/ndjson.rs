//! One JSON document a line; a comparison writes one line.

use super::Comparison;
use std::io::{self, Write};

/// Writes the document on one line, with a line break.
pub fn write(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    crate::report::json::write_line(comparison, out)
}
