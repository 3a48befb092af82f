//! Tables: with a caption, a head for each row, and what is left out of them.

use super::bounds::part;
use crate::model::number;
use crate::report::beside::Elsewhere;
use askama::Template;

/// A table, which a reader with scripts can sort and search.
#[derive(Debug, Default, Template)]
#[template(path = "table.html")]
pub(in crate::report) struct Table {
    /// Name that is one of its own in the page.
    pub id: String,
    /// What it holds.
    pub caption: String,
    /// Heads of the columns.
    pub columns: Vec<Column>,
    /// The column that says what a row is about.
    pub head: usize,
    /// The rows.
    pub rows: Vec<Row>,
    /// What is not in it; `None` if it is complete.
    pub left_out: Option<String>,
    /// Whether that is elsewhere, and nobody has said yet where.
    is_elsewhere: bool,
    /// What is left out on paper.
    pub on_paper: Option<String>,
    /// Whether it is worth sorting and searching.
    pub use_of: Use,
}

/// What a table is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::report) enum Use {
    /// Reading from top to bottom.
    #[default]
    Reading,
    /// Looking things up.
    Lookup,
}

/// The head of a column.
#[derive(Debug)]
pub(in crate::report) struct Column {
    /// Its name, with the unit.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Kind {
    /// Words, which may take several lines.
    Words,
    /// Figures.
    Figures,
    /// What is not broken: times, hashes.
    Kept,
    /// Names that are broken between their words alone: an address stays with its port.
    Names,
}

impl Kind {
    /// The class of its cells in the style sheet.
    fn class(self) -> &'static str {
        match self {
            Self::Words => "w",
            Self::Figures => "n",
            Self::Kept => "k",
            Self::Names => "w f",
        }
    }
}

/// One row.
#[derive(Debug, Default)]
pub(in crate::report) struct Row {
    /// Where links to it go.
    pub id: Option<String>,
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// Whether there is no room for it on paper.
    pub is_screen_only: bool,
}

/// One cell.
#[derive(Debug)]
pub(in crate::report) struct Cell {
    /// What is seen.
    pub text: String,
    /// What it is sorted by, if not by what is seen.
    pub value: Option<String>,
}

impl Table {
    /// Columns by name. Those whose name begins with `#` hold figures, with `@` what is
    /// not broken, with `~` names.
    pub(in crate::report) fn new(
        id: impl Into<String>,
        caption: impl Into<String>,
        columns: &[&str],
    ) -> Self {
        let columns = columns.iter().map(|name| column(name));
        Self {
            id: id.into(),
            caption: caption.into(),
            columns: columns.collect(),
            ..Self::default()
        }
    }

    /// Puts a row at the end.
    pub(in crate::report) fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row {
            cells,
            ..Row::default()
        });
    }

    /// Says what is left out, if not all is in it.
    pub(in crate::report) fn of(mut self, all: u64, noun: &str) -> Self {
        self.left_out = part(self.rows.len(), all, noun);
        self.is_elsewhere = self.left_out.is_some();
        self
    }

    /// Says where what is left out is to be had.
    pub(in crate::report) fn say_where(&mut self, elsewhere: Elsewhere) {
        if let Some(left_out) = self.left_out.as_mut().filter(|_| self.is_elsewhere) {
            left_out.push_str("; ");
            left_out.push_str(&elsewhere.rest());
            self.is_elsewhere = false;
        }
        if let Some(on_paper) = &mut self.on_paper {
            on_paper.push_str("; ");
            on_paper.push_str(&elsewhere.rest());
        }
    }

    /// Prints the first rows alone.
    pub(in crate::report) fn print_first(mut self, most: usize) -> Self {
        if self.rows.len() > most {
            let shown = number::count(most as u64);
            self.on_paper = Some(format!("On paper, the first {shown} rows"));
            for row in self.rows.iter_mut().skip(most) {
                row.is_screen_only = true;
            }
        }
        self
    }

    /// Prints rows at equal distances alone, the first of them first.
    pub(in crate::report) fn print_some(mut self, most: usize) -> Self {
        let each = self.rows.len().div_ceil(most.max(1));
        if each > 1 {
            let nth = number::ordinal(each as u64);
            self.on_paper = Some(format!("On paper, every {nth} row"));
            for (index, row) in self.rows.iter_mut().enumerate() {
                row.is_screen_only = index % each > 0;
            }
        }
        self
    }

    /// What a cell is sorted by, in tables that are.
    fn sorted_by<'a>(&self, cell: &'a Cell) -> Option<&'a str> {
        cell.value.as_deref().filter(|_| self.is_lookup())
    }

    /// Whether a reader with a script can sort it.
    fn is_lookup(&self) -> bool {
        self.use_of == Use::Lookup
    }
}

fn column(name: &str) -> Column {
    let (kind, name) = match name.split_at_checked(1) {
        Some(("#", name)) => (Kind::Figures, name),
        Some(("@", name)) => (Kind::Kept, name),
        Some(("~", name)) => (Kind::Names, name),
        _ => (Kind::Words, name),
    };
    Column {
        name: name.to_owned(),
        kind,
    }
}

/// A cell of words.
pub(in crate::report) fn words(text: impl Into<String>) -> Cell {
    Cell {
        text: text.into(),
        value: None,
    }
}

/// A count.
pub(in crate::report) fn count(value: u64) -> Cell {
    figure(Some(value as f64), |_| number::count(value))
}

/// Bytes.
pub(in crate::report) fn bytes(value: u64) -> Cell {
    figure(Some(value as f64), |_| number::bytes(value))
}

/// A share of a whole.
pub(in crate::report) fn percent(part: u64, whole: u64) -> Cell {
    let ratio = (whole > 0).then(|| part as f64 / whole as f64);
    figure(ratio, |_| number::percent(part, whole))
}

/// A figure that may be absent.
pub(in crate::report) fn figure(value: Option<f64>, format: impl FnOnce(f64) -> String) -> Cell {
    let value = value.filter(|value| value.is_finite());
    Cell {
        text: number::or_absent(value, format),
        value: value.map(|value| value.to_string()),
    }
}
