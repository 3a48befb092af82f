//! How packets fared over time.

use super::singles::Singles;
use crate::compare::shape::{Fate, Fates};
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// Steps of time at most; with more they get longer.
const MAX_STEPS: usize = 4096;
/// The first steps, unless shorter ones are to be shown.
const FIRST: Duration = Duration::from_millis(10);
/// So many are then put together, in turns: a second is always so many whole ones, or the
/// other way round.
const TOGETHER: [usize; 2] = [2, 5];
/// What was longer before the first that was counted is taken as if it were no longer before that.
/// What is lost is counted when it is no longer waited for, and what came next long before.
const BEFORE: Duration = Duration::from_secs(3_600);

/// Packets over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// When the first step begins.
    pub origin: Option<Timestamp>,
    /// When the first was that was counted.
    begun: Option<Timestamp>,
    /// The number of the first step: they are numbered from time 0 on, so that it does not matter what
    /// is counted first.
    first: i64,
    /// How long a step is.
    pub width: Duration,
    /// Steps that are shown are at least so long.
    shown: Duration,
    /// How often steps got longer.
    widened: usize,
    /// Packets by fate.
    pub steps: Vec<Fates>,
    /// Those of them that went from the last point to the first: as many steps as are needed.
    back: Vec<Fates>,
    /// The same of flows that one side alone knows, which may turn out to go elsewhere.
    singles: Singles,
    /// The step that was counted in last.
    latest: usize,
}

/// Packets that fared alike.
#[derive(Clone, Copy)]
pub(super) struct Fared {
    pub fate: Fate,
    pub is_backward: bool,
    pub count: u64,
}

impl Fared {
    /// So many of a flow; of the two sides of a fate, one is in front of the other.
    pub fn of(fate: Fate, is_backward: bool, count: u64) -> Self {
        Self {
            fate: fate.on_its_way(is_backward),
            is_backward,
            count,
        }
    }
}

impl Series {
    /// Of nothing yet, in steps of this length.
    pub fn new(width: Duration) -> Self {
        Self {
            origin: None,
            begun: None,
            first: 0,
            width,
            shown: width,
            widened: 0,
            steps: Vec::new(),
            back: Vec::new(),
            singles: Singles::default(),
            latest: 0,
        }
    }

    /// The same in steps that tell when losses were, of which so long ones are to be shown.
    pub(super) fn shown_in(least: Duration) -> Self {
        Self {
            shown: least,
            ..Self::new(least.min(FIRST))
        }
    }

    /// The same steps, in which nothing is.
    pub(super) fn blank(&self) -> Self {
        Self {
            origin: self.origin,
            begun: self.begun,
            first: self.first,
            shown: self.shown,
            widened: self.widened,
            ..Self::new(self.width)
        }
    }

    /// In steps as they are to be shown.
    #[must_use]
    pub fn as_shown(&self) -> Self {
        self.in_steps_of(self.shown)
    }

    /// The same in steps of at least this length.
    #[must_use]
    pub fn in_steps_of(&self, least: Duration) -> Self {
        let width = self.width.0.max(1);
        let together = (least.0.max(1) - 1) / width + 1;
        let count = usize::try_from(together).unwrap_or(usize::MAX);
        let lead = self.first.rem_euclid(together) as usize;
        let mut longer = Self {
            width: Duration(width.saturating_mul(together)),
            first: self.first.div_euclid(together),
            steps: put_together(&self.steps, lead, count),
            back: put_together(&self.back, lead, count),
            singles: Singles::default(),
            latest: 0,
            ..*self
        };
        longer.set_origin();
        longer
    }

    /// Adds what was counted elsewhere in the same steps.
    pub(super) fn add(&mut self, more: Self) {
        let mut more = more;
        while self.width < more.width {
            self.widen();
        }
        while more.width < self.width {
            more.widen();
        }
        self.begin(more.begun);
        more.begin(self.begun);
        self.reach_back(more.first);
        more.reach_back(self.first);
        self.latest = 0;
        add_all(&mut self.steps, more.steps);
        add_all(&mut self.back, more.back);
        self.singles.add(more.singles);
        while self.steps.len() > MAX_STEPS {
            self.widen();
        }
    }

