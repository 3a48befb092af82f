//! What has come of one point that goes one way and is not matched yet, and what of it is of
//! which flow.

use super::extent::FAR;
use super::flight::{ABREAST, AT_ONCE, FETCHED, Flight, apart};
use super::sighting::{Lane, NO_LANE, Sighting};
use super::slab::NONE;
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// So many are looked at one by one.
const CLOSE: usize = 8;

/// So many are counted before counting begins anew: with those of a batch they still have numbers.
const MOST_COUNTED: u32 = u32::MAX / 2;

/// So far is looked for what others may know.
const MOST_ALONE: usize = 512;

/// What comes of one point, one way.
pub(super) struct Feed {
    point: usize,
    /// What has come and may not be taken yet, in memory of its own: what was read lies in the
    /// cache of whoever read it, and is not written to here, as it would have to come back from
    /// there each time. Of what is taken out of turn, the lane is gone.
    batch: Vec<Sighting>,
    next: usize,
    /// Where what came last begins.
    opened: usize,
    /// How many of the batch, from the next on, were not taken.
    left: usize,
    /// Where the time is far from the one before, if that is not over; until that is known, how
    /// far it was looked for.
    jump: usize,
    is_jump_known: bool,
    by_lane: ByLane,
    alone: Alone,
    /// Whether no more comes.
    has_ended: bool,
    /// Whether no more may come before what has come is taken.
    is_full: bool,
    /// How far its point was read, by the clock of that: what comes is behind it.
    horizon: Timestamp,
    /// When the next is, by the clock of the first point; if nothing has come, when it is at the
    /// earliest.
    head: Timestamp,
}

/// Where in a batch the sightings of each flow are, once somebody asks.
#[derive(Default)]
struct ByLane {
    /// How many sightings there were in all batches before, or since that was more than
    /// [`MOST_COUNTED`].
    base: u32,
    /// Up to which place of the batch that is known.
    known: usize,
    lanes: Vec<Ends>,
    /// By place in the batch: the next of the same lane.
    nexts: Vec<u32>,
}

/// Where the sightings of a lane are, counted like that.
#[derive(Clone, Copy)]
struct Ends {
    /// The first that may not be taken yet.
    first: u32,
    last: u32,
}

/// Where there are none.
const NOWHERE: Ends = Ends {
    first: NONE,
    last: NONE,
};

/// How far what comes next is known to no other point.
#[derive(Default)]
struct Alone {
    /// Up to this place of the batch.
    end: usize,
    /// As long as this is what is said of flows; see [`Paths::joined`](super::paths::Paths::joined).
    joined: u64,
}

/// When what a point has next is in turn: by time, and of what comes at one time that of the
/// point in front, where it was before.
pub(super) type Turn = (Timestamp, usize);

impl Feed {
    pub fn new(point: usize) -> Self {
        Self {
            point,
            batch: Vec::new(),
            next: 0,
            opened: 0,
            left: 0,
            jump: 0,
            is_jump_known: false,
            by_lane: ByLane::default(),
            alone: Alone::default(),
            has_ended: false,
            is_full: false,
            horizon: Timestamp::MIN,
            head: Timestamp::MIN,
        }
    }

    /// Makes room for so many that come behind what is left.
    pub fn open(&mut self, most: usize) {
        self.forget_taken();
        self.is_jump_known &= self.jump < self.batch.len();
        self.batch.reserve(most);
        self.opened = self.batch.len();
    }

    /// Takes in the next that has come.
    #[inline(always)]
    pub fn push(&mut self, sighting: &Sighting) {
        self.batch.push(*sighting);
    }

    /// Takes in some that have come.
    pub fn extend(&mut self, some: &[Sighting]) {
        self.batch.extend_from_slice(some);
    }

    /// That was all for now; what comes is behind some time, by the clock of the point.
    pub fn close(&mut self, horizon: Option<Timestamp>, flight: &Flight) {
        self.left += self.batch.len() - self.opened;
        self.horizon = horizon.unwrap_or(self.horizon);
        self.look_ahead(flight);
    }

    /// No more comes.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Whether more may come before what has come is taken.
    pub fn may_grow(&mut self, may_grow: bool) {
        self.is_full = !may_grow;
    }

