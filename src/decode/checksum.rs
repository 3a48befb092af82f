//! The Internet checksum: RFC 1071, with the pseudo-headers of RFC 768 and RFC 8200.

#[cfg(target_arch = "x86_64")]
use super::avx2;
use crate::model::{Addresses, Protocol, Sum, Verdict};

/// Bytes added up by one turn of the wide loop.
const BLOCK: usize = 64;

/// The one's-complement sum of `bytes`, the first of them being the high byte of
/// a word (RFC 1071); an odd last byte is padded with zero.
#[inline]
pub fn sum(bytes: &[u8]) -> Sum {
    fold(wide(bytes))
}

/// The sum of `bytes` read as little-endian words of any width: modulo 0xffff that is
/// the swapped sum (RFC 1071 section 2 B), so that one swap at the end makes up for all.
/// 0 only if all bytes are.
#[inline]
pub(super) fn wide(bytes: &[u8]) -> u64 {
    let (blocks, short) = bytes.as_chunks::<BLOCK>();
    let (words, rest) = short.as_chunks::<8>();
    let mut total = last(bytes, rest.len());
    for word in words {
        total = add(total, u64::from_le_bytes(*word));
    }
    if !blocks.is_empty() {
        total = add(total, lanes(blocks));
    }
    total
}

/// Adds two words with the carry carried around.
#[inline]
pub(super) fn add(one: u64, other: u64) -> u64 {
    let (total, carry) = one.overflowing_add(other);
    total.wrapping_add(u64::from(carry))
}

/// Whether what is covered, its checksum included, verifies by its [`wide`] sum. It must
/// hold something that is not 0.
#[inline]
pub(super) fn verifies(wide: u64) -> bool {
    wide.is_multiple_of(0xffff)
}

/// Folds a [`wide`] sum.
#[inline]
pub(super) fn fold(wide: u64) -> Sum {
    Sum::fold(wide).swapped()
}

/// The last `count` bytes, fewer than eight, as a word: cut out of the word that ends
/// with them rather than put together byte by byte.
#[inline]
fn last(bytes: &[u8], count: usize) -> u64 {
    match bytes.last_chunk::<8>() {
        Some(word) => {
            let others = 8usize.saturating_sub(count) as u32;
            u64::from_le_bytes(*word).unbounded_shr(others.saturating_mul(8))
        }
        None => few(bytes),
    }
}

/// Fewer than eight bytes as a word.
fn few(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word: u64, byte| word << 8 | u64::from(*byte))
}

/// The [`wide`] sum of whole blocks, by the widest vectors the processor has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn lanes(blocks: &[[u8; BLOCK]]) -> u64 {
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all the function asks for.
        unsafe { avx2::sum(blocks) }
    } else {
        lanes_anywhere(blocks)
    }
}

/// The [`wide`] sum of whole blocks.
#[cfg(not(target_arch = "x86_64"))]
fn lanes(blocks: &[[u8; BLOCK]]) -> u64 {
    lanes_anywhere(blocks)
}

/// Adds 32-bit halves into eight 64-bit lanes, which compilers turn into vector adds. A
/// lane grows by less than 2^33 a block, so that nothing is lost below 2^37 bytes.
fn lanes_anywhere(blocks: &[[u8; BLOCK]]) -> u64 {
    let mut lanes = [0u64; BLOCK / 8];
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = lane.wrapping_add(halves(u64::from_le_bytes(*word)));
        }
    }
    // Folded once here: the lanes of a huge buffer could overflow when added.
    lanes
        .iter()
        .fold(0, |total: u64, lane| total.wrapping_add(halves(*lane)))
}

/// The two halves of a word, added: equal to the word modulo 0xffff.
#[inline]
fn halves(word: u64) -> u64 {
    (word & 0xffff_ffff).wrapping_add(word >> 32)
}

