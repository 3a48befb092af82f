//! How the bytes of one packet differ at two points: both frames are read once more.

use super::between::Shown;
use super::content::{blank_variable, fixed_words};
use super::outcome::Outcome;
use super::run::{Open, Pass, Read};
use crate::decode::{DecodeOptions, Decoder};
use crate::model::Protocol;
use crate::model::facts::{Fragment, Packet};
use crate::source::Block;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

/// Packets that are looked at, at most.
const MAX_EXAMINED: usize = 512;
/// Bytes that are shown.
const SHOWN_BYTES: usize = 16;
/// Bits of a byte, or of all, that may be flipped one by one.
const FEW_BITS: u32 = 8;
/// Bytes by which something is moved, at most.
const FARTHEST: usize = 64;
/// Bytes between equal differences, at least, where some are left out.
const FAR_APART: usize = 4;
/// Bytes that repeat, at most.
const LONGEST_PATTERN: usize = 32;
/// How often they do, at least.
const REPEATED: usize = 4;

/// How bytes differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that differ.
    pub bytes: u32,
    /// Bits that differ.
    pub bits: u32,
    /// Where the first differs, from the beginning of the IP payload.
    pub first: u32,
    /// Where the last that differs ends.
    pub end: u32,
    /// The first that differ, on the side of the first point.
    pub front: Vec<u8>,
    /// The same on the side of the last.
    pub back: Vec<u8>,
    /// What it looks like, going forward, and going back.
    looks: [DamageLook; 2],
}

impl Damage {
    /// What it looks like.
    pub fn look(&self, is_backward: bool) -> DamageLook {
        self.looks[usize::from(is_backward)]
    }
}

/// What damage looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DamageLook {
    /// Single bits.
    Bits,
    /// A run of bytes became all the same.
    Filled,
    /// Equal differences at equal distances, or bytes that repeat.
    Patterned,
    /// The same bytes, moved.
    Shifted,
    /// Shorter or longer.
    Resized,
    /// Words of a fragment that is not the first, where ports and checksum would be if it were.
    Translated,
    /// Something else in each packet, but always at the same few bytes.
    SamePlace,
    /// None of these.
    Replaced,
}

/// So many packets have their damage at the same place by no chance.
const SAME_PLACE: usize = 3;
/// So many bytes beside it may be the same by chance.
const BESIDE: u32 = 8;
/// Bits that are flipped at a place, at most; who writes there changes more.
const FLIPPED: u32 = 2;

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
    let mut examined = examined.collect();
    hold_together(&mut examined);
    examined
}

/// What one packet does not tell, several do: damage between two points that is always at the
/// same place.
fn hold_together(examined: &mut Examined) {
    let ends = |frames: &[(usize, u64); 2]| frames.map(|(point, _)| point);
    let pairs: BTreeSet<[usize; 2]> = examined.keys().map(ends).collect();
    for pair in pairs {
        let those = |(frames, _): &(&[(usize, u64); 2], &Damage)| ends(frames) == pair;
        let all = examined.iter().filter(those).map(|(_, damage)| damage);
        let is_more_than_bits = all.clone().any(|damage| damage.bits > FLIPPED);
        let place = place_in_common(all).filter(|place| place.len() <= SHOWN_BYTES);
        if !is_more_than_bits || place.is_none() {
            continue;
        }
        let those = examined.iter_mut();
        for (_, damage) in those.filter(|(frames, _)| ends(frames) == pair) {
            for look in &mut damage.looks {
                if matches!(look, DamageLook::Bits | DamageLook::Replaced) {
                    *look = DamageLook::SamePlace;
                }
            }
        }
    }
}

/// Where several packets differ, if that is the same place in all of them.
pub(super) fn place_in_common<'a>(damaged: impl Iterator<Item = &'a Damage>) -> Option<Range<u32>> {
    let places: Vec<Range<u32>> = damaged.map(|damage| damage.first..damage.end).collect();
    let begin = places.iter().map(|place| place.start).min()?;
    let end = places.iter().map(|place| place.end).max()?;
    let is_there = |place: &Range<u32>| place.start - begin <= BESIDE && end - place.end <= BESIDE;
    (places.len() >= SAME_PLACE && places.iter().all(is_there)).then_some(begin..end)
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
    take: &mut dyn FnMut(u64, Payload),
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
            let mut bytes = frame.data.get(start..end).unwrap_or_default().to_vec();
            blank_variable(layer, &mut bytes);
            let is_cut = layer.payload_captured < layer.payload_bytes;
            let without_header = match &layer.fragment {
                Fragment::Piece(piece) if piece.offset > 0 => Some(layer.protocol),
                _ => None,
            };
            let payload = Payload {
                bytes,
                is_cut,
                without_header,
            };
            take(frame.id.number, payload);
        }
    }
    ControlFlow::Continue(())
}

