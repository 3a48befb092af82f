//! How the bytes of one packet differ at two points: both frames are read once more.

use super::between::Shown;
use super::content::blank_variable;
use super::outcome::Outcome;
use super::run::{Open, Pass, Read};
use crate::decode::{DecodeOptions, Decoder};
use crate::model::facts::Packet;
use crate::source::Block;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Packets that are looked at, at most.
const MAX_EXAMINED: usize = 512;
/// Bytes that are shown.
const SHOWN_BYTES: usize = 16;
/// Bits of a byte, or of all, that may be flipped one by one.
const FEW_BITS: u32 = 8;
/// Bytes by which something is moved, at most.
const FARTHEST: usize = 64;

/// How bytes differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that differ.
    pub bytes: u32,
    /// Bits that differ.
    pub bits: u32,
    /// Where the first differs, from the beginning of the IP payload.
    pub first: u32,
    /// The first that differ, on the side of the first point.
    pub front: Vec<u8>,
    /// The same on the side of the last.
    pub back: Vec<u8>,
    /// What it looks like, going forward, and going back.
    pub looks: [DamageLook; 2],
}

/// What damage looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageLook {
    /// Single bits.
    Bits,
    /// A run of bytes became all the same.
    Filled,
    /// Equal differences at equal distances.
    Patterned,
    /// The same bytes, moved.
    Shifted,
    /// Shorter or longer.
    Resized,
    /// None of these.
    Replaced,
}

/// Damage by point and number of both frames.
pub(super) type Examined = BTreeMap<[(usize, u64); 2], Damage>;

