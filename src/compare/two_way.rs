//! Conversations that go both ways at one point: if the next shows nothing of either way, that is
//! not because packets are lost on the way to it. Its capture has a filter, or they take another
//! way.

use super::book::Passage;
use super::names::Name;
use crate::model::{FlowKey, Network, Protocol, ScopeSet};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// IP bytes of a TCP segment that carries no data, at most: with IPv6 and options.
const BARE: u64 = 100;
/// A firewall that rejects in the name of a host, or opens a connection for it, sends fewer
/// segments.
const GOES_ON: u64 = 4;

/// Flows that one side of two neighbours alone knows, by where that is and what they are called.
#[derive(Default)]
pub(super) struct TwoWay(HashMap<Flow, Talk, RandomState>);

/// The point in front, which side of it knows the flow, and as what.
type Flow = (usize, usize, Network, Name);

/// What shows who it comes from.
#[derive(Clone, Copy)]
struct Talk {
    /// It is more than somebody on the way would say in the name of its host.
    is_own: bool,
    has_data: bool,
}

impl TwoWay {
    pub fn add(
        &mut self,
        (front, side): (usize, usize),
        key: &FlowKey,
        seen: &Passage,
        scopes: &ScopeSet,
    ) {
        if seen.packets == 0 {
            return;
        }
        let has_data = key.protocol != Protocol::TCP || seen.bytes / seen.packets > BARE;
        let is_own = has_data || seen.packets >= GOES_ON;
        let network = scopes.network(key.scope);
        let talk = Talk { is_own, has_data };
        self.0.insert((front, side, network, Name::of(key)), talk);
    }

    /// Whether there is something of both ways of the conversation of a flow.
    pub fn has(&self, (front, side): (usize, usize), key: &FlowKey, scopes: &ScopeSet) -> bool {
        let network = scopes.network(key.scope);
        let names = [Name::of(key), Name::answered(key)];
        let [Some(asks), Some(answers)] =
            names.map(|name| self.0.get(&(front, side, network, name)))
        else {
            return false;
        };
        asks.is_own && answers.is_own && (asks.has_data || answers.has_data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Ports, ScopeTag};

    const PLACE: (usize, usize) = (0, 0);

    fn key(protocol: Protocol) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: Some(Ports {
                source: 1,
                destination: 9,
            }),
            protocol,
            scope: ScopeTag::WIRE,
        }
    }

    /// A flow and what answers it, each with so many packets and bytes, the answer at a place.
    fn talk(protocol: Protocol, [asks, answers]: [(u64, u64); 2], place: (usize, usize)) -> bool {
        let seen = |(packets, bytes)| Passage {
            packets,
            bytes,
            ..Passage::default()
        };
        let (key, scopes) = (key(protocol), ScopeSet::default());
        let mut two_way = TwoWay::default();
        two_way.add(PLACE, &key, &seen(asks), &scopes);
        two_way.add(place, &key.reversed(), &seen(answers), &scopes);
        two_way.has(PLACE, &key, &scopes)
    }

    #[test]
    fn what_is_answered_goes_both_ways() {
        let talks = |asks, answers| talk(Protocol::TCP, [asks, answers], PLACE);
        let (data, few_bare, bare) = ((20, 20_000), (3, 180), (9, 468));
        assert!(talks(data, data) && talks(data, bare) && talks(bare, data));
        assert!(!talks(data, few_bare), "rejected, or opened by a proxy");
        assert!(!talks(few_bare, few_bare) && !talks(bare, bare), "no data");
        assert!(!talks(data, (0, 0)), "no answer");
        assert!(talk(Protocol::UDP, [(1, 60), (1, 90)], PLACE));
    }

    #[test]
    fn it_is_one_point_that_shows_both_ways() {
        let at = |place| talk(Protocol::UDP, [(1, 60), (1, 90)], place);
        assert!(at((0, 0)) && !at((0, 1)) && !at((1, 0)));
    }
}
