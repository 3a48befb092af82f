//! The comparison as a comment on a ticket, as [`report::markdown`](crate::report::markdown)
//! writes a report, with the path as text between fences.

mod explanation;
mod flows;
mod losses;
mod path;
mod repeat;

use super::{Comparison, found, words};
use crate::report::beside::{Beside, Elsewhere};
use crate::report::markdown::page::{Page, sentence};
use crate::report::markdown::{capture, findings, receivers, write_fitting};
use std::io::{self, Write};

pub use crate::report::markdown::MAX_BYTES;

/// Writes the comparison as Markdown of at most [`MAX_BYTES`].
pub fn write(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    write_fitting(|most| page(comparison, None, most), out)
}

/// Writes the comparison as Markdown of a folder that holds this as well.
pub fn write_beside(
    comparison: &Comparison,
    beside: &Beside<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_fitting(|most| page(comparison, Some(beside), most), out)
}

/// The page with at most so many entries in each list.
fn page(comparison: &Comparison, beside: Option<&Beside<'_>>, most: usize) -> String {
    let mut page = Page::new(most);
    if let Some(relation) = words::relation(comparison) {
        page.paragraph(&sentence(&relation));
    }
    explanation::write(comparison, &mut page);
    path::write(comparison, &mut page);
    let found = found::findings(comparison, words::point_name);
    let remark = "Frames are those of the capture named behind them.";
    findings::write_section(&found, remark, true, &mut page);
    losses::write(comparison, &mut page);
    flows::write(comparison, &mut page);
    let last = comparison.points.len().saturating_sub(1);
    let last = u32::try_from(last).unwrap_or(u32::MAX);
    let place = format!("at {}", words::point_name(comparison, last));
    receivers::write_section(&comparison.receivers, &sentence(&place), &mut page);
    write_problems(comparison, &mut page);
    repeat::write(comparison, beside, &mut page);
    page.finish(&comparison.tool, Elsewhere::of(beside))
}

fn write_problems(comparison: &Comparison, page: &mut Page) {
    let of_all = comparison.problems.iter().map(|problem| (None, problem));
    let in_files = comparison.files().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (Some(file.path.as_str()), problem))
    });
    let problems: Vec<_> = of_all.chain(in_files).collect();
    if !problems.is_empty() || !comparison.limits.is_empty() {
        page.heading(3, "Problems");
        capture::write_list(problems, &comparison.limits, page);
    }
}

#[cfg(test)]
mod tests;
