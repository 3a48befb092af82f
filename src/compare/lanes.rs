//! The flows of one point, numbered as they are met.

use super::sighting::{Lane, LaneFacts, NO_LANE};
use crate::model::{FlowKey, Ports};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Most flows of one point that are told apart.
pub const MAX_LANES: usize = 1 << 18;

/// The flows of one point.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    numbers: HashMap<FlowKey, Lane, FixedState>,
    /// Met since they were taken.
    fresh: Vec<LaneFacts>,
    /// Some of them, at once where they are looked for first.
    handy: Handy,
    /// Sightings of flows beyond the bound.
    pub refused: u64,
}

impl Lanes {
    /// The number of a flow; `None` beyond the bound.
    pub fn number(&mut self, key: &FlowKey) -> Option<Lane> {
        if let Some(lane) = self.handy.find(key) {
            return Some(lane);
        }
        let lane = match self.numbers.get(key) {
            Some(lane) => *lane,
            None => self.add(key)?,
        };
        self.handy.keep(key, lane);
        Some(lane)
    }

    fn add(&mut self, key: &FlowKey) -> Option<Lane> {
        let base = match key.ports {
            Some(_) => self.number(&without_ports(key))?,
            None => NO_LANE,
        };
        if self.numbers.len() >= MAX_LANES {
            self.refused = self.refused.saturating_add(1);
            return None;
        }
        let lane = self.numbers.len() as Lane;
        self.numbers.insert(*key, lane);
        let base = if base == NO_LANE { lane } else { base };
        self.fresh.push(LaneFacts { key: *key, base });
        Some(lane)
    }

    /// Those met since they were taken before.
    pub fn take_fresh(&mut self) -> Vec<LaneFacts> {
        std::mem::take(&mut self.fresh)
    }
}

/// Flows with one place each, the latest where two have the same: one look into memory,
/// where a map takes two and a hash of more than it needs.
#[derive(Debug, Default)]
struct Handy(Vec<Option<(FlowKey, Lane)>>);

/// Places of these: what stays in a cache.
const PLACES: usize = 1 << 11;

impl Handy {
    fn find(&self, key: &FlowKey) -> Option<Lane> {
        let (known, lane) = self.0.get(place(key))?.as_ref()?;
        (known == key).then_some(*lane)
    }

    fn keep(&mut self, key: &FlowKey, lane: Lane) {
        self.0.resize(PLACES, None);
        self.0[place(key)] = Some((*key, lane));
    }
}

/// By the ends of addresses and by ports, in which flows differ.
fn place(key: &FlowKey) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let end = |address: &[u8; 16]| {
        let [low, .., high] = address.as_chunks::<4>().0 else {
            return 0;
        };
        u64::from(u32::from_le_bytes(*low) ^ u32::from_le_bytes(*high))
    };
    let ports = key.ports.map_or(0, |ports| {
        u64::from(ports.source) << 16 | u64::from(ports.destination)
    });
    let addresses = end(&key.addresses.source) << 32 | end(&key.addresses.destination);
    let mixed = (addresses ^ ports.rotate_left(24)).wrapping_mul(SPREAD);
    (mixed >> 48) as usize & (PLACES - 1)
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
    fn flows_with_ports_share_the_lane_of_their_fragments() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.number(&key(Some(1))), Some(1));
        assert_eq!(lanes.number(&key(Some(2))), Some(2));
        assert_eq!(lanes.number(&key(None)), Some(0));
        assert_eq!(lanes.number(&key(Some(1))), Some(1));
        let bases: Vec<Lane> = lanes.take_fresh().iter().map(|lane| lane.base).collect();
        assert_eq!(bases, [0, 0, 0]);
        assert!(lanes.take_fresh().is_empty());
    }
}
