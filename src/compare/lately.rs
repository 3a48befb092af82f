//! What was noted lately: whether something surely was not is told at once.

use super::sighting::Sighting;
use crate::model::{Duration, Timestamp};
use std::num::NonZeroU32;

/// Words of bits, of which each thing has some in one.
const WORDS: usize = 1 << 14;

/// What little of a hash tells most others from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print(NonZeroU32);

impl Print {
    /// Of what is found by its bytes under other addresses.
    pub fn of(sighting: &Sighting) -> Self {
        Self::of_hash(sighting.telling())
    }

    /// Of such a hash.
    pub fn of_hash(hash: u64) -> Self {
        Self(NonZeroU32::new((hash >> u32::BITS) as u32).unwrap_or(NonZeroU32::MIN))
    }

    /// Which word it is in, and its bits there.
    fn place(self) -> (usize, u64) {
        let (bits, word) = (self.0.get(), self.0.get() >> 12);
        (
            word as usize % WORDS,
            1 << (bits % 64) | 1 << (bits >> 6 & 63),
        )
    }
}

/// Prints of what was noted, of late and before that.
#[derive(Debug, Default)]
pub(super) struct Lately {
    /// Both are side by side: they are asked together.
    words: Box<[[u64; 2]]>,
    /// Which of the two is of late.
    late: usize,
    /// Since when that is.
    since: Option<Timestamp>,
    has_any: [bool; 2],
}

impl Lately {
    pub fn note(&mut self, print: Print) {
        if self.words.is_empty() {
            self.words = vec![[0; 2]; WORDS].into();
        }
        let (word, bits) = print.place();
        self.words[word][self.late] |= bits;
        self.has_any[self.late] = true;
    }

    /// Time goes on: what was noted longer ago than that is forgotten, within twice the time.
    pub fn pass(&mut self, now: Timestamp, for_long: Duration) {
        let since = *self.since.get_or_insert(now);
        if now - since <= for_long {
            return;
        }
        self.since = Some(now);
        self.late = 1 - self.late;
        if std::mem::take(&mut self.has_any[self.late]) {
            let late = self.late;
            self.words.iter_mut().for_each(|words| words[late] = 0);
        }
    }

    /// Whether something may have been noted.
    #[inline(always)]
    pub fn may_have(&self, print: Print) -> bool {
        let (word, bits) = print.place();
        let known = self.words.get(word);
        known.is_some_and(|both| both.iter().any(|word| word & bits == bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::content::hash;

    fn prints(words: std::ops::Range<u64>) -> Vec<Print> {
        words.map(|word| Print::of_hash(hash(&[word]))).collect()
    }

    fn known(lately: &Lately, prints: &[Print]) -> usize {
        prints
            .iter()
            .filter(|print| lately.may_have(**print))
            .count()
    }

    #[test]
    fn what_was_noted_is_known_for_a_while() {
        let mut lately = Lately::default();
        let noted = prints(0..10_000);
        assert_eq!(known(&lately, &noted), 0);
        let pass = |lately: &mut Lately, time: i64| lately.pass(Timestamp(time), Duration(10));
        pass(&mut lately, 0);
        noted.iter().for_each(|print| lately.note(*print));
        assert_eq!(known(&lately, &noted), noted.len());
        assert!(known(&lately, &prints(10_000..20_000)) < 40);
        for time in [10, 11, 20] {
            pass(&mut lately, time);
            assert_eq!(known(&lately, &noted), noted.len(), "{time}");
        }
        pass(&mut lately, 22);
        assert_eq!(known(&lately, &noted), 0);
    }
}
