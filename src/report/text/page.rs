//! A page of headings and labelled lines; the only place that colours or wraps.

use super::{Color, Style};
use std::io::{self, Write};

pub(in crate::report) use crate::report::wrap::wrap;

/// Columns in front of the text of a labelled line.
const LABEL_COLUMNS: usize = 15;

/// What a piece of text is, which decides how it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Tone {
    /// Ordinary text.
    Normal,
    /// A heading.
    Heading,
    /// The name of what follows.
    Quiet,
    /// A doubt.
    Doubt,
    /// A fault.
    Fault,
}

impl Tone {
    /// [`Tone::Fault`] if there is any.
    pub(in crate::report) fn fault_if(any: bool) -> Self {
        if any { Self::Fault } else { Self::Normal }
    }
}

/// Where a report is laid out.
pub(in crate::report) struct Page<'a, W> {
    style: Style,
    out: &'a mut W,
    is_empty: bool,
}

impl<'a, W: Write> Page<'a, W> {
    pub(in crate::report) fn new(style: Style, out: &'a mut W) -> Self {
        Self {
            style,
            out,
            is_empty: true,
        }
    }

    /// Columns to fill at most.
    pub(in crate::report) fn width(&self) -> usize {
        self.style.width.max(40)
    }

    /// Columns left for the text of a labelled line.
    pub(in crate::report) fn field_width(&self) -> usize {
        self.width() - LABEL_COLUMNS
    }

    /// Begins a section without a title.
    pub(in crate::report) fn begin(&mut self) {
        self.is_empty = false;
    }

    /// Begins a section without a title, an empty line below the one before.
    pub(in crate::report) fn gap(&mut self) -> io::Result<()> {
        if !self.is_empty {
            writeln!(self.out)?;
        }
        self.is_empty = false;
        Ok(())
    }

    /// Begins a section: an empty line between sections, the title, a remark.
    pub(in crate::report) fn heading(&mut self, title: &str, remark: &str) -> io::Result<()> {
        self.gap()?;
        let heading = self.paint(title, Tone::Heading);
        if remark.is_empty() {
            return writeln!(self.out, "{heading}");
        }
        if title.len() + 2 + remark.len() <= self.width() {
            let remark = self.paint(remark, Tone::Quiet);
            return writeln!(self.out, "{heading}  {remark}");
        }
        writeln!(self.out, "{heading}")?;
        self.paragraph("", 2, remark, Tone::Quiet)
    }

    /// A labelled text, wrapped; without a label it continues the one before.
    pub(in crate::report) fn field(
        &mut self,
        label: &str,
        text: &str,
        tone: Tone,
    ) -> io::Result<()> {
        let lines = wrap(text, self.field_width());
        for (index, line) in lines.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let label = self.paint(
                &format!("  {label:<width$}", width = LABEL_COLUMNS - 2),
                Tone::Quiet,
            );
            let line = self.paint(line, tone);
            writeln!(self.out, "{label}{line}")?;
        }
        Ok(())
    }

    /// A line as it is.
    pub(in crate::report) fn line(&mut self, text: &str, tone: Tone) -> io::Result<()> {
        let line = self.paint(text, tone);
        writeln!(self.out, "{line}")
    }

    /// Pieces of one line, each with its tone.
    pub(in crate::report) fn pieces(&mut self, pieces: &[(String, Tone)]) -> io::Result<()> {
        let line: String = pieces
            .iter()
            .map(|(text, tone)| self.paint(text, *tone))
            .collect();
        writeln!(self.out, "{}", line.trim_end())
    }

    /// A paragraph, wrapped, with `indent` columns in front of every line but the
    /// first, which begins with `lead`.
    pub(in crate::report) fn paragraph(
        &mut self,
        lead: &str,
        indent: usize,
        text: &str,
        tone: Tone,
    ) -> io::Result<()> {
        for (index, line) in wrap(text, self.width() - indent).iter().enumerate() {
            let front = if index == 0 { lead } else { "" };
            let front = self.paint(&format!("{front:<indent$}"), tone);
            writeln!(self.out, "{front}{line}")?;
        }
        Ok(())
    }

    fn paint(&self, text: &str, tone: Tone) -> String {
        let code = match tone {
            Tone::Normal => return text.to_owned(),
            Tone::Heading => "1",
            Tone::Quiet => "2",
            Tone::Doubt => "33",
            Tone::Fault => "31",
        };
        match self.style.color {
            Color::Plain => text.to_owned(),
            Color::Ansi if text.trim().is_empty() => text.to_owned(),
            Color::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
