//! Flows of which both sides of two neighbours show enough, by one name, and nothing is the same:
//! something between the two ends connections and opens others in the name of their hosts, or
//! numbers their streams anew. What goes in is not lost there, nor made from nothing.

use super::book::Passage;
use super::names::Name;
use crate::model::FlowKey;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Of fewer, all may be lost that was seen in front, and missed in front what was seen behind.
const ENOUGH: u64 = 8;

/// Packets that each side shows of flows that it alone knows, by the point in front and by name.
#[derive(Default)]
pub(super) struct Remade(HashMap<(usize, Name), [u64; 2], RandomState>);

impl Remade {
    pub fn add(&mut self, (front, side): (usize, usize), key: &FlowKey, seen: &Passage) {
        let sides = self.0.entry((front, Name::of(key))).or_default();
        sides[side] += seen.packets;
    }

    /// Whether the other side shows a flow by the same name, and both enough of it.
    pub fn has(&self, front: usize, key: &FlowKey) -> bool {
        let seen = self.0.get(&(front, Name::of(key)));
        seen.is_some_and(|sides| sides.iter().all(|packets| *packets >= ENOUGH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Ports, Protocol, ScopeTag};

    fn key(port: u16) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: Some(Ports {
                source: port,
                destination: 9,
            }),
            protocol: Protocol::TCP,
            scope: ScopeTag::WIRE,
        }
    }

    #[test]
    fn it_takes_both_sides_of_one_place_and_enough_of_each() {
        let mut remade = Remade::default();
        let mut add = |place, port, packets| {
            let seen = Passage {
                packets,
                ..Passage::default()
            };
            remade.add(place, &key(port), &seen);
        };
        add((0, 0), 1, ENOUGH);
        add((0, 1), 1, ENOUGH);
        add((0, 0), 2, 1_000);
        add((0, 1), 2, ENOUGH - 1);
        add((0, 0), 3, 1_000);
        add((0, 1), 4, 1_000);
        add((0, 0), 5, 1_000);
        add((1, 1), 5, 1_000);
        let has = |front, port| remade.has(front, &key(port));
        assert!(has(0, 1) && !has(1, 1));
        assert!([2, 3, 4, 5].iter().all(|port| !has(0, *port)));
    }
}
