//! The report as one page for a browser: for somebody who was not there.
//!
//! The page is one file that loads nothing and sends nothing. All of it can be read
//! without its script, which adds only sorting and searching; on paper, too. Its
//! policy allows its own style and its own script, by their hashes. Every value goes
//! through [`Inert`], and what is listed has bounds, so that it stays below 2 MB.

mod balance;
mod bounds;
mod capture;
mod chart;
mod findings;
mod flows;
mod gaps;
mod inert;
mod lost;
mod policy;
mod prose;
mod receivers;
mod repeat;
mod section;
mod sizes;
mod summary;
mod table;
mod timeline;
mod traffic;
mod tunnels;
mod witness;

use super::beside::Beside;
use super::document::Report;
use askama::Template;
use findings::Findings;
use section::Section;
use std::io::{self, Write};
use summary::Summary;

pub use inert::Inert;

/// What the page looks like.
const STYLE: &str = include_str!("templates/style.css");

/// What a reader with scripts can do besides: sort and search.
const SCRIPT: &str = include_str!("templates/script.js");

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    report: &'a Report,
    policy: String,
    style: &'static str,
    script: &'static str,
    summary: Summary,
    findings: Findings,
    sections: Vec<Section>,
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
    let sections = [
        timeline::section(report),
        gaps::section(report),
        lost::section(report),
        sizes::section(report),
        receivers::section(report),
        flows::section(report),
        tunnels::section(report),
        witness::benchmark(report),
        witness::counters(report),
        traffic::section(report),
        capture::section(report),
        repeat::section(report, beside),
    ];
    let page = Page {
        report,
        policy: policy::of(STYLE, SCRIPT),
        style: STYLE,
        script: SCRIPT,
        summary: summary::summary(report),
        findings: findings::findings(report),
        sections: sections.into_iter().flatten().collect(),
    };
    page.write_into(out)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;
