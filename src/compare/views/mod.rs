//! Captures on several interfaces of one point: `-i any` on a router sees a packet as it comes
//! in and as it goes out, on a node plain on the veth of a pod and in a tunnel on the NIC. Each
//! packet is taken where it is seen first; what else shows it is counted.
//!
//! That an interface has a packet is known by how often: the second packet of a kind that one of
//! them sees is no other than the second that another saw. So what comes twice to one interface
//! is a copy, packets without identifications are counted like others, and of what the host drops
//! itself nothing is left over. What goes out in other pieces than it came in is known by the
//! bytes that it covers.
//!
//! A host may have but one interface for both, a [hairpin](hairpin): then its TTL tells what it
//! has passed on, unless it goes [to the same station](landing).

mod covered;
pub(super) mod hairpin;
mod kind;
mod landing;
mod memory;
mod names;
mod shown;
pub(super) mod through;

use self::covered::{Covered, Stretch};
use self::kind::{Kind, OneMore};
use self::landing::Landings;
use self::memory::Memory;
use self::names::Names;
use self::shown::{Shown, Way};
use self::through::{Counts, Through};
use super::content::hash;
use super::sighting::{Form, Sighting, TELLING_BYTES};
use crate::decode::{Stations, stations, whereabouts};
use crate::model::{Addresses, Duration, FlowKey, Frame, Timestamp};

/// A host passes a packet on within this time, or drops it.
const PASSED_WITHIN: Duration = Duration::from_secs(1);
/// By a packet without a number it is known for so long that a flow has another name: equal bytes
/// come again.
const ALIKE_WITHIN: Duration = Duration::from_millis(1);
/// By one with a number; a first one may have to wait for a neighbour to be found.
const NUMBERED_WITHIN: Duration = Duration::from_millis(100);

/// An interface, and a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place(u64);

/// Where a frame was captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caught {
    place: Place,
    stations: Option<Stations>,
}

impl Caught {
    /// Where it was, by a host of several interfaces, or with hairpins; `None` if all its capture
    /// has is of one interface.
    pub fn of(frame: &Frame<'_>, has_several: bool, has_hairpins: bool) -> Option<Self> {
        let whereabouts = whereabouts(frame.link_type, frame.data);
        if whereabouts.is_none() && !has_several && !has_hairpins {
            return None;
        }
        let place = whereabouts.unwrap_or_default();
        let words = [place as u64, (place >> 64) as u64, frame.interface.into()];
        Some(Self {
            place: Place(hash(&words)),
            stations: has_hairpins
                .then(|| stations(frame.link_type, frame.data))
                .flatten(),
        })
    }
}

/// What the interfaces of a point have seen not long ago.
#[derive(Debug, Default)]
pub(super) struct Views {
    kinds: Memory<Kind>,
    /// Of streams and datagrams.
    covered: Memory<Covered>,
    flows: Names,
    datagrams: Names,
    landings: Landings,
    since: Option<Timestamp>,
    through: Counts,
    /// Packets that another interface had shown.
    pub again: u64,
}

impl Views {
    /// Takes what was caught of a flow; whether it was not shown before, elsewhere or, by a host
    /// with hairpins, before it was passed on.
    pub fn take_caught(
        &mut self,
        caught: Caught,
        has_hairpins: bool,
        sighting: &Sighting,
        key: &FlowKey,
    ) -> bool {
        let place = match has_hairpins {
            true => self.at_hop(caught, sighting.look.hop_limit, key),
            false => caught.place,
        };
        self.take(place, sighting, key)
    }

    /// The place where it was caught, at so many hops from where it ends.
    fn at_hop(&mut self, caught: Caught, hop_limit: u8, key: &FlowKey) -> Place {
        let Caught { place, stations } = caught;
        let hop_limit = stations.map_or(hop_limit, |stations| {
            let flow = hash(&[place.0, of_end(key, false), of_end(key, true)]);
            self.landings.unrouted(stations, flow, hop_limit)
        });
        Place(hash(&[place.0, hop_limit.into()]))
    }

