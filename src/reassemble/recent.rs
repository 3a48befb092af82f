//! Datagrams that became whole a moment ago.
//!
//! They are still known, so that a copy of one of their pieces (mirror ports and
//! `-i any` deliver everything twice) opens no new one. Of a fast capture there are
//! tens of thousands, so little of each is kept, one behind the other: those who
//! come go in the order they came.
//!
//! They are found by chains through all with the same part of a hash, from the
//! youngest to the oldest. A chain ends where it leads to one that is gone, so that
//! nothing needs to be looked up to forget one.

use super::datagram::Datagram;
use super::fragment::Key;
use super::pieces::{Held, NewPiece};
use crate::model::{Duration, FlowKey, Ports, Protocol, ScopeTag, Timestamp};
use std::collections::VecDeque;

/// How long a completed datagram is still known.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// Chains to begin with.
const FEWEST_CHAINS: usize = 64;

/// Chains for each datagram, at least: most keys are new, and their chains should be
/// empty, since every datagram on one is far from the cache.
const CHAINS_EACH: usize = 4;

/// Memory behind one datagram, its pieces left out.
const BYTES_EACH: usize = size_of::<Completed>() + CHAINS_EACH * size_of::<u32>();

/// What is still known of a datagram that became whole.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// What its fragments had in common.
    pub key: Key,
    /// The scope inside it, if it carried a tunnel.
    pub inside: Option<ScopeTag>,
    completed: Timestamp,
    hash: u32,
    /// Number of the next older one in its chain.
    older: u32,
    /// Number of the first of its pieces among all that were remembered.
    first_piece: u32,
    pieces: u16,
    ports: Option<Ports>,
    protocol: Protocol,
    first_looks_bad_to_old_tcpdump: bool,
    sums_missing: bool,
    /// Whether its id has been used again since.
    is_forgotten: bool,
}

/// Datagrams that became whole a moment ago, in the order they did.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Numbers of the youngest in each chain: a power of two of them, or none.
    youngest: Vec<u32>,
    completed: VecDeque<Completed>,
    /// The pieces of all of them in the same order.
    pieces: VecDeque<Held>,
    /// Numbers of the first in the queues; they may wrap, since no queue is as long.
    first: u32,
    first_piece: u32,
}

impl Completed {
    /// The flow it belonged to if it carried no tunnel.
    pub fn flow_key(&self) -> FlowKey {
        FlowKey {
            addresses: self.key.addresses,
            ports: self.ports,
            protocol: self.protocol,
            scope: self.key.scope,
        }
    }

    /// [`Datagram::first_looks_bad_to_old_tcpdump`].
    pub fn first_looks_bad_to_old_tcpdump(&self) -> bool {
        self.first_looks_bad_to_old_tcpdump
    }
}

impl Recent {
    /// Remembers a datagram that became whole just now.
    pub(super) fn push(&mut self, datagram: &Datagram, inside: Option<ScopeTag>, now: Timestamp) {
        let held = datagram.pieces.held();
        let flow = datagram.flow_key();
        let number = self.first.wrapping_add(self.completed.len() as u32);
        if (self.completed.len() + 1) * CHAINS_EACH > self.youngest.len() {
            self.double_chains();
        }
        let chain = chain_of(datagram.hash, &self.youngest);
        let older = std::mem::replace(&mut self.youngest[chain], number);
        self.completed.push_back(Completed {
            key: datagram.key,
            inside,
            completed: now,
            hash: datagram.hash,
            older,
            first_piece: self.first_piece.wrapping_add(self.pieces.len() as u32),
            pieces: held.len() as u16,
            ports: flow.ports,
            protocol: flow.protocol,
            first_looks_bad_to_old_tcpdump: datagram.first_looks_bad_to_old_tcpdump(),
            sums_missing: datagram.pieces.sum().is_none(),
            is_forgotten: false,
        });
        self.pieces.extend(held);
    }

