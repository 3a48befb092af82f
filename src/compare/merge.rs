//! What came of all points is given to be matched: what is the same at all of them at once,
//! all else in one order of time.

use super::by_flow::ByFlow;
use super::feed::{Feed, Turn};
use super::feeds::{Feeds, InTurn, LONE, WAYS};
use super::flight::{AT_ONCE, Flight, apart};
use super::gaps::{MISSING, at_hand, is_left_out, take_across};
use super::group::Group;
use super::long_gaps::LongGaps;
use super::run::{MAX_POINTS, Read};
use super::sighting::{Form, Sighting};
use crate::model::Timestamp;
use std::ops::ControlFlow;

/// Where fewer than so many go abreast between what does not, the points have their flows in
/// different orders: one or two do so there, and 33 where one of 33 packets is lost.
const FEW: usize = 4;
/// Where so many go abreast at a time it is not worth while to gather what does.
const MANY: usize = 32;
/// So many of each point are looked at to see whether that is so.
const LOOKED_AT: usize = 1024;
/// What is overtaken by more at once is taken for missing there.
const OVERTAKEN: usize = 256;
/// So many go abreast at a time, as is taken for granted, once they do so again: what is left of
/// what was taken flow by flow is in front of them.
const GROWN: usize = 1 << 8;
/// For so many frames is not asked again after it was not so, and at most.
const LEAST_WAIT: u64 = 1 << 13;
const MOST_WAIT: u64 = 1 << 18;
/// So far is looked for where all begin with the same.
const FAR: usize = 1 << 13;
/// Of so many events the mean is.
const LATELY: usize = 64;

/// By point: a place in what has come of it.
type Places = [usize; MAX_POINTS];

/// How what goes one way is taken.
struct Way {
    by_flow: ByFlow,
    /// What is gathered of what goes abreast.
    group: Group,
    long_gaps: LongGaps,
    stride: Stride,
}

/// Gives everything to be matched, until `flow` breaks.
pub(super) fn merge(
    flight: &mut Flight,
    feeds: &mut Feeds<'_>,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut ways = [(); WAYS].map(|()| Way {
        by_flow: ByFlow::new(flight.points),
        group: Group::new(flight.points),
        long_gaps: LongGaps::default(),
        stride: Stride::new(),
    });
    let mut has_read = true;
    loop {
        if std::mem::take(&mut has_read) && flow(feeds.read()).is_break() {
            feeds.end_here(flight);
            return ControlFlow::Break(());
        }
        feeds.heed_lone(flight);
        let Some(InTurn { way, until, others }) = feeds.in_turn(flight) else {
            has_read = feeds.read_all(flight);
            match has_read {
                true => continue,
                false => return ControlFlow::Continue(()),
            }
        };
        flight.hold(others);
        if let Some(short) = feeds.short(way, flight) {
            feeds.read_on(short, flight);
            has_read = true;
            continue;
        }
        match way {
            LONE => feeds.run_lone(until, flight),
            _ => has_read = ways[way].take(flight, feeds, way, until),
        }
    }
}

impl Way {
    /// Gives what is in turn of a way, up to some time at most; says whether more was read.
    fn take(
        &mut self,
        flight: &mut Flight,
        all: &mut Feeds<'_>,
        way: usize,
        until: Timestamp,
    ) -> bool {
        loop {
            let has_read = self.take_some(flight, all, way, until);
            let feeds = all.of(way);
            if has_read || !are_ready(feeds) || !is_in_turn(feeds, until) {
                return has_read;
            }
        }
    }

    /// The same of some of it.
    fn take_some(
        &mut self,
        flight: &mut Flight,
        all: &mut Feeds<'_>,
        way: usize,
        until: Timestamp,
    ) -> bool {
        let feeds = all.of(way);
        if run_alone(flight, feeds, until) {
            return false;
        }
        if are_ready(feeds)
            && let Some(has_read) = self.take_together(flight, all, way, until)
        {
            return has_read;
        }
        run_in_turn(flight, all.of(way), until);
        false
    }

