//! A bounded table of mergeable records whose choice of what to keep does not
//! depend on the order in which keys came.

use super::entries::Entries;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// A key with a rank that is the same in every run and on every machine.
pub trait Rank {
    /// The rank. Of too many keys, those with the smallest ranks are kept.
    fn rank(&self) -> u64;
}

/// A record that adds up.
pub trait Merge: Default {
    /// Reads what the record holds behind pointers and is about to be asked for, so that
    /// several records wait for memory together.
    #[inline]
    fn fetch(&self) {}

    /// Adds what another worker, file or machine recorded.
    fn merge(&mut self, other: Self);
}

/// Keys that are looked up together by [`Table::each`].
const TOGETHER: usize = 32;

/// Positions of keys that were looked up together.
type Found = [Option<u32>; TOGETHER];

/// Records by key, at most about `bound` of them; everything about further keys
/// is added up in one record.
///
/// Keys with the smallest ranks stay. A key once beyond the bound is so for good
/// (the ceiling only sinks), hence what is kept after [`Table::settle`] is the
/// same whatever the order of arrival and of merging.
#[derive(Clone, Debug)]
pub struct Table<K, V> {
    entries: Entries<K, V>,
    index: HashTable<Slot>,
    hasher: foldhash::fast::RandomState,
    bound: usize,
    ceiling: Option<u64>,
    beyond: V,
    /// The entry of the last key: packets of one flow come in a row.
    latest: u32,
}

/// A place in the index. With the hash in it, neither a search nor growing has to
/// look at entries of other keys, which are far away in memory.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    position: u32,
}

impl Slot {
    /// The index takes its bits from both ends of a word.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl<K: Rank + Hash + Eq + Copy, V: Merge> Table<K, V> {
    /// An empty table that keeps `bound` keys.
    pub fn new(bound: usize) -> Self {
        Self {
            entries: Entries::default(),
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
        if !self.entries.holds(self.latest, key) {
            match self.position(key) {
                Some(position) => self.latest = position,
                None => return &mut self.beyond,
            }
        }
        self.entries.value(self.latest)
    }

    /// Does `record` with the record of the key of each item, in their order.
    ///
    /// In a table larger than the caches every search waits for memory three times, and
    /// once more for what is behind a pointer.
    /// Several searches are made in step, so that they wait together: each loop
    /// here is over independent loads, which a processor has under way at once.
    pub fn each<I>(
        &mut self,
        items: &[I],
        key: impl Fn(&I) -> &K,
        mut record: impl FnMut(&mut V, &I),
    ) {
        for items in items.chunks(TOGETHER) {
            let found = self.find_together(items.iter().map(&key));
            let ceiling = self.ceiling;
            for (found, item) in found.iter().zip(items) {
                record(self.found_or_entry(*found, ceiling, key(item)), item);
            }
        }
    }

    /// Where the records of some keys are, of those that have one.
    #[inline]
    fn find_together<'k>(&self, keys: impl Iterator<Item = &'k K> + Clone) -> Found
    where
        K: 'k,
    {
        let mut hashes = [None; TOGETHER];
        let mut found = [None; TOGETHER];
        for (hash, key) in hashes.iter_mut().zip(keys.clone()) {
            *hash = Some(self.hash(key));
        }
        for (found, hash) in found.iter_mut().zip(hashes) {
            *found = hash.and_then(|hash| self.first_with(hash));
        }
        for (found, key) in found.iter_mut().zip(keys) {
            *found = found.filter(|position| self.entries.holds(*position, key));
        }
        for (_, record) in found
            .iter()
            .flatten()
            .filter_map(|at| self.entries.get(*at))
        {
            record.fetch();
        }
        found
    }

    /// The record that was found while the ceiling was at `ceiling`. A newcomer may have
    /// brought it down since, and moved all entries.
    #[inline]
    fn found_or_entry(&mut self, found: Option<u32>, ceiling: Option<u64>, key: &K) -> &mut V {
        match found {
            Some(position) if self.ceiling == ceiling => self.entries.value(position),
            _ => self.entry(key),
        }
    }

    /// The record of `key`, if it has one of its own.
    pub fn get(&self, key: &K) -> Option<&V> {
        let position = self.position_of(key, self.hash(key))?;
        self.entries.get(position).map(|(_, value)| value)
    }

