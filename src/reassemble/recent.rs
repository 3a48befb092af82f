//! Datagrams that became whole a moment ago.
//!
//! They are still known, so that a copy of one of their pieces (mirror ports and
//! `-i any` deliver everything twice) opens no new one. Of a fast capture there are
//! tens of thousands, so little of each is kept, one behind the other: those who
//! come go in the order they came.

use super::datagram::Datagram;
use super::fragment::Key;
use super::index::Index;
use super::pieces::{Held, NewPiece};
use crate::model::{Duration, FlowKey, Ports, Protocol, ScopeTag, Timestamp};
use std::collections::VecDeque;

/// How long a completed datagram is still known.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// What is still known of a datagram that became whole.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// What its fragments had in common.
    pub key: Key,
    /// The scope inside it, if it carried a tunnel.
    pub inside: Option<ScopeTag>,
    completed: Timestamp,
    hash: u32,
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
    index: Index,
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
        self.index.insert(datagram.hash, number);
        self.completed.push_back(Completed {
            key: datagram.key,
            inside,
            completed: now,
            hash: datagram.hash,
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
        self.index.find(hash, |number| {
            self.get(number)
                .is_some_and(|completed| completed.key == *key)
        })
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
            self.index.remove(completed.hash, number);
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
        if !first.is_forgotten {
            self.index.remove(first.hash, self.first);
        }
        self.pieces.drain(..usize::from(first.pieces));
        self.first = self.first.wrapping_add(1);
        self.first_piece = self.first_piece.wrapping_add(u32::from(first.pieces));
        true
    }

    /// Memory behind all that is remembered.
    #[inline]
    pub(super) fn memory_bytes(&self) -> usize {
        self.completed.len() * size_of::<Completed>() + self.pieces.len() * size_of::<Held>()
    }

    fn get(&self, number: u32) -> Option<&Completed> {
        self.completed.get(number.wrapping_sub(self.first) as usize)
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
