//! When a capture began and ended, by times of which single ones may be wrong.

use super::flight::apart;
use crate::model::{Duration, Timestamp};

/// Packets of one capture are rarely so far apart; a clock that jumps so far was set.
pub(super) const FAR: Duration = Duration::from_secs(2);

/// From the first to the latest frame of a capture.
#[derive(Debug, Default)]
pub(super) struct Extent {
    ends: Option<(Timestamp, Timestamp)>,
    /// Of the frame before.
    latest: Timestamp,
    /// Of the frame before, if that is far from the one before it.
    odd: Option<Timestamp>,
    has_second: bool,
}

impl Extent {
    /// Takes in the time of the next frame.
    #[inline]
    pub fn take(&mut self, time: Timestamp) {
        if self.odd.is_none() && self.has_second && apart(time, self.latest) <= FAR {
            self.reach(time);
        } else {
            self.judge(time);
        }
    }

    /// One that is far from those before and behind it is wrong; so is the first, if it is
    /// far from the second.
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
        self.latest = time;
        let until = self.ends.map_or(time, |(_, until)| until.max(time));
        self.ends = Some((self.ends.map_or(time, |(from, _)| from), until));
    }

    /// The first frame.
    pub fn from(&self) -> Option<Timestamp> {
        self.ends.map(|(from, _)| from)
    }

    /// The latest frame so far; the earliest time there is before the first.
    pub fn until(&self) -> Timestamp {
        let until = self.ends.map(|(_, until)| until);
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
