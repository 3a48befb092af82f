//! Packets by kind, of few kinds: what a router or a policy does to them, each a few things.

/// Most that are told apart.
const MOST: usize = 8;

/// Packets by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds<K> {
    /// Those told apart, in the order in which they were met.
    known: Vec<(K, u64)>,
    /// Packets of all others.
    others: u64,
}

impl<K> Default for Kinds<K> {
    fn default() -> Self {
        Self {
            known: Vec::new(),
            others: 0,
        }
    }
}

impl<K: Copy + Ord> Kinds<K> {
    pub(super) fn count(&mut self, kind: K, packets: u64) {
        let has_room = self.known.len() < MOST;
        match self.known.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.1 += packets,
            None if has_room => self.known.push((kind, packets)),
            None => self.others += packets,
        }
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add(&mut self, more: &Self) {
        for (kind, packets) in &more.known {
            self.count(*kind, *packets);
        }
        self.others += more.others;
    }

    /// The same, seen from the other end.
    pub(super) fn turned(&self, turn: impl Fn(K) -> K) -> Self {
        let known = self.known.iter();
        Self {
            known: known
                .map(|(kind, packets)| (turn(*kind), *packets))
                .collect(),
            others: self.others,
        }
    }

    /// How many packets there are.
    pub fn packets(&self) -> u64 {
        let known: u64 = self.known.iter().map(|(_, packets)| packets).sum();
        known + self.others
    }

    /// Those told apart, the most frequent first.
    pub fn sorted(&self) -> Vec<(K, u64)> {
        let mut known = self.known.clone();
        known.sort_by_key(|(kind, packets)| (std::cmp::Reverse(*packets), *kind));
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_told_apart_and_all_are_counted() {
        let mut kinds = Kinds::default();
        for kind in 0..MOST as i16 + 3 {
            kinds.count(kind, 10 + kind as u64);
            kinds.count(kind, 1);
        }
        kinds.count(2, 100);
        let all: u64 = (0..MOST as u64 + 3).map(|kind| 11 + kind).sum();
        assert_eq!(kinds.packets(), all + 100);
        assert_eq!(kinds.sorted().len(), MOST);
        assert_eq!(kinds.sorted()[..2], [(2, 113), (MOST as i16 - 1, 18)]);
        let mut twice = kinds.turned(|kind| -kind);
        assert_eq!(twice.sorted()[0], (-2, 113));
        twice.add(&kinds);
        assert_eq!(twice.packets(), 2 * kinds.packets());
    }
}
