//! The clocks of all points, seen from that of the first.

use crate::model::{Duration, Timestamp};
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Clock, ClockBasis};

/// What is known of the clocks.
#[derive(Debug)]
pub(super) struct Clocks {
    clocks: Vec<Clock>,
    /// Where the comparison begins, by the clock of the first point.
    begin: Timestamp,
}

impl Clocks {
    /// Those of a comparison.
    pub fn of(comparison: &Comparison) -> Self {
        let common = comparison.common;
        Self {
            clocks: comparison.points.iter().map(|point| point.clock).collect(),
            begin: common.map_or(Timestamp::default(), |common| common.first_timestamp.0),
        }
    }

    /// Whether anything is known of a clock.
    pub fn knows(&self, point: u32) -> bool {
        let clock = self.clocks.get(point as usize);
        clock.is_some_and(|clock| {
            let is_reference = clock.basis == ClockBasis::Reference;
            is_reference || clock.basis != ClockBasis::None && clock.offset_seconds.is_some()
        })
    }

    /// What the clock of the first point said when that of a point said this. A clock of
    /// which nothing is known is taken for that of the first.
    pub fn by_first(&self, point: u32, time: Timestamp) -> Timestamp {
        let clock = self.clocks.get(point as usize).copied().unwrap_or_default();
        let offset = clock.offset_seconds.unwrap_or(0.0);
        let since = (time - self.begin).as_secs_f64() - offset;
        let gained = since * clock.drift_ppm.unwrap_or(0.0) / 1e6;
        // What is no number becomes 0, what is too large the largest there is.
        let ahead = Duration(((offset + gained) * 1e9).round() as i64);
        time + (Duration(0) - ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::path::tests::comparison;

    #[test]
    fn clocks_are_ahead_and_run_fast() {
        let mut document = comparison(3).document;
        document.points[1].clock.offset_seconds = Some(2.0);
        document.points[1].clock.drift_ppm = Some(100.0);
        document.points[2].clock.offset_seconds = Some(f64::NAN);
        let clocks = Clocks::of(&document);
        let begin = clocks.begin.0;
        let seen = |point, nanos: i64| clocks.by_first(point, Timestamp(begin + nanos)).0 - begin;
        assert_eq!(seen(0, 5), 5);
        assert_eq!(seen(1, 2_000_000_000), 0);
        assert_eq!(seen(1, 12_000_000_000), 9_999_000_000);
        assert_eq!(seen(2, 7), 7);
        assert_eq!(seen(9, 7), 7);
        clocks.by_first(1, Timestamp::MIN);
        clocks.by_first(1, Timestamp::MAX);
    }
}