/// The [`wide`] sum of the addresses and the protocol of a pseudo-header; the length is
/// added by each checksum, as they differ in it. `addresses` is both of them as they lie
/// in the packet.
#[inline]
pub(super) fn pseudo<const N: usize>(addresses: &[u8; N], protocol: Protocol) -> u64 {
    add(wide(addresses), u64::from(protocol.0) << 8)
}

/// The same where the addresses are not those of the header, or the header is gone.
pub(super) fn pseudo_of(
    addresses: &Addresses,
    final_destination: Option<[u8; 16]>,
    home_address: Option<[u8; 16]>,
    protocol: Protocol,
) -> u64 {
    // The unused octets of an IPv4 address are zero and add nothing.
    let source = home_address.unwrap_or(addresses.source);
    let destination = final_destination.unwrap_or(addresses.destination);
    add(pseudo(&source, protocol), wide(&destination))
}

/// What was found of one checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The verdict by this checksum alone.
    pub verdict: Verdict,
    /// Sum of everything it covers, pseudo-header and itself included; 0 where
    /// bytes are missing or it verifies.
    pub total: Sum,
    /// Whether the field holds the bare pseudo-header sum, known even where the
    /// verdict is [`Verdict::Unverifiable`]; false where it verifies.
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

/// Judges a checksum: `covered` is the [`wide`] sum of the bytes it covers, itself
/// included, `pseudo` that of its pseudo-header with the length, and `field` what
/// it holds, if that was captured.
#[inline]
pub(super) fn judge(covered: Option<u64>, pseudo: u64, field: Option<u16>) -> Judgement {
    let total = covered.map(|covered| add(pseudo, covered));
    match total {
        Some(total) if total != 0 && verifies(total) => Judgement::plain(Verdict::Good),
        _ => fault(total, pseudo, field),
    }
}

/// What is to be said of a checksum that does not verify.
#[inline(never)]
fn fault(total: Option<u64>, pseudo: u64, field: Option<u16>) -> Judgement {
    let looks_partial = field.is_some_and(|field| field == fold(pseudo).0);
    let verdict = match (total, looks_partial) {
        (None, _) => Verdict::Unverifiable,
        (Some(_), true) => Verdict::Offloaded,
        (Some(_), false) => Verdict::Bad,
    };
    Judgement {
        verdict,
        total: total.map_or(Sum(0), fold),
        looks_partial,
    }
}

/// The length of a pseudo-header: 16 bits for IPv4, 32 for IPv6; added up, the
/// upper half counts for both, as Linux does for super-frames.
#[inline]
pub(super) fn length(bytes: u32) -> u64 {
    u64::from(bytes.swap_bytes())
}

/// A sum as a part of a [`wide`] one.
#[inline]
pub(super) fn part(sum: Sum) -> u64 {
    u64::from(sum.swapped().0)
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
    fn all_widths_of_vectors_agree() {
        let bytes: Vec<u8> = (0..9_000u32).map(|i| (i * i * 31 + 7) as u8).collect();
        for length in (0..bytes.len()).step_by(61) {
            let (blocks, _) = bytes[..length].as_chunks::<BLOCK>();
            let covered = &bytes[..blocks.len() * BLOCK];
            assert_eq!(fold(lanes_anywhere(blocks)), naive(covered), "{length}");
            assert_eq!(fold(lanes(blocks)), naive(covered), "{length}");
        }
        let ones = vec![[0xff; BLOCK]; 40_000];
        assert_eq!(fold(lanes(&ones)), fold(lanes_anywhere(&ones)));
        let zeros = vec![[0; BLOCK]; 40_000];
        assert_eq!(lanes(&zeros), 0);
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
        let pseudo = part(Sum(0x1234));
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
            assert_eq!(judge(covered.map(part), pseudo, field).verdict, verdict);
        }
        // Bytes that are all 0 have no checksum that verifies.
        assert_eq!(judge(Some(0), 0, None).verdict, Verdict::Bad);
    }
}
