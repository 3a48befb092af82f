//! How much of a report a page shows: below 2 MB for any capture.

use crate::model::number;
use crate::report::escape;

/// Files listed by name.
pub(super) const FILES: usize = 20;
/// Problems of the capture, and bounds that were hit.
pub(super) const PROBLEMS: usize = 40;
/// Reasons for which frames could not be decoded.
pub(super) const REASONS: usize = 20;
/// Findings; no capture has shown half as many at once.
pub(super) const FINDINGS: usize = 24;
/// Frames that show a finding.
pub(super) const EVIDENCE: usize = 5;
/// Fixes and references of a finding.
pub(super) const FIXES: usize = 8;
/// Flows of a finding that are linked to.
pub(super) const CONCERNED: usize = 8;
/// Rows of the table of flows.
pub(super) const FLOWS: usize = 200;
/// Rows of the table of tunnels.
pub(super) const TUNNELS: usize = 100;
/// Receivers in a table.
pub(super) const RECEIVERS: usize = 16;
/// Receivers whose memory is drawn.
pub(super) const MEMORIES: usize = 4;
/// Other settings of a receiver.
pub(super) const ALTERNATIVES: usize = 4;
/// Datagrams that are drawn; there are as many reasons to lose one.
pub(super) const LOST: usize = 14;
/// Stretches of a datagram in the table below it.
pub(super) const STRETCHES: usize = 64;
/// Steps of the timeline.
pub(super) const BUCKETS: usize = 600;
/// Runs of a benchmark.
pub(super) const RUNS: usize = 60;
/// Counters of a kernel.
pub(super) const COUNTERS: usize = 80;

/// Characters of the id of a finding.
pub(super) const ID: usize = 20;
/// Characters of a paragraph.
pub(super) const PARAGRAPH: usize = 1_200;
/// Characters of a line: a path, a note, a command.
pub(super) const LINE: usize = 240;

/// Text made harmless, of at most so many characters.
pub(super) fn clipped(text: &str, most: usize) -> String {
    let inert = escape::line(text);
    match inert.char_indices().nth(most) {
        None => inert.into_owned(),
        Some((end, _)) => format!("{}…", &inert[..end]),
    }
}

/// `200 of 1,000,000 flows`; `None` if that is all of them.
pub(super) fn part(shown: usize, all: u64, noun: &str) -> Option<String> {
    let shown = shown as u64;
    (shown < all).then(|| format!("{} of {}", number::count(shown), number::counted(all, noun)))
}

/// The same with a word on where the others are.
pub(super) fn left_out(shown: usize, all: u64, noun: &str) -> Option<String> {
    part(shown, all, noun).map(|part| format!("{part}; --format json has all that are listed"))
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
