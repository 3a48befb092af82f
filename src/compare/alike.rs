//! Packets of one flow that fared alike, one after the other: counted together until one
//! fares in another way. A flow's counters are spread over many places in memory; this is
//! in one.

use super::shape::{SIZES, size_class};
use crate::model::Timestamp;

/// Delays that are kept until they are counted.
const DELAYS: usize = 31;

/// Packets in a row, in one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Alike {
    pub packets: u16,
    pub bytes: u64,
    /// By class of their IP length.
    pub sizes: [u16; SIZES.len() + 1],
    /// When the first and the last of them was seen.
    pub span: (Timestamp, Timestamp),
}

const _: () = assert!(size_of::<Alike>() == 64);

impl Default for Alike {
    fn default() -> Self {
        Self {
            packets: 0,
            bytes: 0,
            sizes: [0; SIZES.len() + 1],
            span: (Timestamp::MAX, Timestamp::MIN),
        }
    }
}

impl Alike {
    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.packets < u16::MAX
    }

    /// One more.
    pub fn add(&mut self, ip_bytes: u32, first: Timestamp, last: Timestamp) {
        self.packets += 1;
        self.bytes += u64::from(ip_bytes);
        self.sizes[size_class(ip_bytes)] += 1;
        self.span = (self.span.0.min(first), self.span.1.max(last));
    }
}

/// Delays that wait to be counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    delays: [u32; DELAYS],
    count: u32,
}

impl Pending {
    /// One more, in nanoseconds; `true` if there is no room for another.
    pub fn push(&mut self, delay: u32) -> bool {
        self.delays[self.count as usize] = delay;
        self.count += 1;
        self.count as usize == DELAYS
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// All of them.
    pub fn take(&mut self) -> impl Iterator<Item = i64> + use<> {
        let Self { delays, count } = std::mem::take(self);
        delays.into_iter().take(count as usize).map(i64::from)
    }
}
