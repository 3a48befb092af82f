//! The flows of one point, numbered as they are met.

use super::names::Name;
use super::refused::Refused;
use super::rise::{Rise, in_row};
use super::sighting::{Lane, NO_LANE, Sighting};
use super::views::hairpin::{self, Hairpins};
use super::words::Words;
use crate::model::{FlowKey, Ports};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher};

/// Most flows of one point that are told apart.
pub const MAX_LANES: usize = 1 << 18;

/// So many more without ports: fragments of flows that are known may come late.
const RESERVE: usize = MAX_LANES / 16;

/// Flows that are looked up together.
pub(super) const TOGETHER: usize = 32;

/// So many flows are in a cache anyway.
const NEAR: usize = 1 << 12;

/// Of these it is noted where they are in the table, nearly each in a place of its own: where
/// another is, the processor has gone on as if it were this one.
const NOTED: usize = 4 * NEAR;

/// The flows of one point.
#[derive(Debug)]
pub(super) struct Lanes {
    known: HashTable<Known>,
    /// Where in the table the latest flow with such a hash is, or was before that grew.
    noted: Box<[u16; NOTED]>,
    hasher: RandomState,
    /// Met since they were taken, and those of which that of fragments became known.
    fresh: Vec<FlowKey>,
    bases: Vec<(Lane, Lane)>,
    pub hairpins: Hairpins,
    /// Sightings of flows beyond the bound.
    pub refused: u64,
    refused_names: Refused,
    /// Of these, those refused since they were taken.
    fresh_refused: Vec<u64>,
}

/// A flow of the point, in one line of a cache: in a large table every search waits for
/// memory, and so waits once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Known {
    key: Words,
    lane: Lane,
    rise: Rise,
    /// Whether its packets may come in fragments, whose lane was looked for.
    may_be_cut: bool,
    /// How many of its first packets have come.
    first: u8,
}

/// What is to be done for a packet beside.
#[derive(Clone, Copy, Debug, Default)]
struct Asks {
    /// The lane of the fragments of its flow is to be found.
    base: bool,
    /// It is one of the first of its flow.
    is_first: bool,
}

const _: () = assert!(size_of::<Known>() == 64);

impl Default for Lanes {
    fn default() -> Self {
        Self {
            known: HashTable::new(),
            noted: Box::new([0; NOTED]),
            hasher: RandomState::default(),
            fresh: Vec::new(),
            bases: Vec::new(),
            hairpins: Hairpins::default(),
            refused: 0,
            refused_names: Refused::default(),
            fresh_refused: Vec::new(),
        }
    }
}

impl Lanes {
    /// The number of a flow whose packets come in fragments; `None` beyond the bound.
    pub fn number_of_cut(&mut self, key: &FlowKey) -> Option<Lane> {
        let words = Words::of(key);
        let Some(known) = self.find_or_add(&words, self.hash(&words)) else {
            self.refuse(&words);
            return None;
        };
        let lane = known.lane;
        if !std::mem::replace(&mut known.may_be_cut, true) {
            self.add_base(lane, &words);
        }
        Some(lane)
    }

    /// Gives the next packet of a flow its lane, [`NO_LANE`] beyond the bound, and says
    /// whether it is surely beyond all before.
    pub fn name(&mut self, key: &FlowKey, sighting: &mut Sighting) {
        let words = Words::of(key);
        self.name_by(&words, self.hash(&words), sighting);
    }

    /// The same of several packets, [`TOGETHER`] at most, which all wait for memory together.
    pub fn name_together(&mut self, flows: &[Words], sightings: &mut [Sighting]) {
        let mut hashes = [0; TOGETHER];
        let mut read = 0;
        for (hash, words) in hashes.iter_mut().zip(flows) {
            *hash = self.hash(words);
            read ^= self.read(*hash);
        }
        std::hint::black_box(read);
        for (sighting, (words, hash)) in sightings.iter_mut().zip(flows.iter().zip(hashes)) {
            self.name_by(words, hash, sighting);
        }
    }

    /// Reads what is known of a flow.
    #[inline(always)]
    fn read(&self, hash: u64) -> Lane {
        let known = match self.is_near() {
            true => self.known.get_bucket(self.noted[noted_at(hash)].into()),
            false => self.known.iter_hash(hash).next(),
        };
        known.map_or(NO_LANE, |known| known.lane)
    }

    #[inline(always)]
    fn name_by(&mut self, words: &Words, hash: u64, sighting: &mut Sighting) {
        let noted = match self.is_near() {
            true => self.known.get_bucket_mut(self.noted[noted_at(hash)].into()),
            false => None,
        };
        let asks = match noted {
            Some(known) if known.key == *words => known.name(sighting),
            _ => self.name_anew(words, hash, sighting),
        };
        if asks.base | asks.is_first {
            self.answer(asks, words, sighting);
        }
    }

    /// The same of a flow that is not where it is noted.
    #[inline(never)]
    fn name_anew(&mut self, words: &Words, hash: u64, sighting: &mut Sighting) -> Asks {
        match self.find_or_add(words, hash) {
            Some(known) => known.name(sighting),
            None => {
                sighting.lane = NO_LANE;
                self.refuse(words);
                Asks::default()
            }
        }
    }

    #[cold]
    fn answer(&mut self, asks: Asks, words: &Words, sighting: &Sighting) {
        if asks.base {
            self.add_base(sighting.lane, words);
        }
        if asks.is_first {
            self.hairpins.take(sighting, &words.key());
        }
    }

