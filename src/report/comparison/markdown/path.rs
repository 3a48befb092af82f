//! The path as the text has it.

use crate::report::comparison::Comparison;
use crate::report::comparison::text::diagram_lines;
use crate::report::comparison::words;
use crate::report::escape;
use crate::report::markdown::page::{Page, sentence};

/// Columns of the diagram: what a comment shows without being scrolled.
const WIDTH: usize = 80;

/// Most bytes of it; a longer path is cut.
const BYTES: usize = 12_000;

pub(super) fn write(comparison: &Comparison, page: &mut Page) {
    page.heading(3, "Path");
    page.paragraph(&sentence(&format!("{}.", words::common(comparison))));
    let mut room = BYTES;
    let lines = diagram_lines(comparison, WIDTH);
    let fitting = lines.iter().take_while(|line| {
        let left = room.checked_sub(line.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    });
    let mut fitting: Vec<&str> = fitting.map(String::as_str).collect();
    if fitting.len() < lines.len() {
        fitting.push("  and so on: --format text has all of the path");
    }
    page.paragraph(escape::fenced("text", fitting.into_iter()).trim_end());
}
