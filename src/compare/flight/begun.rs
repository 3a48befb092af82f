//! Datagrams that are whole at one point and in fragments at another, or super-frames and their
//! messages, where neither addresses nor an identification tell that they are one: behind NAT, and
//! of IPv6, which has identifications in fragments alone. They begin with the same bytes.

use super::find::{Fit, Found};
use super::{Arrival, BEGUN, Flight, MAX_CHAIN, UDP_HEADER, apart, bit, datagram_key};
use crate::compare::content::hash;
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::model::Protocol;

/// What a point saw begin is looked for by others: where many begin alike, as all packets of a
/// tunnel do, its own are not in their way.
pub(super) fn begin_key(sighting: &Sighting, point: usize) -> u64 {
    let protocol = sighting.protocol.0.into();
    hash(&[BEGUN, sighting.head, protocol, point as u64])
}

impl Flight {
    /// Lets a datagram be found by how it begins, where nothing else may tell.
    pub(super) fn show_begin(&mut self, number: u32, point: usize, flow: u32, sighting: &Sighting) {
        if let Some(key) = self.key_of_begin(point, flow, sighting) {
            self.add_key(number, key);
        }
    }

    /// What it is found by then.
    pub(super) fn key_of_begin(
        &mut self,
        point: usize,
        flow: u32,
        sighting: &Sighting,
    ) -> Option<u64> {
        if !self.is_known_by_begin(point, flow, sighting) {
            return None;
        }
        if sighting.form == Form::Whole {
            // Its fragments are of that, wherever they are seen.
            self.paths.base_of(point, sighting.lane);
        }
        Some(begin_key(sighting, point))
    }

    fn is_known_by_begin(&mut self, point: usize, flow: u32, sighting: &Sighting) -> bool {
        if !sighting.begins_datagram() {
            return false;
        }
        // The flow of fragments alone may be that of other hosts behind the same address.
        let ported = match sighting.ported {
            NO_LANE => flow,
            ported => self.paths.flow_of(point, ported),
        };
        let is_wanting = |flow: u32| flow == NONE || self.paths.is_wanting(flow);
        sighting.is_renumbered || is_wanting(flow) || is_wanting(ported)
    }

    /// The datagram of which a sighting is the begin, or all, and which was cut in another way:
    /// the nearest in time. From then on its flows are known to be one.
    pub(super) fn by_begin(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
        if !self.is_known_by_begin(point, flow, sighting) {
            return None;
        }
        self.call_in_begun_alike(point, sighting);
        let fitting = self
            .begun_elsewhere(point, sighting)
            .filter_map(|parcel| self.as_cut_otherwise(arrival, parcel));
        let since = |found: &Found| apart(time, self.parcels[found.parcel].first);
        let nearest = fitting.min_by_key(since)?;
        let base = match sighting.form {
            Form::Piece => self.bind_fragments(point, sighting, nearest.parcel),
            _ => self.bind_whole(point, sighting, nearest.parcel),
        }?;
        if sighting.form == Form::Piece {
            self.add_key(nearest.parcel, datagram_key(base, sighting.id));
        }
        Some(nearest)
    }

    /// Whether another point saw something begin like a sighting.
    pub(super) fn is_begun_elsewhere(&self, point: usize, sighting: &Sighting) -> bool {
        self.begun_elsewhere(point, sighting).next().is_some()
    }

    /// What other points saw begin like a sighting, of each the newest first.
    fn begun_elsewhere(&self, point: usize, sighting: &Sighting) -> impl Iterator<Item = u32> {
        self.others(point).flat_map(move |other| {
            let begun = self.index.newest(begin_key(sighting, other));
            begun.take(MAX_CHAIN)
        })
    }

