//! Packets of one point by hash, those whose hashes are smallest.
//!
//! Whatever two captures have in common is then in both samples, however long they are
//! (A. Broder, "On the resemblance and containment of documents", 1997).

use crate::model::{Addresses, Timestamp};

/// Packets of a sample.
const SAMPLE: usize = 1 << 13;
/// So many are held before they are put in order: to do that with each takes longer.
const HELD: usize = 2 * SAMPLE;

/// Packets by hash, the smallest ones.
#[derive(Debug)]
pub(super) struct Marks {
    /// In the order of their hashes, and behind these some as they came.
    marks: Vec<(u64, Mark)>,
    /// How many are in order, each hash once.
    settled: usize,
    /// The hash up to which it has all there were.
    reach: u64,
}

/// A packet of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub time: Timestamp,
    /// When the last like it came.
    pub last: Timestamp,
    pub addresses: Addresses,
    pub hop_limit: u8,
    pub bytes: u32,
    /// Whether it is a whole datagram of UDP.
    pub is_udp: bool,
    /// Packets like it.
    pub count: u32,
}

/// A packet of two samples.
pub(super) type Met<'a> = (&'a Mark, &'a Mark);

impl Default for Marks {
    fn default() -> Self {
        Self {
            marks: Vec::new(),
            settled: 0,
            reach: u64::MAX,
        }
    }
}

impl Marks {
    /// Takes in a packet.
    pub fn take(&mut self, key: u64, mark: Mark) {
        if key > self.reach {
            return;
        }
        self.marks.push((key, mark));
        if self.marks.len() == HELD {
            self.settle();
        }
    }

    /// Puts in order what came; before that nothing can be asked.
    pub fn settle(&mut self) {
        if self.settled == self.marks.len() {
            return;
        }
        let keys = self.marks.iter().map(|(key, _)| *key);
        // By place too: of those that are alike the first stays.
        let mut order: Vec<(u64, u32)> = keys.zip(0..).collect();
        order.sort_unstable();
        let mut settled: Vec<(u64, Mark)> = Vec::with_capacity(HELD);
        for (key, place) in order {
            let mark = self.marks[place as usize].1;
            let is_full = settled.len() == SAMPLE;
            match settled.last_mut() {
                Some((latest, known)) if *latest == key => known.add(&mark),
                Some((latest, _)) if is_full => {
                    self.reach = *latest;
                    break;
                }
                _ => settled.push((key, mark)),
            }
        }
        (self.settled, self.marks) = (settled.len(), settled);
    }

    /// The hash up to which it has all there were.
    pub fn reach(&self) -> u64 {
        self.reach
    }

    /// How many there are up to some hash.
    pub fn below(&self, reach: u64) -> usize {
        self.marks.partition_point(|(key, _)| *key <= reach)
    }

    /// What both have.
    pub fn met<'a>(&'a self, other: &'a Self) -> Vec<Met<'a>> {
        debug_assert!([self, other].iter().all(|marks| marks.is_settled()));
        let mut theirs = other.marks.iter().peekable();
        let pairs = self.marks.iter().filter_map(|(key, mine)| {
            while theirs.next_if(|(their, _)| their < key).is_some() {}
            let (_, same) = theirs.next_if(|(their, _)| their == key)?;
            Some((mine, same))
        });
        pairs.collect()
    }

    fn is_settled(&self) -> bool {
        self.settled == self.marks.len()
    }
}

impl Mark {
    /// Others like it came later.
    fn add(&mut self, others: &Self) {
        self.count += others.count;
        self.last = self.last.max(others.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn mark(time: i64) -> Mark {
        Mark {
            time: Timestamp(time),
            last: Timestamp(time),
            addresses: Addresses::default(),
            hop_limit: 64,
            bytes: 100,
            is_udp: false,
            count: 1,
        }
    }

    /// Numbers that follow no rule, up to some number.
    fn keys(many: i64, most: u64) -> impl Iterator<Item = (i64, u64)> {
        let key = move |number: i64| (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % most;
        (0..many).map(move |number| (number, key(number)))
    }

    fn marks(many: i64, most: u64) -> Marks {
        let mut marks = Marks::default();
        keys(many, most).for_each(|(time, key)| marks.take(key, mark(time)));
        marks.settle();
        marks
    }

    /// By hash: when the first came, when the last, and how many.
    type Expected = BTreeMap<u64, (i64, i64, u32)>;

    #[test]
    fn the_smallest_are_kept_with_all_like_them() {
        let size = SAMPLE as u64;
        for (many, most) in [(10, 3), (9_000, 1 << 20), (100_000, 20_000), (90_000, size)] {
            let mut all = Expected::new();
            for (time, key) in keys(many, most) {
                let (_, last, count) = all.entry(key).or_insert((time, time, 0));
                (*last, *count) = (time, *count + 1);
            }
            let is_full = all.len() > SAMPLE;
            let expected: Expected = all.into_iter().take(SAMPLE).collect();
            let marks = marks(many, most);
            let of = |mark: &Mark| (mark.time.0, mark.last.0, mark.count);
            let kept = marks.marks.iter().map(|(key, mark)| (*key, of(mark)));
            assert_eq!(kept.collect::<Expected>(), expected, "{many} of {most}");
            let largest = expected.last_key_value().map(|(largest, _)| *largest);
            let reach = largest.filter(|_| is_full).unwrap_or(u64::MAX);
            assert_eq!(marks.reach(), reach, "{many} of {most}");
            assert_eq!(marks.below(u64::MAX), expected.len());
            assert_eq!(marks.below(1), expected.range(..=1).count());
        }
    }

    #[test]
    fn what_both_have_is_met() {
        let met = |one: i64, other: i64| marks(one, 1 << 40).met(&marks(other, 1 << 40)).len();
        assert_eq!([met(500, 300), met(300, 500), met(0, 9)], [300, 300, 0]);
    }
}