    /// The number of the datagram with this key, whose hash is `hash`.
    #[inline]
    pub(super) fn find(&self, hash: u32, key: &Key) -> Option<u32> {
        let mut number = *self.youngest.get(chain_of(hash, &self.youngest))?;
        let mut before = self.completed.len();
        loop {
            let index = number.wrapping_sub(self.first) as usize;
            if index >= before {
                return None;
            }
            let completed = self.completed.get(index)?;
            if completed.hash == hash && !completed.is_forgotten && completed.key == *key {
                return Some(number);
            }
            number = completed.older;
            before = index;
        }
    }

    /// The datagram with this number, if a piece that came at `now` is a copy of one
    /// of its pieces.
    pub(super) fn copied(
        &self,
        number: u32,
        piece: &NewPiece,
        now: Timestamp,
    ) -> Option<&Completed> {
        let completed = self.get(number)?;
        (!completed.is_over(now) && self.holds(completed, piece)).then_some(completed)
    }

    /// Forgets a datagram: its id is used again.
    pub(super) fn forget(&mut self, number: u32) {
        let index = number.wrapping_sub(self.first) as usize;
        if let Some(completed) = self.completed.get_mut(index) {
            completed.is_forgotten = true;
        }
    }

    /// Whether the first need not be known any longer at `now`.
    #[inline]
    pub(super) fn is_first_over(&self, now: Timestamp) -> bool {
        self.completed
            .front()
            .is_some_and(|first| first.is_forgotten || first.is_over(now))
    }

    /// Drops the first; says whether there was one.
    pub(super) fn drop_first(&mut self) -> bool {
        let Some(first) = self.completed.pop_front() else {
            return false;
        };
        self.pieces.drain(..usize::from(first.pieces));
        self.first = self.first.wrapping_add(1);
        self.first_piece = self.first_piece.wrapping_add(u32::from(first.pieces));
        true
    }

    /// Memory behind all that is remembered.
    #[inline]
    pub(super) fn memory_bytes(&self) -> usize {
        self.completed.len() * BYTES_EACH + self.pieces.len() * size_of::<Held>()
    }

    fn get(&self, number: u32) -> Option<&Completed> {
        self.completed.get(number.wrapping_sub(self.first) as usize)
    }

    /// Makes twice as many chains, which keeps them short.
    #[cold]
    fn double_chains(&mut self) {
        let chains = (2 * self.youngest.len()).max(FEWEST_CHAINS);
        // All empty: the number before the first is gone.
        self.youngest = vec![self.first.wrapping_sub(1); chains];
        let mut number = self.first;
        for completed in &mut self.completed {
            let chain = chain_of(completed.hash, &self.youngest);
            completed.older = std::mem::replace(&mut self.youngest[chain], number);
            number = number.wrapping_add(1);
        }
    }

    /// Whether a piece with this place, length and sum is one of a datagram's.
    fn holds(&self, completed: &Completed, piece: &NewPiece) -> bool {
        let first = completed.first_piece.wrapping_sub(self.first_piece) as usize;
        let (mut low, mut high) = (first, first + usize::from(completed.pieces));
        while low < high {
            let middle = low.midpoint(high);
            match self.pieces.get(middle) {
                Some(held) if held.start() < piece.offset => low = middle + 1,
                _ => high = middle,
            }
        }
        low < first + usize::from(completed.pieces)
            && self
                .pieces
                .get(low)
                .is_some_and(|held| held.is_like(piece, !completed.sums_missing))
    }
}

impl Completed {
    #[inline]
    fn is_over(&self, now: Timestamp) -> bool {
        now - self.completed > COPIES_COME_WITHIN
    }
}

