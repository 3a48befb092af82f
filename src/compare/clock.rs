//! How far the clock of a point is ahead of that of the first, and how much faster it
//! runs: from packets that both saw.
//!
//! A packet never takes less than no time. So the smallest differences between two
//! clocks, over the time of the captures, lie on a line: its height is the offset, its
//! slope the drift (V. Paxson, "On Calibrating Measurements of Packet Transit Times",
//! 1998). With packets in both directions the line is halfway between the two.

use crate::model::{Duration, Timestamp};

/// Steps of time of which the extremes are kept; with more they get twice as wide.
const STEPS: usize = 64;
/// The narrowest of them: the sooner it is known how fast a clock runs, the fewer packets are
/// timed by one that is taken to run like the first.
const NARROWEST: i64 = 5_000_000;
/// Steps it takes to know how fast a clock runs.
const TO_DRIFT: usize = 8;
/// The time it takes to tell of it.
const DRIFT_AFTER: i64 = 1_000_000_000;
/// No clock runs faster or slower than another by more: bad crystals are off by 0.0001, and
/// time daemons slew by 0.0005.
const STEEPEST: f64 = 0.001;

/// The clock of one point.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// What is taken off before anything else, in nanoseconds.
    rough: i64,
    /// Where the steps begin, by the clock of the first point.
    origin: Option<i64>,
    width: i64,
    steps: Vec<Step>,
    /// The latest that was asked for, and where it begins.
    latest: (usize, i64),
    line: Line,
    /// Whether all it knows is from times of the first point itself.
    is_direct: bool,
    /// Packets it rests on, towards the last point and back.
    pub matched: [u64; 2],
}

/// The extremes of one step: what came forward came late, what came back came early.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    forward: Option<(i64, i64)>,
    backward: Option<(i64, i64)>,
}

/// Of several things that were at two points at about the same time those that took least:
/// towards the last point, and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fastest([Least; 2]);

/// What took least one way.
#[derive(Clone, Copy, Debug)]
struct Least {
    took: i64,
    there: Timestamp,
    here: Timestamp,
    count: u64,
}

impl Default for Fastest {
    fn default() -> Self {
        Self(
            [Least {
                took: i64::MAX,
                there: Timestamp(0),
                here: Timestamp(0),
                count: 0,
            }; 2],
        )
    }
}

impl Fastest {
    /// One more, with when it was there, and here.
    #[inline(always)]
    pub fn note(&mut self, there: Timestamp, here: Timestamp, is_backward: bool) {
        let least = &mut self.0[usize::from(is_backward)];
        let ahead = here.0.saturating_sub(there.0);
        // The more it is ahead, the less what goes back took.
        let took = if is_backward { !ahead } else { ahead };
        if took < least.took || least.count == 0 {
            (least.took, least.there, least.here) = (took, there, here);
        }
        least.count += 1;
    }
}

/// Offset over time, beyond what is roughly known.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    height: f64,
    slope: f64,
    slope_error: f64,
    /// Whether there was time enough to tell of a slope.
    has_slope: bool,
    /// What the fastest packets need to go there and back, if some go either way.
    round_trip: f64,
}

impl Clock {
    /// A clock that is about so far ahead.
    pub fn new(rough: Duration) -> Self {
        Self {
            rough: rough.0,
            origin: None,
            width: NARROWEST,
            steps: Vec::new(),
            latest: (0, 0),
            line: Line::default(),
            is_direct: false,
            matched: [0; 2],
        }
    }

    /// What it is about ahead.
    pub fn rough(&self) -> Duration {
        Duration(self.rough)
    }

    /// A time of this clock by the clock of the first point.
    pub fn to_reference(&self, time: Timestamp) -> Timestamp {
        let roughly = time.0.saturating_sub(self.rough);
        Timestamp(roughly.saturating_sub(self.ahead(roughly)))
    }

    /// How far it is ahead at a time, beyond what is roughly known.
    fn ahead(&self, roughly: i64) -> i64 {
        let Some(origin) = self.origin else {
            return 0;
        };
        let since = roughly.saturating_sub(origin);
        (self.line.height + self.line.slope * since as f64) as i64
    }

