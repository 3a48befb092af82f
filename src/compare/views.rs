//! Captures on several interfaces of one point: `-i any` on a router sees a packet as it comes
//! in and as it goes out, on a node plain on the veth of a pod and in a tunnel on the NIC. Each
//! packet is taken where it is seen first; what else shows it is counted.
//!
//! That an interface has a packet is known by how often: the second packet of a kind that one of
//! them sees is no other than the second that another saw. So what comes twice to one interface
//! is a copy, packets without identifications are counted like others, and of what the host drops
//! itself nothing is left over.

use super::content::hash;
use super::sighting::Sighting;
use crate::decode::whereabouts;
use crate::model::{Addresses, Duration, FlowKey, Frame, Timestamp};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// A host passes a packet on within this time, or drops it.
const PASSED_WITHIN: Duration = Duration::from_secs(1);
/// Kinds that are remembered at once, twice.
const MAX_KINDS: usize = 1 << 16;
/// Interfaces that are told apart by one kind; others add nothing.
const MAX_PLACES: usize = 8;

/// An interface, and a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place(u64);

impl Place {
    /// Where a frame was captured; `None` if all its capture has is of one interface.
    pub fn of(frame: &Frame<'_>, has_several: bool) -> Option<Self> {
        let whereabouts = whereabouts(frame.link_type, frame.data);
        if whereabouts.is_none() && !has_several {
            return None;
        }
        let place = whereabouts.unwrap_or_default();
        let words = [place as u64, (place >> 64) as u64, frame.interface.into()];
        Some(Self(hash(&words)))
    }
}

/// How often each interface saw packets of some kind.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    most: u32,
    places: [(Place, u32); MAX_PLACES],
}

impl Kind {
    /// One more; whether it is one more than any other saw.
    fn take(&mut self, place: Place) -> bool {
        let known = self.places.iter_mut();
        let mut known = known.filter(|(known, seen)| *known == place || *seen == 0);
        let Some((known, seen)) = known.next() else {
            return false;
        };
        *known = place;
        *seen = seen.saturating_add(1);
        let is_new = *seen > self.most;
        self.most = self.most.max(*seen);
        is_new
    }
}

/// What the interfaces of a point have seen not long ago.
#[derive(Debug, Default)]
pub(super) struct Views {
    recent: HashMap<u64, Kind, RandomState>,
    before: HashMap<u64, Kind, RandomState>,
    since: Option<Timestamp>,
    /// Packets that another interface had shown.
    pub again: u64,
}

impl Views {
    /// Takes what an interface saw, of a flow; whether no other has shown it.
    pub fn take(&mut self, place: Place, sighting: &Sighting, key: &FlowKey) -> bool {
        self.forget(sighting.time);
        let is_new = match sighting.is_numbered {
            false => self.is_new(place, hash(&[sighting.content(), of_both(key)])),
            // What translates addresses leaves those of one end.
            true => {
                let number = u64::from(sighting.id) << 32 | u64::from(sighting.bytes);
                let ends = [of_end(key, false), of_end(key, true)];
                let kinds = ends.map(|end| hash(&[sighting.content(), number, end]));
                let are_new = kinds.map(|kind| self.is_new(place, kind));
                are_new == [true, true]
            }
        };
        self.again += u64::from(!is_new);
        is_new
    }

    fn is_new(&mut self, place: Place, kind: u64) -> bool {
        let known = self.recent.entry(kind).or_insert_with(|| {
            let before = self.before.remove(&kind);
            before.unwrap_or_default()
        });
        known.take(place)
    }

    /// What was not seen for long is forgotten.
    fn forget(&mut self, now: Timestamp) {
        let since = *self.since.get_or_insert(now);
        let is_over = (now - since).0.saturating_abs() > PASSED_WITHIN.0;
        if is_over || self.recent.len() >= MAX_KINDS {
            std::mem::swap(&mut self.recent, &mut self.before);
            self.recent.clear();
            self.since = Some(now);
        }
    }
}

fn of_both(key: &FlowKey) -> u64 {
    hash(&[of_end(key, false), of_end(key, true)])
}

