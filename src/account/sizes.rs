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
    fn add(&mut self, other: Self) {
        self.datagrams += other.datagrams;
        self.delivered += other.delivered;
    }
}

/// Datagrams by size class. Most flows have one or two sizes: the first class met
/// is held in place, a table is made for the others.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    class: u8,
    largest_bytes: u32,
    here: SizeCount,
    others: Option<Box<[SizeCount; SIZE_CLASSES]>>,
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
                count.add(self.here);
            }
            if let Some(others) = &self.others {
                count.add(others[usize::from(class)]);
            }
            (count.datagrams > 0).then_some((class, count))
        })
    }

    fn add(&mut self, class: u8, count: SizeCount) {
        if self.here.datagrams == 0 {
            self.class = class;
        }
        if class == self.class {
            self.here.add(count);
            return;
        }
        let others = self.others.get_or_insert_default();
        if let Some(other) = others.get_mut(usize::from(class)) {
            other.add(count);
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
