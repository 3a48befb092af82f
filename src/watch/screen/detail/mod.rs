//! The pages of one thing: text that is longer than the screen.

mod counted;
mod explanation;
mod finding;
mod flow;
mod help;

use super::row::{Row, Tone, draw_all};
use super::view::View;
use super::{Page, Screen};
use crate::report::escape;
use crate::report::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Columns in front of the text of a labelled line.
const LABEL: usize = 13;

/// Draws the page that is open.
pub(super) fn draw(screen: &mut Screen, view: Option<&View>, area: Rect, buffer: &mut Buffer) {
    let prose = Prose::new(area.width.into());
    let Some(open) = screen.pages.last_mut() else {
        return;
    };
    let prose = match (&open.page, view) {
        (Page::Help, _) => help::page(prose),
        (Page::Explanation, Some(view)) => explanation::page(view, prose),
        (Page::Flow(flow), Some(view)) => flow::page(flow, view, prose),
        (Page::Finding(active), Some(view)) => finding::page(active, view, prose),
        (_, None) => prose,
    };
    open.lines = prose.rows.len();
    let seen = open.scroll.page(area.height.into(), open.lines);
    draw_all(&prose.rows[seen], area, screen.look.color, buffer);
}

/// Text that is broken into the lines of a page.
struct Prose {
    columns: usize,
    rows: Vec<Row>,
}

impl Prose {
    fn new(columns: usize) -> Self {
        let rows = Vec::new();
        Self { columns, rows }
    }

    /// A title, and under it an empty line.
    fn title(mut self, title: &str, tone: Tone) -> Self {
        self.lines(title, 0, tone);
        self.rows.push(Row::default());
        self
    }

    /// A heading between two parts.
    fn heading(mut self, heading: &str) -> Self {
        self.rows.push(Row::default());
        self.lines(heading, 0, Tone::Strong);
        self
    }

    /// A labelled text; without text it is left out.
    fn field(mut self, label: &str, text: &str, tone: Tone) -> Self {
        if text.is_empty() {
            return self;
        }
        // Where there is no room beside a label, the text stands under it.
        let is_narrow = self.columns < 3 * LABEL;
        if is_narrow && !label.is_empty() {
            self.rows.push(Row::of(label, Tone::Quiet));
        }
        let (indent, label) = if is_narrow { (2, "") } else { (LABEL, label) };
        let lines = wrap(&escape::line(text), self.columns.saturating_sub(indent));
        for (index, line) in lines.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let row = Row::of(&format!("{label:indent$}"), Tone::Quiet);
            self.rows.push(row.and(line, tone));
        }
        self
    }

    /// Text without a label.
    fn text(mut self, text: &str, tone: Tone) -> Self {
        self.lines(text, 0, tone);
        self
    }

    fn lines(&mut self, text: &str, indent: usize, tone: Tone) {
        let lines = wrap(&escape::line(text), self.columns.saturating_sub(indent));
        let front = " ".repeat(indent);
        let rows = lines
            .iter()
            .map(|line| Row::of(&format!("{front}{line}"), tone));
        self.rows.extend(rows);
    }
}
