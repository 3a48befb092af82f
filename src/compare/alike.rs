//! Packets of one flow that fared alike, one after the other: counted together until one
//! fares in another way. A flow's counters are spread over many places in memory; this is
//! in one.

use super::delay::{begin_of, step_of};
use super::shape::{Lengths, SIZES, size_class};
use crate::model::Timestamp;

/// Delays that are kept until they are counted, of each pair of points: four lines of a cache.
const DELAYS: usize = 124;

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

/// Delays of an account between two points that wait to be counted, as exact as they are told. How
/// many there are is where it is looked at anyway, in [`Alike`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Pending {
    steps: [u16; DELAYS],
    /// The least of them and the most, in nanoseconds.
    least: u32,
    most: u32,
}

const _: () = assert!(size_of::<Pending>() == 256);

/// One that does not wait: it was too long for it.
const COUNTED: u16 = u16::MAX;

impl Default for Pending {
    fn default() -> Self {
        Self {
            steps: [COUNTED; DELAYS],
            least: u32::MAX,
            most: 0,
        }
    }
}

impl Pending {
    /// How many there is room for.
    pub const ROOM: u8 = DELAYS as u8;

    /// Keeps a delay in its place; `false` if it has to be counted at once.
    #[inline]
    pub fn keep(&mut self, place: u8, delay: i64) -> bool {
        let step = &mut self.steps[usize::from(place)];
        let Ok(delay) = u32::try_from(delay) else {
            *step = COUNTED;
            return false;
        };
        *step = step_of(delay);
        self.least = self.least.min(delay);
        self.most = self.most.max(delay);
        true
    }

    /// The least and the most of those that wait, which is forgotten; nothing if none does.
    pub fn take_span(&mut self) -> Option<(u64, u64)> {
        let span = (self.least.into(), self.most.into());
        (self.least, self.most) = (u32::MAX, 0);
        (span.0 <= span.1).then_some(span)
    }

    /// Those that came to so many places: each with how many there are of it in a row.
    pub fn kept(&self, places: u8) -> impl Iterator<Item = (u64, u32)> + '_ {
        let rows = self.steps[..usize::from(places)].chunk_by(PartialEq::eq);
        rows.filter_map(|row| {
            let first = row.first().filter(|step| **step != COUNTED)?;
            Some((begin_of(*first), row.len() as u32))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_wait_but_for_those_that_take_too_long() {
        let mut pending = Pending::default();
        assert_eq!(pending.take_span(), None);
        let delays = [5, 5, 7, 1 << 32, -1, 1_000, 1_001, (1 << 32) - 1];
        let are_kept: Vec<bool> = (0..)
            .zip(delays)
            .map(|(place, delay)| pending.keep(place, delay))
            .collect();
        assert_eq!(are_kept, [true, true, true, false, false, true, true, true]);
        // A thousand and the one behind it are told alike.
        assert_eq!(
            pending.kept(8).collect::<Vec<_>>(),
            [(5, 2), (7, 1), (1_000, 2), (0xff << 24, 1)]
        );
        assert_eq!(pending.kept(1).collect::<Vec<_>>(), [(5, 1)]);
        assert_eq!(pending.kept(0).count(), 0);
        assert_eq!(pending.take_span(), Some((5, (1 << 32) - 1)));
        assert_eq!(pending.take_span(), None);
    }
}
