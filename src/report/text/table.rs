//! Tables whose columns are as wide as they need to be.

use super::page::{Page, Tone};
use std::io::{self, Write};

/// Columns between two columns, and in front of the first.
const GAP: usize = 2;

/// One column of figures, aligned to the right.
pub(in crate::report) struct Column {
    /// The header.
    pub(in crate::report) name: &'static str,
    /// When the table is too wide, the column with the largest number goes first;
    /// 0 stays.
    pub(in crate::report) dispensable: u8,
    /// A cell a row.
    pub(in crate::report) cells: Vec<(String, Tone)>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|(cell, _)| cell.chars().count());
        cells.chain([self.name.len()]).max().unwrap_or(0)
    }
}

/// Figures about named things.
pub(in crate::report) struct Table {
    /// What each row is about; as long as every column.
    pub(in crate::report) names: Vec<String>,
    /// What is said about it.
    pub(in crate::report) columns: Vec<Column>,
}

impl Table {
    /// Writes the table: names behind the figures where they fit, else on a line
    /// of their own above them.
    pub(in crate::report) fn write(mut self, page: &mut Page<'_, impl Write>) -> io::Result<()> {
        while self.figures_width() > page.width() && self.drop_column() {}
        let longest = self.names.iter().map(|name| name.chars().count()).max();
        let beside = self.figures_width() + GAP + longest.unwrap_or(0) <= page.width();
        self.write_header(page)?;
        for row in 0..self.names.len() {
            self.write_row(page, row, beside)?;
        }
        Ok(())
    }

    fn figures_width(&self) -> usize {
        let rank = self.rank_width();
        rank + self
            .columns
            .iter()
            .map(|column| GAP + column.width())
            .sum::<usize>()
    }

    /// Room for the number of the last row.
    fn rank_width(&self) -> usize {
        GAP + self.names.len().to_string().len()
    }

    fn drop_column(&mut self) -> bool {
        let candidates = self.columns.iter().enumerate();
        let worst = candidates.max_by_key(|(_, column)| column.dispensable);
        match worst {
            Some((index, column)) if column.dispensable > 0 => {
                self.columns.remove(index);
                true
            }
            _ => false,
        }
    }

    fn write_header(&self, page: &mut Page<'_, impl Write>) -> io::Result<()> {
        let mut header = " ".repeat(self.rank_width());
        for column in &self.columns {
            header.push_str(&right(column.name, GAP + column.width()));
        }
        page.line(header.trim_end(), Tone::Quiet)
    }

    fn write_row(
        &self,
        page: &mut Page<'_, impl Write>,
        row: usize,
        beside: bool,
    ) -> io::Result<()> {
        let rank = right(&(row + 1).to_string(), self.rank_width());
        let indent = self.rank_width() + GAP;
        let mut pieces = Vec::new();
        if beside {
            pieces.push((rank, Tone::Quiet));
        } else {
            page.paragraph(&rank, indent, &self.names[row], Tone::Normal)?;
            pieces.push((" ".repeat(self.rank_width()), Tone::Normal));
        }
        for column in &self.columns {
            let (cell, tone) = &column.cells[row];
            pieces.push((right(cell, GAP + column.width()), *tone));
        }
        if beside {
            pieces.push((
                format!("{}{}", " ".repeat(GAP), self.names[row]),
                Tone::Normal,
            ));
        }
        page.pieces(&pieces)
    }
}

fn right(text: &str, width: usize) -> String {
    format!("{text:>width$}")
}
