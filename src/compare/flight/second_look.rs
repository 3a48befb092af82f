//! Of a flow that one point alone knows, few packets are looked for by their bytes when they come.
//! Others may have none but some of the rest, where their capture begins later: what is kept aside is
//! looked at once more, when half of its time is over, and held against what others looked for lately.

use super::aside::MUCH;
use super::due::Due;
use super::find::{Fit, Found};
use super::queue::Kept;
use super::recall::may_be_looked_at_again;
use super::settle::Now;
use super::{AT_ONCE, Arrival, Flight, bit};
use crate::compare::lately::Print;
use crate::compare::sighting::Sighting;
use crate::compare::strays::{Became, Stray};
use crate::model::{Duration, Timestamp};

/// When what is kept aside is looked for by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    Now,
    /// It is looked at again.
    Later(Print),
    Never,
}

impl Sought {
    pub fn print(self) -> Option<Print> {
        match self {
            Self::Later(print) => Some(print),
            Self::Now | Self::Never => None,
        }
    }
}

/// Behind the first of a flow, one of so many is looked for at once.
const FEW: u64 = 64;

/// Whether what is told by this is one of these.
#[inline(always)]
pub(super) fn is_one_of_few(telling: u64) -> bool {
    telling.is_multiple_of(FEW)
}

/// A stray that became a parcel, and what tells it from another with its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct CalledIn {
    number: u32,
    time: Timestamp,
    order: u32,
}

/// So much that is in no queue waits to be looked at again.
const MOST_LATE: usize = 1 << 16;

/// Where there is no room, what goes is looked at again by so much.
const ROOM: Duration = AT_ONCE;

impl Flight {
    /// When what is to be kept aside is looked for by its bytes, or what it was found to be.
    pub(super) fn seek_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> Result<Sought, Found> {
        let sought = self.sought(flow, arrival.sighting);
        if sought != Sought::Now {
            return Ok(sought);
        }
        let found = self.with_same_bytes(arrival, flow);
        found.map_or(Ok(sought), Err)
    }

    /// Of a flow the first are looked for at once, then few: the same at every point.
    fn sought(&self, flow: u32, sighting: &Sighting) -> Sought {
        if !may_be_looked_at_again(sighting) {
            return match self.is_looked_for(flow, sighting) {
                true => Sought::Now,
                false => Sought::Never,
            };
        }
        let telling = sighting.telling();
        let is_in_full = self.strays.is_mixed(flow) || self.paths.may_have_fragments(flow);
        let is_now = match is_in_full {
            true => self.is_looked_for(flow, sighting),
            false => self.paths.get(flow).sightings < MUCH || is_one_of_few(telling),
        };
        match is_now {
            true => Sought::Now,
            false => Sought::Later(Print::of_hash(telling)),
        }
    }

    /// Whether all of a flow was looked for until now.
    pub(super) fn are_all_looked_for(&self, flow: u32) -> bool {
        self.paths.get(flow).sightings <= MUCH || self.strays.is_mixed(flow)
    }

    /// Something is looked for by its bytes, of a flow of which that is not known yet.
    pub(super) fn note_looked_for(&mut self, sighting: &Sighting) {
        if may_be_looked_at_again(sighting) {
            self.aside.lately.note(Print::of(sighting));
        }
    }

    /// Whether a stray that became a parcel, and was not looked for by its bytes, may be what others
    /// look for. What they did look for is held against it as soon as that may be.
    pub(super) fn looks_again_for(&mut self, number: u32, stray: &Stray) -> bool {
        let flow = self.paths.resolve(stray.flow);
        if !may_be_looked_at_again(&stray.sighting) || !self.paths.is_wanting(flow) {
            return false;
        }
        self.strays.mix(stray.flow);
        if self.aside.lately.may_have(Print::of(&stray.sighting)) {
            let Stray { time, order, .. } = *stray;
            self.aside.called_in.push(CalledIn {
                number,
                time,
                order,
            });
        }
        true
    }

    /// What is in no queue is looked at again, too; before its time if there is much of it.
    pub(super) fn look_later(&mut self, due: Due) {
        let late = &mut self.aside.late;
        late.push(due);
        if late.len() > MOST_LATE
            && let Some(first) = late.pop()
        {
            self.look_again_at(&Kept::Held(first.held()));
        }
    }

    /// What was kept aside for half of its time is looked at again.
    pub(super) fn look_again_aside(&mut self) {
        self.aside.lately.pass(self.now, self.window);
        self.look_again_until(self.before_half_the_window());
    }

    /// Where a clock was set back, what comes is over before it is looked at again: what came before
    /// is looked at then. Says whether a flow is no longer what it was.
    pub(super) fn look_again_before(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let is_late = self.is_before_half_the_window(arrival.time);
        if is_late {
            self.look_again_until(Timestamp::MAX);
        }
        is_late && self.paths.resolve(flow) != flow
    }

    #[inline(always)]
    pub(super) fn is_before_half_the_window(&self, time: Timestamp) -> bool {
        time < self.before_half_the_window()
    }

