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

impl Delays {
    /// None yet; `None` never happens with these digits.
    pub fn new() -> Option<Self> {
        Histogram::new(DIGITS).ok().map(Self)
    }

    /// Takes in one, in nanoseconds; clocks are never so exact that none is below zero.
    pub fn record(&mut self, nanoseconds: i64) {
        let value = u64::try_from(nanoseconds).unwrap_or(0);
        // A bound on memory, far beyond any window: an hour.
        self.0.saturating_record(value.min(3_600_000_000_000));
        if self.0.high() < value {
            let _ = self.0.record(value.min(3_600_000_000_000));
        }
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
