//! How packets fared over time.

use crate::compare::shape::{Fate, Fates};
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// Steps of time at most; with more they get twice as long.
const MAX_STEPS: usize = 4096;

/// Packets over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// When the first step begins.
    pub origin: Option<Timestamp>,
    /// How long a step is.
    pub width: Duration,
    /// Packets by fate.
    pub steps: Vec<Fates>,
    /// The same of flows that one side alone knows, which may turn out to go elsewhere: as
    /// many steps as are needed.
    single: Vec<Fates>,
    /// The step that was counted in last, and where it begins.
    latest: (usize, i64),
}

impl Series {
    pub(in crate::compare) fn new(width: Duration) -> Self {
        Self {
            origin: None,
            width,
            steps: Vec::new(),
            single: Vec::new(),
            latest: (0, 0),
        }
    }

    pub(super) fn count(&mut self, fate: Fate, time: Timestamp) {
        self.count_many(fate, time, 1);
    }

    /// Counts several that came in the step of this time.
    pub(super) fn count_many(&mut self, fate: Fate, time: Timestamp, count: u64) {
        // Most are in the same step as those before.
        if let Some(latest) = self.latest(|span| span.contains(&time)) {
            latest.add(fate, count);
            return;
        }
        let place = self.step_of(time);
        self.steps[place].add(fate, count);
    }

    /// Counts so many from this time on that one side alone saw, of a flow that it alone knows
    /// or not.
    pub(super) fn count_lone(
        &mut self,
        is_single: bool,
        fate: Fate,
        (time, count): (Timestamp, u64),
    ) {
        if !is_single {
            return self.count_many(fate, time, count);
        }
        let place = self.step_of(time);
        if place >= self.single.len() {
            self.single.resize_with(place + 1, Default::default);
        }
        self.single[place].add(fate, count);
    }

    /// Such flows were found to be of the path, or else to go elsewhere.
    pub(in crate::compare) fn judge_single(&mut self, are_of_path: bool) {
        let single = std::mem::take(&mut self.single);
        if are_of_path {
            for (step, more) in self.steps.iter_mut().zip(single) {
                *step += more;
            }
        } else {
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
        let later = self.width.0.saturating_mul(unused as i64);
        self.origin = self.origin.map(|origin| origin + Duration(later));
    }

    /// The step of a time, which becomes the latest.
    fn step_of(&mut self, time: Timestamp) -> usize {
        let origin = *self.origin.get_or_insert(time);
        let since = (time - origin).0.max(0);
        while since / self.width.0 >= MAX_STEPS as i64 {
            self.widen();
        }
        let place = (since / self.width.0) as usize;
        if place >= self.steps.len() {
            self.steps.resize_with(place + 1, Default::default);
        }
        self.latest = (place, place as i64 * self.width.0);
        place
    }

    pub(super) fn count_all(
        &mut self,
        fate: Fate,
        times: impl ExactSizeIterator<Item = Timestamp> + Clone,
    ) {
        let are_in = |span: &Range<Timestamp>| times.clone().all(|time| span.contains(&time));
        match self.latest(are_in) {
            Some(latest) => latest.add(fate, times.len() as u64),
            None => times.for_each(|time| self.count(fate, time)),
        }
    }

    /// The step that was counted in last, if times are in it. What was before the first is in
    /// the first.
    fn latest(&mut self, are_in: impl Fn(&Range<Timestamp>) -> bool) -> Option<&mut Fates> {
        let span = self.latest_step();
        let step = self.steps.get_mut(self.latest.0)?;
        are_in(&span).then_some(step)
    }

    /// When that is; of no series that has begun, everything is behind it.
    pub(super) fn latest_step(&self) -> Range<Timestamp> {
        let (_, from) = self.latest;
        let begin = match self.origin {
            None => return Timestamp::MIN..Timestamp::MIN,
            Some(origin) => origin.0.saturating_add(from),
        };
        Range {
            start: Timestamp(if from == 0 { i64::MIN } else { begin }),
            end: Timestamp(begin.saturating_add(self.width.0)),
        }
    }

    fn widen(&mut self) {
        self.width = Duration(self.width.0.saturating_mul(2));
        self.steps = in_pairs(&self.steps);
        self.single = in_pairs(&self.single);
    }
}

/// Two steps each as one.
fn in_pairs(steps: &[Fates]) -> Vec<Fates> {
    let pairs = steps.chunks(2).map(|pair| {
        let mut sum = pair[0];
        if let Some(second) = pair.get(1) {
            sum += *second;
        }
        sum
    });
    pairs.collect()
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

    proptest! {
        #[test]
        fn steps_are_the_same_however_many_are_counted_at_once(
            times in times(),
            together in 1..8_usize,
        ) {
            let times: Vec<Timestamp> = times.into_iter().map(Timestamp).collect();
            let mut at_once = Series::new(Duration(1_000));
            for some in times.chunks(together) {
                at_once.count_all(Fate::Both, some.iter().copied());
            }
            let mut plain = vec![Fates::default()];
            let origin = times[0];
            for time in &times {
                let since = (*time - origin).0.max(0);
                let place = (since / at_once.width.0) as usize;
                plain.resize(plain.len().max(place + 1), Fates::default());
                plain[place].count(Fate::Both);
            }
            let mut in_step = Series::new(Duration(1_000));
            for time in &times {
                in_step.count_many(Fate::Both, *time, 1);
            }
            in_step.count_many(Fate::Both, origin, 0);
            prop_assert_eq!(&in_step.steps, &plain);
            in_step.count_many(Fate::Front, origin, 5);
            prop_assert_eq!(in_step.steps[0].of(Fate::Front), 5);
            prop_assert_eq!(at_once.origin, Some(origin));
            prop_assert!(at_once.steps.len() <= MAX_STEPS);
            prop_assert_eq!(at_once.steps, plain);
        }
    }
}
