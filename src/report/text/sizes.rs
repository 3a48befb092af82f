//! Delivered share by datagram size, where it shows a cliff.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Flow, Report, SizeClass};
use crate::report::label;
use std::collections::HashMap;
use std::io::{self, Write};

/// Most pairs of hosts whose sizes are shown.
const MOST_PAIRS: usize = 3;

/// A cliff: some class gets through less than nine tenths as well as the best.
/// Below that, a difference between classes is as well chance.
const CLIFF: f64 = 0.9;

/// Longest bar; it stands for all datagrams of a class.
const BAR: usize = 20;

/// Columns in front of the bar.
const BAR_START: usize = 46;

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let cliffs = pairs(&report.flows).into_iter().filter(Pair::has_cliff);
    for pair in cliffs.take(MOST_PAIRS) {
        pair.write(page)?;
    }
    Ok(())
}

/// What one host sends another, whatever the ports: programs that go through many sizes
/// take new ports for each, and a datagram without its first fragment has none.
#[derive(Default)]
struct Pair {
    name: String,
    /// Their numbers in the list of flows.
    flows: Vec<usize>,
    /// Smallest first.
    sizes: Vec<SizeClass>,
    datagrams_of_unknown_size: u64,
}

/// All pairs, in the order of the list of flows.
fn pairs(flows: &[Flow]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut by_name = HashMap::new();
    for (index, flow) in flows.iter().enumerate() {
        let name = label::pair(&flow.key);
        let at = *by_name.entry(name.clone()).or_insert_with(|| {
            pairs.push(Pair {
                name,
                ..Pair::default()
            });
            pairs.len() - 1
        });
        pairs[at].add(index + 1, flow);
    }
    pairs
}

impl Pair {
    fn add(&mut self, number: usize, flow: &Flow) {
        self.flows.push(number);
        self.datagrams_of_unknown_size += flow.datagrams_of_unknown_size;
        for class in &flow.sizes {
            let from = |class: &SizeClass| class.datagram_bytes_from;
            match self.sizes.binary_search_by_key(&from(class), from) {
                Ok(found) => {
                    self.sizes[found].datagrams += class.datagrams;
                    self.sizes[found].delivered += class.delivered;
                }
                Err(place) => self.sizes.insert(place, *class),
            }
        }
    }

    fn has_cliff(&self) -> bool {
        let classes = self.sizes.iter().filter(|class| class.datagrams > 0);
        let (worst, best) = classes
            .map(share)
            .fold((1.0_f64, 0.0_f64), |(worst, best), share| {
                (worst.min(share), best.max(share))
            });
        worst < best * CLIFF
    }

    fn write(&self, page: &mut Page<'_, impl Write>) -> io::Result<()> {
        let remark = "larger ones do not get through as smaller ones do";
        match self.flows.as_slice() {
            [only] => page.heading(&format!("Datagram sizes of flow {only}"), remark)?,
            flows => {
                page.heading(&format!("Datagram sizes of {} flows", flows.len()), remark)?;
                page.paragraph("", 2, &self.name, Tone::Normal)?;
            }
        }
        page.line("            bytes   datagrams  deliverable", Tone::Quiet)?;
        let bar = BAR.min(page.width().saturating_sub(BAR_START));
        for class in self.sizes.iter().filter(|class| class.datagrams > 0) {
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
        if self.datagrams_of_unknown_size > 0 {
            let unknown = number::counted(self.datagrams_of_unknown_size, "datagram");
            let line = format!("and {unknown} of unknown size: the last fragment never came");
            page.paragraph("", 2, &line, Tone::Normal)?;
        }
        Ok(())
    }
}

fn share(class: &SizeClass) -> f64 {
    class.delivered as f64 / class.datagrams as f64
}
