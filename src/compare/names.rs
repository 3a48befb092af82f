//! Flows by addresses and ports, in whatever tunnel: several may have the same.

use super::parcel::Mask;
use super::slab::NONE;
use crate::model::{FlowKey, ScopeTag};
use foldhash::fast::RandomState;
use foldhash::quality::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::hash::BuildHasher;

/// Flows of one name that are tried for one more.
const MAX_ALIKE: usize = 8;

/// What a flow is called, without what tunnel it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name(FlowKey);

/// The flows of each name. Of most there is one: a list for each would be as many pieces of
/// memory.
#[derive(Debug, Default)]
pub(super) struct Names {
    firsts: HashMap<Name, u32, RandomState>,
    /// By flow: the next of the same name.
    nexts: Vec<u32>,
    /// By flow: whether it is the first of its name.
    are_first: Vec<bool>,
}

/// Which points have met a name, by its number.
#[derive(Debug, Default)]
pub(super) struct Met {
    numbers: HashMap<u64, u32, RandomState>,
    points: Vec<Mask>,
}

impl Met {
    /// A point meets a name; gives the number of that.
    pub fn meet(&mut self, name: &Name, point: usize) -> u32 {
        let next = self.points.len() as u32;
        // Two names with one hash would only be taken for one that is met at more points.
        let number = *self.numbers.entry(name.hash()).or_insert(next);
        if number == next {
            self.points.push(0);
        }
        self.points[number as usize] |= 1 << point;
        number
    }

    /// The points that have met a name, by its number.
    pub fn at(&self, number: u32) -> Mask {
        self.points.get(number as usize).copied().unwrap_or(0)
    }
}

impl Name {
    pub fn of(key: &FlowKey) -> Self {
        Self(FlowKey {
            scope: ScopeTag::WIRE,
            ..*key
        })
    }

    /// Of what a flow answers. Identifiers of ICMP are the same both ways.
    pub fn answered(key: &FlowKey) -> Self {
        let asked = key.reversed();
        Self::of(&FlowKey {
            ports: match key.protocol.has_ports() {
                true => asked.ports,
                false => key.ports,
            },
            ..asked
        })
    }

    /// The same at every point.
    pub fn hash(&self) -> u64 {
        FixedState::with_seed(0).hash_one(self)
    }
}

impl Names {
    /// Takes in a flow, whose number is beyond all that were taken in before. Of a name that
    /// many have it is found by other means. Says whether it is the first of its name.
    pub fn add(&mut self, name: Name, flow: u32) -> bool {
        self.nexts.resize(flow as usize + 1, NONE);
        self.are_first.resize(flow as usize + 1, false);
        let first = match self.firsts.entry(name) {
            Entry::Vacant(place) => {
                place.insert(flow);
                self.are_first[flow as usize] = true;
                return true;
            }
            Entry::Occupied(known) => *known.get(),
        };
        let last = self.from(first).enumerate().last();
        if let Some((_, last)) = last.filter(|(place, _)| place + 1 < MAX_ALIKE) {
            self.nexts[last as usize] = flow;
        }
        false
    }

    /// Whether any flow has a name.
    pub fn has(&self, name: &Name) -> bool {
        self.firsts.contains_key(name)
    }

    /// Whether no other flow has the name of one.
    #[inline(always)]
    pub fn is_single(&self, flow: u32) -> bool {
        self.are_first[flow as usize] && self.nexts[flow as usize] == NONE
    }

    /// The flows of a name, in the order in which they were met.
    pub fn all(&self, name: Name) -> impl Iterator<Item = u32> + '_ {
        let first = self.firsts.get(&name).copied();
        self.from(first.unwrap_or(NONE))
    }

    fn from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let known = |flow: u32| (flow != NONE).then_some(flow);
        std::iter::successors(known(first), move |flow| known(self.nexts[*flow as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Ports, Protocol};

    /// What tunnel a flow is in does not matter.
    fn name(port: u16, tunnel: u64) -> Name {
        Name::of(&FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: Some(Ports {
                source: port,
                destination: 53,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag(tunnel),
        })
    }

    #[test]
    fn a_name_has_one_number_wherever_it_is_met() {
        let mut met = Met::default();
        assert_eq!(met.meet(&name(1, 0), 0), 0);
        assert_eq!(met.meet(&name(2, 0), 0), 1);
        assert_eq!(met.meet(&name(1, 7), 2), 0);
        assert_eq!(
            [0, 1, 2, NONE].map(|number| met.at(number)),
            [0b101, 1, 0, 0]
        );
    }

    #[test]
    fn flows_of_one_name_are_known_in_order_and_not_too_many() {
        let mut names = Names::default();
        for flow in 0..40 {
            names.add(name(flow as u16 % 2, flow.into()), flow);
        }
        let all: Vec<u32> = names.all(name(1, 0)).collect();
        assert_eq!(all, [1, 3, 5, 7, 9, 11, 13, 15]);
        assert!(names.has(&name(0, 9)) && !names.has(&name(2, 0)));
        assert_eq!(names.all(name(2, 0)).count(), 0);
    }
}