    /// Takes what an interface saw, of a flow; whether no other has shown it.
    fn take(&mut self, place: Place, sighting: &Sighting, key: &FlowKey) -> bool {
        self.forget(sighting.time);
        let ends = [of_end(key, false), of_end(key, true)];
        let name = hash(&[ends[0], ends[1], sighting.protocol.0.into()]);
        let shown = shown(place, sighting, ends, Way::of(key));
        let flow = self.flows.first(name, tells(sighting).then_some(&shown));
        self.through.take(flow, place, sighting, key);
        let one_more = self.one_more(place, sighting, ends, flow);
        let in_pieces = self.in_pieces(&shown, sighting, key, flow);
        let is_new = one_more.is_new
            && !in_pieces.is_some_and(|(of, stretch)| {
                // Of what another interface showed just so, all are counted.
                one_more.is_here_alone && self.covered.of(of).has_elsewhere(place, stretch)
            });
        if let Some((of, stretch)) = in_pieces.filter(|_| is_new) {
            self.covered.of(of).add(place, stretch);
        }
        self.flows.learn(name, is_new);
        self.again += u64::from(!is_new);
        is_new
    }

    /// What of each flow passed the host.
    pub fn through(&self) -> impl Iterator<Item = Through> {
        self.through.passed()
    }

    /// Counts it with all that is alike.
    fn one_more(&mut self, place: Place, seen: &Sighting, ends: [u64; 2], flow: u64) -> OneMore {
        let content = seen.content();
        if !has_number(seen) {
            return self.count(place, hash(&[content, flow]));
        }
        let number = u64::from(seen.id) << 32 | u64::from(seen.bytes);
        // What translates addresses leaves those of one end.
        let [source, destination] =
            ends.map(|end| self.count(place, hash(&[content, number, end])));
        // What changes bytes leaves the number; some that number nothing write 0 into all.
        let what = match seen.id {
            0 => content,
            _ => u64::from(seen.offset) << 8 | seen.form as u64,
        };
        let of_flow = self.count(place, hash(&[what, number, flow]));
        source.and(destination).and(of_flow)
    }

    fn count(&mut self, place: Place, kind: u64) -> OneMore {
        self.kinds.of(kind).take(place)
    }

    /// Which bytes it has, and of what, if it may come in other pieces elsewhere.
    fn in_pieces(
        &mut self,
        shown: &Shown,
        seen: &Sighting,
        key: &FlowKey,
        flow: u64,
    ) -> Option<(u64, Stretch)> {
        let of = match seen.form {
            Form::Segment => flow,
            Form::Whole if !seen.may_be_cut() => return None,
            Form::Whole | Form::Piece => self.datagram(shown, seen, key),
        };
        let stretch = Stretch {
            start: seen.offset,
            bytes: seen.bytes,
        };
        Some((hash(&[of, u64::from(seen.form == Form::Segment)]), stretch))
    }

    /// The first name of a datagram: what translates its addresses leaves how it begins.
    fn datagram(&mut self, shown: &Shown, seen: &Sighting, key: &FlowKey) -> u64 {
        let key = FlowKey {
            ports: None,
            ..*key
        };
        let id = if has_number(seen) { seen.id } else { 0 };
        let number = u64::from(seen.id) << 8 | u64::from(seen.protocol.0);
        let ends = [of_end(&key, false), of_end(&key, true)];
        let begin = Shown {
            within: NUMBERED_WITHIN,
            what: hash(&[
                id.into(),
                seen.protocol.0.into(),
                seen.offset.into(),
                seen.head,
            ]),
            ends,
            way: Way::of(&key),
            ..*shown
        };
        let name = hash(&[number, ends[0], ends[1]]);
        self.datagrams.first(name, Some(&begin))
    }

    /// What was not seen for long is forgotten.
    fn forget(&mut self, now: Timestamp) {
        let since = *self.since.get_or_insert(now);
        if (now - since).0.saturating_abs() > PASSED_WITHIN.0 {
            self.kinds.turn();
            self.covered.turn();
            self.landings.turn();
            self.since = Some(now);
        }
    }
}

/// A packet by what a host leaves of it that translates both of its ends.
fn shown(at: Place, seen: &Sighting, ends: [u64; 2], way: Way) -> Shown {
    let (what, within) = left(seen);
    Shown {
        what,
        at,
        time: seen.time,
        within,
        hop_limit: seen.look.hop_limit,
        ends,
        is_of_connection: seen.form == Form::Segment || seen.is_control,
        way,
    }
}

/// What a host leaves of a packet, as a hash, and within what time it is known by that; `None` if
/// others have the same.
fn lasting(seen: &Sighting) -> Option<(u64, Duration)> {
    tells(seen).then(|| left(seen))
}

