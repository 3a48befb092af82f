//! Packets of flows that one point alone knows. On the interface of a host is much that never
//! comes to one of its containers: such a packet is kept aside, without a parcel, and without keys
//! until somebody looks for something of the kind. What may be what another point has under another
//! name becomes a parcel then.

use super::due::Due;
use super::queue::Queue;
use super::second_look::{CalledIn, Sought};
use super::stray::Held;
use super::{AT_ONCE, Arrival, Flight, bit, content_key};
use crate::compare::brief::Brief;
use crate::compare::lately::{Lately, Print};
use crate::compare::rows::Rows;
use crate::compare::sieve::Sieve;
use crate::compare::sighting::{Form, NO_LANE, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::Newcomer;
use crate::model::{Duration, Timestamp};
use hashbrown::HashSet;

/// Of so many packets of a flow, others would have had some if they had any.
pub(super) const MUCH: u16 = 64;

/// What points have aside is taken in the order of time within this: so often is gone from one to
/// the other.
const BESIDE: Duration = Duration::from_millis(1);

/// What is kept aside.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// By point: strays in order of time.
    pub(super) queues: Vec<Queue>,
    /// What was looked for by its bytes lately.
    pub(super) lately: Lately,
    /// What is looked at again and is in no queue.
    pub(super) late: Rows<Due>,
    /// Strays that became parcels, and may be some of that.
    pub(super) called_in: Vec<CalledIn>,
    /// Flows of which something is wanted and not found by its bytes yet.
    wanted: Flows,
    /// Whether anybody looks for what is whole by fragments of it: then all that may be it is found.
    pub(super) are_uncut_found: bool,
    /// Flows of which something is in fragments, and what that may be found by.
    in_fragments: Flows,
    pub(super) sieve: Sieve,
    /// Flows of fragments that show ports of flows that others know, too: nothing of them is aside.
    pub(super) mixed: HashSet<u32>,
}

/// Flows of which points have something aside.
#[derive(Debug, Default)]
struct Flows {
    /// By point.
    all: Vec<Vec<u32>>,
    /// By flow: whether it is among these.
    are_in: Vec<bool>,
}

impl Flows {
    fn new(points: usize) -> Self {
        Self {
            all: vec![Vec::new(); points],
            are_in: Vec::new(),
        }
    }

    /// Adds one, of which a point has something.
    fn add(&mut self, point: usize, flow: u32) {
        let place = flow as usize;
        if self.are_in.len() <= place {
            self.are_in.resize(place + 1, false);
        }
        if !std::mem::replace(&mut self.are_in[place], true) {
            self.all[point].push(flow);
        }
    }

    /// Takes one of which another point has something.
    fn take_from_others(&mut self, point: usize) -> Option<u32> {
        let mut others = self.all.iter_mut().enumerate();
        let flow = others.find_map(|(other, flows)| (other != point).then(|| flows.pop())?)?;
        self.are_in[flow as usize] = false;
        Some(flow)
    }
}

/// A parcel that is looked for by its bytes, or by how it begins.
struct Wanted {
    since: Timestamp,
    parcel: u32,
    key: u64,
}

impl Aside {
    pub fn new(points: usize) -> Self {
        Self {
            queues: (0..points).map(|_| Queue::default()).collect(),
            wanted: Flows::new(points),
            in_fragments: Flows::new(points),
            ..Self::default()
        }
    }

    /// Adds a stray of a point behind all else of that, if it belongs there; says whether it did.
    fn add(&mut self, point: usize, due: Due, print: Option<Print>) -> bool {
        self.queues[point].add(due, print)
    }

    /// How many strays are kept so.
    pub fn len(&self) -> usize {
        self.queues.iter().map(Queue::len).sum()
    }

    /// When the first of it is due, or [`Due::NEVER`], and the point that saw that.
    #[inline(always)]
    pub fn first(&self) -> (Due, usize) {
        first_due(self.queues.iter().map(Queue::first))
    }

    /// Until when what a point has is taken, where its first is the first of all, as others have their
    /// [turn](in_turn_until) then.
    pub(super) fn in_turn_until(&self, point: usize, old: Due) -> Timestamp {
        in_turn_until(self.queues.iter().map(Queue::first), point, old)
    }

    /// Takes the first of a point, if that is kept in full.
    pub fn pop_held(&mut self, point: usize) -> Option<Held> {
        self.queues[point].pop_held()
    }

