//! The hosts that fragments go to.

use super::forecast::{Forecast, GivenUp, Host};
use super::host::HostModels;
use super::settings::Settings;
use crate::model::Timestamp;
use crate::reassemble::{FragmentFacts, Key};
use foldhash::quality::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::hash::BuildHasher;

/// Hosts of one shard that are modelled: the first that are met.
const MAX_HOSTS: usize = 512;
/// Places for datagrams that the kernels of one shard may take together, some
/// 150 bytes each. A host that would need more is given up.
const MAX_PLACES: usize = 1 << 15;

/// Any number: which shard a host is in changes nothing but who works for it.
const SHARD_SEED: u64 = 815;

/// Which of `shards` equal parts of the work the host that a fragment goes to falls
/// into: the same in every run.
pub fn shard_of(key: &Key, shards: usize) -> usize {
    host_of(key).shard(shards)
}

impl Host {
    /// As [`shard_of`] its fragments.
    pub fn shard(&self, shards: usize) -> usize {
        let hash = FixedState::with_seed(SHARD_SEED).hash_one(self);
        (hash % shards.max(1) as u64) as usize
    }
}

fn host_of(key: &Key) -> Host {
    Host {
        scope: key.scope,
        version: key.addresses.version,
        destination: key.addresses.destination,
    }
}

/// Fragments for which there is no forecast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct NotModelled {
    /// To hosts beyond the bound, and to hosts given up after that.
    pub fragments: u64,
    /// Hosts given up because their datagrams took too much memory.
    pub hosts_given_up: u64,
}

impl std::ops::AddAssign for NotModelled {
    fn add_assign(&mut self, other: Self) {
        self.fragments = self.fragments.saturating_add(other.fragments);
        self.hosts_given_up = self.hosts_given_up.saturating_add(other.hosts_given_up);
    }
}

/// One shard of the hosts that fragments go to.
#[derive(Debug)]
pub struct Receivers {
    settings: Settings,
    hosts: HashMap<Host, u32, foldhash::fast::FixedState>,
    /// `None` once given up, or let go.
    models: Vec<Option<Box<HostModels>>>,
    /// Of those that were let go.
    free: Vec<u32>,
    latest: Option<(Host, u32)>,
    places: usize,
    not_modelled: NotModelled,
}

impl Receivers {
    /// No hosts yet; of all the same is assumed.
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: *settings,
            hosts: HashMap::default(),
            models: Vec::new(),
            free: Vec::new(),
            latest: None,
            places: 0,
            not_modelled: NotModelled::default(),
        }
    }

    /// Takes the next fragment to one of these hosts.
    pub fn take(&mut self, fragment: &FragmentFacts) {
        let Some(index) = self.index(host_of(&fragment.key)) else {
            self.not_modelled.fragments = self.not_modelled.fragments.saturating_add(1);
            return;
        };
        let slot = &mut self.models[index as usize];
        let Some(models) = slot else {
            self.not_modelled.fragments = self.not_modelled.fragments.saturating_add(1);
            return;
        };
        let before = models.places();
        models.take(fragment);
        let after = models.places();
        self.places = self.places.saturating_sub(before).saturating_add(after);
        if self.places > MAX_PLACES {
            *slot = None;
            self.places = self.places.saturating_sub(after);
            self.not_modelled.hosts_given_up = self.not_modelled.hosts_given_up.saturating_add(1);
        }
    }

    /// Hears a host say that it gave up a datagram.
    pub fn hear(&mut self, told: &GivenUp) {
        let index = self.hosts.get(&told.host);
        let models = index.and_then(|index| self.models[*index as usize].as_mut());
        if let Some(models) = models {
            models.hear(told.timestamp);
        }
    }

    /// What could not be modelled since it was asked before.
    pub fn take_not_modelled(&mut self) -> NotModelled {
        std::mem::take(&mut self.not_modelled)
    }

    /// The forecasts for what came since they were asked for before, as if the capture
    /// ended at `end`, or with the last fragment if that came later. Hosts keep what they
    /// hold.
    pub fn harvest(&mut self, end: Timestamp) -> Vec<Forecast> {
        let models = self.models.iter_mut().flatten();
        let forecasts: Vec<Forecast> = models.map(|models| models.harvest(end)).collect();
        let idle = forecasts.iter().filter(|forecast| forecast.is_idle());
        let idle: BTreeSet<Host> = idle.map(|forecast| forecast.host).collect();
        self.make_room(&idle);
        forecasts
    }

    /// Lets go of hosts that hold nothing and were sent nothing since the last harvest, and
    /// of those given up, if all places are taken: others may come.
    fn make_room(&mut self, idle: &BTreeSet<Host>) {
        if self.hosts.len() < MAX_HOSTS {
            return;
        }
        self.latest = None;
        let (models, free, places) = (&mut self.models, &mut self.free, &mut self.places);
        self.hosts.retain(|host, index| {
            let slot = &mut models[*index as usize];
            let stays = slot.is_some() && !idle.contains(host);
            if !stays {
                let held = slot.take().map_or(0, |models| models.places());
                *places = places.saturating_sub(held);
                free.push(*index);
            }
            stays
        });
    }

    fn add(&mut self, host: Host) -> Option<u32> {
        let models = Some(Box::new(HostModels::new(host, &self.settings)));
        let index = match self.free.pop() {
            Some(index) => {
                self.models[index as usize] = models;
                index
            }
            None if self.models.len() >= MAX_HOSTS => return None,
            None => {
                self.models.push(models);
                (self.models.len() - 1) as u32
            }
        };
        self.hosts.insert(host, index);
        Some(index)
    }

    fn index(&mut self, host: Host) -> Option<u32> {
        if let Some((latest, index)) = &self.latest
            && *latest == host
        {
            return Some(*index);
        }
        let index = match self.hosts.get(&host) {
            Some(index) => *index,
            None => self.add(host)?,
        };
        self.latest = Some((host, index));
        Some(index)
    }
}
