//! What one side of a pair of points alone saw of flows that it alone knows: whether these go
//! elsewhere, or all of them was lost, is known once all was seen.

use super::series::{Fared, add_all, count_in, put_together};
use crate::compare::shape::{Fate, Fates};
use std::collections::BTreeMap;

/// Flows and steps that are told apart, at most.
const MOST: usize = 1 << 15;

/// Packets of these, by flow and step of a series.
#[derive(Clone, Debug, Default)]
pub(super) struct Singles {
    by_flow: BTreeMap<Single, u64>,
    /// Those beyond the bound: all, and those that went back.
    others: [Vec<Fates>; 2],
}

/// What is counted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Single {
    /// The number of the account of its flow.
    number: u32,
    /// The step.
    place: u32,
    fate: Fate,
    is_backward: bool,
}

impl Singles {
    /// Counts some of a flow in a step.
    pub fn count(&mut self, number: usize, place: usize, fared: Fared) {
        let single = Single {
            number: number as u32,
            place: place as u32,
            fate: fared.fate,
            is_backward: fared.is_backward,
        };
        let has_room = self.by_flow.len() < MOST;
        match self.by_flow.get_mut(&single) {
            Some(count) => *count += fared.count,
            None if has_room => {
                self.by_flow.insert(single, fared.count);
            }
            None => count_in(self.others.each_mut(), place, fared),
        }
    }

    /// Adds what was counted elsewhere in the same steps.
    pub fn add(&mut self, more: Self) {
        for (single, count) in more.by_flow {
            *self.by_flow.entry(single).or_default() += count;
        }
        for (mine, theirs) in self.others.iter_mut().zip(more.others) {
            add_all(mine, theirs);
        }
    }

    /// So many steps are one, of the first of which as many as lead are missing.
    pub fn put_together(&mut self, lead: usize, count: usize) {
        self.move_to(|place| (place + lead) / count);
        for steps in &mut self.others {
            *steps = put_together(steps, lead, count);
        }
    }

    /// So many steps come before the first.
    pub fn shift(&mut self, earlier: usize) {
        self.move_to(|place| place + earlier);
        for steps in self.others.iter_mut().filter(|steps| !steps.is_empty()) {
            steps.splice(..0, std::iter::repeat_n(Fates::default(), earlier));
        }
    }

    fn move_to(&mut self, step: impl Fn(usize) -> usize) {
        for (single, packets) in std::mem::take(&mut self.by_flow) {
            let place = step(single.place as usize) as u32;
            *self.by_flow.entry(Single { place, ..single }).or_default() += packets;
        }
    }

    /// Gives those of flows that are of the path, by step; those beyond the bound if all are.
    pub fn into_steps(self, is_of_path: impl Fn(usize) -> bool, are_all: bool) -> [Vec<Fates>; 2] {
        let mut steps = if are_all {
            self.others
        } else {
            Default::default()
        };
        let of_path = self.by_flow.into_iter();
        for (single, count) in of_path.filter(|(single, _)| is_of_path(single.number as usize)) {
            let fared = Fared {
                fate: single.fate,
                is_backward: single.is_backward,
                count,
            };
            count_in(steps.each_mut(), single.place as usize, fared);
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(count: u64) -> Fared {
        Fared::of(Fate::Front, false, count)
    }

    /// How many are lost in each step.
    fn told(singles: Singles, is_of_path: impl Fn(usize) -> bool, are_all: bool) -> Vec<u64> {
        let [all, back] = singles.into_steps(is_of_path, are_all);
        assert!(back.is_empty());
        all.iter().map(|step| step.of(Fate::Front)).collect()
    }

    #[test]
    fn each_flow_is_of_the_path_or_not() {
        let mut singles = Singles::default();
        for place in 0..6 {
            singles.count(place % 2, place, lost(1 + place as u64));
        }
        assert_eq!(told(singles.clone(), |_| true, true), [1, 2, 3, 4, 5, 6]);
        let even = |number| number == 0;
        assert_eq!(told(singles.clone(), even, false), [1, 0, 3, 0, 5]);
        singles.put_together(0, 2);
        assert_eq!(told(singles.clone(), even, false), [1, 3, 5]);
        singles.add(singles.clone());
        assert_eq!(told(singles, |_| true, true), [6, 14, 22]);
    }

    #[test]
    fn beyond_the_bound_all_are_of_the_path_or_none() {
        let mut singles = Singles::default();
        (0..MOST + 100).for_each(|number| singles.count(number, number % 2, lost(1)));
        let half = MOST as u64 / 2;
        assert_eq!(told(singles.clone(), |_| true, false), [half, half]);
        assert_eq!(
            told(singles.clone(), |_| true, true),
            [half + 50, half + 50]
        );
        assert_eq!(
            told(singles, |number| number > 9, false),
            [half - 5, half - 5]
        );
    }
}