/// Reads both frames of each damaged packet once more, until `flow` breaks.
pub(super) fn examine(
    outcome: &Outcome,
    open: Open<'_>,
    decode: &DecodeOptions,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> Examined {
    let mut wanted: BTreeSet<[(usize, u64); 2]> = BTreeSet::new();
    for flow in &outcome.flows {
        let damaged = flow.account.between.iter().flat_map(|b| &b.damaged);
        for pair in damaged {
            if wanted.len() < MAX_EXAMINED {
                wanted.insert([named(&pair.front), named(&pair.back)]);
            }
        }
    }
    let mut payloads = BTreeMap::new();
    for (place, point) in outcome.points.iter().enumerate() {
        let frames = wanted.iter().flatten().filter(|(at, _)| *at == place);
        let frames: BTreeSet<u64> = frames.map(|(_, frame)| *frame).collect();
        if let Some(last) = frames.last().copied() {
            let reread = read(
                open,
                point.given,
                decode,
                &frames,
                last,
                flow,
                &mut |frame, payload| {
                    payloads.insert((place, frame), payload);
                },
            );
            if reread.is_break() {
                break;
            }
        }
    }
    let examined = wanted.into_iter().filter_map(|[one, other]| {
        let damage = differences(payloads.get(&one)?, payloads.get(&other)?)?;
        Some(([one, other], damage))
    });
    examined.collect()
}

fn named(shown: &Shown) -> (usize, u64) {
    (shown.point, shown.frame)
}

/// Gives the innermost payload of some frames, with what changes on purpose blanked out.
fn read(
    open: Open<'_>,
    given: usize,
    decode: &DecodeOptions,
    frames: &BTreeSet<u64>,
    last: u64,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
    take: &mut dyn FnMut(u64, Vec<u8>),
) -> ControlFlow<()> {
    let mut source = open(given, Pass::Sample);
    let mut block = Block::default();
    let mut decoder = Decoder::new(decode);
    let mut packet = Packet::default();
    while source.fill(&mut block) && block.first().number <= last {
        flow(Read::of(source.progress(), block.first().number))?;
        for frame in block
            .frames()
            .filter(|frame| frames.contains(&frame.id.number))
        {
            decoder.frame(&frame, &mut packet);
            let Some(layer) = packet.layers.last() else {
                continue;
            };
            let start = layer.payload_start as usize;
            let end = start + layer.payload_captured as usize;
            let mut payload = frame.data.get(start..end).unwrap_or_default().to_vec();
            blank_variable(layer, &mut payload);
            take(frame.id.number, payload);
        }
    }
    ControlFlow::Continue(())
}

/// How two payloads differ; `None` if they do not.
fn differences(front: &[u8], back: &[u8]) -> Option<Damage> {
    let both = front.iter().zip(back);
    let differing: Vec<usize> = both
        .enumerate()
        .filter(|(_, (one, other))| one != other)
        .map(|(at, _)| at)
        .collect();
    let longer = front.len().abs_diff(back.len());
    if differing.is_empty() && longer == 0 {
        return None;
    }
    let first = differing
        .first()
        .copied()
        .unwrap_or(front.len().min(back.len()));
    let bits = differing
        .iter()
        .map(|at| (front[*at] ^ back[*at]).count_ones());
    let shown = |bytes: &[u8]| {
        let end = bytes.len().min(first + SHOWN_BYTES);
        bytes.get(first..end).unwrap_or_default().to_vec()
    };
    Some(Damage {
        bytes: (differing.len() + longer) as u32,
        bits: bits.sum::<u32>() + 8 * longer as u32,
        first: first as u32,
        front: shown(front),
        back: shown(back),
        looks: [look(front, back, &differing), look(back, front, &differing)],
    })
}

fn look(was: &[u8], is: &[u8], differing: &[usize]) -> DamageLook {
    if was.len() != is.len() {
        return DamageLook::Resized;
    }
    let (Some(first), Some(last)) = (differing.first(), differing.last()) else {
        return DamageLook::Replaced;
    };
    let run = &is[*first..=*last];
    let is_filled = differing.len() >= 4 && run.iter().all(|byte| *byte == run[0]);
    if is_filled {
        DamageLook::Filled
    } else if is_patterned(was, is, differing) {
        DamageLook::Patterned
    } else if are_few_bits(was, is, differing) {
        DamageLook::Bits
    } else if is_shifted(was, is, *first, *last) {
        DamageLook::Shifted
    } else {
        DamageLook::Replaced
    }
}

fn are_few_bits(was: &[u8], is: &[u8], differing: &[usize]) -> bool {
    let bits = differing.iter().map(|at| (was[*at] ^ is[*at]).count_ones());
    bits.sum::<u32>() <= FEW_BITS.max(differing.len() as u32)
}

/// Whether the same bits differ again and again, as far apart each time.
fn is_patterned(was: &[u8], is: &[u8], differing: &[usize]) -> bool {
    if differing.len() < 3 {
        return false;
    }
    let bits = |at: usize| was[at] ^ is[at];
    let distance = differing[1] - differing[0];
    distance > 1
        && differing
            .windows(2)
            .all(|pair| pair[1] - pair[0] == distance && bits(pair[1]) == bits(pair[0]))
}

/// Whether nearly all that differs is what was there some bytes before or behind.
fn is_shifted(was: &[u8], is: &[u8], first: usize, last: usize) -> bool {
    let length = last + 1 - first;
    (1..=FARTHEST.min(length.saturating_sub(1))).any(|by| {
        let kept = length - by;
        let later = is[first + by..=last].iter().zip(&was[first..]);
        let earlier = is[first..].iter().zip(&was[first + by..=last]);
        let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take(kept).filter(|(one, other)| one == other).count()
        };
        let most = kept - kept / 16;
        kept >= 8
            && (same(&mut later.into_iter()) >= most || same(&mut earlier.into_iter()) >= most)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_like(change: impl Fn(&mut Vec<u8>)) -> DamageLook {
        let was: Vec<u8> = (0..200_u32).map(|n| (n * 7919 % 251) as u8).collect();
        let mut is = was.clone();
        change(&mut is);
        differences(&was, &is).unwrap().looks[0]
    }

    #[test]
    fn damage_is_told_by_what_it_looks_like() {
        assert_eq!(looks_like(|is| is[50] ^= 0x10), DamageLook::Bits);
        assert_eq!(looks_like(|is| is[40..90].fill(0)), DamageLook::Filled);
        assert_eq!(looks_like(|is| is.truncate(100)), DamageLook::Resized);
        assert_eq!(
            looks_like(|is| is[16..].iter_mut().step_by(64).for_each(|b| *b ^= 0x80)),
            DamageLook::Patterned
        );
        assert_eq!(
            looks_like(|is| is[20..].rotate_right(4)),
            DamageLook::Shifted
        );
        assert_eq!(
            looks_like(|is| (30..90).for_each(|at| is[at] = is[at].wrapping_mul(31) ^ at as u8)),
            DamageLook::Replaced
        );
        assert_eq!(differences(&[1, 2], &[1, 2]), None);
        let one = differences(&[1, 2, 3], &[1, 0, 3]).unwrap();
        assert_eq!((one.bytes, one.bits, one.first), (1, 1, 1));
    }
}
