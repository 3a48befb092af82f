//! Flows in step: as long as the packets of a flow come to every point in the same order,
//! each is the one that is expected next, and takes no searching.
//!
//! What one point saw waits in line, by flow, for the others to see it. Who comes in order
//! finds it in front; who comes with a few missing passes these over, and they fall out of
//! line; whatever else happens is for [`Flight`](super::flight::Flight) to find out.

use super::parcel::{Mask, Seen};
use super::recent::{Before, Recent, Ticket};
use super::sighting::Sighting;
use super::slab::{NONE, Slab};
use crate::model::{Duration, Timestamp};
use std::collections::VecDeque;

/// How many that are expected are passed over before somebody is taken to be out of step.
const PASSED_OVER: usize = 16;
/// So many that lined up last are looked through, for what goes by another name.
const LATEST: usize = 256;
/// How many may have lined up behind the first that still waits.
const MOST_DUE: usize = 1 << 17;

/// Lines of all flows.
#[derive(Debug, Default)]
pub(super) struct March {
    points: usize,
    everywhere: Mask,
    waiting: Slab<Waiting>,
    /// Of each that waits, by point.
    seen: Vec<Seen>,
    /// Of each flow of the path.
    lines: Vec<Line>,
    /// What each point is to see next, by flow and point.
    expected: Vec<u32>,
    /// All that wait, and some that no longer do, in order of time.
    due: VecDeque<(u64, u32)>,
    /// How many there were so far.
    count: u64,
    recent: Recent,
}

/// What waits of a flow.
#[derive(Clone, Copy, Debug)]
struct Line {
    first: u32,
    last: u32,
    /// How many of it are noted later.
    unnoted: u32,
}

/// What some points have seen, and others not yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// As it was seen first, and where.
    pub sighting: Sighting,
    pub point: usize,
    pub flow: u32,
    /// Whether it is noted for copies of it.
    noted: Noted,
    /// As in [`Parcel`](super::parcel::Parcel).
    pub tells_time: bool,
    /// When it was first seen, and when last, by the clock of the first point.
    pub first: Timestamp,
    pub last: Timestamp,
    /// Points that saw it.
    pub seen: Mask,
    /// As in [`Piece`](super::parcel::Piece).
    pub reordered: u32,
    /// Its number among all; [`GONE`] once it no longer waits.
    number: u64,
    next: u32,
    previous: u32,
}

/// Whether something that waits is known to those that come later.
#[derive(Clone, Copy, Debug)]
enum Noted {
    /// Its copies cannot be told from others of its kind.
    Never,
    /// There.
    At(Ticket),
    /// Under this key, once it passed or somebody asks: it was fresh, and most of these that
    /// wait are lost.
    Later(u64),
}

/// No number.
const GONE: u64 = u64::MAX;

/// What a sighting is to those that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// What its point is to see next, so many later in line.
    Expected { place: u32, passed_over: usize },
    /// Its point has seen all that wait.
    Ahead,
    /// Something else.
    Astray,
}

impl March {
    pub fn new(points: usize) -> Self {
        Self {
            points,
            everywhere: ((1_u32 << points) - 1) as Mask,
            ..Self::default()
        }
    }

    /// Looks for a sighting among those that its point is to see next.
    pub fn step(&self, point: usize, flow: u32, sighting: &Sighting) -> Step {
        let mut place = match self.expected.get(flow as usize * self.points + point) {
            None | Some(&NONE) => return Step::Ahead,
            Some(place) => *place,
        };
        for passed_over in 0..PASSED_OVER {
            let waiting = &self.waiting[place];
            if waiting.sighting.is_same_as(sighting) {
                return Step::Expected { place, passed_over };
            }
            if waiting.next == NONE {
                break;
            }
            place = waiting.next;
        }
        Step::Astray
    }

    /// Reads the line of a flow.
    pub fn read(&self, flow: u32, point: usize) -> u32 {
        if self.waiting.len() == 0 {
            return NONE;
        }
        let expected = self.expected.get(flow as usize * self.points + point);
        let line = self.lines.get(flow as usize);
        expected.copied().unwrap_or(NONE) ^ line.map_or(NONE, |line| line.last)
    }

