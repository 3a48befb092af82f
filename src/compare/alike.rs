//! Packets of one flow that fared alike, one after the other: counted together until one
//! fares in another way. A flow's counters are spread over many places in memory; this is
//! in one.

use super::shape::{Lengths, SIZES, size_class};
use crate::model::Timestamp;

/// Delays that are kept until they are counted, of each pair of points.
const DELAYS: usize = 64;

/// Packets in a row, in one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Alike {
    pub packets: u16,
    /// How many there may be.
    pub most: u16,
    /// Those of them whose delays wait to be counted.
    pub delayed: u8,
    pub bytes: u64,
    /// By class of their IP length.
    pub sizes: [u16; SIZES.len() + 1],
    /// The shortest and the longest.
    pub lengths: Lengths,
    /// When the first and the last of them was seen.
    pub span: (Timestamp, Timestamp),
}

const _: () = assert!(size_of::<Alike>() == 64);

impl Default for Alike {
    fn default() -> Self {
        Self {
            packets: 0,
            most: u16::MAX,
            delayed: 0,
            bytes: 0,
            sizes: [0; SIZES.len() + 1],
            lengths: Lengths::default(),
            span: (Timestamp::MAX, Timestamp::MIN),
        }
    }
}

impl Alike {
    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.packets < self.most
    }

    /// One more.
    pub fn add(&mut self, ip_bytes: u32, first: Timestamp, last: Timestamp) {
        self.packets += 1;
        self.bytes += u64::from(ip_bytes);
        self.sizes[size_class(ip_bytes)] += 1;
        self.lengths.note(ip_bytes);
        self.span = (self.span.0.min(first), self.span.1.max(last));
    }
}

/// Delays of an account between two points that wait to be counted, in nanoseconds. How many
/// there are is where it is looked at anyway, in [`Alike`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Pending([u32; DELAYS]);

/// One that does not wait: it was too long for it.
const COUNTED: u32 = u32::MAX;

impl Default for Pending {
    fn default() -> Self {
        Self([COUNTED; DELAYS])
    }
}

impl Pending {
    /// How many there is room for.
    pub const ROOM: u8 = DELAYS as u8;

    /// Keeps a delay in its place; `false` if it has to be counted at once.
    #[inline]
    pub fn keep(&mut self, place: u8, delay: i64) -> bool {
        let kept = u32::try_from(delay).unwrap_or(COUNTED);
        self.0[usize::from(place)] = kept;
        kept != COUNTED
    }

    /// Those that came to so many places: each with how many there are of it in a row.
    pub fn kept(&self, places: u8) -> impl Iterator<Item = (i64, u32)> + '_ {
        let rows = self.0[..usize::from(places)].chunk_by(PartialEq::eq);
        rows.filter_map(|row| {
            let first = row.first().filter(|delay| **delay != COUNTED)?;
            Some((i64::from(*first), row.len() as u32))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_wait_but_for_those_that_take_too_long() {
        let mut pending = Pending::default();
        let delays = [5, 5, 7, i64::from(u32::MAX), -1, 5];
        let are_kept: Vec<bool> = (0..)
            .zip(delays)
            .map(|(place, delay)| pending.keep(place, delay))
            .collect();
        assert_eq!(are_kept, [true, true, true, false, false, true]);
        assert_eq!(
            pending.kept(6).collect::<Vec<_>>(),
            [(5, 2), (7, 1), (5, 1)]
        );
        assert_eq!(pending.kept(1).collect::<Vec<_>>(), [(5, 1)]);
        assert_eq!(pending.kept(0).count(), 0);
    }
}