    /// From now on it learns from times of the first point itself. What it learnt of others'
    /// is forgotten: those were by clocks that were not well known yet, and the extremes of
    /// what that made of them would stay.
    pub fn go_by_the_first(&mut self) {
        if !self.is_direct {
            *self = Self {
                is_direct: true,
                ..Self::new(Duration(self.rough))
            };
        }
    }

    /// Whether it does.
    pub fn goes_by_the_first(&self) -> bool {
        self.is_direct
    }

    /// Learns that something was there at one time by the clock of the first point, and
    /// here at another by this; it went towards the last point, or back.
    pub fn learn(&mut self, there: Timestamp, here: Timestamp, is_backward: bool) {
        let ahead = here.0.saturating_sub(self.rough).saturating_sub(there.0);
        let at = there.0;
        let origin = *self.origin.get_or_insert(at);
        self.matched[usize::from(is_backward)] += 1;
        let since = at.saturating_sub(origin).max(0);
        let place = self.step_of(since);
        let is_new = place >= self.steps.len();
        if is_new {
            self.steps.resize(place + 1, Step::default());
        }
        let improves = self.steps[place].learn(since, ahead, is_backward);
        let seen = self.matched[0] + self.matched[1];
        if is_new || (improves && (seen < 64 || self.steps.len() < TO_DRIFT)) {
            self.fit();
        }
    }

    /// Learns the same of several things that were there at about the same time: only the
    /// one that tells most is looked at.
    pub fn learn_fastest(&mut self, fastest: &Fastest) {
        for (way, known) in fastest.0.iter().enumerate() {
            if known.count > 0 {
                self.matched[way] += known.count - 1;
                self.learn(known.there, known.here, way > 0);
            }
        }
    }

    /// The step that a time is in. Most are in the same as the one before.
    fn step_of(&mut self, since: i64) -> usize {
        let (latest, from) = self.latest;
        if (0..self.width).contains(&since.wrapping_sub(from)) && latest < self.steps.len() {
            return latest;
        }
        while since / self.width >= STEPS as i64 {
            self.widen();
        }
        let place = since / self.width;
        self.latest = (place as usize, place * self.width);
        place as usize
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let pairs = self.steps.chunks(2);
        self.steps = pairs
            .map(|pair| {
                pair.iter()
                    .fold(Step::default(), |sum, step| sum.with(step))
            })
            .collect();
    }

    /// Lays the line along what is known.
    pub fn fit(&mut self) {
        let forward: Vec<(i64, i64)> = self.steps.iter().filter_map(|s| s.forward).collect();
        let backward: Vec<(i64, i64)> = self.steps.iter().filter_map(|s| s.backward).collect();
        let slope = [&forward, &backward]
            .into_iter()
            .filter_map(|points| Slope::along(points))
            .filter(|slope| slope.span >= DRIFT_AFTER || slope.is_shown())
            .min_by(|one, other| one.error.total_cmp(&other.error));
        let tilt = slope.map_or(0.0, |slope| slope.tilt);
        let off = |point: &(i64, i64)| point.1 as f64 - tilt * point.0 as f64;
        let lowest = forward.iter().map(off).reduce(f64::min);
        let highest = backward.iter().map(off).reduce(f64::max);
        let height = match (lowest, highest) {
            (Some(lowest), Some(highest)) => f64::midpoint(lowest, highest),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => 0.0,
        };
        let round_trip = lowest.zip(highest).map_or(0.0, |(low, high)| low - high);
        self.line = Line {
            height,
            slope: tilt,
            round_trip,
            slope_error: slope.map_or(0.0, |slope| slope.error),
            has_slope: slope.is_some_and(|slope| slope.span >= DRIFT_AFTER),
        };
    }

    /// How far it is ahead where the comparison begins.
    pub fn offset(&self) -> Duration {
        Duration(self.rough.saturating_add(self.line.height as i64))
    }

    /// What the fastest packets need from the first point to this and back; nothing where all go
    /// one way.
    pub fn round_trip(&self) -> Duration {
        Duration(self.line.round_trip.max(0.0) as i64)
    }

    /// How much faster it runs, and how sure that is, in millionths.
    pub fn drift_ppm(&self) -> Option<(f64, f64)> {
        let line = &self.line;
        line.has_slope
            .then_some((line.slope * 1e6, line.slope_error * 1e6))
    }
}

