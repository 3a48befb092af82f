//! What routers and hosts say of packets that they dropped, ICMP errors, and between which points
//! they are.
//!
//! An error goes against the packet that it is about, and is seen at every point in front of the
//! one who sends it. That is told by the flow that the errors make, as of every other: what is at
//! one point and not at the next, while both captured, is from somebody in between. What comes
//! in past the last point is from behind it.

use super::between::{Between, Shown};
use super::outcome::FlowFacts;
use super::whose::{Whose, segment_behind};
use crate::model::facts::{IcmpError, Layer, Transport};
use crate::model::{FlowKey, Timestamp};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Most errors that one point keeps, but for how often each came: who sends them may make up any
/// number of addresses.
const MAX_KEPT: usize = 1 << 14;

/// What an ICMP error says, and who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Says {
    /// Who, as the point knows it.
    pub by: IpAddr,
    /// Type.
    pub kind: u8,
    /// Code.
    pub code: u8,
    /// Next-hop MTU in bytes (RFC 1191, RFC 4443); 0 if there is none, or it is not given.
    pub mtu: u32,
}

/// Errors that say the same of packets that go the same way, from between the same points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropsTold {
    /// The pair of neighbours they come from; `None` if from behind the end of the path.
    pub segment: Option<usize>,
    /// Whether the packets go from the last point to the first.
    pub is_backward: bool,
    /// What they say.
    pub says: Says,
    /// How many there are. Hosts send so many a second and no more: more may have been dropped.
    pub errors: u64,
    /// Flows of which packets were dropped, by place in the outcome.
    pub flows: BTreeSet<usize>,
    /// Flows that the errors make.
    pub carried_by: BTreeSet<usize>,
    /// The first of them.
    pub first: Shown,
}

/// One point's errors.
#[derive(Default)]
pub(super) struct Told {
    kept: HashMap<Error, Seen, RandomState>,
    /// Errors that there was no room for.
    pub refused: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Error {
    /// The flow it is of.
    carrier: FlowKey,
    /// The flow that it is about; without ports where it does not show them.
    about: FlowKey,
    says: Says,
}

#[derive(Clone, Copy)]
struct Seen {
    errors: u64,
    frame: u64,
    time: Timestamp,
}

impl Told {
    /// Takes a packet of a flow if it is an error.
    pub fn take(&mut self, layer: &Layer, carrier: &FlowKey, (frame, time): (u64, Timestamp)) {
        let Transport::Icmp(icmp) = &layer.transport else {
            return;
        };
        let Some(quoted) = &icmp.quoted else {
            return;
        };
        let says = Says {
            by: layer.addresses.source(),
            kind: icmp.kind,
            code: icmp.code,
            mtu: match quoted.error {
                IcmpError::FragmentationNeeded { mtu } | IcmpError::PacketTooBig { mtu } => mtu,
                IcmpError::ReassemblyTimeExceeded | IcmpError::Other => 0,
            },
        };
        let about = FlowKey {
            // Those of an error are what it quotes.
            ports: carrier.ports,
            ..quoted.flow
        };
        self.count(
            Error {
                carrier: *carrier,
                about,
                says,
            },
            Seen {
                errors: 1,
                frame,
                time,
            },
        );
    }

