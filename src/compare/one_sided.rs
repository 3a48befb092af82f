//! Flows that one side of two points alone shows, with hosts of which nothing passes between
//! the two: other traffic than that of the path, or all of it is dropped. Two captures cannot
//! tell, and so it is not counted as lost.
//!
//! A node's interface carries what goes to other pods and what the node says itself, and every
//! link has neighbour discovery of its own, which no router passes on. What goes to a host, or
//! comes from one, of which other flows do pass is lost if it is not on both sides.

use super::book::Series;
use super::flight::{Flight, pairs};
use super::outcome::FlowFacts;
use crate::model::{FlowKey, IpVersion};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// Takes such flows out of what is counted between each pair of points.
pub(super) fn set_apart<'a>(
    flight: &Flight,
    flows: &mut [FlowFacts],
    series: impl Iterator<Item = &'a mut Series>,
) {
    for (pair, (ends, series)) in pairs(flight.points).zip(series).enumerate() {
        let mut are_apart = false;
        let mut beyond = None;
        for flow in flows.iter_mut() {
            let Some(side) = only_side(flow, pair, ends) else {
                continue;
            };
            let beyond = beyond.get_or_insert_with(|| Beyond::of(flight, ends));
            if !beyond.has(side, &flow.keys[on_side(side, ends, flight.points)]) {
                flow.account.between[pair].set_apart();
                are_apart = true;
            }
        }
        series.judge_single(!are_apart);
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

/// Hosts on the other side of two points, of which something passes: as they are called in
/// front, and behind.
struct Beyond([HashSet<Host, RandomState>; 2]);

type Host = (IpVersion, [u8; 16]);

impl Beyond {
    fn of(flight: &Flight, ends: (usize, usize)) -> Self {
        let mut hosts = [HashSet::default(), HashSet::default()];
        for flow in 0..flight.paths.count() as u32 {
            let points = flight.paths.get(flow).points;
            let has = |side: usize| {
                let mut those = on_side(side, ends, flight.points);
                those.any(|point| points >> point & 1 != 0)
            };
            if flight.paths.is_part(flow) || !has(0) || !has(1) {
                continue;
            }
            for (side, hosts) in hosts.iter_mut().enumerate() {
                // What goes on is sent by who is in front, and what goes back to them.
                let goes_there = flight.is_backward(flow) == (side == 1);
                let keys = on_side(side, ends, flight.points);
                let keys = keys.filter_map(|point| flight.paths.key_at(flow, point));
                hosts.extend(keys.map(|key| host(key, goes_there)));
            }
        }
        Self(hosts)
    }

    /// Whether a flow that one side alone knows under these names is of such a host.
    fn has(&self, side: usize, keys: &[Option<FlowKey>]) -> bool {
        let is_one =
            |key: &FlowKey| [true, false].map(|end| self.0[side].contains(&host(key, end)));
        keys.iter().flatten().any(|key| is_one(key).contains(&true))
    }
}

/// One end of a flow: the one it goes to, or the one it comes from.
fn host(key: &FlowKey, is_destination: bool) -> Host {
    let address = match is_destination {
        true => key.addresses.destination,
        false => key.addresses.source,
    };
    (key.addresses.version, address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::book::Account;
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

    /// Flows as each of two points knows them, of each of which three packets were seen where it
    /// is known; says which of them are set apart.
    fn apart(known: &[[Option<FlowKey>; 2]]) -> Vec<bool> {
        let mut flight = of_points(2);
        let (mut flows, mut lanes) = (Vec::new(), [0; 2]);
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
            let seen = |point: usize| Count {
                packets: 3 * u64::from(keys[point].is_some()),
                ..Count::default()
            };
            let (front, back) = (seen(0), seen(1));
            let is_everywhere = keys.iter().all(Option::is_some);
            let passed = if is_everywhere {
                front
            } else {
                Count::default()
            };
            flows.push(FlowFacts {
                keys: keys.to_vec(),
                is_backward: false,
                account: Account {
                    flow,
                    between: vec![Between {
                        front,
                        front_passed: passed,
                        back,
                        back_passed: passed,
                        ..Between::default()
                    }],
                    ..Account::default()
                },
            });
        }
        let mut series = [Series::new(crate::model::Duration(1))];
        set_apart(&flight, &mut flows, series.iter_mut());
        let betweens = flows.iter().map(|flow| &flow.account.between[0]);
        let set_apart = betweens.map(|between| {
            let is_apart = between.one_sided.iter().any(|seen| seen.flows > 0);
            let counted = between.front.packets + between.back.packets;
            assert_eq!(counted == 0, is_apart);
            is_apart
        });
        set_apart.collect()
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

    #[test]
    fn hosts_have_the_names_that_a_point_knows() {
        let translated = [Some(key(1, 2)), Some(key(7, 8))];
        let lost = [Some(key(3, 2)), None];
        let by_the_other_name = [Some(key(3, 8)), None];
        assert_eq!(
            apart(&[translated, lost, by_the_other_name]),
            [false, false, true]
        );
    }

    #[test]
    fn where_nothing_passes_nothing_is_lost() {
        assert_eq!(apart(&[[Some(key(1, 2)), None]]), [true]);
    }
}