impl Step {
    /// Whether it says more now.
    fn learn(&mut self, since: i64, ahead: i64, is_backward: bool) -> bool {
        let known = if is_backward {
            &mut self.backward
        } else {
            &mut self.forward
        };
        let is_nearer = match known {
            None => true,
            Some((_, extreme)) if is_backward => ahead > *extreme,
            Some((_, extreme)) => ahead < *extreme,
        };
        if is_nearer {
            *known = Some((since, ahead));
        }
        is_nearer
    }

    fn with(mut self, other: &Self) -> Self {
        if let Some((since, ahead)) = other.forward {
            self.learn(since, ahead, false);
        }
        if let Some((since, ahead)) = other.backward {
            self.learn(since, ahead, true);
        }
        self
    }
}

/// How points lie along a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub tilt: f64,
    error: f64,
    /// From the first point to the last.
    span: i64,
}

impl Slope {
    /// That of points in order of time: the median of the slopes between all pairs of them
    /// (Theil and Sen).
    pub fn along(points: &[(i64, i64)]) -> Option<Self> {
        let slope = Self::through(points);
        slope.filter(|slope| slope.tilt.abs() <= STEEPEST)
    }

    /// Whether it is more than chance makes of points.
    pub fn is_shown(&self) -> bool {
        self.tilt.abs() > self.error
    }

    fn through(points: &[(i64, i64)]) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        let span = last.0.saturating_sub(first.0);
        if points.len() < TO_DRIFT || span <= 0 {
            return None;
        }
        let tilts = tilts(points, span);
        let tilt = share_of(&tilts, 50);
        let halves = (share_of(&tilts, 75) - share_of(&tilts, 25)) / 2.0;
        Some(Self {
            tilt,
            error: halves.max(swing(points, tilt, span)),
            span,
        })
    }
}

/// The slopes between points that are not near each other: those say little.
fn tilts(points: &[(i64, i64)], span: i64) -> Vec<f64> {
    let pairs = points.iter().enumerate();
    let mut tilts: Vec<f64> = pairs
        .flat_map(|(place, one)| {
            points[place + 1..]
                .iter()
                .map(move |other| (other.0.saturating_sub(one.0), other.1.saturating_sub(one.1)))
                .filter(move |(went, _)| went.saturating_mul(4) >= span)
                .map(move |(went, climbed)| climbed as f64 / went.max(1) as f64)
        })
        .collect();
    tilts.sort_unstable_by(f64::total_cmp);
    tilts
}

/// How far a line can be tilted from one and still lie in twice the band that most points are
/// in. The slopes between all pairs are many and agree soon; but the fastest of a step is only as
/// fast as chance had it, and a queue that fills or empties is like a clock that drifts.
fn swing(points: &[(i64, i64)], tilt: f64, span: i64) -> f64 {
    let off = points
        .iter()
        .map(|(at, ahead)| *ahead as f64 - tilt * *at as f64);
    let mut off: Vec<f64> = off.collect();
    off.sort_unstable_by(f64::total_cmp);
    2.0 * (share_of(&off, 90) - share_of(&off, 10)) / span as f64
}