    /// The records, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    /// Number of keys kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Most keys that are kept.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
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
        self.merge_entries(other.entries.into_iter());
    }

    /// Adds another table and leaves it as it is.
    pub fn merge_copy(&mut self, other: &Self)
    where
        V: Clone,
    {
        if let Some(ceiling) = other.ceiling {
            self.lower(ceiling);
            self.beyond.merge(other.beyond.clone());
        }
        let entries = other.entries.iter();
        self.merge_entries(entries.map(|(key, value)| (*key, value.clone())));
    }

    fn merge_entries(&mut self, mut entries: impl Iterator<Item = (K, V)>) {
        let mut together = Vec::with_capacity(TOGETHER);
        loop {
            together.extend(entries.by_ref().take(TOGETHER));
            if together.is_empty() {
                return;
            }
            let found = self.find_together(together.iter().map(|(key, _)| key));
            let ceiling = self.ceiling;
            for ((key, value), found) in together.drain(..).zip(found) {
                self.found_or_entry(found, ceiling, &key).merge(value);
            }
        }
    }

    /// Gives every key another name, each its own. What is beyond the bound stays so,
    /// whatever the ranks of the new names.
    pub fn rename(&mut self, mut name: impl FnMut(&K) -> K) {
        self.latest = 0;
        self.index.clear();
        let entries = std::mem::take(&mut self.entries);
        for (key, value) in entries.into_iter() {
            let key = name(&key);
            let hash = self.hash(&key);
            self.add(key, hash, value);
        }
    }

    /// Applies the bound exactly; done once before the table is read.
    pub fn settle(&mut self) {
        if self.entries.len() > self.bound {
            self.shrink();
        }
    }

    #[inline]
    fn hash(&self, key: &K) -> u32 {
        let hash = self.hasher.hash_one(key);
        (hash >> 32) as u32 ^ hash as u32
    }

    /// Where a record of some key with this hash is.
    #[inline]
    fn first_with(&self, hash: u32) -> Option<u32> {
        self.index
            .find(Slot::spread(hash), |slot| slot.hash == hash)
            .map(|slot| slot.position)
    }

    /// Where the record of `key` is, if there is one.
    #[inline]
    fn position_of(&self, key: &K, hash: u32) -> Option<u32> {
        let is_it = |slot: &Slot| slot.hash == hash && self.entries.holds(slot.position, key);
        self.index
            .find(Slot::spread(hash), is_it)
            .map(|slot| slot.position)
    }

    /// Where the record of `key` is, made if there is none; `None` if beyond.
    fn position(&mut self, key: &K) -> Option<u32> {
        let hash = self.hash(key);
        if let Some(position) = self.position_of(key, hash) {
            return Some(position);
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
        Some(self.add(*key, hash, V::default()))
    }

    fn add(&mut self, key: K, hash: u32, value: V) -> u32 {
        let position = self.entries.push(key, value);
        let slot = Slot { hash, position };
        self.index
            .insert_unique(Slot::spread(hash), slot, |slot| Slot::spread(slot.hash));
        position
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

    /// Brings the ceiling down, and what is beyond it then into one record.
    fn lower(&mut self, ceiling: u64) {
        if self.ceiling.is_some_and(|lower| lower <= ceiling) {
            return;
        }
        self.ceiling = Some(ceiling);
        self.latest = 0;
        self.index.clear();
        let entries = std::mem::take(&mut self.entries);
        for (key, value) in entries.into_iter() {
            if key.rank() < ceiling {
                let hash = self.hash(&key);
                self.add(key, hash, value);
            } else {
                self.beyond.merge(value);
            }
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

    fn table_of_runs(bound: usize, keys: &[u16]) -> Table<Number, Count> {
        let keys: Vec<Number> = keys.iter().copied().map(Number).collect();
        let mut table: Table<Number, Count> = Table::new(bound);
        table.each(&keys, |key| key, |count, _| count.0 += 1);
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
            prop_assert_eq!(&settled(table_of_runs(20, &keys)), &whole);
            let cut = cut.min(keys.len());
            let mut left = table(20, &keys[..cut]);
            left.merge(table(20, &keys[cut..]));
            prop_assert_eq!(&settled(left), &whole);
            let counted = whole.0.values().sum::<u64>() + whole.1.unwrap_or(0);
            prop_assert_eq!(counted, keys.len() as u64);
            prop_assert!(whole.0.len() <= 20);
            let mut found = table(20, &keys);
            found.settle();
            let mut renamed = found.clone();
            renamed.rename(|key| Number(key.0 + 1_000));
            prop_assert_eq!(renamed.len(), found.len());
            for key in 0..200 {
                prop_assert_eq!(renamed.get(&Number(key + 1_000)), found.get(&Number(key)));
            }
            for key in 0..200 {
                let count = found.get(&Number(key)).map(|count| count.0);
                prop_assert_eq!(count, whole.0.get(&key).copied());
            }
        }
    }
}
