//! How long packets took.

use crate::model::Duration;
use hdrhistogram::Histogram;

/// Delays, to two digits.
#[derive(Clone, Debug)]
pub struct Delays {
    histogram: Histogram<u32>,
    /// The least and the most, to the last digit.
    least: u64,
    most: u64,
    /// How many there were when it was last asked how long 99 of 100 took, and that.
    asked: (u64, u64),
}

/// What they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelayFigures {
    /// Packets that were measured.
    pub packets: u64,
    /// Nanoseconds: least.
    pub min: u64,
    /// Half took no longer.
    pub median: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// Most.
    pub max: u64,
}

/// Two digits are all that clocks and captures are worth.
const DIGITS: u8 = 2;

/// An hour: a bound on memory, far beyond any window.
const LONGEST: u64 = 3_600_000_000_000;

/// Bits of a delay that make two digits: 256 steps are exact to one in 128.
const STEP_BITS: u32 = 8;

/// The step of a delay in nanoseconds: what is in one counts alike in [`Delays`]. The lower byte has
/// the first bits of it, the upper one says how many behind these are left off.
#[inline]
pub(super) fn step_of(nanoseconds: u32) -> u16 {
    let left_off = (u32::BITS - STEP_BITS).saturating_sub(nanoseconds.leading_zeros());
    (left_off << STEP_BITS | nanoseconds >> left_off) as u16
}

/// The least delay of a step.
pub(super) fn begin_of(step: u16) -> u64 {
    let kept = u64::from(step) & ((1 << STEP_BITS) - 1);
    kept << (step >> STEP_BITS)
}

impl Delays {
    /// None yet; `None` never happens with these digits.
    pub fn new() -> Option<Self> {
        let histogram = Histogram::new(DIGITS).ok()?;
        Some(Self {
            histogram,
            least: u64::MAX,
            most: 0,
            asked: (0, 0),
        })
    }

    /// Takes in that of so many packets, in nanoseconds; clocks are never so exact that none
    /// is below zero.
    pub fn record(&mut self, nanoseconds: i64, packets: u32) {
        let value = u64::try_from(nanoseconds).unwrap_or(0);
        self.spans(value, value);
        self.count(value, packets);
    }

    /// The least and the most of several were these.
    pub fn spans(&mut self, least: u64, most: u64) {
        self.least = self.least.min(least);
        self.most = self.most.max(most);
    }

    /// Counts that of so many packets, which may be any of its step.
    pub fn count(&mut self, nanoseconds: u64, packets: u32) {
        // It grows as needed, up to this.
        let _ = self.histogram.record_n(nanoseconds.min(LONGEST), packets);
    }

    /// Adds others.
    pub fn add(&mut self, others: &Self) {
        self.least = self.least.min(others.least);
        self.most = self.most.max(others.most);
        // They grow as needed, so that nothing is out of range.
        let _ = self.histogram.add(&others.histogram);
    }

    /// 99 of 100 took no longer; nothing if there are none. It is asked for each packet that
    /// is lost, and found out where there are more delays since.
    fn slow(&mut self) -> u64 {
        if self.asked.0 != self.histogram.len() {
            self.asked = (self.histogram.len(), p99(&self.histogram));
        }
        self.asked.1
    }

    /// How many there are.
    pub fn packets(&self) -> u64 {
        self.histogram.len()
    }

    /// What they are.
    pub fn figures(&self) -> Option<DelayFigures> {
        let (histogram, least, most) = (&self.histogram, self.least, self.most);
        // What has two digits may lie beyond what has all.
        let within = |nanoseconds: u64| nanoseconds.clamp(least, most);
        (!histogram.is_empty()).then(|| DelayFigures {
            packets: self.packets(),
            min: least,
            median: within(histogram.value_at_quantile(0.5)),
            p99: within(p99(histogram)),
            max: most,
        })
    }
}

fn p99(histogram: &Histogram<u32>) -> u64 {
    histogram.value_at_quantile(0.99)
}

/// Delays of accounts, by number and pair of points: so many have their own, all others
/// share one.
#[derive(Debug, Default)]
pub(super) struct DelaysOf {
    pairs: usize,
    own: Vec<Option<Delays>>,
    rest: Vec<Option<Delays>>,
}

impl DelaysOf {
    /// Accounts that have their own, at most.
    pub const MOST: usize = 1 << 12;

    pub fn new(pairs: usize) -> Self {
        Self {
            pairs,
            own: Vec::new(),
            rest: (0..pairs).map(|_| Delays::new()).collect(),
        }
    }

