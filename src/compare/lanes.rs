//! The flows of one point, numbered as they are met.

use super::rise::Rise;
use super::sighting::{Lane, NO_LANE, Sighting};
use crate::model::{FlowKey, Ports};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Most flows of one point that are told apart.
pub const MAX_LANES: usize = 1 << 18;

/// So many more without ports: fragments of flows that are known may come late.
const RESERVE: usize = MAX_LANES / 16;

/// Flows that are looked up together.
pub(super) const TOGETHER: usize = 32;

/// The flows of one point.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    known: Vec<Known>,
    index: HashTable<Slot>,
    hasher: RandomState,
    /// Met since they were taken, and those of which that of fragments became known.
    fresh: Vec<FlowKey>,
    bases: Vec<(Lane, Lane)>,
    /// Sightings of flows beyond the bound.
    pub refused: u64,
}

/// A flow of the point, in one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Known {
    key: FlowKey,
    rise: Rise,
    /// Whether its packets may come in fragments, whose lane was looked for.
    may_be_cut: bool,
}

const _: () = assert!(size_of::<Known>() == 64);

/// A place in the index. With the hash in it, a search rarely looks at keys of others.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    lane: Lane,
}

impl Slot {
    /// The index takes its bits from both ends of a word.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl Lanes {
    /// The number of a flow; `None` beyond the bound.
    pub fn number(&mut self, key: &FlowKey) -> Option<Lane> {
        let lane = self.number_or_add(key, self.hash(key));
        self.refused = self.refused.saturating_add(u64::from(lane.is_none()));
        lane
    }

    /// The same of a flow whose packets may come in fragments.
    pub fn number_of_cut(&mut self, key: &FlowKey) -> Option<Lane> {
        let lane = self.number(key)?;
        self.find_base(lane);
        Some(lane)
    }

    /// Takes the next packet of a flow; says whether it is surely beyond all before.
    #[inline]
    pub fn takes(&mut self, sighting: &Sighting) -> bool {
        if sighting.may_be_cut() {
            self.find_base(sighting.lane);
        }
        self.known[sighting.lane as usize].rise.takes(sighting)
    }

    /// Finds the lane of the fragments of a flow, unless that was done.
    #[inline]
    fn find_base(&mut self, lane: Lane) {
        let known = &mut self.known[lane as usize];
        if !std::mem::replace(&mut known.may_be_cut, true) {
            let base = without_ports(&known.key);
            self.add_base(lane, &base);
        }
    }

    #[cold]
    fn add_base(&mut self, lane: Lane, base: &FlowKey) {
        if let Some(base) = self.number_or_add(base, self.hash(base)) {
            self.bases.push((lane, base));
        }
    }

    /// The numbers of several flows, in their order; [`NO_LANE`] beyond the bound. In a large table
    /// every search waits for memory twice; here all wait together.
    pub fn number_together(&mut self, keys: &[FlowKey; TOGETHER], lanes: &mut [Lane; TOGETHER]) {
        let mut hashes = [0; TOGETHER];
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = self.hash(key);
        }
        for (lane, hash) in lanes.iter_mut().zip(hashes) {
            *lane = self.find(hash, |_| true).unwrap_or(NO_LANE);
        }
        for ((lane, key), hash) in lanes.iter_mut().zip(keys).zip(hashes) {
            let known = self.known.get(*lane as usize);
            if known.is_none_or(|known| known.key != *key) {
                *lane = self.number_or_add(key, hash).unwrap_or(NO_LANE);
            }
        }
        let refused = lanes.iter().filter(|lane| **lane == NO_LANE).count();
        self.refused = self.refused.saturating_add(refused as u64);
    }

    fn number_or_add(&mut self, key: &FlowKey, hash: u32) -> Option<Lane> {
        let is_it = |lane: Lane| self.known[lane as usize].key == *key;
        self.find(hash, is_it).or_else(|| self.add(key, hash))
    }

    fn find(&self, hash: u32, is_it: impl Fn(Lane) -> bool) -> Option<Lane> {
        let is_it = |slot: &Slot| slot.hash == hash && is_it(slot.lane);
        let slot = self.index.find(Slot::spread(hash), is_it)?;
        Some(slot.lane)
    }

    fn hash(&self, key: &FlowKey) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    #[cold]
    fn add(&mut self, key: &FlowKey, hash: u32) -> Option<Lane> {
        let reserve = if key.ports.is_none() { RESERVE } else { 0 };
        if self.known.len() >= MAX_LANES + reserve {
            return None;
        }
        let lane = self.known.len() as Lane;
        self.known.push(Known {
            key: *key,
            rise: Rise::default(),
            may_be_cut: key.ports.is_none(),
        });
        let slot = Slot { hash, lane };
        self.index
            .insert_unique(Slot::spread(hash), slot, |slot| Slot::spread(slot.hash));
        self.fresh.push(*key);
        Some(lane)
    }

    /// Those met since they were taken before.
    pub fn take_fresh(&mut self) -> Vec<FlowKey> {
        std::mem::take(&mut self.fresh)
    }

    /// Those of which the lane of fragments became known since, with that.
    pub fn take_bases(&mut self) -> Vec<(Lane, Lane)> {
        std::mem::take(&mut self.bases)
    }
}

/// The flow of its fragments.
pub(super) fn without_ports(key: &FlowKey) -> FlowKey {
    FlowKey {
        ports: None::<Ports>,
        ..*key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;
    use crate::model::{Addresses, Protocol, ScopeTag};

    fn key(port: Option<u16>) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: port.map(|source| Ports {
                source,
                destination: 53,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    #[test]
    fn flows_that_may_be_cut_share_the_lane_of_their_fragments() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.number(&key(Some(1))), Some(0));
        assert_eq!(lanes.number(&key(Some(2))), Some(1));
        let large = |lane: Lane| Sighting {
            lane,
            ip_bytes: 1_000,
            ..example(1)
        };
        lanes.takes(&example(1));
        assert_eq!(lanes.take_bases(), []);
        assert_eq!(lanes.take_fresh().len(), 2);
        lanes.takes(&large(0));
        lanes.takes(&large(1));
        lanes.takes(&large(0));
        assert_eq!(lanes.number_of_cut(&key(Some(3))), Some(3));
        assert_eq!(lanes.take_bases(), [(0, 2), (1, 2), (3, 2)]);
        assert_eq!(lanes.number(&key(None)), Some(2));
        assert_eq!(lanes.take_fresh(), [key(None), key(Some(3))]);
        lanes.takes(&large(2));
        assert_eq!(lanes.take_bases(), []);
    }

    #[test]
    fn beyond_the_bound_fragments_still_have_lanes() {
        let mut lanes = Lanes::default();
        let flow = |number: usize| FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], (number as u32).to_be_bytes()),
            ..key(Some(1))
        };
        for number in 0..MAX_LANES {
            assert!(lanes.number(&flow(number)).is_some());
        }
        assert_eq!(lanes.number(&flow(MAX_LANES)), None);
        assert_eq!(lanes.refused, 1);
        for number in 0..RESERVE {
            assert!(lanes.number(&without_ports(&flow(number))).is_some());
        }
        assert_eq!(lanes.number(&without_ports(&flow(RESERVE))), None);
        assert_eq!(lanes.refused, 2);
    }
}
