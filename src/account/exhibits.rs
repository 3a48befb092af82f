//! The first frames that show each thing that a finding can rest on.

use super::losses::{Loss, pieces};
use crate::model::{FrameId, Timestamp};
use crate::reassemble::Datagram;

/// Frames kept for each thing.
pub const MAX_EXHIBITS: usize = 10;

/// What a frame can show besides a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// A transport checksum that was left to a NIC.
    Offloaded,
    /// An outer checksum that waits for the inner one.
    OuterOffloaded,
    /// A wrong outer UDP checksum.
    OuterChecksum,
    /// The same around a TCP SYN.
    OuterChecksumOfSyn,
    /// A packet larger than a wire carries.
    SuperFrame,
    /// A first fragment that old tcpdump calls a bad length.
    FirstFragment,
    /// An atomic fragment.
    Atomic,
    /// A copy of a fragment.
    Copy,
    /// A copy of a fragment with other bytes.
    AlteredCopy,
    /// A datagram whose first fragment came after others.
    FirstLate,
    /// A tunnel packet in fragments.
    OuterFragments,
    /// UDP without a checksum, in fragments.
    UnsummedFragments,
    /// Bytes left over after a UDP length.
    Trailing,
    /// "Fragmentation needed" or "packet too big".
    TooBig,
    /// "Fragment reassembly time exceeded".
    ReassemblyTimeExceeded,
}

impl Sign {
    const COUNT: usize = Self::ReassemblyTimeExceeded as usize + 1;
}

/// A frame that shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exhibit {
    /// The frame: of a datagram, that of its first fragment to come.
    pub frame: FrameId,
    /// When it was captured.
    pub timestamp: Timestamp,
    /// The datagram it is of, if that came in fragments.
    pub pieces: Option<Pieces>,
}

/// How much of a fragmented datagram came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pieces {
    /// Its identification.
    pub id: u32,
    /// Fragments that came, copies left out.
    pub seen: u32,
    /// Fragments that did not; `None` if nobody knows, or pieces contradict each other.
    pub missing: Option<u32>,
}

impl Exhibit {
    /// A datagram in fragments.
    pub(super) fn of(datagram: &Datagram) -> Self {
        Self {
            frame: datagram.arrival.frame,
            timestamp: datagram.opened,
            pieces: Some(Pieces {
                id: datagram.key.id,
                seen: u32::try_from(pieces(datagram)).unwrap_or(u32::MAX),
                missing: datagram
                    .gap()
                    .filter(|_| !datagram.is_contradictory())
                    .map(|gap| gap.fragments),
            }),
        }
    }
}

/// The first frames that show each thing, in the order of the capture.
#[derive(Clone, Debug)]
pub struct Exhibits {
    losses: [First; Loss::COUNT],
    signs: [First; Sign::COUNT],
}

impl Default for Exhibits {
    fn default() -> Self {
        Self {
            losses: std::array::from_fn(|_| First::default()),
            signs: std::array::from_fn(|_| First::default()),
        }
    }
}

impl Exhibits {
    /// The first datagrams lost for a reason.
    pub fn of_loss(&self, loss: Loss) -> &[Exhibit] {
        &self.losses[loss as usize].0
    }

    /// The first frames that show a sign.
    pub fn of_sign(&self, sign: Sign) -> &[Exhibit] {
        &self.signs[sign as usize].0
    }

    pub(super) fn loss(&mut self, loss: Loss, exhibit: Exhibit) {
        self.losses[loss as usize].add(exhibit);
    }

    pub(super) fn sign(&mut self, sign: Sign, exhibit: Exhibit) {
        self.signs[sign as usize].add(exhibit);
    }

    pub(super) fn merge(&mut self, other: Self) {
        let here = self.losses.iter_mut().chain(&mut self.signs);
        let there = other.losses.into_iter().chain(other.signs);
        for (first, others) in here.zip(there) {
            others.0.into_iter().for_each(|exhibit| first.add(exhibit));
        }
    }
}

/// The first few exhibits, sorted.
#[derive(Clone, Debug, Default)]
struct First(Vec<Exhibit>);

impl First {
    #[inline]
    fn add(&mut self, exhibit: Exhibit) {
        if self.0.len() < MAX_EXHIBITS || self.0.last().is_some_and(|last| exhibit < *last) {
            self.insert(exhibit);
        }
    }

    fn insert(&mut self, exhibit: Exhibit) {
        let at = self.0.partition_point(|other| *other <= exhibit);
        self.0.insert(at, exhibit);
        self.0.truncate(MAX_EXHIBITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exhibit(number: u64) -> Exhibit {
        Exhibit {
            frame: FrameId { file: 0, number },
            timestamp: Timestamp(number as i64),
            pieces: None,
        }
    }

    #[test]
    fn the_first_are_kept_in_whatever_order_they_come() {
        let mut parts = [Exhibits::default(), Exhibits::default()];
        for number in (1..=30).rev() {
            parts[number as usize % 2].sign(Sign::Copy, exhibit(number));
        }
        let [mut one, other] = parts;
        one.merge(other);
        let numbers: Vec<u64> = one
            .of_sign(Sign::Copy)
            .iter()
            .map(|exhibit| exhibit.frame.number)
            .collect();
        assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
        assert!(one.of_sign(Sign::Atomic).is_empty());
        assert!(one.of_loss(Loss::Gap).is_empty());
    }
}
