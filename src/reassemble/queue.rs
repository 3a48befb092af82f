//! Slots in the order they were queued, with tickets that go stale.

use crate::model::Timestamp;
use std::collections::VecDeque;

/// A place in a queue: valid while the slot still holds the datagram that the
/// serial number was given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) slot: u32,
    pub(super) serial: u64,
    /// When the datagram was opened.
    pub(super) opened: Timestamp,
}

/// A first-in first-out queue whose tickets may go stale behind its back.
#[derive(Debug, Default)]
pub(super) struct Queue {
    tickets: VecDeque<Ticket>,
}

impl Queue {
    /// Queues a ticket. Of a queue that has grown to more than twice the `live`
    /// tickets that can be in it, the stale ones are dropped: constant work a
    /// ticket over time, and memory that follows what is alive.
    pub(super) fn push(&mut self, ticket: Ticket, live: usize, is_live: impl Fn(Ticket) -> bool) {
        if self.tickets.len() > 2 * live + 64 {
            self.tickets.retain(|ticket| is_live(*ticket));
        }
        self.tickets.push_back(ticket);
    }

    /// The oldest ticket, live or not.
    #[inline]
    pub(super) fn peek(&self) -> Option<Ticket> {
        self.tickets.front().copied()
    }

    /// Drops stale tickets until the oldest is a live one.
    pub(super) fn trim(&mut self, is_live: impl Fn(Ticket) -> bool) {
        while let Some(ticket) = self.tickets.front()
            && !is_live(*ticket)
        {
            self.tickets.pop_front();
        }
    }
}