    fn count(&mut self, error: Error, seen: Seen) {
        let has_room = self.kept.len() < MAX_KEPT;
        match self.kept.get_mut(&error) {
            Some(known) => known.errors += seen.errors,
            None if has_room => {
                self.kept.insert(error, seen);
            }
            None => self.refused += seen.errors,
        }
    }
}

/// Finds out of each error between which points it was sent; what is most frequent comes first.
pub(super) fn gather(flows: &[FlowFacts], told: &[Told]) -> Vec<DropsTold> {
    let mut gathered = Gathered::default();
    for (point, told) in told.iter().enumerate() {
        let mut errors: Vec<(&Error, &Seen)> = told.kept.iter().collect();
        errors.sort_unstable_by_key(|(error, _)| **error);
        let keys = errors
            .iter()
            .flat_map(|(error, _)| [error.carrier, error.about]);
        let whose = Whose::at(point, flows, keys);
        // Of what several errors of one flow say, so many in all are from one segment.
        let mut left = HashMap::new();
        for (error, seen) in errors {
            gathered.take(flows, &whose, &mut left, error, seen);
        }
    }
    gathered.into_sorted()
}

#[derive(Default)]
struct Gathered(BTreeMap<(Option<usize>, bool, Says), DropsTold>);

impl Gathered {
    fn take(
        &mut self,
        flows: &[FlowFacts],
        whose: &Whose,
        left: &mut HashMap<usize, u64>,
        error: &Error,
        seen: &Seen,
    ) {
        let Some(carrier) = whose.flow(&error.carrier) else {
            return;
        };
        let Some(like) = whose.like(&error.about) else {
            return;
        };
        let is_backward = flows[like].is_backward;
        let point = whose.point;
        let segment = segment_behind(point, flows[carrier].keys.len(), is_backward);
        let side = usize::from(is_backward);
        let errors = match segment {
            None => seen.errors,
            Some(pair) => {
                let between = &flows[carrier].account.between[pair];
                let left = left.entry(carrier).or_insert(at_one_alone(between, side));
                let from_there = seen.errors.min(*left);
                *left -= from_there;
                from_there
            }
        };
        if errors > 0 {
            let about = whose.flow(&error.about);
            self.add(
                (segment, is_backward, error.says),
                errors,
                about,
                carrier,
                &Shown {
                    point,
                    frame: seen.frame,
                    time: seen.time,
                },
            );
        }
    }

    fn add(
        &mut self,
        (segment, is_backward, says): (Option<usize>, bool, Says),
        errors: u64,
        about: Option<usize>,
        carrier: usize,
        first: &Shown,
    ) {
        let key = (segment, is_backward, says);
        let told = self.0.entry(key).or_insert_with(|| DropsTold {
            segment,
            is_backward,
            says,
            errors: 0,
            flows: BTreeSet::new(),
            carried_by: BTreeSet::new(),
            first: *first,
        });
        told.errors += errors;
        told.flows.extend(about);
        told.carried_by.insert(carrier);
        if first.frame < told.first.frame {
            told.first = *first;
        }
    }

