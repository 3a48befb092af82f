//! What of a packet may be another on its way, though it is the same packet.

use super::examples::Oddity;
use crate::model::Verdict;

/// How a packet looked at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// TTL.
    pub hop_limit: u8,
    /// TOS or traffic class: DSCP and ECN.
    pub traffic_class: u8,
    /// Code of the verdict on its transport checksum, and whether the capture cut it.
    checksum: u8,
}

/// Beside the code of a verdict: the capture has but the beginning.
const IS_CUT: u8 = 1 << 7;

impl Look {
    /// Of nothing.
    pub const BLANK: Self = Self {
        hop_limit: 0,
        traffic_class: 0,
        checksum: 0,
    };

    pub fn new(hop_limit: u8, traffic_class: u8, verdict: Option<Verdict>, is_cut: bool) -> Self {
        let cut = if is_cut { IS_CUT } else { 0 };
        Self {
            hop_limit,
            traffic_class,
            checksum: code(verdict) | cut,
        }
    }

    /// All of it.
    #[inline(always)]
    pub fn bytes(&self) -> [u8; 3] {
        [self.hop_limit, self.traffic_class, self.checksum]
    }

    /// Code of the verdict on its transport checksum.
    pub fn verdict(&self) -> usize {
        usize::from(self.checksum & !IS_CUT)
    }

    /// Whether the capture has but its beginning.
    pub fn is_cut(&self) -> bool {
        self.checksum & IS_CUT != 0
    }

    /// What became of its checksum, and on which side that began.
    pub fn checksum_became(&self, behind: &Self) -> Option<(Oddity, usize)> {
        let (front, back) = (self.verdict(), behind.verdict());
        became(front, back)
            .map(|what| (what, 0))
            .or_else(|| became(back, front).map(|what| (what, 1)))
    }

    /// Whether a checksum that was right, or left to a NIC, is wrong further on.
    pub fn breaks(&self, further: &Self) -> bool {
        became(self.verdict(), further.verdict()) == Some(Oddity::ChecksumBroken)
    }
}

fn became(from: usize, to: usize) -> Option<Oddity> {
    match (from, to) {
        (NONE | GOOD | OFFLOADED, BAD) => Some(Oddity::ChecksumBroken),
        (OFFLOADED, GOOD) => Some(Oddity::ChecksumFinished),
        _ => None,
    }
}

const NONE: usize = 0;
const GOOD: usize = 1;
const BAD: usize = 2;
const OFFLOADED: usize = 3;

/// Verdicts that are told apart, by code.
pub const VERDICTS: usize = 6;

/// 0 where there is none.
fn code(verdict: Option<Verdict>) -> u8 {
    match verdict {
        None => 0,
        Some(Verdict::Good) => GOOD as u8,
        Some(Verdict::Bad) => BAD as u8,
        Some(Verdict::Offloaded) => OFFLOADED as u8,
        Some(Verdict::Absent) => 4,
        Some(Verdict::Unverifiable) => 5,
    }
}

/// The names of verdicts on checksums, in the order in which [`Between`](super::Between)
/// counts them.
pub const VERDICT_NAMES: [&str; VERDICTS] =
    ["none", "good", "bad", "offloaded", "absent", "unverifiable"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_a_packet_was_cut_is_no_verdict() {
        for verdict in [None, Some(Verdict::Good), Some(Verdict::Unverifiable)] {
            let [whole, cut] = [false, true].map(|is_cut| Look::new(64, 0, verdict, is_cut));
            assert_eq!(whole.verdict(), cut.verdict());
            assert_eq!([whole.is_cut(), cut.is_cut()], [false, true]);
            assert_ne!(whole, cut);
        }
    }

    #[test]
    fn checksums_break_and_are_finished_either_way() {
        let look = |verdict| Look::new(64, 0, Some(verdict), false);
        let became = |from, to| look(from).checksum_became(&look(to));
        let broken = |side| Some((Oddity::ChecksumBroken, side));
        assert_eq!(became(Verdict::Good, Verdict::Bad), broken(0));
        assert_eq!(became(Verdict::Offloaded, Verdict::Bad), broken(0));
        assert_eq!(became(Verdict::Bad, Verdict::Good), broken(1));
        let finished = |side| Some((Oddity::ChecksumFinished, side));
        assert_eq!(became(Verdict::Offloaded, Verdict::Good), finished(0));
        assert_eq!(became(Verdict::Good, Verdict::Offloaded), finished(1));
        assert_eq!(became(Verdict::Good, Verdict::Unverifiable), None);
        assert_eq!(became(Verdict::Absent, Verdict::Bad), None);
    }
}
