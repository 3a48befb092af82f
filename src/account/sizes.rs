//! Datagrams of a flow by size class.

use crate::model::size_class::{SIZE_CLASSES, size_class};

/// Datagrams of one size class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeCount {
    /// Datagrams of this class.
    pub datagrams: u64,
    /// Those of them that are whole and not known to be damaged.
    pub delivered: u64,
}

impl SizeCount {
    fn delivered(datagrams: u64) -> Self {
        Self {
            datagrams,
            delivered: datagrams,
        }
    }

    /// Those that were not delivered.
    fn lost(self) -> Self {
        Self {
            datagrams: self.datagrams - self.delivered,
            delivered: 0,
        }
    }

    fn add(&mut self, other: Self) {
        self.datagrams += other.datagrams;
        self.delivered += other.delivered;
    }
}

/// Datagrams by size class. Most flows have one or two sizes, and all of it arrives:
/// what is delivered of the first class met is held in place, a table is made for the
/// rest.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    class: u8,
    largest_bytes: u32,
    /// Datagrams of that class, all delivered.
    delivered: u64,
    rest: Option<Box<[SizeCount; SIZE_CLASSES]>>,
}

impl Sizes {
    /// Counts a datagram of `bytes` (IP length).
    pub fn count(&mut self, bytes: u32, is_delivered: bool) {
        self.largest_bytes = self.largest_bytes.max(bytes);
        self.add(
            size_class(bytes),
            SizeCount {
                datagrams: 1,
                delivered: u64::from(is_delivered),
            },
        );
    }

    /// IP length of the largest datagram; 0 if there is none.
    pub fn largest_bytes(&self) -> u32 {
        self.largest_bytes
    }

    /// Adds another flow's or worker's sizes.
    pub fn merge(&mut self, other: Self) {
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
        for (class, count) in other.iter() {
            self.add(class, count);
        }
    }

    /// The classes that occur, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = (u8, SizeCount)> + '_ {
        (0..SIZE_CLASSES as u8).filter_map(|class| {
            let mut count = SizeCount::default();
            if class == self.class {
                count.add(SizeCount::delivered(self.delivered));
            }
            if let Some(rest) = &self.rest {
                count.add(rest[usize::from(class)]);
            }
            (count.datagrams > 0).then_some((class, count))
        })
    }

    #[inline]
    fn add(&mut self, class: u8, count: SizeCount) {
        if self.delivered == 0 {
            self.class = class;
        }
        let is_here = class == self.class;
        if is_here {
            self.delivered += count.delivered;
        }
        let rest = if is_here { count.lost() } else { count };
        if rest.datagrams > 0 {
            self.add_to_rest(class, rest);
        }
    }

    #[inline(never)]
    fn add_to_rest(&mut self, class: u8, count: SizeCount) {
        let rest = self.rest.get_or_insert_default();
        if let Some(known) = rest.get_mut(usize::from(class)) {
            known.add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up_in_any_order() {
        let sizes = [60u32, 65_535, 61, 1500, 60, 100_000];
        let mut forwards = Sizes::default();
        let mut backwards = Sizes::default();
        for bytes in sizes {
            forwards.count(bytes, bytes < 1000);
        }
        for bytes in sizes.into_iter().rev() {
            backwards.count(bytes, bytes < 1000);
        }
        let expected: Vec<_> = forwards.iter().collect();
        assert_eq!(backwards.iter().collect::<Vec<_>>(), expected);
        let counts: Vec<_> = expected
            .iter()
            .map(|(class, count)| (*class, count.datagrams, count.delivered))
            .collect();
        assert_eq!(counts, [(5, 3, 3), (10, 1, 0), (15, 1, 0), (16, 1, 0)]);
        forwards.merge(backwards);
        assert_eq!(
            forwards
                .iter()
                .map(|(_, count)| count.datagrams)
                .sum::<u64>(),
            12
        );
    }
}