    /// Gives some of it that is taken at once, or before its turn, where all points have something
    /// next; says whether more was read, `None` if there is nothing of the kind.
    fn take_together(
        &mut self,
        flight: &mut Flight,
        all: &mut Feeds<'_>,
        way: usize,
        until: Timestamp,
    ) -> Option<bool> {
        let feeds = all.of(way);
        if !may_any_be_abreast(flight, feeds) {
            self.stride.note(0);
            return None;
        }
        let leaves_out = !self.stride.is_short();
        // Of more points, each may have left out something else.
        let are_gathered = leaves_out && feeds.len() == 2 && flight.waits_for_long();
        let gaps = are_gathered.then_some((&mut self.group, &mut self.long_gaps));
        let abreast = run_abreast(flight, feeds, until, leaves_out, gaps);
        if abreast == 0 && self.long_gaps.is_any_open() {
            return None;
        }
        self.stride.note(abreast);
        if !are_ready(feeds) {
            return (abreast > 0).then_some(false);
        }
        let (_, point) = earliest(feeds).filter(|(time, _)| *time <= until)?;
        if is_left_out(flight, &at_hand(feeds)[..feeds.len()], point) {
            return None;
        }
        if let Some(other) = out_of_turn(flight, feeds, point) {
            feeds[other].take_one(flight);
            return Some(false);
        }
        if !come_otherwise(flight, feeds, point) {
            return None;
        }
        if self.stride.is_short() && all.is_much(way) {
            let frames = all.frames().sum();
            return Some(
                match self.stride.grows(frames, || in_one_order(all.of(way))) {
                    None => self.by_flow.take(flight, all, way),
                    Some(places) => {
                        line_up(flight, all.of(way), &places);
                        false
                    }
                },
            );
        }
        take_at_hand(flight, all.of(way), point).then_some(false)
    }
}

/// Whether all points have something next.
pub(super) fn are_ready(feeds: &[Feed]) -> bool {
    feeds.iter().all(|feed| feed.next().is_some())
}

/// Whether something is next up to some time.
fn is_in_turn(feeds: &[Feed], until: Timestamp) -> bool {
    earliest(feeds).is_some_and(|(time, _)| time <= until)
}

/// How many packets went abreast before something did not, of late.
struct Stride {
    /// Their mean times [`LATELY`].
    sum: usize,
    /// All of them since they may be more.
    since: usize,
    /// For how many frames that are read it is not asked whether they may be more, and until when.
    wait: u64,
    asks_at: u64,
}

impl Stride {
    fn new() -> Self {
        Self {
            sum: FEW * 2 * LATELY,
            since: 0,
            wait: 0,
            asks_at: 0,
        }
    }

    fn note(&mut self, abreast: usize) {
        self.sum = self.sum - self.sum.div_ceil(LATELY) + abreast;
        if !self.is_short() {
            self.since += abreast;
        }
    }

    /// Where they may be more again, which is asked now and then: ever less where that was so
    /// before, and came to little.
    fn grows(
        &mut self,
        frames: u64,
        may_be_more: impl FnOnce() -> Option<Places>,
    ) -> Option<Places> {
        if frames < self.asks_at {
            return None;
        }
        let Some(places) = may_be_more() else {
            self.asks_at = frames + self.wait.max(LEAST_WAIT);
            return None;
        };
        let came_to_little = self.since < LOOKED_AT;
        let wait = if came_to_little {
            (2 * self.wait).clamp(LEAST_WAIT, MOST_WAIT)
        } else {
            0
        };
        *self = Self {
            sum: GROWN * LATELY,
            since: 0,
            wait,
            asks_at: frames + wait,
        };
        Some(places)
    }

    fn is_short(&self) -> bool {
        self.sum < FEW * LATELY
    }
}

/// Gives what all points take next, as long as that is the same and not beyond some time; says
/// how many that were. What one of them left out does not end that, if `leaves_out`; what is between
/// gaps is gathered, if there is something to do so.
fn run_abreast(
    flight: &mut Flight,
    feeds: &mut [Feed],
    until: Timestamp,
    leaves_out: bool,
    gaps: Option<(&mut Group, &mut LongGaps)>,
) -> usize {
    let (mut gaps, mut all) = (gaps, 0);
    while let Some((now, first)) = earliest(feeds).filter(|(now, _)| *now <= until) {
        flight.pass(now);
        let taken = flight.take_abreast(&at_hand(feeds)[..feeds.len()], until - now);
        for feed in feeds.iter_mut() {
            feed.advance(taken, flight);
        }
        all += taken;
        if taken < MANY
            && let Some((group, long_gaps)) = &mut gaps
        {
            let at_once = until.min(now + AT_ONCE);
            let across = take_across(group, flight, feeds, at_once);
            all += across.unwrap_or_default();
            if across.is_some() || are_ready(feeds) && long_gaps.take(flight, feeds, at_once) {
                continue;
            }
        }
        let mut points = from(first, feeds.len());
        if taken == 0 && leaves_out && points.any(|point| leave_out(flight, feeds, point, until)) {
            continue;
        }
        if taken == 0 {
            break;
        }
    }
    all
}

