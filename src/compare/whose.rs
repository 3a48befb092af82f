//! Of which flow of the outcome something is that one point showed, and which way that goes.

use super::outcome::FlowFacts;
use crate::model::{Addresses, FlowKey, Protocol, ScopeTag};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Flows by what one point calls them: of those that are asked about.
pub(super) struct Whose {
    pub point: usize,
    flows: HashMap<FlowKey, Option<usize>, RandomState>,
    /// One of those between the same hosts.
    alike: HashMap<Hosts, Option<usize>, RandomState>,
}

type Hosts = (Addresses, Protocol, ScopeTag);

impl Whose {
    /// Of what one point calls so.
    pub fn at(point: usize, flows: &[FlowFacts], keys: impl Iterator<Item = FlowKey>) -> Self {
        let mut whose = Self {
            point,
            flows: HashMap::default(),
            alike: HashMap::default(),
        };
        for key in keys {
            whose.flows.insert(key, None);
            whose.alike.insert(hosts(&key), None);
        }
        if !whose.flows.is_empty() {
            for (place, flow) in flows.iter().enumerate() {
                whose.find(place, flow);
            }
        }
        whose
    }

    fn find(&mut self, place: usize, flow: &FlowFacts) {
        let Some(key) = &flow.keys[self.point] else {
            return;
        };
        if let Some(known) = self.flows.get_mut(key) {
            *known = Some(place);
        }
        if let Some(known) = self.alike.get_mut(&hosts(key)) {
            known.get_or_insert(place);
        }
    }

    /// Its place in the outcome.
    pub fn flow(&self, key: &FlowKey) -> Option<usize> {
        self.flows.get(key).copied().flatten()
    }

    /// The same, or where it does not show which that is, one between the same hosts: that goes the
    /// same way.
    pub fn like(&self, key: &FlowKey) -> Option<usize> {
        let between_hosts = || self.alike.get(&hosts(key)).copied().flatten();
        self.flow(key).or_else(between_hosts)
    }
}

fn hosts(key: &FlowKey) -> Hosts {
    (key.addresses, key.protocol, key.scope)
}

/// The segment that what goes one way enters at a point; `None` if it leaves the path there.
pub(super) fn segment_behind(point: usize, points: usize, is_backward: bool) -> Option<usize> {
    match is_backward {
        true => point.checked_sub(1),
        false => (point + 1 < points).then_some(point),
    }
}