    fn into_sorted(self) -> Vec<DropsTold> {
        let mut told: Vec<DropsTold> = self.0.into_values().collect();
        told.sort_by_key(|told| std::cmp::Reverse(told.errors));
        told
    }
}

/// Packets that one side of two saw and the other did not.
fn at_one_alone(between: &Between, side: usize) -> u64 {
    let alone = match side {
        0 => between.lost(),
        _ => between.appeared(),
    };
    alone.packets + between.one_sided[side].count.packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Count;
    use crate::compare::book::Account;
    use crate::compare::flight::pairs;
    use crate::model::{Addresses, Ports, Protocol, ScopeTag};

    const ROUTER: u8 = 99;
    const PORTS: Ports = Ports {
        source: 5,
        destination: 9,
    };

    fn key(protocol: Protocol, source: u8, destination: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, source], [10, 0, 0, destination]),
            ports: Some(PORTS),
            protocol,
            scope: ScopeTag::WIRE,
        }
    }

    /// From the first point to the last, or back, by what names points know it.
    fn flow(keys: &[Option<FlowKey>], is_backward: bool) -> FlowFacts {
        FlowFacts {
            keys: keys.to_vec(),
            is_backward,
            account: Account {
                between: pairs(keys.len()).map(|_| Between::default()).collect(),
                ..Account::default()
            },
        }
    }

    fn packets(packets: u64) -> Count {
        Count {
            packets,
            ..Count::default()
        }
    }

    fn says(kind: u8) -> Says {
        Says {
            by: IpAddr::from([10, 0, 0, ROUTER]),
            kind,
            code: 0,
            mtu: 0,
        }
    }

    /// So many errors of a kind, about what one host sends another.
    fn told(errors: &[(FlowKey, FlowKey, u8, u64)]) -> Told {
        let mut told = Told::default();
        for (carrier, about, kind, errors) in errors {
            let error = Error {
                carrier: *carrier,
                about: *about,
                says: says(*kind),
            };
            let (frame, time) = (7, Timestamp(1));
            let errors = *errors;
            told.count(
                error,
                Seen {
                    errors,
                    frame,
                    time,
                },
            );
        }
        told
    }

    /// Where what is said of which way is from, and how often.
    fn found(flows: &[FlowFacts], told: &[Told]) -> Vec<(Option<usize>, bool, u8, u64)> {
        let gathered = gather(flows, told).into_iter();
        let found = gathered.map(|told| {
            let DropsTold {
                segment,
                is_backward,
                ..
            } = told;
            (segment, is_backward, told.says.kind, told.errors)
        });
        found.collect()
    }

    #[test]
    fn errors_that_one_point_alone_shows_are_from_behind_it() {
        let (sent, error) = (key(Protocol::UDP, 1, 2), key(Protocol::ICMP, ROUTER, 1));
        let mut flows = [
            flow(&[Some(sent); 3], false),
            flow(&[Some(error), Some(error), None], true),
        ];
        // Two of five come from between the first two points, the others from behind.
        let [first, second, _] = &mut flows[1].account.between[..] else {
            panic!("three pairs");
        };
        (first.front, first.front_passed) = (packets(5), packets(3));
        second.one_sided[0].count = packets(3);
        let at = |errors| told(&[(error, sent, 11, errors)]);
        let all = [at(5), at(3), Told::default()];
        let expected = [(Some(1), false, 11, 3), (Some(0), false, 11, 2)];
        assert_eq!(found(&flows, &all), expected);
    }

    #[test]
    fn errors_that_come_in_past_the_end_are_from_behind_the_path() {
        let (sent, error) = (key(Protocol::UDP, 1, 2), key(Protocol::ICMP, 2, 1));
        let mut flows = [flow(&[Some(sent); 2], false), flow(&[Some(error); 2], true)];
        flows[1].account.between[0].back = packets(4);
        flows[1].account.between[0].back_passed = packets(4);
        let at = || told(&[(error, sent, 3, 4)]);
        assert_eq!(found(&flows, &[at(), at()]), [(None, false, 3, 4)]);
        // What goes back is dropped in front of the first point.
        flows[0].is_backward = true;
        assert_eq!(found(&flows, &[at(), at()]), [(None, true, 3, 4)]);
    }

    /// The other capture had not begun when most of them came, or lost them.
    #[test]
    fn what_is_not_judged_is_not_told() {
        let (sent, error) = (key(Protocol::UDP, 1, 2), key(Protocol::ICMP, ROUTER, 1));
        let mut flows = [
            flow(&[Some(sent); 2], false),
            flow(&[Some(error), None], true),
        ];
        flows[1].account.between[0].one_sided[0].count = packets(4);
        let kinds = [(error, sent, 3, 3), (error, sent, 11, 6)];
        let all = [told(&kinds), Told::default()];
        let expected = [(Some(0), false, 3, 3), (Some(0), false, 11, 1)];
        assert_eq!(found(&flows, &all), expected);
    }

    /// An error about a fragment that is not the first one shows no ports.
    #[test]
    fn without_ports_the_way_is_that_of_the_hosts() {
        let (sent, error) = (key(Protocol::UDP, 1, 2), key(Protocol::ICMP, ROUTER, 1));
        let [bare, bare_error] = [sent, error].map(|key| FlowKey { ports: None, ..key });
        let mut flows = [
            flow(&[Some(sent); 2], false),
            flow(&[Some(bare_error), None], true),
        ];
        flows[1].account.between[0].one_sided[0].count = packets(1);
        let at = |about| [told(&[(bare_error, about, 11, 1)]), Told::default()];
        assert_eq!(found(&flows, &at(bare)), [(Some(0), false, 11, 1)]);
        let of_others = key(Protocol::UDP, 7, 8);
        assert_eq!(found(&flows, &at(of_others)), []);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut told = Told::default();
        let error = key(Protocol::ICMP, ROUTER, 1);
        for port in 0..20_000 {
            let ports = Some(Ports {
                source: port,
                destination: 9,
            });
            let about = FlowKey { ports, ..error };
            let (errors, frame, time) = (1, 1, Timestamp(1));
            let said = Error {
                carrier: error,
                about,
                says: says(3),
            };
            told.count(
                said,
                Seen {
                    errors,
                    frame,
                    time,
                },
            );
        }
        assert_eq!(told.kept.len(), MAX_KEPT);
        assert_eq!(told.refused, 20_000 - MAX_KEPT as u64);
    }
}