/// What a packet carries.
struct Payload {
    bytes: Vec<u8>,
    /// Whether the capture has but the beginning.
    is_cut: bool,
    /// Of a fragment that is not the first: whose header the first has.
    without_header: Option<Protocol>,
}

/// How two payloads differ; `None` if they do not.
fn differences(front: &Payload, back: &Payload) -> Option<Damage> {
    let shared = match front.is_cut || back.is_cut {
        true => front.bytes.len().min(back.bytes.len()),
        false => usize::MAX,
    };
    let [mine, theirs] = [front, back].map(|payload| {
        let bytes = &payload.bytes;
        &bytes[..shared.min(bytes.len())]
    });
    let mut damage = differing(mine, theirs)?;
    let words = match front.without_header {
        Some(protocol) => fixed_words(protocol),
        None => &[],
    };
    if damage.bits > 1 && lies_in(words, damage.first..damage.end) {
        damage.looks = [DamageLook::Translated; 2];
    }
    Some(damage)
}

/// Whether some bytes are among words that begin at these places.
fn lies_in(words: &[usize], place: Range<u32>) -> bool {
    let is_there = |at: u32| {
        words
            .iter()
            .any(|word| (*word..word + 2).contains(&(at as usize)))
    };
    !place.is_empty() && { place }.all(is_there)
}

