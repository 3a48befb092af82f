//! A stretch of the decoded buffer, with what was captured of it and what it claims.

use crate::model::facts::{LayerKind, Stop, Why};

/// From some header on: the bytes captured, and how many there ought to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    /// What was captured.
    pub bytes: &'a [u8],
    /// Where `bytes` begins in the decoded buffer.
    pub start: u32,
    /// Bytes from here on, by the wire or by the header around; more than
    /// `bytes.len()` where the snaplen cut the frame or a header lied, never less.
    pub claimed: u32,
}

impl<'a> View<'a> {
    /// A whole buffer of which the wire carried `wire_bytes`.
    pub fn new(bytes: &'a [u8], wire_bytes: u32) -> Self {
        Self {
            bytes,
            start: 0,
            claimed: wire_bytes.max(len(bytes)),
        }
    }

    /// What follows the first `count` bytes; empty if there are not so many.
    pub fn skip(self, count: usize) -> Self {
        let count_32 = u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            bytes: self.bytes.get(count..).unwrap_or_default(),
            start: self.start.saturating_add(count_32),
            claimed: self.claimed.saturating_sub(count_32),
        }
    }

    /// The first `count` bytes, as a header claims them: what lies behind them
    /// (Ethernet padding) is left out, what is missing stays claimed.
    pub fn claim(self, count: u32) -> Self {
        Self {
            bytes: self.bytes.get(..count as usize).unwrap_or(self.bytes),
            start: self.start,
            claimed: count,
        }
    }

    /// The same, but never claiming more than there is.
    pub fn at_most(self, count: u32) -> Self {
        self.claim(count.min(self.claimed))
    }

    /// Whether everything claimed was captured.
    pub fn is_complete(self) -> bool {
        self.captured() == self.claimed
    }

    /// Bytes captured.
    pub fn captured(self) -> u32 {
        len(self.bytes)
    }

    /// `N` bytes at `offset`.
    pub fn array<const N: usize>(self, offset: usize) -> Option<[u8; N]> {
        Some(*self.bytes.get(offset..)?.first_chunk::<N>()?)
    }

    /// The byte at `offset`.
    pub fn u8(self, offset: usize) -> Option<u8> {
        self.bytes.get(offset).copied()
    }

    /// The 16-bit number at `offset`.
    pub fn u16(self, offset: usize) -> Option<u16> {
        self.array(offset).map(u16::from_be_bytes)
    }

    /// The 32-bit number at `offset`.
    pub fn u32(self, offset: usize) -> Option<u32> {
        self.array(offset).map(u32::from_be_bytes)
    }

    /// A stop at the beginning of this view.
    pub fn stop(self, layer: LayerKind, why: Why) -> Stop {
        Stop {
            layer,
            offset: self.start,
            why,
        }
    }

    /// The stop of a header that the bytes end in.
    pub fn truncated(self, layer: LayerKind) -> Stop {
        self.stop(layer, Why::Truncated)
    }

    /// The stop of a header with a value it must not have.
    pub fn malformed(self, layer: LayerKind) -> Stop {
        self.stop(layer, Why::Malformed)
    }

    /// The stop of a number that is not decoded.
    pub fn unsupported(self, layer: LayerKind, number: u32) -> Stop {
        self.stop(layer, Why::Unsupported(number))
    }
}

fn len(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_and_captures_are_kept_apart() {
        let view = View::new(&[1, 2, 3, 4], 10).skip(1);
        assert_eq!((view.start, view.captured(), view.claimed), (1, 3, 9));
        assert!(!view.is_complete());
        assert!(view.claim(2).is_complete());
        assert_eq!(view.claim(20).claimed, 20);
        assert_eq!(view.at_most(20).claimed, 9);
        assert_eq!(view.u16(1), Some(0x0304));
        assert_eq!(view.u16(2), None);
        assert_eq!(view.skip(7).captured(), 0);
        assert_eq!(view.skip(usize::MAX).claimed, 0);
    }
}