    /// What is known of a flow, of which is noted where it is; `None` beyond the bound.
    fn find_or_add(&mut self, words: &Words, hash: u64) -> Option<&mut Known> {
        let place = match self.known.find_entry(hash, |known| known.key == *words) {
            Ok(known) => known.bucket_index(),
            Err(absent) => {
                let place = add(absent.into_table(), words, hash, &self.hasher)?;
                self.fresh.push(words.key());
                place
            }
        };
        if let (true, Ok(place)) = (self.is_near(), place.try_into()) {
            self.noted[noted_at(hash)] = place;
        }
        self.known.get_bucket_mut(place)
    }

    /// Whether what is known of all flows is in a cache anyway.
    #[inline]
    fn is_near(&self) -> bool {
        self.known.len() <= NEAR
    }

    #[cold]
    fn refuse(&mut self, words: &Words) {
        self.refused = self.refused.saturating_add(1);
        let name = Name::of(&words.key()).hash();
        if self.refused_names.insert(name) {
            self.fresh_refused.push(name);
        }
    }

    /// Finds the lane of the fragments of a flow.
    #[cold]
    fn add_base(&mut self, lane: Lane, words: &Words) {
        let base = Words::of(&without_ports(&words.key()));
        if let Some(base) = self.find_or_add(&base, self.hash(&base)) {
            let base = base.lane;
            self.bases.push((lane, base));
        }
    }

    // What the hasher has for this is not inlined, and costs as much again.
    #[allow(clippy::manual_hash_one)]
    #[inline(always)]
    fn hash(&self, words: &Words) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        words.hash(&mut hasher);
        hasher.finish()
    }

    /// Those met since they were taken before.
    pub fn take_fresh(&mut self) -> Vec<FlowKey> {
        std::mem::take(&mut self.fresh)
    }

    /// The names of those refused since, once each.
    pub fn take_refused(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.fresh_refused)
    }

    /// Those of which the lane of fragments became known since, with that.
    pub fn take_bases(&mut self) -> Vec<(Lane, Lane)> {
        std::mem::take(&mut self.bases)
    }
}

impl Known {
    /// Gives the next packet of the flow its lane.
    #[inline(always)]
    fn name(&mut self, sighting: &mut Sighting) -> Asks {
        sighting.lane = self.lane;
        sighting.is_fresh = self.rise.takes(in_row(sighting));
        let is_first = self.first < hairpin::FIRST;
        self.first += u8::from(is_first);
        Asks {
            base: sighting.may_come_cut() && !std::mem::replace(&mut self.may_be_cut, true),
            is_first,
        }
    }
}

/// Where it is noted in which place flows with such a hash are: by other bits than those that
/// tell them apart in the table.
#[inline(always)]
fn noted_at(hash: u64) -> usize {
    (hash >> u32::BITS) as usize % NOTED
}

/// Adds a flow, unless there are too many; gives where it is.
#[cold]
fn add(
    known: &mut HashTable<Known>,
    words: &Words,
    hash: u64,
    hasher: &RandomState,
) -> Option<usize> {
    let is_base = words.has_no_ports();
    let reserve = if is_base { RESERVE } else { 0 };
    if known.len() >= MAX_LANES + reserve {
        return None;
    }
    let flow = Known {
        key: *words,
        lane: known.len() as Lane,
        rise: Rise::default(),
        may_be_cut: is_base,
        first: 0,
    };
    let added = known.insert_unique(hash, flow, |known| hasher.hash_one(known.key));
    Some(added.bucket_index())
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

    /// The lane of a packet of a flow.
    fn number(lanes: &mut Lanes, key: &FlowKey) -> Option<Lane> {
        let mut packet = example(1);
        lanes.name(key, &mut packet);
        (packet.lane != NO_LANE).then_some(packet.lane)
    }

    #[test]
    fn flows_that_may_be_cut_share_the_lane_of_their_fragments() {
        let mut lanes = Lanes::default();
        assert_eq!(number(&mut lanes, &key(Some(1))), Some(0));
        assert_eq!(number(&mut lanes, &key(Some(2))), Some(1));
        let large = || Sighting {
            ip_bytes: 1_000,
            ..example(1)
        };
        lanes.name(&key(Some(1)), &mut example(1));
        assert_eq!(lanes.take_bases(), []);
        assert_eq!(lanes.take_fresh().len(), 2);
        for port in [1, 2, 1] {
            lanes.name(&key(Some(port)), &mut large());
        }
        assert_eq!(lanes.number_of_cut(&key(Some(3))), Some(3));
        assert_eq!(lanes.take_bases(), [(0, 2), (1, 2), (3, 2)]);
        assert_eq!(number(&mut lanes, &key(None)), Some(2));
        assert_eq!(lanes.take_fresh(), [key(None), key(Some(3))]);
        lanes.name(&key(None), &mut large());
        assert_eq!(lanes.take_bases(), []);
    }

    #[test]
    fn beyond_the_bound_fragments_still_have_lanes() {
        let mut lanes = Lanes::default();
        let flow = |host: usize| FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], (host as u32).to_be_bytes()),
            ..key(Some(1))
        };
        for host in 0..MAX_LANES {
            assert!(number(&mut lanes, &flow(host)).is_some());
        }
        assert_eq!(number(&mut lanes, &flow(MAX_LANES)), None);
        assert_eq!(lanes.refused, 1);
        assert_eq!(number(&mut lanes, &flow(MAX_LANES)), None);
        assert_eq!(lanes.take_refused(), [Name::of(&flow(MAX_LANES)).hash()]);
        for host in 0..RESERVE {
            assert!(number(&mut lanes, &without_ports(&flow(host))).is_some());
        }
        assert_eq!(number(&mut lanes, &without_ports(&flow(RESERVE))), None);
        assert_eq!(lanes.refused, 3);
    }
}