    /// The super-frame of UDP, under another name, of which a message is the first.
    pub(super) fn by_first_message(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
        let may_be = sighting.form == Form::Whole && sighting.protocol == Protocol::UDP;
        if !may_be || !sighting.has_identity() || !self.is_known_by_begin(point, flow, sighting) {
            return None;
        }
        let is_it = |number: &u32| {
            let parcel = &self.parcels[*number];
            let is_larger = parcel.form == Form::Whole && parcel.length > sighting.bytes;
            is_larger
                && parcel.has_identity
                && parcel.seen & bit(point) == 0
                && apart(time, parcel.first) <= self.window
                && self.message(point, parcel, sighting, false) == Some(UDP_HEADER)
                && self
                    .paths
                    .may_be_renamed(point, sighting.lane, self.flow_of(*number))
        };
        let begun = self.begun_elsewhere(point, sighting);
        let parcel = begun.filter(is_it).min_by_key(|number| {
            let renamed = self
                .paths
                .renamed(point, sighting.lane, self.flow_of(*number));
            (renamed, apart(time, self.parcels[*number].first))
        })?;
        self.paths.bind(point, sighting.lane, self.flow_of(parcel));
        Some(Found {
            parcel,
            piece: NONE,
            fit: Fit::Message(UDP_HEADER),
        })
    }

    fn flow_of(&self, parcel: u32) -> u32 {
        self.paths.resolve(self.parcels[parcel].flow)
    }

    /// A first fragment of one of several hosts behind one address, whose fragments share a flow
    /// there: it is found by the flow that its ports tell, and the rest behind it.
    pub(super) fn by_shared_lane(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
        if flow == NONE || sighting.ported == NO_LANE {
            return None;
        }
        let ported = match self.paths.flow_of(point, sighting.ported) {
            NONE => return None,
            ported => ported,
        };
        if !self.paths.is_wanting(flow) && !self.paths.is_translated(ported) {
            return None;
        }
        self.call_in_fragments_of(ported);
        let found = {
            let mut others = self.paths.bases(ported).filter(|base| *base != flow);
            others.find_map(|base| {
                let found = self.look(arrival, datagram_key(base, sighting.id));
                found.filter(|found| found.fit == Fit::Part)
            })?
        };
        self.add_key(found.parcel, datagram_key(flow, sighting.id));
        Some(found)
    }

    /// As what a parcel is, of which a point saw nothing: whole here or there, and in fragments
    /// at the other, or in larger ones; a third point may have seen these.
    fn as_cut_otherwise(&self, arrival: Arrival<'_>, number: u32) -> Option<Found> {
        let sighting = arrival.sighting;
        let parcel = &self.parcels[number];
        let are_numbered = !sighting.is_renumbered && parcel.has_identity;
        let may_be = parcel.seen >> arrival.point & 1 == 0
            && match are_numbered {
                true => parcel.id == sighting.id,
                false => parcel.form != sighting.form,
            };
        let found = may_be.then(|| self.fit(arrival, number)).flatten();
        found.filter(|found| found.fit <= Fit::Part)
    }

    /// The fragments that a point sees are of what is whole elsewhere, or in others; gives the flow
    /// by which the rest of them is found.
    fn bind_fragments(&mut self, point: usize, first: &Sighting, number: u32) -> Option<u32> {
        let parcel = self.parcels[number];
        let flow = self.paths.resolve(parcel.flow);
        let (ported, base) = match parcel.form {
            Form::Piece => (self.paths.resolve(parcel.ported), flow),
            _ => (flow, self.paths.bases(flow).next()?),
        };
        let base = self.paths.resolve(base);
        let are_unknown = first.ported == NO_LANE || ported == NONE;
        let is_it = are_unknown || self.may_be(point, first.ported, ported);
        is_it.then(|| self.bind_lane(point, first.lane, base))?
    }