    /// Takes out what is left and is no longer to go this way, in its order.
    pub fn part(&mut self, goes_on: impl Fn(&Sighting) -> bool) -> Vec<Sighting> {
        if self.rest().all(&goes_on) {
            return Vec::new();
        }
        let (stays, parted) = self.rest().copied().partition(goes_on);
        self.fill(stays);
        parted
    }

    /// Brings others in between what is left, in the order in which they were captured.
    pub fn join(&mut self, others: &[Sighting]) {
        if others.is_empty() {
            return;
        }
        let mut left: Vec<Sighting> = self.rest().copied().collect();
        left.extend_from_slice(others);
        // Two rows, each of which is in order.
        left.sort_by_key(|sighting| sighting.frame);
        self.fill(left);
    }

    /// What is left is this.
    fn fill(&mut self, left: Vec<Sighting>) {
        self.by_lane.pass(self.batch.len());
        self.is_jump_known = false;
        self.left = left.len();
        (self.batch, self.next, self.jump) = (left, 0, 0);
        self.alone = Alone::default();
    }

    /// What is left of the batch is in front of what comes; it is not moved for less than its
    /// own size.
    fn forget_taken(&mut self) {
        if self.left > self.batch.len() / 2 {
            return;
        }
        let is_jump_at_end = self.jump == self.batch.len();
        self.by_lane.pass(self.batch.len());
        self.batch.drain(..self.next);
        self.batch.retain(|sighting| sighting.lane != NO_LANE);
        self.next = 0;
        self.alone = Alone::default();
        self.jump = if is_jump_at_end { self.left } else { 0 };
    }

    /// Notes when the next sighting of the batch is, or may be.
    pub fn look_ahead(&mut self, flight: &Flight) {
        self.head = match self.batch.get(self.next) {
            Some(next) => flight.time_of(self.point, next),
            None => flight.time_at(self.point, self.horizon),
        };
    }

    /// Looks for the next time that is far from the one before, if that is not known.
    pub fn look_for_jump(&mut self) {
        if self.is_jump_known && self.jump > self.next {
            return;
        }
        let from = self.jump.max(self.next + 1);
        let left = self.batch.get(from - 1..).unwrap_or_default();
        let mut steps = left.windows(2);
        let jump = steps.position(|step| apart(step[1].time, step[0].time) > FAR);
        self.jump = jump.map_or(self.batch.len(), |place| from + place);
        self.is_jump_known = true;
    }

    /// Of which point it comes.
    pub fn point(&self) -> usize {
        self.point
    }

    /// What comes next, if it has come, and when.
    pub fn next(&self) -> Option<(&Sighting, Timestamp)> {
        let sighting = self.batch.get(self.next)?;
        Some((sighting, self.head))
    }

    /// The places of what is left of the batch, up to where the time is far from that before.
    pub fn places(&mut self) -> Range<usize> {
        self.look_for_jump();
        self.next..self.jump
    }

    /// Where that is.
    pub fn place(&self) -> usize {
        self.next
    }

    /// What is at a place of the batch.
    pub fn at(&self, place: usize) -> &Sighting {
        &self.batch[place]
    }

    /// A time by the clock of the point, as that goes with the next in turn.
    pub fn own_time(&self, time: Timestamp) -> Timestamp {
        let ahead = self.next().map(|(next, head)| (next.time, time - head));
        ahead.map_or(time, |(next, ahead)| next + ahead)
    }

    /// Where the next of the same flow is, if that is at hand.
    pub fn behind(&self, place: usize) -> Option<usize> {
        let behind = self.by_lane.nexts[place] as usize;
        (behind < self.jump).then_some(behind)
    }

    /// What is at a place and behind it of the same flow.
    pub fn line(&self, place: usize) -> impl Iterator<Item = &Sighting> {
        let places = std::iter::successors(Some(place), |place| self.behind(*place));
        places.map(|place| self.at(place))
    }

    /// How many are left of what has come.
    pub fn left(&self) -> usize {
        self.left
    }

    /// These.
    pub fn rest(&self) -> impl Iterator<Item = &Sighting> {
        let rest = self.batch[self.next..].iter();
        rest.filter(|sighting| sighting.lane != NO_LANE)
    }

    /// What is behind all that was taken out of turn, and at which place that begins.
    pub fn untouched(&self) -> (usize, &[Sighting]) {
        let left = self.batch.get(self.next..).unwrap_or_default();
        let taken = left.iter().rposition(|sighting| sighting.lane == NO_LANE);
        let begin = taken.map_or(0, |taken| taken + 1);
        (self.next + begin, &left[begin..])
    }