/// Whether a point has something next that all may take at once: fragments never are, nor is what
/// may be in fragments elsewhere.
fn may_any_be_abreast(flight: &Flight, feeds: &[Feed]) -> bool {
    let mut nexts = feeds.iter().enumerate();
    nexts.any(|(point, feed)| {
        let next = feed.next();
        next.is_some_and(|(next, _)| flight.may_come_abreast(point, next))
    })
}

/// Gives what is in turn, up to some time at most, with what is behind it up to the turn of
/// another point.
fn run_in_turn(flight: &mut Flight, feeds: &mut [Feed], until: Timestamp) {
    if let Some((_, point)) = earliest(feeds).filter(|(time, _)| *time <= until) {
        let until = turn_of_others(feeds, point).min((until, MAX_POINTS));
        feeds[point].run_until(until, flight);
    }
}

/// Gives what is in turn if no other point knows it, with what is behind it; says whether it is
/// so.
fn run_alone(flight: &mut Flight, feeds: &mut [Feed], until: Timestamp) -> bool {
    let Some((_, point)) = earliest(feeds).filter(|(time, _)| *time <= until) else {
        return false;
    };
    let is_alone = feeds[point].is_alone(flight);
    if is_alone {
        let until = turn_of_others(feeds, point).min((until, MAX_POINTS));
        feeds[point].run_alone(until, flight);
    }
    is_alone
}

/// All points, one before the others.
fn from(first: usize, points: usize) -> impl Iterator<Item = usize> {
    let others = (0..points).filter(move |other| *other != first);
    std::iter::once(first).chain(others)
}

/// Gives what a point takes next, up to some time, if the others left it out; says whether it did.
fn leave_out(flight: &mut Flight, feeds: &mut [Feed], point: usize, until: Timestamp) -> bool {
    let Some((next, time)) = feeds[point].next().filter(|(_, time)| *time <= until) else {
        return false;
    };
    let is_left_out = are_ready(feeds)
        && flight.may_leave_out(point, next)
        && is_left_out(flight, &at_hand(feeds)[..feeds.len()], point);
    if is_left_out {
        flight.leave_out(point, next, time);
        feeds[point].advance(1, flight);
    }
    is_left_out
}

/// A point whose next goes before that of the one in turn, at about the same time: others
/// have seen it already, or have left it out. Behind it, all may go on abreast.
fn out_of_turn(flight: &Flight, feeds: &[Feed], in_turn: usize) -> Option<usize> {
    let (_, now) = feeds[in_turn].next()?;
    let goes_first = |point: &usize| {
        let next = feeds[*point].next();
        next.is_some_and(|(next, time)| {
            apart(time, now) <= AT_ONCE
                && flight.may_be_abreast(next)
                && may_go_first(flight, feeds, *point)
        })
    };
    let mut others = (0..feeds.len()).filter(|point| *point != in_turn);
    others.find(goes_first)
}

/// Whether what a point takes next, or what it takes soon, was seen by others or left out;
/// what comes in front of that they have left out. Within a flow, everything is taken in the
/// order of time: what was overtaken is told by that.
fn may_go_first(flight: &Flight, feeds: &[Feed], point: usize) -> bool {
    let Some((next, soon)) = feeds[point].at_hand().split_first() else {
        return false;
    };
    let is_wanted = |sighting: &Sighting| flight.is_expected(point, sighting);
    let is_wanted = is_wanted(next)
        || soon.iter().take(MISSING).any(is_wanted)
        || is_left_out(flight, &at_hand(feeds)[..feeds.len()], point);
    let mut others = (0..feeds.len()).filter(|other| *other != point);
    is_wanted && others.all(|other| lacks_flow(flight, feeds, other, point))
}

/// Whether a point surely has nothing of the flow of what another takes next before that does.
fn lacks_flow(flight: &Flight, feeds: &[Feed], point: usize, other: usize) -> bool {
    let Some((next, then)) = feeds[other].next() else {
        return false;
    };
    let Some(lane) = flight.lane_beside(other, next, point) else {
        return false;
    };
    let mut before = feeds[point].before(then);
    before.all(|theirs| theirs.lane != lane) && feeds[point].reaches(then)
}