    /// Makes room for so many accounts.
    pub fn make_room(&mut self, accounts: usize) {
        self.own.resize(accounts.min(Self::MOST) * self.pairs, None);
    }

    /// Swaps those of an account that has its own with what others have of it.
    pub fn swap(&mut self, others: &mut Self, number: usize) {
        let place = number * self.pairs..(number + 1) * self.pairs;
        let both = self
            .own
            .get_mut(place.clone())
            .zip(others.own.get_mut(place));
        if let Some((mine, theirs)) = both {
            mine.swap_with_slice(theirs);
        }
    }

    /// Whether an account has its own.
    pub fn has_own(&self, number: usize) -> bool {
        number < self.own.len() / self.pairs.max(1)
    }

    /// Where one more is written down.
    pub fn of(&mut self, number: usize, pair: usize) -> Option<&mut Delays> {
        match self.own.get_mut(number * self.pairs + pair) {
            Some(own) => {
                if own.is_none() {
                    *own = Delays::new();
                }
                own.as_mut()
            }
            None => self.rest[pair].as_mut(),
        }
    }

    /// How long few took longer than, of an account or of all others.
    pub fn slow(&mut self, number: usize, pair: usize) -> Duration {
        let own = self.own.get_mut(number * self.pairs + pair);
        let known = own.into_iter().chain(self.rest.get_mut(pair)).flatten();
        let slow = known.map(Delays::slow).max();
        Duration(slow.unwrap_or(0) as i64)
    }

    /// Those of accounts, each by pair of points, and of the rest.
    pub fn into_parts(self) -> (impl Iterator<Item = Option<Delays>>, Vec<Option<Delays>>) {
        (self.own.into_iter(), self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_one_step_counts_alike() {
        let histogram = Delays::new().unwrap().histogram;
        let ends = (0..32).flat_map(|bit| [1_u32 << bit, (1 << bit) - 1, u32::MAX >> bit]);
        let others = (0..100_000_u32).map(|number| number.wrapping_mul(42_949));
        for delay in ends.chain(0..2_000).chain(others) {
            let (step, begin) = (step_of(delay), begin_of(step_of(delay)));
            assert!(histogram.equivalent(delay.into(), begin), "{delay} {begin}");
            assert!(begin <= delay.into() && step_of(begin as u32) == step);
            let before = begin.checked_sub(1);
            assert!(before.is_none_or(|before| step_of(before as u32) != step));
        }
    }

    #[test]
    fn each_delay_counts_once_however_long_it_is() {
        let mut delays = Delays::new().unwrap();
        for exponent in 0..63 {
            delays.record(1 << exponent, 1);
        }
        delays.record(-5, 1);
        let figures = delays.figures().unwrap();
        assert_eq!((figures.packets, figures.min), (64, 0));
        assert!(figures.max >= LONGEST);
    }

    #[test]
    fn the_least_and_the_most_are_exact_and_all_else_is_between_them() {
        let mut delays = Delays::new().unwrap();
        delays.record(1_000_000, 190);
        let alike = delays.figures().unwrap();
        let figures = [alike.min, alike.median, alike.p99, alike.max];
        assert_eq!(figures, [1_000_000; 4]);
        let mut others = Delays::new().unwrap();
        others.record(999_999, 1);
        others.record(1_234_567, 1);
        delays.add(&others);
        let both = delays.figures().unwrap();
        assert_eq!((both.min, both.max), (999_999, 1_234_567));
    }

    #[test]
    fn accounts_beyond_the_bound_share_theirs() {
        let mut delays = DelaysOf::new(2);
        for number in 0..=DelaysOf::MOST {
            delays.make_room(number + 1);
            delays.of(number, 1).unwrap().record(number as i64, 1);
        }
        assert!(delays.has_own(DelaysOf::MOST - 1) && !delays.has_own(DelaysOf::MOST));
        assert!(delays.slow(0, 1).0 < 1_000_000);
        delays
            .of(DelaysOf::MOST + 7, 1)
            .unwrap()
            .record(1_000_000, 1);
        assert!(delays.slow(0, 1).0 >= 1_000_000);
        assert_eq!(delays.slow(0, 0), Duration(0));
        let (own, rest) = delays.into_parts();
        let own: Vec<_> = own.collect();
        assert_eq!(own.len(), 2 * DelaysOf::MOST);
        assert!(own[0].is_none());
        assert_eq!(own[15].as_ref().and_then(Delays::figures).unwrap().min, 7);
        assert_eq!(
            rest[1].as_ref().and_then(Delays::figures).unwrap().packets,
            2
        );
    }
}
