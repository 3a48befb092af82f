//! How much of a report a page shows: below 2 MB for any capture.

use crate::model::number;
use crate::report::beside::Elsewhere;
use crate::report::escape;

/// Files listed by name.
pub(in crate::report) const FILES: usize = 20;
/// Problems of the capture, and bounds that were hit.
pub(in crate::report) const PROBLEMS: usize = 40;
/// Reasons for which frames could not be decoded.
pub(in crate::report) const REASONS: usize = 20;
/// Findings; no capture has shown half as many at once.
pub(in crate::report) const FINDINGS: usize = 24;
/// Frames that show a finding.
pub(in crate::report) const EVIDENCE: usize = 5;
/// Fixes and references of a finding.
pub(in crate::report) const FIXES: usize = 8;
/// Flows of a finding that are linked to.
pub(in crate::report) const CONCERNED: usize = 8;
/// Rows of the table of flows, if their names are as short as usual.
pub(in crate::report) const FLOWS: usize = 1_000;
/// Bytes of those rows, whatever else the page shows.
const FLOWS_BYTES: usize = 380_000;
/// Bytes that they may take besides for each finding and each lost datagram that is not
/// there.
const FINDING_BYTES: usize = 20_000;
const LOST_BYTES: usize = 15_000;
/// Bytes of a row without the name of the flow.
pub(in crate::report) const CELLS_BYTES: usize = 680;
/// Those of them that are printed.
pub(in crate::report) const FLOWS_ON_PAPER: usize = 50;
/// Steps in time that are printed.
pub(in crate::report) const STEPS_ON_PAPER: usize = 20;
/// Rows of the table of tunnels.
pub(in crate::report) const TUNNELS: usize = 100;
/// Receivers in a table.
pub(in crate::report) const RECEIVERS: usize = 16;
/// Receivers whose memory is drawn.
pub(in crate::report) const MEMORIES: usize = 4;
/// Other settings of a receiver.
pub(in crate::report) const ALTERNATIVES: usize = 4;
/// Datagrams that are drawn; there are as many reasons to lose one.
pub(in crate::report) const LOST: usize = 14;
/// Stretches of a datagram in the table below it.
pub(in crate::report) const STRETCHES: usize = 64;
/// Steps of the timeline.
pub(in crate::report) const BUCKETS: usize = 600;
/// Runs of a benchmark.
pub(in crate::report) const RUNS: usize = 60;
/// Counters of a kernel.
pub(in crate::report) const COUNTERS: usize = 80;

/// Characters of the id of a finding.
pub(in crate::report) const ID: usize = 20;
/// Characters of a paragraph.
pub(in crate::report) const PARAGRAPH: usize = 1_200;
/// Characters of a line: a path, a note, a command.
pub(in crate::report) const LINE: usize = 240;

/// Bytes that the rows of flows may take, beside so many findings and lost datagrams.
pub(in crate::report) fn room_for_flows(findings: usize, lost: usize) -> usize {
    FLOWS_BYTES
        + FINDINGS.saturating_sub(findings) * FINDING_BYTES
        + LOST.saturating_sub(lost) * LOST_BYTES
}

/// Text made harmless, of at most so many characters.
pub(in crate::report) fn clipped(text: &str, most: usize) -> String {
    let inert = escape::line(text);
    match inert.char_indices().nth(most) {
        None => inert.into_owned(),
        Some((end, _)) => format!("{}…", &inert[..end]),
    }
}

/// `200 of 1,000,000 flows`; `None` if that is all of them.
pub(in crate::report) fn part(shown: usize, all: u64, noun: &str) -> Option<String> {
    let shown = shown as u64;
    (shown < all).then(|| format!("{} of {}", number::count(shown), number::counted(all, noun)))
}

/// The same with a word on where the others are.
pub(in crate::report) fn left_out(
    shown: usize,
    all: u64,
    noun: &str,
    elsewhere: Elsewhere,
) -> Option<String> {
    part(shown, all, noun).map(|part| format!("{part}; {}", elsewhere.rest()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_clipped_between_characters() {
        assert_eq!(clipped("東京都", 2), "東京…");
        assert_eq!(clipped("東京都", 3), "東京都");
        // Made harmless first, so that it cannot grow beyond the bound.
        assert_eq!(clipped("\u{202e}abc", 8), "\\u{202e}…");
    }

    #[test]
    fn all_is_no_part() {
        assert_eq!(part(2, 2, "flow"), None);
        assert_eq!(
            part(200, 1_000_000, "flow").as_deref(),
            Some("200 of 1,000,000 flows")
        );
    }
}
