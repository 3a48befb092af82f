//! The comparison as one page for a browser, made of the parts of the report's page
//! ([`report::html`](crate::report::html)): the same style, script, policy and bounds.

mod captures;
mod delays;
mod flows;
mod losses;
mod over_time;
mod path;
mod segments;
mod summary;

use super::{Comparison, found, repeat, words};
use crate::report::beside::{Beside, Elsewhere};
use crate::report::html::bounds::{LINE, clipped};
use crate::report::html::section::{Part, Section};
use crate::report::html::{About, findings, lay_out, receivers, witness};
use std::io::{self, Write};

/// What the page looks like: as the report's, and the path.
const STYLE: &str = concat!(
    include_str!("../../html/templates/style.css"),
    include_str!("templates/path.css")
);

/// Segments that are shown, of each direction.
const SEGMENTS: usize = 24;

/// Writes the comparison as a page.
pub fn write(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    write_page(comparison, None, out)
}

/// Writes the comparison as a page of a folder that holds this as well.
pub fn write_beside(
    comparison: &Comparison,
    beside: &Beside<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_page(comparison, Some(beside), out)
}

fn write_page(
    comparison: &Comparison,
    beside: Option<&Beside<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let last = comparison.points.len().saturating_sub(1);
    let last = u32::try_from(last).unwrap_or(u32::MAX);
    let place = format!("at {}", words::point_name(comparison, last));
    let begins = comparison.common.map(|common| common.first_timestamp);
    let sections = [
        segments::figures(comparison),
        losses::section(comparison),
        delays::section(comparison),
        segments::changes(comparison),
        segments::damage(comparison),
        flows::section(comparison),
        flows::carriers(comparison),
        receivers::of(&comparison.receivers, &place, begins),
        witness::as_said(comparison.benchmark.as_ref()),
        witness::counters(&comparison.kernel_counters),
        captures::section(comparison),
        commands(comparison, beside),
    ];
    let key = |index: usize| comparison.flows.get(index).map(|flow| flow.key.clone());
    let found = found::findings(comparison, file_of);
    let elsewhere = Elsewhere::of(beside);
    let summary = summary::summary(comparison, &found, elsewhere);
    let about = About {
        tool: &comparison.tool,
        schema_version: comparison.schema_version,
        subject: summary.subject(),
        elsewhere,
    };
    let findings = findings::of(&found, findings::Subject::Path, &key);
    let sections = sections.into_iter().flatten().collect();
    lay_out(about, STYLE, summary.to_string(), findings, sections, out)
}

/// `A  router.pcap`.
fn file_of(comparison: &Comparison, point: u32) -> String {
    let name = words::point_name(comparison, point);
    let place = usize::try_from(point).ok();
    let point = place.and_then(|place| comparison.points.get(place));
    point.map_or(name.clone(), |point| {
        format!("{name}: {}", base(&point.file.path))
    })
}

/// The last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn commands(comparison: &Comparison, beside: Option<&Beside<'_>>) -> Option<Section> {
    let shows = beside.map(Beside::path_command);
    let commands = shows.into_iter().chain(repeat::commands(comparison));
    let commands = commands.map(|command| clipped(&command, 4 * LINE));
    let part = Part::Commands(commands.collect());
    let lead = beside.map_or_else(String::new, Beside::path_words);
    Some(Section::of("repeat", "How to repeat it", lead, part))
}

#[cfg(test)]
mod tests;
