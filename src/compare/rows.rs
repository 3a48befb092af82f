//! What comes nearly in order and is taken in order: a few rows, each of which is in order, and
//! a heap for what fits in none of them. Packets that go ahead and back, and those of several
//! points, are each in order, or a little late.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Rows: what goes ahead, and back, at two points.
const ROWS: usize = 4;

/// What is to be in front of so few that came before is put there: of what comes at one time, any
/// may come first.
const LATE: usize = 16;

/// Such things, the least first.
#[derive(Debug)]
pub(super) struct Rows<T> {
    rows: [VecDeque<T>; ROWS],
    rest: BinaryHeap<Reverse<T>>,
    /// The least of all, and where it is: that is asked more often than it changes.
    first: Option<(T, Place)>,
    /// The greatest of all that were added.
    greatest: Option<T>,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Row(usize),
    Rest,
}

impl<T: Ord> Default for Rows<T> {
    fn default() -> Self {
        Self {
            rows: Default::default(),
            rest: BinaryHeap::new(),
            first: None,
            greatest: None,
        }
    }
}

impl<T: Copy + Ord> Rows<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.iter().map(VecDeque::len).sum::<usize>() + self.rest.len()
    }

    /// All of them in order; none is left.
    pub fn take_all(&mut self) -> Vec<T> {
        let rows = std::mem::take(self);
        let in_rows = rows.rows.into_iter().flatten();
        let mut all: Vec<T> = rows.rest.into_iter().map(|Reverse(one)| one).collect();
        all.sort_unstable();
        all.extend(in_rows);
        // A few rows, each of which is in order.
        all.sort();
        all
    }

    /// The greatest of all that were added, whether it was taken or not.
    pub fn greatest(&self) -> Option<T> {
        self.greatest
    }

    /// Adds one.
    pub fn push(&mut self, one: T) {
        self.greatest = self.greatest.max(Some(one));
        let mut rows = self.rows.iter_mut().enumerate();
        let place = match rows.find(|(_, row)| goes_into(row, &one)) {
            Some((number, row)) => {
                let later = row.iter().rev().take_while(|other| **other > one);
                row.insert(row.len() - later.count(), one);
                Place::Row(number)
            }
            None => {
                self.rest.push(Reverse(one));
                Place::Rest
            }
        };
        if self.first.is_none_or(|(first, _)| one < first) {
            self.first = Some((one, place));
        }
    }

    /// The least of them.
    pub fn first(&self) -> Option<T> {
        self.first.map(|(first, _)| first)
    }

    /// Takes that.
    pub fn pop(&mut self) -> Option<T> {
        let (first, place) = self.first?;
        match place {
            Place::Row(row) => drop(self.rows[row].pop_front()),
            Place::Rest => drop(self.rest.pop()),
        }
        let rows = self.rows.iter().enumerate();
        let of_rows = rows.filter_map(|(row, all)| Some((*all.front()?, Place::Row(row))));
        let rest = self.rest.peek().map(|Reverse(one)| (*one, Place::Rest));
        self.first = of_rows.chain(rest).min();
        Some(first)
    }
}

/// Whether one belongs behind all of a row, or nearly so.
fn goes_into<T: Ord>(row: &VecDeque<T>, one: &T) -> bool {
    match row.len().checked_sub(LATE) {
        None => true,
        Some(place) => row[place] <= *one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows_of(all: impl IntoIterator<Item = u32>) -> Rows<u32> {
        let mut rows = Rows::default();
        all.into_iter().for_each(|one| rows.push(one));
        rows
    }

    #[test]
    fn what_comes_in_as_many_orders_as_there_are_rows_needs_no_heap() {
        let rows = rows_of((0..100).flat_map(|one| [one + 30, one + 20, one + 10, one]));
        assert!(rows.rest.is_empty());
        assert_eq!((rows.len(), rows.first()), (400, Some(0)));
        let rows = rows_of((0..100).rev());
        assert_eq!(rows.rest.len(), 100 - ROWS * LATE);
    }

    proptest! {
        /// Some are taken in between.
        #[test]
        fn the_least_comes_first(all in prop::collection::vec(prop::option::of(0..40_u32), 0..200)) {
            let (mut rows, mut sorted, mut greatest) = (Rows::default(), Vec::new(), None);
            for one in all {
                match one {
                    Some(one) => {
                        greatest = greatest.max(Some(one));
                        rows.push(one);
                        prop_assert_eq!(rows.greatest(), greatest);
                        sorted.push(one);
                        sorted.sort_unstable();
                    }
                    None => {
                        let first = (!sorted.is_empty()).then(|| sorted.remove(0));
                        prop_assert_eq!(rows.pop(), first);
                    }
                }
                prop_assert_eq!((rows.first(), rows.len()), (sorted.first().copied(), sorted.len()));
            }
            prop_assert_eq!(rows.take_all(), sorted);
            prop_assert_eq!((rows.len(), rows.pop()), (0, None));
        }
    }
}
