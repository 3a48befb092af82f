//! A flow turns out to be one that others know by another name. That is told by some of its packets
//! alone, where there are many; what its point had of it before is held against what the others
//! have only then.

use super::find::{Fit, Found};
use super::settle::LINGER;
use super::{Arrival, Due, Flight, bit, content_key, nearest};
use crate::compare::flight::stray::Held;
use crate::compare::parcel::Seen;
use crate::compare::sighting::{BLANK, Form, Lane, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::Stray;
use crate::model::{Protocol, Timestamp};
use std::cmp::Ordering;

/// What was seen of a flow before somebody knew which it is.
struct Earlier {
    /// What the point kept aside of it, in order.
    strays: Vec<u32>,
    /// What others kept aside, if the point has parcels that may be it: the first of a flow is one.
    theirs: Vec<u32>,
}

/// Something that is taken again: what two points have seen, in the order in which it came to the one
/// behind.
struct Again<'a> {
    place: (u32, Timestamp),
    stray: Stray,
    /// If it is what told the flow.
    told: Option<Told<'a>>,
}

/// What told which flow something is of, and what that was found to be.
type Told<'a> = (Arrival<'a>, &'a Found);

/// Whether what is kept aside is looked at once more. Of a stream it is not: others may have it in
/// other packets, and have sent some of it again.
pub(super) fn may_be_looked_at_again(sighting: &Sighting) -> bool {
    sighting.form == Form::Whole && sighting.protocol != Protocol::TCP
}

/// Whether what was kept aside is held against what others have of its flow once that is known. What
/// is in fragments is found otherwise.
fn may_be_recalled(sighting: &Sighting) -> bool {
    sighting.form != Form::Piece
}

/// So many of the latest parcels are looked at for those of a flow that others know.
const LOOKED_BACK: usize = 1 << 12;

impl Flight {
    /// The lane of a sighting is of a flow, as the parcel tells that it was found to be of. That is seen
    /// by who found it.
    pub(super) fn bind_found(&mut self, arrival: Arrival<'_>, theirs: u32, found: &Found) {
        let (point, sighting, _) = arrival.parts();
        match may_be_recalled(sighting) {
            true => self.bind_and_recall(point, sighting.lane, theirs, Some((arrival, found))),
            false => self.paths.bind(point, sighting.lane, theirs),
        }
    }

    /// A lane is of a flow, as something else tells than its packets.
    pub(super) fn bind_told(&mut self, point: usize, lane: Lane, theirs: u32) {
        self.bind_and_recall(point, lane, theirs, None);
    }

    fn bind_and_recall(&mut self, point: usize, lane: Lane, theirs: u32, told: Option<Told<'_>>) {
        let before = self.paths.flow_of(point, lane);
        let earlier = self.take_earlier(point, before, theirs);
        self.paths.bind(point, lane, theirs);
        let flow = self.paths.flow_of(point, lane);
        let but = told.map_or(NONE, |(_, found)| found.parcel);
        for Again { stray, told, .. } in self.in_turn(earlier, flow, told) {
            let parcel = match told {
                Some((arrival, found)) => {
                    self.join(arrival, found);
                    Some(found.parcel)
                }
                None => self.take_again(&stray, flow, but),
            };
            if let Some(parcel) = parcel {
                self.close_if_over(parcel);
            }
        }
        self.unite_earlier((point, lane), before, but);
    }

    /// What its point alone has of a flow as parcels may be what others have so, too, under the name
    /// that it has there; but for the one that is about to be seen by it.
    fn unite_earlier(&mut self, (point, lane): (usize, Lane), before: u32, but: u32) {
        let flow = self.paths.flow_of(point, lane);
        if before == NONE || before == flow {
            return;
        }
        for number in self.latest_lone(point, before) {
            let Some(sighting) = self.sighting_of(number, point, lane) else {
                continue;
            };
            let arrival = Arrival::of(point, &sighting, self.parcels[number].first);
            let found = self.by_name(arrival, flow);
            let is_it = |found: &Found| found.fit == Fit::Same && found.parcel != but;
            if let Some(found) = found.filter(is_it) {
                self.unite(number, found.parcel);
                self.close_if_over(found.parcel);
            }
        }
    }

    /// The latest parcels of a flow, under its own number, that one point alone has, in the order in
    /// which they came.
    fn latest_lone(&self, point: usize, flow: u32) -> Vec<u32> {
        let is_it = |number: &u32| {
            let parcel = &self.parcels[*number];
            parcel.is_under_way && parcel.flow == flow && parcel.seen == bit(point)
        };
        let latest = self.young.iter().rev().take(LOOKED_BACK);
        let parcels = latest.filter_map(|due| due.held().number().ok());
        let lone = parcels.filter(is_it);
        let mut lone: Vec<u32> = lone.take(self.lone.of(flow, point) as usize).collect();
        lone.reverse();
        lone
    }

