//! How long packets took.

use hdrhistogram::Histogram;

/// Delays, to two digits.
#[derive(Clone, Debug)]
pub struct Delays(Histogram<u32>);

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

impl Delays {
    /// None yet; `None` never happens with these digits.
    pub fn new() -> Option<Self> {
        Histogram::new(DIGITS).ok().map(Self)
    }

    /// Takes in one, in nanoseconds; clocks are never so exact that none is below zero.
    pub fn record(&mut self, nanoseconds: i64) {
        let value = u64::try_from(nanoseconds).unwrap_or(0);
        // It grows as needed, up to this.
        let _ = self.0.record(value.min(LONGEST));
    }

    /// Adds others.
    pub fn add(&mut self, others: &Self) {
        // They grow as needed, so that nothing is out of range.
        let _ = self.0.add(&others.0);
    }

    /// What they are.
    pub fn figures(&self) -> Option<DelayFigures> {
        let histogram = &self.0;
        (!histogram.is_empty()).then(|| DelayFigures {
            packets: histogram.len(),
            min: histogram.min(),
            median: histogram.value_at_quantile(0.5),
            p99: histogram.value_at_quantile(0.99),
            max: histogram.max(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delay_counts_once_however_long_it_is() {
        let mut delays = Delays::new().unwrap();
        for exponent in 0..63 {
            delays.record(1 << exponent);
        }
        delays.record(-5);
        let figures = delays.figures().unwrap();
        assert_eq!((figures.packets, figures.min), (64, 0));
        assert!(figures.max >= LONGEST);
    }
}
