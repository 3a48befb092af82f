//! What has come of all points and is not matched yet, parted by the way it goes: where packets
//! go both ways, those that go one way come to all points in one order, and so do those that go
//! the other way; all of them together do not. Nor do those that no other point knows: they go past.

use super::feed::Feed;
use super::flight::{AT_ONCE, Flight, LINGER};
use super::inlet::Inlet;
use super::intake::Intake;
use super::merge::earliest;
use super::run::Read;
use super::sighting::Sighting;
use crate::model::{Duration, Timestamp};

/// Ways that packets go: from the first point to the last, back, not known to go either, or past
/// all other points.
pub(super) const WAYS: usize = 4;
const AHEAD: usize = 0;
const BACK: usize = 1;
pub(super) const UNKNOWN: usize = 2;
/// Of flows that one point alone knows.
pub(super) const LONE: usize = 3;

/// What one in so many sightings goes is taken flow by flow where that helps: to have as much of
/// less at hand, too much else would have to be.
const MUCH: usize = 4;

/// Sightings that are looked at together: they are read once.
const TOGETHER: usize = 64;

/// As many may wait at a point for what others have not at hand yet.
pub(super) const MOST_LEFT: usize = 1 << 18;

/// What goes ahead and what goes back is taken in the order of time within this: so often is gone
/// from one to the other. All else is taken in order: fragments of what is whole elsewhere may be
/// among it.
const ABOUT: Duration = Duration::from_millis(1);

/// A way of which something is in turn.
pub(super) struct InTurn {
    pub way: usize,
    /// Up to when what goes that way is.
    pub until: Timestamp,
    /// When the first is of what goes others.
    pub others: Timestamp,
}

/// What comes of all points.
pub(super) struct Feeds<'a> {
    inlets: Vec<Inlet<'a>>,
    /// By way and point.
    by_way: [Vec<Feed>; WAYS],
    /// By point and lane.
    ways: Vec<Vec<u8>>,
}

/// The way that all of some sightings go, if that is one.
#[inline(always)]
fn way_of_all(some: &[Sighting], ways: &[u8]) -> Option<usize> {
    let way = |sighting: &Sighting| ways[sighting.lane as usize];
    let first = some.first().map(way)?;
    let others = some.iter().fold(0, |others, one| others | way(one) ^ first);
    (others == 0).then_some(first.into())
}

impl<'a> Feeds<'a> {
    pub fn new(points: usize, intake: &'a Intake) -> Self {
        let feeds = || (0..points).map(Feed::new).collect();
        Self {
            inlets: (0..points).map(|point| Inlet::new(point, intake)).collect(),
            by_way: [(); WAYS].map(|()| feeds()),
            ways: vec![Vec::new(); points],
        }
    }

    /// What goes one way, by point.
    pub fn of(&mut self, way: usize) -> &mut [Feed] {
        &mut self.by_way[way]
    }

    /// The way of which something is in turn.
    pub fn in_turn(&mut self, flight: &Flight) -> Option<InTurn> {
        let firsts: [Timestamp; WAYS] = std::array::from_fn(|way| self.first(way));
        let ways =
            (0..WAYS).filter(|way| self.by_way[*way].iter().any(|feed| feed.next().is_some()));
        let way = ways.min_by_key(|way| firsts[*way])?;
        let others = (0..WAYS).filter(|other| *other != way);
        let others_first = others.clone().map(|other| firsts[other]).min();
        let others_first = others_first.unwrap_or(Timestamp::MAX);
        let mut about = |other: usize| match [way, other] {
            [LONE, _] => firsts[other] + AT_ONCE,
            [_, LONE] => firsts[LONE],
            ways if ways.contains(&UNKNOWN) => self.about_alone(firsts[other], flight),
            _ => firsts[other] + ABOUT,
        };
        let until = others.map(&mut about).min().unwrap_or(Timestamp::MAX);
        Some(InTurn {
            way,
            until,
            others: others_first,
        })
    }

    /// When the first is that goes some way.
    fn first(&self, way: usize) -> Timestamp {
        let first = earliest(&self.by_way[way]);
        first.map_or(Timestamp::MAX, |(time, _)| time)
    }