    fn before_half_the_window(&self) -> Timestamp {
        Timestamp(self.now.0.saturating_sub(self.window.0 / 2))
    }

    fn look_again_at_called_in(&mut self) {
        while let Some(called_in) = self.aside.called_in.pop() {
            self.look_again_at_parcel(called_in);
        }
    }

    /// Looks for what became a parcel since it was kept aside.
    fn look_again_at_parcel(&mut self, called_in: CalledIn) {
        let stray = *self.strays.get(called_in.number);
        let Became::Parcel(number) = self.strays.became(called_in.number) else {
            return;
        };
        let is_it = (stray.time, stray.order) == (called_in.time, called_in.order);
        let is_alone = |flight: &Self| {
            let parcel = &flight.parcels[number];
            parcel.is_under_way && parcel.seen == bit(stray.point())
        };
        if !is_it || !is_alone(self) {
            return;
        }
        let flow = self.paths.resolve(stray.flow);
        let arrival = Arrival::of(stray.point(), &stray.sighting, stray.time);
        let Some(found) = self.with_same_bytes(arrival, flow) else {
            return;
        };
        self.bind_to(arrival, flow, &found);
        if found.parcel != number && found.fit == Fit::Same && is_alone(self) {
            self.unite(number, found.parcel);
            if stray.sighting.is_nameless() {
                self.leave_nameless(found.parcel, &stray.sighting, stray.point());
            }
        }
    }

    /// What may go for want of room is looked at again; says until when that was seen.
    pub(super) fn look_again_at_oldest(&mut self) -> Timestamp {
        let (first, _) = self.aside.first();
        let until = first.since() + ROOM;
        if first != Due::NEVER {
            self.look_again_until(until + Duration(1));
        }
        until
    }

    /// All that was not is looked at again.
    pub(super) fn look_again_at_all_aside(&mut self) {
        self.look_again_until(Timestamp::MAX);
        self.look_again_at_called_in();
    }

    fn look_again_until(&mut self, until: Timestamp) {
        self.look_again_at_called_in();
        for point in 0..self.points {
            loop {
                let aside = &mut self.aside;
                let Some(kept) = aside.queues[point].look_again(until, &aside.lately, point) else {
                    break;
                };
                self.look_again_at(&kept);
            }
        }
        while let Some(due) = self.aside.late.first().filter(|due| due.since() < until) {
            self.aside.late.pop();
            self.look_again_at(&Kept::Held(due.held()));
        }
    }

    /// What is kept aside, if nobody asked for it.
    fn stray_of(&self, kept: &Kept) -> Option<Stray> {
        match kept {
            Kept::Brief(point, number) => {
                let brief = self.aside.brief(*point, *number)?;
                self.strays.in_full(brief)
            }
            Kept::Held(held) => match self.held(*held) {
                Now::Stray(number) => Some(*self.strays.get(number)),
                Now::Parcel(_) | Now::Elsewhere => None,
            },
        }
    }