/// Gives what a point takes next if all others have the same at hand, as the first of its
/// flow; says whether they have.
fn take_at_hand(flight: &mut Flight, feeds: &mut [Feed], point: usize) -> bool {
    let next = feeds[point].next();
    let Some(flow) = next.and_then(|(next, _)| flight.flow_abreast(point, next)) else {
        return false;
    };
    let mut places = [0; MAX_POINTS];
    for (other, (feed, place)) in feeds.iter_mut().zip(&mut places).enumerate() {
        *place = if other == point {
            feed.place()
        } else {
            match feed.soon(flight.paths.lane_at(flow, other)) {
                Some(place) => place,
                None => return false,
            }
        };
    }
    let mut same: [&[Sighting]; MAX_POINTS] = [&[]; MAX_POINTS];
    for ((same, feed), place) in same.iter_mut().zip(feeds.iter()).zip(places) {
        *same = std::slice::from_ref(feed.at(place));
    }
    let is_taken = flight.take_abreast(&same[..feeds.len()], AT_ONCE) > 0;
    if is_taken {
        for (feed, place) in feeds.iter_mut().zip(places) {
            feed.mark_taken(place);
            feed.advance(0, flight);
        }
    }
    is_taken
}

/// Whether what a point takes next may be taken at once and comes to others, but not in this
/// order.
fn come_otherwise(flight: &Flight, feeds: &[Feed], point: usize) -> bool {
    let Some((first, _)) = feeds[point].next() else {
        return false;
    };
    let is_it = |feed: &Feed| feed.next().is_some_and(|(next, _)| next.is_same_as(first));
    flight.may_come_abreast(point, first) && !feeds.iter().all(is_it)
}

/// From which places on what is at hand comes to all points in one order, but for what some left out,
/// if it does: where little went abreast of late, that was due to something else. What was taken flow
/// by flow tells nothing of it, nor what is left in between.
fn in_one_order(feeds: &[Feed]) -> Option<Places> {
    let left: Vec<(usize, &[Sighting])> = feeds.iter().map(Feed::untouched).collect();
    let begins = common_begin(&left)?;
    let (mut places, mut next) = ([0; MAX_POINTS], Vec::new());
    for ((place, (from, left)), begin) in places.iter_mut().zip(&left).zip(begins) {
        let begun = &left[begin..];
        *place = from + begin;
        next.push(begun.get(..LOOKED_AT).unwrap_or(begun));
    }
    let (mut same, mut overtaken) = (0, 0);
    while next.iter().all(|next| !next.is_empty()) {
        if next.iter().all(|theirs| theirs[0].is_same_as(&next[0][0])) {
            same += 1;
            next.iter_mut().for_each(|next| *next = &next[1..]);
        } else {
            let missing = (0..next.len()).find(|point| !comes_later(&next, *point));
            overtaken += usize::from(missing.is_none());
            let point = missing.unwrap_or(0);
            next[point] = &next[point][1..];
        }
    }
    (same > 2 * FEW * overtaken).then_some(places)
}

/// Where all points have the same packet first: of those near the front of any of them that with the
/// least in front of it. What is late has much there.
fn common_begin(left: &[(usize, &[Sighting])]) -> Option<Places> {
    let firsts = left.iter().flat_map(|(_, left)| left.iter().take(MISSING));
    let begins = firsts.filter_map(|first| {
        let mut begins = [0; MAX_POINTS];
        for (begin, (_, left)) in begins.iter_mut().zip(left) {
            let mut left = left.iter().take(FAR);
            *begin = left.position(|next| next.is_same_as(first))?;
        }
        Some(begins)
    });
    begins.min_by_key(|begins| begins.iter().sum::<usize>())
}

/// Gives what is in front of some places, so that all go on from there; fragments take their turn.
fn line_up(flight: &mut Flight, feeds: &mut [Feed], places: &Places) {
    let is_in_front = |(feed, place): &(&mut Feed, &usize)| feed.place() < **place;
    while let Some((feed, _)) = feeds
        .iter_mut()
        .zip(places)
        .filter(is_in_front)
        .min_by_key(|(feed, _)| feed.head())
        && feed
            .next()
            .is_some_and(|(next, _)| next.form != Form::Piece)
    {
        feed.take_one_early(flight);
    }
}