    /// When the next is, or may be at the earliest if nothing has come.
    pub fn head(&self) -> Timestamp {
        self.head
    }

    /// Until when all has come, by the clock of the next in turn.
    pub fn reach(&self) -> Timestamp {
        self.about(self.horizon)
    }

    /// Whether more will come before some time.
    pub fn is_short_of(&self, time: Timestamp) -> bool {
        let may_come = !self.has_ended && !self.is_full;
        may_come && self.jump >= self.batch.len() && self.reach() < time
    }

    /// What comes next; of what is taken out, the lane is gone.
    pub fn at_hand(&self) -> &[Sighting] {
        self.ahead(ABREAST)
    }

    /// So many of what comes next at most, and what was taken out of it.
    pub fn ahead(&self, most: usize) -> &[Sighting] {
        let left = self.batch.get(self.next..).unwrap_or_default();
        left.get(..most).unwrap_or(left)
    }

    /// Of what is at hand, that which comes before then.
    pub fn before(&self, time: Timestamp) -> impl Iterator<Item = &Sighting> {
        let left = self.at_hand().iter();
        left.take_while(move |sighting| self.about(sighting.time) < time)
    }

    /// Whether that is all that comes before then.
    pub fn reaches(&self, time: Timestamp) -> bool {
        let last = self.at_hand().last();
        last.map_or(self.has_ended, |last| self.about(last.time) >= time)
    }

    /// Until when all that comes next is known to no other point, as far as was looked, and at most
    /// until some time; `None` if nothing has come.
    pub fn alone_until(&mut self, most: Timestamp, flight: &Flight) -> Option<Timestamp> {
        self.next()?;
        let end = self.look_for_shared(flight);
        let until = match self.batch.get(end) {
            Some(shared) => self.about(shared.time) + Duration(-1),
            None => self.about(self.batch.last()?.time),
        };
        Some(until.min(most))
    }

    /// Whether what comes next is known to no other point.
    pub fn is_alone(&mut self, flight: &Flight) -> bool {
        self.next().is_some() && self.look_for_shared(flight) > self.next
    }

    /// Looks for the next that other points may know, not too far ahead; says where it is.
    fn look_for_shared(&mut self, flight: &Flight) -> usize {
        let joined = flight.paths.joined();
        if self.alone.joined != joined || self.alone.end < self.next {
            let end = self.next;
            self.alone = Alone { end, joined };
        }
        let most = self.batch.len().min(self.next + MOST_ALONE);
        let left = self.batch.get(self.alone.end..most).unwrap_or_default();
        let mut left = left.iter();
        let shared = left.position(|next| !flight.is_single(self.point, next));
        self.alone.end = shared.map_or(most.max(self.alone.end), |far| self.alone.end + far);
        self.alone.end
    }

    /// When what is at a time by the clock of the point is, by that of the next in turn.
    fn about(&self, time: Timestamp) -> Timestamp {
        let own = self.next().map_or(self.horizon, |(next, _)| next.time);
        self.head + (time - own)
    }

    /// Where the first sighting of a flow is in what is left of the batch.
    pub fn first_of(&mut self, lane: Lane) -> Option<usize> {
        self.look_for_jump();
        self.by_lane.learn(&self.batch, self.next);
        let sightings = &self.batch;
        let place = self.by_lane.first_of(lane, sightings, self.next)?;
        (place < self.jump).then_some(place)
    }

    /// The same, most likely among the very next, which takes no learning where all others
    /// are.
    pub fn soon(&mut self, lane: Lane) -> Option<usize> {
        self.look_for_jump();
        let mut next = self.at_hand().iter().take(CLOSE);
        match next.position(|sighting| sighting.lane == lane) {
            Some(ahead) if self.next + ahead < self.jump => Some(self.next + ahead),
            Some(_) => None,
            None => self.first_of(lane),
        }
    }

    /// Whether nothing is left of what has come, and more may come.
    pub fn is_used_up(&self) -> bool {
        self.next().is_none() && !self.has_ended
    }