    /// What a point sees whole is in fragments elsewhere; gives the flow of these.
    fn bind_whole(&mut self, point: usize, whole: &Sighting, cut: u32) -> Option<u32> {
        let parcel = self.parcels[cut];
        let base = self.paths.resolve(parcel.flow);
        let ported = self.paths.resolve(parcel.ported);
        let lane = self.paths.base_lane(point, whole.lane)?;
        let is_it = ported != NONE && self.may_be(point, whole.lane, ported);
        is_it.then(|| {
            self.bind_lane(point, whole.lane, ported);
            self.bind_lane(point, lane, base);
            self.paths.resolve(base)
        })
    }

    /// What a point sees whole is in fragments elsewhere, by the same addresses and ports: so are the
    /// fragments that it would see of that, and nobody has to look for them by their bytes. If it
    /// knows a flow of such fragments already, something may be under way under the name of that.
    pub(super) fn bind_base(&mut self, point: usize, whole: &Sighting, cut: u32) {
        let Some(lane) = self.paths.base_lane(point, whole.lane) else {
            return;
        };
        if self.paths.bound_to(point, lane) != NONE {
            return;
        }
        let Parcel { flow, ported, .. } = self.parcels[cut];
        let base = self.paths.resolve(flow);
        let is_it = ported != NONE
            && self.paths.resolve(ported) == self.paths.flow_of(point, whole.lane)
            && self.paths.may_bind(point, lane, base)
            && self.paths.goes_by_name(point, lane, base);
        if is_it {
            self.paths.bind(point, lane, base);
        }
    }

    /// Whether a lane is of a flow, or may turn out to be.
    fn may_be(&mut self, point: usize, lane: u32, flow: u32) -> bool {
        self.paths.flow_of(point, lane) == flow || self.paths.may_be_renamed(point, lane, flow)
    }

    /// A lane is of a flow, if that may be; gives the flow it is of. Several hosts behind one
    /// address have one lane of fragments there.
    fn bind_lane(&mut self, point: usize, lane: u32, flow: u32) -> Option<u32> {
        let may_be = self.may_be(point, lane, flow) || self.paths.may_share(point, lane, flow);
        if may_be && self.paths.flow_of(point, lane) != flow {
            self.bind_told(point, lane, flow);
        }
        let known = self.paths.flow_of(point, lane);
        (known != NONE).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat, take, tallies};
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::{Batch, example};
    use crate::model::{Addresses, FlowKey, Ports, ScopeTag, Timestamp};

    const A: usize = 0;
    const B: usize = 1;

    fn whole(id: u32) -> Sighting {
        Sighting {
            head: 7,
            bytes: 2_000,
            ip_bytes: 2_020,
            ..example(id)
        }
    }

    fn half(id: u32, offset: u32) -> Sighting {
        Sighting {
            form: Form::Piece,
            bytes: 1_000,
            ip_bytes: 1_020,
            offset,
            more: offset == 0,
            ..whole(id)
        }
    }

    #[test]
    fn what_else_a_point_saw_begin_alike_is_not_in_the_way() {
        let mut flight = behind_nat();
        take(&mut flight, A, 1, &whole(5_000));
        let others = MAX_CHAIN as u32 + 50;
        (0..others).for_each(|id| take(&mut flight, B, 2, &half(id, 0)));
        take(&mut flight, B, 3, &half(5_000, 0));
        take(&mut flight, B, 4, &half(5_000, 1_000));
        assert_eq!(tallies(flight)[A], (1, 1));
    }

    /// Lanes of a point: that of fragments between two hosts, and those of two flows with ports.
    const BASE: u32 = 0;
    const PORTED: [u32; 2] = [1, 2];

