//! Delivered share by datagram size, where it shows a cliff.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Flow, Report, SizeClass};
use std::io::{self, Write};

/// Most flows whose sizes are shown.
const MOST_FLOWS: usize = 3;

/// A cliff: some class gets through less than nine tenths as well as the best.
/// Below that, a difference between classes is as well chance.
const CLIFF: f64 = 0.9;

/// Longest bar; it stands for all datagrams of a class.
const BAR: usize = 20;

/// Columns in front of the bar.
const BAR_START: usize = 46;

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let numbered = report.flows.iter().enumerate();
    let cliffs = numbered.filter(|(_, flow)| has_cliff(&flow.sizes));
    for (index, flow) in cliffs.take(MOST_FLOWS) {
        let title = format!("Datagram sizes of flow {}", index + 1);
        page.heading(&title, "larger ones do not get through as smaller ones do")?;
        write_sizes(flow, page)?;
    }
    Ok(())
}

fn has_cliff(sizes: &[SizeClass]) -> bool {
    let shares = sizes.iter().filter(|class| class.datagrams > 0).map(share);
    let (worst, best) = shares.fold((1.0_f64, 0.0_f64), |(worst, best), share| {
        (worst.min(share), best.max(share))
    });
    worst < best * CLIFF
}

fn share(class: &SizeClass) -> f64 {
    class.delivered as f64 / class.datagrams as f64
}

fn write_sizes(flow: &Flow, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    page.line("            bytes   datagrams  deliverable", Tone::Quiet)?;
    let bar = BAR.min(page.width().saturating_sub(BAR_START));
    for class in flow.sizes.iter().filter(|class| class.datagrams > 0) {
        let from = number::count(class.datagram_bytes_from.into());
        let to = match class.datagram_bytes_to {
            Some(to) => format!("- {:>6}", number::count(to.into())),
            None => "and more".to_owned(),
        };
        let filled = (share(class) * bar as f64).round() as usize;
        let line = format!(
            "  {from:>6} {to:<8}  {:>10}  {:>11}  {}",
            number::count(class.datagrams),
            number::percent(class.delivered, class.datagrams),
            "#".repeat(filled.min(bar)),
        );
        page.line(line.trim_end(), Tone::Normal)?;
    }
    if flow.datagrams_of_unknown_size > 0 {
        let unknown = number::counted(flow.datagrams_of_unknown_size, "datagram");
        let line = format!("and {unknown} of unknown size: the last fragment never came");
        page.paragraph("", 2, &line, Tone::Normal)?;
    }
    Ok(())
}