    /// From when on there is something, or may come, by the clock of the first point; `None` if
    /// there is none and comes none.
    pub fn turn(&self) -> Option<Timestamp> {
        let may_come = self.next().is_some() || !self.has_ended;
        may_come.then_some(self.head)
    }

    /// Reads what is known of the next sightings, every so often.
    fn fetch(&self, flight: &Flight) {
        self.fetch_from(self.next, flight);
    }

    #[inline(always)]
    fn fetch_from(&self, place: usize, flight: &Flight) {
        if place.is_multiple_of(FETCHED) {
            let next = self.batch[place..].iter().take(FETCHED);
            flight.fetch(self.point, next);
        }
    }

    /// Goes on to what is behind the sightings that were taken.
    pub fn advance(&mut self, taken: usize, flight: &Flight) {
        let before = self.next;
        self.next += taken;
        self.left -= taken;
        let left = self.batch.get(self.next..).unwrap_or_default();
        let is_left = |sighting: &Sighting| sighting.lane != NO_LANE;
        self.next += left.iter().position(is_left).unwrap_or(left.len());
        if self.next == before {
            return;
        }
        self.look_ahead(flight);
    }

    /// What is at a place was taken; [`advance`](Self::advance) goes on behind what was.
    pub fn mark_taken(&mut self, place: usize) {
        self.batch[place].lane = NO_LANE;
        self.left -= 1;
    }

    /// What is at some places is taken, and copied.
    pub fn take_out(&mut self, places: &[u32], copies: &mut Vec<Sighting>) {
        let sightings = &mut self.batch;
        let taken = places.iter().map(|place| {
            let sighting = &mut sightings[*place as usize];
            let copy = *sighting;
            sighting.lane = NO_LANE;
            copy
        });
        copies.extend(taken);
        self.left -= places.len();
    }

    /// Gives the next sighting to be matched.
    pub fn take_one(&mut self, flight: &mut Flight) {
        if let Some((sighting, time)) = self.next() {
            self.fetch(flight);
            flight.take(self.point, sighting, time);
            self.advance(1, flight);
        }
    }

    /// The same before others that are earlier.
    pub fn take_one_early(&mut self, flight: &mut Flight) {
        if let Some((sighting, _)) = self.next() {
            flight.take_early(self.point, sighting);
            self.advance(1, flight);
        }
    }

    /// Gives the next sighting to be matched, and those behind it up to the turn of another
    /// point as long as they have to be looked for each.
    pub fn run_until(&mut self, until: Turn, flight: &mut Flight) {
        while self.next().is_some() {
            self.take_one(flight);
            let may_be_abreast =
                |(next, _): (&Sighting, Timestamp)| flight.may_come_abreast(self.point, next);
            if (self.head, self.point) > until || self.next().is_some_and(may_be_abreast) {
                break;
            }
        }
    }

    /// Gives what is next, all of flows that no other point knows, up to some time, and as far as
    /// that is so.
    pub fn run_lone(&mut self, until: Timestamp, flight: &mut Flight) {
        let (from, mut passed) = (self.next, Timestamp::MIN);
        let mut place = from;
        while let Some(sighting) = self.batch.get(place) {
            let time = flight.time_of(self.point, sighting);
            if (place > from && time > until) || flight.paths.has_lone_told() {
                break;
            }
            if time - passed > AT_ONCE {
                flight.pass(time);
                passed = time;
            }
            self.fetch_from(place, flight);
            flight.take_alone(self.point, sighting, time);
            place += 1;
        }
        self.advance(place - from, flight);
    }

    /// Gives what is next and known to no other point, up to the turn of another point, and
    /// as far as no time passes.
    pub fn run_alone(&mut self, until: Turn, flight: &mut Flight) {
        flight.pass(self.head);
        let (from, end) = (self.next, self.look_for_shared(flight));
        let mut place = from;
        while place < end && flight.paths.joined() == self.alone.joined {
            self.fetch_from(place, flight);
            let sighting = &self.batch[place];
            let time = flight.time_of(self.point, sighting);
            let is_in_turn = (time, self.point) <= until && time - self.head <= AT_ONCE;
            // What was taken out of turn is passed over behind this.
            if sighting.lane == NO_LANE || (place > from && !is_in_turn) {
                break;
            }
            flight.take_alone(self.point, sighting, time);
            place += 1;
        }
        self.advance(place - from, flight);
    }
}

