//! Which hosts are looked at where there are more than can be.

use super::destination::host_of;
use crate::account::Flow;
use crate::model::{FlowKey, Ports, Timestamp};
use crate::receiver::Host;
use std::cmp::Reverse;
use std::collections::HashSet;

/// Hosts that are looked at, besides those that are modelled and the ends of tunnels: those
/// of the flows that lack most. A host takes some 1 KiB, as a flow with losses does.
pub(super) const MOST_HOSTS: usize = 1 << 17;

/// How much a flow matters. Nothing in it is a name: under other names a capture has the
/// same flows in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    lacking_bytes: Reverse<u64>,
    bytes: Reverse<u64>,
    first: Timestamp,
    last: Timestamp,
    ports: Option<Ports>,
}

impl Standing {
    fn of(key: &FlowKey, flow: &Flow) -> Self {
        let bytes = flow.bytes();
        let arrived = flow.deliverable_bytes() + flow.duplicate_bytes();
        Self {
            lacking_bytes: Reverse(bytes.saturating_sub(arrived)),
            bytes: Reverse(bytes),
            first: flow.first,
            last: flow.last,
            ports: key.ports,
        }
    }
}

/// Some flows, the one that matters most first, without those whose hosts would be more
/// than `most` beyond the `given` ones.
pub(super) fn foremost<'a>(
    flows: impl Iterator<Item = (&'a FlowKey, &'a Flow)>,
    given: impl Iterator<Item = Host>,
    most: usize,
) -> Vec<(&'a FlowKey, &'a Flow)> {
    let mut ranked: Vec<_> = flows
        .map(|(key, flow)| (Standing::of(key, flow), key, flow))
        .collect();
    ranked.sort_unstable_by_key(|(standing, key, _)| (*standing, **key));
    let hosts = hosts(&ranked, given.collect(), most);
    ranked
        .into_iter()
        .map(|(_, key, flow)| (key, flow))
        .filter(|(key, _)| hosts.contains(&host_of(key)))
        .collect()
}

/// The hosts of the first flows. Of flows that stand alike all are in or none: which came
/// in would be a matter of names.
fn hosts(
    ranked: &[(Standing, &FlowKey, &Flow)],
    given: HashSet<Host>,
    most: usize,
) -> HashSet<Host> {
    let mut hosts = given;
    let most = most.saturating_add(hosts.len());
    for alike in ranked.chunk_by(|(one, ..), (other, ..)| one == other) {
        let those = alike.iter().map(|(_, key, _)| host_of(key));
        let added: Vec<Host> = those.filter(|host| hosts.insert(*host)).collect();
        if hosts.len() > most {
            for host in &added {
                hosts.remove(host);
            }
            break;
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Protocol, ScopeTag};

    fn to(last: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, last]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::default(),
        }
    }

    fn seen_at(time: i64, key: &FlowKey) -> Flow {
        let mut flow = Flow::default();
        flow.plain_packet(key, 100, Timestamp(time), 100);
        flow
    }

    #[test]
    fn names_do_not_say_who_is_looked_at() {
        // The same three hosts under names in opposite orders.
        for names in [[7, 8, 9], [9, 8, 7]] {
            let keys = names.map(to);
            let flows = [3, 1, 2].map(|time| seen_at(time, &keys[0]));
            let pairs = keys.iter().zip(&flows);
            let looked_at = foremost(pairs, std::iter::empty(), 2);
            let looked_at: Vec<&FlowKey> = looked_at.iter().map(|(key, _)| *key).collect();
            assert_eq!(looked_at, [&keys[1], &keys[2]]);
        }
    }

    #[test]
    fn who_stands_alike_is_in_or_out_together() {
        let keys = [7, 8, 9].map(to);
        let flows = [1, 2, 2].map(|time| seen_at(time, &keys[0]));
        let pairs = || keys.iter().zip(&flows);
        assert_eq!(foremost(pairs(), std::iter::empty(), 2).len(), 1);
        let modelled = || std::iter::once(host_of(&keys[2]));
        assert_eq!(foremost(pairs(), modelled(), 2).len(), 3);
    }
}