    /// What a point saw of a parcel, if that is one packet.
    fn sighting_of(&self, number: u32, point: usize, lane: Lane) -> Option<Sighting> {
        let parcel = &self.parcels[number];
        if !parcel.is_under_way {
            return None;
        }
        let (piece, seen) = (&self.pieces[parcel.pieces], self.seen(parcel.pieces, point));
        parcel.is_one(piece).then_some(Sighting {
            time: seen.time,
            frame: seen.frame,
            head: piece.head,
            lane,
            id: parcel.id,
            offset: parcel.start,
            bytes: parcel.length,
            ip_bytes: piece.ip_bytes,
            sum: piece.sum,
            look: seen.look,
            protocol: self.paths.key_of(point, lane).protocol,
            is_numbered: parcel.has_identity,
            is_carrier: parcel.is_carrier,
            form: parcel.form,
            is_control: parcel.is_control,
            share: seen.share,
            ..BLANK
        })
    }

    /// What two points have seen of what is earlier, in its turn; what one alone has seen begins again
    /// at once.
    fn in_turn<'a>(
        &mut self,
        earlier: Earlier,
        flow: u32,
        told: Option<Told<'a>>,
    ) -> Vec<Again<'a>> {
        let behind = told.and_then(|told| self.behind(told));
        let but = told.map_or(NONE, |(_, found)| found.parcel);
        let mut again = Vec::new();
        for number in earlier.theirs.into_iter().chain(earlier.strays) {
            let stray = *self.strays.get(number);
            if stray.sighting.form == Form::Segment {
                // What is cut otherwise elsewhere is found one behind the other.
                let place = (0, stray.time);
                again.push(Again {
                    place,
                    stray,
                    told: None,
                });
                continue;
            }
            let told = told.filter(|(arrival, _)| arrival.is(&stray));
            let known = match told {
                Some((_, found)) => Some(*found),
                None => self.known_again(&stray, flow, but),
            };
            let Some(found) = known else {
                self.begin_again(&stray, flow);
                continue;
            };
            let place = self.place_in_turn(&stray, &found, behind);
            again.push(Again { place, stray, told });
        }
        again.sort_by_key(|again| again.place);
        again
    }

    /// What all have seen a while ago is written down: how long it took tells what others would have
    /// seen of what is not.
    fn close_if_over(&mut self, number: u32) {
        let parcel = &self.parcels[number];
        let is_known = self.is_acquainted && self.now - parcel.last > LINGER;
        if (is_known || self.is_ending) && parcel.is_open && self.is_everywhere(parcel) {
            self.close(number);
        }
    }

    /// Which of two points a packet comes to behind the other, as TTLs tell.
    fn behind(&self, (arrival, found): Told<'_>) -> Option<usize> {
        let (point, sighting, _) = arrival.parts();
        let other = nearest(self.parcels[found.parcel].seen, point, self.points)?;
        let theirs = self.seen_of(found, other)?;
        match sighting.look.hop_limit.cmp(&theirs.look.hop_limit) {
            Ordering::Less => Some(point),
            Ordering::Equal => None,
            Ordering::Greater => Some(other),
        }
    }

    /// What a point saw of what was found, if it did.
    fn seen_of(&self, found: &Found, point: usize) -> Option<&Seen> {
        let is_there = found.piece != NONE && self.pieces[found.piece].seen & bit(point) != 0;
        is_there.then(|| self.seen(found.piece, point))
    }

    /// When a packet comes to the point behind, by its order there; by time if that is not known.
    fn place_in_turn(
        &self,
        stray: &Stray,
        found: &Found,
        behind: Option<usize>,
    ) -> (u32, Timestamp) {
        let order = match behind {
            Some(point) if point == stray.point() => Some(stray.order),
            Some(point) => self.seen_of(found, point).map(|seen| seen.order),
            None => None,
        };
        let both = stray.time.max(self.parcels[found.parcel].last);
        (order.unwrap_or(0), both)
    }

    /// What a point kept aside of a flow that turns out to be another is so no longer.
    fn take_earlier(&mut self, point: usize, flow: u32, theirs: u32) -> Earlier {
        let mut strays = Vec::new();
        if flow == NONE || flow == theirs {
            let theirs = Vec::new();
            return Earlier { strays, theirs };
        }
        self.unfold_all(flow);
        self.unfold(theirs);
        while let Some(number) = self.first_stray_of(flow) {
            let stray = self.strays.get(number);
            if stray.point() != point || !may_be_recalled(&stray.sighting) {
                break;
            }
            self.take_from_aside(number);
            strays.push(number);
        }
        let has_parcels = self.paths.is_under_way(flow);
        // Of a stream that is cut alike they are found as parcels, but not as parts of super-frames.
        let has_supers = self.supers.of(flow).next().is_some();
        let may_be = |number: &u32| match self.strays.get(*number).sighting.form {
            Form::Whole => true,
            Form::Segment => has_supers,
            Form::Piece => false,
        };
        let theirs = has_parcels.then(|| self.strays.line_of(theirs).filter(may_be).collect());
        let theirs: Vec<u32> = theirs.unwrap_or_default();
        theirs
            .iter()
            .for_each(|number| self.take_from_aside(*number));
        Earlier { strays, theirs }
    }

    /// A stray is none any more: it is told elsewhere what became of it.
    fn take_from_aside(&mut self, number: u32) {
        let flow = self.strays.get(number).flow;
        self.strays.lines_up(number);
        self.note_over(flow);
    }

    /// Takes what was kept aside, as if it came now, but in its order and its time; gives its parcel
    /// if somebody else has that.
    fn take_again(&mut self, stray: &Stray, flow: u32, but: u32) -> Option<u32> {
        let Some(found) = self.known_again(stray, flow, but) else {
            self.begin_again(stray, flow);
            return None;
        };
        self.join(Arrival::again(stray), &found);
        Some(found.parcel)
    }

    /// The parcel that it is, if that is not one.
    fn known_again(&mut self, stray: &Stray, flow: u32, but: u32) -> Option<Found> {
        let found = self.by_name(Arrival::again(stray), flow);
        found.filter(|found| found.parcel != but && found.fit < Fit::Copy)
    }

    /// Nobody else has it in one piece.
    fn begin_again(&mut self, stray: &Stray, flow: u32) {
        let is_stretch = stray.sighting.form == Form::Segment;
        if is_stretch && self.spread(Arrival::again(stray), flow) {
            return;
        }
        let parcel = self.begin_known(Arrival::again(stray), flow);
        self.parcels[parcel].tells_time = stray.tells_time;
        if !self.paths.is_wanting(flow) {
            // By its name it is found, and many may have the same bytes.
            let keys = self.parcels[parcel].keys;
            let content = content_key(&stray.sighting);
            self.parcels[parcel].keys = self.index.remove_one(keys, content);
        }
        // Nothing has to go for it yet: that might be what was found.
        let held = Held::parcel(parcel);
        self.old.push(Due::new(stray.time, stray.order, held));
    }
}