impl ByLane {
    /// The batch is over, which had so many sightings.
    fn pass(&mut self, sightings: usize) {
        self.known = 0;
        self.base = self.base.saturating_add(sightings as u32);
        if self.base > MOST_COUNTED {
            self.base = 0;
            self.lanes.fill(NOWHERE);
        }
    }

    /// Notes where what has come since is, and is not taken.
    fn learn(&mut self, batch: &[Sighting], next: usize) {
        let from = self.known.max(next);
        self.known = batch.len();
        if from >= batch.len() {
            return;
        }
        self.nexts.resize(batch.len(), NONE);
        for (place, sighting) in (from..).zip(&batch[from..]) {
            let lane = sighting.lane;
            if lane == NO_LANE {
                continue;
            }
            self.nexts[place] = NONE;
            if self.lanes.len() <= lane as usize {
                self.lanes.resize(lane as usize + 1, NOWHERE);
            }
            let ends = &mut self.lanes[lane as usize];
            let last = ends.last.wrapping_sub(self.base) as usize;
            let at = self.base + place as u32;
            let is_behind = (next..place).contains(&last);
            if is_behind {
                // That may be taken by now, and others in front of it not.
                self.nexts[last] = place as u32;
            }
            if !is_behind || ends.first == NONE {
                ends.first = at;
            }
            ends.last = at;
        }
    }

    /// The first of a flow that is not taken, from the next in turn on. What was passed over
    /// is not looked at again.
    fn first_of(&mut self, lane: Lane, batch: &[Sighting], next: usize) -> Option<usize> {
        let Ends { first, .. } = self.lanes.get_mut(lane as usize)?;
        loop {
            if *first == NONE {
                return None;
            }
            let place = first.wrapping_sub(self.base) as usize;
            let known = batch.get(place)?.lane;
            if known == lane && place >= next {
                return Some(place);
            }
            if known != lane && known != NO_LANE {
                return None;
            }
            *first = match self.nexts[place] {
                NONE => NONE,
                behind => self.base + behind,
            };
        }
    }
}

#[cfg(test)]
pub(super) mod of_memory {
    //! What comes of a point, made up.

