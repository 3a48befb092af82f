//! The Internet checksum: RFC 1071, with the pseudo-headers of RFC 768 and RFC 8200.

use crate::model::{Addresses, Protocol, Sum, Verdict};

/// Bytes added up by one turn of the wide loop.
const BLOCK: usize = 64;

/// The one's-complement sum of `bytes`, the first of them being the high byte of
/// a word (RFC 1071); an odd last byte is padded with zero.
///
/// Adds native-endian 32-bit halves into eight 64-bit lanes, which compilers turn
/// into vector adds, and swaps once at the end: the sum of swapped words is the
/// swapped sum (RFC 1071 section 2 B). A lane grows by less than 2^33 a block, so
/// that nothing is lost below 2^37 bytes.
#[inline]
pub fn sum(bytes: &[u8]) -> Sum {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut wide = tail(rest);
    if !blocks.is_empty() {
        wide = wide.wrapping_add(lanes(blocks));
    }
    fold_native(wide)
}

/// Folds a sum of native-endian words.
#[inline]
fn fold_native(wide: u64) -> Sum {
    let folded = Sum::fold(wide);
    if cfg!(target_endian = "little") {
        folded.swapped()
    } else {
        folded
    }
}

/// The native-endian sum of whole blocks.
fn lanes(blocks: &[[u8; BLOCK]]) -> u64 {
    let mut lanes = [0u64; BLOCK / 8];
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = lane.wrapping_add(halves(u64::from_ne_bytes(*word)));
        }
    }
    // Folded once here: the lanes of a huge buffer could overflow when added.
    lanes
        .iter()
        .fold(0, |total: u64, lane| total.wrapping_add(halves(*lane)))
}

/// The native-endian sum of less than a block. The last bytes are read in halves
/// rather than copied into a word: a wide load of bytes just stored is slow.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut wide = 0u64;
    for word in words {
        wide = wide.wrapping_add(halves(u64::from_ne_bytes(*word)));
    }
    let (words, rest) = rest.as_chunks::<4>();
    if let [word] = words {
        wide = wide.wrapping_add(u64::from(u32::from_ne_bytes(*word)));
    }
    let (words, rest) = rest.as_chunks::<2>();
    if let [word] = words {
        wide = wide.wrapping_add(u64::from(u16::from_ne_bytes(*word)));
    }
    if let [last] = rest {
        wide = wide.wrapping_add(u64::from(u16::from_ne_bytes([*last, 0])));
    }
    wide
}

/// The two halves of a word, added: equal to the word modulo 0xffff.
#[inline]
fn halves(word: u64) -> u64 {
    (word & 0xffff_ffff).wrapping_add(word >> 32)
}

/// The sum of the addresses and the protocol of a pseudo-header; the length is
/// added by each checksum, as they differ in it. `addresses` is both of them as
/// they lie in the packet.
#[inline]
pub(super) fn pseudo<const N: usize>(addresses: &[u8; N], protocol: Protocol) -> Sum {
    fold_native(tail(addresses)).plus(Sum(u16::from(protocol.0)))
}

/// The same where the addresses are not those of the header, or the header is gone.
pub(super) fn pseudo_of(
    addresses: &Addresses,
    final_destination: Option<[u8; 16]>,
    home_address: Option<[u8; 16]>,
    protocol: Protocol,
) -> Sum {
    // The unused octets of an IPv4 address are zero and add nothing.
    let source = home_address.unwrap_or(addresses.source);
    let destination = final_destination.unwrap_or(addresses.destination);
    pseudo(&source, protocol).plus(pseudo(&destination, Protocol(0)))
}

/// What was found of one checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The verdict by this checksum alone.
    pub verdict: Verdict,
    /// Sum of everything it covers, pseudo-header and itself included; 0 where
    /// bytes are missing.
    pub total: Sum,
    /// Whether the field holds the bare pseudo-header sum, known even where the
    /// verdict is [`Verdict::Unverifiable`].
    pub looks_partial: bool,
}

impl Judgement {
    /// A verdict that no sum was needed for.
    pub fn plain(verdict: Verdict) -> Self {
        Self {
            verdict,
            total: Sum(0),
            looks_partial: false,
        }
    }
}

/// Judges a checksum: `covered` is the sum of the bytes it covers, itself
/// included, `pseudo` that of its pseudo-header with the length, and `field` what
/// it holds, if that was captured.
#[inline]
pub(super) fn judge(covered: Option<Sum>, pseudo: Sum, field: Option<u16>) -> Judgement {
    let looks_partial = field.is_some_and(|field| field == pseudo.0);
    let Some(covered) = covered else {
        return Judgement {
            looks_partial,
            ..Judgement::plain(Verdict::Unverifiable)
        };
    };
    let total = pseudo.plus(covered);
    let verdict = if total.is_all_ones() {
        Verdict::Good
    } else if looks_partial {
        Verdict::Offloaded
    } else {
        Verdict::Bad
    };
    Judgement {
        verdict,
        total,
        looks_partial,
    }
}

/// The length of a pseudo-header: 16 bits for IPv4, 32 for IPv6; added up, the
/// upper half counts for both, as Linux does for super-frames.
pub(super) fn length(bytes: u32) -> Sum {
    Sum::fold(u64::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(bytes: &[u8]) -> Sum {
        let mut total = 0u64;
        for pair in bytes.chunks(2) {
            total += u64::from(pair[0]) << 8;
            total += u64::from(pair.get(1).copied().unwrap_or(0));
        }
        Sum::fold(total)
    }

    #[test]
    fn equals_the_naive_sum_at_all_lengths_and_alignments() {
        let bytes: Vec<u8> = (0..400u32).map(|i| (i * 197 + 13) as u8).collect();
        for start in 0..17 {
            for length in 0..=300 {
                let part = &bytes[start..start + length];
                assert_eq!(sum(part), naive(part), "{length} bytes from {start}");
            }
        }
    }

    #[test]
    fn carries_are_not_lost() {
        for length in [63, 64, 65, 1444, 65_535, 1 << 20] {
            let ones = vec![0xff; length];
            assert_eq!(sum(&ones), naive(&ones), "{length}");
        }
        assert_eq!(sum(&[]), Sum(0));
        assert_eq!(sum(&[0; 200]), Sum(0));
    }

    #[test]
    fn verdicts() {
        let pseudo = Sum(0x1234);
        let cases = [
            (Some(Sum(0xedcb)), Some(0), Verdict::Good),
            (Some(Sum(0xedcc)), Some(0), Verdict::Bad),
            (Some(Sum(0xedcc)), Some(0x1234), Verdict::Offloaded),
            // Never "offloaded" what verifies.
            (Some(Sum(0xedcb)), Some(0x1234), Verdict::Good),
            (None, Some(0x1234), Verdict::Unverifiable),
            (Some(Sum(0xedcc)), None, Verdict::Bad),
        ];
        for (covered, field, verdict) in cases {
            assert_eq!(judge(covered, pseudo, field).verdict, verdict);
        }
    }
}
