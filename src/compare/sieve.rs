//! Hashes that some place may have: whether one is surely not there is told at once.

/// Places in it.
const PLACES: usize = 1 << 16;

/// How many hashes lead to each place.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    counts: Box<[u32]>,
    len: usize,
}

impl Sieve {
    /// Adds a hash.
    pub fn add(&mut self, hash: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; PLACES].into();
        }
        self.counts[place_of(hash)] += 1;
        self.len += 1;
    }

    /// Takes out one that was added.
    pub fn remove(&mut self, hash: u64) {
        self.counts[place_of(hash)] -= 1;
        self.len -= 1;
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a hash may be there.
    pub fn may_have(&self, hash: u64) -> bool {
        !self.is_empty() && self.counts[place_of(hash)] > 0
    }
}

fn place_of(hash: u64) -> usize {
    (hash >> u32::BITS) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::content::hash;

    #[test]
    fn what_was_added_may_be_there_until_it_is_taken_out() {
        let mut sieve = Sieve::default();
        let hashes: Vec<u64> = (0..100).map(|word| hash(&[word])).collect();
        assert!(!hashes.iter().any(|hash| sieve.may_have(*hash)));
        hashes.iter().for_each(|hash| sieve.add(*hash));
        sieve.add(hashes[7]);
        assert!(hashes.iter().all(|hash| sieve.may_have(*hash)));
        let others = (100..1_100).map(|word| hash(&[word]));
        assert!(others.filter(|hash| sieve.may_have(*hash)).count() < 20);
        hashes.iter().for_each(|hash| sieve.remove(*hash));
        let left: Vec<bool> = hashes.iter().map(|hash| sieve.may_have(*hash)).collect();
        assert_eq!(left.iter().filter(|may_have| **may_have).count(), 1);
        assert!(left[7]);
    }
}