    /// What is to be seen next by a point.
    pub fn expected(&self, point: usize, flow: u32) -> u32 {
        self.expected[flow as usize * self.points + point]
    }

    pub fn get(&self, place: u32) -> &Waiting {
        &self.waiting[place]
    }

    pub fn get_mut(&mut self, place: u32) -> &mut Waiting {
        &mut self.waiting[place]
    }

    /// How a point saw something that waits.
    pub fn seen(&self, place: u32, point: usize) -> &Seen {
        &self.seen[place as usize * self.points + point]
    }

    /// How each point saw it.
    pub fn all_seen(&self, place: u32) -> &[Seen] {
        let start = place as usize * self.points;
        &self.seen[start..start + self.points]
    }

    /// Puts something at the end of the line of its flow.
    pub fn line_up(
        &mut self,
        point: usize,
        sighting: &Sighting,
        flow: u32,
        key: u64,
        time: Timestamp,
    ) -> u32 {
        self.make_place(flow);
        let noted = match sighting.can_be_told() {
            false => Noted::Never,
            true if sighting.is_fresh => Noted::Later(key),
            true => Noted::At(self.recent.note(key, sighting, self.waiting.len())),
        };
        let line = &mut self.lines[flow as usize];
        let number = self.count;
        let previous = line.last;
        let place = self.waiting.insert(|| Waiting {
            sighting: *sighting,
            point,
            flow,
            noted,
            tells_time: sighting.can_be_told(),
            first: time,
            last: time,
            seen: 0,
            reordered: 0,
            number,
            next: NONE,
            previous,
        });
        match line.last {
            NONE => line.first = place,
            last => self.waiting[last].next = place,
        }
        line.last = place;
        line.unnoted += u32::from(matches!(noted, Noted::Later(_)));
        let start = flow as usize * self.points;
        for expected in &mut self.expected[start..start + self.points] {
            if *expected == NONE {
                *expected = place;
            }
        }
        let needed = (place as usize + 1) * self.points;
        if self.seen.len() < needed {
            self.seen.resize(needed, Seen::default());
        }
        self.due.push_back((self.count, place));
        self.count += 1;
        place
    }

    fn make_place(&mut self, flow: u32) {
        let flows = flow as usize + 1;
        if self.lines.len() < flows {
            let line = Line {
                first: NONE,
                last: NONE,
                unnoted: 0,
            };
            self.lines.resize(flows, line);
            self.expected.resize(flows * self.points, NONE);
        }
    }

    /// A point saw what it was to see next; says whether all have seen it now.
    pub fn see(&mut self, point: usize, place: u32, seen: Seen, time: Timestamp) -> bool {
        let waiting = &mut self.waiting[place];
        waiting.seen |= 1 << point;
        waiting.first = waiting.first.min(time);
        waiting.last = waiting.last.max(time);
        self.expected[waiting.flow as usize * self.points + point] = waiting.next;
        self.seen[place as usize * self.points + point] = seen;
        waiting.seen == self.everywhere
    }

    /// Every point saw something.
    pub fn arrive(&mut self, place: u32) {
        let waiting = &self.waiting[place];
        match waiting.noted {
            Noted::Never => {}
            Noted::At(ticket) => self.recent.passed(ticket, waiting.last),
            Noted::Later(key) => self
                .recent
                .note_passed(key, &waiting.sighting, waiting.last),
        }
        self.leave(place);
    }

    /// Every point saw something that was in no line.
    pub fn passed(&mut self, key: u64, sighting: &Sighting, time: Timestamp) {
        self.recent.note_passed(key, sighting, time);
    }

    /// Something falls out of line.
    pub fn fall_out(&mut self, place: u32) {
        if let Noted::At(ticket) = self.waiting[place].noted {
            self.recent.forget(ticket);
        }
        self.leave(place);
    }

    /// Takes something out of line; what it was can still be read until the next lines up.
    fn leave(&mut self, place: u32) {
        let Waiting {
            flow,
            next,
            previous,
            noted,
            ..
        } = self.waiting[place];
        self.waiting[place].number = GONE;
        let line = &mut self.lines[flow as usize];
        line.unnoted -= u32::from(matches!(noted, Noted::Later(_)));
        match previous {
            NONE => line.first = next,
            previous => self.waiting[previous].next = next,
        }
        match next {
            NONE => line.last = previous,
            next => self.waiting[next].previous = previous,
        }
        let start = flow as usize * self.points;
        for expected in &mut self.expected[start..start + self.points] {
            if *expected == place {
                *expected = next;
            }
        }
        self.waiting.remove(place);
    }

