//! The report as a comment on a ticket: Markdown for GitHub, GitLab and Jira.
//!
//! What text shows first, and what it takes to repeat it. A comment has bounds, so lists
//! get shorter until everything fits, and say how much they leave out.

pub(in crate::report) mod capture;
pub(in crate::report) mod findings;
mod flows;
pub(in crate::report) mod page;
pub(in crate::report) mod receivers;
mod repeat;

use super::beside::{Beside, Elsewhere};
use super::document::Report;
use page::Page;
use std::io::{self, Write};

/// Most bytes of a page, and so most characters however they are counted. Jira takes
/// 32,767 in a comment, GitHub 65,536.
pub const MAX_BYTES: usize = 30_000;

/// Entries that a list may have at first: more would not fit, whatever they are.
const MOST_ENTRIES: usize = 512;

/// Writes the report as Markdown of at most [`MAX_BYTES`].
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    write_comment(report, None, out)
}

/// The same for a folder with a capture that proves it.
pub fn write_beside(report: &Report, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
    write_comment(report, Some(beside), out)
}

fn write_comment(
    report: &Report,
    beside: Option<&Beside<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_fitting(|most| page(report, beside, most), out)
}

/// Writes a page with as many entries in each list as fit into [`MAX_BYTES`].
pub(in crate::report) fn write_fitting(
    page: impl Fn(usize) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut most = MOST_ENTRIES;
    loop {
        let text = page(most);
        // Without any entry of a list it fits: all else has bounds of its own.
        if text.len() <= MAX_BYTES || most == 0 {
            return out.write_all(text.as_bytes());
        }
        most /= 2;
    }
}

/// The page with at most so many entries in each list.
fn page(report: &Report, beside: Option<&Beside<'_>>, most: usize) -> String {
    let mut page = Page::new(most);
    let elsewhere = Elsewhere::of(beside);
    findings::write_explanation(report, &mut page);
    findings::write(report, &mut page);
    flows::write(report, elsewhere, &mut page);
    flows::write_tunnels(report, &mut page);
    receivers::write(report, &mut page);
    capture::write(report, &mut page);
    repeat::write(report, beside, &mut page);
    page.finish(&report.tool, elsewhere)
}

#[cfg(test)]
mod tests;
