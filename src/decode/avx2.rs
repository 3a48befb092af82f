//! The sum of many bytes with the wide vectors of newer x86 processors.
//!
//! Compilers do not find this: one instruction multiplies sixteen signed words by 1 and
//! adds neighbours. To be signed the words are moved down by 2^15, which is added again
//! at the end.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_epi64, _mm256_castsi256_si128, _mm256_cvtepi32_epi64,
    _mm256_extract_epi64, _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_set_epi64x,
    _mm256_set1_epi16, _mm256_setzero_si256, _mm256_xor_si256,
};

/// Bytes added up by one turn of the loop.
const BLOCK: usize = 64;
/// Blocks after which a lane could overflow: each adds less than 2^16 to it, and two lanes
/// are added in the end.
const MOST_BLOCKS: usize = 1 << 14;
/// What one block is less by: 2^15 for each of its words.
const BIAS_LOG2: u32 = 20;

/// The sum of the little-endian words in whole blocks.
#[target_feature(enable = "avx2")]
pub(super) fn sum(blocks: &[[u8; BLOCK]]) -> u64 {
    let mut total = 0u64;
    for part in blocks.chunks(MOST_BLOCKS) {
        let bias = (part.len() as u64) << BIAS_LOG2;
        total = total.wrapping_add(bias.wrapping_add_signed(biased(part)));
    }
    total
}

/// The sum of at most [`MOST_BLOCKS`], each of their words taken for 2^15 less.
#[inline]
#[target_feature(enable = "avx2")]
fn biased(blocks: &[[u8; BLOCK]]) -> i64 {
    let (down, one) = (_mm256_set1_epi16(i16::MIN), _mm256_set1_epi16(1));
    let mut lanes = [_mm256_setzero_si256(); 2];
    for block in blocks {
        let (halves, _) = block.as_chunks::<32>();
        for (lane, half) in lanes.iter_mut().zip(halves) {
            let words = _mm256_xor_si256(load(half), down);
            *lane = _mm256_add_epi32(*lane, _mm256_madd_epi16(words, one));
        }
    }
    let [even, odd] = lanes;
    across(_mm256_add_epi32(even, odd))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    let (words, _) = bytes.as_chunks::<8>();
    match *words {
        [a, b, c, d] => _mm256_set_epi64x(
            i64::from_le_bytes(d),
            i64::from_le_bytes(c),
            i64::from_le_bytes(b),
            i64::from_le_bytes(a),
        ),
        _ => _mm256_setzero_si256(),
    }
}

/// The sum of eight signed lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn across(lanes: __m256i) -> i64 {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(lanes));
    let four = _mm256_add_epi64(low, high);
    _mm256_extract_epi64::<0>(four)
        .wrapping_add(_mm256_extract_epi64::<1>(four))
        .wrapping_add(_mm256_extract_epi64::<2>(four))
        .wrapping_add(_mm256_extract_epi64::<3>(four))
}
