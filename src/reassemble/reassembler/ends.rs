//! How datagrams end that did not become whole, and how all are forgotten.

use super::{Reassembler, ask};
use crate::model::{Duration, IpVersion, Timestamp};
use crate::reassemble::datagram::{Fate, State};
use crate::reassemble::listener::Listener;
use crate::reassemble::queue::{Queue, Ticket};
use crate::reassemble::tickets::unfinished;

impl Reassembler {
    /// Ends every datagram that is still unfinished, `end` being the time of the
    /// latest frame of the capture.
    pub fn finish(&mut self, end: Timestamp, listener: &mut impl Listener) {
        for datagram in self.slots.iter_mut() {
            let timeout = self.limits.timeout(&datagram.key.addresses);
            let fate = match datagram.state {
                State::Dead(fate) => fate,
                _ if end - datagram.opened > timeout => Fate::TimedOut,
                _ => Fate::Incomplete,
            };
            ask(datagram, listener);
            listener.lost(datagram, fate);
        }
        *self = Self {
            hit: self.hit,
            ..Self::new(self.limits)
        };
    }

    /// Tells of every datagram that is unfinished and was opened at `since` or later, as
    /// if the capture ended now; they stay as they are.
    pub fn tell_unfinished(&mut self, since: Timestamp, listener: &mut impl Listener) {
        let unfinished = self.slots.iter_mut();
        for datagram in unfinished.filter(|datagram| datagram.opened >= since) {
            let fate = match datagram.state {
                State::Dead(fate) => fate,
                State::Open | State::Closed => Fate::Incomplete,
            };
            ask(datagram, listener);
            listener.lost(datagram, fate);
        }
    }

    /// Ends what has timed out by `now`, and forgets what was completed long enough
    /// ago.
    #[inline]
    pub fn expire(&mut self, now: Timestamp, listener: &mut impl Listener) {
        while self.recent.is_first_over(now) {
            self.recent.drop_first();
        }
        while let Some(slot) = first_over(&self.open_v4, now, self.limits.timeout_v4) {
            self.end(slot, listener);
        }
        while let Some(slot) = first_over(&self.open_v6, now, self.limits.timeout_v6) {
            self.end(slot, listener);
        }
    }

    /// Whether the time of a datagram is over.
    #[inline]
    pub(super) fn is_over(&self, slot: u32, now: Timestamp) -> bool {
        self.slots.get(slot).is_some_and(|datagram| {
            now - datagram.opened > self.limits.timeout(&datagram.key.addresses)
        })
    }

    /// Ends a datagram whose time is over.
    pub(super) fn end(&mut self, slot: u32, listener: &mut impl Listener) {
        self.lose(slot, Fate::TimedOut, listener);
    }

    /// Makes room: first forgets what is complete anyway, then gives up the
    /// unfinished datagrams that were opened first.
    #[inline]
    pub(super) fn evict_over_bound(&mut self, listener: &mut impl Listener) {
        while self.memory_bytes() > self.limits.memory_bytes {
            if self.recent.drop_first() {
                continue;
            }
            let Some(oldest) = self.oldest_unfinished() else {
                return;
            };
            self.lose(oldest.slot, Fate::Evicted, listener);
        }
    }

    fn oldest_unfinished(&self) -> Option<Ticket> {
        match (self.open_v4.peek(), self.open_v6.peek()) {
            (Some(v4), Some(v6)) => Some(if v4.serial < v6.serial { v4 } else { v6 }),
            (v4, v6) => v4.or(v6),
        }
    }

    /// Ends a datagram with this fate, unless it has another already.
    fn lose(&mut self, slot: u32, fate: Fate, listener: &mut impl Listener) {
        if let Some(datagram) = self.slots.get_mut(slot) {
            let fate = match datagram.state {
                State::Dead(fate) => fate,
                State::Open | State::Closed => fate,
            };
            ask(datagram, listener);
            listener.lost(datagram, fate);
            if fate == Fate::TimedOut {
                self.expired.push(datagram, self.limits.memory_bytes);
            }
        }
        self.close(slot);
    }

    /// Makes the place of a datagram free.
    pub(super) fn close(&mut self, slot: u32) {
        let Some(datagram) = self.slots.get_mut(slot) else {
            return;
        };
        self.charges.release(datagram);
        self.pool.give(datagram.kept.take());
        let queue = match datagram.key.addresses.version {
            IpVersion::V4 => &mut self.open_v4,
            IpVersion::V6 => &mut self.open_v6,
        };
        self.slots.close(slot);
        queue.trim(unfinished(&self.slots));
    }
}

/// The datagram of the oldest ticket, if its time is over.
#[inline]
fn first_over(queue: &Queue, now: Timestamp, timeout: Duration) -> Option<u32> {
    let ticket = queue.peek()?;
    (now - ticket.opened > timeout).then_some(ticket.slot)
}