    /// Whether something that waits of a flow may be the same as a sighting.
    pub fn may_wait(&self, flow: u32, sighting: &Sighting) -> bool {
        let known = |place: &u32| *place != NONE;
        let next = |place: &u32| Some(self.waiting[*place].next).filter(known);
        let first = Some(self.first_of(flow)).filter(known);
        let mut line = std::iter::successors(first, next);
        let mut few = line.by_ref().take(PASSED_OVER);
        few.any(|place| self.waiting[place].sighting.is_same_as(sighting)) || line.next().is_some()
    }

    /// Flows of which something that waits has the bytes of a sighting, and that one point has not
    /// seen: of the latest that lined up, whatever their flows.
    pub fn with_bytes_of(&self, point: usize, sighting: &Sighting) -> impl Iterator<Item = u32> {
        let latest = self.due.iter().rev().take(LATEST);
        let waiting = latest.map(|(number, place)| (*number, &self.waiting[*place]));
        waiting.filter_map(move |(number, waiting)| {
            let is_it = waiting.number == number
                && waiting.seen & 1 << point == 0
                && waiting.sighting.is_same_as(sighting);
            is_it.then_some(waiting.flow)
        })
    }

    /// The first in the line of a flow.
    pub fn first_of(&self, flow: u32) -> u32 {
        // Often nothing waits at all, of whatever flow.
        let lines = if self.waiting.len() > 0 {
            self.lines.as_slice()
        } else {
            &[]
        };
        lines.get(flow as usize).map_or(NONE, |line| line.first)
    }

    /// Whether anything waits at all.
    pub fn is_anything_waiting(&self) -> bool {
        self.waiting.len() > 0
    }

    /// Whether anything of a flow waits.
    pub fn waits(&self, flow: u32) -> bool {
        self.first_of(flow) != NONE
    }

    /// Notes what waits of a flow and is to be noted later, for somebody who is about to ask.
    pub fn note_line(&mut self, flow: u32) {
        let Some(line) = self.lines.get_mut(flow as usize) else {
            return;
        };
        let (mut unnoted, mut place) = (std::mem::take(&mut line.unnoted), line.last);
        let waiting = self.waiting.len();
        while unnoted > 0 && place != NONE {
            let known = &mut self.waiting[place];
            if let Noted::Later(key) = known.noted {
                known.noted = Noted::At(self.recent.note(key, &known.sighting, waiting));
                unnoted -= 1;
            }
            place = known.previous;
        }
    }

    /// What has waited longest, if that was for longer than `age` or too much waits.
    pub fn overdue(&mut self, now: Timestamp, age: Duration) -> Option<u32> {
        let oldest = self.oldest()?;
        let is_over = now - self.waiting[oldest].first > age || self.due.len() > MOST_DUE;
        is_over.then_some(oldest)
    }

    /// What has waited longest.
    pub fn oldest(&mut self) -> Option<u32> {
        while let Some((number, place)) = self.due.front() {
            if self.waiting[*place].number == *number {
                return Some(*place);
            }
            self.due.pop_front();
        }
        None
    }

    /// What is known of a packet with a key.
    pub fn before(&mut self, key: u64, sighting: &Sighting) -> Before {
        self.recent.before(key, sighting, self.waiting.len())
    }
}

