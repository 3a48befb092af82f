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
use crate::report::beside::Elsewhere;
use crate::report::html::bounds::{LINE, clipped};
use crate::report::html::section::{Part, Section};
use crate::report::html::{About, findings, lay_out, receivers};
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
        captures::section(comparison),
        commands(comparison),
    ];
    let key = |index: usize| comparison.flows.get(index).map(|flow| flow.key.clone());
    let found = found::findings(comparison, file_of);
    let summary = summary::summary(comparison, &found);
    let about = About {
        tool: &comparison.tool,
        schema_version: comparison.schema_version,
        subject: summary.subject(),
        elsewhere: Elsewhere::COMMANDS,
    };
    let findings = findings::of(&found, "these captures", &key);
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

fn commands(comparison: &Comparison) -> Option<Section> {
    let commands = repeat::commands(comparison);
    let commands = commands.iter().map(|command| clipped(command, 4 * LINE));
    let part = Part::Commands(commands.collect());
    let title = "How to repeat it";
    Some(Section::of("repeat", title, String::new(), part))
}

#[cfg(test)]
mod tests;
