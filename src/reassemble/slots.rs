//! The places of the datagrams that are not whole yet.

use super::datagram::{Datagram, State};
use super::fragment::{FragmentFacts, Key};
use super::index::Index;

/// Unfinished and dead datagrams. A place that becomes free is the next to be taken:
/// it is still in the cache, and the memory it owns is used again.
#[derive(Debug, Default)]
pub(super) struct Slots {
    datagrams: Vec<Datagram>,
    free: Vec<u32>,
    index: Index,
    /// The datagram of the last fragment: fragments of one come in a row.
    latest: u32,
}

impl Slots {
    /// The datagram of the last fragment, if it has this key.
    #[inline]
    pub(super) fn latest(&self, key: &Key) -> Option<u32> {
        let datagram = self.get(self.latest)?;
        (datagram.key == *key).then_some(self.latest)
    }

    /// The datagram with this key, whose hash is `hash`.
    #[inline]
    pub(super) fn find(&mut self, hash: u32, key: &Key) -> Option<u32> {
        let datagrams = &self.datagrams;
        let slot = self.index.find(hash, |slot| {
            datagrams
                .get(slot as usize)
                .is_some_and(|datagram| datagram.key == *key)
        })?;
        self.latest = slot;
        Some(slot)
    }

    /// Opens the datagram that a fragment belongs to.
    pub(super) fn open(&mut self, fragment: &FragmentFacts, hash: u32, serial: u64) -> u32 {
        let slot = self.free.pop().unwrap_or(self.datagrams.len() as u32);
        match self.datagrams.get_mut(slot as usize) {
            Some(datagram) => datagram.reopen(fragment, hash, serial),
            None => self.datagrams.push(Datagram::open(fragment, hash, serial)),
        }
        self.index.insert(hash, slot);
        self.latest = slot;
        slot
    }

    /// Makes a place free.
    pub(super) fn close(&mut self, slot: u32) {
        if let Some(datagram) = self.datagrams.get_mut(slot as usize)
            && datagram.state != State::Closed
        {
            datagram.close();
            self.index.remove(datagram.hash, slot);
            self.free.push(slot);
        }
    }

    /// The datagram in a place, if one is there.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<&Datagram> {
        self.datagrams
            .get(slot as usize)
            .filter(|datagram| datagram.state != State::Closed)
    }

    /// The datagram in a place, if one is there.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Datagram> {
        self.datagrams
            .get_mut(slot as usize)
            .filter(|datagram| datagram.state != State::Closed)
    }

    /// All datagrams.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Datagram> {
        self.datagrams
            .iter()
            .filter(|datagram| datagram.state != State::Closed)
    }

    /// All datagrams.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Datagram> {
        self.datagrams
            .iter_mut()
            .filter(|datagram| datagram.state != State::Closed)
    }

    /// Datagrams in it.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }
}