fn left(seen: &Sighting) -> (u64, Duration) {
    // A stretch of a stream may be longer on one side.
    let bytes = match seen.form {
        Form::Segment => 0,
        Form::Whole | Form::Piece => u64::from(seen.bytes) << 32 | sum(seen),
    };
    let (id, within) = match has_number(seen) {
        true => (seen.id, NUMBERED_WITHIN),
        false => (0, ALIKE_WITHIN),
    };
    (hash(&[seen.content(), id.into(), bytes]), within)
}

/// Whether it has a number that a host leaves as it is.
fn has_number(seen: &Sighting) -> bool {
    seen.is_numbered && !seen.is_renumbered
}

fn sum(seen: &Sighting) -> u64 {
    seen.sum.map_or(u64::from(u32::MAX), |sum| sum.0.into())
}

/// Whether it can be told from packets of other flows.
fn tells(seen: &Sighting) -> bool {
    let can_be_told = has_number(seen) || seen.form == Form::Segment;
    can_be_told || seen.is_control || seen.bytes >= TELLING_BYTES
}

/// One end of a flow, in whatever tunnel.
fn of_end(key: &FlowKey, is_destination: bool) -> u64 {
    let [low, high, port] = whoever(key, is_destination);
    hash(&[low, high, port << 1 | u64::from(is_destination)])
}

/// An address and a port.
fn whoever(key: &FlowKey, is_destination: bool) -> [u64; 3] {
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
    [address as u64, (address >> 64) as u64, port.into()]
}

#[cfg(test)]
mod tests {
    use super::memory::MAX_KEYS;
    use super::*;
    use crate::compare::look::Look;
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

    /// The same, one hop further on.
    fn passed(packet: &Sighting) -> Sighting {
        Sighting {
            look: Look::new(packet.look.hop_limit - 1, 0, None, false),
            time: packet.time + Duration(50_000),
            ..*packet
        }
    }

    /// One router less on the way, but to the same station: it did not come from there.
    #[test]
    fn what_comes_to_a_station_on_two_ways_comes_twice() {
        let caught = |from, to| Caught {
            place: IN,
            stations: Some(Stations { from, to, vlans: 0 }),
        };
        let mut views = Views::default();
        let mut take =
            |from, to, seen: &Sighting| views.take_caught(caught(from, to), true, seen, &key(1, 2));
        for packet in (1..20).map(example) {
            assert!(take(5, 1, &packet));
            assert!(take(6, 1, &passed(&packet)));
        }
        for packet in (20..40).map(example) {
            assert!(take(5, 1, &packet));
            assert!(!take(1, 2, &passed(&packet)));
        }
        assert_eq!(views.again, 20);
    }

    /// Without numbers an answer looks like the question that a host has passed on.
    #[test]
    fn what_is_sent_back_as_it_came_is_not_passed_on() {
        let mut views = Views::default();
        let question = Sighting {
            is_numbered: false,
            id: 0,
            ..example(7)
        };
        for _ in 0..20 {
            assert!(views.take(OUT, &question, &key(1, 2)));
            assert!(views.take(IN, &passed(&question), &key(1, 2).reversed()));
        }
        assert_eq!(views.again, 0);
    }

    /// Packets of a flow with other names at both ends behind the host; whether each was new
    /// there.
    fn translated(packets: &[Sighting]) -> Vec<bool> {
        let mut views = Views::default();
        let take = |packet: &Sighting| {
            assert!(views.take(IN, packet, &key(1, 2)));
            views.take(OUT, &passed(packet), &key(8, 9))
        };
        packets.iter().map(take).collect()
    }

    #[test]
    fn translated_at_both_ends_it_is_the_same() {
        let numbered: Vec<Sighting> = (1..50).map(example).collect();
        assert_eq!(translated(&numbered), [false; 49]);
        let nameless = numbered.iter().map(|packet| Sighting {
            is_numbered: false,
            id: 0,
            ..*packet
        });
        assert_eq!(translated(&nameless.collect::<Vec<_>>()), [false; 49]);
        let fragments = numbered.iter().map(|packet| Sighting {
            form: Form::Piece,
            is_renumbered: true,
            ..*packet
        });
        assert_eq!(translated(&fragments.collect::<Vec<_>>()), [false; 49]);
        // All write 0.
        let zero = numbered.iter().map(|packet| Sighting { id: 0, ..*packet });
        assert_eq!(translated(&zero.collect::<Vec<_>>()), [false; 49]);
    }

