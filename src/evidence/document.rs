//! What a bundle is about, in every form that lies in it.

use crate::report::comparison::{self, Comparison};
use crate::report::{Beside, Report, csv, html, json, markdown};
use std::io::{self, Write};

/// A document that a bundle holds in every form; `beside` is the capture that lies with it.
pub trait Document {
    /// Writes the page.
    fn html(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()>;
    /// Writes the text for a ticket.
    fn markdown(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()>;
    /// Writes all of it.
    fn json(&self, out: &mut impl Write) -> io::Result<()>;
    /// Writes the table of its flows.
    fn csv(&self, out: &mut impl Write) -> io::Result<()>;
}

impl Document for Report {
    fn html(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
        html::write_beside(self, beside, out)
    }

    fn markdown(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
        markdown::write_beside(self, beside, out)
    }

    fn json(&self, out: &mut impl Write) -> io::Result<()> {
        json::write(self, out)
    }

    fn csv(&self, out: &mut impl Write) -> io::Result<()> {
        csv::write(self, out)
    }
}

impl Document for Comparison {
    fn html(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
        comparison::html::write_beside(self, beside, out)
    }

    fn markdown(&self, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
        comparison::markdown::write_beside(self, beside, out)
    }

    fn json(&self, out: &mut impl Write) -> io::Result<()> {
        comparison::json::write(self, out)
    }

    fn csv(&self, out: &mut impl Write) -> io::Result<()> {
        comparison::csv::write(self, out)
    }
}
