//! What was counted of the fragments of one datagram.

use super::fragment::FragmentFacts;
use super::pieces::MAX_DATAGRAM_BYTES;
use crate::model::VerdictCounts;
use crate::model::counters::FragmentCounts;

/// The largest fragment with MF, and how many were as large: adds up over
/// datagrams in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestFull {
    /// IP payload in bytes; 0 if there was none.
    pub payload_bytes: u32,
    /// Largest IP length, header included, of those.
    pub ip_bytes: u32,
    /// How many.
    pub count: u64,
}

impl LargestFull {
    /// Counts one fragment with MF.
    pub fn count(&mut self, payload_bytes: u32, ip_bytes: u32) {
        self.merge(Self {
            payload_bytes,
            ip_bytes,
            count: 1,
        });
    }

    /// Adds what another part of the flow saw.
    pub fn merge(&mut self, other: Self) {
        match other.payload_bytes.cmp(&self.payload_bytes) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                self.count += other.count;
                self.ip_bytes = self.ip_bytes.max(other.ip_bytes);
            }
            std::cmp::Ordering::Greater => *self = other,
        }
    }
}

/// What was counted of the fragments of one datagram.
#[derive(Clone, Copy, Debug, Default)]
pub struct FragmentTally {
    /// Offset 0 with MF.
    pub first: u64,
    /// Offset beyond 0 with MF.
    pub middle: u64,
    /// Offset beyond 0 without MF.
    pub last: u64,
    /// Copies among them.
    pub duplicate: u64,
    /// Copies among them that bring other bytes than the piece they repeat.
    pub altered: u64,
    /// MF set, and a length that is no multiple of 8.
    pub ragged: u64,
    /// Contradictions among them.
    pub overlapping: u64,
    /// Largest with MF.
    pub largest: LargestFull,
    /// IP headers whose length goes beyond their frame.
    pub ip_longer: u64,
    /// Verdicts on their IPv4 headers.
    pub header_checksums: VerdictCounts,
    /// Wire bytes of the frames that carried them.
    pub wire_bytes: u64,
    /// Wire bytes of the copies among them.
    pub duplicate_wire_bytes: u64,
    /// IP bytes of them.
    pub ip_bytes: u64,
}

impl FragmentTally {
    /// Counts one fragment under its position.
    pub fn count(&mut self, fragment: &FragmentFacts) {
        match (fragment.offset, fragment.more) {
            (0, _) => self.first += 1,
            (_, true) => self.middle += 1,
            (_, false) => self.last += 1,
        }
        if fragment.more && fragment.payload_bytes <= MAX_DATAGRAM_BYTES {
            self.largest
                .count(fragment.payload_bytes, fragment.ip_bytes);
        }
        if let Some(verdict) = fragment.header_checksum {
            self.header_checksums.count(verdict);
        }
        let is_ragged = fragment.more && !fragment.payload_bytes.is_multiple_of(8);
        self.ragged += u64::from(is_ragged);
        self.ip_longer += u64::from(fragment.ip_longer);
        self.wire_bytes += fragment.wire_bytes;
        self.ip_bytes += u64::from(fragment.ip_bytes);
    }

    /// Counts the fragment just counted as a copy as well.
    pub fn count_duplicate(&mut self, fragment: &FragmentFacts) {
        self.duplicate += 1;
        self.duplicate_wire_bytes += fragment.wire_bytes;
    }

    /// Fragments counted.
    pub fn fragments(&self) -> u64 {
        self.first + self.middle + self.last
    }

    /// The counters of the report that come from positions.
    pub fn counts(&self) -> FragmentCounts {
        FragmentCounts {
            total: self.fragments(),
            first: self.first,
            middle: self.middle,
            last: self.last,
            duplicate: self.duplicate,
            overlapping: self.overlapping,
            ..FragmentCounts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_full_size_adds_up_in_any_order() {
        let pieces = [(1424, 1444), (1000, 1020), (1424, 1448), (1480, 1500)];
        let mut forwards = LargestFull::default();
        let mut backwards = LargestFull::default();
        for (payload, ip) in pieces {
            forwards.count(payload, ip);
        }
        for (payload, ip) in pieces.into_iter().rev() {
            backwards.count(payload, ip);
        }
        assert_eq!(forwards, backwards);
        assert_eq!((forwards.payload_bytes, forwards.count), (1480, 1));
    }
}