    /// What a point keeps in brief under a number.
    pub fn brief(&self, point: u8, number: u32) -> Option<&Brief> {
        self.queues[usize::from(point)].brief(number)
    }

    /// Whether some of it was seen not long before some time.
    fn is_near(&self, now: Timestamp) -> bool {
        let mut queues = self.queues.iter();
        queues.any(|queue| queue.latest().is_some_and(|latest| now - latest <= AT_ONCE))
    }

    /// Something of a flow is in fragments, which a point saw.
    pub(super) fn want_in_fragments(&mut self, point: usize, flow: u32) {
        self.in_fragments.add(point, flow);
    }
}

/// When the first of some is due, or [`Due::NEVER`], and which that is.
#[inline(always)]
pub(super) fn first_due(firsts: impl Iterator<Item = Due>) -> (Due, usize) {
    // Without branches: which point is first is as good as random.
    let firsts = firsts.zip(0..);
    firsts.fold((Due::NEVER, 0), |best, next| match next.0 < best.0 {
        true => next,
        false => best,
    })
}

/// Until when what a point keeps in brief is taken in one go, where its first is the first of all: in
/// front of what else is under way, and beside what other points have aside, of which all is of other
/// flows.
pub(super) fn in_turn_until(
    firsts: impl Iterator<Item = Due>,
    point: usize,
    old: Due,
) -> Timestamp {
    let others = firsts.enumerate().filter(|(other, _)| *other != point);
    let first = others.map(|(_, first)| first).min().unwrap_or(Due::NEVER);
    old.since().min(first.since() + BESIDE)
}

/// Whether a packet may be kept aside by its kind: where there are no ports, fragments are of
/// the same flow, and go in one order with it.
fn may_be_aside(sighting: &Sighting) -> bool {
    sighting.form != Form::Piece && sighting.protocol.has_ports()
}

impl Flight {
    /// Whether something was kept aside not long ago: more of its flow may come.
    pub fn has_single(&self) -> bool {
        self.aside.is_near(self.now)
    }

    /// Whether a packet is of such a flow.
    pub fn is_single(&self, point: usize, sighting: &Sighting) -> bool {
        let flow = self.paths.bound_to(point, sighting.lane);
        let may_be = match sighting.form {
            Form::Piece => self.may_be_aside_in_fragments(sighting, flow),
            Form::Whole | Form::Segment => may_be_aside(sighting),
        };
        flow != NONE && may_be && self.paths.is_single(flow)
    }

    /// Takes a packet of such a flow.
    #[inline(always)]
    pub fn take_alone(&mut self, point: usize, sighting: &Sighting, time: Timestamp) {
        let arrival = Arrival::of(point, sighting, time);
        if !self.goes_on_in_brief(arrival) {
            self.take_anew(arrival);
        }
    }

    #[inline(never)]
    pub(super) fn take_anew(&mut self, arrival: Arrival<'_>) {
        let (point, sighting, _) = arrival.parts();
        let flow = self.paths.flow_of(point, sighting.lane);
        if !self.keep_aside(arrival, flow) {
            self.take_now(arrival);
        }
    }

