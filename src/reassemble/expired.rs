//! Datagrams that timed out: what of them comes later is known by this.

use super::datagram::Datagram;
use super::fragment::Key;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// Most datagrams that are remembered; the oldest go first.
const MOST: usize = 1024;
/// The share of the memory bound they may take: one in this many.
const SHARE: usize = 32;
/// Memory behind one.
const BYTES_EACH: usize = size_of::<(Key, Lacking)>() + size_of::<Key>();

/// What a datagram lacked when it timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lacking {
    /// Length of its whole payload in bytes.
    pub payload_bytes: u32,
    bytes: u32,
    is_first_missing: bool,
    is_last_missing: bool,
}

/// Datagrams that timed out lately.
#[derive(Debug, Default)]
pub(super) struct Expired {
    lacking: HashMap<Key, Lacking, foldhash::fast::FixedState>,
    /// Their keys, the oldest first.
    keys: VecDeque<Key>,
}

impl Expired {
    /// Remembers a datagram that timed out, if it is known what it lacked; all of them
    /// take no more than a share of `memory_bytes`.
    pub(super) fn push(&mut self, datagram: &Datagram, memory_bytes: usize) {
        let Some((gap, payload_bytes)) = datagram.gap().zip(datagram.claimed_payload_bytes())
        else {
            return;
        };
        let lacking = Lacking {
            payload_bytes,
            bytes: gap.bytes,
            is_first_missing: gap.is_first_missing,
            is_last_missing: gap.is_last_missing,
        };
        if self.lacking.insert(datagram.key, lacking).is_none() {
            self.keys.push_back(datagram.key);
        }
        let most = MOST.min(memory_bytes / SHARE / BYTES_EACH);
        if self.keys.len() > most
            && let Some(oldest) = self.keys.pop_front()
        {
            self.lacking.remove(&oldest);
        }
    }

    /// What the last datagram with this key lacked that timed out.
    #[inline]
    pub(super) fn find(&self, key: &Key) -> Option<Lacking> {
        if self.keys.is_empty() {
            return None;
        }
        self.lacking.get(key).copied()
    }

    /// Memory behind it.
    pub(super) fn memory_bytes(&self) -> usize {
        self.keys.len() * BYTES_EACH
    }
}

impl Lacking {
    /// Whether the pieces of a datagram are what another lacked.
    pub(super) fn is(&self, datagram: &Datagram) -> bool {
        self.bytes == datagram.pieces.held_bytes()
            && self.is_first_missing == datagram.has_first()
            && self.is_last_missing == datagram.payload_bytes().is_some()
    }
}