    /// Up to when something may be taken before what is first of another way, if one of the two is
    /// what goes no known way: no further, but for packets there that no other point knows.
    fn about_alone(&mut self, first: Timestamp, flight: &Flight) -> Timestamp {
        let feeds = self.by_way[UNKNOWN].iter_mut();
        let alone = feeds.filter_map(|feed| feed.alone_until(first + ABOUT, flight));
        alone.min().map_or(first, |until| first.max(until))
    }

    /// A point of which is to be read more before what is next of a way can be taken: all others
    /// may have to wait for what it has next. `None` if what has come is enough.
    pub fn short(&self, way: usize, flight: &Flight) -> Option<usize> {
        if way == LONE {
            return self.short_of_all();
        }
        let feeds = self.by_way[way].iter().enumerate();
        let mut used_up = feeds.filter(|(_, feed)| feed.is_used_up()).peekable();
        used_up.peek()?;
        let reach = self.reach(way, flight);
        let mut short =
            used_up.filter(|(point, feed)| feed.head() <= reach && self.left(*point) <= MOST_LEFT);
        short.next().map(|(point, _)| point)
    }

    /// A point of which nothing is at hand, and which was not read as far as what other points do
    /// not know is.
    fn short_of_all(&self) -> Option<usize> {
        let first = self.first(LONE);
        let is_short = |(point, feed): &(usize, &Feed)| {
            feed.is_used_up() && feed.head() + AT_ONCE < first && self.left(*point) == 0
        };
        let mut feeds = self.by_way[LONE].iter().enumerate();
        feeds.find(is_short).map(|(point, _)| point)
    }

    /// Until when others may have what is next of a way: it takes its time where all points know
    /// its flow.
    fn reach(&self, way: usize, flight: &Flight) -> Timestamp {
        let feeds = self.by_way[way].iter().enumerate();
        let nexts = feeds.filter_map(|(point, feed)| {
            let (next, time) = feed.next()?;
            Some((time, point, next.lane))
        });
        match nexts.min() {
            None => Timestamp::MAX,
            Some((time, point, lane)) => match flight.flow_everywhere(point, lane) {
                Some(_) => time + LINGER,
                None => time + AT_ONCE,
            },
        }
    }

    /// Whether much of what has come goes some way.
    pub fn is_much(&self, way: usize) -> bool {
        let left = |way: usize| self.by_way[way].iter().map(Feed::left).sum::<usize>();
        left(way) * MUCH >= (0..WAYS).map(left).sum()
    }

    /// How many are left at a point, whichever way they go.
    fn left(&self, point: usize) -> usize {
        self.by_way.iter().map(|feeds| feeds[point].left()).sum()
    }

    /// Reads on where nothing is left, whichever way it goes; says whether there may be more.
    pub fn read_all(&mut self, flight: &mut Flight) -> bool {
        let mut is_more = false;
        for point in 0..self.inlets.len() {
            if !self.inlets[point].has_ended && self.left(point) == 0 {
                self.read_on(point, flight);
                is_more = true;
            }
        }
        is_more
    }

    /// Takes in the next batch of a point behind what is left, if there is one.
    pub fn read_on(&mut self, point: usize, flight: &mut Flight) {
        let Some(mut come) = self.inlets[point].read_on(flight) else {
            self.by_way.iter_mut().for_each(|feeds| feeds[point].end());
            return;
        };
        for (point, ways) in self.ways.iter_mut().enumerate() {
            ways.resize(flight.paths.lanes(point), UNKNOWN as u8);
        }
        self.part_anew(flight);
        self.heed_lone(flight);
        let mut feeds = self.by_way.each_mut().map(|feeds| &mut feeds[point]);
        let come_together = come.sightings.len();
        feeds.iter_mut().for_each(|feed| feed.open(come_together));
        let (inlet, ways) = (&mut self.inlets[point], &self.ways[point]);
        for begin in (0..come_together).step_by(TOGETHER) {
            let some = begin..come_together.min(begin + TOGETHER);
            inlet.set_right(&mut come, some.clone(), flight);
            let some = &come.sightings[some];
            match way_of_all(some, ways) {
                Some(way) => feeds[way].extend(some),
                None => some.iter().for_each(|sighting| {
                    let way = ways[sighting.lane as usize];
                    feeds[usize::from(way)].push(sighting);
                }),
            }
        }
        let reach = inlet.reach(&come);
        feeds.iter_mut().for_each(|feed| feed.close(reach, flight));
        inlet.give_back(come);
        let all = self.left(point);
        for feeds in &mut self.by_way {
            let beside = all - feeds[point].left();
            feeds[point].may_grow(beside <= MOST_LEFT);
        }
    }

