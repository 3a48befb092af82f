//! A bounded table of mergeable records whose choice of what to keep does not
//! depend on the order in which keys came.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// A key with a rank that is the same in every run and on every machine.
pub trait Rank {
    /// The rank. Of too many keys, those with the smallest ranks are kept.
    fn rank(&self) -> u64;
}

/// A record that adds up.
pub trait Merge: Default {
    /// Adds what another worker, file or machine recorded.
    fn merge(&mut self, other: Self);
}

/// Records by key, at most about `bound` of them; everything about further keys
/// is added up in one record.
///
/// Keys with the smallest ranks stay. A key once beyond the bound is so for good
/// (the ceiling only sinks), hence what is kept after [`Table::settle`] is the
/// same whatever the order of arrival and of merging.
#[derive(Clone, Debug)]
pub struct Table<K, V> {
    entries: Vec<(K, V)>,
    index: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
    bound: usize,
    ceiling: Option<u64>,
    beyond: V,
    /// The entry of the last key: packets of one flow come in a row.
    latest: u32,
}

impl<K: Rank + Hash + Eq + Copy, V: Merge> Table<K, V> {
    /// An empty table that keeps `bound` keys.
    pub fn new(bound: usize) -> Self {
        Self {
            entries: Vec::new(),
            index: HashTable::new(),
            hasher: foldhash::fast::RandomState::default(),
            bound,
            ceiling: None,
            beyond: V::default(),
            latest: 0,
        }
    }

    /// The record of `key`, made if there is none.
    pub fn entry(&mut self, key: &K) -> &mut V {
        let latest = self.latest as usize;
        if self
            .entries
            .get(latest)
            .is_some_and(|(latest_key, _)| latest_key == key)
        {
            return &mut self.entries[latest].1;
        }
        match self.position(key) {
            Some(position) => {
                self.latest = position as u32;
                &mut self.entries[position].1
            }
            None => &mut self.beyond,
        }
    }

    /// The records, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Number of keys kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What was added up of the keys beyond the bound; `None` if there were none.
    pub fn beyond(&self) -> Option<&V> {
        self.ceiling.map(|_| &self.beyond)
    }

    /// Adds another table.
    pub fn merge(&mut self, other: Self) {
        if let Some(ceiling) = other.ceiling {
            self.lower(ceiling);
            self.beyond.merge(other.beyond);
        }
        for (key, value) in other.entries {
            self.entry(&key).merge(value);
        }
    }

    /// Applies the bound exactly; done once before the table is read.
    pub fn settle(&mut self) {
        if self.entries.len() > self.bound {
            self.shrink();
        }
    }

    /// Where the record of `key` is, made if there is none; `None` if beyond.
    fn position(&mut self, key: &K) -> Option<usize> {
        let hash = self.hasher.hash_one(key);
        let entries = &self.entries;
        if let Some(found) = self.index.find(hash, |at| entries[*at as usize].0 == *key) {
            return Some(*found as usize);
        }
        if self.is_beyond(key) {
            return None;
        }
        // A quarter of slack, so that shrinking is rare.
        if self.entries.len() > self.bound + self.bound / 4 {
            self.shrink();
            if self.is_beyond(key) {
                return None;
            }
        }
        let position = self.entries.len();
        self.entries.push((*key, V::default()));
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.index.insert_unique(hash, position as u32, |at| {
            hasher.hash_one(entries[*at as usize].0)
        });
        Some(position)
    }

    fn is_beyond(&self, key: &K) -> bool {
        self.ceiling.is_some_and(|ceiling| key.rank() >= ceiling)
    }

    fn shrink(&mut self) {
        let mut ranks: Vec<u64> = self.entries.iter().map(|(key, _)| key.rank()).collect();
        if ranks.len() > self.bound {
            let (_, ceiling, _) = ranks.select_nth_unstable(self.bound);
            let ceiling = *ceiling;
            self.lower(ceiling);
        }
    }

    fn lower(&mut self, ceiling: u64) {
        if self.ceiling.is_some_and(|lower| lower <= ceiling) {
            return;
        }
        self.ceiling = Some(ceiling);
        self.latest = 0;
        self.index.clear();
        let entries = std::mem::take(&mut self.entries);
        for (key, value) in entries {
            if key.rank() >= ceiling {
                self.beyond.merge(value);
                continue;
            }
            let hash = self.hasher.hash_one(key);
            let position = self.entries.len() as u32;
            self.entries.push((key, value));
            let (entries, hasher) = (&self.entries, &self.hasher);
            self.index.insert_unique(hash, position, |at| {
                hasher.hash_one(entries[*at as usize].0)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Number(u16);

    impl Rank for Number {
        fn rank(&self) -> u64 {
            // Any fixed scattering will do.
            u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Count(u64);

    impl Merge for Count {
        fn merge(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    fn table(bound: usize, keys: &[u16]) -> Table<Number, Count> {
        let mut table: Table<Number, Count> = Table::new(bound);
        for key in keys {
            table.entry(&Number(*key)).0 += 1;
        }
        table
    }

    fn settled(mut table: Table<Number, Count>) -> (BTreeMap<u16, u64>, Option<u64>) {
        table.settle();
        let kept = table.iter().map(|(key, count)| (key.0, count.0)).collect();
        (kept, table.beyond().map(|beyond| beyond.0))
    }

    proptest! {
        #[test]
        fn what_is_kept_does_not_depend_on_order_or_merging(
            keys in prop::collection::vec(0u16..200, 0..600),
            cut in 0usize..600,
        ) {
            let whole = settled(table(20, &keys));
            let mut reversed = keys.clone();
            reversed.reverse();
            prop_assert_eq!(&settled(table(20, &reversed)), &whole);
            let cut = cut.min(keys.len());
            let mut left = table(20, &keys[..cut]);
            left.merge(table(20, &keys[cut..]));
            prop_assert_eq!(&settled(left), &whole);
            let counted = whole.0.values().sum::<u64>() + whole.1.unwrap_or(0);
            prop_assert_eq!(counted, keys.len() as u64);
            prop_assert!(whole.0.len() <= 20);
        }
    }
}
