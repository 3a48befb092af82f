//! Fragments into the datagrams they belong to.

use super::charges::Charges;
use super::datagram::{Datagram, Fate, State};
use super::expired::Expired;
use super::fragment::FragmentFacts;
use super::hash::KeyHasher;
use super::kept::Pool;
use super::limits::{Limits, LimitsHit};
use super::listener::{Listener, WholeDatagram};
use super::pieces::NewPiece;
use super::queue::{Queue, Ticket};
use super::recent::Recent;
use super::rules::{Judgement, judge, piece_of};
use super::slots::Slots;
use super::tickets::{headless, unfinished};
use crate::model::IpVersion;

mod ends;

/// The share of the memory bound that bytes may take whose datagram has not shown
/// its first fragment: one in this many.
const HEADLESS_SHARE: usize = 8;

/// Reassembles one shard of the fragments of a capture.
#[derive(Debug, Default)]
pub struct Reassembler {
    limits: Limits,
    slots: Slots,
    recent: Recent,
    expired: Expired,
    hasher: KeyHasher,
    /// Unfinished and dead datagrams in the order they were opened; the two
    /// versions have different timeouts. The oldest ticket of both is a live one.
    open_v4: Queue,
    open_v6: Queue,
    /// Datagrams whose bytes are kept although their first fragment is missing.
    headless: Queue,
    pool: Pool,
    charges: Charges,
    next_serial: u64,
    hit: LimitsHit,
}

impl Reassembler {
    /// An empty table with its bounds.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Takes one fragment with the captured bytes of its payload.
    pub fn take(
        &mut self,
        fragment: &FragmentFacts,
        captured: &[u8],
        listener: &mut impl Listener,
    ) {
        self.expire(fragment.timestamp, listener);
        let piece = piece_of(fragment);
        if let Some(slot) = self.slot_for(fragment, &piece, listener) {
            self.add(slot, fragment, &piece, captured, listener);
            self.evict_over_bound(listener);
        }
    }

    /// How often bounds were met since it was asked before.
    pub fn take_limits_hit(&mut self) -> LimitsHit {
        std::mem::take(&mut self.hit)
    }

    /// Datagrams that are neither whole nor given up.
    pub fn open_datagrams(&self) -> usize {
        self.slots
            .iter()
            .filter(|datagram| datagram.state == State::Open)
            .count()
    }