#[cfg(test)]
impl March {
    /// What waits of a flow.
    pub fn line(&self, flow: u32) -> impl Iterator<Item = &Waiting> {
        let known = |place: u32| (place != NONE).then_some(place);
        let first = known(self.first_of(flow));
        let places = std::iter::successors(first, move |place| known(self.waiting[*place].next));
        places.map(|place| &self.waiting[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    /// Puts packets with these identifications in line, as the first of two points saw them.
    fn line_of(march: &mut March, ids: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let packets = ids.into_iter().map(example);
        packets
            .map(|packet| {
                let place = march.line_up(0, &packet, 0, packet.identity().key(0), Timestamp(0));
                march.see(0, place, Seen::of(&packet, 0), Timestamp(0));
                place
            })
            .collect()
    }

    #[test]
    fn who_comes_in_order_is_expected() {
        let mut march = March::new(2);
        assert_eq!(march.step(0, 0, &example(1)), Step::Ahead);
        let places = line_of(&mut march, 1..4);
        for place in places {
            let packet = march.get(place).sighting;
            let passed_over = 0;
            let expected = Step::Expected { place, passed_over };
            assert_eq!(march.step(1, 0, &packet), expected);
            assert!(march.see(1, place, Seen::of(&packet, 0), Timestamp(9)));
            march.arrive(place);
            assert_eq!(
                march.before(packet.identity().key(0), &packet),
                Before::Passed(Timestamp(9))
            );
        }
        assert_eq!(march.step(1, 0, &example(4)), Step::Ahead);
        assert_eq!(march.oldest(), None);
        assert_eq!(march.waiting.len(), 0);
    }

    #[test]
    fn some_may_be_passed_over_and_not_more() {
        let mut march = March::new(2);
        let places = line_of(&mut march, 0..40);
        let expected = |passed_over: usize| Step::Expected {
            place: places[passed_over],
            passed_over,
        };
        assert_eq!(march.step(1, 0, &example(5)), expected(5));
        assert_eq!(march.step(1, 0, &example(16)), Step::Astray);
        assert_eq!(march.step(1, 0, &example(99)), Step::Astray);
        march.fall_out(places[0]);
        assert_eq!(march.expected(1, 0), places[1]);
        assert_eq!(march.first_of(0), places[1]);
        let mut before = |id| march.before(example(id).identity().key(0), &example(id));
        assert_eq!([before(0), before(1)], [Before::Unknown, Before::Waits]);
    }

    #[test]
    fn what_is_fresh_is_noted_once_it_passed_or_somebody_asks() {
        let mut march = March::new(2);
        let fresh = |id| Sighting {
            is_fresh: true,
            ..example(id)
        };
        let key = |id: u32| example(id).identity().key(0);
        let line_up = |march: &mut March, id: u32| {
            let place = march.line_up(0, &fresh(id), 0, key(id), Timestamp(0));
            march.see(0, place, Seen::of(&fresh(id), 0), Timestamp(0));
            place
        };
        let places: Vec<u32> = (1..=20).map(|id| line_up(&mut march, id)).collect();
        let before = |march: &mut March, id: u32| march.before(key(id), &example(id));
        assert_eq!(before(&mut march, 20), Before::Unknown);
        march.see(1, places[0], Seen::of(&fresh(1), 0), Timestamp(9));
        march.arrive(places[0]);
        assert_eq!(before(&mut march, 1), Before::Passed(Timestamp(9)));
        march.note_line(0);
        assert_eq!(before(&mut march, 2), Before::Waits);
        assert_eq!(before(&mut march, 20), Before::Waits);
        assert_eq!(march.lines[0].unnoted, 0);
        line_up(&mut march, 21);
        assert_eq!(before(&mut march, 21), Before::Unknown);
        march.note_line(0);
        assert_eq!(before(&mut march, 21), Before::Waits);
        march.fall_out(places[19]);
        assert_eq!(before(&mut march, 20), Before::Unknown);
        march.note_line(7);
    }

    #[test]
    fn other_bytes_are_another_packet() {
        let mut march = March::new(2);
        line_of(&mut march, [1]);
        let damaged = Sighting {
            head: 2,
            ..example(1)
        };
        assert_eq!(march.step(1, 0, &damaged), Step::Astray);
    }

    #[test]
    fn who_waits_too_long_is_due() {
        let mut march = March::new(2);
        let places = line_of(&mut march, 0..3);
        let age = Duration::from_millis(1);
        assert_eq!(march.overdue(Timestamp(1_000_000), age), None);
        assert_eq!(march.overdue(Timestamp(1_000_001), age), Some(places[0]));
        march.fall_out(places[0]);
        march.fall_out(places[1]);
        assert_eq!(march.oldest(), Some(places[2]));
    }
}