    /// Gives what other points do not know, up to some time, and the first in any case.
    pub fn run_lone(&mut self, until: Timestamp, flight: &mut Flight) {
        let until = until.max(self.first(LONE));
        for feed in &mut self.by_way[LONE] {
            if feed.next().is_some_and(|(_, time)| time <= until) {
                feed.run_lone(until, flight);
            }
        }
    }

    /// What is left goes the way that is known of its flow by now.
    fn part_anew(&mut self, flight: &mut Flight) {
        let mut is_to_be_parted = false;
        for flow in flight.paths.take_told() {
            is_to_be_parted |= self.know_way(flight.paths.resolve(flow), flight);
        }
        if is_to_be_parted {
            self.part(flight);
        }
    }

    /// What other points do not know goes past them, until they may know it.
    pub fn heed_lone(&mut self, flight: &mut Flight) {
        if !flight.paths.has_lone_told() {
            return;
        }
        let mut is_to_be_parted = false;
        for flow in flight.paths.take_lone_told() {
            let (from, to) = match flight.paths.is_lone(flow) {
                true => (UNKNOWN, LONE),
                false => (LONE, UNKNOWN),
            };
            is_to_be_parted |= self.send(flow, [from, to], flight);
        }
        if is_to_be_parted {
            self.part(flight);
        }
    }

    /// What comes of a flow goes another way from now on, wherever it goes some way; says whether
    /// it does so anywhere.
    fn send(&mut self, flow: u32, [from, to]: [usize; 2], flight: &Flight) -> bool {
        let mut is_sent = false;
        for (point, ways) in self.ways.iter_mut().enumerate() {
            let lane = flight.paths.lane_at(flow, point);
            let way = ways.get_mut(lane as usize);
            if let Some(way) = way.filter(|way| usize::from(**way) == from) {
                *way = to as u8;
                is_sent = true;
            }
        }
        is_sent
    }

    /// Whether the way of a flow is known by now that was not when more of it came. It goes that
    /// way from now on.
    fn know_way(&mut self, flow: u32, flight: &Flight) -> bool {
        if flight.paths.is_translated(flow) {
            return false;
        }
        let Some(is_backward) = flight.paths.get(flow).knows_the_way() else {
            return false;
        };
        let known = if is_backward { BACK } else { AHEAD };
        // What came one way goes on that way, so that it stays in order.
        self.send(flow, [UNKNOWN, known], flight)
    }

    /// What is left goes the way of its lane, in its order.
    fn part(&mut self, flight: &Flight) {
        for (point, ways) in self.ways.iter().enumerate() {
            let way_of = |left: &Sighting| usize::from(ways[left.lane as usize]);
            for from in [UNKNOWN, LONE] {
                let parted = self.by_way[from][point].part(|left| way_of(left) == from);
                for to in (0..WAYS).filter(|to| *to != from) {
                    let goes = parted.iter().filter(|left| way_of(left) == to);
                    let goes: Vec<Sighting> = goes.copied().collect();
                    self.by_way[to][point].join(&goes);
                }
            }
            for feeds in &mut self.by_way {
                feeds[point].look_ahead(flight);
            }
        }
    }

    /// What has come and was not taken is as if it had not come: captures end there.
    pub fn end_here(&self, flight: &mut Flight) {
        for (point, span) in flight.spans.iter_mut().enumerate() {
            let nexts = self.by_way.iter().filter_map(|feeds| feeds[point].next());
            let nexts = nexts.map(|(next, _)| next);
            let first = nexts.min_by_key(|next| next.frame);
            if let (Some(next), Some(span)) = (first, span) {
                span.1 = span.1.min(next.time);
            }
        }
    }

    /// How far all points were read.
    pub fn read(&self) -> Read {
        let totals = self.inlets.iter().map(|inlet| inlet.read.total_bytes);
        Read {
            bytes: self.inlets.iter().map(|inlet| inlet.read.bytes).sum(),
            total_bytes: totals.sum(),
            frames: self.frames().sum(),
        }
    }

