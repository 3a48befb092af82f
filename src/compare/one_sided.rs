//! Flows that one side of two points alone shows and that may not be of the path between the two:
//! with hosts of which nothing passes, as other traffic or as all of it is dropped; of a
//! conversation that goes [both ways](TwoWay) there and that the other capture lacks; or [made
//! anew](Remade) in between. It is not counted as lost.
//!
//! A node's interface carries what goes to other pods and what the node says itself. What goes
//! to somebody, or comes from somebody, who is known to be [on the other side](Beyond) is lost if it
//! is not on both. What no router passes on, as neighbour discovery, each link has of its own.

use super::between::Apart;
use super::beyond::Beyond;
use super::book::Series;
use super::flight::{Flight, pairs};
use super::outcome::FlowFacts;
use super::remade::Remade;
use super::two_way::TwoWay;
use crate::model::{FlowKey, ScopeSet};

/// Takes such flows out of what is counted between each pair of points; `places` tells which flow each
/// account is of.
pub(super) fn set_apart<'a>(
    flight: &Flight,
    flows: &mut [FlowFacts],
    places: &[usize],
    scopes: &ScopeSet,
    series: impl Iterator<Item = &'a mut Series>,
) {
    let fronts = 0..flight.points.saturating_sub(1);
    let mut beyond: Vec<Beyond> = fronts.map(|_| Beyond::default()).collect();
    let (mut two_way, mut remade) = (TwoWay::default(), Remade::default());
    for (pair, ends) in pairs(flight.points).enumerate() {
        let edges = flows
            .iter()
            .filter_map(|flow| Some((flow, Edge::in_pair(flow, pair, ends)?)));
        for (flow, edge) in edges.filter(|(_, edge)| edge.front == pair) {
            beyond[pair].ask(edge.side, &edge.key, scopes);
            if let Some(seen) = flow.account.at.get(edge.point()) {
                two_way.add(edge.place(), &edge.key, seen, scopes);
                remade.add(edge.place(), &edge.key, seen);
            }
        }
    }
    for (front, beyond) in beyond.iter_mut().enumerate() {
        beyond.find(flight, front, flows, scopes);
    }
    for (pair, (ends, series)) in pairs(flight.points).zip(series).enumerate() {
        let mut are_apart = vec![false; flows.len()];
        for (flow, is_apart) in flows.iter_mut().zip(&mut are_apart) {
            let Some(edge) = Edge::in_pair(flow, pair, ends) else {
                continue;
            };
            let beyond = &beyond[edge.front];
            let why = if flow.stays_on_link(edge.point()) {
                Some(Apart::OfOtherHosts)
            } else if remade.has(edge.front, &edge.key) {
                Some(Apart::Remade)
            } else if !beyond.has(edge.side, &edge.key, scopes) {
                Some(Apart::OfOtherHosts)
            } else if two_way.has(edge.place(), &edge.key, scopes) {
                Some(Apart::BothWays)
            } else {
                None
            };
            if let Some(why) = why {
                flow.account.between[pair].set_apart(why);
                *is_apart = true;
            }
        }
        let is_of_path = |number: usize| !are_apart[places[number]];
        series.judge_singles(is_of_path, !are_apart.contains(&true));
    }
}

/// Where a flow that one side alone knows ends: between two neighbours, the last that knows it
/// and one that does not. There it is apart or lost, and so it is over the whole path.
struct Edge {
    /// The point of the two that lies in front.
    front: usize,
    /// Which of them knows it: 0 the one in front, 1 the one behind.
    side: usize,
    /// As what.
    key: FlowKey,
}

impl Edge {
    /// Of a flow that one side of a pair of points alone knows.
    fn in_pair(flow: &FlowFacts, pair: usize, ends: (usize, usize)) -> Option<Self> {
        Self::of(flow, only_side(flow, pair, ends)?)
    }

    fn of(flow: &FlowFacts, side: usize) -> Option<Self> {
        let mut known = flow.keys.iter().enumerate();
        let is_known = |(_, key): &(usize, &Option<FlowKey>)| key.is_some();
        let (point, key) = match side {
            0 => known.rfind(is_known),
            _ => known.find(is_known),
        }?;
        Some(Self {
            front: point.checked_sub(side)?,
            side,
            key: (*key)?,
        })
    }

    fn place(&self) -> (usize, usize) {
        (self.front, self.side)
    }

    /// The point that knows it.
    fn point(&self) -> usize {
        self.front + self.side
    }
}

