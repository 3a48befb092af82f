//! What is recorded of the TCP segments of one direction of a connection.
//!
//! Sequence numbers go around a circle, and which of two is the higher is a matter of
//! where one cuts it. Whatever followed the order of arrival would differ with the
//! number of threads. So the lowest and the highest are kept twice, of the circle cut
//! at two opposite points; that is associative whatever a hostile capture holds, and
//! whatever lies on less than half of the circle is in one piece in one of the two.
//! What does not is not judged: then the answers are `None`.

use super::table::Merge;
use crate::model::facts::Segment;
use crate::model::{Duration, Timestamp};
use std::cmp::Ordering;
use std::hint::black_box;

/// Half of all sequence numbers: what lies on less is in order.
const HALF: u32 = 1 << 31;

/// Payload from which sequence numbers may have come around.
const MAX_PAYLOAD_BYTES: u64 = 1 << 30;

/// A peer takes segments of so many bytes without having said so (RFC 9293 section
/// 3.7.1), and hardly a path does not.
const ALWAYS_PASSES: u32 = 536;

/// How long a segment has to be without an answer: an RTO begins at a second and may be
/// a fifth of that (Linux), so that it was sent again several times by then.
const UNANSWERED_FOR: Duration = Duration::from_secs(1);

/// The segments of one flow.
///
/// Left out: segments with RST, whose numbers are bound to nothing, and the caller
/// leaves out whatever is damaged. A payload of one byte is only counted, for a
/// keep-alive or a window probe is just that, at a number that was used before.
///
/// A packet that a sender's NIC has yet to cut up is one segment here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // What nearly every segment changes comes first, in as many bytes as a cache line.
pub struct Segments {
    /// Acknowledgement numbers: of what came the other way.
    acknowledged: Stretch,
    /// Those with the most payload: in a transfer, nearly all.
    largest: Largest,
    /// Time of the last segment with payload.
    last: Timestamp,
    /// Payload of the segments that are not among the largest.
    smaller_bytes: u64,
    /// First and last byte of each of them.
    smaller: Stretch,
    /// Segments with a payload of one byte.
    single_bytes: u64,
    syns: Syns,
}

/// Segments with SYN. Those of one connection have the same sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syns {
    /// Those without ACK: attempts to connect.
    pub count: u64,
    /// Time of the first of these; [`Timestamp::MAX`] if there was none.
    pub first: Timestamp,
    /// Time of the last of these; [`Timestamp::MIN`] if there was none.
    pub last: Timestamp,
    /// Lowest sequence number, also of those with ACK.
    lowest: u32,
    /// The highest.
    highest: u32,
}

/// Full-size segments that are sent again and again and never acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlackHole {
    /// Payload of the largest segments.
    pub segment_bytes: u32,
    /// How many of them were seen, copies included.
    pub segments: u64,
    /// Payload that was sent more than once, at least.
    pub retransmitted_bytes: u64,
    /// From the first of the largest segments to the last segment with payload.
    pub lasted: Duration,
}

/// The largest segments, like [`LargestFull`](crate::reassemble::LargestFull).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Largest {
    payload_bytes: u32,
    count: u64,
    /// First and last byte of each.
    data: Stretch,
    /// Time of the first.
    first: Timestamp,
}

/// The least stretch of the circle that holds some numbers.
///
/// The lowest of each number as unsigned, its complement, the number as signed and its
/// complement: the lowest complement is that of the highest number. An unsigned number
/// is a signed one whose highest bit is turned, so that all four are of one kind, and
/// the lowest of four are found at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch([i32; 4]);

/// A stretch that is in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// The number it begins with.
    first: u32,
    /// Numbers in it.
    len: u32,
}

impl Segments {
    /// Counts a segment that is not known to be damaged.
    #[inline]
    pub(super) fn count(&mut self, segment: &Segment, time: Timestamp) {
        if segment.has(Segment::SYN | Segment::RST) && !self.is_first(segment, time) {
            return;
        }
        if segment.has(Segment::ACK) {
            let number = Stretch::number(segment.acknowledgement);
            self.acknowledged.merge(number);
        }
        match segment.payload_bytes {
            0 => {}
            1 => self.single_bytes += 1,
            bytes => {
                // SYN takes the number before the data.
                let is_syn = u32::from(segment.has(Segment::SYN));
                let first = segment.sequence.wrapping_add(is_syn);
                self.payload(first, bytes, time);
            }
        }
    }

