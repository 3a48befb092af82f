//! Hashes of keys, by which datagrams are found.

use super::fragment::Key;
use std::hash::BuildHasher;

/// Hashes keys, differently in every run: nobody can craft keys that collide.
///
/// Most senders count up the identification. Of 256 that follow each other the hashes
/// share all bits but eight, so that what is looked up for one datagram is near what
/// was looked up for the last.
///
/// ```text
///  31   28 27                                     4 3      0
/// +-------+----------------------------------------+--------+
/// | id    | of the addresses, the scope,           | id     |
/// | 3 - 0 | the protocol, and the id from bit 8 on | 7 - 4  |
/// +-------+----------------------------------------+--------+
/// ```
///
/// Of 16 identifications that follow each other a shard gets about one, hence the low
/// bits are not the lowest.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyHasher {
    state: foldhash::quality::RandomState,
}

impl KeyHasher {
    #[inline]
    pub(super) fn hash(&self, key: &Key) -> u32 {
        let block = Key {
            id: key.id >> 8,
            ..*key
        };
        let of_block = self.state.hash_one(block) as u32;
        (key.id & 0xf) << 28 | of_block & 0x0fff_fff0 | key.id >> 4 & 0xf
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Protocol, ScopeTag};
    use std::collections::HashSet;

    fn key(id: u32) -> Key {
        Key {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            scope: ScopeTag::WIRE,
            id,
            protocol: Protocol::UDP,
        }
    }

    #[test]
    fn ids_in_a_row_are_near_each_other_and_differ() {
        let hasher = KeyHasher::default();
        let hashes: HashSet<u32> = (512..768).map(|id| hasher.hash(&key(id))).collect();
        assert_eq!(hashes.len(), 256);
        let blocks: HashSet<u32> = hashes.iter().map(|hash| hash & 0x0fff_fff0).collect();
        assert_eq!(blocks.len(), 1);
    }

    #[test]
    fn ids_far_from_each_other_are_spread() {
        let hasher = KeyHasher::default();
        let places: HashSet<u32> = (0..1_000)
            .map(|id| hasher.hash(&key(id << 16)) & 0xffff)
            .collect();
        assert!(places.len() > 800, "{}", places.len());
    }
}
