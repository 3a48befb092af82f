//! A page of blocks with an empty line between them; the only place that lays out.

use crate::model::number;
use crate::report::beside::Elsewhere;
use crate::report::document::Tool;
use crate::report::escape;

/// Most bytes of a sentence, before anything in it is escaped.
const TEXT_BYTES: usize = 1_500;

/// Most bytes of a name, a path or a message.
const NAME_BYTES: usize = 300;

/// Where a report is laid out.
pub(in crate::report) struct Page {
    text: String,
    most: usize,
    is_cut: bool,
}

/// Rows of cells that are Markdown.
pub(in crate::report) struct Table<'a> {
    /// The headers; the first `texts` columns are aligned to the left.
    pub(in crate::report) head: Vec<&'a str>,
    /// Columns that hold no figures.
    pub(in crate::report) texts: usize,
    /// As many cells in each as there are headers.
    pub(in crate::report) rows: Vec<Vec<String>>,
}

impl Page {
    /// An empty page whose lists have at most so many entries.
    pub(in crate::report) fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            most,
            is_cut: false,
        }
    }

    /// The first entries of a list: `most` of them, or as many as there is room for.
    pub(in crate::report) fn shown<'l, T>(&mut self, list: &'l [T], most: usize) -> &'l [T] {
        let wanted = list.len().min(most);
        self.is_cut |= wanted > self.most;
        &list[..wanted.min(self.most)]
    }

    /// A heading.
    pub(in crate::report) fn heading(&mut self, level: usize, title: &str) {
        self.block(&format!("{} {title}\n", "#".repeat(level)));
    }

    /// A paragraph of Markdown, or the entries of a list, a line each.
    pub(in crate::report) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.block(&format!("{text}\n"));
        }
    }

    /// A table, if it has any rows.
    pub(in crate::report) fn table(&mut self, table: &Table<'_>) {
        if table.rows.is_empty() {
            return;
        }
        let is_text = |column| column < table.texts;
        let marks =
            (0..table.head.len()).map(|column| if is_text(column) { "---" } else { "---:" });
        let mut text = row(table.head.iter().copied());
        text.push_str(&row(marks));
        for cells in &table.rows {
            text.push_str(&row(cells.iter().map(String::as_str)));
        }
        self.block(&text);
    }

    /// Lines for a shell.
    pub(in crate::report) fn commands(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.block(&escape::fenced("sh", lines.iter().map(String::as_str)));
        }
    }

    /// The text, and what wrote it.
    pub(in crate::report) fn finish(mut self, tool: &Tool, elsewhere: Elsewhere) -> String {
        let mut last = format!("Written by {} {}.", tool.name, tool.version);
        if self.is_cut {
            last.push_str(&format!(
                " Lists are cut to fit into a comment: `{}` has all.",
                elsewhere.json
            ));
        }
        self.paragraph(&last);
        self.text
    }

    fn block(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(block);
    }
}

fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut row = String::from("|");
    for cell in cells {
        row.push_str(&format!(" {cell} |"));
    }
    row.push('\n');
    row
}

/// A sentence, as Markdown.
pub(in crate::report) fn sentence(text: &str) -> String {
    escape::markdown(&clipped(text, TEXT_BYTES))
}

/// A text of our own in which commands are between backticks, as Markdown.
pub(in crate::report) fn prose(text: &str) -> String {
    escape::prose(&clipped(text, TEXT_BYTES))
}

/// A title, or a short text about something.
pub(in crate::report) fn words(text: &str) -> String {
    escape::markdown(&clipped(text, NAME_BYTES))
}

/// A figure as `number` writes it.
pub(in crate::report) fn figure(text: &str) -> String {
    match text {
        number::ABSENT => text.to_owned(),
        text => words(text),
    }
}

/// A name or path, as code; not in a table.
pub(in crate::report) fn name(text: &str) -> String {
    escape::code(&clipped(text, NAME_BYTES))
}

/// A name in a table: as code, unless there is a pipe in it.
pub(in crate::report) fn cell(text: &str) -> String {
    if text.contains('|') {
        words(text)
    } else {
        name(text)
    }
}

/// The rest of a list that is cut: ` and 3 more`.
pub(in crate::report) fn and_more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {} more", number::count(more as u64)),
    }
}

/// The beginning of a text, without anything active in it.
fn clipped(text: &str, most_bytes: usize) -> String {
    // What is active gets longer; no need to look at more than could be shown.
    let text = escape::line(beginning(text, most_bytes)).into_owned();
    match beginning(&text, most_bytes) {
        all if all.len() == text.len() => text,
        part => format!("{part}\u{2026}"),
    }
}

fn beginning(text: &str, most_bytes: usize) -> &str {
    let mut end = text.len().min(most_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