/// One end of a flow, in whatever tunnel.
fn of_end(key: &FlowKey, is_destination: bool) -> u64 {
    let Addresses {
        source,
        destination,
        ..
    } = key.addresses;
    let ports = key.ports.map(|ports| (ports.source, ports.destination));
    let (source_port, destination_port) = ports.unwrap_or_default();
    let (address, port) = match is_destination {
        true => (destination, destination_port),
        false => (source, source_port),
    };
    let address = u128::from_be_bytes(address);
    let port = u64::from(port) << 1 | u64::from(is_destination);
    hash(&[address as u64, (address >> 64) as u64, port])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;
    use crate::model::{Ports, Protocol, ScopeTag};

    const IN: Place = Place(1);
    const OUT: Place = Place(2);

    fn key(source: u8, destination: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, source], [10, 0, 0, destination]),
            ports: Some(Ports {
                source: 5_000,
                destination: 53,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// Which of some packets of a flow are new, by place and id; where that is 0, they have none.
    fn are_new(seen: &[(Place, u32)]) -> Vec<bool> {
        let mut views = Views::default();
        let take = |(place, id): &(Place, u32)| {
            let sighting = Sighting {
                is_numbered: *id > 0,
                ..example(*id)
            };
            views.take(*place, &sighting, &key(1, 2))
        };
        seen.iter().map(take).collect()
    }

    #[test]
    fn a_packet_that_goes_through_is_one() {
        let seen = [(IN, 1), (OUT, 1), (IN, 2), (IN, 3), (OUT, 2), (OUT, 3)];
        assert_eq!(are_new(&seen), [true, false, true, true, false, false]);
    }

    #[test]
    fn what_comes_twice_is_a_copy() {
        let seen = [(IN, 1), (IN, 1), (OUT, 1), (OUT, 1), (OUT, 1)];
        assert_eq!(are_new(&seen), [true, true, false, false, true]);
    }

    #[test]
    fn of_packets_without_a_number_each_is_one() {
        let seen = [(IN, 0), (OUT, 0), (IN, 0), (IN, 0), (OUT, 0), (IN, 0)];
        assert_eq!(are_new(&seen), [true, false, true, true, false, true]);
        // Several come in before the first goes out, of which one is dropped.
        let seen = [
            [(IN, 0); 3].as_slice(),
            &[(OUT, 0); 2],
            &[(IN, 0), (OUT, 0)],
        ]
        .concat();
        assert_eq!(
            are_new(&seen),
            [true, true, true, false, false, true, false]
        );
    }

    #[test]
    fn translated_it_is_the_same() {
        let mut views = Views::default();
        let packet = example(7);
        assert!(views.take(IN, &packet, &key(1, 2)));
        assert!(!views.take(OUT, &packet, &key(1, 9)));
        assert!(!views.take(OUT, &packet, &key(8, 2)));
        assert!(views.take(OUT, &packet, &key(3, 4)));
        assert_eq!(views.again, 2);
    }

    #[test]
    fn many_interfaces_and_kinds_are_bounded() {
        let mut views = Views::default();
        assert!(views.take(IN, &example(1), &key(1, 2)));
        for place in 2..100 {
            assert!(!views.take(Place(place), &example(1), &key(1, 2)));
        }
        for id in 2..400_000 {
            assert!(views.take(IN, &example(id), &key(1, 2)));
        }
        assert!(views.recent.len() + views.before.len() <= 2 * MAX_KINDS + 2);
    }

    #[test]
    fn what_was_seen_long_ago_is_forgotten() {
        let mut views = Views::default();
        for seconds in [0, 2, 4] {
            let packet = Sighting {
                time: Timestamp(seconds * 1_000_000_000),
                ..example(1)
            };
            let is_new = views.take(if seconds == 4 { OUT } else { IN }, &packet, &key(1, 2));
            assert!(is_new || seconds == 4);
        }
        let much_later = Sighting {
            time: Timestamp(9_000_000_000),
            ..example(1)
        };
        let between = Sighting {
            time: Timestamp(7_000_000_000),
            ..example(2)
        };
        assert!(views.take(IN, &between, &key(1, 2)));
        assert!(views.take(OUT, &much_later, &key(1, 2)));
    }
}
