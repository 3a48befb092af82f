//! What is taken in the order in which it came. It grows without moving, and memory of what was
//! taken is used again.

use std::collections::VecDeque;

/// Values of a stretch of it.
const STRETCH: usize = 1 << 11;

/// Such values.
#[derive(Debug)]
pub(super) struct Fifo<T> {
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
        self.len += 1;
        match self.stretches.back_mut() {
            Some(last) if last.len() < STRETCH => last.push(one),
            _ => self.begin(one),
        }
    }

    #[cold]
    fn begin(&mut self, one: T) {
        let mut stretch = std::mem::take(&mut self.spare);
        stretch.reserve_exact(STRETCH);
        stretch.push(one);
        self.stretches.push_back(stretch);
    }

    /// The first.
    #[inline(always)]
    pub fn first(&self) -> Option<&T> {
        self.stretches.front()?.get(self.taken)
    }

    /// The one in front of which there are so many.
    #[inline]
    pub fn get(&self, place: usize) -> Option<&T> {
        let place = self.taken + place;
        self.stretches.get(place / STRETCH)?.get(place % STRETCH)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let place = self.taken + place;
        self.stretches
            .get_mut(place / STRETCH)?
            .get_mut(place % STRETCH)
    }

    /// Takes the first, if there is one. It is not given: that would copy it.
    #[inline(always)]
    pub fn drop_first(&mut self) {
        if self.len == 0 {
            return;
        }
        self.len -= 1;
        self.taken += 1;
        if self.taken == STRETCH {
            self.end();
        }
    }

    /// All of the first stretch was taken.
    #[cold]
    fn end(&mut self) {
        self.taken = 0;
        if let Some(mut first) = self.stretches.pop_front() {
            first.clear();
            self.spare = first;
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
                    fifo.drop_first();
                    expected.pop_front();
                }
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
            fifo.drop_first();
            assert!(fifo.stretches.len() <= 1);
        }
    }
}