    /// Counts a segment that begins a connection, or ends it at once; says which.
    #[cold]
    fn is_first(&mut self, segment: &Segment, time: Timestamp) -> bool {
        if segment.has(Segment::RST) {
            return false;
        }
        self.syns.count(segment, time);
        true
    }

    #[inline]
    fn payload(&mut self, first: u32, bytes: u32, time: Timestamp) {
        self.last = self.last.max(time);
        self.data(Largest {
            payload_bytes: bytes,
            count: 1,
            data: Stretch::of(first, bytes),
            first: time,
        });
    }

    /// Adds segments of one size.
    #[inline]
    fn data(&mut self, segments: Largest) {
        let smaller = match segments.payload_bytes.cmp(&self.largest.payload_bytes) {
            Ordering::Equal => {
                self.largest.count += segments.count;
                self.largest.data.merge(segments.data);
                self.largest.first = self.largest.first.min(segments.first);
                return;
            }
            Ordering::Less => segments,
            Ordering::Greater => std::mem::replace(&mut self.largest, segments),
        };
        self.smaller_bytes += smaller.bytes();
        self.smaller.merge(smaller.data);
    }

    /// Payload of all segments, copies included.
    pub fn payload_bytes(&self) -> u64 {
        self.data_bytes() + self.single_bytes
    }

    /// Payload that was sent (or captured) more than once, at least: what there is more
    /// of than sequence numbers for it. Payloads of one byte are left out.
    ///
    /// `None` if that cannot be said: no payload, 1 GiB of it or more, sequence numbers
    /// all around the circle, or several connections.
    pub fn retransmitted_bytes(&self) -> Option<u64> {
        let sent = self.sent()?;
        Some(self.data_bytes().saturating_sub(sent.len.into()))
    }

    /// Payload that the other side acknowledges and the capture does not hold, at least.
    /// It has arrived: only the capture lacks it. `reverse` is the record of the
    /// [reversed](crate::model::FlowKey::reversed) flow.
    ///
    /// `None` if that cannot be said, as with [`Segments::retransmitted_bytes`], or
    /// where `reverse` acknowledges nothing.
    pub fn missing_bytes(&self, reverse: &Self) -> Option<u64> {
        let sent = self.sent()?;
        let acknowledged = reverse.highest_acknowledged()?;
        let arrived = match acknowledged.wrapping_sub(sent.first) {
            HALF.. => 0,
            // FIN takes the number after the data, and may not be in the capture either.
            bytes if bytes > sent.len => bytes - 1,
            bytes => bytes,
        };
        Some(u64::from(arrived).saturating_sub(self.payload_bytes()))
    }

    /// Whether the largest segments vanish on the way: the other side acknowledges
    /// something, hence is there, but never one of them, although payload has been sent
    /// more than once and for more than a second. `reverse` is the record of the
    /// [reversed](crate::model::FlowKey::reversed) flow.
    ///
    /// `None` if they do not or if that cannot be said, and for segments so small that
    /// any path takes them.
    pub fn black_hole(&self, reverse: &Self) -> Option<BlackHole> {
        let largest = &self.largest;
        let sent = largest.data.piece()?;
        let retransmitted_bytes = self
            .retransmitted_bytes()?
            .max(largest.bytes().saturating_sub(sent.len.into()));
        let behind = sent.first.wrapping_sub(reverse.highest_acknowledged()?);
        let lasted = self.last - largest.first;
        let is_one = largest.payload_bytes > ALWAYS_PASSES
            && behind < HALF
            && retransmitted_bytes > 0
            && lasted >= UNANSWERED_FOR;
        is_one.then_some(BlackHole {
            segment_bytes: largest.payload_bytes,
            segments: largest.count,
            retransmitted_bytes,
            lasted,
        })
    }

    /// The attempts to connect, if there were some.
    pub fn syns(&self) -> Option<&Syns> {
        (self.syns.count > 0).then_some(&self.syns)
    }

    /// Payload of segments with more than one byte.
    fn data_bytes(&self) -> u64 {
        self.largest.bytes() + self.smaller_bytes
    }

    /// The sequence numbers of that.
    fn sent(&self) -> Option<Piece> {
        let mut data = self.largest.data;
        data.merge(self.smaller);
        let is_judged = self.data_bytes() < MAX_PAYLOAD_BYTES && self.syns.are_of_one();
        data.piece().filter(|_| is_judged)
    }

