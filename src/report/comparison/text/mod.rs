//! The comparison for people: the path with its figures, what is wrong with it, then what
//! losses look like and whom they hit.
//!
//! Laid out on the page of [`report::text`](crate::report::text), with the same style.

mod damage;
mod diagram;
mod explanation;
mod flows;
mod lane;
mod losses;
mod problems;

use super::{Comparison, found, words};
use crate::report::text::page::{Page, Tone};
use crate::report::text::{Style, findings, receivers, witness};
use std::io::{self, Write};

pub(super) use diagram::lines as diagram_lines;

/// Writes the comparison as text.
pub fn write(comparison: &Comparison, style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    diagram::write(comparison, &mut page)?;
    explanation::write(comparison, &mut page)?;
    let found = found::findings(comparison, words::point_name);
    let remark = "frames are those of the capture named behind them";
    findings::write_section(&found, remark, true, &mut page)?;
    losses::write(comparison, &mut page)?;
    damage::write(comparison, &mut page)?;
    flows::write(comparison, &mut page)?;
    let last = comparison.points.last();
    let last = last.map_or_else(String::new, |point| point.name.clone());
    let place = format!("at {}", crate::report::escape::line(&last));
    receivers::write_section(&comparison.receivers, &place, &mut page)?;
    let counters = &comparison.kernel_counters;
    witness::write_as_said(comparison.benchmark.as_ref(), counters, &mut page)?;
    problems::write(comparison, &mut page)
}

/// How something is shown.
fn tone(weight: words::Weight) -> Tone {
    match weight {
        words::Weight::None => Tone::Normal,
        words::Weight::Doubt => Tone::Doubt,
        words::Weight::Fault => Tone::Fault,
    }
}

#[cfg(test)]
mod tests;
