//! What hosts lose of what comes to them, where a capture has all of their interfaces.

use super::outcome::FlowFacts;
use super::views::through::{Amount, Through};
use super::whose::{Whose, segment_behind};
use std::collections::BTreeMap;

/// What came to the host of a point, and what of that the interface shows by which it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InHost {
    /// The point.
    pub point: usize,
    /// The pair of neighbours between which the host is for what goes this way: this point and
    /// the next. `None` if it is behind the end of the path.
    pub segment: Option<usize>,
    /// Whether it goes from the last point to the first.
    pub is_backward: bool,
    /// Flows that pass the host.
    pub flows: u64,
    /// What came of them.
    pub came: Amount,
    /// What of it left.
    pub left: Amount,
}

impl InHost {
    /// Bytes above IP that came and did not leave.
    pub fn lost_bytes(&self) -> u64 {
        self.came.bytes.saturating_sub(self.left.bytes)
    }

    /// The same in packets, if nothing cuts or joins them.
    pub fn lost_packets(&self) -> Option<u64> {
        let is_alike = self.came.cut + self.left.cut == 0;
        is_alike.then(|| self.came.packets.saturating_sub(self.left.packets))
    }
}

/// Adds up what passes the host of each point, of flows that are judged.
pub(super) fn gather(flows: &[FlowFacts], through: &[Vec<Through>]) -> Vec<InHost> {
    let mut hosts: BTreeMap<(usize, bool), InHost> = BTreeMap::new();
    for (point, through) in through.iter().enumerate() {
        let whose = Whose::at(point, flows, through.iter().map(|through| through.key));
        for through in through {
            let Some(flow) = whose.like(&through.key).map(|flow| &flows[flow]) else {
                continue;
            };
            let segment = segment_behind(point, flow.keys.len(), flow.is_backward);
            if !is_of_path(flow, point) {
                continue;
            }
            let host = hosts.entry((point, flow.is_backward)).or_insert(InHost {
                point,
                segment,
                is_backward: flow.is_backward,
                ..InHost::default()
            });
            host.flows += 1;
            host.came += through.came;
            host.left += through.left;
        }
    }
    hosts.into_values().collect()
}

/// Whether some of it is found at a neighbour of the point, and so it goes along the path.
fn is_of_path(flow: &FlowFacts, point: usize) -> bool {
    let neighbours = flow.keys.len().saturating_sub(1);
    let pairs = flow.account.between.iter().take(neighbours).enumerate();
    let beside = pairs.filter(|(pair, _)| *pair == point || pair + 1 == point);
    let mut passed = beside.map(|(_, between)| between.front_passed.packets);
    passed.any(|packets| packets > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::book::Account;
    use crate::compare::flight::pairs;
    use crate::compare::{Between, Count};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag};

    fn key(destination: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, destination]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    fn through(destination: u8, came: u64, left: u64) -> Through {
        let amount = |packets| Amount {
            packets,
            bytes: packets * 100,
            cut: 0,
        };
        Through {
            key: key(destination),
            came: amount(came),
            left: amount(left),
        }
    }

    /// Found at all of three points, or at the second alone.
    fn flow(destination: u8, is_found: bool, is_backward: bool) -> FlowFacts {
        let seen = Count {
            packets: 5,
            ..Count::default()
        };
        let between = Between {
            front_passed: if is_found { seen } else { Count::default() },
            ..Between::default()
        };
        FlowFacts {
            keys: vec![Some(key(destination)); 3],
            is_backward,
            account: Account {
                between: vec![between; pairs(3).count()],
                ..Account::default()
            },
        }
    }

    #[test]
    fn what_is_lost_in_a_host_is_of_the_segment_behind_it() {
        let flows = [
            flow(2, true, false),
            flow(3, true, false),
            flow(4, true, true),
        ];
        let at_b = vec![through(2, 10, 7), through(3, 10, 10), through(4, 8, 7)];
        let hosts = gather(&flows, &[Vec::new(), at_b.clone(), at_b]);
        let told = hosts.iter().map(|host| {
            let lost = (host.lost_packets(), host.lost_bytes());
            (host.point, host.segment, host.is_backward, host.flows, lost)
        });
        let expected = [
            (1, Some(1), false, 2, (Some(3), 300)),
            (1, Some(0), true, 1, (Some(1), 100)),
            (2, None, false, 2, (Some(3), 300)),
            (2, Some(1), true, 1, (Some(1), 100)),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn other_traffic_of_a_host_is_not_of_the_path() {
        let flows = [flow(2, false, false)];
        assert_eq!(
            gather(&flows, &[vec![through(2, 10, 1), through(9, 10, 1)]]),
            []
        );
    }
}
