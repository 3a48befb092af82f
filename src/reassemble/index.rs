//! Where the datagram of a key is, by the hash of the key.

use hashbrown::HashTable;

/// Positions by hash. The keys stay with the datagrams, so that an entry is 8 bytes
/// and a look in vain touches one of them at most.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: HashTable<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    at: u32,
}

impl Index {
    /// The position with this hash that is the wanted one.
    #[inline]
    pub(super) fn find(&self, hash: u32, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let entry = self.entries.find(widened(hash), |entry| {
            entry.hash == hash && is_wanted(entry.at)
        })?;
        Some(entry.at)
    }

    /// Adds a position.
    pub(super) fn insert(&mut self, hash: u32, at: u32) {
        let entry = Entry { hash, at };
        self.entries
            .insert_unique(widened(hash), entry, |entry| widened(entry.hash));
    }

    /// Removes a position.
    pub(super) fn remove(&mut self, hash: u32, at: u32) {
        if let Ok(entry) = self
            .entries
            .find_entry(widened(hash), |entry| entry.at == at)
        {
            entry.remove();
        }
    }

    /// Positions in it.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The table takes the place from the low bits and what it compares first from the
/// high ones.
#[inline]
fn widened(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hashes_are_told_apart_by_position() {
        let mut index = Index::default();
        index.insert(7, 1);
        index.insert(7, 2);
        assert_eq!(index.find(7, |at| at == 2), Some(2));
        index.remove(7, 2);
        assert_eq!(index.find(7, |at| at == 2), None);
        assert_eq!(index.find(7, |_| true), Some(1));
        assert_eq!(index.find(8, |_| true), None);
        assert_eq!(index.len(), 1);
    }
}
