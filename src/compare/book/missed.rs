//! When packets passed a point unseen: a capture that has holes misses all that passes in these, and
//! one that is too slow some of it all the time.

use crate::model::{Duration, Timestamp};
use std::collections::BTreeMap;

/// Steps of time at most; with more they get longer.
const MAX_STEPS: usize = 1 << 16;
/// The first steps.
const FIRST: i64 = 100_000;
/// So many are then put together.
const TOGETHER: i64 = 10;

/// Packets that passed unseen, over time.
#[derive(Clone, Debug)]
pub struct Missed {
    /// How long a step is, in nanoseconds.
    width: i64,
    /// By number of the step, those that went forward and those that went back.
    steps: BTreeMap<i64, [u64; 2]>,
}

impl Default for Missed {
    fn default() -> Self {
        Self {
            width: FIRST,
            steps: BTreeMap::new(),
        }
    }
}

impl Missed {
    /// One that was seen elsewhere at this time, by the clock of the first point.
    pub(in crate::compare) fn note(&mut self, time: Timestamp, is_backward: bool) {
        let step = time.0.div_euclid(self.width);
        self.steps.entry(step).or_default()[usize::from(is_backward)] += 1;
        self.keep_to_bounds();
    }

    /// Adds what was noted elsewhere.
    pub(super) fn add(&mut self, others: &Self) {
        while self.width < others.width {
            self.widen();
        }
        for (step, counts) in &others.steps {
            let time = step.saturating_mul(others.width);
            let known = self.steps.entry(time.div_euclid(self.width)).or_default();
            for (sum, more) in known.iter_mut().zip(counts) {
                *sum += more;
            }
        }
        self.keep_to_bounds();
    }

    /// How many went one way from some time on, as exactly as its steps tell.
    pub fn within(&self, from: Timestamp, length: Duration, is_backward: bool) -> u64 {
        let half = self.width / 2;
        let until = from + length;
        // Those of which the middle is in that time.
        let [first, end] =
            [from, until].map(|time| (time.0.saturating_add(half)).div_euclid(self.width));
        let counts = self.steps.range(first..end.max(first));
        counts
            .map(|(_, counts)| counts[usize::from(is_backward)])
            .sum()
    }

    fn keep_to_bounds(&mut self) {
        while self.steps.len() > MAX_STEPS {
            self.widen();
        }
    }

    #[cold]
    fn widen(&mut self) {
        self.width = self.width.saturating_mul(TOGETHER);
        let steps = std::mem::take(&mut self.steps);
        for (step, counts) in steps {
            let wider = self.steps.entry(step.div_euclid(TOGETHER)).or_default();
            for (sum, more) in wider.iter_mut().zip(counts) {
                *sum += more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(step: i64) -> Timestamp {
        Timestamp(step * FIRST)
    }

    fn of_first_hundred(missed: &Missed, is_backward: bool) -> u64 {
        missed.within(at(0), Duration(100 * FIRST), is_backward)
    }

    #[test]
    fn what_was_missed_is_in_its_time_and_way() {
        let mut missed = Missed::default();
        for step in [0, 7, 99, 100, 5_000] {
            missed.note(at(step), false);
        }
        missed.note(at(50), true);
        missed.note(Timestamp(-1), false);
        assert_eq!(of_first_hundred(&missed, false), 3);
        assert_eq!(of_first_hundred(&missed, true), 1);
        assert_eq!(missed.within(at(-1), Duration(FIRST), false), 1);
        assert_eq!(missed.within(at(9), Duration(0), false), 0);
    }

    #[test]
    fn it_does_not_grow_without_a_bound() {
        let many = 3 * MAX_STEPS as i64;
        let mut all = Missed::default();
        let mut halves = [Missed::default(), Missed::default()];
        for step in 0..many {
            all.note(at(step), step % 2 == 0);
            halves[usize::from(step % 3 == 0)].note(at(step), step % 2 == 0);
        }
        assert!(all.steps.len() <= MAX_STEPS);
        assert_eq!(of_first_hundred(&all, true), 50);
        let [one, other] = &mut halves;
        one.add(other);
        assert_eq!((one.width, &one.steps), (all.width, &all.steps));
    }
}