/// The side of two points, 0 in front and 1 behind, that alone knows a flow of which something
/// is counted between them.
fn only_side(flow: &FlowFacts, pair: usize, ends: (usize, usize)) -> Option<usize> {
    let between = &flow.account.between[pair];
    if between.front.packets + between.back.packets == 0 {
        return None;
    }
    let is_known = [0, 1].map(|side| {
        let mut keys = flow.keys[on_side(side, ends, flow.keys.len())].iter();
        keys.any(Option::is_some)
    });
    match is_known {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}

/// The points on a side of two.
fn on_side(side: usize, (front, back): (usize, usize), points: usize) -> std::ops::Range<usize> {
    match side {
        0 => 0..front + 1,
        _ => back..points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::book::{Account, Passage};
    use crate::compare::flight::of_points;
    use crate::compare::sighting::Batch;
    use crate::compare::{Between, Count};
    use crate::model::{Addresses, Ports, Protocol, ScopeTag};

    fn key(source: u8, destination: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, source], [10, 0, 0, destination]),
            ports: Some(Ports {
                source: 1,
                destination: 9,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// Flows as each point knows them, of each of which three packets were seen where it is
    /// known; says which of them are set apart, by pair of points.
    fn apart_between<const POINTS: usize>(known: &[[Option<FlowKey>; POINTS]]) -> Vec<Vec<bool>> {
        let mut flight = of_points(POINTS);
        let mut lanes = [0; POINTS];
        let mut flows = Vec::new();
        for keys in known {
            let mut flow = None;
            for (point, key) in keys.iter().enumerate() {
                let Some(key) = key else { continue };
                let lane = lanes[point];
                lanes[point] += 1;
                let batch = Batch {
                    lanes: vec![*key],
                    ..Batch::default()
                };
                flight.meet(point, &batch);
                match flow {
                    None => flow = Some(flight.paths.add(point, lane)),
                    Some(flow) => flight.paths.bind(point, lane, flow),
                }
            }
            let hop_limit = match keys.iter().flatten().any(|key| *key == to_neighbours()) {
                true => 255,
                false => 64,
            };
            let at = Passage {
                hop_limit,
                ..Passage::default()
            };
            flows.push(FlowFacts {
                keys: keys.to_vec(),
                is_backward: false,
                account: Account {
                    flow,
                    between: pairs(POINTS).map(|ends| seen(keys, ends)).collect(),
                    at: vec![at; POINTS],
                    ..Account::default()
                },
            });
        }
        let mut series = vec![Series::new(crate::model::Duration(1)); pairs(POINTS).count()];
        let places: Vec<usize> = (0..flows.len()).collect();
        let scopes = ScopeSet::default();
        set_apart(&flight, &mut flows, &places, &scopes, series.iter_mut());
        let are_apart = |pair: usize| {
            let betweens = flows.iter().map(move |flow| &flow.account.between[pair]);
            betweens.map(|between| between.one_sided.iter().any(|seen| seen.flows > 0))
        };
        let pairs = 0..pairs(POINTS).count();
        pairs.map(|pair| are_apart(pair).collect()).collect()
    }

    /// What is counted of a flow between two points.
    fn seen(keys: &[Option<FlowKey>], (front, back): (usize, usize)) -> Between {
        let of = |is_seen: bool| Count {
            packets: 3 * u64::from(is_seen),
            ..Count::default()
        };
        let [front, back] = [front, back].map(|point| keys[point].is_some());
        Between {
            front: of(front),
            front_passed: of(front && back),
            back: of(back),
            back_passed: of(front && back),
            ..Between::default()
        }
    }

    /// The same of two points.
    fn apart(known: &[[Option<FlowKey>; 2]]) -> Vec<bool> {
        apart_between(known).remove(0)
    }

    fn to_neighbours() -> FlowKey {
        FlowKey {
            addresses: Addresses::v6([0x20; 16], [0x30; 16]),
            ports: None,
            protocol: Protocol::ICMPV6,
            scope: ScopeTag::WIRE,
        }
    }

    #[test]
    fn what_goes_to_a_host_that_others_reach_is_lost() {
        let passes = [Some(key(1, 2)), Some(key(1, 2))];
        let from_another = [Some(key(3, 2)), None];
        let to_another = [Some(key(1, 4)), None];
        let never_entered = [None, Some(key(1, 5))];
        let of_others = [None, Some(key(6, 2))];
        let told = apart(&[passes, from_another, to_another, never_entered, of_others]);
        assert_eq!(told, [false, false, true, false, true]);
    }

    /// One host behind a service, and one of several behind the address of their node.
    #[test]
    fn who_is_called_otherwise_there_proves_nothing_of_others() {
        let service = [Some(key(1, 2)), Some(key(1, 8))];
        let to_another_of_it = [Some(key(1, 2)), None];
        assert_eq!(apart(&[service, to_another_of_it]), [false, true]);
        let masked = [Some(key(1, 2)), Some(key(7, 2))];
        let of_another = [None, Some(key(7, 5))];
        let lost = [Some(key(1, 2)), None];
        assert_eq!(apart(&[masked, of_another, lost]), [false, true, false]);
    }

    fn from_port(port: u16, key: FlowKey) -> FlowKey {
        let destination = 9;
        FlowKey {
            ports: Some(Ports {
                source: port,
                destination,
            }),
            ..key
        }
    }

    #[test]
    fn what_answers_a_flow_that_passes_goes_back_by_any_name() {
        let masked = |port: u16| [key(1, 2), key(7, 2)].map(|key| Some(from_port(port, key)));
        let answer = |port: u16| [None, Some(from_port(port, key(7, 2)).reversed())];
        assert_eq!(apart(&[masked(5), answer(5)]), [false, false]);
        assert_eq!(apart(&[masked(5), answer(6)]), [false, true]);
        let served = |port: u16| [key(1, 2), key(1, 8)].map(|key| Some(from_port(port, key)));
        let answer = |port: u16| [None, Some(from_port(port, key(1, 8)).reversed())];
        assert_eq!(apart(&[answer(5), served(5)]), [false, false]);
    }

    /// Of two hosts behind a service each would have a half.
    #[test]
    fn what_goes_to_a_service_of_which_nearly_all_passes_is_lost() {
        let served = |port: u16| [key(1, 2), key(1, 8)].map(|key| Some(from_port(port, key)));
        let ends = |port: u16| [Some(from_port(port, key(1, 2))), None];
        let of = |passes: u16, lost: u16| {
            let lost = (passes..passes + lost).map(ends);
            let told = apart(&(0..passes).map(served).chain(lost).collect::<Vec<_>>());
            told[usize::from(passes)]
        };
        assert_eq!(
            [of(16, 5), of(300, 100), of(15, 1), of(16, 6), of(20, 20)],
            [false, false, true, true, true]
        );
    }

    #[test]
    fn what_goes_to_all_proves_nothing_of_who_sends_it() {
        let passes = [Some(key(1, 2)), Some(key(1, 2))];
        let heard = [Some(key(3, 255)), Some(key(3, 255))];
        let mine = [Some(key(3, 5)), None];
        assert_eq!(apart(&[passes, heard, mine]), [false, false, true]);
    }

    #[test]
    fn where_nothing_passes_nothing_is_lost() {
        assert_eq!(apart(&[[Some(key(1, 2)), None]]), [true]);
    }

    /// Two pods behind one address, of which the first point is the one's own.
    #[test]
    fn what_shares_an_address_further_on_is_not_of_the_path() {
        let (node, server) = (9, 20);
        let through = |pod: u8, port: u16| {
            let mut translated = key(node, server);
            translated.ports = Some(Ports {
                source: port,
                destination: 9,
            });
            [Some(key(pod, server)), Some(translated)]
        };
        let [at_bridge, at_node] = through(1, 5);
        let mine = [at_bridge, at_bridge, at_node];
        let [at_bridge, at_node] = through(3, 6);
        let another = [None, at_bridge, at_node];
        let none = [false, false];
        assert_eq!(
            apart_between(&[mine, another]),
            [[false, true], none, [false, true]]
        );
    }

    #[test]
    fn what_no_router_passes_on_is_not_lost() {
        let of_link = |source: [u8; 4], destination: [u8; 4]| FlowKey {
            addresses: Addresses::v4(source, destination),
            ..key(1, 2)
        };
        let passes = |key: FlowKey| [Some(key), Some(key)];
        let group = of_link([10, 0, 0, 1], [224, 0, 0, 5]);
        let told = apart(&[
            passes(key(1, 2)),
            passes(to_neighbours()),
            [Some(of_link([169, 254, 0, 1], [10, 0, 0, 2])), None],
            passes(group),
            [Some(group), None],
            [Some(to_neighbours()), None],
            [Some(key(3, 2)), None],
        ]);
        assert_eq!(told, [false, false, true, false, true, true, false]);
    }
}