/// A long flow behind NAT, of which one point sees the end alone.
#[cfg(test)]
pub(super) mod of_memory {
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat_by, fresh, tallies_and_reordered};
    use crate::model::{Duration, Timestamp};

    pub const A: usize = 0;
    pub const B: usize = 1;

    pub fn numbered(id: u32) -> Sighting {
        fresh(id)
    }

    /// Nothing but its bytes tells it from others.
    fn nameless(id: u32) -> Sighting {
        Sighting {
            id: 0,
            is_numbered: false,
            is_fresh: false,
            head: id.into(),
            ..fresh(id)
        }
    }

    /// Nothing but its identification does.
    fn alike(id: u32) -> Sighting {
        Sighting {
            head: 7,
            ..fresh(id)
        }
    }

    /// Of a stream.
    fn stretch(id: u32) -> Sighting {
        Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            offset: id * 100,
            head: id.into(),
            ..fresh(id)
        }
    }

    /// An acknowledgement.
    fn answer(id: u32) -> Sighting {
        Sighting {
            is_control: true,
            protocol: Protocol::TCP,
            head: id.into(),
            ..fresh(id)
        }
    }

    pub type Kind = (&'static str, fn(u32) -> Sighting);

    pub const KINDS: [Kind; 3] = [
        ("numbered", numbered),
        ("nameless", nameless),
        ("alike", alike),
    ];

    /// What is not looked at again.
    pub const OF_TCP: [Kind; 2] = [("stretch", stretch), ("answer", answer)];

    pub const SENT: u32 = 3_000;

    /// So many packets of a flow come to a point until it is known that they are in a row.
    const UNSURE: usize = 4;

    /// Of each point, how many packets it saw and how many of these the other had, and how many were
    /// reordered, where one point saw packets that are sent so often, and the other some of them
    /// later.
    pub fn told(
        first: usize,
        packet: fn(u32) -> Sighting,
        then: &[u32],
        every: Duration,
    ) -> ([(u64, u64); 2], u64) {
        let mut flight = behind_nat_by(packet(0).protocol);
        let sent = |id: u32| Timestamp(i64::from(id) * every.0);
        let mut numbers = then.to_vec();
        numbers.sort_unstable();
        let late = numbers.into_iter().zip(then);
        let late = late.map(|(number, id)| (sent(number) + Duration::from_millis(50), *id));
        let seen = (0..SENT).map(|id| (sent(id), first, id));
        let mut all: Vec<_> = seen
            .chain(late.map(|(time, id)| (time, 1 - first, id)))
            .collect();
        all.sort_by_key(|(time, _, _)| *time);
        let mut came = [0; 2];
        for (time, point, id) in all {
            let packet = packet(id);
            let is_fresh = packet.is_fresh && came[point] >= UNSURE;
            came[point] += 1;
            let sighting = Sighting {
                time,
                is_fresh,
                ..packet
            };
            flight.take(point, &sighting, time);
        }
        let (mut tallies, reordered) = tallies_and_reordered(flight);
        if first == B {
            tallies.reverse();
        }
        (tallies, reordered)
    }
}

