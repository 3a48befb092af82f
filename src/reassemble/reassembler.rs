//! The table of datagrams in reassembly, and the rules of their lives.

use super::datagram::{Carried, Datagram, Fate, HeaderFacts, State};
use super::fragment::{FragmentFacts, Key};
use super::limits::{Limits, LimitsHit};
use super::pieces::NewPiece;
use super::queue::{Queue, Ticket};
use super::rules::{Judgement, judge, piece_of};
use super::tickets::{complete, headless, unfinished};
use crate::model::{Duration, IpVersion, Sum, Timestamp};
use hashbrown::HashMap;

/// How long a completed datagram is still known, so that a copy of one of its
/// pieces (mirror ports and `-i any` deliver everything twice) opens no new one.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// The share of the memory bound that bytes may take whose datagram has not shown
/// its first fragment: one in this many.
const HEADLESS_SHARE: usize = 8;

/// Whoever drives reassembly: answers its one question and hears the outcomes.
pub trait Listener {
    /// What the tunnel in a payload beginning with `captured` carries; `None` for
    /// anything that is no tunnel. Asked once a datagram, when its first fragment
    /// comes.
    fn tunnel(&mut self, datagram: &Datagram, captured: &[u8]) -> Option<Carried>;

    /// Told of every datagram, once its fate is known.
    fn outcome(&mut self, outcome: Outcome<'_>);
}

/// What became of a datagram.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// It is whole.
    Reassembled(WholeDatagram<'a>),
    /// It will not become whole.
    Lost(&'a Datagram, Fate),
    /// A copy of one of its pieces came after it was whole.
    LateCopy(&'a Datagram, &'a FragmentFacts),
}

/// A datagram whose pieces all came.
#[derive(Clone, Copy, Debug)]
pub struct WholeDatagram<'a> {
    /// What came of it.
    pub datagram: &'a Datagram,
    /// The beginning of its payload, as far as it was captured without a gap, where
    /// it carries a tunnel.
    pub captured: &'a [u8],
    /// Sum of its payload; `None` where some of it was not captured.
    pub sum: Option<Sum>,
    /// Payload bytes.
    pub payload_bytes: u32,
    /// The fragment that completed it.
    pub completed_by: &'a FragmentFacts,
}

/// Reassembles one shard of the fragments of a capture.
#[derive(Debug)]
pub struct Reassembler {
    limits: Limits,
    slots: Vec<Option<Datagram>>,
    free: Vec<u32>,
    by_key: HashMap<Key, u32, foldhash::fast::RandomState>,
    /// The datagram of the last fragment: fragments of one come in a row.
    latest: Option<(Key, u32)>,
    /// Unfinished and dead datagrams in the order they were opened; the two
    /// versions have different timeouts.
    open_v4: Queue,
    open_v6: Queue,
    /// Completed datagrams in the order they were completed.
    completed: Queue,
    /// Datagrams whose bytes are kept although their first fragment is missing.
    headless: Queue,
    headless_bytes: usize,
    charged_bytes: usize,
    next_serial: u64,
    hit: LimitsHit,
}

impl Reassembler {
    /// An empty table with its bounds.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            slots: Vec::new(),
            free: Vec::new(),
            by_key: HashMap::default(),
            latest: None,
            open_v4: Queue::default(),
            open_v6: Queue::default(),
            completed: Queue::default(),
            headless: Queue::default(),
            headless_bytes: 0,
            charged_bytes: 0,
            next_serial: 0,
            hit: LimitsHit::default(),
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
        let slot = match self.known(fragment, &piece, listener) {
            Known::Open(slot) => slot,
            Known::LateCopyOf(slot) => {
                if let Some(datagram) = self.datagram(slot) {
                    listener.outcome(Outcome::LateCopy(datagram, fragment));
                }
                return;
            }
            Known::No => self.open(fragment),
        };
        self.add(slot, fragment, &piece, captured, listener);
        self.evict_over_bound(listener);
    }

    /// Ends every datagram that is still unfinished, `end` being the time of the
    /// latest frame of the capture.
    pub fn finish(&mut self, end: Timestamp, listener: &mut impl Listener) {
        let timeouts = self.limits;
        for datagram in self.slots.iter().flatten() {
            let fate = match datagram.state {
                State::Complete(_) => continue,
                State::Dead(fate) => fate,
                State::Open => {
                    let timeout = timeouts.timeout(&datagram.key.addresses);
                    if end - datagram.opened > timeout {
                        Fate::TimedOut
                    } else {
                        Fate::Incomplete
                    }
                }
            };
            listener.outcome(Outcome::Lost(datagram, fate));
        }
        *self = Self {
            hit: self.hit,
            ..Self::new(self.limits)
        };
    }

    /// How often bounds were met.
    pub fn limits_hit(&self) -> LimitsHit {
        self.hit
    }

    /// Datagrams that are neither whole nor given up.
    pub fn open_datagrams(&self) -> usize {
        self.slots
            .iter()
            .flatten()
            .filter(|datagram| datagram.state == State::Open)
            .count()
    }

