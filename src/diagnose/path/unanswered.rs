//! Connections that nobody answers: of TCP, something comes back even from a port where nobody
//! listens.

use super::given::Given;
use crate::compare::FlowFacts;
use crate::model::{FlowKey, Protocol, ScopeTag};
use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;

/// What is known of any flow, by whatever tunnel: as what it was seen at which point.
pub(super) struct Answers(HashSet<(usize, FlowKey)>);

impl Answers {
    pub fn of(given: &Given<'_>) -> Self {
        let flows = given.outcome.flows.iter();
        Self(flows.flat_map(seen).collect())
    }

    /// Whether it is a TCP flow, and no point shows any of the other direction.
    pub fn is_unanswered(&self, flow: &FlowFacts) -> bool {
        let mut seen = seen(flow).peekable();
        let is_tcp = |(_, key): &(usize, FlowKey)| key.protocol == Protocol::TCP;
        seen.peek().is_some_and(is_tcp)
            && !seen.any(|(point, key)| self.0.contains(&(point, key.reversed())))
    }
}

fn seen(flow: &FlowFacts) -> impl Iterator<Item = (usize, FlowKey)> {
    let keys = flow.keys.iter().zip(&flow.account.at).enumerate();
    keys.filter_map(|(point, (key, at))| {
        let key = key.filter(|_| at.packets > 0)?;
        let scope = ScopeTag::WIRE;
        Some((point, FlowKey { scope, ..key }))
    })
}

/// Where most of some packets go, as a point shows them, with the port if there is one.
pub(super) fn mostly_to<'a>(
    flows: impl Iterator<Item = (u64, &'a FlowFacts)>,
    point: usize,
) -> Option<(IpAddr, Option<u16>)> {
    let mut ends: BTreeMap<(IpAddr, Option<u16>), u64> = BTreeMap::new();
    for (packets, flow) in flows {
        if let Some(key) = flow.keys.get(point).copied().flatten() {
            let port = key.ports.map(|ports| ports.destination);
            *ends.entry((key.addresses.destination(), port)).or_default() += packets;
        }
    }
    let most = ends.into_iter().max_by_key(|(_, packets)| *packets);
    most.map(|(end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Account, Passage};
    use crate::model::{Addresses, Ports};

    fn flow(protocol: Protocol, ends: [u8; 2], ports: [u16; 2], packets: u64) -> FlowFacts {
        let [source, destination] = ends.map(|end| [10, 0, 0, end]);
        let key = FlowKey {
            addresses: Addresses::v4(source, destination),
            ports: Some(Ports {
                source: ports[0],
                destination: ports[1],
            }),
            protocol,
            scope: ScopeTag(7),
        };
        FlowFacts {
            keys: vec![Some(key)],
            is_backward: false,
            account: Account {
                at: vec![Passage {
                    packets,
                    ..Passage::default()
                }],
                ..Account::default()
            },
        }
    }

    #[test]
    fn of_tcp_alone_an_answer_is_missed() {
        let asked = flow(Protocol::TCP, [1, 2], [40_000, 80], 3);
        let silent = flow(Protocol::TCP, [1, 3], [40_000, 80], 3);
        let datagrams = flow(Protocol::UDP, [1, 3], [40_000, 53], 3);
        let answer = flow(Protocol::TCP, [2, 1], [80, 40_000], 1);
        let nothing = flow(Protocol::TCP, [3, 1], [80, 40_000], 0);
        let all = [&asked, &silent, &datagrams, &answer, &nothing];
        let answers = Answers(all.iter().flat_map(|flow| seen(flow)).collect());
        let unanswered = all.map(|flow| answers.is_unanswered(flow));
        assert_eq!(unanswered, [false, true, false, false, false]);
    }

    #[test]
    fn most_packets_tell_where_they_go() {
        let flows = [(9, 2), (4, 3), (6, 3)]
            .map(|(packets, to)| (packets, flow(Protocol::TCP, [1, to], [40_000, 80], packets)));
        let flows = flows.iter().map(|(packets, flow)| (*packets, flow));
        let most = mostly_to(flows, 0);
        assert_eq!(most, Some((IpAddr::from([10, 0, 0, 3]), Some(80))));
    }
}
