//! One kernel: `ip_defrag` and `ip_frag_queue` (`net/ipv4/ip_fragment.c`), their IPv6
//! counterparts (`net/ipv6/reassembly.c`) and `net/ipv4/inet_fragment.c`, Linux 6.18.
//!
//! For each fragment, in this order:
//!
//! 1. Timers that are over by now discard their datagrams (`timer.rs`).
//! 2. If memory is above the threshold, the fragment is refused, whatever it belongs to.
//! 3. A datagram not known is opened, with a timer.
//! 4. If more than `ipfrag_max_dist` other fragments of the same source were queued
//!    since the datagram's last one, what it holds is dropped and it begins anew. (The
//!    kernel counts fragments, not datagrams: measured.)
//! 5. A piece that is held already is dropped silently; one that overlaps in part, or
//!    contradicts an end, discards the datagram.
//! 6. Else it is charged. With the last piece the datagram is done, and forgotten: a
//!    late copy opens a new one.

use super::coverage::{Coverage, Fit};
use super::forecast::Predicted;
use super::memory::MemoryCurve;
use super::settings::Rules;
use super::timer::Wheel;
use crate::model::{Duration, IpVersion, Protocol, Timestamp};
use crate::reassemble::FragmentFacts;
use hashbrown::{HashMap, HashTable};
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash};

/// Sources whose distance is followed; with more, all are forgotten.
const MAX_SOURCES: usize = 4096;
/// Longest IP packet.
const MAX_DATAGRAM: u32 = 65_535;

/// Which datagram to a host a fragment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct DatagramKey {
    source: [u8; 16],
    id: u32,
    protocol: Protocol,
}

/// One datagram in reassembly, or the place of one.
#[derive(Clone, Debug)]
struct Open {
    key: DatagramKey,
    /// Number of its timer; 0 in a place that is free.
    serial: u64,
    coverage: Coverage,
    charged: u64,
    wire_bytes: u64,
    header_bytes: u32,
    /// Fragments its source had queued with its last piece.
    distance: u64,
}

/// When a datagram was opened; stale once its place has another serial number.
#[derive(Clone, Copy, Debug)]
struct Timer {
    opened: Timestamp,
    place: u32,
    serial: u64,
}

/// One kernel.
#[derive(Clone, Debug)]
pub(super) struct Model {
    rules: Rules,
    wheel: Wheel,
    open: Vec<Open>,
    free: Vec<u32>,
    index: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
    latest: u32,
    timers: VecDeque<Timer>,
    /// When the first timer fires; before that nobody looks.
    next_timer: Timestamp,
    sources: HashMap<[u8; 16], u64, foldhash::fast::FixedState>,
    next_serial: u64,
    memory: u64,
    curve: MemoryCurve,
    predicted: Predicted,
}

impl Model {
    pub fn new(rules: Rules) -> Self {
        Self {
            wheel: Wheel::new(&rules),
            rules,
            open: Vec::new(),
            free: Vec::new(),
            index: HashTable::new(),
            hasher: foldhash::fast::FixedState::default(),
            latest: 0,
            timers: VecDeque::new(),
            next_timer: Timestamp::MAX,
            sources: HashMap::default(),
            next_serial: 1,
            memory: 0,
            curve: MemoryCurve::default(),
            predicted: Predicted::default(),
        }
    }

    /// The same with other rules from here on; open datagrams live by them too.
    pub fn with(&self, rules: Rules) -> Self {
        let mut other = self.clone();
        other.wheel = self.wheel.with(&rules);
        other.rules = rules;
        other.set_next_timer();
        other
    }

    /// Whether the next fragment is refused.
    pub fn is_full(&self) -> bool {
        self.memory > self.rules.high_thresh
    }

    /// When the oldest datagram that is open was opened.
    pub fn oldest(&self) -> Option<Timestamp> {
        self.timers.front().map(|timer| timer.opened)
    }

    /// How long a datagram may stay open.
    pub fn timeout(&self) -> Duration {
        self.rules.timeout
    }

