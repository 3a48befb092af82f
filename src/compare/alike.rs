//! Packets of one flow that fared alike, one after the other: counted together until one
//! fares in another way. A flow's counters are spread over many places in memory; this is
//! in one.

use super::parcel::Seen;
use super::run::MAX_POINTS;
use super::shape::{SIZES, size_class};
use crate::model::Timestamp;

/// Delays that are kept until they are counted.
const DELAYS: usize = 15;

/// Packets in a row.
#[derive(Clone, Debug)]
pub(super) struct Alike {
    pub packets: u32,
    pub bytes: u64,
    /// By class of their IP length.
    pub sizes: [u32; SIZES.len() + 1],
    /// When the first and the last of them was seen.
    pub span: (Timestamp, Timestamp),
    /// What they looked like at each point.
    pub looks: [Look; MAX_POINTS],
}

/// What does not change as long as a flow fares alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub hop_limit: u8,
    pub traffic_class: u8,
    pub checksum: u8,
}

impl Default for Alike {
    fn default() -> Self {
        Self {
            packets: 0,
            bytes: 0,
            sizes: [0; SIZES.len() + 1],
            span: (Timestamp::MAX, Timestamp::MIN),
            looks: [Look::default(); MAX_POINTS],
        }
    }
}

impl Alike {
    /// Whether one more looks as these do, at every point.
    pub fn is_as(&self, seen: &[Seen]) -> bool {
        let looks = self.looks.iter().zip(seen);
        self.packets > 0
            && self.packets < u32::MAX
            && looks
                .into_iter()
                .all(|(look, seen)| *look == Look::of(seen))
    }

    /// None yet, but these will look like that.
    pub fn begin(seen: &[Seen]) -> Self {
        let mut alike = Self::default();
        for (look, seen) in alike.looks.iter_mut().zip(seen) {
            *look = Look::of(seen);
        }
        alike
    }

    /// One more.
    pub fn add(&mut self, ip_bytes: u32, first: Timestamp, last: Timestamp) {
        self.packets += 1;
        self.bytes += u64::from(ip_bytes);
        self.sizes[size_class(ip_bytes)] += 1;
        self.span = (self.span.0.min(first), self.span.1.max(last));
    }
}

impl Look {
    pub fn of(seen: &Seen) -> Self {
        Self {
            hop_limit: seen.hop_limit,
            traffic_class: seen.traffic_class,
            checksum: seen.checksum,
        }
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
