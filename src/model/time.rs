//! Capture time. Nothing in this crate reads a clock: time comes with frames.

use std::ops::{Add, Sub};

/// Nanoseconds since the Unix epoch, by the clock of the capture.
///
/// Signed, since a file may claim a time before 1970. Arithmetic saturates:
/// timestamps come from files that nobody has checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A span of capture time in nanoseconds; negative when clocks ran backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: i64 = 1_000_000_000;

impl Timestamp {
    /// Earliest time that can be expressed.
    pub const MIN: Self = Self(i64::MIN);
    /// Latest time that can be expressed.
    pub const MAX: Self = Self(i64::MAX);
}

impl Duration {
    /// A span of whole seconds.
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds.saturating_mul(1_000_000))
    }

    /// The span in seconds, for rates and for people.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl Sub for Timestamp {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_times_saturate() {
        assert_eq!(Timestamp::MAX + Duration::from_secs(30), Timestamp::MAX);
        assert_eq!(Timestamp::MAX - Timestamp::MIN, Duration(i64::MAX));
        assert_eq!(Duration::from_secs(i64::MAX), Duration(i64::MAX));
    }
}
