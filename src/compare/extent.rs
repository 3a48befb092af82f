//! When a capture began and ended, by times of which single ones may be wrong.

use super::flight::apart;
use crate::model::{Duration, Timestamp};

/// Packets of one capture are rarely so far apart; a clock that jumps so far was set.
pub(super) const FAR: Duration = Duration::from_secs(2);

/// From the first to the latest frame of a capture.
#[derive(Debug, Default)]
pub(super) struct Extent {
    /// But for those that came in order behind the last that did not.
    ends: Option<(Timestamp, Timestamp)>,
    /// Of the frame before.
    latest: Timestamp,
    /// Of the frame before, if that is far from the one before it.
    odd: Option<Timestamp>,
    has_second: bool,
    /// Whether the next frame is as good as it should be if it comes soon after the one before.
    is_steady: bool,
}

impl Extent {
    /// Takes in the time of the next frame.
    #[inline]
    pub fn take(&mut self, time: Timestamp) {
        let step = time.0.wrapping_sub(self.latest.0) as u64;
        if self.is_steady && step <= FAR.0 as u64 {
            self.latest = time;
        } else {
            self.judge(time);
            self.is_steady = self.has_second && self.odd.is_none();
        }
    }

    /// One that is far from those before and behind it is wrong; so is the first, if it is
    /// far from the second.
    #[cold]
    fn judge(&mut self, time: Timestamp) {
        let is_far = self.ends.is_some() && apart(time, self.latest) > FAR;
        if !self.has_second {
            self.has_second = self.ends.is_some();
            self.ends = self.ends.filter(|_| !is_far);
            return self.reach(time);
        }
        match self.odd.take().filter(|_| is_far) {
            Some(odd) => {
                self.reach(odd);
                self.reach(time);
            }
            None if is_far => self.odd = Some(time),
            None => self.reach(time),
        }
    }

    fn reach(&mut self, time: Timestamp) {
        let (from, until) = self.reached().unwrap_or((time, time));
        self.ends = Some((from, until.max(time)));
        self.latest = time;
    }

    fn reached(&self) -> Option<(Timestamp, Timestamp)> {
        let ends = self.ends;
        ends.map(|(from, until)| (from, until.max(self.latest)))
    }

    /// The first frame.
    pub fn from(&self) -> Option<Timestamp> {
        self.ends.map(|(from, _)| from)
    }

    /// The latest frame so far; the earliest time there is before the first.
    pub fn until(&self) -> Timestamp {
        let until = self.reached().map(|(_, until)| until);
        until.max(self.odd).unwrap_or(Timestamp::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and latest, in seconds.
    fn extent(seconds: &[i64]) -> (i64, i64) {
        let mut extent = Extent::default();
        for second in seconds {
            extent.take(Timestamp(second * 1_000_000_000));
        }
        let seconds = |time: Timestamp| time.0 / 1_000_000_000;
        (seconds(extent.from().unwrap()), seconds(extent.until()))
    }

    #[test]
    fn one_time_that_is_wrong_is_neither_end() {
        assert_eq!(extent(&[10]), (10, 10));
        assert_eq!(extent(&[10, 11, 12]), (10, 12));
        assert_eq!(extent(&[10, 11, 3_600, 12, 13]), (10, 13));
        assert_eq!(extent(&[10, 11, -3_600, 12, 13]), (10, 13));
        assert_eq!(extent(&[3_600, 10, 11]), (10, 11));
        assert_eq!(extent(&[-3_600, 10, 11]), (10, 11));
    }

    #[test]
    fn frames_may_be_far_apart_and_clocks_be_set() {
        assert_eq!(extent(&[10, 20, 30, 40]).1, 40);
        assert_eq!(extent(&[10, 11, 100, 101]), (10, 101));
        assert_eq!(extent(&[10, 11, 100]), (10, 100));
        assert_eq!(extent(&[10, 11, 5, 6, 7]), (10, 11));
    }

    #[test]
    fn there_may_be_none() {
        let extent = Extent::default();
        assert_eq!((extent.from(), extent.until()), (None, Timestamp::MIN));
    }
}