#[cfg(test)]
mod tests {
    use super::of_memory::{A, B, KINDS, OF_TCP, SENT, numbered, told};
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat_by, tallies_and_reordered};
    use crate::model::Duration;

    const OFTEN: Duration = Duration(10_000);

    #[test]
    fn whoever_comes_late_finds_all_that_it_has_once_some_tells_its_flow() {
        let late: Vec<u32> = (SENT - 400..SENT).collect();
        for (kind, packet) in KINDS.into_iter().chain(OF_TCP) {
            for first in [A, B] {
                let all = [(SENT.into(), 400), (400, 400)];
                assert_eq!(told(first, packet, &late, OFTEN), (all, 0), "{kind}");
            }
        }
    }

    #[test]
    fn what_comes_late_may_be_lost_in_between() {
        let late: Vec<u32> = (SENT - 400..SENT).filter(|id| id % 5 != 0).collect();
        for (kind, packet) in KINDS.into_iter().chain(OF_TCP) {
            let all = [(SENT.into(), 320), (320, 320)];
            assert_eq!(told(A, packet, &late, OFTEN), (all, 0), "{kind}");
        }
    }

    /// The first point has sent one again, and so none of it is aside there.
    #[test]
    fn what_is_under_way_at_both_points_by_then_is_one() {
        for (kind, packet) in KINDS.into_iter().take(1).chain(OF_TCP) {
            let mut flight = behind_nat_by(packet(0).protocol);
            let sees = |flight: &mut Flight, point: usize, id: u32, is_fresh: bool| {
                let late = i64::from(id) * OFTEN.0 + point as i64 * 50_000_000;
                let (time, packet) = (Timestamp(late), packet(id));
                let sighting = Sighting {
                    time,
                    is_fresh,
                    ..packet
                };
                flight.take(point, &sighting, time);
            };
            (0..SENT).for_each(|id| sees(&mut flight, A, id, true));
            sees(&mut flight, A, SENT - 50, false);
            let late = SENT - 40..SENT;
            late.clone()
                .for_each(|id| sees(&mut flight, B, id, id > late.start + 4));
            let all = [(SENT.into(), 40), (40, 40)];
            assert_eq!(tallies_and_reordered(flight), (all, 0), "{kind}");
        }
    }

    /// None of these is aside, and none has the bytes of what is.
    #[test]
    fn what_super_frames_are_made_of_is_found_once_one_tells_their_flow() {
        const JOINED: u32 = 20;
        let (_, stretch) = OF_TCP[0];
        let mut flight = behind_nat_by(Protocol::TCP);
        let at = |id: u32| Timestamp(i64::from(id) * OFTEN.0);
        for id in 0..SENT {
            let time = at(id);
            let sighting = Sighting {
                time,
                ..stretch(id)
            };
            flight.take(A, &sighting, time);
        }
        for id in (SENT - 1_000..SENT).step_by(JOINED as usize) {
            let time = at(id) + Duration::from_millis(50);
            let first = stretch(id);
            let sighting = Sighting {
                time,
                bytes: first.bytes * JOINED,
                ip_bytes: first.ip_bytes + first.bytes * (JOINED - 1),
                is_fresh: false,
                ..first
            };
            flight.take(B, &sighting, time);
        }
        let all = [(SENT.into(), 1_000), (50, 50)];
        assert_eq!(tallies_and_reordered(flight), (all, 0));
    }

    #[test]
    fn what_overtook_others_before_is_told() {
        let mut late: Vec<u32> = (SENT - 400..SENT).collect();
        late.swap(2, 3);
        let all = [(SENT.into(), 400), (400, 400)];
        assert_eq!(told(A, numbered, &late, OFTEN), (all, 1));
    }
}
