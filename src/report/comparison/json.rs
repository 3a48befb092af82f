//! The whole document as JSON.

use super::Comparison;
use std::io::{self, Write};

/// Writes the document, indented, and a line break.
pub fn write(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    crate::report::json::write_document(comparison, out)
}
