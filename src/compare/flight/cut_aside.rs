//! Fragments of flows that one point alone knows, as the outer packets of tunnels are where another
//! point is inside: a datagram of which each comes behind those before is kept aside as one, like a
//! packet that is whole. It becomes a parcel once anything comes that may be of it: by its name, or by its
//! bytes, of which is known whether somebody has such aside.

use super::begun::begin_key;
use super::find::{FRAGMENTS_COME_WITHIN, Latest};
use super::{Arrival, Flight, apart, bit, content_key};
use crate::compare::parcel::{Seen, UNKNOWN};
use crate::compare::parts::Part;
use crate::compare::sighting::{Form, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::{Newcomer, Stray};

/// What a fragment and those behind it may be found by, by those who have it under other names;
/// `None` where they are not.
fn ways_to_find(sighting: &Sighting, point: usize, is_wanted: bool) -> [Option<u64>; 2] {
    let begin = sighting.begins_datagram();
    [
        begin.then(|| begin_key(sighting, point)),
        is_wanted.then(|| content_key(sighting)),
    ]
}

impl Flight {
    /// Whether a fragment may be kept aside by its kind and what is known of its flow: where there
    /// are no ports, what is whole is of the same.
    pub(super) fn may_be_aside_in_fragments(&self, sighting: &Sighting, flow: u32) -> bool {
        sighting.form == Form::Piece
            && sighting.protocol.has_ports()
            && sighting.bytes > 0
            && !sighting.is_renumbered
            && (self.aside.mixed.is_empty() || !self.aside.mixed.contains(&flow))
    }

    /// Keeps a fragment aside, if that may be; says whether it did.
    pub(super) fn keep_piece_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        let may_be = self.may_be_aside_in_fragments(sighting, flow)
            && self.paths.is_single(flow)
            && self.strays.may_be_of(flow, point);
        may_be
            && match self.strays.gone_on_with(flow, sighting) {
                Some(number) => self.goes_on_aside(arrival, number),
                None => self.begins_aside(arrival, flow),
            }
    }

    /// Keeps the first fragment of a datagram aside.
    fn begins_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, time) = arrival.parts();
        if !sighting.is_fresh {
            return false;
        }
        if sighting.begins_datagram() {
            self.call_in_begun_alike(point, sighting);
            if self.is_begun_elsewhere(point, sighting) {
                return false;
            }
        }
        let Some(is_wanted) = self.is_wanted_aside(arrival, flow) else {
            return false;
        };
        let ported = self.ported_flow(point, sighting);
        if ported != NONE && !self.paths.is_single(ported) {
            self.aside.mixed.insert(flow);
            return false;
        }
        for flow in [flow, ported].into_iter().filter(|flow| *flow != NONE) {
            self.ask_the_way(flow);
            self.paths.get_mut(flow).is_carrier |= sighting.is_carrier;
        }
        let counted_in = if ported == NONE { flow } else { ported };
        let order = self.paths.next_order(counted_in, point);
        self.note_begun(flow);
        let mut stray = Newcomer::new(sighting, point, time, flow, order);
        stray.is_wanted = is_wanted;
        self.aside.want_in_fragments(point, flow);
        self.note_aside(point, sighting, is_wanted);
        self.add_aside(&stray, None);
        true
    }

    /// Keeps another fragment aside with those of its datagram.
    fn goes_on_aside(&mut self, arrival: Arrival<'_>, number: u32) -> bool {
        let (point, sighting, time) = arrival.parts();
        let stray = *self.strays.get(number);
        let before = self.strays.latest_of(number).time;
        if apart(sighting.time, before) > FRAGMENTS_COME_WITHIN {
            return false;
        }
        let Some(is_wanted) = self.is_wanted_aside(arrival, stray.flow) else {
            return false;
        };
        let order = self.paths.next_order(self.counted_aside(&stray), point);
        self.note_aside(point, sighting, is_wanted);
        self.strays
            .add_part(number, Part::new(sighting, time, order, is_wanted));
        self.keep_to_bounds();
        true
    }

    /// Whether a fragment that is to be kept aside is looked for by its bytes; `None` if it was found.
    fn is_wanted_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<bool> {
        let is_wanted = self.is_looked_for(flow, arrival.sighting);
        let is_found = is_wanted && self.with_same_bytes(arrival, flow).is_some();
        (!is_found).then_some(is_wanted)
    }

    /// The flow of the ports that a first fragment shows.
    fn ported_flow(&mut self, point: usize, sighting: &Sighting) -> u32 {
        match sighting.ported {
            NO_LANE => NONE,
            ported => self.paths.flow_or_new(point, ported),
        }
    }

    /// The flow among whose packets what is kept aside is counted.
    pub(super) fn counted_aside(&self, stray: &Stray) -> u32 {
        let ported = match stray.sighting.ported {
            NO_LANE => NONE,
            ported => self.paths.bound_to(stray.point(), ported),
        };
        self.paths.resolve(match ported {
            NONE => stray.flow,
            ported => ported,
        })
    }

    fn note_aside(&mut self, point: usize, sighting: &Sighting, is_wanted: bool) {
        let ways = ways_to_find(sighting, point, is_wanted);
        ways.into_iter()
            .flatten()
            .for_each(|key| self.aside.sieve.add(key));
    }

    /// A datagram in fragments is no longer aside.
    pub(super) fn leave_aside(&mut self, number: u32) {
        let stray = self.strays.get(number);
        if stray.sighting.form != Form::Piece {
            return;
        }
        let first = (&stray.sighting, stray.is_wanted);
        let parts = self.strays.parts_of(number);
        let parts = parts.map(|part| (&part.sighting, part.is_wanted));
        for (sighting, is_wanted) in std::iter::once(first).chain(parts) {
            let ways = ways_to_find(sighting, stray.point(), is_wanted);
            for key in ways.into_iter().flatten() {
                self.aside.sieve.remove(key);
            }
        }
    }

    /// What others have aside in fragments becomes parcels, if a sighting may be of it by how it
    /// begins.
    pub(super) fn call_in_begun_alike(&mut self, point: usize, sighting: &Sighting) {
        let mut others = self.others(point);
        if others.any(|other| self.aside.sieve.may_have(begin_key(sighting, other))) {
            self.call_in_fragments_from_others(point);
        }
        self.call_in_uncut_begun_alike(point, sighting);
    }

    /// The same by its bytes, under the key of these.
    pub(super) fn call_in_alike(&mut self, point: usize, key: u64) {
        if self.aside.sieve.may_have(key) {
            self.call_in_fragments_from_others(point);
        }
    }

    /// The same of what goes between the addresses of a flow.
    pub(super) fn call_in_fragments_of(&mut self, flow: u32) {
        if !self.strays.has_fragments() {
            return;
        }
        while let Some(base) = self.base_aside(flow) {
            self.call_in(base);
        }
    }

    fn base_aside(&self, flow: u32) -> Option<u32> {
        let names = self.paths.names(flow);
        let mut bases = names.flat_map(|name| self.paths.bases(name));
        bases.find(|base| self.strays.has_any_of(*base))
    }

    /// The parcel that a stray became gets all that was kept of its datagram.
    pub(super) fn add_parts(&mut self, stray: u32, parcel: u32) {
        let first = *self.strays.get(stray);
        let (point, flow) = (first.point(), self.counted_aside(&first));
        let parts: Vec<Part> = self.strays.parts_of(stray).copied().collect();
        let piece = self.parcels[parcel].pieces;
        self.pieces[piece].counted_in = flow;
        for part in &parts {
            let Sighting { offset, bytes, .. } = part.sighting;
            let piece = self.add_piece(parcel, &part.sighting, offset, bytes);
            *self.seen_mut(piece, point) = Seen::of(&part.sighting, part.order);
            self.pieces[piece].seen = bit(point);
            self.pieces[piece].counted_in = flow;
        }
        let known = &mut self.parcels[parcel];
        for Part { sighting, time, .. } in &parts {
            known.first = known.first.min(*time);
            known.last = known.last.max(*time);
            if !sighting.more && known.length == UNKNOWN {
                known.length = sighting.end();
            }
        }
        if flow != self.paths.resolve(first.flow) {
            self.parcels[parcel].ported = flow;
        }
        let last = parts.last().map_or(&first.sighting, |part| &part.sighting);
        self.latest[point] = Latest {
            parcel,
            lane: last.lane,
            end: last.end(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::examples::Examples;
    use crate::compare::flight::of_memory::{take, tallies};
    use crate::compare::flight::of_points;
    use crate::compare::rise::{Rise, in_row};
    use crate::compare::sighting::{Batch, example};
    use crate::model::{Addresses, FlowKey, Ports, Protocol, ScopeTag, Timestamp};
    use proptest::prelude::*;

    const A: usize = 0;
    const B: usize = 1;

    /// Lanes of each point: that of fragments, and those of two flows with ports.
    const BASE: u32 = 0;
    const PORTED: [u32; 2] = [1, 2];

    fn key(host: u8, port: Option<u16>) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, host], [10, 0, 1, 1]),
            ports: port.map(|source| Ports {
                source,
                destination: 4789,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// Where each point knows what one host sends, long after captures began.
    fn flight<const POINTS: usize>(hosts: [u8; POINTS]) -> Flight {
        let mut flight = of_points(POINTS);
        for (point, host) in hosts.into_iter().enumerate() {
            let batch = Batch {
                lanes: [None, Some(1), Some(2)].map(|port| key(host, port)).into(),
                bases: PORTED.map(|ported| (ported, BASE)).into(),
                ..Batch::default()
            };
            flight.meet(point, &batch);
        }
        let span = Some((Timestamp(-20_000_000_000), Timestamp(20_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    const BYTES: u32 = 400;

    /// A fragment of a datagram of three.
    fn fragment(id: u32, number: u32) -> Sighting {
        Sighting {
            form: Form::Piece,
            offset: number * BYTES,
            bytes: if number == 2 { 100 } else { BYTES },
            more: number < 2,
            ported: if number == 0 {
                PORTED[id as usize % 2]
            } else {
                NO_LANE
            },
            head: u64::from(id) << 2 | u64::from(number),
            ip_bytes: BYTES + 20,
            frame: u64::from(id) * 3 + u64::from(number),
            ..example(id)
        }
    }

    /// The same datagram where it is whole.
    fn put_together(id: u32) -> Sighting {
        Sighting {
            lane: PORTED[id as usize % 2],
            bytes: 2 * BYTES + 100,
            ip_bytes: 2 * BYTES + 120,
            head: fragment(id, 0).head,
            frame: u64::from(id) * 3,
            ..example(id)
        }
    }

    /// Gives sightings to be taken as they come; `knows_fresh` if it is told which of them begin
    /// something.
    fn take_all(flight: &mut Flight, all: &[(usize, Sighting)], knows_fresh: bool) {
        let mut rises = [Rise::default(); 3];
        for (millisecond, (point, sighting)) in all.iter().enumerate() {
            let is_fresh = rises[*point].takes(in_row(sighting)) && knows_fresh;
            let time = Timestamp(millisecond as i64 * 1_000_000);
            let sighting = Sighting {
                is_fresh,
                time,
                ..*sighting
            };
            flight.take(*point, &sighting, time);
        }
    }

    fn whole_datagrams(point: usize, ids: std::ops::Range<u32>) -> Vec<(usize, Sighting)> {
        let ids = ids.flat_map(|id| (0..3).map(move |number| (point, fragment(id, number))));
        ids.collect()
    }

    /// Takes much of a flow that is whole, of which others know nothing.
    fn take_much(flight: &mut Flight) {
        let small = |id: u32| Sighting {
            bytes: 200,
            ip_bytes: 220,
            ..put_together(2 * id)
        };
        let all: Vec<_> = (1..=100).map(|id| (A, small(id))).collect();
        take_all(flight, &all, true);
    }

    /// Both count as packets of one flow, which would be told as overtaken by each other.
    #[test]
    fn a_flow_of_which_there_are_fragments_goes_past_nobody() {
        let mut told = flight([1, 2]);
        take_much(&mut told);
        let ported = told.paths.bound_to(A, PORTED[0]);
        assert!(told.paths.is_lone(ported));
        told.take(A, &fragment(202, 0), Timestamp(1_000_000_000));
        assert!(!told.paths.is_lone(ported));
        assert_eq!(told.paths.take_lone_told(), [ported; 2]);

        let mut cut = flight([1, 2]);
        take_all(&mut cut, &whole_datagrams(A, 201..400), true);
        take_much(&mut cut);
        assert!(!cut.paths.has_lone_told());
    }

    /// How many datagrams are aside.
    fn aside(all: &[(usize, Sighting)], hosts: [u8; 2]) -> usize {
        let mut flight = flight(hosts);
        take_all(&mut flight, all, true);
        flight.strays.len()
    }

    #[test]
    fn datagrams_of_which_all_comes_in_order_are_kept_aside() {
        let mut all = whole_datagrams(A, 1..9);
        // Of the first it is not known yet that one point alone has its flow, of the second
        // not that identifications are in a row.
        assert_eq!(aside(&all, [1, 2]), 6);
        all.push((A, fragment(9, 0)));
        all.push((A, fragment(10, 1)));
        all.push((A, fragment(9, 1)));
        all.push((A, fragment(10, 2)));
        assert_eq!(
            aside(&all, [1, 2]),
            8,
            "some are missing, and two are interleaved"
        );
        for other in [fragment(10, 2), fragment(9, 0), fragment(5, 1)] {
            let all = [&all[..], &[(A, other)]].concat();
            assert_eq!(aside(&all, [1, 2]), 0, "it may be of one of them");
        }
    }

    #[test]
    fn what_comes_much_later_is_of_another_datagram() {
        for (millisecond, aside) in [(500, 7), (600, 0)] {
            let mut flight = flight([1, 2]);
            let all = [whole_datagrams(A, 1..9), vec![(A, fragment(9, 0))]].concat();
            take_all(&mut flight, &all, true);
            let time = Timestamp(millisecond * 1_000_000);
            let late = Sighting {
                time,
                ..fragment(9, 1)
            };
            flight.take(A, &late, time);
            assert_eq!(flight.strays.len(), aside, "{millisecond} ms");
        }
    }

    #[test]
    fn what_another_point_has_of_them_is_found() {
        let front = whole_datagrams(A, 1..9);
        let named = |host: u8, back: &[(usize, Sighting)]| {
            let mut flight = flight([1, host]);
            take_all(&mut flight, &[&front[..], back].concat(), true);
            tallies(flight)
        };
        for host in [1, 2] {
            assert_eq!(named(host, &whole_datagrams(B, 4..9)), [(8, 15), (5, 15)]);
        }
        let back: Vec<_> = (4..9).map(|id| (B, put_together(id))).collect();
        for host in [1, 2] {
            assert_eq!(named(host, &back), [(8, 15), (5, 5)]);
        }
    }

    #[test]
    fn what_is_whole_is_kept_aside_until_others_have_it_in_fragments() {
        for host in [1, 2] {
            let mut flight = flight([1, host]);
            let whole: Vec<_> = (1..12).map(|id| (A, put_together(id))).collect();
            take_all(&mut flight, &whole, true);
            // Those of each flow but the first, of which it is not known yet that it is in a row.
            let aside = flight.strays.len();
            assert!(aside > 6 && flight.strays.has_uncut(), "{aside}");
            take_all(&mut flight, &whole_datagrams(B, 40..41), true);
            assert_eq!(flight.strays.len(), aside, "it is none of these");
            take_all(&mut flight, &whole_datagrams(B, 8..9), true);
            assert!(flight.strays.len() < aside);
            take_all(&mut flight, &whole_datagrams(B, 10..12), true);
            assert_eq!(tallies(flight), [(11, 3), (4, 9)], "{host}");
        }
    }

    /// As IPv6 has it: what is whole has no identification, and begins as its fragments do.
    #[test]
    fn so_is_what_gets_an_identification_once_it_is_cut() {
        for host in [1, 2] {
            let anew = |sighting: Sighting| Sighting {
                is_renumbered: true,
                ..sighting
            };
            let whole = |id: u32| Sighting {
                is_numbered: false,
                id: 0,
                lane: PORTED[0],
                ..anew(put_together(id))
            };
            let mut flight = flight([1, host]);
            let all: Vec<_> = (1..12).map(|id| (A, whole(id))).collect();
            take_all(&mut flight, &all, true);
            assert_eq!(flight.strays.len(), 10);
            let cut = whole_datagrams(B, 8..9).into_iter();
            let cut: Vec<_> = cut
                .map(|(point, piece)| {
                    let is_first = piece.offset == 0;
                    let ported = if is_first { PORTED[0] } else { NO_LANE };
                    let id = 900;
                    (
                        point,
                        anew(Sighting {
                            ported,
                            id,
                            ..piece
                        }),
                    )
                })
                .collect();
            take_all(&mut flight, &cut, true);
            assert_eq!(tallies(flight), [(11, 1), (1, 3)], "{host}");
        }
    }

    /// A fragment that is not looked for by its bytes where many of its flow were seen.
    fn unremarkable(id: u32, number: u32) -> Sighting {
        let salted = (1..).map(|salt| {
            let fragment = fragment(id, number);
            let head = fragment.head | salt << 32;
            Sighting { head, ..fragment }
        });
        let mut salted = salted;
        let found = salted.find(|sighting| !sighting.content().is_multiple_of(8));
        found.unwrap()
    }

    /// Both points have seen much of each flow that they know.
    fn see_much(flight: &mut Flight) {
        for flow in 0..flight.paths.count() as u32 {
            flight.paths.get_mut(flow).sightings = super::super::EAGER;
        }
    }

    /// What comes next of a flow whose identifications are in a row.
    fn take_next(flight: &mut Flight, point: usize, sighting: Sighting) {
        let is_fresh = point == A || sighting.offset == 0;
        take(
            flight,
            point,
            200,
            &Sighting {
                is_fresh,
                ..sighting
            },
        );
    }

    #[test]
    fn what_begins_alike_at_another_point_is_called_in() {
        let mut flight = flight([1, 2]);
        take_all(&mut flight, &whole_datagrams(A, 1..9), true);
        take_all(&mut flight, &whole_datagrams(B, 101..109), true);
        see_much(&mut flight);
        take_next(&mut flight, A, unremarkable(20, 0));
        let before = flight.strays.len();
        take_next(&mut flight, B, unremarkable(109, 0));
        assert_eq!(flight.strays.len(), before + 1, "it begins otherwise");
        take_next(&mut flight, B, unremarkable(20, 0));
        let flow = flight.paths.bound_to(A, BASE);
        assert_eq!(flight.strays.of(flow, A), 0);
        assert_eq!(
            flight.latest[A].parcel, flight.latest[B].parcel,
            "it is the same datagram"
        );
    }

    #[test]
    fn fragments_without_a_begin_are_called_in_by_what_is_whole() {
        let mut flight = flight([1, 1]);
        let ends = |ids: std::ops::Range<u32>| ids.map(|id| (A, unremarkable(id, 1)));
        take_all(&mut flight, &ends(1..9).collect::<Vec<_>>(), true);
        see_much(&mut flight);
        take(&mut flight, A, 5_100, &unremarkable(9, 1));
        for id in 10..14 {
            take_next(&mut flight, A, unremarkable(id, 1));
        }
        assert!(flight.strays.has_fragments() && flight.aside.sieve.is_empty());
        let whole = |id: u32| Sighting {
            lane: PORTED[0],
            bytes: 2 * BYTES,
            ip_bytes: 2 * BYTES + 20,
            ..example(id)
        };
        take_next(&mut flight, B, whole(900));
        assert!(flight.strays.has_fragments(), "its flow was not known");
        take_next(&mut flight, B, whole(12));
        assert!(!flight.strays.has_fragments());
    }

    #[test]
    fn where_others_know_the_ports_nothing_is_aside() {
        let mut flight = flight([1, 1]);
        let whole = |id: u32| Sighting {
            lane: PORTED[0],
            ..example(id)
        };
        let wholes = [A, B].map(|point| (point, whole(900)));
        take_all(&mut flight, &wholes, true);
        take_all(&mut flight, &whole_datagrams(A, 1..4), true);
        let next = fragment(4, 0);
        assert!(flight.is_single(A, &next) && flight.strays.has_fragments());
        take_next(&mut flight, A, next);
        assert!(!flight.is_single(A, &next) && !flight.strays.has_fragments());
        take_all(&mut flight, &whole_datagrams(A, 5..9), true);
        assert!(!flight.strays.has_fragments());
    }

    /// All that is told of sightings, but for what is shown of them and how long they took: of what
    /// came to all points, that is over earlier which was never aside, and clocks are known less well
    /// then.
    fn told<const POINTS: usize>(
        hosts: [u8; POINTS],
        all: &[(usize, Sighting)],
        knows_fresh: bool,
    ) -> String {
        let mut flight = flight(hosts);
        take_all(&mut flight, all, knows_fresh);
        flight.finish();
        let book = flight.take_book();
        let tallies = book.tallies.clone();
        let (mut accounts, pairs) = book.into_accounts();
        accounts.sort_by_key(|account| account.flow);
        let betweens = accounts.iter_mut().flat_map(|account| &mut account.between);
        for between in betweens {
            (between.examples, between.delays) = (Examples::default(), None);
        }
        let shown: Vec<_> = pairs.iter().map(|(series, _)| series.as_shown()).collect();
        let steps: Vec<_> = shown.iter().map(|series| &series.steps).collect();
        format!("{tallies:?} {accounts:?} {steps:?}")
    }

    /// Datagrams of which some fragments are missing, come again or are out of order, and of which
    /// the other point has some. Some are whole.
    fn sightings() -> impl Strategy<Value = Vec<(usize, Sighting)>> {
        let datagram = (1..40_u32, prop::array::uniform3(0..24_u8), 0..12_u8);
        prop::collection::vec(datagram, 1..60).prop_map(|all| {
            let (mut id, mut sightings) = (7, Vec::new());
            for (step, fates, other) in all {
                id += if step > 30 { step } else { 1 };
                if other > 8 {
                    sightings.extend(seen_whole(id, fates, other));
                    continue;
                }
                let seen = (0..3).zip(fates).filter(|(_, fate)| *fate != 0);
                let mut seen: Vec<_> = seen
                    .flat_map(|(number, fate)| {
                        let copies = if fate == 1 { 2 } else { 1 };
                        vec![(A, fragment(id, number)); copies]
                    })
                    .collect();
                if fates[0] == 2 {
                    seen.reverse();
                }
                if other == 0 {
                    seen.extend(whole_datagrams(B, id..id + 1));
                }
                let is_carrier = id.is_multiple_of(2);
                sightings.extend(seen.into_iter().map(|(point, seen)| {
                    let is_carrier = is_carrier && seen.offset == 0;
                    (point, Sighting { is_carrier, ..seen })
                }));
            }
            sightings
        })
    }

    /// A datagram that is whole at one point, and what of it the other has, before or after that: all,
    /// some of its fragments, or nothing.
    fn seen_whole(id: u32, fates: [u8; 3], other: u8) -> Vec<(usize, Sighting)> {
        let is_there = |(_, piece): &(usize, Sighting)| fates[(piece.offset / BYTES) as usize] > 3;
        let here = (A, put_together(id));
        let mut seen: Vec<_> = match other {
            9 => vec![(B, put_together(id))],
            10 => {
                let pieces = whole_datagrams(B, id..id + 1).into_iter();
                pieces.filter(is_there).collect()
            }
            _ => Vec::new(),
        };
        let place = if fates[0].is_multiple_of(2) {
            0
        } else {
            seen.len()
        };
        seen.insert(place, here);
        seen
    }

    /// Behind NAT, where the first of its fragments is missing.
    #[test]
    fn what_is_whole_is_found_by_those_who_have_the_end_of_it() {
        let all = [
            (A, put_together(8)),
            (A, put_together(9)),
            (A, put_together(10)),
            (B, fragment(10, 0)),
            (B, fragment(11, 2)),
            (A, put_together(11)),
        ];
        assert_eq!(told([1, 2], &all, true), told([1, 2], &all, false));
    }

    proptest! {
        #[test]
        fn nothing_else_is_told_of_what_was_aside(
            all in sightings(),
            host in 1..3_u8,
            places in prop::sample::select(vec![[0, 1], [1, 0]]),
        ) {
            let hosts = [1, host];
            let all: Vec<_> = all.iter().map(|(point, seen)| (places[*point], *seen)).collect();
            prop_assert_eq!(told(hosts, &all, true), told(hosts, &all, false));
        }

        #[test]
        fn nor_of_what_was_aside_at_one_of_three(
            all in sightings(),
            host in 1..3_u8,
            places in prop::sample::select(vec![[0, 1], [0, 2], [1, 0], [1, 2], [2, 0]]),
        ) {
            let hosts = [1, host, host];
            let all: Vec<_> = all.iter().map(|(point, seen)| (places[*point], *seen)).collect();
            prop_assert_eq!(told(hosts, &all, true), told(hosts, &all, false));
        }
    }

    #[test]
    fn what_is_over_is_no_longer_looked_for() {
        let mut flight = flight([1, 2]);
        take_all(&mut flight, &whole_datagrams(A, 1..9), true);
        assert!(!flight.aside.sieve.is_empty());
        assert_eq!(flight.strays.held(), 18);
        take(&mut flight, A, 9_000, &fragment(900, 0));
        assert!(flight.aside.sieve.is_empty());
        assert_eq!(flight.strays.held(), 0);
    }
}
