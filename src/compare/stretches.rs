//! A list that grows without moving: what was written stays where it is, and no more memory
//! is taken than there is in it, but for a few pages.

use std::ops::{Index, IndexMut};

/// Values of a stretch.
const STRETCH: usize = 1 << 10;

/// Values by number, in stretches of memory.
#[derive(Clone, Debug)]
pub(super) struct Stretches<T>(Vec<Vec<T>>);

impl<T> Default for Stretches<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Stretches<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        let full = self.0.len().saturating_sub(1) * STRETCH;
        full + self.0.last().map_or(0, Vec::len)
    }

    /// Adds one, made in its place: what is made elsewhere first is copied before it is in
    /// memory.
    #[inline]
    pub fn push(&mut self, make: impl FnOnce() -> T) {
        match self.0.last_mut() {
            Some(last) if last.len() < STRETCH => last.push(make()),
            _ => self.begin(make()),
        }
    }

    #[cold]
    fn begin(&mut self, first: T) {
        let mut stretch = Vec::with_capacity(STRETCH);
        stretch.push(first);
        self.0.push(stretch);
    }
}

impl<T> Index<usize> for Stretches<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.0[place / STRETCH][place % STRETCH]
    }
}

impl<T> IndexMut<usize> for Stretches<T> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.0[place / STRETCH][place % STRETCH]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_stays_where_it_is() {
        let mut list = Stretches::default();
        assert_eq!(list.len(), 0);
        list.push(|| 0);
        let first: *const usize = &raw const list[0];
        for number in 1..5 * STRETCH {
            list.push(|| number);
            assert_eq!(list.len(), number + 1);
        }
        assert!(std::ptr::eq(first, &raw const list[0]));
        list[STRETCH] += 1;
        assert_eq!(
            [list[STRETCH - 1], list[STRETCH]],
            [STRETCH - 1, STRETCH + 1]
        );
        assert_eq!(list[5 * STRETCH - 1], 5 * STRETCH - 1);
    }
}