    #[test]
    fn an_echo_is_translated_too() {
        let mut views = Views::default();
        for id in 1..50 {
            let packet = Sighting {
                is_numbered: false,
                ..example(id)
            };
            assert!(views.take(IN, &packet, &key(1, 2)));
            assert!(!views.take(OUT, &passed(&packet), &key(8, 2)));
            assert!(views.take(Place(3), &packet, &key(2, 8)));
            assert!(!views.take(Place(4), &passed(&packet), &key(2, 1)));
        }
    }

    #[test]
    fn what_two_hosts_send_alike_is_of_two() {
        let mut views = Views::default();
        for id in 1..50 {
            let [here, there] = [id, id + 1_000].map(|id| Sighting {
                head: 7,
                ..example(id)
            });
            assert!(views.take(IN, &here, &key(1, 2)));
            assert!(views.take(OUT, &there, &key(3, 4)));
            assert!(views.take(OUT, &Sighting { id, ..there }, &key(5, 6)));
        }
        assert_eq!(views.again, 0);
    }

    /// What opens a connection has no number, and a bridge leaves the TTL.
    #[test]
    fn a_bridge_may_translate_a_connection() {
        let opens = Sighting {
            form: Form::Whole,
            is_control: true,
            is_numbered: false,
            ..example(7)
        };
        let is_one = |seen: &Sighting| {
            let mut views = Views::default();
            assert!(views.take(IN, seen, &key(3, 2)));
            !views.take(OUT, seen, &key(9, 2))
        };
        assert!(is_one(&opens));
        let datagram = Sighting {
            is_control: false,
            ..opens
        };
        assert!(!is_one(&datagram), "two hosts may send the same");
    }

    #[test]
    fn what_begins_alone_stays_alone() {
        let mut views = Views::default();
        for id in 1..10 {
            assert!(views.take(OUT, &passed(&example(id)), &key(8, 9)));
        }
        for id in 10..20 {
            assert!(views.take(IN, &example(id), &key(1, 2)));
            assert!(views.take(OUT, &passed(&example(id)), &key(8, 9)));
        }
    }

    #[test]
    fn damaged_in_the_host_it_is_the_same() {
        let mut views = Views::default();
        assert!(views.take(IN, &example(7), &key(1, 2)));
        let damaged = Sighting {
            head: 9,
            ..example(7)
        };
        assert!(!views.take(OUT, &damaged, &key(1, 2)));
        assert!(views.take(IN, &example(8), &key(1, 2)));
    }

    /// Stretches of a stream with numbers from some one on.
    fn stretches(id: u32, count: u32, bytes: u32) -> impl Iterator<Item = Sighting> {
        (0..count).map(move |index| Sighting {
            form: Form::Segment,
            offset: index * bytes,
            bytes,
            head: (index * bytes).into(),
            ..example(id + index)
        })
    }

    #[test]
    fn a_stream_may_be_cut_otherwise() {
        let mut views = Views::default();
        let mut take = |place, seen: Sighting| views.take(place, &seen, &key(1, 2));
        assert!(stretches(1, 1, 14_000).all(|seen| take(IN, seen)));
        assert!(stretches(1, 10, 1_400).all(|seen| !take(OUT, seen)));
        // Sent again, and passed on.
        assert!(stretches(90, 10, 1_400).all(|seen| take(IN, seen)));
        assert!(stretches(90, 10, 1_400).all(|seen| !take(OUT, seen)));
        assert!(
            !stretches(1, 11, 1_400)
                .skip(10)
                .any(|seen| !take(OUT, seen))
        );
    }

    #[test]
    fn a_datagram_may_be_cut_otherwise_and_translated() {
        let mut views = Views::default();
        let whole = Sighting {
            bytes: 1_480,
            ip_bytes: 1_500,
            ..example(7)
        };
        let pieces = [(0, 1_000, 7), (1_000, 480, 99)].map(|(offset, bytes, head)| Sighting {
            form: Form::Piece,
            offset,
            bytes,
            head,
            ..passed(&whole)
        });
        let without_ports = FlowKey {
            ports: None,
            ..key(8, 9)
        };
        // It came twice.
        for _ in 0..2 {
            assert!(views.take(IN, &whole, &key(1, 2)));
            assert!(
                pieces
                    .iter()
                    .all(|piece| !views.take(OUT, piece, &without_ports))
            );
        }
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
        for known in [views.kinds.len(), views.flows.len(), views.covered.len()] {
            assert!(known <= 2 * MAX_KEYS);
        }
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
