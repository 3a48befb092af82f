//! What all points have at hand of each flow, taken flow by flow: where packets of many flows
//! come to points in different orders, as they do where they go both ways, each flow still
//! comes in its own.

use super::feed::Feed;
use super::flight::{ABREAST, AT_ONCE, Flight, LINGER};
use super::merge::earliest;
use super::rise::behind;
use super::run::MAX_POINTS;
use super::sighting::{Form, Lane, NO_LANE, Sighting};
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// So many wait for what others have not at hand yet before more of a point is read; with
/// more of them, they are taken one by one.
const FEW_LEFT: usize = 1 << 12;
/// So many do where all points know most of their flows: packets that take long both ways.
const MOST_LEFT: usize = 1 << 18;
/// So many that wait for others show that packets take longer than what comes at once.
const MANY: usize = 256;
/// Flows that are looked for together.
const TOGETHER: usize = 64;
/// So many of a flow are looked at to tell what is missing at a point from what is late.
const SOON: usize = 4;

/// Takes what is at hand flow by flow.
#[derive(Debug, Default)]
pub(super) struct ByFlow {
    /// By point: the same packets, which are taken together, and of which flows they are.
    group: Vec<Vec<Sighting>>,
    flows: Vec<u32>,
    /// By point: where it has the packets that are gathered next.
    places: Vec<Places>,
    /// By lane of the first point: the turn in which its flow was taken.
    taken: Vec<u32>,
    turn: u32,
    /// Flows of the first point to be taken next, and where all points have them.
    lanes: Vec<Lane>,
    lines: Vec<Line>,
    /// How many may wait at a point.
    room: usize,
    /// How far is looked ahead for what others have: half as long each packet is left for them
    /// to have it at hand, at least. On its way there it comes to a point that much later, and on
    /// its way back that much earlier.
    reach: Duration,
    /// By point: until when is taken what it has at hand, by its own clock.
    limits: Vec<Timestamp>,
}

/// A flow that all points know, with the places where each has it next.
#[derive(Debug)]
struct Line {
    flow: u32,
    places: [u32; MAX_POINTS],
    /// Whether nothing of it is on its way.
    is_idle: bool,
}

/// What was gathered of a flow.
struct Gathered {
    /// Whether there was anything.
    any: bool,
    /// Whether some point has no more of it.
    is_over: bool,
}

/// Where packets of a flow are in a batch.
type Places = [u32; ABREAST];

impl ByFlow {
    pub fn new(points: usize) -> Self {
        Self {
            group: vec![Vec::with_capacity(ABREAST); points],
            places: vec![[0; ABREAST]; points],
            room: FEW_LEFT,
            reach: AT_ONCE,
            ..Self::default()
        }
    }