    /// Memory charged to datagrams, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.charged_bytes
    }

    fn datagram(&self, slot: u32) -> Option<&Datagram> {
        self.slots.get(slot as usize).and_then(Option::as_ref)
    }

    /// What is known of the fragment's datagram. One that has timed out, or was
    /// completed and shows with this piece that its id is used again, is ended.
    fn known(
        &mut self,
        fragment: &FragmentFacts,
        piece: &NewPiece,
        listener: &mut impl Listener,
    ) -> Known {
        let Some(slot) = self.find(&fragment.key) else {
            return Known::No;
        };
        let Some(datagram) = self.datagram(slot) else {
            return Known::No;
        };
        match datagram.state {
            State::Complete(at) => {
                if fragment.timestamp - at <= COPIES_COME_WITHIN && datagram.pieces.holds(piece) {
                    return Known::LateCopyOf(slot);
                }
                self.remove(slot);
                Known::No
            }
            State::Open | State::Dead(_) if self.is_over(datagram, fragment.timestamp) => {
                self.end(slot, listener);
                Known::No
            }
            State::Open | State::Dead(_) => Known::Open(slot),
        }
    }

    fn find(&mut self, key: &Key) -> Option<u32> {
        if let Some((latest, slot)) = &self.latest
            && latest == key
        {
            return Some(*slot);
        }
        let slot = *self.by_key.get(key)?;
        self.latest = Some((*key, slot));
        Some(slot)
    }

    fn is_over(&self, datagram: &Datagram, now: Timestamp) -> bool {
        now - datagram.opened > self.limits.timeout(&datagram.key.addresses)
    }

    fn open(&mut self, fragment: &FragmentFacts) -> u32 {
        let datagram = Datagram::open(fragment, self.next_serial);
        let ticket_serial = self.next_serial;
        self.next_serial += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(datagram);
                slot
            }
            None => {
                self.slots.push(Some(datagram));
                (self.slots.len() - 1) as u32
            }
        };
        self.by_key.insert(fragment.key, slot);
        self.latest = Some((fragment.key, slot));
        let queue = match fragment.key.addresses.version {
            IpVersion::V4 => &mut self.open_v4,
            IpVersion::V6 => &mut self.open_v6,
        };
        let ticket = Ticket {
            slot,
            serial: ticket_serial,
        };
        queue.push(ticket, self.by_key.len(), unfinished(&self.slots));
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
        let Some(datagram) = self.slots.get_mut(slot as usize).and_then(Option::as_mut) else {
            return;
        };
        datagram.tally.count(fragment);
        datagram.last_timestamp = fragment.timestamp;
        if fragment.offset == 0 && !datagram.has_first() {
            datagram.header = HeaderFacts::of(fragment);
            datagram.head.put(0, captured);
            datagram.look_back();
            datagram.tunnel = listener.tunnel(datagram, captured);
        }
        if datagram.state != State::Open {
            return;
        }
        match judge(&mut datagram.pieces, fragment, piece) {
            Judgement::Copy => datagram.tally.count_duplicate(fragment),
            Judgement::Fatal(fate) => {
                datagram.tally.overlapping += u64::from(fate == Fate::Overlapped);
                self.kill(slot, fate);
            }
            Judgement::Fits => {
                let usable = captured.len().min(piece.bytes as usize);
                let captured = &captured[..usable];
                datagram.head.put(fragment.offset, captured);
                datagram.add_excess(piece, captured);
                self.keep_bytes(slot, fragment.offset, captured);
                self.complete_if_whole(slot, fragment, listener);
                self.charge(slot);
                self.give_up_headless_over_bound();
            }
        }
    }

    /// Keeps the bytes of a piece if its datagram carries a tunnel, or may.
    fn keep_bytes(&mut self, slot: u32, offset: u32, captured: &[u8]) {
        let Some(datagram) = self.slots[slot as usize].as_mut() else {
            return;
        };
        if datagram.has_first() && datagram.tunnel.is_none() {
            datagram.kept = None;
        } else if !datagram.bytes_given_up {
            let is_headless = !datagram.has_first() && datagram.kept.is_none();
            let kept = datagram.kept.get_or_insert_default();
            kept.put(offset as usize, captured);
            if is_headless {
                let ticket = Ticket {
                    slot,
                    serial: datagram.serial,
                };
                let live = self.by_key.len();
                self.headless.push(ticket, live, headless(&self.slots));
            }
        }
    }

    fn give_up_headless_over_bound(&mut self) {
        while self.headless_bytes > self.limits.memory_bytes / HEADLESS_SHARE {
            let Some(ticket) = self.headless.front(headless(&self.slots)) else {
                return;
            };
            if let Some(datagram) = self.slots[ticket.slot as usize].as_mut() {
                datagram.kept = None;
                datagram.bytes_given_up = true;
            }
            self.charge(ticket.slot);
        }
    }

    fn complete_if_whole(
        &mut self,
        slot: u32,
        fragment: &FragmentFacts,
        listener: &mut impl Listener,
    ) {
        let Some(datagram) = self.slots[slot as usize].as_mut() else {
            return;
        };
        let Some(payload_bytes) = datagram.pieces.whole_bytes() else {
            return;
        };
        datagram.state = State::Complete(fragment.timestamp);
        let is_unopened = datagram.tunnel.is_some() && datagram.bytes_given_up;
        self.hit.tunnels_unopened += u64::from(is_unopened);
        let kept = datagram.kept.take();
        listener.outcome(Outcome::Reassembled(WholeDatagram {
            datagram,
            captured: kept.as_ref().map_or(&[], |kept| kept.beginning()),
            sum: datagram.pieces.sum(),
            payload_bytes,
            completed_by: fragment,
        }));
        let ticket = Ticket {
            slot,
            serial: datagram.serial,
        };
        let live = self.by_key.len();
        self.completed.push(ticket, live, complete(&self.slots));
    }

    /// Drops what is held of a contradictory datagram; it stays known.
    fn kill(&mut self, slot: u32, fate: Fate) {
        let Some(datagram) = self.slots[slot as usize].as_mut() else {
            return;
        };
        datagram.kept = None;
        datagram.state = State::Dead(fate);
        datagram.pieces = Default::default();
        self.charge(slot);
    }

    /// Brings what a datagram is charged with up to date.
    fn charge(&mut self, slot: u32) {
        if let Some(datagram) = self.slots[slot as usize].as_mut() {
            let bytes = datagram.memory_bytes();
            self.charged_bytes += bytes;
            self.charged_bytes -= datagram.charged_bytes;
            datagram.charged_bytes = bytes;
            let headless_bytes = datagram.headless_bytes();
            self.headless_bytes += headless_bytes;
            self.headless_bytes -= datagram.charged_headless_bytes;
            datagram.charged_headless_bytes = headless_bytes;
        }
    }

    /// Ends what has timed out by `now`, and forgets what was completed long enough
    /// ago.
    fn expire(&mut self, now: Timestamp, listener: &mut impl Listener) {
        while let Some(ticket) = self.completed.front(complete(&self.slots)) {
            match self.datagram(ticket.slot).map(|datagram| datagram.state) {
                Some(State::Complete(at)) if now - at > COPIES_COME_WITHIN => {
                    self.remove(ticket.slot);
                }
                _ => break,
            }
        }
        while let Some(ticket) = self.open_v4.front(unfinished(&self.slots)) {
            if !self.end_if_over(ticket, now, listener) {
                break;
            }
        }
        while let Some(ticket) = self.open_v6.front(unfinished(&self.slots)) {
            if !self.end_if_over(ticket, now, listener) {
                break;
            }
        }
    }

    fn end_if_over(
        &mut self,
        ticket: Ticket,
        now: Timestamp,
        listener: &mut impl Listener,
    ) -> bool {
        let is_over = self
            .datagram(ticket.slot)
            .is_some_and(|datagram| self.is_over(datagram, now));
        if is_over {
            self.end(ticket.slot, listener);
        }
        is_over
    }

    /// Ends a datagram whose time is over.
    fn end(&mut self, slot: u32, listener: &mut impl Listener) {
        if let Some(datagram) = self.datagram(slot) {
            let fate = match datagram.state {
                State::Dead(fate) => fate,
                State::Open | State::Complete(_) => Fate::TimedOut,
            };
            listener.outcome(Outcome::Lost(datagram, fate));
        }
        self.remove(slot);
    }

    /// Makes room: first forgets what is complete anyway, then gives up the
    /// unfinished datagrams that were opened first.
    fn evict_over_bound(&mut self, listener: &mut impl Listener) {
        while self.charged_bytes > self.limits.memory_bytes {
            if let Some(ticket) = self.completed.front(complete(&self.slots)) {
                self.remove(ticket.slot);
                continue;
            }
            let Some(ticket) = self.oldest_unfinished() else {
                return;
            };
            if let Some(datagram) = self.datagram(ticket.slot) {
                let fate = match datagram.state {
                    State::Dead(fate) => fate,
                    State::Open | State::Complete(_) => Fate::Evicted,
                };
                listener.outcome(Outcome::Lost(datagram, fate));
            }
            self.remove(ticket.slot);
        }
    }

    fn oldest_unfinished(&mut self) -> Option<Ticket> {
        let v4 = self.open_v4.front(unfinished(&self.slots));
        let v6 = self.open_v6.front(unfinished(&self.slots));
        match (v4, v6) {
            (Some(v4), Some(v6)) => Some(if v4.serial < v6.serial { v4 } else { v6 }),
            (v4, v6) => v4.or(v6),
        }
    }

    fn remove(&mut self, slot: u32) {
        let Some(datagram) = self.slots[slot as usize].take() else {
            return;
        };
        self.charged_bytes -= datagram.charged_bytes;
        self.headless_bytes -= datagram.charged_headless_bytes;
        self.by_key.remove(&datagram.key);
        self.latest = None;
        self.free.push(slot);
    }
}

/// What is known of the datagram a fragment belongs to.
enum Known {
    /// Nothing, or no longer anything.
    No,
    /// It is open or dead.
    Open(u32),
    /// It was completed just now, and this is a copy of one of its pieces.
    LateCopyOf(u32),
}

#[cfg(test)]
mod tests;
