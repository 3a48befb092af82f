//! What one point has aside, in the order of time, and what of it is looked at once more.

use super::due::Due;
use super::stray::Held;
use crate::compare::fifo::Fifo;
use crate::compare::lately::{Lately, Print};
use crate::model::Timestamp;

/// Strays of one point in order of time, and of what came at one time in that in which it came.
#[derive(Debug)]
pub(super) struct Queue {
    entries: Fifo<Entry>,
    /// When the first of them is due, or [`Due::NEVER`].
    first: Due,
    /// When the last was seen.
    latest: Timestamp,
    /// How many of them were looked at again.
    looked: usize,
}

/// One of them: what it is itself is far away in memory.
#[derive(Clone, Copy, Debug)]
struct Entry {
    since: Timestamp,
    order: u32,
    held: Held,
    /// Of what is looked at again.
    print: Option<Print>,
}

impl Entry {
    fn due(&self) -> Due {
        Due::new(self.since, self.order, self.held)
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            entries: Fifo::default(),
            first: Due::NEVER,
            latest: Timestamp::MIN,
            looked: 0,
        }
    }
}

impl Queue {
    /// Adds a stray behind all else, if that is where it belongs; says whether it did. One
    /// that is before would wait for those in front of it, which may be hours ahead.
    pub fn add(&mut self, due: Due, print: Option<Print>) -> bool {
        let is_first = self.first == Due::NEVER;
        let goes_on = is_first || self.latest <= due.since();
        if goes_on {
            if is_first {
                self.first = due;
            }
            self.latest = due.since();
            self.entries.push(Entry {
                since: due.since(),
                order: due.order(),
                held: due.held(),
                print,
            });
        }
        goes_on
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// When the first is due, or [`Due::NEVER`].
    #[inline(always)]
    pub fn first(&self) -> Due {
        self.first
    }

    /// When the last was seen, if there is one.
    pub fn latest(&self) -> Option<Timestamp> {
        (self.first != Due::NEVER).then_some(self.latest)
    }

    /// Takes the first.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.looked = self.looked.saturating_sub(1);
        self.entries.pop();
        self.first = self.entries.first().map_or(Due::NEVER, Entry::due);
    }

    /// The next that was not looked at again, seen before some time, if it may be what was noted
    /// lately; those in front of it surely are not.
    pub fn look_again(&mut self, until: Timestamp, lately: &Lately) -> Option<Held> {
        while let Some(entry) = self.entries.get(self.looked)
            && entry.since < until
        {
            self.looked += 1;
            if entry.print.is_some_and(|print| lately.may_have(print)) {
                return Some(entry.held);
            }
        }
        None
    }
}