    /// Takes what all points have at hand at about the time of the earliest, and what has
    /// been left for too long; reads on where too little is at hand, and says whether it did.
    /// All feeds have something, and clocks are known.
    pub fn take(&mut self, flight: &mut Flight, feeds: &mut [Feed<'_>]) -> bool {
        let Some((now, _)) = earliest(feeds) else {
            return false;
        };
        let until = now + self.reach;
        let mut has_taken = self.take_flows(flight, feeds, now, until);
        if feeds.iter().any(|feed| feed.next().is_none()) {
            return false;
        }
        has_taken |= match short_of(feeds, until) {
            None => {
                let until = now + Duration(self.reach.0 / 2);
                self.becomes_patient(flight, feeds, until)
                    || take_until(flight, feeds, |_, time| time <= until)
            }
            Some(short) if !self.makes_room(flight, &feeds[short], short) => {
                let mut most = feeds[short].left() - self.room / 2;
                take_until(flight, feeds, |point, _| {
                    most -= usize::from(point == short);
                    most > 0
                })
            }
            Some(_) => {
                read_more(flight, feeds, until, self.room);
                return true;
            }
        };
        if !has_taken && let Some((_, point)) = earliest(feeds) {
            feeds[point].take_one(flight);
        }
        false
    }

    /// Whether what was left up to some time is left for longer from now on: it is much, and of
    /// flows that all points know.
    fn becomes_patient(&mut self, flight: &Flight, feeds: &[Feed<'_>], until: Timestamp) -> bool {
        let is_left = feeds.iter().any(|feed| feed.left() > MANY);
        if !is_left || self.reach == LINGER {
            self.reach = if is_left { LINGER } else { AT_ONCE };
            return false;
        }
        let many_wait = |(point, feed): (usize, &Feed<'_>)| {
            let limit = feed.own_time(until);
            let left = feed.rest().take_while(|left| left.time <= limit);
            waiting(flight, point, left).take(MANY).count() == MANY
        };
        let is_patient = feeds.iter().enumerate().any(many_wait);
        if is_patient {
            self.reach = LINGER;
        }
        is_patient
    }

    /// Whether more may wait at a point, which is short of what comes next. As much as waits of
    /// flows that all points know may wait once more: it comes to others yet, most likely.
    /// Fragments wait for nothing.
    fn makes_room(&mut self, flight: &Flight, feed: &Feed<'_>, point: usize) -> bool {
        let left = feed.left();
        if left < self.room / 8 {
            self.room = FEW_LEFT.max(self.room / 2);
        }
        if left > self.room {
            let waiting = waiting(flight, point, feed.rest()).count();
            self.room = MOST_LEFT.min(self.room.max(2 * waiting));
        }
        left <= self.room
    }

    /// Takes of each flow what all points have at hand, up to some time; says whether there
    /// was anything.
    fn take_flows(
        &mut self,
        flight: &mut Flight,
        feeds: &mut [Feed<'_>],
        now: Timestamp,
        until: Timestamp,
    ) -> bool {
        self.turn = self.turn.wrapping_add(1);
        self.limits.clear();
        for feed in feeds.iter_mut() {
            feed.look_for_jump();
            self.limits.push(feed.own_time(until));
        }
        let mut has_taken = take_single(flight, feeds, now + AT_ONCE);
        let mut places = feeds[0].places();
        while self.find_lanes(feeds, &mut places) {
            self.find_lines(flight, feeds);
            let mut lines = std::mem::take(&mut self.lines);
            for line in lines.drain(..) {
                // Another flow may have turned out to be this one, and taken it with it.
                if line.is_left(flight, feeds) {
                    has_taken |= self.take_line(flight, feeds, line);
                }
            }
            self.lines = lines;
        }
        self.take_group(flight);
        for feed in feeds {
            feed.advance(0, flight);
        }
        has_taken
    }

    /// Finds the next flows of the first point that were not taken in this turn, up to its
    /// limit; says whether there are any.
    fn find_lanes(&mut self, feeds: &[Feed<'_>], places: &mut Range<usize>) -> bool {
        self.lanes.clear();
        while self.lanes.len() < TOGETHER
            && let Some(place) = places.next()
        {
            let first = feeds[0].at(place);
            if first.time > self.limits[0] {
                places.end = place;
            } else if self.is_to_be_taken(first.lane) {
                self.lanes.push(first.lane);
            }
        }
        !self.lanes.is_empty()
    }

    /// Finds where all points have the flows, one question after the other: of many flows
    /// each answer is far away in memory, and so all wait for it together.
    fn find_lines(&mut self, flight: &Flight, feeds: &mut [Feed<'_>]) {
        let flow = |lane: &Lane| flight.flow_everywhere(0, *lane);
        let flows = self.lanes.iter().filter_map(flow);
        self.lines.extend(flows.map(Line::of));
        for (point, feed) in feeds.iter_mut().enumerate() {
            self.lines.retain_mut(|line| {
                let lane = flight.paths.lane_at(line.flow, point);
                let place = feed.first_of(lane);
                line.places[point] = place.unwrap_or_default() as u32;
                place.is_some()
            });
        }
    }

    /// Takes what all points have of a flow; says whether there was anything. Within the
    /// flow everything is taken in its order.
    fn take_line(&mut self, flight: &mut Flight, feeds: &mut [Feed<'_>], mut line: Line) -> bool {
        let mut has_taken = false;
        line.is_idle = flight.is_idle(line.flow);
        loop {
            let gathered = self.gather(flight, feeds, &mut line);
            has_taken |= gathered.any;
            if gathered.is_over || !line.differs(flight, feeds, &self.limits) {
                return has_taken;
            }
            // What was gathered of the flow goes before it.
            self.take_group(flight);
            let point = line.goes_first(flight, feeds);
            flight.take_early(point, feeds[point].at(line.place(point)));
            has_taken = true;
            line.is_idle = flight.is_idle(line.flow);
            if !line.take(feeds, point) || flight.paths.is_part(line.flow) {
                return true;
            }
        }
    }

    /// Gathers what all points have next of a flow, as long as that is the same.
    fn gather(&mut self, flight: &mut Flight, feeds: &mut [Feed<'_>], line: &mut Line) -> Gathered {
        let mut any = false;
        loop {
            let places = &mut self.places;
            let room = ABREAST - self.flows.len();
            // Without loops over points where there are two, as there are mostly.
            let (count, is_over) = match feeds.len() {
                2 => line.find_same(&feeds[..2], &self.limits[..2], &mut places[..2], room),
                _ => line.find_same(feeds, &self.limits, places, room),
            };
            any |= count > 0;
            for ((feed, group), places) in feeds.iter_mut().zip(&mut self.group).zip(places) {
                feed.take_out(&places[..count], group);
            }
            self.flows.extend(std::iter::repeat_n(line.flow, count));
            if count < room || is_over {
                return Gathered { any, is_over };
            }
            self.take_group(flight);
        }
    }

    /// Takes what was gathered.
    fn take_group(&mut self, flight: &mut Flight) {
        let mut taken = 0;
        while taken < self.flows.len() {
            let mut next: [&[Sighting]; MAX_POINTS] = [&[]; MAX_POINTS];
            for (next, group) in next.iter_mut().zip(&self.group) {
                *next = &group[taken..];
            }
            match flight.take_gathered(&next[..self.group.len()], &self.flows[taken..]) {
                0 => {
                    for (point, group) in self.group.iter().enumerate() {
                        flight.take_early(point, &group[taken]);
                    }
                    taken += 1;
                }
                abreast => taken += abreast,
            }
        }
        self.group.iter_mut().for_each(Vec::clear);
        self.flows.clear();
    }

    /// Whether a flow was not taken in this turn; from now on it was.
    fn is_to_be_taken(&mut self, lane: Lane) -> bool {
        if lane == NO_LANE {
            return false;
        }
        let lane = lane as usize;
        if self.taken.len() <= lane {
            self.taken.resize(lane + 1, self.turn.wrapping_sub(1));
        }
        std::mem::replace(&mut self.taken[lane], self.turn) != self.turn
    }
}

impl Line {
    /// Of a flow, of which is not known yet what there is.
    fn of(flow: u32) -> Self {
        Self {
            flow,
            places: [0; MAX_POINTS],
            is_idle: false,
        }
    }

    /// Whether it still is a flow of its own, and nothing of it was taken since it was found.
    fn is_left(&self, flight: &Flight, feeds: &[Feed<'_>]) -> bool {
        let mut places = feeds.iter().zip(self.places);
        !flight.paths.is_part(self.flow)
            && places.all(|(feed, place)| feed.at(place as usize).lane != NO_LANE)
    }

    /// Where a point has it next.
    fn place(&self, point: usize) -> usize {
        self.places[point] as usize
    }

    /// Finds how many packets all points have next that are the same, and surely nothing else,
    /// and that come until some time by each point's own clock; says whether some point has no
    /// more then. Whichever way it goes, the same is asked of all points.
    #[inline(always)]
    fn find_same(
        &mut self,
        feeds: &[Feed<'_>],
        limits: &[Timestamp],
        places: &mut [Places],
        room: usize,
    ) -> (usize, bool) {
        let mut count = 0;
        while count < room {
            let first = feeds[0].at(self.place(0));
            let is_next = |point: usize| {
                let next = feeds[point].at(self.place(point));
                let is_sure = self.is_idle || next.is_new_here();
                let may_be = is_sure && next.form != Form::Piece && next.time <= limits[point];
                may_be && (point == 0 || next.is_same_as(first))
            };
            if !(0..feeds.len()).all(is_next) {
                return (count, false);
            }
            let mut is_over = false;
            for (point, feed) in feeds.iter().enumerate() {
                places[point][count] = self.places[point];
                match feed.behind(self.place(point)) {
                    Some(behind) => self.places[point] = behind as u32,
                    None => is_over = true,
                }
            }
            count += 1;
            if is_over {
                return (count, true);
            }
        }
        (count, false)
    }

    /// Whether the points surely have different packets next, each of which comes until some
    /// time by their own clocks.
    fn differs(&self, flight: &Flight, feeds: &[Feed<'_>], limits: &[Timestamp]) -> bool {
        let first = feeds[0].at(self.place(0));
        let (mut is_same, mut is_sure) = (true, self.is_idle);
        for ((feed, limit), place) in feeds.iter().zip(limits).zip(self.places) {
            let next = feed.at(place as usize);
            if next.time > *limit || !flight.may_be_abreast(next) {
                return false;
            }
            is_same &= next.is_same_as(first);
            is_sure |= next.is_new_here();
        }
        is_sure && !is_same
    }

    /// What a point has next was taken; says whether it has more.
    fn take(&mut self, feeds: &mut [Feed<'_>], point: usize) -> bool {
        let place = self.place(point);
        let behind = feeds[point].behind(place);
        feeds[point].mark_taken(place);
        self.places[point] = behind.unwrap_or(place) as u32;
        behind.is_some()
    }

    /// Of points that have different packets next the one whose packet goes first. Nothing is
    /// taken before points in front had it, if it comes there soon: what was overtaken is told
    /// by that. Else others wait for it, or it is the first of those in a row, which others may
    /// have had long ago; or it is the earliest.
    fn goes_first(&self, flight: &Flight, feeds: &[Feed<'_>]) -> usize {
        let points = feeds.len();
        let is_backward = flight.is_backward(self.flow);
        let some = feeds[0].at(self.place(0));
        let rank = |point: &usize| {
            let first = feeds[*point].at(self.place(*point));
            let behind = behind(first, some).unwrap_or_default();
            let in_front = match is_backward {
                false => 0..*point,
                true => *point + 1..points,
            };
            let mut before = in_front.clone();
            let is_too_early = before.any(|other| self.comes_soon(feeds, other, first));
            let is_wanted = flight.is_expected(*point, first);
            let time = flight.time_of(*point, first);
            (is_too_early, !is_wanted, behind, time, in_front.len())
        };
        (0..points).min_by_key(rank).unwrap_or(0)
    }

    /// Whether a packet is among what comes to a point next.
    fn comes_soon(&self, feeds: &[Feed<'_>], point: usize, packet: &Sighting) -> bool {
        let mut soon = feeds[point].line(self.place(point)).take(SOON);
        soon.any(|soon| soon.is_same_as(packet))
    }
}

/// What is left at a point for others to have it at hand, of all that is left there: their
/// flows are known everywhere.
fn waiting<'a>(
    flight: &Flight,
    point: usize,
    left: impl Iterator<Item = &'a Sighting>,
) -> impl Iterator<Item = &'a Sighting> {
    left.filter(move |left| flight.flow_abreast(point, left).is_some())
}

/// Takes what comes until some time of flows that one point alone knows: it waits for nobody.
/// Says whether there was anything.
fn take_single(flight: &mut Flight, feeds: &mut [Feed<'_>], until: Timestamp) -> bool {
    let mut has_taken = false;
    if !flight.has_single() {
        return has_taken;
    }
    for (point, feed) in feeds.iter_mut().enumerate() {
        let limit = feed.own_time(until);
        for place in feed.places() {
            let sighting = feed.at(place);
            if sighting.time > limit {
                break;
            }
            if flight.is_single(point, sighting) {
                flight.take_early(point, sighting);
                feed.mark_taken(place);
                has_taken = true;
            }
        }
    }
    has_taken
}

/// Reads on where the least is at hand up to some time, so that all come equally far, and so
/// much that what is left is not looked through for little.
fn read_more(flight: &mut Flight, feeds: &mut [Feed<'_>], until: Timestamp, room: usize) {
    let left = |feeds: &[Feed<'_>]| feeds.iter().map(Feed::left).sum::<usize>();
    let wanted = 2 * left(feeds);
    let mut batches = 0;
    while (batches < feeds.len() || left(feeds) < wanted)
        && let Some(short) = short_of(feeds, until)
        && feeds[short].left() <= room
    {
        feeds[short].read_on(flight);
        feeds[short].look_for_jump();
        batches += 1;
    }
}

/// The feed that has the least at hand of those that do not reach up to some time.
fn short_of(feeds: &[Feed<'_>], until: Timestamp) -> Option<usize> {
    let shorts = feeds.iter().enumerate();
    let shorts = shorts.filter(|(_, feed)| feed.is_short_of(until));
    let least = shorts.min_by_key(|(_, feed)| feed.reach());
    least.map(|(point, _)| point)
}

/// Takes what comes first one by one, as long as `goes_on` says so of its point and time;
/// says whether there was any.
fn take_until(
    flight: &mut Flight,
    feeds: &mut [Feed<'_>],
    mut goes_on: impl FnMut(usize, Timestamp) -> bool,
) -> bool {
    let mut has_taken = false;
    while feeds.iter().all(|feed| feed.next().is_some())
        && let Some((now, point)) = earliest(feeds)
        && goes_on(point, now)
    {
        feeds[point].take_one(flight);
        has_taken = true;
    }
    has_taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::feed::of_memory::{lane, seen, sent};
    use crate::compare::flight::of_two_points;
    use crate::compare::intake::Intake;
    use crate::compare::sighting::Form;
    use crate::model::FlowKey;

    /// What becomes of two flows, of which both points saw a packet each, if that is what
    /// comes of each point next, in such batches: packets that both had, then how many each
    /// point has left, and whether it was read on.
    fn taken(next: [&[&[Sighting]]; 2]) -> (u64, [usize; 2], bool) {
        taken_in(1, next)
    }

    /// The same after so many turns.
    fn taken_in(turns: usize, next: [&[&[Sighting]]; 2]) -> (u64, [usize; 2], bool) {
        let mut flight = of_two_points();
        let both = [seen(0, 1, 10), seen(1, 1, 11)];
        let of_point = |next: &[&[Sighting]]| {
            let (first, others) = next.split_first().expect("there is a batch");
            let first = sent(vec![lane(0), lane(1)], [&both[..], first].concat());
            let others = others.iter().map(|batch| sent(Vec::new(), batch.to_vec()));
            std::iter::once(first).chain(others).collect()
        };
        let intake = Intake::of(next.into_iter().map(of_point));
        let mut feeds = [0, 1].map(|point| Feed::new(point, &intake));
        for feed in &mut feeds {
            assert!(feed.is_ready(&mut flight));
            feed.take_one(&mut flight);
            feed.take_one(&mut flight);
        }
        let mut by_flow = ByFlow::new(2);
        let mut has_read = false;
        for _ in 0..turns {
            has_read = by_flow.take(&mut flight, &mut feeds);
        }
        let left = [0, 1].map(|point| feeds[point].left());
        flight.finish();
        (flight.take_book().tallies[0].matched - 2, left, has_read)
    }

    #[test]
    fn each_flow_is_taken_in_its_own_order() {
        let front = [
            seen(0, 2, 100),
            seen(0, 3, 102),
            seen(1, 2, 104),
            seen(1, 3, 106),
        ];
        let back = [
            seen(1, 2, 100),
            seen(0, 2, 102),
            seen(1, 3, 104),
            seen(0, 3, 106),
        ];
        assert_eq!(taken([&[&front], &[&back]]), (4, [0, 0], false));
    }

    #[test]
    fn what_was_lost_keeps_nothing_behind_it() {
        let front = [seen(1, 2, 100), seen(0, 2, 101), seen(0, 3, 102)];
        let back = [seen(0, 3, 103), seen(1, 2, 104)];
        assert_eq!(taken([&[&front], &[&back]]), (2, [0, 0], false));
        assert_eq!(taken([&[&back], &[&front]]), (2, [0, 0], false));
    }

    #[test]
    fn what_others_do_not_have_yet_waits_for_the_next_batch() {
        let front = [seen(0, 2, 100), seen(1, 2, 101), seen(0, 3, 102)];
        let back = [seen(1, 2, 100), seen(0, 2, 103), seen(1, 3, 104)];
        let more = [[seen(1, 3, 190)], [seen(0, 3, 200)]];
        let next: [&[&[Sighting]]; 2] = [&[&front, &more[0]], &[&back, &more[1]]];
        assert_eq!(taken(next), (2, [2, 2], true));
    }

    #[test]
    fn what_comes_later_than_at_once_is_left() {
        let front = [seen(0, 2, 100), seen(1, 2, 101), seen(0, 3, 90_000)];
        let back = [seen(1, 2, 100), seen(0, 2, 101), seen(0, 3, 90_001)];
        assert_eq!(taken([&[&front], &[&back]]), (2, [1, 1], false));
    }

    /// What a point has next others may have had long ago: it goes on until it has what they
    /// have next, whose time is before.
    #[test]
    fn who_is_behind_in_the_row_goes_first() {
        let front = [seen(0, 5, 100)];
        let back = [seen(0, 2, 300), seen(0, 3, 301), seen(0, 5, 400)];
        assert_eq!(taken([&[&front], &[&back]]), (1, [0, 0], false));
        assert_eq!(taken([&[&back], &[&front]]), (1, [0, 0], false));
    }

    #[test]
    fn what_takes_long_both_ways_is_left_for_longer() {
        let flow = |lane: u32, since: i64| {
            let numbers = 0..MANY as u32;
            numbers.map(move |number| seen(lane, number + 2, since + i64::from(number) * 10))
        };
        let front: Vec<Sighting> = flow(0, 100).chain(flow(1, 30_000)).collect();
        let back: Vec<Sighting> = flow(1, 100).chain(flow(0, 30_000)).collect();
        let all = 2 * MANY;
        let taken = |turns: usize| taken_in(turns, [&[&front], &[&back]]);
        let (_, left, _) = taken(1);
        assert_eq!(left, [all; 2], "nothing is taken alone");
        assert_eq!(taken(2), (all as u64, [0, 0], false));
        // So few are taken when it is their turn.
        let (_, left, _) = taken_in(1, [&[&front[2..]], &[&back[2..]]]);
        assert!(left.iter().all(|left| *left < all - 2), "{left:?}");
    }

    /// How many may wait at the first of two points where packets of so many flows do, of which
    /// both know the first.
    fn room_for(waiting: u32, flows: u32) -> (bool, usize) {
        let mut flight = of_two_points();
        let lanes: Vec<FlowKey> = (0..flows as u8).map(lane).collect();
        let waits = (1..=waiting).map(|id| seen(id % flows, id + 1, i64::from(id) + 10));
        let front = std::iter::once(seen(0, 1, 1)).chain(waits).collect();
        let batches = [
            sent(lanes.clone(), front),
            sent(lanes, vec![seen(0, 1, 1), seen(0, 2, 90)]),
        ];
        let intake = Intake::of(batches.into_iter().map(|batch| vec![batch]));
        let mut feeds = [0, 1].map(|point| Feed::new(point, &intake));
        for feed in &mut feeds {
            assert!(feed.is_ready(&mut flight));
            feed.take_one(&mut flight);
        }
        let mut by_flow = ByFlow::new(2);
        let makes_room = by_flow.makes_room(&flight, &feeds[0], 0);
        (makes_room, by_flow.room)
    }

    #[test]
    fn what_all_points_know_may_wait_as_long_as_it_is_not_too_much() {
        let (few, most) = (FEW_LEFT as u32, MOST_LEFT as u32);
        assert_eq!(room_for(few, 1), (true, FEW_LEFT));
        assert_eq!(room_for(few + 1, 1), (true, 2 * (FEW_LEFT + 1)));
        assert_eq!(room_for(most + 1, 1), (false, MOST_LEFT));
        assert_eq!(room_for(2 * few, 4), (false, FEW_LEFT), "one in four");
        assert_eq!(room_for(100, 1), (true, FEW_LEFT));
    }

    #[test]
    fn fragments_are_left() {
        let piece = |time: i64| Sighting {
            form: Form::Piece,
            more: true,
            ..seen(1, 2, time)
        };
        let front = [seen(0, 2, 100), piece(101)];
        let back = [piece(100), seen(0, 2, 101)];
        assert_eq!(taken([&[&front], &[&back]]), (1, [1, 1], true));
    }
}
