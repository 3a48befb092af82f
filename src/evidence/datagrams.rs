//! Which datagram a fragment belongs to, in the order of the capture.

use crate::model::facts::{Fragment, Packet};
use crate::model::{Duration, Frame, IpVersion, Timestamp};
use crate::reassemble::{FragmentFacts, Key, Place};
use std::collections::HashMap;

/// Datagrams that are followed at once; with more, all are forgotten.
const MAX_FOLLOWED: usize = 1 << 18;

/// A copy of a fragment comes within this time after its datagram was whole.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// Where a fragment belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<N> {
    /// Number of its datagram.
    pub datagram: u64,
    /// What was noted when the first fragment of it came.
    pub note: N,
}

/// The datagrams of which a fragment may still come, and what is noted of each.
#[derive(Debug)]
pub(super) struct Datagrams<N> {
    followed: HashMap<Key, Followed<N>>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct Followed<N> {
    member: Member<N>,
    opened: Timestamp,
    /// Bytes that came, copies counted too.
    bytes: u32,
    end: Option<u32>,
    /// When it was whole.
    whole: Option<Timestamp>,
}

/// The innermost fragment that a frame carries.
pub(super) fn fragment(packet: &Packet, frame: &Frame<'_>) -> Option<FragmentFacts> {
    let layer = packet.layers.last()?;
    let Fragment::Piece(piece) = &layer.fragment else {
        return None;
    };
    let place = Place {
        frame: frame.id,
        timestamp: frame.timestamp,
        wire_bytes: frame.wire_bytes.into(),
        depth: 0,
        ovn: None,
        direction: None,
        buffer: 0,
        start: 0,
    };
    Some(FragmentFacts::of(layer, piece, &place))
}

impl<N> Default for Datagrams<N> {
    fn default() -> Self {
        Self {
            followed: HashMap::new(),
            next: 0,
        }
    }
}

impl<N: Copy> Datagrams<N> {
    /// The datagram of a fragment; `note` is kept if it is the first of it that came.
    pub fn follow(&mut self, fragment: &FragmentFacts, note: N) -> Member<N> {
        let now = fragment.timestamp;
        if self.followed.len() >= MAX_FOLLOWED && !self.followed.contains_key(&fragment.key) {
            self.followed
                .retain(|key, followed| !followed.is_over(key, now));
            if self.followed.len() >= MAX_FOLLOWED {
                self.followed.clear();
            }
        }
        let next = self.next;
        let opened = Followed {
            member: Member {
                datagram: next,
                note,
            },
            opened: now,
            bytes: 0,
            end: None,
            whole: None,
        };
        let followed = self.followed.entry(fragment.key).or_insert(opened);
        if followed.is_over(&fragment.key, now) {
            *followed = opened;
        }
        if followed.member.datagram == next {
            self.next += 1;
        }
        followed.take(fragment);
        followed.member
    }

    /// Whether none is followed.
    pub fn is_empty(&self) -> bool {
        self.followed.is_empty()
    }

    /// Whether a fragment with this key would no longer be one of that datagram.
    pub fn is_over(&self, key: &Key, datagram: u64, now: Timestamp) -> bool {
        self.followed.get(key).is_none_or(|followed| {
            followed.member.datagram != datagram || followed.is_over(key, now)
        })
    }
}

impl<N> Followed<N> {
    /// Whether the next fragment with its key is of another datagram.
    fn is_over(&self, key: &Key, now: Timestamp) -> bool {
        // Some more than a receiver waits: what comes too late belongs to it.
        let timeout = match key.addresses.version {
            IpVersion::V4 => Duration::from_secs(35),
            IpVersion::V6 => Duration::from_secs(65),
        };
        let is_done = self
            .whole
            .is_some_and(|whole| now - whole > COPIES_COME_WITHIN);
        is_done || now - self.opened > timeout
    }

    fn take(&mut self, fragment: &FragmentFacts) {
        self.bytes = self.bytes.saturating_add(fragment.payload_bytes);
        if !fragment.more {
            self.end = Some(fragment.offset.saturating_add(fragment.payload_bytes));
        }
        if self.whole.is_none() && self.end.is_some_and(|end| self.bytes >= end) {
            self.whole = Some(fragment.timestamp);
        }
    }
}