    #[cfg(test)]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Places for datagrams, which is what memory goes to.
    pub fn places(&self) -> usize {
        self.open.len()
    }

    /// Gives up what is over by `now`.
    #[inline]
    pub fn advance(&mut self, now: Timestamp) {
        if now >= self.next_timer {
            self.fire(now);
        }
    }

    fn fire(&mut self, now: Timestamp) {
        while self.next_timer <= now
            && let Some(timer) = self.timers.pop_front()
        {
            let fired = self.next_timer;
            self.predicted.timed_out += 1;
            self.wheel.fired(fired);
            self.discard(timer.place);
            self.curve.note(fired, self.memory);
            self.set_next_timer();
        }
    }

    /// The host says at `now` that it gave up a datagram.
    pub fn hear(&mut self, now: Timestamp) {
        self.advance(now);
        self.wheel.hear(now);
        self.set_next_timer();
        self.advance(now);
    }

    /// Leaves no stale timer in front.
    fn set_next_timer(&mut self) {
        while let Some(timer) = self.timers.front() {
            let place = self.open.get(timer.place as usize);
            if place.is_some_and(|open| open.serial == timer.serial) {
                self.next_timer = self.wheel.fires(timer.opened);
                return;
            }
            self.timers.pop_front();
        }
        self.next_timer = Timestamp::MAX;
    }

    /// Takes a fragment that comes at `now`.
    pub fn take(&mut self, fragment: &FragmentFacts, now: Timestamp) {
        self.advance(now);
        self.predicted.fragments += 1;
        if self.is_full() {
            self.predicted.rejected_fragments += 1;
            self.predicted.rejected_bytes += fragment.wire_bytes;
            self.predicted.failed += 1;
            self.predicted.first_full.get_or_insert(now);
            self.curve.note(now, self.memory);
            return;
        }
        let place = self.find_or_open(fragment, now);
        if self.rules.max_dist > 0 {
            self.check_distance(place, now);
        }
        self.queue(place, fragment);
        self.curve.note(now, self.memory);
    }

    fn find_or_open(&mut self, fragment: &FragmentFacts, now: Timestamp) -> u32 {
        let key = DatagramKey {
            source: fragment.key.addresses.source,
            id: fragment.key.id,
            protocol: fragment.key.protocol,
        };
        let latest = self.open.get(self.latest as usize);
        if latest.is_some_and(|open| open.serial > 0 && open.key == key) {
            return self.latest;
        }
        let hash = self.hasher.hash_one(key);
        let open = &self.open;
        let found = self
            .index
            .find(hash, |place| open[*place as usize].key == key);
        self.latest = match found {
            Some(place) => *place,
            None => self.open(key, hash, fragment, now),
        };
        self.latest
    }

