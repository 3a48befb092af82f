//! The report for people: the summary first, then the worst flows, then doubts.
//!
//! Fits the width it is given, and reads the same without colour. A section with
//! nothing to say is not printed.

mod capture;
mod causes;
pub(in crate::report) mod findings;
mod flows;
mod interfaces;
pub(in crate::report) mod page;
pub(in crate::report) mod problems;
pub(in crate::report) mod receivers;
mod sizes;
pub(in crate::report) mod table;
pub(in crate::report) mod timeline;
mod traffic;
mod tunnels;
pub(in crate::report) mod witness;

use super::document::Report;
use page::Page;
use std::io::{self, Write};

pub use causes::{write_causes, write_list};
pub use interfaces::{details as interface_details, write_interfaces};

/// How the text is laid out; decided by whoever knows the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns to fill at most; below 40 lines are longer than that.
    pub width: usize,
    /// Whether words may be coloured.
    pub color: Color,
}

/// Whether words may be coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Text only.
    Plain,
    /// ANSI sequences for emphasis; nothing depends on them.
    Ansi,
}

impl Style {
    /// For anything that is not a terminal: 80 columns, no colour.
    pub const PLAIN: Self = Self {
        width: 80,
        color: Color::Plain,
    };
}

/// Writes the report as text.
pub fn write(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    findings::write_explanation(report, &mut page)?;
    findings::write(report, &mut page)?;
    witness::write(report, &mut page)?;
    capture::write(report, &mut page)?;
    traffic::write(report, &mut page)?;
    flows::write(report, &mut page)?;
    sizes::write(report, &mut page)?;
    tunnels::write(report, &mut page)?;
    receivers::write(report, &mut page)?;
    timeline::write(report, &mut page)?;
    problems::write(report, &mut page)
}

#[cfg(test)]
mod tests;