/// The value up to which so many of 100 are, of some that are sorted.
fn share_of(sorted: &[f64], share: usize) -> f64 {
    let last = sorted.len().saturating_sub(1);
    // Of few the first and the last.
    let place = match share {
        share if share > 50 => (last * share).div_ceil(100),
        share => last * share / 100,
    };
    sorted.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays that are mostly longer than the shortest, by some rule.
    fn jitter(number: i64) -> i64 {
        (number * 7919 % 101) * 3_000
    }

    fn clock_of(packets: impl Iterator<Item = (i64, i64, bool)>) -> Clock {
        let mut clock = Clock::new(Duration::from_secs(10_800));
        for (there, here, is_backward) in packets {
            clock.learn(Timestamp(there), Timestamp(here), is_backward);
        }
        clock.fit();
        clock
    }

    #[test]
    fn an_offset_and_a_drift_are_found_under_jitter() {
        let begin = 1_700_000_000_000_000_000;
        let clock = clock_of((0..20_000).map(|number| {
            let sent = begin + number * 1_000_000;
            let drift = (sent - begin) / 20_000; // 50 ppm
            let here = sent + 10_800_000_000_000 + 250_000 + drift + jitter(number);
            (sent, here, false)
        }));
        let (drift, error) = clock.drift_ppm().unwrap();
        assert!((drift - 50.0).abs() < 0.5, "{drift} +- {error}");
        let offset = clock.offset().0 - 10_800_000_000_000;
        assert!((offset - 250_000).abs() < 30_000, "{offset}");
        let there = begin + 10_000_000_000;
        let here = there + 10_800_000_000_000 + 250_000 + 500_000;
        let back = clock.to_reference(Timestamp(here)).0 - there;
        assert!(back.abs() < 30_000, "{back}");
    }

    /// Of a clock that runs as the first does nothing else is told, whatever chance does.
    #[test]
    fn what_chance_makes_of_the_fastest_is_no_drift() {
        for seed in 1..40_i64 {
            let mut chance = seed;
            let clock = clock_of((0..300).map(|number| {
                chance = (chance * 16_807) % 0x7fff_ffff;
                let slow = if chance % 5 == 0 { 1 } else { 40 };
                let took = 30_000 + (chance / 7) % (slow * 2_000);
                let sent = number * 10_000_000;
                (sent, sent + 10_800_000_000_000 + took, false)
            }));
            let (drift, error) = clock.drift_ppm().unwrap();
            assert!(drift.abs() <= error, "{seed}: {drift} +- {error}");
        }
    }

    /// Before it can be told, it is known: what came in the first second is not timed by a clock
    /// that is taken not to drift.
    #[test]
    fn a_drift_is_known_within_a_few_steps() {
        let clock = clock_of((0..1_000).map(|number| {
            let sent = number * 100_000;
            (sent, sent + 10_800_000_000_000 + sent / 5_000, false) // 200 ppm
        }));
        assert_eq!(clock.drift_ppm(), None);
        let (there, here) = (100_000_000, 10_800_100_020_000);
        let back = clock.to_reference(Timestamp(here)).0 - there;
        assert!(back.abs() < 500, "{back}");
    }

    #[test]
    fn with_both_directions_the_shortest_delays_are_halved() {
        let clock = clock_of((0..1_000).flat_map(|number| {
            let at = number * 1_000_000;
            let ahead = 10_800_000_000_000 + 5_000_000;
            [
                (at, at + ahead + 400_000 + jitter(number), false),
                (at, at + ahead - 400_000 - jitter(number), true),
            ]
        }));
        let offset = clock.offset().0 - 10_800_000_000_000;
        assert!((offset - 5_000_000).abs() < 1_000, "{offset}");
    }

    #[test]
    fn together_they_tell_as_much_as_one_by_one() {
        let packets = |count: i64| {
            (0..count).map(|number| {
                let (at, ahead) = (number * 100_000, 10_800_000_000_000);
                let is_backward = number % 3 == 0;
                let took = 400_000 + jitter(number);
                let took = if is_backward { -took } else { took };
                (at, at + ahead + took, is_backward)
            })
        };
        let by_one = clock_of(packets(3_200));
        let mut together = Clock::new(Duration::from_secs(10_800));
        let all: Vec<_> = packets(3_200).collect();
        for some in all.chunks(32) {
            let times = |(there, here, back): &(i64, i64, bool)| {
                (Timestamp(*there), Timestamp(*here), *back)
            };
            let mut fastest = Fastest::default();
            for (there, here, is_backward) in some.iter().map(times) {
                fastest.note(there, here, is_backward);
            }
            together.learn_fastest(&fastest);
        }
        together.fit();
        assert_eq!(together.offset(), by_one.offset());
        assert_eq!(together.matched, by_one.matched);
    }

    #[test]
    fn hostile_times_saturate() {
        let mut clock = Clock::new(Duration(i64::MIN));
        for time in [i64::MIN, i64::MAX, 0, 1, i64::MAX, i64::MIN] {
            clock.learn(Timestamp(time), Timestamp(-(time / 3)), time % 2 == 0);
            let both = [(0, time), (time, i64::MAX), (i64::MAX, time), (time, 0)];
            let both = both.map(|(there, here)| (Timestamp(there), Timestamp(here), time > 0));
            let mut fastest = Fastest::default();
            for (there, here, is_backward) in both {
                fastest.note(there, here, is_backward);
            }
            clock.learn_fastest(&fastest);
            let _ = clock.to_reference(Timestamp(time));
        }
        clock.fit();
    }
}
