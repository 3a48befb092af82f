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
    ///
    /// Both halves are added to each other at once, so that the carry of the lower one is in
    /// the upper one, as `csum_fold` of Linux does.
    #[inline]
    pub fn fold(wide: u64) -> Self {
        let word = (wide.wrapping_add(wide.rotate_left(32)) >> 32) as u32;
        Self((word.wrapping_add(word.rotate_left(16)) >> 16) as u16)
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
    fn all_carries_come_around() {
        // Sums of four words, each of which is at one of its ends or beside it.
        let words = [0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff];
        for all in (0..words.len().pow(4)).map(|n| [n, n / 6, n / 36, n / 216].map(|n| n % 6)) {
            let wide = all.iter().fold(0, |wide, n| wide << 16 | words[*n] as u64);
            let modulo = (wide % 0xffff) as u16;
            let expected = if modulo == 0 && wide > 0 {
                0xffff
            } else {
                modulo
            };
            assert_eq!(Sum::fold(wide), Sum(expected), "{wide:x}");
        }
    }
}
