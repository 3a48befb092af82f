//! What all points have at hand of each flow, taken flow by flow: where packets of many flows
//! come to points in different orders, as they do where they go both ways, each flow still
//! comes in its own.

use super::feed::Feed;
use super::feeds::{Feeds, MOST_LEFT};
use super::flight::{ABREAST, AT_ONCE, Flight, LINGER};
use super::group::Group;
use super::merge::{are_ready, earliest};
use super::rise::behind;
use super::run::MAX_POINTS;
use super::sighting::{Form, Lane, NO_LANE, Sighting};
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// So many of a point are to be at hand where little waits for what others have not at hand yet.
const FEW_AHEAD: usize = 1 << 13;
/// So many that wait for others show that packets take longer.
const MANY: usize = 256;
/// Flows that are looked for together.
const TOGETHER: usize = 64;
/// Most bytes that a packet has: sums of those of many do not overflow.
const MOST_CUT: u32 = 1 << 24;
/// So many of a flow are looked at to tell what is missing at a point from what is late.
const SOON: usize = 4;

/// Takes what is at hand flow by flow.
#[derive(Debug, Default)]
pub(super) struct ByFlow {
    /// The same packets, which are taken together.
    group: Group,
    /// By point: where it has the packets that are gathered next.
    places: Vec<Places>,
    /// By lane of the first point: the turn in which its flow was taken.
    taken: Vec<u32>,
    turn: u32,
    /// Flows of the first point to be taken next, and where all points have them.
    lanes: Vec<Lane>,
    lines: Vec<Line>,
    /// How many of a point are to be at hand: half as long as these take each packet is left for
    /// others to have it at hand, at least. On its way there it comes to a point that much later,
    /// and on its way back that much earlier.
    ahead: usize,
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
            group: Group::new(points),
            places: vec![[0; ABREAST]; points],
            ahead: FEW_AHEAD,
            ..Self::default()
        }
    }

    /// Takes what all points have at hand at about the time of the earliest, and what has
    /// been left for too long; reads on where too little is at hand, and says whether it did.
    /// All feeds have something, and clocks are known.
    pub fn take(&mut self, flight: &mut Flight, all: &mut Feeds<'_>, way: usize) -> bool {
        let feeds = all.of(way);
        let Some((now, _)) = earliest(feeds) else {
            return false;
        };
        let until = self.until(feeds, now);
        let mut has_taken = self.take_flows(flight, feeds, now, until);
        if feeds.iter().any(|feed| feed.next().is_none()) {
            return false;
        }
        if short_of(feeds, until).is_some() {
            read_more(flight, all, way, until, self.ahead);
            return true;
        }
        let half = now + Duration((until - now).0 / 2);
        has_taken |= self.becomes_patient(flight, feeds, half) || take_until(flight, feeds, half);
        if !has_taken && let Some((_, point)) = earliest(feeds) {
            feeds[point].take_one(flight);
        }
        false
    }

    /// Up to when is looked for what others have: so much of each point is at hand then, or it is
    /// later than what comes at once; or, once many were waited for, than anything is waited for.
    fn until(&self, feeds: &[Feed], now: Timestamp) -> Timestamp {
        let enough = feeds.iter().filter(|feed| feed.left() >= self.ahead);
        let reached = enough.map(Feed::reach).min();
        let most = now + if self.is_patient() { LINGER } else { AT_ONCE };
        reached.map_or(most, |reached| reached.min(most).max(now))
    }

    fn is_patient(&self) -> bool {
        self.ahead > FEW_AHEAD
    }

    /// Whether what was left up to some time is left for longer from now on: it is much, and of
    /// flows that all points know. It is left for less long where little is.
    fn becomes_patient(&mut self, flight: &Flight, feeds: &[Feed], until: Timestamp) -> bool {
        let most = feeds.iter().map(Feed::left).max().unwrap_or(0);
        let many_wait = |(point, feed): (usize, &Feed)| {
            let limit = feed.own_time(until);
            let left = feed.rest().take_while(|left| left.time <= limit);
            waiting(flight, point, left).take(MANY).count() == MANY
        };
        // It was not left for longer because there was no more to be read.
        let is_bound = !self.is_patient() || most >= self.ahead / 2;
        if is_bound
            && most >= MANY
            && self.ahead < MOST_LEFT
            && feeds.iter().enumerate().any(many_wait)
        {
            self.ahead *= 2;
            return true;
        }
        if self.is_patient() && most < self.ahead / 8 {
            self.ahead /= 2;
        }
        false
    }

    /// Takes of each flow what all points have at hand, up to some time; says whether there
    /// was anything.
    fn take_flows(
        &mut self,
        flight: &mut Flight,
        feeds: &mut [Feed],
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
        self.group.take(flight);
        for feed in feeds {
            feed.advance(0, flight);
        }
        has_taken
    }

    /// Finds the next flows of the first point that were not taken in this turn, up to its
    /// limit; says whether there are any.
    fn find_lanes(&mut self, feeds: &[Feed], places: &mut Range<usize>) -> bool {
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
    fn find_lines(&mut self, flight: &Flight, feeds: &mut [Feed]) {
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
    fn take_line(&mut self, flight: &mut Flight, feeds: &mut [Feed], mut line: Line) -> bool {
        let mut has_taken = false;
        line.is_idle = flight.is_idle(line.flow);
        loop {
            let gathered = self.gather(flight, feeds, &mut line);
            has_taken |= gathered.any;
            if gathered.is_over || !line.differs(flight, feeds, &self.limits) {
                return has_taken;
            }
            // What was gathered of the flow goes before it.
            self.group.take(flight);
            let point = line.goes_first(flight, feeds);
            has_taken = true;
            let is_over = match self.take_recut(flight, feeds, &mut line, point) {
                Some(is_over) => is_over,
                None => {
                    flight.take_early(point, feeds[point].at(line.place(point)));
                    !line.take(feeds, point)
                }
            };
            line.is_idle = flight.is_idle(line.flow);
            if is_over || flight.paths.is_part(line.flow) {
                return true;
            }
        }
    }

    /// Takes what the points have next of a flow in different packets, if that is the same: says
    /// whether some point has no more of the flow then. `None` if it is not.
    fn take_recut(
        &mut self,
        flight: &mut Flight,
        feeds: &mut [Feed],
        line: &mut Line,
        first: usize,
    ) -> Option<bool> {
        let counts = line.find_recut(feeds, &self.limits, &mut self.places)?;
        let places = self.places.iter().zip(counts);
        for ((feed, group), (places, count)) in feeds.iter().zip(self.group.sightings()).zip(places)
        {
            let places = places[..count].iter();
            group.extend(places.map(|place| *feed.at(*place as usize)));
        }
        let is_taken = flight.take_at_hand(line.flow, first, self.group.sightings());
        self.group.clear();
        if !is_taken {
            return None;
        }
        let mut is_over = false;
        for (point, count) in counts[..feeds.len()].iter().enumerate() {
            for _ in 0..*count {
                is_over |= !line.take(feeds, point);
            }
        }
        Some(is_over)
    }

    /// Gathers what all points have next of a flow, as long as that is the same.
    fn gather(&mut self, flight: &mut Flight, feeds: &mut [Feed], line: &mut Line) -> Gathered {
        let mut any = false;
        loop {
            let places = &mut self.places;
            let room = self.group.room();
            // Without loops over points where there are two, as there are mostly.
            let (count, is_over) = match feeds.len() {
                2 => line.find_same(&feeds[..2], &self.limits[..2], &mut places[..2], room),
                _ => line.find_same(feeds, &self.limits, places, room),
            };
            any |= count > 0;
            let group = self.group.sightings().iter_mut();
            for ((feed, group), places) in feeds.iter_mut().zip(group).zip(places) {
                feed.take_out(&places[..count], group);
            }
            self.group.add(count, line.flow);
            if count < room || is_over {
                return Gathered { any, is_over };
            }
            self.group.take(flight);
        }
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
    fn is_left(&self, flight: &Flight, feeds: &[Feed]) -> bool {
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
        feeds: &[Feed],
        limits: &[Timestamp],
        places: &mut [Places],
        room: usize,
    ) -> (usize, bool) {
        let mut count = 0;
        while count < room {
            let first = feeds[0].at(self.place(0));
            // No `all`: that is compiled as a loop of its own, and points are two, mostly.
            let mut are_next = true;
            for (point, (feed, limit)) in feeds.iter().zip(limits).enumerate() {
                let next = feed.at(self.place(point));
                let is_sure = self.is_idle || next.is_new_here();
                let may_be = is_sure && next.form != Form::Piece && next.time <= *limit;
                are_next &= may_be && (point == 0 || next.is_same_as(first));
            }
            if !are_next {
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

    /// Finds how many packets each point has next, in a row, that are as many bytes: of a stream the
    /// same, and the fewest that end with a packet everywhere. `None` if there are none at hand, or
    /// some of them may be others.
    fn find_recut(
        &self,
        feeds: &[Feed],
        limits: &[Timestamp],
        places: &mut [Places],
    ) -> Option<[usize; MAX_POINTS]> {
        let first = feeds[0].at(self.place(0));
        let (mut counts, mut reached) = ([0; MAX_POINTS], [0; MAX_POINTS]);
        let mut until = 1;
        while let Some(point) = (0..feeds.len()).find(|point| reached[*point] < until) {
            let (feed, count) = (&feeds[point], counts[point]);
            let place = match count {
                0 => self.place(point),
                ABREAST.. => return None,
                _ => feed.behind(places[point][count - 1] as usize)?,
            };
            let packet = feed.at(place);
            let bytes = self.goes_on(first, packet, reached[point])?;
            if packet.time > limits[point] {
                return None;
            }
            places[point][count] = place as u32;
            counts[point] += 1;
            reached[point] += bytes;
            until = until.max(reached[point]);
        }
        let mut points = feeds.iter().enumerate();
        let is_sent_again = points.any(|(point, feed)| {
            let last = places[point][counts[point] - 1] as usize;
            is_sent_again(feed, last, first, until)
        });
        (!is_sent_again).then_some(counts)
    }

    /// How many bytes that NICs cut and join a packet has, if it is behind so many of those that
    /// begin with another, and surely nothing else.
    fn goes_on(&self, first: &Sighting, packet: &Sighting, behind: u32) -> Option<u32> {
        let is_in_place = packet.form == first.form
            && (packet.form != Form::Segment || packet.offset == first.offset.wrapping_add(behind));
        let is_sure = self.is_idle || packet.is_new_here();
        let bytes = packet.data_bytes().filter(|bytes| *bytes <= MOST_CUT)?;
        (is_in_place && is_sure).then_some(bytes)
    }

    /// Whether the points surely have different packets next, each of which comes until some
    /// time by their own clocks.
    fn differs(&self, flight: &Flight, feeds: &[Feed], limits: &[Timestamp]) -> bool {
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
    fn take(&mut self, feeds: &mut [Feed], point: usize) -> bool {
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
    fn goes_first(&self, flight: &Flight, feeds: &[Feed]) -> usize {
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
    fn comes_soon(&self, feeds: &[Feed], point: usize, packet: &Sighting) -> bool {
        let mut soon = feeds[point].line(self.place(point)).take(SOON);
        soon.any(|soon| soon.is_same_as(packet))
    }
}

/// Whether what begins with a packet, and has so many bytes, comes again behind another, where
/// nothing but its place in the stream tells which of the two somebody has.
fn is_sent_again(feed: &Feed, last: usize, first: &Sighting, bytes: u32) -> bool {
    let mut behind = feed.line(last).skip(1).take(ABREAST);
    first.form == Form::Segment
        && !first.is_numbered
        && behind.any(|packet| packet.offset.wrapping_sub(first.offset) < bytes)
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
fn take_single(flight: &mut Flight, feeds: &mut [Feed], until: Timestamp) -> bool {
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
                let time = flight.time_of(point, sighting);
                flight.take_alone(point, sighting, time);
                feed.mark_taken(place);
                has_taken = true;
            }
        }
    }
    has_taken
}

/// Reads on where the least is at hand of a way up to some time, so that all come equally far,
/// and so much that what is left is not looked through for little.
fn read_more(flight: &mut Flight, all: &mut Feeds<'_>, way: usize, until: Timestamp, room: usize) {
    let left = |feeds: &[Feed]| feeds.iter().map(Feed::left).sum::<usize>();
    let wanted = 2 * left(all.of(way));
    let mut batches = 0;
    while let feeds = all.of(way)
        && (batches < feeds.len() || left(feeds) < wanted)
        && let Some(short) = short_of(feeds, until)
        && feeds[short].left() <= room
    {
        all.read_on(short, flight);
        all.of(way)[short].look_for_jump();
        batches += 1;
    }
}

/// The feed that has the least at hand of those that do not reach up to some time.
fn short_of(feeds: &[Feed], until: Timestamp) -> Option<usize> {
    let shorts = feeds.iter().enumerate();
    let shorts = shorts.filter(|(_, feed)| feed.is_short_of(until));
    let least = shorts.min_by_key(|(_, feed)| feed.reach());
    least.map(|(point, _)| point)
}

/// Takes what comes up to some time one by one; says whether there was any.
fn take_until(flight: &mut Flight, feeds: &mut [Feed], until: Timestamp) -> bool {
    let mut has_taken = false;
    while are_ready(feeds)
        && let Some((now, point)) = earliest(feeds)
        && now <= until
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
    use crate::compare::feeds::UNKNOWN;
    use crate::compare::flight::of_two_points;
    use crate::compare::intake::Intake;
    use crate::compare::sighting::Form;
    use crate::model::{FlowKey, Protocol};

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
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        for feed in feeds.of(UNKNOWN) {
            feed.take_one(&mut flight);
            feed.take_one(&mut flight);
        }
        let mut by_flow = ByFlow::new(2);
        let mut has_read = false;
        for _ in 0..turns {
            has_read = by_flow.take(&mut flight, &mut feeds, UNKNOWN);
        }
        let left = [0, 1].map(|point| feeds.of(UNKNOWN)[point].left());
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

    /// Some of a stream in one packet.
    fn stretch(id: u32, bytes: std::ops::Range<u32>, time: i64) -> Sighting {
        Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            offset: bytes.start,
            bytes: bytes.end - bytes.start,
            head: bytes.start.into(),
            ..seen(0, id, time)
        }
    }

    #[test]
    fn what_nics_cut_and_join_is_taken_as_far_as_it_is_at_hand() {
        let front = [
            stretch(2, 0..500, 100),
            stretch(3, 500..1_000, 101),
            stretch(4, 1_000..1_500, 102),
        ];
        let back = [stretch(2, 0..1_000, 103), stretch(4, 1_000..2_000, 104)];
        // Of what is behind it one point has not all at hand.
        assert_eq!(taken([&[&front], &[&back]]), (2, [0, 1], false));
        assert_eq!(taken([&[&back[..1]], &[&front[..2]]]), (1, [0, 0], false));
        let begun = [stretch(2, 0..500, 100), stretch(4, 1_000..1_500, 102)];
        assert_eq!(taken([&[&begun], &[&back[..1]]]), (1, [1, 0], false));
    }

    /// Without identifications nothing tells what was sent again from what was lost but time.
    #[test]
    fn what_is_sent_again_in_another_cut_is_not_taken_for_the_first() {
        let numberless = |packets: &[Sighting]| -> Vec<Sighting> {
            let packets = packets.iter().map(|packet| Sighting {
                id: 0,
                is_numbered: false,
                ..*packet
            });
            packets.collect()
        };
        let again = |time: i64| [stretch(3, 0..500, time), stretch(4, 500..1_000, time + 1)];
        let front = [&[stretch(2, 0..1_000, 100)][..], &again(150)].concat();
        let (front, back) = (numberless(&front), numberless(&again(160)));
        assert_eq!(taken([&[&front], &[&back]]), (2, [0, 0], false));
        assert_eq!(taken([&[&front[..1]], &[&back]]), (1, [0, 0], false));
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

    /// How many of a point are to be at hand, after so many were, where as many packets of so
    /// many flows wait at the first of two points, of which both know the first.
    fn ahead_of(ahead: usize, waiting: u32, flows: u32) -> usize {
        let mut flight = of_two_points();
        let lanes: Vec<FlowKey> = (0..flows as u8).map(lane).collect();
        let waits = (1..=waiting).map(|id| seen(id % flows, id + 1, i64::from(id) + 10));
        let front = std::iter::once(seen(0, 1, 1)).chain(waits).collect();
        let batches = [
            sent(lanes.clone(), front),
            sent(lanes, vec![seen(0, 1, 1), seen(0, 2, 90)]),
        ];
        let intake = Intake::of(batches.into_iter().map(|batch| vec![batch]));
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        let feeds = feeds.of(UNKNOWN);
        feeds.iter_mut().for_each(|feed| feed.take_one(&mut flight));
        let mut by_flow = ByFlow {
            ahead,
            ..ByFlow::new(2)
        };
        let is_patient = by_flow.becomes_patient(&flight, feeds, Timestamp::MAX);
        assert_eq!(is_patient, by_flow.ahead > ahead);
        by_flow.ahead
    }

    #[test]
    fn what_all_points_know_may_wait_as_long_as_it_is_not_too_much() {
        let many = MANY as u32;
        assert_eq!(ahead_of(FEW_AHEAD, many - 1, 1), FEW_AHEAD);
        assert_eq!(ahead_of(FEW_AHEAD, many, 1), 2 * FEW_AHEAD);
        assert_eq!(ahead_of(FEW_AHEAD, 4 * many, 4), 2 * FEW_AHEAD);
        assert_eq!(ahead_of(FEW_AHEAD, 3 * many, 4), FEW_AHEAD, "one in four");
        assert_eq!(ahead_of(MOST_LEFT, MOST_LEFT as u32, 1), MOST_LEFT);
        // It is looked less far ahead again where little waits.
        assert_eq!(ahead_of(8 * FEW_AHEAD, many - 1, 1), 4 * FEW_AHEAD);
        let few = FEW_AHEAD as u32;
        assert_eq!(ahead_of(8 * FEW_AHEAD, 2 * few, 1), 8 * FEW_AHEAD);
        assert_eq!(ahead_of(8 * FEW_AHEAD, 4 * few, 1), 16 * FEW_AHEAD);
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
