//! What the parts of a page are made of.

use super::table::Table;
use crate::report::beside::Elsewhere;
use askama::Template;

/// A part of the page under a heading.
#[derive(Debug, Default, Template)]
#[template(path = "section.html")]
pub(in crate::report) struct Section {
    /// Where links to it go.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is to be known before it is read.
    pub lead: String,
    /// What is in it.
    pub parts: Vec<Part>,
}

/// One thing in a section.
#[derive(Debug)]
pub(in crate::report) enum Part {
    /// A chart with its figures.
    Figure(Box<Figure>),
    /// A table.
    Table(Box<Table>),
    /// Names, with what is to be said of each.
    Facts(Vec<Fact>),
    /// Lines to type.
    Commands(Vec<String>),
}

/// A name, and what is to be said of it.
#[derive(Debug)]
pub(in crate::report) struct Fact {
    /// The name.
    pub name: String,
    /// A line each.
    pub lines: Vec<String>,
}

/// A chart, and the same as a table.
#[derive(Debug)]
pub(in crate::report) struct Figure {
    /// What it shows; empty where the section says so.
    pub title: String,
    /// What is to be known before it is read.
    pub lead: String,
    /// The drawing, as markup; empty if there is nothing to draw.
    pub svg: String,
    /// What the numbers in it stand for.
    pub marks: Marks,
    /// Its figures.
    pub table: Table,
}

/// What is marked in a chart.
#[derive(Debug, Default)]
pub(in crate::report) enum Marks {
    /// Nothing.
    #[default]
    None,
    /// By numbers, from 1.
    Numbered(Vec<String>),
}

impl Section {
    /// A section with a single thing in it.
    pub(in crate::report) fn of(
        id: &'static str,
        title: &'static str,
        lead: String,
        part: Part,
    ) -> Self {
        Self {
            id,
            title,
            lead,
            parts: vec![part],
        }
    }

    /// Says where what its tables leave out is to be had.
    pub(super) fn say_where(&mut self, elsewhere: Elsewhere) {
        for part in &mut self.parts {
            match part {
                Part::Figure(figure) => figure.table.say_where(elsewhere),
                Part::Table(table) => table.say_where(elsewhere),
                Part::Facts(_) | Part::Commands(_) => {}
            }
        }
    }
}

impl Fact {
    /// A name with one line.
    pub(in crate::report) fn new(name: &str, line: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            lines: vec![line.into()],
        }
    }
}