/// Whether another point has later what a point has next.
fn comes_later(next: &[&[Sighting]], point: usize) -> bool {
    let first = &next[point][0];
    let mut others = next.iter().enumerate().filter(|(other, _)| *other != point);
    others.any(|(_, theirs)| {
        let mut later = theirs.iter().take(OVERTAKEN);
        later.any(|later| later.is_same_as(first))
    })
}

/// When the first of what is next comes, and of which point it is: all before was taken.
pub(super) fn earliest(feeds: &[Feed]) -> Option<Turn> {
    turns(feeds).min()
}

/// When what each point has next is in turn.
fn turns(feeds: &[Feed]) -> impl Iterator<Item = Turn> {
    let nexts = feeds.iter().enumerate();
    nexts.filter_map(|(point, feed)| Some((feed.next()?.1, point)))
}

/// When the next sighting of other points is in turn, or may be.
fn turn_of_others(feeds: &[Feed], point: usize) -> Turn {
    let others = feeds.iter().enumerate();
    let turns = others.filter_map(|(other, feed)| Some((feed.turn()?, other)));
    let turns = turns.filter(|(_, other)| *other != point);
    turns.min().unwrap_or((Timestamp::MAX, MAX_POINTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::feed::of_memory::{lane, seen, sent};
    use crate::compare::feeds::UNKNOWN;
    use crate::compare::flight::of_two_points;
    use crate::compare::intake::Intake;
    use crate::compare::reader::Sent;
    use crate::compare::sighting::{Batch, example};
    use crate::model::Duration;
    use crate::source::Progress;
    use std::cell::Cell;

    /// Gives the feeds of two points so many batches, each of such sightings; says how often
    /// was asked whether to go on before the answer was no, and what is known of the flight.
    fn asked(batches: u64, of: &[Sighting], most: u64) -> (u64, Flight) {
        let mut flight = of_two_points();
        let batch = |number: u64| {
            let mut sightings = of.to_vec();
            for (place, sighting) in (0..).zip(&mut sightings) {
                let at = number as u32 * of.len() as u32 + place;
                (sighting.id, sighting.time) = (at, Timestamp(at.into()));
            }
            let until = sightings.last().map_or(Timestamp(0), |last| last.time);
            let is_first = number == 0 && !of.is_empty();
            Sent {
                batch: Batch {
                    lanes: is_first.then(|| lane(0)).into_iter().collect(),
                    sightings,
                    until,
                    ..Batch::default()
                },
                read: Progress::default(),
                frames: number + 1,
                from: Some(Timestamp(0)),
            }
        };
        let intake = Intake::of((0..2).map(|_| (0..batches).map(batch).collect()));
        let mut feeds = Feeds::new(2, &intake);
        let asked = Cell::new(0);
        let flow = |_: Read| {
            asked.set(asked.get() + 1);
            match asked.get() {
                times if times < most => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        let end = merge(&mut flight, &mut feeds, &flow);
        assert_eq!(end.is_break(), asked.get() == most);
        (asked.get(), flight)
    }

    /// Who goes first where both points saw packets of two flows, the first one more packet of
    /// the first flow, and then these are what comes of each.
    fn first_of(next: [&[Sighting]; 2]) -> Option<usize> {
        let mut flight = of_two_points();
        let both = [seen(0, 1, 10), seen(1, 1, 11)];
        let firsts = [[&both[..], &[seen(0, 2, 100)]].concat(), both.to_vec()];
        let batch = |(first, next): (Vec<Sighting>, &[Sighting])| {
            vec![sent(vec![lane(0), lane(1)], [&first[..], next].concat())]
        };
        let intake = Intake::of(firsts.into_iter().zip(next).map(batch));
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        let feeds = feeds.of(UNKNOWN);
        for feed in feeds.iter_mut() {
            feed.take_one(&mut flight);
            feed.take_one(&mut flight);
        }
        feeds[0].take_one(&mut flight);
        assert!(flight.may_be_abreast(&both[0]));
        let (_, in_turn) = earliest(feeds)?;
        Some(out_of_turn(&flight, feeds, in_turn).unwrap_or(in_turn))
    }

    #[test]
    fn what_others_have_seen_goes_first_if_nothing_of_its_flow_comes_before() {
        let late = [seen(0, 2, 300), seen(1, 2, 301)];
        let goes_on = [seen(1, 2, 200), seen(1, 3, 400)];
        assert_eq!(first_of([&goes_on, &late]), Some(1));
        // The next of the flow comes to the first point before.
        let follows = [seen(1, 2, 200), seen(0, 3, 250), seen(1, 3, 400)];
        assert_eq!(first_of([&follows, &late]), Some(0));
        // It may come: what is at hand does not reach so far.
        assert_eq!(first_of([&goes_on[..1], &late]), Some(0));
        // Nobody knows it yet, and it is not behind what the first point left out.
        let unseen = [seen(0, 9, 300), seen(0, 10, 301)];
        assert_eq!(first_of([&goes_on, &unseen]), Some(0));
        // It is later by more than jitter.
        let late = late.map(|late| Sighting {
            time: late.time + Duration::from_millis(11),
            ..late
        });
        let goes_on = [seen(1, 2, 200), seen(1, 3, 20_000)];
        assert_eq!(first_of([&goes_on, &late]), Some(0));
    }

    /// One of the fragments of a datagram, which never go abreast.
    fn piece() -> Sighting {
        Sighting {
            form: Form::Piece,
            more: true,
            ..example(0)
        }
    }

    #[test]
    fn whether_to_go_on_is_asked_whatever_comes() {
        for of in [vec![], vec![example(0); 40], vec![piece(); 40]] {
            let (times, _) = asked(5, &of, 100);
            assert!((6..=13).contains(&times), "{times} of {} each", of.len());
            assert_eq!(asked(5, &of, 3).0, 3, "{} each", of.len());
        }
    }

    /// What became of a flow that both points have, and of one that each has for itself, where each
    /// was captured for so long: packets that came to each, and how many of them to both.
    fn matched_beside_lone(captured: [u32; 2]) -> [(u64, u64); 2] {
        let mut flight = of_two_points();
        let of_point = |(point, most): (u32, u32)| {
            let packets = |id: u32| {
                let of = |lane: u32, behind: u32| seen(lane, id, (20 * id + behind).into());
                let own = Sighting {
                    head: u64::from(1_000 * (1 + point) + id),
                    ..of(1, point + 5)
                };
                [of(0, point), own]
            };
            let batch = |ids: std::ops::Range<u32>| {
                let lanes = if ids.start == 1 {
                    vec![lane(0), lane(1 + point as u8)]
                } else {
                    Vec::new()
                };
                sent(lanes, ids.flat_map(packets).collect())
            };
            let begins = (1..=most).step_by(50);
            begins
                .map(|begin| batch(begin..(begin + 50).min(most + 1)))
                .collect()
        };
        let intake = Intake::of((0..).zip(captured).map(of_point));
        let mut feeds = Feeds::new(2, &intake);
        assert!(merge(&mut flight, &mut feeds, &|_| ControlFlow::Continue(())).is_continue());
        flight.finish();
        let book = flight.take_book();
        [0, 1].map(|point| {
            let tally = &book.tallies[point];
            (tally.datagrams, tally.matched)
        })
    }

    #[test]
    fn what_each_point_has_for_itself_keeps_nothing_else_back() {
        assert_eq!(
            matched_beside_lone([500, 500]),
            [(1_000, 500), (1_000, 500)]
        );
        assert_eq!(matched_beside_lone([500, 120]), [(1_000, 120), (240, 120)]);
        assert_eq!(matched_beside_lone([120, 500]), [(240, 120), (1_000, 120)]);
        assert_eq!(matched_beside_lone([500, 0]), [(1_000, 0), (0, 0)]);
    }

    #[test]
    fn a_capture_ends_where_it_was_left() {
        let (_, flight) = asked(5, &vec![piece(); 40], 3);
        // Both have two batches, of which one is taken.
        let ends = flight.spans.iter().map(|span| span.unwrap().1);
        let ends: Vec<Timestamp> = ends.collect();
        assert!(ends.contains(&Timestamp(39)), "{ends:?}");
        assert!(ends.iter().all(|end| *end <= Timestamp(40)), "{ends:?}");
    }

    #[test]
    fn where_hardly_anything_goes_abreast_strides_are_short() {
        let mut stride = Stride::new();
        assert!(!stride.is_short(), "nothing is known yet");
        let mut notes = 0;
        while !stride.is_short() {
            stride.note(1);
            notes += 1;
        }
        assert!((LATELY / 2..2 * LATELY).contains(&notes), "{notes}");
        // One in 33 is lost, and what is behind it goes on.
        for abreast in [33, 0].repeat(20) {
            stride.note(abreast);
        }
        assert!(!stride.is_short());
    }

    /// Whether more goes abreast again after so many frames, as it may or may not.
    fn grows(stride: &mut Stride, frames: u64, may_be: bool) -> bool {
        let places = [0; MAX_POINTS];
        stride.grows(frames, || may_be.then_some(places)).is_some()
    }

    #[test]
    fn it_is_asked_ever_less_whether_more_goes_abreast() {
        let (mut stride, mut frames) = (Stride::new(), 0);
        let mut waits = |stride: &mut Stride| {
            let before = frames;
            while !grows(stride, frames, true) {
                frames += LEAST_WAIT;
            }
            while !stride.is_short() {
                stride.note(0);
            }
            // What goes abreast flow by flow does not count.
            (0..LOOKED_AT).for_each(|_| stride.note(1));
            (frames - before) / LEAST_WAIT
        };
        assert_eq!([(); 4].map(|()| waits(&mut stride)), [0, 1, 2, 4]);
        let most = (0..9).map(|_| waits(&mut stride)).last();
        assert_eq!(most, Some(MOST_WAIT / LEAST_WAIT));
        // Much went abreast meanwhile.
        let mut later = 1 << 40;
        assert!(grows(&mut stride, later, true));
        stride.note(LOOKED_AT);
        later += MOST_WAIT;
        assert!(grows(&mut stride, later, true) && !grows(&mut stride, later, false));
        assert!(!grows(&mut stride, later + LEAST_WAIT - 1, true));
        assert!(grows(&mut stride, later + LEAST_WAIT, true));
    }

    /// Whether packets of one flow with these identifications come in one order.
    fn are_in_one_order(next: [&[u32]; 2]) -> bool {
        let mut flight = of_two_points();
        let batch = |ids: &[u32]| {
            let all = ids.iter().map(|id| seen(0, *id, (*id).into()));
            vec![sent(vec![lane(0)], all.collect())]
        };
        let intake = Intake::of(next.into_iter().map(batch));
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        in_one_order(feeds.of(UNKNOWN)).is_some()
    }

    #[test]
    fn what_some_left_out_comes_in_one_order_nevertheless() {
        let all: Vec<u32> = (0..1_000).collect();
        let but = |is_missing: fn(&u32) -> bool| -> Vec<u32> {
            all.iter().copied().filter(|id| !is_missing(id)).collect()
        };
        assert!(are_in_one_order([&all, &all]));
        let (third, half) = (but(|id| id % 33 == 0), but(|id| id % 2 == 0));
        assert!(are_in_one_order([&all, &third]) && are_in_one_order([&third, &all]));
        assert!(are_in_one_order([&all, &half]) && are_in_one_order([&half, &all]));
        assert!(are_in_one_order([&all[..800], &all[600..]]));
        assert!(!are_in_one_order([&all[..500], &all[500..]]), "of nothing");
        let mut swapped = all.clone();
        swapped.chunks_mut(2).for_each(<[u32]>::reverse);
        assert!(!are_in_one_order([&all, &swapped]));
    }

    /// How many go abreast where the point that is later has one more in front.
    fn abreast_behind_one(until: i64, leaves_out: bool) -> usize {
        let mut flight = of_two_points();
        let first = [seen(0, 1, 10)];
        let next = |ids: std::ops::Range<u32>, later: i64| {
            let next = ids.map(move |id| seen(0, id, 100 + 10 * i64::from(id) + later));
            vec![sent(vec![lane(0)], first.into_iter().chain(next).collect())]
        };
        let intake = Intake::of([next(3..9, 0), next(2..9, 50)].into_iter());
        let mut feeds = Feeds::begun(2, &intake, &mut flight);
        let feeds = feeds.of(UNKNOWN);
        feeds.iter_mut().for_each(|feed| feed.take_one(&mut flight));
        let mut group = Group::new(2);
        let mut long_gaps = LongGaps::default();
        let gaps = leaves_out.then_some((&mut group, &mut long_gaps));
        run_abreast(
            &mut flight,
            feeds,
            Timestamp(until * 1_000),
            leaves_out,
            gaps,
        )
    }

    #[test]
    fn what_is_left_out_need_not_be_the_earliest() {
        assert_eq!(abreast_behind_one(1_000, true), 6);
        assert_eq!(abreast_behind_one(1_000, false), 0);
        assert_eq!(abreast_behind_one(169, true), 0, "it is not in turn yet");
    }
}
