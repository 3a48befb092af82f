//! The report as one page for a browser: for somebody who was not there.
//!
//! The page is one file that loads nothing and sends nothing. All of it can be read
//! without its script, which adds only sorting and searching; on paper, too. Its
//! policy allows its own style and its own script, by their hashes. Every value goes
//! through [`Inert`], and what is listed has bounds, so that it stays below 2 MB.

pub(in crate::report) mod balance;
pub(in crate::report) mod bounds;
pub(in crate::report) mod capture;
pub(in crate::report) mod chart;
pub(in crate::report) mod findings;
mod flows;
mod gaps;
mod inert;
mod lost;
mod policy;
pub(in crate::report) mod prose;
pub(in crate::report) mod receivers;
mod repeat;
pub(in crate::report) mod section;
mod sizes;
mod summary;
pub(in crate::report) mod table;
mod timeline;
mod traffic;
mod tunnels;
pub(in crate::report) mod witness;

use super::beside::{Beside, Elsewhere};
use super::document::{Report, Tool};
use askama::Template;
use findings::Findings;
use section::Section;
use std::io::{self, Write};

pub use inert::Inert;

/// What the page looks like.
const STYLE: &str = include_str!("templates/style.css");

/// What a reader with scripts can do besides: sort and search.
const SCRIPT: &str = include_str!("templates/script.js");

/// One page, whatever it is on.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    about: About<'a>,
    policy: String,
    style: &'static str,
    script: &'static str,
    summary: String,
    findings: Findings,
    sections: Vec<Section>,
}

/// What a page says of itself.
pub(in crate::report) struct About<'a> {
    /// What wrote it.
    pub tool: &'a Tool,
    /// Version of the shape of the document that it shows.
    pub schema_version: u32,
    /// What it is on.
    pub subject: &'a str,
    /// Where the figures are that it leaves out.
    pub elsewhere: Elsewhere,
}

/// Writes the report as a page.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    write_page(report, None, out)
}

/// Writes the report as a page of a folder with a capture that proves it.
pub fn write_beside(report: &Report, beside: &Beside<'_>, out: &mut impl Write) -> io::Result<()> {
    write_page(report, Some(beside), out)
}

fn write_page(
    report: &Report,
    beside: Option<&Beside<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let elsewhere = Elsewhere::of(beside);
    let sections = [
        timeline::section(report),
        gaps::section(report),
        lost::section(report),
        sizes::section(report),
        receivers::section(report),
        flows::section(report, elsewhere),
        tunnels::section(report),
        witness::benchmark(report),
        witness::counters(&report.kernel_counters),
        traffic::section(report),
        capture::section(report, elsewhere),
        repeat::section(report, beside),
    ];
    let summary = summary::summary(report);
    let about = About {
        tool: &report.tool,
        schema_version: report.schema_version,
        subject: summary.subject(),
        elsewhere,
    };
    let sections = sections.into_iter().flatten().collect();
    let findings = findings::findings(report);
    lay_out(about, STYLE, summary.to_string(), findings, sections, out)
}

/// Writes a page with this style, of which `summary` is markup.
pub(in crate::report) fn lay_out(
    about: About<'_>,
    style: &'static str,
    summary: String,
    mut findings: Findings,
    mut sections: Vec<Section>,
    out: &mut impl Write,
) -> io::Result<()> {
    findings.say_where(about.elsewhere);
    for section in &mut sections {
        section.say_where(about.elsewhere);
    }
    let page = Page {
        about,
        policy: policy::of(style, SCRIPT),
        style,
        script: SCRIPT,
        summary,
        findings,
        sections,
    };
    page.write_into(out)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;
