//! What was offered and delivered over capture time.

use crate::model::counters::add_fields;
use crate::model::{Duration, Timestamp};

/// Most buckets of a timeline; a longer capture gets wider ones.
pub const MAX_BUCKETS: usize = 600;

/// One span of capture time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Frames that carried IP.
    pub packets: u64,
    /// Wire bytes of those.
    pub bytes: u64,
    /// Frames whose innermost readable IP packet was a fragment.
    pub fragments: u64,
    /// Datagrams that became whole here, unfragmented ones included.
    pub datagrams_completed: u64,
    /// Wire bytes of the datagrams that are whole and not known to be damaged.
    pub deliverable_bytes: u64,
    /// Fragmented datagrams begun here that never became whole.
    pub datagrams_lost: u64,
}

add_fields!(Bucket {
    packets,
    bytes,
    fragments,
    datagrams_completed,
    deliverable_bytes,
    datagrams_lost,
});

/// Buckets of equal width, aligned to the epoch, only those in which something
/// happened. The width is the base doubled as often as it takes for at most
/// [`MAX_BUCKETS`] of them: the same for the same events in any order.
#[derive(Clone, Debug)]
pub struct Timeline {
    width: i64,
    /// By bucket number, ascending.
    buckets: Vec<(i64, Bucket)>,
    /// The bucket of the last event, and when it begins and ends: nearly all events
    /// fall into it, and a division each would be felt.
    latest: usize,
    begins: i64,
    ends: i64,
}

impl Timeline {
    /// An empty timeline whose buckets are at least `width` wide.
    pub fn new(width: Duration) -> Self {
        Self {
            width: width.0.max(1),
            buckets: Vec::new(),
            latest: 0,
            begins: 0,
            ends: 0,
        }
    }

    /// The bucket of a moment.
    pub fn at(&mut self, time: Timestamp) -> &mut Bucket {
        if !(self.begins..self.ends).contains(&time.0) {
            self.find(time);
        }
        &mut self.buckets[self.latest].1
    }

    /// Width of each bucket.
    pub fn width(&self) -> Duration {
        Duration(self.width)
    }

    /// The buckets in order of time, each with its beginning.
    pub fn iter(&self) -> impl Iterator<Item = (Timestamp, &Bucket)> {
        self.buckets
            .iter()
            .map(|(number, bucket)| (Timestamp(number.saturating_mul(self.width)), bucket))
    }

    /// All buckets in one.
    pub fn sum(&self) -> Bucket {
        let buckets = self.buckets.iter().map(|(_, bucket)| *bucket);
        buckets.fold(Bucket::default(), |mut sum, bucket| {
            sum += bucket;
            sum
        })
    }

    /// The same in equal steps without gaps: as wide as it takes for at most
    /// [`MAX_BUCKETS`] steps from the first event to the last.
    #[must_use]
    pub fn in_equal_steps(&self) -> Self {
        let mut even = self.clone();
        while even.steps() > MAX_BUCKETS as i128 {
            even.coarsen();
        }
        let (Some((first, _)), Some((last, _))) = (even.buckets.first(), even.buckets.last())
        else {
            return even;
        };
        for number in *first..=*last {
            if let Err(place) = even.buckets.binary_search_by_key(&number, |(at, _)| *at) {
                even.buckets.insert(place, (number, Bucket::default()));
            }
        }
        even
    }

    /// Steps from the first event to the last, those without events included.
    fn steps(&self) -> i128 {
        match (self.buckets.first(), self.buckets.last()) {
            (Some((first, _)), Some((last, _))) => i128::from(*last) - i128::from(*first) + 1,
            _ => 0,
        }
    }

    /// Adds another timeline of the same base width.
    pub fn merge(&mut self, mut other: Self) {
        while self.width < other.width {
            self.coarsen();
        }
        while other.width < self.width {
            other.coarsen();
        }
        for (number, bucket) in other.buckets {
            let time = Timestamp(number.saturating_mul(other.width));
            *self.at(time) += bucket;
            // Adding may have widened the buckets; the beginning of a narrower
            // bucket lies in the wider one that holds all of it.
        }
    }

    /// Makes the bucket of a moment the latest.
    fn find(&mut self, time: Timestamp) {
        loop {
            let number = time.0.div_euclid(self.width);
            match self.buckets.binary_search_by_key(&number, |(at, _)| *at) {
                Ok(found) => {
                    self.latest = found;
                    break;
                }
                Err(place) => {
                    self.buckets.insert(place, (number, Bucket::default()));
                    self.latest = place;
                    if self.buckets.len() <= MAX_BUCKETS {
                        break;
                    }
                    self.coarsen();
                }
            }
        }
        let number = self.buckets[self.latest].0;
        self.begins = number.saturating_mul(self.width);
        self.ends = number.saturating_add(1).saturating_mul(self.width);
    }

    fn coarsen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut wide: Vec<(i64, Bucket)> = Vec::with_capacity(self.buckets.len());
        for (number, bucket) in &self.buckets {
            let number = number.div_euclid(2);
            match wide.last_mut() {
                Some((last, sum)) if *last == number => *sum += *bucket,
                _ => wide.push((number, *bucket)),
            }
        }
        self.buckets = wide;
        self.latest = 0;
        self.ends = self.begins;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn timeline(times: &[i64]) -> Timeline {
        let mut timeline = Timeline::new(Duration::from_secs(1));
        for time in times {
            timeline.at(Timestamp(*time)).packets += 1;
        }
        timeline
    }

    fn shape(timeline: &Timeline) -> (i64, Vec<(i64, u64)>) {
        let buckets = timeline
            .iter()
            .map(|(start, bucket)| (start.0, bucket.packets))
            .collect();
        (timeline.width().0, buckets)
    }

    proptest! {
        #[test]
        fn order_and_merging_do_not_matter(
            times in prop::collection::vec(-3_000_000_000_000i64..3_000_000_000_000, 0..2000),
            cut in 0usize..2000,
        ) {
            let whole = timeline(&times);
            prop_assert!(whole.buckets.len() <= MAX_BUCKETS);
            let mut reversed = times.clone();
            reversed.reverse();
            prop_assert_eq!(shape(&timeline(&reversed)), shape(&whole));
            let cut = cut.min(times.len());
            let mut left = timeline(&times[..cut]);
            left.merge(timeline(&times[cut..]));
            prop_assert_eq!(shape(&left), shape(&whole));
        }
    }

    #[test]
    fn equal_steps_have_no_gaps() {
        let second = 1_000_000_000;
        let gap = timeline(&[0, second, 20 * second, 2000 * second]).in_equal_steps();
        assert_eq!(gap.width(), Duration::from_secs(4));
        assert_eq!(gap.buckets.len(), 501);
        assert_eq!(gap.buckets[0].1.packets, 2);
        let ends = timeline(&[i64::MIN, i64::MAX]).in_equal_steps();
        assert!(ends.buckets.len() <= MAX_BUCKETS);
        assert_eq!(timeline(&[]).in_equal_steps().buckets.len(), 0);
    }

    #[test]
    fn absurd_times_stay_bounded() {
        let times: Vec<i64> = (0..5000u64)
            .map(|n| i64::MIN.wrapping_add_unsigned(n * 3_689_348_814_741_910))
            .collect();
        let timeline = timeline(&times);
        assert!(timeline.buckets.len() <= MAX_BUCKETS);
        assert_eq!(
            timeline
                .iter()
                .map(|(_, bucket)| bucket.packets)
                .sum::<u64>(),
            5000
        );
    }
}