    fn highest_acknowledged(&self) -> Option<u32> {
        let piece = self.acknowledged.piece()?;
        self.syns.are_of_one().then_some(piece.last())
    }
}

impl Default for Segments {
    fn default() -> Self {
        Self {
            acknowledged: Stretch::EMPTY,
            largest: Largest::NONE,
            last: Timestamp::MIN,
            smaller_bytes: 0,
            smaller: Stretch::EMPTY,
            single_bytes: 0,
            syns: Syns::NONE,
        }
    }
}

impl Merge for Segments {
    #[inline]
    fn fetch(&self) {
        black_box(self.acknowledged.0[0]);
        black_box(self.last);
    }

    fn merge(&mut self, other: Self) {
        self.acknowledged.merge(other.acknowledged);
        self.data(other.largest);
        self.last = self.last.max(other.last);
        self.smaller_bytes += other.smaller_bytes;
        self.smaller.merge(other.smaller);
        self.single_bytes += other.single_bytes;
        self.syns.merge(other.syns);
    }
}

impl Syns {
    const NONE: Self = Self {
        count: 0,
        first: Timestamp::MAX,
        last: Timestamp::MIN,
        lowest: u32::MAX,
        highest: 0,
    };

    /// Whether the attempts are retries of one connection whose wait began at a second
    /// and doubled, as it does where no answer comes: `n` of them take
    /// 2^(`n` - 1) - 1 seconds. An eighth more or less is taken for the same.
    pub fn back_off(&self) -> bool {
        let steps = self.count.saturating_sub(1);
        if !(1..=16).contains(&steps) || !self.are_of_one() {
            return false;
        }
        let expected = Duration::from_secs((1 << steps) - 1);
        let took = self.last - self.first;
        took.0.abs_diff(expected.0) <= expected.0.unsigned_abs() / 8
    }

    /// Whether none of them is of another connection between the same ports.
    pub fn are_of_one(&self) -> bool {
        self.lowest >= self.highest
    }

    fn count(&mut self, segment: &Segment, time: Timestamp) {
        self.lowest = self.lowest.min(segment.sequence);
        self.highest = self.highest.max(segment.sequence);
        if !segment.has(Segment::ACK) {
            self.count += 1;
            self.first = self.first.min(time);
            self.last = self.last.max(time);
        }
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
    }
}

impl Largest {
    const NONE: Self = Self {
        payload_bytes: 0,
        count: 0,
        data: Stretch::EMPTY,
        first: Timestamp::MAX,
    };

    /// Payload of all of them, copies included.
    fn bytes(&self) -> u64 {
        self.count * u64::from(self.payload_bytes)
    }
}

impl Stretch {
    /// What is turned of a number to have it as unsigned, and so on.
    const TURNED: [i32; 4] = [i32::MIN, i32::MAX, 0, -1];

    const EMPTY: Self = Self([i32::MAX; 4]);

    /// Of so many numbers from `first` on. The last is held, not the one after it, which
    /// may be beyond the cut.
    #[inline]
    fn of(first: u32, count: u32) -> Self {
        let mut stretch = Self::number(first);
        stretch.merge(Self::number(first.wrapping_add(count).wrapping_sub(1)));
        stretch
    }

    #[inline]
    fn number(number: u32) -> Self {
        Self(Self::TURNED.map(|turned| number as i32 ^ turned))
    }

    #[inline]
    fn merge(&mut self, other: Self) {
        for (lowest, other) in self.0.iter_mut().zip(other.0) {
            *lowest = other.min(*lowest);
        }
    }

    /// The stretch in one piece; `None` if it is empty or not less than half of the
    /// circle.
    fn piece(&self) -> Option<Piece> {
        let mut ends = self.0;
        for (end, turned) in ends.iter_mut().zip(Self::TURNED) {
            *end ^= turned;
        }
        let [unsigned @ .., signed_first, signed_last] = ends.map(|end| end as u32);
        let is_empty = *self == Self::EMPTY;
        [unsigned, [signed_first, signed_last]]
            .into_iter()
            .map(|[first, last]| (first, last.wrapping_sub(first)))
            .find(|(_, distance)| *distance < HALF - 1 && !is_empty)
            .map(|(first, distance)| Piece {
                first,
                len: distance + 1,
            })
    }
}

impl Piece {
    /// The number it ends with.
    fn last(self) -> u32 {
        self.first.wrapping_add(self.len - 1)
    }
}

/// As many flows of a capture may be TCP as there are flows.
const _: () = assert!(size_of::<Segments>() <= 128);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
