//! What is taken in the order in which it came. It grows without moving, and memory of what was
//! taken is used again.

use std::collections::VecDeque;

/// Values of a stretch of it.
const STRETCH: usize = 1 << 11;

/// Such values.
#[derive(Debug)]
pub(super) struct Fifo<T> {
    /// What is behind all else, until there is a stretch of it.
    last: Vec<T>,
    stretches: VecDeque<Vec<T>>,
    /// How many were taken of the first stretch.
    taken: usize,
    len: usize,
    /// A stretch of which all was taken.
    spare: Vec<T>,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            last: Vec::new(),
            stretches: VecDeque::new(),
            taken: 0,
            len: 0,
            spare: Vec::new(),
        }
    }
}

impl<T: Copy> Fifo<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds one behind all else.
    #[inline(always)]
    pub fn push(&mut self, one: T) {
        // Who makes room is not given what comes: it is written where it belongs at once.
        if self.last.len().is_multiple_of(STRETCH) {
            self.begin();
        }
        self.last.push(one);
        self.len += 1;
    }

    /// Nothing is in the last stretch, or no more fits in.
    #[cold]
    fn begin(&mut self) {
        if !self.last.is_empty() {
            let next = std::mem::take(&mut self.spare);
            let full = std::mem::replace(&mut self.last, next);
            self.stretches.push_back(full);
        }
        self.last.reserve_exact(STRETCH);
    }

    /// The first.
    #[inline(always)]
    pub fn first(&self) -> Option<&T> {
        self.stretch(0)?.get(self.taken)
    }

    #[inline(always)]
    fn stretch(&self, number: usize) -> Option<&Vec<T>> {
        match self.stretches.get(number) {
            Some(stretch) => Some(stretch),
            None => (number == self.stretches.len()).then_some(&self.last),
        }
    }

    /// The one in front of which there are so many.
    #[inline]
    pub fn get(&self, place: usize) -> Option<&T> {
        let place = self.taken + place;
        self.stretch(place / STRETCH)?.get(place % STRETCH)
    }

    /// The one in front of which there are so many, and those behind it that are side by side with it
    /// in memory; none at the end.
    #[inline(always)]
    pub fn from(&self, place: usize) -> &[T] {
        let place = self.taken + place;
        let stretch = self.stretch(place / STRETCH);
        let from = stretch.and_then(|stretch| stretch.get(place % STRETCH..));
        from.unwrap_or_default()
    }

    /// The one in front of which there are so many, to be changed.
    pub fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let place = self.taken + place;
        let (number, place) = (place / STRETCH, place % STRETCH);
        match self.stretches.len() {
            full if number == full => self.last.get_mut(place),
            _ => self.stretches.get_mut(number)?.get_mut(place),
        }
    }

    /// Takes so many, of those that are [side by side](Self::from) with the first. They are not
    /// given: that would copy them.
    #[inline(always)]
    pub fn drop_first(&mut self, many: usize) {
        debug_assert!(many <= self.from(0).len());
        self.len -= many;
        self.taken += many;
        if self.taken == STRETCH {
            self.end();
        }
    }

    /// All of the first stretch was taken.
    #[cold]
    fn end(&mut self) {
        self.taken = 0;
        match self.stretches.pop_front() {
            None => self.last.clear(),
            Some(mut first) => {
                first.clear();
                self.spare = first;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn state(fifo: &Fifo<u32>) -> (usize, Vec<u32>) {
        let all = (0..).map_while(|place| fifo.get(place).copied());
        (fifo.len(), all.collect())
    }

    proptest! {
        /// So many are added, and so many are taken.
        #[test]
        fn the_first_is_taken_first(all in prop::collection::vec((0..5_000_usize, 0..5_000_usize), 1..8)) {
            let (mut fifo, mut expected) = (Fifo::default(), VecDeque::new());
            let mut numbers = 0..;
            for (added, taken) in all {
                for number in numbers.by_ref().take(added) {
                    fifo.push(number);
                    expected.push_back(number);
                }
                for _ in 0..taken {
                    prop_assert_eq!(fifo.first(), expected.front());
                    if expected.pop_front().is_some() {
                        fifo.drop_first(1);
                    }
                }
                let many = fifo.from(0).len().min(taken);
                prop_assert!(fifo.from(0)[..many].iter().eq(expected.iter().take(many)));
                fifo.drop_first(many);
                expected.drain(..many);
                let expected: Vec<u32> = expected.iter().copied().collect();
                prop_assert_eq!(state(&fifo), (expected.len(), expected));
            }
        }
    }

    #[test]
    fn memory_of_what_was_taken_is_used_again() {
        let mut fifo = Fifo::default();
        for number in 0..10 * STRETCH {
            fifo.push(number);
            fifo.drop_first(1);
            assert!(fifo.stretches.len() <= 1);
        }
    }
}
