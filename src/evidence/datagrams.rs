//! Which datagram a fragment belongs to, in the order of the capture.

use super::ring::Ring;
use crate::model::{Duration, IpVersion, Timestamp};
use crate::reassemble::{FragmentFacts, Key};
use std::collections::HashMap;

/// Datagrams that are followed at once; with more, all are forgotten.
const MAX_FOLLOWED: usize = 1 << 18;

/// A copy of a fragment comes within this time after its datagram was whole.
const COPIES_COME_WITHIN: Duration = Duration::from_millis(100);

/// Where a fragment belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Number of its datagram.
    pub datagram: u64,
    /// How near the first fragment of it was that came.
    pub ring: Ring,
}

/// The datagrams of which a fragment may still come.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    followed: HashMap<Key, Followed>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct Followed {
    member: Member,
    opened: Timestamp,
    /// Bytes that came, copies counted too.
    bytes: u32,
    end: Option<u32>,
    /// When it was whole.
    whole: Option<Timestamp>,
}

impl Datagrams {
    /// The datagram of a fragment that is so near to what is to be shown.
    pub fn follow(&mut self, fragment: &FragmentFacts, ring: Ring) -> Member {
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
                ring,
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
}

impl Followed {
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
