//! Counters as labelled lines.

use super::super::row::Tone;
use super::Prose;
use crate::model::{Counters, number};
use crate::report::figures;

impl Prose {
    /// Datagrams, fragments, lengths and checksums.
    pub(super) fn counters(self, counters: &Counters) -> Self {
        let datagrams = &counters.datagrams;
        let line = format!(
            "{}: {} in one packet, {} in fragments",
            number::count(figures::datagrams(counters)),
            number::count(datagrams.unfragmented),
            number::count(datagrams.fragmented),
        );
        self.field("datagrams", &line, Tone::Normal)
            .reassembled(counters)
            .fragments(counters)
            .checked(counters)
    }

    fn reassembled(self, counters: &Counters) -> Self {
        let datagrams = &counters.datagrams;
        let all = datagrams.fragmented;
        if all == 0 {
            return self;
        }
        let with_share = |part| format!("{} ({})", number::count(part), number::percent(part, all));
        let prose = self.field(
            "reassembled",
            &with_share(datagrams.reassembled),
            Tone::Normal,
        );
        match all.saturating_sub(datagrams.reassembled) {
            0 => prose,
            never => {
                let why = figures::unfinished(datagrams, "still open");
                let tone = Tone::fault_if(never > datagrams.incomplete);
                prose.field(
                    "never whole",
                    &format!("{}: {why}", with_share(never)),
                    tone,
                )
            }
        }
    }

    fn fragments(self, counters: &Counters) -> Self {
        let fragments = &counters.fragments;
        if fragments.total == 0 {
            return self;
        }
        let positions = figures::positions(fragments);
        let line = format!("{}: {positions}", number::count(fragments.total));
        let more = format!(
            "{} full-size, {} duplicate, {} overlapping",
            number::count(fragments.full_size),
            number::count(fragments.duplicate),
            number::count(fragments.overlapping),
        );
        self.field("fragments", &line, Tone::Normal).field(
            "",
            &more,
            Tone::fault_if(fragments.overlapping > 0),
        )
    }

    fn checked(self, counters: &Counters) -> Self {
        let lengths = &counters.bad_length;
        let mut prose = self.field(
            "lengths",
            &figures::lengths(lengths),
            Tone::fault_if(lengths.total > 0),
        );
        let sums = figures::checksums(&counters.checksums);
        for (index, (protocol, verdicts)) in sums.into_iter().enumerate() {
            let label = if index == 0 { "checksums" } else { "" };
            let line = format!("{protocol:<4}  {}", figures::verdicts(verdicts));
            prose = prose.field(label, &line, Tone::fault_if(verdicts.bad > 0));
        }
        prose
    }
}