    /// What went one way alone, in the same steps.
    #[must_use]
    pub fn one_way(&self, is_backward: bool) -> Self {
        let mut steps = self.back.clone();
        steps.resize_with(self.steps.len(), Fates::default);
        if !is_backward {
            let both = self.steps.iter().zip(&steps);
            steps = both.map(|(all, back)| all.without(back)).collect();
        }
        Self {
            steps,
            back: Vec::new(),
            singles: Singles::default(),
            ..*self
        }
    }

    /// Counts several that came in the step of this time.
    pub(super) fn count(&mut self, fared: Fared, time: Timestamp) {
        // Most are in the same step as those before.
        let place = match self.is_latest(|span| span.contains(&time)) {
            true => self.latest,
            false => self.step_of(time),
        };
        count_in([&mut self.steps, &mut self.back], place, fared);
    }

    /// Counts so many from this time on that one side alone saw; with the account of their flow if
    /// it alone knows that.
    pub(super) fn count_lone(&mut self, single: Option<usize>, fared: Fared, time: Timestamp) {
        let Some(number) = single else {
            return self.count(fared, time);
        };
        let place = self.step_of(time);
        self.singles.count(number, place, fared);
    }

    /// Which of such flows were found to be of the path, by their accounts; the others go elsewhere.
    pub(in crate::compare) fn judge_singles(
        &mut self,
        is_of_path: impl Fn(usize) -> bool,
        are_all: bool,
    ) {
        let singles = std::mem::take(&mut self.singles);
        let [all, back] = singles.into_steps(is_of_path, are_all);
        add_all(&mut self.steps, all);
        add_all(&mut self.back, back);
        if !are_all {
            self.trim();
        }
    }

    /// Leaves out steps in front and behind in which there is nothing.
    fn trim(&mut self) {
        let is_used = |step: &Fates| *step != Fates::default();
        let used = self.steps.iter().rposition(is_used);
        self.steps.truncate(used.map_or(0, |last| last + 1));
        let unused = self.steps.iter().position(is_used).unwrap_or(0);
        self.steps.drain(..unused);
        self.back.drain(..unused.min(self.back.len()));
        self.first += unused as i64;
        self.set_origin();
    }

    /// The step of a time, which becomes the latest.
    fn step_of(&mut self, time: Timestamp) -> usize {
        self.begin(Some(time));
        let begun = self.begun.unwrap_or(time);
        let time = time.0.max(begun.0.saturating_sub(BEFORE.0));
        let mut step = time.div_euclid(self.width.0);
        while self.steps_with(step) > MAX_STEPS as i64 {
            self.widen();
            step = time.div_euclid(self.width.0);
        }
        self.reach_back(step);
        let place = (step - self.first) as usize;
        if place >= self.steps.len() {
            self.steps.resize_with(place + 1, Default::default);
        }
        self.latest = place;
        place
    }

    /// The first that is counted was then, unless that is known.
    fn begin(&mut self, time: Option<Timestamp>) {
        if let (None, Some(time)) = (self.begun, time) {
            self.begun = Some(time);
            self.first = time.0.div_euclid(self.width.0);
            self.set_origin();
        }
    }

    fn set_origin(&mut self) {
        let begins = Timestamp(self.width.0.saturating_mul(self.first));
        self.origin = self.begun.map(|_| begins);
    }

    /// How many steps there are with this.
    fn steps_with(&self, step: i64) -> i64 {
        let end = self.first + self.steps.len() as i64;
        let end = end.max(step.saturating_add(1));
        end.saturating_sub(self.first.min(step))
    }

    /// Steps begin with this one, or before it.
    fn reach_back(&mut self, step: i64) {
        let earlier = usize::try_from(self.first - step).unwrap_or(0);
        if earlier == 0 {
            return;
        }
        for steps in [&mut self.steps, &mut self.back] {
            steps.splice(..0, std::iter::repeat_n(Fates::default(), earlier));
        }
        self.singles.shift(earlier);
        self.first = step;
        self.set_origin();
    }

    /// Counts packets that both sides saw, 64 at most; bits tell which of them went back.
    pub(super) fn count_passed(
        &mut self,
        times: impl ExactSizeIterator<Item = Timestamp> + Clone,
        backward: u64,
    ) {
        debug_assert!(times.len() <= u64::BITS as usize);
        if !self.is_latest(|span| times.clone().all(|time| span.contains(&time))) {
            for (place, time) in times.enumerate() {
                let fared = Fared::of(Fate::Both, backward >> place & 1 != 0, 1);
                self.count(fared, time);
            }
            return;
        }
        let place = self.latest;
        self.steps[place].add(Fate::Both, times.len() as u64);
        if backward != 0 {
            let count = backward.count_ones().into();
            add_at(&mut self.back, place, Fate::Both, count);
        }
    }

