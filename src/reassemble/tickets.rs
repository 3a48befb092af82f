//! Which tickets of a queue still stand for what was queued.

use super::datagram::Datagram;
use super::queue::Ticket;
use super::slots::Slots;

fn is_live(slots: &Slots, ticket: Ticket, wanted: impl Fn(&Datagram) -> bool) -> bool {
    slots
        .get(ticket.slot)
        .is_some_and(|datagram| datagram.serial == ticket.serial && wanted(datagram))
}

/// Whether a ticket is of a datagram that is neither whole nor forgotten.
pub(super) fn unfinished(slots: &Slots) -> impl Fn(Ticket) -> bool {
    move |ticket| is_live(slots, ticket, |_| true)
}

/// Whether a ticket is of a datagram whose bytes are kept without its first fragment.
pub(super) fn headless(slots: &Slots) -> impl Fn(Ticket) -> bool {
    move |ticket| {
        is_live(slots, ticket, |datagram| {
            !datagram.has_first() && datagram.kept.is_some()
        })
    }
}
