//! When the next snapshot is due.

use std::time::{Duration, Instant};

/// Ticks at equal intervals; those that could not be kept are left out.
#[derive(Debug)]
pub(super) struct Clock {
    interval: Duration,
    begun: Instant,
    next: Instant,
    ends: Option<Instant>,
}

impl Clock {
    pub fn new(interval: Duration, duration: Option<Duration>) -> Self {
        let begun = Instant::now();
        Self {
            interval,
            begun,
            next: begun + interval,
            ends: duration.and_then(|duration| begun.checked_add(duration)),
        }
    }

    /// Time until the next tick or the end; none if it is due.
    pub fn left(&self) -> Duration {
        let next = self.ends.map_or(self.next, |ends| ends.min(self.next));
        next.saturating_duration_since(Instant::now())
    }

    /// Whether a tick is due, which then is the next but one.
    pub fn tick(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next {
            return false;
        }
        while self.next <= now {
            self.next += self.interval;
        }
        true
    }

    /// Whether the time given is over.
    pub fn is_over(&self) -> bool {
        self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}