    /// Whether times are in the step that was counted in last.
    fn is_latest(&self, are_in: impl Fn(&Range<Timestamp>) -> bool) -> bool {
        self.latest < self.steps.len() && are_in(&self.latest_step())
    }

    /// When that is; of no series that has begun, everything is behind it.
    pub(super) fn latest_step(&self) -> Range<Timestamp> {
        if self.begun.is_none() {
            return Timestamp::MIN..Timestamp::MIN;
        }
        let step = self.first + self.latest as i64;
        let [start, end] =
            [step, step + 1].map(|step| Timestamp(self.width.0.saturating_mul(step)));
        start..end
    }

    fn widen(&mut self) {
        let count = TOGETHER[self.widened % TOGETHER.len()];
        let lead = self.first.rem_euclid(count as i64) as usize;
        self.width = Duration(self.width.0.saturating_mul(count as i64));
        self.first = self.first.div_euclid(count as i64);
        self.widened += 1;
        for steps in [&mut self.steps, &mut self.back] {
            *steps = put_together(steps, lead, count);
        }
        self.singles.put_together(lead, count);
        self.set_origin();
    }
}

/// Counts in a step of all, and of those that went back.
pub(super) fn count_in([all, back]: [&mut Vec<Fates>; 2], place: usize, fared: Fared) {
    add_at(all, place, fared.fate, fared.count);
    if fared.is_backward {
        add_at(back, place, fared.fate, fared.count);
    }
}

fn add_at(steps: &mut Vec<Fates>, place: usize, fate: Fate, count: u64) {
    if place >= steps.len() {
        steps.resize_with(place + 1, Default::default);
    }
    steps[place].add(fate, count);
}

pub(super) fn add_all(steps: &mut Vec<Fates>, more: Vec<Fates>) {
    steps.resize_with(steps.len().max(more.len()), Default::default);
    for (step, more) in steps.iter_mut().zip(more) {
        *step += more;
    }
}