    /// Keeps a packet aside, if that may be; says whether it did. It has to be new at its
    /// point, and nothing that others have cut or joined: of a stream, nothing that was
    /// sent before.
    pub(super) fn keep_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, time) = arrival.parts();
        if !may_be_aside(sighting)
            || self.look_again_before(arrival, flow)
            || !self.paths.is_single(flow)
        {
            return false;
        }
        let goes_on = sighting.form != Form::Segment || self.strays.goes_on(flow, sighting);
        let may_be = goes_on
            && sighting.is_new_here()
            && self.is_one_packet(sighting, flow)
            && self.strays.may_be_of(flow, point)
            && !(sighting.may_come_cut() && self.may_be_cut_elsewhere(point, sighting, flow));
        if !may_be {
            return false;
        }
        let sought = match self.seek_aside(arrival, flow) {
            Ok(sought) => sought,
            Err(found) => {
                // What was kept aside before is held against what others have, as long as it is so.
                self.bind_to(arrival, flow, &found);
                return false;
            }
        };
        let order = self.count_aside(point, flow);
        self.ask_the_way(flow);
        self.note_lone(flow);
        let mut stray = Newcomer::new(sighting, point, time, flow, order);
        stray.tells_time = self.tells_time(flow, sighting);
        stray.is_wanted = sought == Sought::Now;
        if stray.is_wanted {
            self.aside.wanted.add(point, flow);
            if self.are_all_looked_for(flow) {
                self.note_looked_for(sighting);
            }
        }
        self.add_aside(&stray, sought.print());
        true
    }

    /// Whether other points may have a datagram that a point sees whole in fragments, by this or by
    /// another name.
    fn may_be_cut_elsewhere(&mut self, point: usize, sighting: &Sighting, flow: u32) -> bool {
        self.call_in_begun_alike(point, sighting);
        self.paths.is_cut_elsewhere(flow, point)
            || self.paths.is_base_known_elsewhere(point, sighting.lane)
            || self.is_begun_elsewhere(point, sighting)
    }

    /// Once there was much of a flow that no other point knows, it goes past them. Not if there are
    /// fragments: those are counted among its packets, and go in one order with them.
    fn note_lone(&mut self, flow: u32) {
        if self.paths.get(flow).sightings == MUCH && !self.paths.may_have_fragments(flow) {
            self.paths.begin_lone(flow);
        }
    }

    /// What is in fragments is counted among the packets of the flow whose ports the first shows: that
    /// goes past nobody any more.
    pub(super) fn end_lone_in_fragments(&mut self, point: usize, sighting: &Sighting) {
        if sighting.ported != NO_LANE {
            let ported = self.paths.flow_of(point, sighting.ported);
            self.paths.end_lone(ported);
        }
    }

    /// Takes note of a packet that is kept aside; gives its place among those of its flow.
    #[inline(always)]
    pub(super) fn count_aside(&mut self, point: usize, flow: u32) -> u32 {
        self.note_begun(flow);
        self.paths.next_order(flow, point)
    }

    /// What is aside is due in its time, and looked at again before if it has a print.
    pub(super) fn add_aside(&mut self, stray: &Newcomer<'_>, print: Option<Print>) {
        if !print.is_some_and(|print| self.keep_in_brief(stray, print)) {
            self.keep_in_full(stray, print);
        }
        self.keep_to_bounds();
    }

    /// Whether it came behind all parcels of its flow. What is aside is over before all else that was
    /// seen at its time.
    #[inline(always)]
    pub(super) fn is_behind_parcels(&self, stray: &Newcomer<'_>) -> bool {
        self.begun_until < stray.time || self.lone.of(stray.flow, stray.point) == 0
    }

    fn keep_in_full(&mut self, stray: &Newcomer<'_>, print: Option<Print>) {
        let number = self.keep(stray);
        let due = Due::new(stray.time, stray.order, Held::stray(number));
        if !(self.is_behind_parcels(stray) && self.aside.add(stray.point, due, print)) {
            self.old.push(due);
            if print.is_some() {
                self.look_later(due);
            }
        }
    }

    /// What other points have aside with some bytes becomes parcels, under the key of these.
    pub(super) fn call_in_with_bytes(&mut self, point: usize, key: u64) {
        while let Some(flow) = self.aside.wanted.take_from_others(point) {
            self.strays.be_found_by_bytes(flow, content_key);
        }
        self.call_in_found_by(key, point);
    }

    /// What other points have aside under a key becomes parcels, as if it had been so from the
    /// beginning.
    pub(super) fn call_in_found_by(&mut self, key: u64, point: usize) {
        let others = self.others(point);
        let found = others.flat_map(|other| self.strays.found_by(key, other));
        let found: Vec<u32> = found.collect();
        if found.is_empty() {
            return;
        }
        let mut wanted = Vec::new();
        for stray in found {
            self.call_in_one(stray, &mut wanted);
        }
        self.show(wanted);
    }

    /// All that other points have aside in fragments becomes parcels.
    pub(super) fn call_in_fragments_from_others(&mut self, point: usize) {
        let mut wanted = Vec::new();
        while let Some(flow) = self.aside.in_fragments.take_from_others(point) {
            self.become_parcels(flow, &mut wanted);
        }
        self.show(wanted);
    }

    /// All strays of a flow become parcels, under whatever number they are found.
    pub(super) fn call_in(&mut self, flow: u32) {
        let mut wanted = Vec::new();
        self.become_parcels(flow, &mut wanted);
        self.show(wanted);
    }

    /// The same; those that are looked for by their bytes are given.
    fn become_parcels(&mut self, flow: u32, wanted: &mut Vec<Wanted>) {
        self.unfold_all(flow);
        while let Some(stray) = self.first_stray_of(flow) {
            self.call_in_one(stray, wanted);
        }
    }

    /// A stray becomes a parcel; it is noted if it is looked for by its bytes.
    fn call_in_one(&mut self, number: u32, wanted: &mut Vec<Wanted>) {
        let since = self.strays.get(number).time;
        let of_parts: Vec<u64> = {
            let parts = self.strays.parts_of(number).filter(|part| part.is_wanted);
            parts.map(|part| content_key(&part.sighting)).collect()
        };
        let parcel = self.become_parcel(number);
        let stray = *self.strays.get(number);
        let (point, sighting) = (stray.point(), &stray.sighting);
        self.add_identity(parcel, sighting, stray.flow, bit(point));
        self.add_datagram(parcel, point, stray.flow, sighting);
        let begin = self.key_of_begin(point, stray.flow, sighting);
        let is_wanted = stray.is_wanted || self.looks_again_for(number, &stray);
        let content = is_wanted.then(|| content_key(sighting));
        let keys = content.into_iter().chain(of_parts).chain(begin);
        wanted.extend(keys.map(|key| Wanted { since, parcel, key }));
    }

    /// The first strays of a flow become parcels, up to one.
    pub(super) fn call_in_up_to(&mut self, flow: u32, last: u32) {
        self.unfold(flow);
        let mut wanted = Vec::new();
        loop {
            let first = self.strays.first_of(flow);
            self.call_in_one(first, &mut wanted);
            if first == last {
                return self.show(wanted);
            }
        }
    }

    /// Lets parcels be found by their bytes.
    fn show(&mut self, mut wanted: Vec<Wanted>) {
        wanted.sort_by_key(|wanted| wanted.since);
        for Wanted { parcel, key, .. } in wanted {
            self.add_key(parcel, key);
        }
    }

    pub(super) fn first_stray_of(&self, flow: u32) -> Option<u32> {
        if self.strays.len() == 0 {
            return None;
        }
        let names = self.paths.names(flow);
        let mut strays = names.map(|name| self.strays.first_of(name));
        strays.find(|stray| *stray != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{take, tallies};
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::{Batch, example};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag};

    const A: usize = 0;
    const B: usize = 1;

    fn key(host: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 1, host]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// Both points meet flows to these hosts.
    fn flight(hosts: [&[u8]; 2]) -> Flight {
        let mut flight = of_two_points();
        for (point, hosts) in hosts.into_iter().enumerate() {
            let batch = Batch {
                lanes: hosts.iter().map(|host| key(*host)).collect(),
                ..Batch::default()
            };
            flight.meet(point, &batch);
        }
        let span = Some((Timestamp(0), Timestamp(10_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    fn packet(lane: u32, id: u32) -> Sighting {
        Sighting {
            lane,
            is_fresh: true,
            ..example(id)
        }
    }

    /// A piece of a stream, of 100 bytes.
    fn segment(id: u32, offset: u32) -> Sighting {
        Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            offset,
            ..packet(0, id)
        }
    }

    #[test]
    fn what_one_point_alone_has_is_kept_aside_until_it_is_over() {
        let mut flight = flight([&[1, 2], &[2]]);
        for id in 1..=9 {
            take(&mut flight, A, id, &packet(0, id as u32));
            take(&mut flight, A, id, &packet(1, id as u32));
            take(&mut flight, B, id, &packet(0, id as u32));
        }
        // The first of a flow is looked for; then all that is known of it is a name.
        assert_eq!(flight.aside.len(), 8);
        assert!(flight.has_single() && flight.is_single(A, &packet(0, 7)));
        assert!(!flight.is_single(A, &packet(1, 7)) && !flight.is_single(B, &packet(0, 7)));
        take(&mut flight, A, 5_005, &packet(1, 10));
        assert!(!flight.has_single(), "nothing of it came for a while");
        assert_eq!(flight.aside.len(), 5, "the window is 5 seconds");
        assert_eq!(tallies(flight), [(19, 9), (9, 9)]);
    }

    #[test]
    fn it_is_found_by_its_bytes_under_another_name() {
        let mut flight = flight([&[1], &[2]]);
        (1..=9).for_each(|id| take(&mut flight, A, id, &packet(0, id as u32)));
        assert_eq!(flight.aside.len(), 8);
        for id in [4, 5, 9] {
            take(&mut flight, B, 10 + id, &packet(0, id as u32));
        }
        assert_eq!(flight.strays.len(), 0);
        assert_eq!(tallies(flight), [(9, 3), (3, 3)]);
    }

    #[test]
    fn who_looks_for_bytes_asks_for_nothing_else() {
        let mut flight = flight([&[1, 3], &[2, 4]]);
        for id in 1..=9 {
            take(&mut flight, A, id, &packet(0, id as u32));
            take(&mut flight, A, id, &packet(1, 1_000 + id as u32));
        }
        assert_eq!(flight.strays.len(), 16);
        // Nobody else has it: it is kept aside, too, but for the first.
        for id in 1..=9 {
            take(&mut flight, B, 10 + id, &packet(0, 2_000 + id as u32));
        }
        assert_eq!(flight.strays.len(), 24);
        take(&mut flight, B, 20, &packet(1, 1_005));
        let left = [A, B].map(|point| flight.strays.of(flight.paths.bound_to(point, 0), point));
        assert_eq!((left, flight.strays.len()), ([8, 8], 23));
        take(&mut flight, B, 20, &packet(1, 1_006));
        assert_eq!(flight.strays.len(), 16, "their flow is known by now");
        assert_eq!(tallies(flight), [(18, 2), (11, 2)]);
    }

    /// Of each flow the latest are in reach, whichever was kept aside first.
    #[test]
    fn it_is_found_among_many_that_have_the_same_bytes() {
        let mut flight = flight([&[1, 2, 3], &[4, 5, 6]]);
        let alike = |lane: u32, number: u32| Sighting {
            head: 7,
            ..packet(lane, 1_000 * lane + number)
        };
        for number in 1..=300 {
            (0..3).for_each(|lane| take(&mut flight, A, number.into(), &alike(lane, number)));
        }
        (0..3).for_each(|lane| take(&mut flight, B, 301, &alike(lane, 300)));
        assert_eq!(tallies(flight), [(900, 3), (3, 3)]);
    }

    #[test]
    fn what_a_clock_that_was_set_back_shows_waits_for_nothing_behind_it() {
        let mut flight = flight([&[1], &[]]);
        for (id, second) in [(1, 100), (2, 101), (3, 1)] {
            take(&mut flight, A, second * 1_000, &packet(0, id));
        }
        // The first of a flow is a parcel.
        assert_eq!((flight.aside.len(), flight.old.len()), (1, 2));
        take(&mut flight, A, 102_000, &packet(0, 4));
        assert_eq!((flight.aside.len(), flight.old.len()), (2, 1));
        assert_eq!(flight.strays.len(), 2, "the third is over");
        assert_eq!(tallies(flight), [(4, 0), (0, 0)]);
    }

    /// The first of a flow is a parcel: who sees the next at the same time is over behind it.
    #[test]
    fn what_is_seen_with_a_parcel_before_it_is_not_over_first() {
        let mut flight = flight([&[1], &[]]);
        let lengths = [(1, 5), (2, 5), (3, 5), (4, 6), (5, 6)].map(|(id, millisecond)| {
            take(&mut flight, A, millisecond, &packet(0, id));
            (flight.aside.len(), flight.old.len())
        });
        assert_eq!(lengths, [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]);
    }

    /// Of one time it is over before a parcel behind it, whatever else is aside in front of it.
    #[test]
    fn what_is_seen_with_a_parcel_behind_it_is_over_first() {
        let mut flight = flight([&[1, 2], &[]]);
        let at = |lane: u32, id: u32, millisecond: i64| Sighting {
            time: Timestamp(millisecond * 1_000_000),
            ..packet(lane, id)
        };
        take(&mut flight, A, 1, &at(0, 1, 1));
        (1..=9).for_each(|id| take(&mut flight, A, 5, &at(1, 20 + id, 5)));
        take(&mut flight, A, 6, &at(1, 30, 6));
        take(&mut flight, A, 6, &at(0, 2, 6));
        let (last, flow) = (at(0, 3, 6), flight.paths.bound_to(A, 0));
        flight.begin(Arrival::of(A, &last, last.time), flow);
        flight.finish();
        let (accounts, _) = flight.take_book().into_accounts();
        let runs = &accounts[0].between[0].shape.runs[0];
        assert_eq!((runs.losses, runs.runs, runs.longest), (3, 1, 3));
    }

    #[test]
    fn where_fragments_are_of_the_same_flow_nothing_is_kept_aside() {
        let mut flight = flight([&[1], &[]]);
        for id in 1..=9 {
            let echo = Sighting {
                protocol: Protocol::ICMP,
                ..packet(0, id)
            };
            take(&mut flight, A, id.into(), &echo);
        }
        assert_eq!(flight.aside.len(), 0);
    }

    #[test]
    fn it_is_found_by_its_name_where_it_comes_late() {
        let mut flight = flight([&[1], &[1]]);
        (1..=9).for_each(|id| take(&mut flight, A, id, &packet(0, id as u32)));
        (5..=9).for_each(|id| take(&mut flight, B, 10 + id, &packet(0, id as u32)));
        assert_eq!(tallies(flight), [(9, 5), (5, 5)]);
    }

    #[test]
    fn what_has_no_identification_is_kept_aside_too() {
        let nameless = |id: u32, head: u64| Sighting {
            is_numbered: false,
            id: 0,
            head,
            ..packet(0, id)
        };
        let (apart, alike) = (|id: u32| nameless(id, id.into()), |id: u32| nameless(id, 7));
        for (hosts, packet) in [
            ([1, 1], &apart as &dyn Fn(u32) -> Sighting),
            ([1, 2], &apart),
            ([1, 1], &alike),
            ([1, 2], &alike),
        ] {
            let mut flight = flight([&hosts[..1], &hosts[1..]]);
            (1..=9).for_each(|id| take(&mut flight, A, id.into(), &packet(id)));
            assert_eq!(flight.aside.len(), 8, "{hosts:?}");
            (5..=9).for_each(|id| take(&mut flight, B, 10 + i64::from(id), &packet(id)));
            assert_eq!(tallies(flight), [(9, 5), (5, 5)], "{hosts:?}");
        }
    }

    #[test]
    fn both_points_may_have_something_alone() {
        let mut flight = flight([&[1, 3], &[2, 4]]);
        for id in 1..=50 {
            take(&mut flight, A, id, &packet(0, id as u32));
            take(&mut flight, B, id, &packet(0, 1_000 + id as u32));
            // Under other names these are the same.
            take(&mut flight, A, id, &packet(1, 2_000 + id as u32));
            take(&mut flight, B, id, &packet(1, 2_000 + id as u32));
        }
        assert_eq!(tallies(flight), [(100, 50), (100, 50)]);
    }

    #[test]
    fn of_a_stream_nothing_that_was_sent_before_is_kept_aside() {
        let mut flight = flight([&[1], &[]]);
        for (id, offset) in [(1, 0), (2, 100), (3, 200)] {
            take(&mut flight, A, i64::from(id), &segment(id, offset));
        }
        let before = flight.aside.len();
        take(&mut flight, A, 4, &segment(4, 100));
        assert_eq!(flight.aside.len(), before);
        assert_eq!(flight.strays.len(), 0, "it may be one of these");
        take(&mut flight, A, 5, &segment(5, 300));
        assert_eq!(flight.aside.len(), before + 1);
        assert_eq!(tallies(flight), [(5, 0), (0, 0)]);
    }

    #[test]
    fn what_is_aside_goes_on_and_is_due_in_order() {
        let mut aside = Aside::new(2);
        let add = |aside: &mut Aside, time: i64| {
            let due = Due::new(Timestamp(time), 0, Held::stray(0));
            aside.add(A, due, None)
        };
        assert!([1, 4, 4, 9].into_iter().all(|time| add(&mut aside, time)));
        assert!(!add(&mut aside, 8), "it is kept elsewhere");
        let pop = || {
            let (first, point) = aside.first();
            aside.pop_held(point);
            (first != Due::NEVER).then_some(first.since().0)
        };
        let times = std::iter::from_fn(pop);
        assert_eq!(times.collect::<Vec<_>>(), [1, 4, 4, 9]);
        assert!(aside.first().0 == Due::NEVER && add(&mut aside, 0));
    }
}