#[inline]
fn chain_of(hash: u32, chains: &[u32]) -> usize {
    hash as usize & chains.len().wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Protocol, Sum};
    use crate::reassemble::FragmentFacts;

    const SOON: Timestamp = Timestamp(100_000_000);
    const LATER: Timestamp = Timestamp(100_000_001);

    fn key(id: u32) -> Key {
        Key {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            scope: ScopeTag::WIRE,
            id,
            protocol: Protocol::UDP,
        }
    }

    fn piece(offset: u32, sum: u16) -> NewPiece {
        NewPiece {
            offset,
            bytes: 8,
            more: true,
            sum: Some(Sum(sum)),
        }
    }

    /// A datagram of so many pieces of 8 bytes, whose sums are `sum`.
    fn datagram(id: u32, hash: u32, pieces: u32, sum: u16) -> Datagram {
        let fragment = FragmentFacts {
            key: key(id),
            ..FragmentFacts::sample(id, Timestamp(0), 0, 8, true)
        };
        let mut datagram = Datagram::open(&fragment, hash, 0);
        for number in 0..pieces {
            datagram.pieces.insert(piece(number * 8, sum));
        }
        datagram
    }

    #[test]
    fn one_of_many_with_the_same_hash_is_found() {
        let mut recent = Recent::default();
        for id in 0..1_000 {
            recent.push(&datagram(id, id % 3, 2, id as u16), None, Timestamp(0));
        }
        for id in [0, 499, 999] {
            let number = recent.find(id % 3, &key(id));
            assert_eq!(number, Some(id));
            assert!(recent.copied(id, &piece(8, id as u16), SOON).is_some());
            assert!(recent.copied(id, &piece(16, id as u16), SOON).is_none());
            assert!(recent.copied(id, &piece(8, 7), SOON).is_none());
            assert!(recent.copied(id, &piece(8, id as u16), LATER).is_none());
        }
        assert_eq!(recent.find(0, &key(1_002)), None);
    }

    #[test]
    fn those_that_are_gone_are_not_found_and_hold_nothing() {
        let mut recent = Recent::default();
        for id in 0..1_000 {
            recent.push(&datagram(id, id % 7, id % 5, 1), None, Timestamp(0));
            assert!(!recent.is_first_over(SOON));
            if id >= 10 {
                assert!(recent.drop_first());
            }
            assert_eq!(
                recent.find(id.wrapping_sub(10) % 7, &key(id.wrapping_sub(10))),
                None
            );
            assert_eq!(recent.find(id % 7, &key(id)), Some(id));
        }
        assert!(recent.is_first_over(LATER));
        assert_eq!(recent.youngest.len(), FEWEST_CHAINS);
        while recent.drop_first() {}
        assert_eq!(recent.memory_bytes(), 0);
    }

    #[test]
    fn an_id_used_again_is_the_youngest() {
        let mut recent = Recent::default();
        recent.push(&datagram(5, 1, 1, 1), None, Timestamp(0));
        recent.forget(0);
        assert_eq!(recent.find(1, &key(5)), None);
        recent.push(&datagram(5, 1, 1, 2), None, Timestamp(0));
        assert_eq!(recent.find(1, &key(5)), Some(1));
        assert!(recent.is_first_over(Timestamp(0)), "the forgotten one");
    }

    #[test]
    fn numbers_may_wrap() {
        let mut recent = Recent {
            first: u32::MAX - 1,
            first_piece: u32::MAX - 1,
            ..Recent::default()
        };
        for id in 0..4 {
            recent.push(&datagram(id, 1, 3, id as u16), None, Timestamp(0));
        }
        for id in 0..4 {
            let number = (u32::MAX - 1).wrapping_add(id);
            assert_eq!(recent.find(1, &key(id)), Some(number));
            let copied = recent.copied(number, &piece(16, id as u16), SOON);
            assert!(copied.is_some());
        }
        assert!(recent.drop_first() && recent.drop_first() && recent.drop_first());
        assert_eq!(recent.find(1, &key(3)), Some(1));
        assert_eq!(recent.find(1, &key(2)), None);
    }
}
