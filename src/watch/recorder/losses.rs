//! What the interfaces counted in the last seconds.

use crate::model::{Duration, Timestamp};
use crate::watch::{Captured, Snapshot};
use std::collections::VecDeque;

/// Most moments that are remembered: a snapshot may come more than once a second.
const MAX_MOMENTS: usize = 4096;

/// Counts of one interface since the capture began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) received: u64,
    pub(super) dropped: u64,
    pub(super) interface_dropped: u64,
}

/// What the interfaces counted, moment by moment; the oldest first.
#[derive(Debug)]
pub(super) struct Losses {
    seconds: Duration,
    moments: VecDeque<(Timestamp, Vec<Counts>)>,
}

impl Losses {
    pub(super) fn new(seconds: Duration) -> Self {
        Self {
            seconds,
            moments: VecDeque::new(),
        }
    }

    /// Remembers the counts of a moment; forgets those that nobody will ask for.
    pub(super) fn see(&mut self, snapshot: &Snapshot) {
        let now = snapshot.timestamp.0;
        let counts = snapshot.captured.iter().map(Counts::of).collect();
        self.moments.push_back((now, counts));
        let is_old = |moment: Option<&(Timestamp, _)>| {
            moment.is_some_and(|(then, _)| now - *then >= self.seconds)
        };
        while is_old(self.moments.get(1)) || self.moments.len() > MAX_MOMENTS {
            self.moments.pop_front();
        }
    }

    /// The counts at a moment, or the last before it; zero where the capture began later.
    pub(super) fn at(&self, moment: Timestamp) -> Vec<Counts> {
        let known = self.moments.iter().rev().find(|(then, _)| *then <= moment);
        known.map_or_else(Vec::new, |(_, counts)| counts.clone())
    }
}

impl Counts {
    pub(super) fn of(captured: &Captured) -> Self {
        Self {
            received: captured.received,
            dropped: captured.dropped,
            interface_dropped: captured.interface_dropped,
        }
    }

    /// What was added since.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            received: self.received.saturating_sub(before.received),
            dropped: self.dropped.saturating_sub(before.dropped),
            interface_dropped: self
                .interface_dropped
                .saturating_sub(before.interface_dropped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Time;
    use crate::watch::samples;

    #[test]
    fn counts_of_the_last_seconds_are_remembered_and_no_others() {
        let mut losses = Losses::new(Duration::from_secs(10));
        let mut snapshot = samples::snapshot();
        let at = |second: i64| Timestamp(1_000 * 1_000_000_000 + second * 1_000_000_000);
        for second in 0..100 {
            snapshot.timestamp = Time(at(second));
            snapshot.captured[0].dropped = second as u64;
            losses.see(&snapshot);
        }
        assert_eq!(losses.moments.len(), 11);
        let dropped = |second| losses.at(at(second)).first().map(|counts| counts.dropped);
        assert_eq!(dropped(89), Some(89));
        assert_eq!(dropped(95), Some(95));
        assert_eq!(dropped(5), None);
    }
}
