//! How much of each flow came to a host, and how much of that the interfaces behind show: what is
//! missing there was lost in the host.

use super::Place;
use crate::compare::sighting::{Form, Sighting};
use crate::model::FlowKey;
use crate::model::counters::add_fields;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Flows of which this is counted.
const MAX_FLOWS: usize = 1 << 14;
/// Interfaces that a flow passes in one host; what passes more is not judged.
const MAX_PLACES: usize = 8;

/// What an interface shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Packets.
    pub packets: u64,
    /// Bytes above IP; of a stream those of the stream. Who cuts and joins packets leaves them.
    pub bytes: u64,
    /// Packets of streams, which others cut and join, and fragments.
    pub cut: u64,
}

add_fields!(Amount {
    packets,
    bytes,
    cut
});

/// What came to a host of a flow, and what of that the last interface shows.
#[derive(Clone, Copy, Debug)]
pub(in crate::compare) struct Through {
    /// As what it came.
    pub key: FlowKey,
    pub came: Amount,
    pub left: Amount,
}

/// Flows by their first names.
#[derive(Debug, Default)]
pub(super) struct Counts(HashMap<u64, Flow, RandomState>);

#[derive(Debug)]
struct Flow {
    key: FlowKey,
    /// In the order in which they showed it first.
    places: [(Place, Amount); MAX_PLACES],
    known: u8,
    has_more: bool,
}

impl Counts {
    /// Takes what an interface showed of a flow.
    pub fn take(&mut self, flow: u64, place: Place, seen: &Sighting, key: &FlowKey) {
        let is_full = self.0.len() >= MAX_FLOWS;
        let amount = amount(seen);
        match self.0.get_mut(&flow) {
            Some(flow) => flow.take(place, amount),
            None if is_full => {}
            None => self
                .0
                .entry(flow)
                .or_insert_with(|| Flow::of(key))
                .take(place, amount),
        }
    }

    /// What passed the host; of what several interfaces do not show nothing is known.
    pub fn passed(&self) -> impl Iterator<Item = Through> {
        self.0.values().filter_map(Flow::passed)
    }
}

impl Flow {
    fn of(key: &FlowKey) -> Self {
        Self {
            key: *key,
            places: Default::default(),
            known: 0,
            has_more: false,
        }
    }

    fn take(&mut self, place: Place, amount: Amount) {
        let known = usize::from(self.known);
        let found = self.places[..known].iter_mut().find(|(at, _)| *at == place);
        if let Some((_, seen)) = found {
            *seen += amount;
        } else if known < MAX_PLACES {
            self.places[known] = (place, amount);
            self.known += 1;
        } else {
            self.has_more = true;
        }
    }

    /// A bridge sends the first packets of a flow to all of its ports: what shows less than half
    /// is not on the way. Of a flow that is spread over two, as by a bond, nothing is told.
    fn passed(&self) -> Option<Through> {
        let (first, others) = self.places[..self.known.into()].split_first()?;
        let came = first.1;
        let is_on_the_way = |(_, amount): &(Place, Amount)| amount.bytes >= came.bytes / 2;
        let last = others.iter().rposition(is_on_the_way)?;
        let left = others[last].1;
        let beside = others
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != last);
        let mut beside = beside.map(|(_, (_, amount))| amount);
        let is_spread = beside.any(|other| is_rest(other, &left, &came));
        (!self.has_more && !is_spread).then_some(Through {
            key: self.key,
            came,
            left,
        })
    }
}

/// Whether an interface shows what another lacks of all.
fn is_rest(other: &Amount, left: &Amount, all: &Amount) -> bool {
    let tenth = all.bytes / 10;
    let is_part = (tenth..all.bytes - tenth).contains(&other.bytes);
    let both = other.bytes + left.bytes;
    is_part && both.abs_diff(all.bytes) <= tenth
}

fn amount(seen: &Sighting) -> Amount {
    Amount {
        packets: 1,
        bytes: seen.bytes.into(),
        cut: u64::from(seen.form != Form::Whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;
    use crate::model::{Addresses, Protocol, ScopeTag};

    fn key() -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// What passed of a flow of which interfaces show so many packets, one after the other.
    fn passed(shown: &[u64]) -> Option<[u64; 2]> {
        let mut counts = Counts::default();
        for packet in 0..shown.iter().copied().max().unwrap_or(0) {
            for (place, _) in shown.iter().enumerate().filter(|(_, most)| packet < **most) {
                counts.take(7, Place(place as u64), &example(1), &key());
            }
        }
        let through = counts.passed().next()?;
        assert_eq!(through.key, key());
        Some([through.came.packets, through.left.packets])
    }

    #[test]
    fn what_the_last_interface_shows_has_left() {
        assert_eq!(passed(&[100, 97]), Some([100, 97]));
        assert_eq!(passed(&[100, 97, 97]), Some([100, 97]));
        assert_eq!(passed(&[100, 100, 60]), Some([100, 60]));
    }

    #[test]
    fn what_ends_at_the_host_does_not_pass_it() {
        assert_eq!(passed(&[100]), None);
    }

    /// The bridge had not learnt yet where the receiver is.
    #[test]
    fn ports_that_a_bridge_floods_are_not_on_the_way() {
        assert_eq!(passed(&[100, 98, 2, 2]), Some([100, 98]));
        assert_eq!(passed(&[100, 2]), None);
    }

    #[test]
    fn of_more_interfaces_than_are_known_nothing_is_told() {
        assert_eq!(passed(&[100, 99, 98, 97, 96, 95, 94, 93]), Some([100, 93]));
        assert_eq!(passed(&[100, 99, 98, 97, 96, 95, 94, 93, 92]), None);
    }

    /// A bond shows each packet, and so does one of its two interfaces.
    #[test]
    fn what_is_spread_over_two_interfaces_is_not_lost() {
        assert_eq!(passed(&[100, 100, 50, 50]), None);
        assert_eq!(passed(&[100, 60, 40]), None);
        assert_eq!(passed(&[100, 70, 70]), Some([100, 70]));
        assert_eq!(passed(&[100, 52]), Some([100, 52]));
    }

    #[test]
    fn there_is_room_for_so_many_flows() {
        let mut counts = Counts::default();
        for flow in 0..20_000 {
            counts.take(flow, Place(1), &example(1), &key());
        }
        assert_eq!(counts.0.len(), MAX_FLOWS);
    }
}