    /// Looks for a stray by its bytes that was not.
    fn look_again_at(&mut self, kept: &Kept) {
        let Some(stray) = self.stray_of(kept) else {
            return;
        };
        let flow = self.paths.resolve(stray.flow);
        if !self.paths.is_single(flow) {
            return;
        }
        let arrival = Arrival::again(&stray);
        if let Some(found) = self.with_same_bytes(arrival, flow) {
            self.bind_to(arrival, flow, &found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat, take, tallies};
    use crate::compare::flight::of_two_points;
    use crate::compare::flight::recall::of_memory::{A, B, KINDS, SENT, numbered, told};
    use crate::compare::sighting::{Batch, Form, NO_LANE};
    use crate::model::{Addresses, FlowKey, Ports, Protocol, ScopeTag};

    /// Few enough that none of them is looked for when it comes to the first.
    const LATE: [u32; 5] = [1_000, 1_001, 1_020, 1_200, 1_390];

    #[test]
    fn few_of_many_are_found_by_their_bytes() {
        // Within the window, and far beyond it.
        for every in [Duration(10_000), Duration::from_millis(10)] {
            for (kind, packet) in KINDS {
                for first in [A, B] {
                    let told = told(first, packet, &LATE, every);
                    let all = [(SENT.into(), 5), (5, 5)];
                    assert_eq!(told, (all, 0), "{kind}, each {every:?}");
                }
            }
        }
    }

    #[test]
    fn what_of_few_overtook_others_is_told() {
        for (kind, packet) in KINDS {
            let mut then: Vec<u32> = (1_000..1_010).collect();
            then.swap(3, 4);
            let (tallies, reordered) = told(A, packet, &then, Duration::from_millis(10));
            assert_eq!(tallies, [(SENT.into(), 10), (10, 10)], "{kind}");
            assert_eq!(reordered, 1, "{kind}");
        }
    }

    /// None of it is in order of time any more.
    #[test]
    fn what_a_clock_that_was_set_back_shows_is_looked_at_again() {
        let mut flight = behind_nat();
        for id in 0..300 {
            let time = if id == 100 { 2_000 } else { id };
            take(&mut flight, A, time, &numbered(id as u32));
        }
        take(&mut flight, B, 300, &numbered(250));
        assert!(
            flight.aside.late.len() > 150,
            "but for those that are looked for anyway"
        );
        assert_eq!(tallies(flight), [(300, 1), (1, 1)]);
    }

    #[test]
    fn what_goes_for_want_of_room_is_looked_at_before() {
        let mut flight = behind_nat();
        (0..200).for_each(|id| take(&mut flight, A, id, &numbered(id as u32)));
        take(&mut flight, B, 200, &numbered(150));
        assert_eq!(flight.aside.len(), 199);
        for _ in 0..20 {
            flight.make_room();
        }
        assert_eq!(flight.aside.len(), 0);
        assert_eq!(tallies(flight), [(200, 1), (1, 1)]);
    }

    /// Two flows behind NAT, of which one point sees the end alone, and some of it twice: of what it
    /// has by then all becomes known.
    #[test]
    fn what_came_twice_before_its_flow_was_told_is_found() {
        let ports = |flow: u16| Ports {
            source: 1_000 + flow,
            destination: 9,
        };
        let key = |host: u8, flow: u16| FlowKey {
            addresses: Addresses::v4([10, 0, 0, host], [10, 0, 1, 1]),
            ports: Some(ports(flow)),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        for [every, copied] in [[1_000, 0], [100, 1], [100, 5]] {
            let mut flight = of_two_points();
            for (point, hosts) in [(A, [1, 2]), (B, [9, 9])] {
                let lanes = vec![key(hosts[0], 0), key(hosts[1], 1)];
                let batch = Batch {
                    lanes,
                    ..Batch::default()
                };
                flight.meet(point, &batch);
            }
            let span = Some((Timestamp(0), Timestamp(20_000_000_000)));
            flight.spans.fill(span);
            for number in 0..4_000_u32 {
                let sighting = Sighting {
                    lane: number % 2,
                    head: number.into(),
                    ..numbered(number / 2 + number % 2 * 100)
                };
                let time = Timestamp(i64::from(number) * 50_000);
                flight.take(A, &sighting, time);
                if number < 2_000 {
                    continue;
                }
                flight.take(B, &sighting, time + Duration(50_000));
                if number % every < copied {
                    let copy = Sighting {
                        is_fresh: false,
                        ..sighting
                    };
                    flight.take(B, &copy, time + Duration(100_000));
                }
            }
            let all = [(4_000, 2_000), (2_000, 2_000)];
            assert_eq!(tallies(flight), all, "{copied} of {every}");
        }
    }

    /// What comes after that is over before it could be looked at again.
    #[test]
    fn where_a_clock_is_set_back_what_came_before_is_looked_at() {
        for (kind, packet) in KINDS {
            let mut flight = behind_nat();
            let mut seen = 0;
            for id in 0..240 {
                let packet = packet(id as u32);
                take(&mut flight, A, 10_000 + id, &packet);
                if id >= 230 && !packet.is_one_in(FEW) {
                    take(&mut flight, B, 10_000 + id, &packet);
                    seen += 1;
                }
            }
            let is_single = |flight: &Flight| {
                let flow = flight.paths.bound_to(A, 0);
                flight.paths.is_single(flight.paths.resolve(flow))
            };
            assert!(is_single(&flight), "{kind}");
            take(&mut flight, A, 0, &packet(240));
            assert!(!is_single(&flight), "{kind}");
            assert_eq!(tallies(flight), [(241, seen), (seen, seen)], "{kind}");
        }
    }

    /// What has ports is the first lane, its fragments are of the second.
    #[test]
    fn what_is_told_by_fragments_of_its_flow_is_found() {
        let key = |host: u8, source: Option<u16>| FlowKey {
            addresses: Addresses::v4([10, 0, 0, host], [10, 0, 1, 1]),
            ports: source.map(|source| Ports {
                source,
                destination: 9,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        let mut flight = of_two_points();
        for (point, host) in [(A, 1), (B, 2)] {
            let batch = Batch {
                lanes: vec![key(host, Some(1_000)), key(host, None)],
                bases: [(0, 1)].into(),
                ..Batch::default()
            };
            flight.meet(point, &batch);
        }
        let span = Some((Timestamp(0), Timestamp(20_000_000_000)));
        flight.spans.fill(span);
        let fragment = |number: u32| Sighting {
            form: Form::Piece,
            lane: 1,
            ported: if number == 0 { 0 } else { NO_LANE },
            offset: number * 400,
            bytes: 400,
            more: number == 0,
            head: 7_000 + u64::from(number),
            ..numbered(900)
        };
        for id in 0..200 {
            take(&mut flight, A, id, &numbered(id as u32));
            if id >= 150 {
                take(&mut flight, B, id, &numbered(id as u32));
            }
        }
        for number in 0..2 {
            take(&mut flight, A, 200, &fragment(number));
            take(&mut flight, B, 200, &fragment(number));
        }
        let all = [(201, 50 + 2), (51, 50 + 2)];
        assert_eq!(tallies(flight), all, "both fragments are matched");
    }
}
