//! Places that are used again, with numbers instead of pointers.

use super::stretches::Stretches;
use std::ops::{Index, IndexMut};

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// Values by number; numbers of those removed are given again.
#[derive(Debug)]
pub(super) struct Slab<T> {
    values: Stretches<T>,
    free: Vec<u32>,
    used: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            values: Stretches::default(),
            free: Vec::new(),
            used: 0,
        }
    }
}

impl<T> Slab<T> {
    /// Made in its place: what is made elsewhere first is copied before it is in memory.
    #[inline]
    pub fn insert(&mut self, make: impl FnOnce() -> T) -> u32 {
        self.used += 1;
        match self.free.pop() {
            Some(place) => {
                let value = &mut self.values[place as usize];
                *value = make();
                place
            }
            None => {
                self.values.push(make);
                (self.values.len() - 1) as u32
            }
        }
    }

    pub fn remove(&mut self, place: u32) {
        self.free.push(place);
        self.used -= 1;
    }

    /// Places in use.
    pub fn len(&self) -> usize {
        self.used
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    fn index(&self, place: u32) -> &T {
        &self.values[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.values[place as usize]
    }
}
