//! Copies of packets that every point had seen before.

use super::between::Shown;
use super::run::MAX_POINTS;
use crate::model::{Duration, Timestamp};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// So many packets with copies are known at once.
const MAX_COPIED: usize = 1 << 13;

/// Packets of which copies came, until no more are awaited.
#[derive(Debug, Default)]
pub(super) struct Copies {
    by_key: HashMap<u64, Copied, foldhash::fast::FixedState>,
    /// When the first copy of each came.
    since: VecDeque<(Timestamp, u64)>,
}

/// A packet of which copies came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub flow: u32,
    /// How many to each point.
    pub copies: [u8; MAX_POINTS],
    /// The first of them.
    pub first: Shown,
}

impl Copies {
    /// A copy of a packet came to a point.
    pub fn note(&mut self, key: u64, flow: u32, copy: Shown, now: Timestamp) {
        let copied = self.by_key.entry(key).or_insert_with(|| {
            self.since.push_back((now, key));
            Copied {
                flow,
                copies: [0; MAX_POINTS],
                first: copy,
            }
        });
        let copies = &mut copied.copies[copy.point];
        *copies = copies.saturating_add(1);
    }

    /// One whose first copy is older than `age`, or one too many.
    pub fn take_before(&mut self, now: Timestamp, age: Duration) -> Option<Copied> {
        let (since, _) = self.since.front()?;
        let is_over = now - *since > age || self.since.len() > MAX_COPIED;
        is_over.then(|| self.take()).flatten()
    }

    /// The oldest.
    pub fn take(&mut self) -> Option<Copied> {
        let (_, key) = self.since.pop_front()?;
        self.by_key.remove(&key)
    }
}
