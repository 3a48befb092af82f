//! Parcels in flight, or strays, by what they are known by: each key leads to a chain, newest first.

use super::slab::{NONE, Slab};
use hashbrown::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Parcels by key. A key is a hash already.
#[derive(Debug, Default)]
pub(super) struct Index {
    chains: HashMap<u64, Chain, BuildHasherDefault<AsItIs>>,
    entries: Slab<Entry>,
    is_closed: bool,
}

/// The ends of a chain.
#[derive(Clone, Copy, Debug)]
struct Chain {
    newest: u32,
    oldest: u32,
}

/// One key of one parcel.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    parcel: u32,
    older: u32,
    newer: u32,
    /// The next key of the same parcel.
    sibling: u32,
}

impl Index {
    /// Adds a key of a parcel whose keys begin with `sibling`; gives what they begin with
    /// now.
    pub fn insert(&mut self, key: u64, parcel: u32, sibling: u32) -> u32 {
        if self.is_closed {
            return sibling;
        }
        let entry = self.entries.insert(|| Entry {
            key,
            parcel,
            older: NONE,
            newer: NONE,
            sibling,
        });
        let chain = self.chains.entry(key).or_insert(Chain {
            newest: NONE,
            oldest: entry,
        });
        let older = std::mem::replace(&mut chain.newest, entry);
        if older != NONE {
            self.entries[entry].older = older;
            self.entries[older].newer = entry;
        }
        entry
    }

    /// Nothing is looked for any more.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Removes all keys of a parcel.
    pub fn remove(&mut self, mut first: u32) {
        if self.is_closed {
            return;
        }
        while first != NONE {
            let entry = self.entries[first];
            self.unlink(first, &entry);
            self.entries.remove(first);
            first = entry.sibling;
        }
    }

    /// Removes one key of a parcel whose keys begin with `first`; gives what they begin with now.
    pub fn remove_one(&mut self, first: u32, key: u64) -> u32 {
        let (mut before, mut at) = (NONE, first);
        while !self.is_closed && at != NONE {
            let entry = self.entries[at];
            if entry.key != key {
                (before, at) = (at, entry.sibling);
                continue;
            }
            self.unlink(at, &entry);
            self.entries.remove(at);
            if before == NONE {
                return entry.sibling;
            }
            self.entries[before].sibling = entry.sibling;
            break;
        }
        first
    }

    fn unlink(&mut self, place: u32, entry: &Entry) {
        if entry.older != NONE {
            self.entries[entry.older].newer = entry.newer;
        }
        if entry.newer != NONE {
            self.entries[entry.newer].older = entry.older;
        }
        if entry.older == NONE && entry.newer == NONE {
            self.chains.remove(&entry.key);
        } else if let Some(chain) = self.chains.get_mut(&entry.key) {
            if chain.newest == place {
                chain.newest = entry.older;
            }
            if chain.oldest == place {
                chain.oldest = entry.newer;
            }
        }
    }

    /// The parcels with a key, the newest first.
    pub fn newest(&self, key: u64) -> impl Iterator<Item = u32> + '_ {
        let chain = self.chains.get(&key);
        self.walk(chain.map_or(NONE, |chain| chain.newest), |entry| {
            entry.older
        })
    }

    /// The parcels with a key, the oldest first.
    pub fn oldest(&self, key: u64) -> impl Iterator<Item = u32> + '_ {
        let chain = self.chains.get(&key);
        self.walk(chain.map_or(NONE, |chain| chain.oldest), |entry| {
            entry.newer
        })
    }

    fn walk(&self, mut at: u32, next: fn(&Entry) -> u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::from_fn(move || {
            if at == NONE {
                return None;
            }
            let entry = &self.entries[at];
            at = next(entry);
            Some(entry.parcel)
        })
    }
}

/// The hash of a hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_newest_first_and_lose_what_is_removed() {
        let mut index = Index::default();
        let firsts: Vec<u32> = (0..4).map(|parcel| index.insert(7, parcel, NONE)).collect();
        let two_keys = index.insert(8, 1, firsts[1]);
        let chain = |index: &Index, key| index.newest(key).collect::<Vec<u32>>();
        assert_eq!(chain(&index, 7), [3, 2, 1, 0]);
        assert_eq!(index.oldest(7).collect::<Vec<u32>>(), [0, 1, 2, 3]);
        index.remove(two_keys);
        assert_eq!(chain(&index, 7), [3, 2, 0]);
        assert_eq!(chain(&index, 8), [0; 0]);
        index.remove(firsts[3]);
        index.remove(firsts[0]);
        assert_eq!(chain(&index, 7), [2]);
        index.remove(firsts[2]);
        assert!(index.chains.is_empty());
        assert_eq!(index.entries.len(), 0);
    }

    #[test]
    fn a_parcel_may_lose_one_of_its_keys() {
        for gone in [7, 8, 9, 10] {
            let mut index = Index::default();
            let keys = [7, 8, 9];
            let first = keys
                .iter()
                .fold(NONE, |first, key| index.insert(*key, 1, first));
            let other = index.insert(8, 2, NONE);
            let first = index.remove_one(first, gone);
            for key in keys {
                let has_it = index.newest(key).any(|parcel| parcel == 1);
                assert_eq!(has_it, key != gone, "{key} without {gone}");
            }
            index.remove(first);
            assert_eq!(index.newest(8).collect::<Vec<u32>>(), [2]);
            index.remove(other);
            assert_eq!((index.chains.len(), index.entries.len()), (0, 0));
        }
    }

    #[test]
    fn once_closed_it_takes_in_and_gives_up_nothing() {
        let mut index = Index::default();
        let first = index.insert(7, 1, NONE);
        index.close();
        assert_eq!(index.insert(8, 1, first), first);
        index.remove(first);
        assert_eq!(index.newest(7).collect::<Vec<u32>>(), [1]);
    }
}