    /// Memory charged to datagrams, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.charges.bytes + self.recent.memory_bytes() + self.expired.memory_bytes()
    }

    /// Where the datagram of a fragment is, which is opened if there is none; `None`
    /// for a copy that came after the datagram was whole.
    #[inline]
    fn slot_for(
        &mut self,
        fragment: &FragmentFacts,
        piece: &NewPiece,
        listener: &mut impl Listener,
    ) -> Option<u32> {
        match self.slots.latest(&fragment.key) {
            Some(slot) if !self.is_over(slot, fragment.timestamp) => Some(slot),
            _ => self.searched_slot_for(fragment, piece, listener),
        }
    }

    fn searched_slot_for(
        &mut self,
        fragment: &FragmentFacts,
        piece: &NewPiece,
        listener: &mut impl Listener,
    ) -> Option<u32> {
        let now = fragment.timestamp;
        let hash = self.hasher.hash(&fragment.key);
        if let Some(slot) = self.slots.find(hash, &fragment.key) {
            if !self.is_over(slot, now) {
                return Some(slot);
            }
            self.end(slot, listener);
        } else if let Some(number) = self.recent.find(hash, &fragment.key) {
            if let Some(completed) = self.recent.copied(number, piece, now) {
                listener.late_copy(completed, fragment);
                return None;
            }
            self.recent.forget(number);
        }
        Some(self.open(fragment, hash))
    }

    fn open(&mut self, fragment: &FragmentFacts, hash: u32) -> u32 {
        let serial = self.next_serial;
        self.next_serial += 1;
        let slot = self.slots.open(fragment, hash, serial);
        if let Some(datagram) = self.slots.get_mut(slot) {
            datagram.predecessor = self.expired.find(&fragment.key);
        }
        let queue = match fragment.key.addresses.version {
            IpVersion::V4 => &mut self.open_v4,
            IpVersion::V6 => &mut self.open_v6,
        };
        let ticket = Ticket {
            slot,
            serial,
            opened: fragment.timestamp,
        };
        queue.push(ticket, self.slots.len(), unfinished(&self.slots));
        slot
    }

    /// Adds a fragment to a datagram that is open or dead.
    fn add(
        &mut self,
        slot: u32,
        fragment: &FragmentFacts,
        piece: &NewPiece,
        captured: &[u8],
        listener: &mut impl Listener,
    ) {
        let Some(datagram) = self.slots.get_mut(slot) else {
            return;
        };
        datagram.tally.count(fragment);
        datagram.last_timestamp = fragment.timestamp;
        datagram.arrival.note(fragment);
        let is_first = fragment.offset == 0 && !datagram.has_first();
        if is_first {
            datagram.begin(fragment, captured);
            datagram.is_tunnel = listener.is_tunnel(datagram, captured);
        }
        let judgement = judge(datagram, fragment, piece);
        if is_first && datagram.is_tunnel {
            ask_or_wait(datagram, &judgement, piece, captured, listener);
        }
        match judgement {
            Judgement::Void => {}
            Judgement::Copy { altered } => {
                datagram.tally.count_duplicate(fragment);
                datagram.tally.altered += u64::from(altered);
            }
            Judgement::Fatal(fate) => {
                datagram.tally.overlapping += u64::from(fate == Fate::Overlapped);
                self.kill(slot, fate, listener);
            }
            Judgement::Fits => {
                let usable = captured.len().min(piece.bytes as usize);
                self.fit(slot, piece, &captured[..usable]);
                self.complete_if_whole(slot, fragment, listener);
            }
        }
    }

    /// Takes in the bytes of a piece that fits.
    fn fit(&mut self, slot: u32, piece: &NewPiece, captured: &[u8]) {
        let Some(datagram) = self.slots.get_mut(slot) else {
            return;
        };
        datagram.head.put(piece.offset, captured);
        datagram.add_excess(piece, captured);
        let was_kept = datagram.kept.is_some();
        let is_kept = datagram.keep(piece.offset, captured, &mut self.pool);
        self.charges.charge(datagram);
        if is_kept && !was_kept && !datagram.has_first() {
            let ticket = Ticket {
                slot,
                serial: datagram.serial,
                opened: datagram.opened,
            };
            let live = self.slots.len();
            self.headless.push(ticket, live, headless(&self.slots));
        }
        if self.charges.headless_bytes > self.limits.memory_bytes / HEADLESS_SHARE {
            self.give_up_headless_over_bound();
        }
    }

    fn give_up_headless_over_bound(&mut self) {
        while self.charges.headless_bytes > self.limits.memory_bytes / HEADLESS_SHARE {
            self.headless.trim(headless(&self.slots));
            let Some(ticket) = self.headless.peek() else {
                return;
            };
            let Some(datagram) = self.slots.get_mut(ticket.slot) else {
                return;
            };
            datagram.kept = None;
            datagram.bytes_given_up = true;
            self.charges.charge(datagram);
        }
    }

    fn complete_if_whole(
        &mut self,
        slot: u32,
        fragment: &FragmentFacts,
        listener: &mut impl Listener,
    ) {
        let Some(datagram) = self.slots.get_mut(slot) else {
            return;
        };
        let Some(payload_bytes) = datagram.pieces.whole_bytes() else {
            return;
        };
        let is_unopened = datagram.tunnel.is_some() && datagram.bytes_given_up;
        self.hit.tunnels_unopened += u64::from(is_unopened);
        let inside = listener.reassembled(&WholeDatagram {
            datagram,
            captured: datagram.kept.as_ref().map_or(&[], |kept| kept.beginning()),
            unread_first: datagram.unread_first(),
            sum: datagram.pieces.sum(),
            payload_bytes,
            completed_by: fragment,
        });
        self.recent.push(datagram, inside, fragment.timestamp);
        self.close(slot);
    }

    /// Drops what is held of a contradictory datagram; it stays known.
    fn kill(&mut self, slot: u32, fate: Fate, listener: &mut impl Listener) {
        if let Some(datagram) = self.slots.get_mut(slot) {
            ask(datagram, listener);
            self.pool.give(datagram.kept.take());
            datagram.state = State::Dead(fate);
            datagram.pieces.clear();
            self.charges.charge(datagram);
        }
    }
}

/// The first fragment of a tunnel packet has come: what it carries need not be asked
/// now if its bytes are kept, since that is only of interest if the packet is lost.
fn ask_or_wait(
    datagram: &mut Datagram,
    judgement: &Judgement,
    piece: &NewPiece,
    captured: &[u8],
    listener: &mut impl Listener,
) {
    let is_kept = matches!(judgement, Judgement::Fits)
        && !datagram.bytes_given_up
        && captured.len() <= piece.bytes as usize;
    if is_kept {
        datagram.unread_first = Some(captured.len() as u32);
    } else {
        datagram.tunnel = listener.carried(datagram, captured);
    }
}

/// Asks what the tunnel in a datagram carries, before the bytes that show it are gone.
fn ask(datagram: &mut Datagram, listener: &mut impl Listener) {
    if let Some(first) = datagram.unread_first() {
        datagram.tunnel = listener.carried(datagram, first);
        datagram.unread_first = None;
    }
}

#[cfg(test)]
mod tests;