    fn open(
        &mut self,
        key: DatagramKey,
        hash: u64,
        fragment: &FragmentFacts,
        now: Timestamp,
    ) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.open.push(Open {
                key,
                serial: 0,
                coverage: Coverage::default(),
                charged: 0,
                wire_bytes: 0,
                header_bytes: 0,
                distance: 0,
            });
            (self.open.len() - 1) as u32
        });
        let open = &mut self.open[place as usize];
        open.key = key;
        open.coverage.clear();
        open.charged = self.rules.queue_bytes();
        open.wire_bytes = 0;
        open.header_bytes = fragment.ip_bytes.saturating_sub(fragment.payload_bytes);
        open.distance = 0;
        self.memory += self.rules.queue_bytes();
        let (open, hasher) = (&self.open, &self.hasher);
        self.index.insert_unique(hash, place, |place| {
            hasher.hash_one(open[*place as usize].key)
        });
        self.start_timer(place, now);
        place
    }

    fn start_timer(&mut self, place: u32, now: Timestamp) {
        let serial = self.next_serial;
        self.next_serial += 1;
        self.open[place as usize].serial = serial;
        self.timers.push_back(Timer {
            opened: now,
            place,
            serial,
        });
        if self.timers.len() == 1 {
            self.set_next_timer();
        }
    }

    /// Begins a datagram anew if too much of its source came since its last piece.
    fn check_distance(&mut self, place: u32, now: Timestamp) {
        let open = &mut self.open[place as usize];
        if self.sources.len() >= MAX_SOURCES && !self.sources.contains_key(&open.key.source) {
            self.sources.clear();
        }
        let count = self.sources.entry(open.key.source).or_default();
        *count += 1;
        let distance = count.saturating_sub(open.distance);
        open.distance = *count;
        if open.coverage.is_empty() || distance <= u64::from(self.rules.max_dist) {
            return;
        }
        self.predicted.too_distant += 1;
        self.predicted.failed += 1;
        self.memory -= open.charged - self.rules.queue_bytes();
        open.charged = self.rules.queue_bytes();
        open.wire_bytes = 0;
        open.coverage.clear();
        let was_first = self.timers.front().map(|timer| timer.serial) == Some(open.serial);
        self.start_timer(place, now);
        if was_first {
            self.set_next_timer();
        }
    }

    fn queue(&mut self, place: u32, fragment: &FragmentFacts) {
        let Some(end) = self.end_of(fragment) else {
            return;
        };
        let charge = self.rules.fragment_bytes(fragment.payload_bytes);
        let open = &mut self.open[place as usize];
        match open.coverage.insert(fragment.offset, end, fragment.more) {
            Fit::Duplicate => {}
            Fit::Contradiction => {
                self.predicted.overlapped += 1;
                self.discard(place);
            }
            Fit::Added => {
                open.charged += charge;
                open.wire_bytes += fragment.wire_bytes;
                self.memory += charge;
                let peak = &mut self.predicted.memory_peak_bytes;
                *peak = self.memory.max(*peak);
                if let Some(bytes) = open.coverage.whole_bytes() {
                    self.complete(place, bytes);
                }
            }
        }
    }

    /// Where a piece ends: with MF rounded down to a multiple of 8 for IPv4; `None` if
    /// it is refused, as IPv6 does then.
    fn end_of(&self, fragment: &FragmentFacts) -> Option<u32> {
        let end = fragment.offset.saturating_add(fragment.payload_bytes);
        match self.rules.version {
            IpVersion::V4 if fragment.more => Some(end & !7),
            IpVersion::V6 if fragment.more && !end.is_multiple_of(8) => None,
            IpVersion::V6 if end > MAX_DATAGRAM => None,
            IpVersion::V4 | IpVersion::V6 => Some(end),
        }
    }

    fn complete(&mut self, place: u32, bytes: u32) {
        let open = &self.open[place as usize];
        let total = match self.rules.version {
            IpVersion::V4 => bytes.saturating_add(open.header_bytes),
            IpVersion::V6 => bytes,
        };
        if total > MAX_DATAGRAM {
            self.predicted.oversized += 1;
            self.discard(place);
            return;
        }
        self.predicted.reassembled += 1;
        self.predicted.delivered_bytes += open.wire_bytes;
        self.forget(place);
    }

    /// Loses a datagram.
    fn discard(&mut self, place: u32) {
        self.predicted.failed += 1;
        self.forget(place);
    }

    fn forget(&mut self, place: u32) {
        let open = &mut self.open[place as usize];
        let (key, serial) = (open.key, open.serial);
        open.serial = 0;
        self.memory -= open.charged;
        let hash = self.hasher.hash_one(key);
        if let Ok(entry) = self.index.find_entry(hash, |other| *other == place) {
            entry.remove();
        }
        self.free.push(place);
        if self.timers.front().map(|timer| timer.serial) == Some(serial) {
            self.set_next_timer();
        }
    }

    /// What came of it by `end` since it was asked before, as if the capture ended there.
    pub fn harvest(&mut self, end: Timestamp) -> (Predicted, MemoryCurve) {
        self.advance(end);
        let open = self.open.len() - self.free.len();
        let rest = Predicted {
            memory_peak_bytes: self.memory,
            ..Predicted::default()
        };
        let predicted = Predicted {
            open_at_end: open as u64,
            ..std::mem::replace(&mut self.predicted, rest)
        };
        (predicted, self.curve.take(end))
    }
}