/// So many steps each as one, of the first of which as many as lead are missing.
pub(super) fn put_together(steps: &[Fates], lead: usize, count: usize) -> Vec<Fates> {
    let (first, rest) = steps.split_at(steps.len().min((count - lead) % count));
    let first = (!first.is_empty()).then_some(first);
    let together = first.into_iter().chain(rest.chunks(count)).map(|some| {
        let mut sum = Fates::default();
        some.iter().for_each(|step| sum += *step);
        sum
    });
    together.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times() -> impl Strategy<Value = Vec<i64>> {
        let time = prop_oneof![
            0..4_000_i64,
            -100..100_i64,
            (0..2_000_i64).prop_map(|step| step * 1_000),
            Just(i64::MIN),
            Just(i64::MAX),
            any::<i64>(),
        ];
        prop::collection::vec(time, 1..40)
    }

    /// What a way is to have in steps, all of whose packets passed.
    fn steps(times: &[i64], width: Duration) -> Vec<Fates> {
        let earliest = times[0].saturating_sub(BEFORE.0);
        let places = times
            .iter()
            .map(|time| (*time).max(earliest).div_euclid(width.0));
        let (first, last) = (first(times, width), places.clone().max().unwrap());
        let mut steps = vec![Fates::default(); (last - first) as usize + 1];
        places.for_each(|place| steps[(place - first) as usize].count(Fate::Both));
        steps
    }

    /// The number of the first of these steps.
    fn first(times: &[i64], width: Duration) -> i64 {
        let earliest = times[0].saturating_sub(BEFORE.0);
        times
            .iter()
            .map(|time| (*time).max(earliest).div_euclid(width.0))
            .min()
            .unwrap()
    }

    /// When it begins.
    fn begin(times: &[i64], width: Duration) -> Option<Timestamp> {
        Some(Timestamp(first(times, width).saturating_mul(width.0)))
    }

    #[test]
    fn what_is_counted_late_is_in_its_own_step() {
        let mut series = Series::shown_in(Duration::from_secs(1));
        let seconds = |seconds: i64| Timestamp(seconds * 1_000_000_000);
        for second in [10, 11, 7, 12, 8] {
            series.count(Fared::of(Fate::Both, false, 1), seconds(second));
        }
        let mut share = series.blank();
        share.count(Fared::of(Fate::Front, false, 3), seconds(5));
        series.add(share);
        let shown = series.as_shown();
        let told: Vec<[u64; 2]> = shown
            .steps
            .iter()
            .map(|step| [Fate::Both, Fate::Front].map(|fate| step.of(fate)))
            .collect();
        assert_eq!(shown.origin, Some(seconds(5)));
        assert_eq!(
            told,
            [
                [0, 3],
                [0, 0],
                [1, 0],
                [1, 0],
                [0, 0],
                [1, 0],
                [1, 0],
                [1, 0]
            ]
        );
    }

    #[test]
    fn a_second_is_so_many_whole_steps_however_long_they_got() {
        let mut series = Series::shown_in(Duration::from_secs(1));
        let second = Duration::from_secs(1);
        for milliseconds in [10, 20, 100, 200, 1_000] {
            assert_eq!(series.width, Duration::from_millis(milliseconds));
            assert_eq!(series.as_shown().width, second);
            series.widen();
        }
        assert_eq!(series.width, Duration::from_secs(2));
        assert_eq!(series.as_shown().width, series.width);
    }

    proptest! {
        #[test]
        fn steps_are_the_same_however_many_are_counted_at_once(
            times in times(),
            together in 1..8_usize,
        ) {
            let plain = |width| steps(&times, width);
            let mut at_once = Series::new(Duration(1_000));
            for some in times.chunks(together) {
                at_once.count_passed(some.iter().map(|time| Timestamp(*time)), 0);
            }
            let origin = Timestamp(times[0]);
            let mut in_step = Series::new(Duration(1_000));
            for time in &times {
                in_step.count(Fared::of(Fate::Both, false, 1), Timestamp(*time));
            }
            in_step.count(Fared::of(Fate::Both, false, 0), origin);
            prop_assert_eq!(&in_step.steps, &plain(in_step.width));
            prop_assert_eq!(at_once.origin, begin(&times, at_once.width));
            prop_assert!(at_once.steps.len() <= MAX_STEPS);
            prop_assert_eq!(&at_once.steps, &plain(at_once.width));
        }

        #[test]
        fn steps_that_are_shown_are_all_there_is(
            times in times(),
            shown in 1..4_000_000_000_i64,
        ) {
            let mut series = Series::shown_in(Duration(shown));
            for time in &times {
                series.count(Fared::of(Fate::Both, false, 1), Timestamp(*time));
            }
            let told = series.as_shown();
            prop_assert!(told.width.0 >= shown);
            prop_assert_eq!(told.origin, begin(&times, told.width));
            prop_assert_eq!(&told.steps, &steps(&times, told.width));
        }

        #[test]
        fn both_ways_are_all(times in times(), ways in any::<u64>(), together in 1..8_usize) {
            let mut series = Series::new(Duration(1_000));
            let is_backward = |place: usize| ways >> (place % 64) & 1 != 0;
            for (part, some) in times.chunks(together).enumerate() {
                let backward = (0..some.len())
                    .filter(|place| is_backward(part * together + place))
                    .fold(0, |bits, place| bits | 1 << place);
                series.count_passed(some.iter().map(|time| Timestamp(*time)), backward);
            }
            for (place, time) in times.iter().enumerate() {
                let fared = Fared::of(Fate::Front, is_backward(place), 2);
                let single = (place % 3 == 0).then_some(place % 7);
                series.count_lone(single, fared, Timestamp(*time));
            }
            series.judge_singles(|_| true, true);
            let [forward, back] = [false, true].map(|way| series.one_way(way));
            let mut sum = forward.steps.clone();
            add_all(&mut sum, back.steps.clone());
            prop_assert_eq!(&sum, &series.steps);
            let went_back = (0..times.len()).filter(|place| is_backward(*place)).count();
            let told = |fate| back.steps.iter().map(|step| step.of(fate)).sum::<u64>();
            prop_assert_eq!(told(Fate::Both), went_back as u64);
            prop_assert_eq!(told(Fate::Back), 2 * went_back as u64);
        }
    }
}