    /// Both points know what two hosts send each other.
    fn between_two_hosts() -> Flight {
        let mut flight = of_two_points();
        let key = |port: Option<u16>| FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 1, 1]),
            ports: port.map(|source| Ports {
                source,
                destination: 9,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        for point in [A, B] {
            let batch = Batch {
                lanes: [None, Some(1), Some(2)].map(key).into(),
                bases: PORTED.map(|ported| (ported, BASE)).into(),
                ..Batch::default()
            };
            flight.meet(point, &batch);
        }
        let span = Some((Timestamp(0), Timestamp(10_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    /// A datagram of one of the two flows.
    fn of_flow(flow: usize, id: u32) -> Sighting {
        Sighting {
            lane: PORTED[flow],
            head: flow as u64,
            ..whole(id)
        }
    }

    /// It in two fragments.
    fn in_fragments(flow: usize, id: u32) -> [Sighting; 2] {
        [0, 1_000].map(|offset| Sighting {
            lane: BASE,
            ported: if offset == 0 { PORTED[flow] } else { NO_LANE },
            head: u64::from(offset) + flow as u64,
            ..half(id, offset)
        })
    }

    #[test]
    fn who_sees_it_whole_knows_the_flow_of_its_fragments() {
        let mut flight = between_two_hosts();
        for fragment in in_fragments(0, 1) {
            take(&mut flight, A, 1, &fragment);
        }
        let base = flight.paths.bound_to(A, BASE);
        assert!(flight.paths.is_wanting(base));
        take(&mut flight, B, 2, &of_flow(0, 1));
        assert_eq!(flight.paths.bound_to(B, BASE), base);
        assert!(!flight.paths.is_wanting(base), "nobody looks for others");
        assert_eq!(tallies(flight), [(1, 2), (1, 1)]);
    }

    /// Datagrams of which the last comes to who has fragments before the others do.
    #[test]
    fn what_is_under_way_under_the_flow_of_its_own_fragments_is_found() {
        for (whole_at, cut_at) in [(A, B), (B, A)] {
            let mut flight = between_two_hosts();
            let cut = |flight: &mut Flight, id: u32| {
                for fragment in in_fragments(0, id) {
                    take(flight, cut_at, 1, &fragment);
                }
            };
            cut(&mut flight, 4);
            (1..=4).for_each(|id| take(&mut flight, whole_at, 1, &of_flow(0, id)));
            (1..=3).for_each(|id| cut(&mut flight, id));
            let told = tallies(flight);
            assert_eq!((told[whole_at], told[cut_at]), ((4, 4), (4, 8)));
        }
    }

    /// The other flow has another name there, as in another tunnel.
    #[test]
    fn who_has_another_flow_whole_knows_nothing_of_these_fragments() {
        let mut flight = between_two_hosts();
        take(&mut flight, A, 1, &in_fragments(0, 1)[1]);
        let base = flight.paths.bound_to(A, BASE);
        take(&mut flight, B, 2, &of_flow(1, 1));
        assert_ne!(
            flight.paths.bound_to(B, BASE),
            base,
            "its ports are unknown"
        );
    }

    #[test]
    fn what_is_in_fragments_somewhere_is_not_taken_at_once() {
        let mut flight = between_two_hosts();
        let small = Sighting {
            bytes: 200,
            ip_bytes: 220,
            ..of_flow(0, 1)
        };
        for point in [A, B] {
            take(&mut flight, point, 1, &small);
        }
        let may_come = |flight: &Flight, flow: usize| {
            [small, of_flow(flow, 2)].map(|next| flight.may_come_abreast(A, &next))
        };
        assert_eq!(may_come(&flight, 0), [true, true]);
        take(&mut flight, B, 2, &in_fragments(0, 2)[0]);
        assert_eq!(may_come(&flight, 0), [true, false]);
        assert_eq!(may_come(&flight, 1), [true, true], "nobody met this flow");
    }

    /// Two flows between the same hosts may have one identification at about the same time.
    #[test]
    fn the_rest_is_of_the_datagram_that_its_first_fragment_is_of() {
        let mut flight = between_two_hosts();
        take(&mut flight, A, 10, &of_flow(0, 7));
        take(&mut flight, A, 50, &of_flow(1, 7));
        let [first, rest] = in_fragments(0, 7);
        take(&mut flight, B, 28, &first);
        take(&mut flight, B, 32, &rest);
        assert_eq!(tallies(flight), [(2, 1), (1, 2)]);
    }
}