    /// How many frames were read of each point.
    pub fn frames(&self) -> impl Iterator<Item = u64> {
        self.inlets.iter().map(|inlet| inlet.frames)
    }
}

#[cfg(test)]
impl<'a> Feeds<'a> {
    /// With the first batch of each point.
    pub fn begun(points: usize, intake: &'a Intake, flight: &mut Flight) -> Self {
        let mut feeds = Self::new(points, intake);
        (0..points).for_each(|point| feeds.read_on(point, flight));
        feeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::feed::of_memory::{lane, seen, sent};
    use crate::compare::flight::of_two_points;
    use crate::compare::look::Look;
    use crate::compare::merge::are_ready;
    use crate::model::FlowKey;

    /// A packet of a flow as a point saw it, with what routers had left of its TTL.
    fn routed(lane: u32, id: u32, time: i64, hop_limit: u8) -> Sighting {
        let seen = seen(lane, id, time);
        let look = Look::new(hop_limit, 0, None, false);
        Sighting { look, ..seen }
    }

    /// What is left at each point of each way once it was read on: three flows are known to both,
    /// of which one goes ahead, one back, and one in between.
    fn parted() -> [[Vec<(u32, u32)>; 2]; 3] {
        let mut flight = of_two_points();
        let ttls = [[64, 63], [63, 64], [64, 64]];
        let of_point = |point: usize| {
            let of = |id: u32, time: i64| {
                let flows = ttls.iter().enumerate();
                let seen = flows.map(move |(flow, ttl)| {
                    let frame = u64::from(id) * 3 + flow as u64;
                    let seen = routed(flow as u32, id, time + flow as i64, ttl[point]);
                    Sighting { frame, ..seen }
                });
                seen.collect::<Vec<_>>()
            };
            let first = [of(1, 10), of(2, 20), of(3, 30)].concat();
            let lanes = [lane(0), lane(1), lane(2)].to_vec();
            vec![sent(lanes, first), sent(Vec::new(), of(4, 40))]
        };
        let intake = Intake::of([0, 1].into_iter().map(of_point));
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        // After the first of each flow it is known how TTLs differ, and after the second told.
        for _ in 0..6 {
            let unknown = feeds.of(UNKNOWN).iter_mut();
            unknown.for_each(|feed| feed.take_one(&mut flight));
        }
        [0, 1]
            .into_iter()
            .for_each(|point| feeds.read_on(point, &mut flight));
        [AHEAD, BACK, UNKNOWN].map(|way| {
            [0, 1].map(|point| {
                let left = feeds.of(way)[point].rest();
                left.map(|left| (left.lane, left.id)).collect()
            })
        })
    }

    #[test]
    fn each_flow_goes_its_way_once_that_is_known() {
        let [ahead, back, unknown] = parted();
        assert_eq!(ahead, [[(0, 3), (0, 4)], [(0, 3), (0, 4)]]);
        assert_eq!(back, [[(1, 3), (1, 4)], [(1, 3), (1, 4)]]);
        assert_eq!(unknown, [[(2, 3), (2, 4)], [(2, 3), (2, 4)]]);
    }

    /// Feeds of two points that have these packets, each of the first flow, going some way.
    fn in_turn(at: [(usize, i64); 3]) -> (usize, i64, i64) {
        let mut flight = of_two_points();
        let intake = Intake::of([0, 1].into_iter().map(|_| Vec::new()));
        let mut feeds = Feeds::new(2, &intake);
        flight.meet(0, &sent(vec![lane(0)], Vec::new()).batch);
        for (way, time) in at {
            let feed = &mut feeds.of(way)[0];
            feed.open(1);
            feed.extend(&[seen(0, 1, time)]);
            feed.close(None, &flight);
        }
        let turn = feeds.in_turn(&flight).expect("something is left");
        let since = |time: Timestamp| time.0 / 1_000;
        (turn.way, since(turn.until), since(turn.others))
    }

    #[test]
    fn what_goes_ahead_and_back_is_in_order_by_and_large_and_all_else_exactly() {
        let [ahead, back, unknown] = [AHEAD, BACK, UNKNOWN];
        let turn = in_turn([(ahead, 10), (back, 20), (unknown, 5_000)]);
        assert_eq!(turn, (ahead, 20 + ABOUT.0 / 1_000, 20));
        let turn = in_turn([(ahead, 10), (back, 20), (unknown, 30)]);
        assert_eq!(turn, (ahead, 30, 20));
        let turn = in_turn([(ahead, 10), (back, 20), (unknown, 3)]);
        assert_eq!(turn, (unknown, 10, 10));
    }

    #[test]
    fn what_no_other_point_knows_is_in_order_by_and_large() {
        let mut flight = of_two_points();
        let intake = Intake::of([0, 1].into_iter().map(|_| Vec::new()));
        let mut feeds = Feeds::new(2, &intake);
        flight.meet(0, &sent(vec![lane(0), lane(1)], Vec::new()).batch);
        flight.take_early(0, &seen(0, 1, 1));
        let mut come = |way: usize, packets: &[Sighting]| {
            let feed = &mut feeds.of(way)[0];
            feed.open(packets.len());
            feed.extend(packets);
            feed.close(None, &flight);
        };
        come(UNKNOWN, &[seen(0, 2, 10), seen(0, 3, 700), seen(1, 4, 900)]);
        come(AHEAD, &[seen(1, 5, 20)]);
        let turn = feeds.in_turn(&flight).expect("something is left");
        let shared = Timestamp(900_000) + Duration(-1);
        assert_eq!((turn.way, turn.until), (UNKNOWN, shared));
        feeds.of(UNKNOWN)[0].advance(1, &flight);
        let turn = feeds.in_turn(&flight).expect("something is left");
        assert_eq!((turn.way, turn.until), (AHEAD, shared));
    }

    /// Feeds of two points that know one flow both; of another the first alone has packets, each
    /// before one of those. All of the first batch was taken.
    fn with_lone<'a>(intake: &'a Intake, flight: &mut Flight) -> Feeds<'a> {
        let mut feeds = Feeds::begun(2, intake, flight);
        while are_ready(feeds.of(UNKNOWN)) {
            let (_, point) = earliest(feeds.of(UNKNOWN)).expect("something is left");
            feeds.of(UNKNOWN)[point].take_one(flight);
        }
        feeds.of(UNKNOWN)[1].take_one(flight);
        (0..2).for_each(|point| feeds.read_on(point, flight));
        feeds
    }

    fn intake_with_lone() -> Intake {
        let packets = |lane: u32, ids: std::ops::Range<u32>| {
            ids.map(move |id| Sighting {
                frame: u64::from(2 * id + lane),
                ..seen(lane, id, i64::from(100 * id + lane))
            })
        };
        let front = |ids: std::ops::Range<u32>| {
            let mut all: Vec<Sighting> = packets(0, ids.clone()).chain(packets(1, ids)).collect();
            all.sort_by_key(|sighting| sighting.frame);
            all
        };
        let back =
            |ids: std::ops::Range<u32>| packets(1, ids).map(|seen| Sighting { lane: 0, ..seen });
        let lanes = [vec![lane(0), lane(1)], vec![lane(1)]];
        let of_point = |(point, lanes): (usize, Vec<FlowKey>)| {
            let batch = |ids: std::ops::Range<u32>| match point {
                0 => front(ids),
                _ => back(ids).collect(),
            };
            vec![
                sent(lanes, batch(1..100)),
                sent(Vec::new(), batch(100..110)),
            ]
        };
        Intake::of(lanes.into_iter().enumerate().map(of_point))
    }

    /// How many of each way are left at the first point, by lane.
    fn left_of_first(feeds: &Feeds<'_>) -> [[usize; 2]; WAYS] {
        feeds.by_way.each_ref().map(|feeds| {
            let left = |lane: u32| feeds[0].rest().filter(|left| left.lane == lane).count();
            [left(0), left(1)]
        })
    }

    #[test]
    fn what_no_other_point_knows_goes_past_them_until_one_does() {
        let (intake, mut flight) = (intake_with_lone(), of_two_points());
        let mut feeds = with_lone(&intake, &mut flight);
        let [.., unknown, lone] = left_of_first(&feeds);
        assert_eq!((unknown[0], lone), (0, [10, 0]));
        // It goes first, as far as all else may come at once.
        let turn = feeds.in_turn(&flight).expect("something is left");
        assert_eq!(turn.way, LONE);
        assert_eq!(turn.until, feeds.first(UNKNOWN) + AT_ONCE);
        feeds.run_lone(Timestamp(100 * 104 * 1_000), &mut flight);
        assert_eq!(left_of_first(&feeds)[LONE], [5, 0]);
        let turn = feeds.in_turn(&flight).expect("something is left");
        assert_eq!((turn.way, turn.until), (UNKNOWN, feeds.first(LONE)));
        // The second point has some of it, too.
        flight.meet(1, &sent(vec![lane(0)], Vec::new()).batch);
        flight.take_early(1, &seen(1, 104, 100 * 104 + 1));
        feeds.heed_lone(&mut flight);
        let [.., unknown, lone] = left_of_first(&feeds);
        assert_eq!((unknown[0], lone), (5, [0, 0]));
        let frames = feeds.of(UNKNOWN)[0].rest().map(|left| left.frame);
        assert!(frames.is_sorted());
    }

    #[test]
    fn who_was_not_read_as_far_as_what_nobody_else_knows_is_short() {
        let mut flight = of_two_points();
        let intake = Intake::of([0, 1].into_iter().map(|_| Vec::new()));
        let mut feeds = Feeds::new(2, &intake);
        flight.meet(0, &sent(vec![lane(0)], Vec::new()).batch);
        let mut come = |way: usize, point: usize, packets: &[Sighting], until: i64| {
            let feed = &mut feeds.of(way)[point];
            feed.open(packets.len());
            feed.extend(packets);
            feed.close(Some(Timestamp(until)), &flight);
        };
        let late = AT_ONCE.0 + 2_000;
        come(LONE, 0, &[seen(0, 1, late / 1_000)], late);
        for way in 0..WAYS {
            come(way, 1, &[], 1_000);
        }
        assert_eq!(feeds.short(LONE, &flight), Some(1));
        for way in 0..WAYS {
            feeds.of(way)[1].close(Some(Timestamp(2_000)), &flight);
        }
        assert_eq!(feeds.short(LONE, &flight), None);
    }

    /// Which point is short of what comes next, if the first has a packet and the second was read
    /// up to some time, in microseconds.
    fn short(read: i64, is_known: bool) -> Option<usize> {
        let mut flight = of_two_points();
        let lanes = || vec![lane(0), lane(1)];
        let both = [seen(0, 1, 10), seen(1, 1, 11)];
        let next = seen(if is_known { 0 } else { 2 }, 2, 100);
        let fresh = [lanes(), vec![lane(2)]].concat();
        let batches = [
            sent(fresh, [&both[..], &[next]].concat()),
            sent(lanes(), [&both[..], &[seen(1, 2, read)]].concat()),
        ];
        let intake = Intake::of(batches.into_iter().map(|batch| vec![batch]));
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        let unknown = feeds.of(UNKNOWN);
        for _ in 0..2 {
            unknown
                .iter_mut()
                .for_each(|feed| feed.take_one(&mut flight));
        }
        unknown[1].take_one(&mut flight);
        feeds.short(UNKNOWN, &flight)
    }

    #[test]
    fn more_is_read_where_others_may_have_what_is_next() {
        let (at_once, linger) = (AT_ONCE.0 / 1_000, LINGER.0 / 1_000);
        assert_eq!(short(100 + linger, true), Some(1));
        assert_eq!(short(101 + linger, true), None);
        assert_eq!(short(100 + at_once, false), Some(1));
        assert_eq!(short(101 + at_once, false), None);
    }

    #[test]
    fn one_wrong_time_is_set_right_wherever_it_is_among_those_that_come_together() {
        for place in [1, TOGETHER - 1, TOGETHER, TOGETHER + 1, 2 * TOGETHER] {
            let mut flight = of_two_points();
            let mut come: Vec<Sighting> = (0..200).map(|id| seen(0, id, id.into())).collect();
            come[place].time = Timestamp(90_000_000_000);
            let intake = Intake::of(
                [sent(vec![lane(0)], come)]
                    .map(|sent| vec![sent])
                    .into_iter(),
            );
            let feeds = Feeds::begun(1, &intake, &mut flight);
            assert_eq!(flight.wrong_times.count, 1, "{place}");
            let times = feeds.by_way[UNKNOWN][0]
                .rest()
                .map(|left| left.time.0 / 1_000);
            let expected = (0..200).map(|time| if time == place as i64 { time - 1 } else { time });
            assert!(times.eq(expected), "{place}");
        }
    }
}
