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
    late: Box<[u64]>,
    before: Box<[u64]>,
    /// Since when that is late.
    since: Option<Timestamp>,
    has_late: bool,
    has_before: bool,
}

impl Lately {
    pub fn note(&mut self, print: Print) {
        if self.late.is_empty() {
            self.late = vec![0; WORDS].into();
            self.before = self.late.clone();
        }
        let (word, bits) = print.place();
        self.late[word] |= bits;
        self.has_late = true;
    }

    /// Time goes on: what was noted longer ago than that is forgotten, within twice the time.
    pub fn pass(&mut self, now: Timestamp, for_long: Duration) {
        let since = *self.since.get_or_insert(now);
        if now - since <= for_long {
            return;
        }
        self.since = Some(now);
        if self.has_late || self.has_before {
            std::mem::swap(&mut self.late, &mut self.before);
            self.late.fill(0);
            self.has_before = std::mem::take(&mut self.has_late);
        }
    }

    /// Whether something may have been noted.
    #[inline]
    pub fn may_have(&self, print: Print) -> bool {
        let (word, bits) = print.place();
        let has = |is_any: bool, words: &[u64]| is_any && words[word] & bits == bits;
        has(self.has_late, &self.late) || has(self.has_before, &self.before)
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