/// How bytes differ.
fn differing(front: &[u8], back: &[u8]) -> Option<Damage> {
    let both = front.iter().zip(back);
    let differing: Vec<usize> = both
        .enumerate()
        .filter(|(_, (one, other))| one != other)
        .map(|(at, _)| at)
        .collect();
    let longer = front.len().abs_diff(back.len());
    let longest = if longer > 0 {
        front.len().max(back.len())
    } else {
        0
    };
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
    let end = differing.last().map_or(first, |last| last + 1).max(longest);
    let shown = |bytes: &[u8]| {
        let end = bytes.len().min(end).min(first + SHOWN_BYTES);
        bytes.get(first..end).unwrap_or_default().to_vec()
    };
    Some(Damage {
        bytes: (differing.len() + longer) as u32,
        bits: bits.sum::<u32>() + 8 * longer as u32,
        first: first as u32,
        end: end as u32,
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
    } else if is_patterned(was, is, differing) || repeats(run, differing.len()) {
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

/// Whether the same bits differ again and again, or bytes became the same, as far apart each time.
/// Where a bit is always set, or a byte always the same, it was so here and there before: then the
/// distances have one in common.
fn is_patterned(was: &[u8], is: &[u8], differing: &[usize]) -> bool {
    let bits = |at: usize| was[at] ^ is[at];
    let pairs = || differing.windows(2);
    let are_alike = pairs().all(|pair| bits(pair[1]) == bits(pair[0]))
        || pairs().all(|pair| is[pair[1]] == is[pair[0]]);
    if differing.len() < 3 || !are_alike {
        return false;
    }
    let distances = || pairs().map(|pair| pair[1] - pair[0]);
    let common = distances().fold(0, greatest_common);
    let is_equal = common > 1 && distances().all(|distance| distance == common);
    is_equal || (differing.len() > 3 && common >= FAR_APART)
}

fn greatest_common(one: usize, other: usize) -> usize {
    match other {
        0 => one,
        _ => greatest_common(other, one % other),
    }
}

/// Whether bytes are the same few again and again, and most of them were others.
fn repeats(run: &[u8], differing: usize) -> bool {
    let is_so = |by: usize| run.iter().zip(&run[by..]).all(|(one, other)| one == other);
    let longest = LONGEST_PATTERN.min(run.len() / REPEATED);
    run.len() >= 16 && differing > run.len() / 2 && (2..=longest).any(is_so)
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
        differing(&was, &is).unwrap().looks[0]
    }

    fn payload(bytes: &[u8]) -> Payload {
        Payload {
            bytes: bytes.to_vec(),
            is_cut: false,
            without_header: None,
        }
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
        assert_eq!(
            looks_like(|is| is[20..84].copy_from_slice(&[0xde, 0xad, 0xbe, 0xef].repeat(16))),
            DamageLook::Patterned
        );
        // Where the bit was set before nothing differs.
        assert_eq!(
            looks_like(|is| is[16..].iter_mut().step_by(16).for_each(|b| *b |= 0x20)),
            DamageLook::Patterned
        );
        assert_eq!(differing(&[1, 2], &[1, 2]), None);
        let one = differing(&[1, 2, 3], &[1, 0, 3]).unwrap();
        assert_eq!((one.bytes, one.bits, one.first, one.end), (1, 1, 1, 2));
        let shorter = differing(&[1, 2, 3], &[1]).unwrap();
        assert_eq!((shorter.bytes, shorter.first, shorter.end), (2, 1, 3));
    }

    #[test]
    fn of_cut_packets_what_both_have_is_compared() {
        let whole = payload(&[1, 2, 3, 4]);
        let cut = |bytes: &[u8]| Payload {
            is_cut: true,
            ..payload(bytes)
        };
        assert_eq!(differences(&whole, &cut(&[1, 2])), None);
        let damage = differences(&cut(&[1, 7]), &whole).unwrap();
        assert_eq!((damage.first, damage.end, damage.bytes), (1, 2, 1));
    }

    #[test]
    fn what_a_translator_writes_into_later_fragments_is_known() {
        let later = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = vec![7; 40];
            change(&mut bytes);
            Payload {
                without_header: Some(Protocol::UDP),
                ..payload(&bytes)
            }
        };
        let looks = |change: &dyn Fn(&mut Vec<u8>)| {
            differences(&later(&|_| {}), &later(change)).unwrap().looks[0]
        };
        assert_eq!(looks(&|is| is[6] = 0x30), DamageLook::Translated);
        assert_eq!(looks(&|is| is[..4].fill(0x99)), DamageLook::Translated);
        assert_eq!(looks(&|is| is[6] ^= 1), DamageLook::Bits);
        assert_eq!(looks(&|is| is[4..8].fill(0x99)), DamageLook::Filled);
        assert_eq!(looks(&|is| is[8] = 0x30), DamageLook::Bits);
    }

    /// What several packets look like of which each had something written to it.
    fn looks_together(packets: u64, change: impl Fn(u64, &mut [u8])) -> Vec<DamageLook> {
        let damaged = (0..packets).map(|number| {
            let was: Vec<u8> = (0..200)
                .map(|at| (at * 7919 % 251 + number) as u8)
                .collect();
            let mut is = was.clone();
            change(number, &mut is);
            ([(0, number), (1, number)], differing(&was, &is).unwrap())
        });
        let mut examined: Examined = damaged.collect();
        hold_together(&mut examined);
        examined.values().map(|damage| damage.looks[0]).collect()
    }

    #[test]
    fn several_packets_tell_that_somebody_writes_to_one_place() {
        let other = |number: u64, is: &mut [u8]| {
            is[50] = is[50].wrapping_mul(31) ^ 0x55;
            is[52] ^= number as u8 | 0x80;
        };
        let looks = |packets| looks_together(packets, other);
        assert_eq!(looks(2), [DamageLook::Bits; 2]);
        assert_eq!(looks(3), [DamageLook::SamePlace; 3]);
        let flipped = looks_together(3, |_, is| is[50] ^= 4);
        assert_eq!(flipped, [DamageLook::Bits; 3]);
        let at_large = looks_together(3, |_, is| {
            for (at, byte) in is[50..150].iter_mut().enumerate() {
                *byte = byte.wrapping_mul(31) ^ at as u8;
            }
        });
        assert_eq!(at_large, [DamageLook::Replaced; 3]);
        let elsewhere = looks_together(3, |number, is| is[50 * number as usize + 20] ^= 0x7f);
        assert_eq!(elsewhere, [DamageLook::Bits; 3]);
        let filled = looks_together(3, |_, is| is[50..60].fill(0xee));
        assert_eq!(filled, [DamageLook::Filled; 3]);
    }
}