    use super::*;
    use crate::compare::reader::Sent;
    use crate::compare::sighting::{Batch, example};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag};
    use crate::source::Progress;

    pub fn lane(number: u8) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, number], [10, 0, 1, 1]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// A packet of a flow by its identification, at a time in microseconds.
    pub fn seen(lane: u32, id: u32, time: i64) -> Sighting {
        Sighting {
            lane,
            time: Timestamp(time * 1_000),
            is_fresh: true,
            ..example(id)
        }
    }

    /// A batch with flows that were not met before.
    pub fn sent(lanes: Vec<FlowKey>, sightings: Vec<Sighting>) -> Sent {
        let batch = Batch {
            lanes,
            sightings,
            until: Timestamp(0),
            ..Batch::default()
        };
        Sent {
            batch,
            read: Progress::default(),
            frames: 0,
            from: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_two_points;
    use crate::compare::sighting::example;

    fn batch_of(lanes: &[Lane]) -> Vec<Sighting> {
        let of = |lane: &Lane| Sighting {
            lane: *lane,
            ..example(0)
        };
        lanes.iter().map(of).collect()
    }

    #[test]
    fn what_is_left_of_a_batch_is_in_front_of_the_next() {
        let flight = of_two_points();
        let seen = |id: u32| of_memory::seen(0, id, i64::from(id));
        let mut feed = Feed::new(0);
        come(&mut feed, &(0..8).map(seen).collect::<Vec<_>>(), &flight);
        feed.advance(2, &flight);
        feed.mark_taken(4);
        come(&mut feed, &[seen(8), seen(9)], &flight);
        let (next, head) = feed.next().unwrap();
        assert_eq!((next.id, head), (2, Timestamp(2_000)));
        let rest = feed.rest().map(|sighting| sighting.id);
        assert_eq!(rest.collect::<Vec<_>>(), [2, 3, 5, 6, 7, 8, 9]);
    }

    /// Some have come.
    fn come(feed: &mut Feed, some: &[Sighting], flight: &Flight) {
        feed.open(some.len());
        feed.extend(some);
        feed.close(some.last().map(|last| last.time), flight);
    }

    /// What comes of one flow, at these seconds.
    fn at_seconds(seconds: &[i64]) -> Vec<Sighting> {
        let seconds = seconds.iter();
        seconds
            .map(|second| of_memory::seen(0, 1, second * 1_000_000))
            .collect()
    }

    #[test]
    fn what_is_left_is_moved_once_it_is_less_than_what_was_taken() {
        for (taken, moved) in [(3, false), (4, true), (8, true)] {
            let flight = of_two_points();
            let mut feed = Feed::new(0);
            come(&mut feed, &at_seconds(&[0, 1, 2, 3, 4, 5, 6, 7]), &flight);
            for place in 1..taken {
                feed.mark_taken(place);
            }
            feed.advance(1, &flight);
            assert_eq!(feed.left(), 8 - taken);
            come(&mut feed, &at_seconds(&[8, 9]), &flight);
            assert_eq!((feed.left(), feed.rest().count()), (10 - taken, 10 - taken));
            assert_eq!(feed.place(), if moved { 0 } else { taken }, "{taken} taken");
            let places = feed.places();
            let line: Vec<i64> = feed.first_of(0).map_or(Vec::new(), |first| {
                feed.line(first)
                    .map(|seen| seen.time.0 / 1_000_000_000)
                    .collect()
            });
            assert_eq!(line, (taken as i64..10).collect::<Vec<_>>());
            assert_eq!(places.len(), 10 - taken);
        }
    }

    #[test]
    fn a_jump_is_found_wherever_batches_end() {
        let before_the_jump = |batches: [&[i64]; 2], taken: usize| {
            let flight = of_two_points();
            let mut feed = Feed::new(0);
            come(&mut feed, &at_seconds(batches[0]), &flight);
            feed.look_for_jump();
            feed.advance(taken, &flight);
            feed.look_for_jump();
            come(&mut feed, &at_seconds(batches[1]), &flight);
            feed.places().len()
        };
        for taken in 0..4 {
            assert_eq!(before_the_jump([&[0, 1, 2, 3], &[4, 5]], taken), 6 - taken);
            assert_eq!(before_the_jump([&[0, 1, 2, 3], &[4, 90]], taken), 5 - taken);
            assert_eq!(
                before_the_jump([&[0, 1, 2, 3], &[90, 91]], taken),
                4 - taken
            );
            let second = if taken < 3 { 3 - taken } else { 3 };
            assert_eq!(before_the_jump([&[0, 1, 2, 90], &[91, 92]], taken), second);
        }
    }

    #[test]
    fn what_no_other_point_knows_is_taken_together_up_to_the_turn_of_others() {
        let mut flight = of_two_points();
        let lanes = |lanes: &[u8]| {
            of_memory::sent(lanes.iter().map(|n| of_memory::lane(*n)).collect(), vec![])
        };
        flight.meet(0, &lanes(&[1, 2]).batch);
        flight.meet(1, &lanes(&[2]).batch);
        let mut feed = Feed::new(0);
        let packets = [(0, 1), (1, 2), (0, 3), (0, 4), (0, 5), (1, 6), (0, 7)];
        let packets = packets.map(|(lane, time)| of_memory::seen(lane, time, time.into()));
        come(&mut feed, &packets, &flight);
        assert!(!feed.is_alone(&flight), "nobody has seen the flow yet");
        let microsecond = |time: i64| Timestamp(time * 1_000);
        feed.take_one(&mut flight);
        feed.take_one(&mut flight);
        flight.take_early(1, &of_memory::seen(0, 2, 2));
        let alone = |feed: &mut Feed, most: i64| feed.alone_until(microsecond(most), &flight);
        let behind = microsecond(6) + Duration(-1);
        assert_eq!(alone(&mut feed, 9), Some(behind));
        assert_eq!(alone(&mut feed, 4), Some(microsecond(4)));
        assert!(feed.is_alone(&flight));
        feed.run_alone((microsecond(4), 0), &mut flight);
        assert_eq!(feed.next().map(|(next, _)| next.id), Some(5));
        feed.mark_taken(6);
        feed.run_alone((microsecond(9), 0), &mut flight);
        assert_eq!(feed.next().map(|(next, _)| next.id), Some(6));
        assert!(!feed.is_alone(&flight));
        feed.take_one(&mut flight);
        assert_eq!((feed.left(), feed.next().is_none()), (0, true));
    }

    #[test]
    fn what_comes_later_is_not_taken_before_time_has_passed() {
        let mut flight = of_two_points();
        let lanes = of_memory::sent(vec![of_memory::lane(1)], vec![]);
        flight.meet(0, &lanes.batch);
        let mut feed = Feed::new(0);
        let at = |id: u32, time: i64| of_memory::seen(0, id, time);
        let ten = AT_ONCE.0 / 1_000;
        let packets = [at(1, 1), at(2, 2), at(3, 2 + ten), at(4, 3 + ten)];
        come(&mut feed, &packets, &flight);
        feed.take_one(&mut flight);
        let ever = (Timestamp::MAX, 1);
        feed.run_alone(ever, &mut flight);
        assert_eq!(feed.next().map(|(next, _)| next.id), Some(4));
        feed.run_alone(ever, &mut flight);
        assert_eq!(feed.left(), 0);
    }

    #[test]
    fn a_flow_that_others_come_to_know_is_no_longer_alone() {
        let mut flight = of_two_points();
        for point in 0..2 {
            flight.meet(
                point,
                &of_memory::sent(vec![of_memory::lane(1)], vec![]).batch,
            );
        }
        let mut feed = Feed::new(0);
        let packets = [1, 2, 3].map(|id| of_memory::seen(0, id, id.into()));
        come(&mut feed, &packets, &flight);
        feed.take_one(&mut flight);
        assert!(feed.is_alone(&flight));
        flight.take_early(1, &packets[0]);
        assert!(!feed.is_alone(&flight));
    }

    #[test]
    fn what_comes_is_behind_what_is_left_of_its_flow() {
        let mut by_lane = ByLane::default();
        let mut batch = batch_of(&[7, 2]);
        by_lane.learn(&batch, 0);
        batch.extend(batch_of(&[7, 2, 7]));
        by_lane.learn(&batch, 0);
        assert_eq!(by_lane.nexts, [2, 3, 4, NONE, NONE]);
        batch[0].lane = NO_LANE;
        assert_eq!(by_lane.first_of(7, &batch, 1), Some(2));
        for place in [2, 4] {
            batch[place].lane = NO_LANE;
        }
        assert_eq!(by_lane.first_of(7, &batch, 1), None);
        batch.extend(batch_of(&[2, 7]));
        by_lane.learn(&batch, 1);
        assert_eq!(by_lane.first_of(7, &batch, 1), Some(6));
        assert_eq!(by_lane.first_of(2, &batch, 1), Some(1));
        assert_eq!(by_lane.nexts[3], 5);
        // The last was taken, and one in front of it not.
        batch[5].lane = NO_LANE;
        batch.extend(batch_of(&[2]));
        by_lane.learn(&batch, 1);
        assert_eq!(by_lane.first_of(2, &batch, 1), Some(1));
        assert_eq!(by_lane.nexts[5], 7);
        // All in front of the last was passed.
        batch.extend(batch_of(&[2]));
        by_lane.learn(&batch, 8);
        assert_eq!(by_lane.first_of(2, &batch, 8), Some(8));
    }

    #[test]
    fn each_flow_has_its_next_at_hand() {
        let mut by_lane = ByLane::default();
        // Counting begins anew behind the first batch.
        by_lane.pass(MOST_COUNTED as usize - 4);
        let mut batch = batch_of(&[7, 2, 7, 7, 2]);
        by_lane.learn(&batch, 0);
        assert_eq!(by_lane.first_of(7, &batch, 0), Some(0));
        assert_eq!(by_lane.first_of(7, &batch, 1), Some(2));
        batch[2].lane = NO_LANE;
        assert_eq!(by_lane.first_of(7, &batch, 1), Some(3));
        assert_eq!(by_lane.first_of(2, &batch, 1), Some(1));
        assert_eq!(by_lane.first_of(7, &batch, 4), None);
        assert_eq!(by_lane.first_of(3, &batch, 0), None);
        assert_eq!(by_lane.first_of(99, &batch, 0), None);
        by_lane.pass(batch.len());
        let batch = batch_of(&[2, 3]);
        by_lane.learn(&batch, 0);
        assert_eq!(by_lane.first_of(7, &batch, 0), None);
        assert_eq!(by_lane.first_of(2, &batch, 0), Some(0));
        assert_eq!(by_lane.first_of(2, &batch, 1), None);
    }
}
