//! Connections that nobody answers: of TCP, something comes back even from a port where nobody
//! listens.

use super::given::Given;
use crate::compare::{FlowFacts, Passage};
use crate::model::{FlowKey, Protocol, ScopeTag};
use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;

/// A connection is asked for so often at most, unless the kernel is set otherwise (Linux
/// `tcp_syn_retries`: 6 times more).
const MOST_SYNS: u64 = 10;
/// IP bytes of a SYN, at most: with 40 bytes of TCP options.
const LONGEST_SYN: u64 = 100;

/// What is known of any flow, by whatever tunnel: as what it was seen at which point.
pub(super) struct Answers(HashSet<(usize, FlowKey)>);

impl Answers {
    pub fn of(given: &Given<'_>) -> Self {
        let flows = given.outcome.flows.iter();
        Self(flows.flat_map(seen).collect())
    }

    /// Whether it may be SYNs of a TCP flow, and no point shows any of the other direction. What goes
    /// on is answered, and the captures show one direction.
    pub fn is_unanswered(&self, flow: &FlowFacts) -> bool {
        let mut seen = seen(flow).peekable();
        let is_tcp = |(_, key): &(usize, FlowKey)| key.protocol == Protocol::TCP;
        seen.peek().is_some_and(is_tcp)
            && flow.account.at.iter().all(may_be_syns)
            && !seen.any(|(point, key)| self.0.contains(&(point, key.reversed())))
    }
}

fn may_be_syns(at: &Passage) -> bool {
    at.packets <= MOST_SYNS && at.bytes <= LONGEST_SYN * at.packets
}

fn seen(flow: &FlowFacts) -> impl Iterator<Item = (usize, FlowKey)> {
    let keys = flow.keys.iter().zip(&flow.account.at).enumerate();
    keys.filter_map(|(point, (key, at))| {
        let key = key.filter(|_| at.packets > 0)?;
        let scope = ScopeTag::WIRE;
        Some((point, FlowKey { scope, ..key }))
    })
}

/// Where most of some packets go, as a point shows them, with the port if there is one; `None` if they
/// go to many.
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
    let all: u64 = ends.values().sum();
    let most = ends.into_iter().max_by_key(|(_, packets)| *packets);
    most.filter(|(_, packets)| packets * 2 > all)
        .map(|(end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Account;
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
                    bytes: 60 * packets,
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
        let goes_on = flow(Protocol::TCP, [1, 4], [40_000, 80], 500);
        let mut has_data = flow(Protocol::TCP, [1, 5], [40_000, 80], 5);
        has_data.account.at[0].bytes = 4_000;
        let all = [
            &asked, &silent, &datagrams, &answer, &nothing, &goes_on, &has_data,
        ];
        let answers = Answers(all.iter().flat_map(|flow| seen(flow)).collect());
        let unanswered = all.map(|flow| answers.is_unanswered(flow));
        assert_eq!(unanswered, [false, true, false, false, false, false, false]);
    }

    #[test]
    fn most_packets_tell_where_they_go() {
        let flows = [(9, 2), (4, 3), (6, 3)]
            .map(|(packets, to)| (packets, flow(Protocol::TCP, [1, to], [40_000, 80], packets)));
        let flows = flows.iter().map(|(packets, flow)| (*packets, flow));
        let most = mostly_to(flows, 0);
        assert_eq!(most, Some((IpAddr::from([10, 0, 0, 3]), Some(80))));
        let to_many = [2, 3, 4].map(|to| (5, flow(Protocol::TCP, [1, to], [40_000, 80], 5)));
        let to_many = to_many.iter().map(|(packets, flow)| (*packets, flow));
        assert_eq!(mostly_to(to_many, 0), None);
    }
}
