//! The one's-complement sum of RFC 1071, kept as a value that can be added.
//!
//! A checksum over a datagram is a sum of sums over its fragments: fragment
//! offsets are multiples of 8, so every piece starts on an even byte.

/// A folded 16-bit one's-complement sum, not complemented.
///
/// Zero has two representations here, 0x0000 and 0xffff; [`Sum::is_all_ones`]
/// is how a verified range ends up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(pub u16);

impl Sum {
    /// Folds a sum of 16-bit words into 16 bits with end-around carry.
    pub fn fold(mut wide: u64) -> Self {
        wide = (wide & 0xffff_ffff) + (wide >> 32);
        wide = (wide & 0xffff) + (wide >> 16);
        wide = (wide & 0xffff) + (wide >> 16);
        wide = (wide & 0xffff) + (wide >> 16);
        Self(wide as u16)
    }

    /// The sum of a few bytes as they lie, the first being the high one; for long
    /// ranges decoding has a faster way.
    pub fn of(bytes: &[u8]) -> Self {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let words = pairs
            .iter()
            .map(|pair| u64::from(u16::from_be_bytes(*pair)));
        let odd = rest.first().map_or(0, |byte| u64::from(*byte) << 8);
        Self::fold(words.sum::<u64>() + odd)
    }

    /// The sum of two ranges, the second starting on an even byte of the whole.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (sum, carry) = self.0.overflowing_add(other.0);
        Self(sum + u16::from(carry))
    }

    /// The sum without what `other` had added.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.plus(Self(!other.0))
    }

    /// The sum of the same bytes moved by one byte: swapped (RFC 1071 section 2 B).
    #[must_use]
    pub fn swapped(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// Whether a range that includes its own checksum verifies.
    pub fn is_all_ones(self) -> bool {
        self.0 == 0xffff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_1071_example() {
        // Section 3 of RFC 1071: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2.
        let wide = 0x0001 + 0xf203 + 0xf4f5 + 0xf6f7;
        assert_eq!(Sum::fold(wide), Sum(0xddf2));
        assert_eq!(Sum::fold(wide).swapped(), Sum(0xf2dd));
    }

    #[test]
    fn a_range_is_the_sum_of_its_parts() {
        let bytes: Vec<u8> = (0..101).map(|n| (n * 37) as u8).collect();
        let (even, odd) = (bytes.split_at(40), bytes.split_at(41));
        let whole = Sum::of(&bytes);
        assert_eq!(Sum::of(even.0).plus(Sum::of(even.1)), whole);
        assert_eq!(Sum::of(odd.0).plus(Sum::of(odd.1).swapped()), whole);
    }

    #[test]
    fn subtraction_undoes_addition() {
        let (a, b) = (Sum(0xddf2), Sum(0x8001));
        assert_eq!(a.plus(b).minus(b), a);
    }

    #[test]
    fn the_widest_sum_folds() {
        assert_eq!(Sum::fold(u64::MAX), Sum(0xffff));
    }
}
