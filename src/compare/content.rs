//! What of a packet stays the same on its way: everything above IP but ports, checksums
//! and what a NIC fills in.

use super::icmp;
use crate::decode::{self, Plain};
use crate::model::facts::{Layer, Piece};
use crate::model::{Protocol, Sum};
use foldhash::quality::FixedState;
use std::hash::{BuildHasher, Hasher};

/// Bytes of a payload that are hashed, at most.
pub const HEAD_BYTES: usize = 16;

/// Any number: the same in every run.
const SEED: u64 = 768;

/// Words whose hash is the same in every run.
#[inline]
pub(super) fn hash(words: &[u64]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    for word in words {
        hasher.write_u64(*word);
    }
    hasher.finish()
}

/// What stays the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Hash of its beginning.
    pub head: u64,
    /// Its sum; `None` where not all of it was captured.
    pub sum: Option<Sum>,
}

impl Content {
    /// Of a packet that is no fragment; `payload` is what was captured above IP.
    pub fn of_whole(layer: &Layer, payload: &[u8], head_bytes: usize) -> Self {
        let is_complete = layer.payload_captured >= layer.payload_bytes && !layer.ip_longer;
        Self::of(
            layer.protocol,
            payload,
            skipped(layer.protocol, payload),
            is_complete,
            head_bytes,
        )
    }

    /// Of a fragment, whose sum is known.
    pub fn of_piece(layer: &Layer, piece: &Piece, payload: &[u8], head_bytes: usize) -> Self {
        let begins = piece.offset == 0 && layer.extension_bytes == 0;
        let variable = match begins {
            true => variable(layer.protocol, payload),
            false => Sum(0),
        };
        let skip = if begins {
            header(layer.protocol, payload)
        } else {
            0
        };
        Self {
            head: head(payload.get(skip..).unwrap_or_default(), head_bytes),
            sum: piece.sum.map(|sum| normal(sum.minus(variable))),
        }
    }

    /// Of an ordinary UDP packet.
    #[inline]
    pub fn of_plain_udp(plain: &Plain<'_>, head_bytes: usize) -> Self {
        let data = plain.upper().get(UDP_HEADER..).unwrap_or_default();
        Self {
            head: head(data, head_bytes),
            sum: plain.lasting_sum().map(normal),
        }
    }

    /// Of the stream bytes of an ordinary TCP segment with such a sum, behind a header of so many
    /// bytes.
    #[inline]
    pub fn of_plain_stream(segment: &[u8], sum: Sum, header: usize, head_bytes: usize) -> Self {
        // Headers of TCP are of whole words.
        let (headers, stream) = segment.split_at_checked(header).unwrap_or_default();
        Self {
            head: head(stream, head_bytes),
            sum: Some(normal(sum.minus(decode::sum(headers)))),
        }
    }

    /// Of the stream bytes of a TCP segment.
    pub fn of_stream(bytes: &[u8], is_complete: bool, head_bytes: usize) -> Self {
        Self {
            head: head(bytes, head_bytes),
            sum: is_complete.then(|| normal(decode::sum(bytes))),
        }
    }

    /// Of bytes, of which `skip` change on the way.
    pub fn of(
        protocol: Protocol,
        payload: &[u8],
        skip: usize,
        is_complete: bool,
        head_bytes: usize,
    ) -> Self {
        Self {
            head: head(payload.get(skip..).unwrap_or_default(), head_bytes),
            sum: is_complete
                .then(|| normal(decode::sum(payload).minus(variable(protocol, payload)))),
        }
    }
}

/// Bytes in front of what is hashed.
fn skipped(protocol: Protocol, payload: &[u8]) -> usize {
    header(protocol, payload).min(payload.len())
}

const UDP_HEADER: usize = 8;

/// Bytes of a header with ports and a checksum.
pub(super) fn header(protocol: Protocol, payload: &[u8]) -> usize {
    match protocol {
        Protocol::UDP | Protocol::UDP_LITE => UDP_HEADER,
        Protocol::TCP => 20,
        Protocol::ICMP | Protocol::ICMPV6 => icmp::header(protocol, payload),
        Protocol::SCTP => 12,
        _ => 0,
    }
}

/// The sum of the words that change on the way: ports, checksums, and what ICMP has of such.
fn variable(protocol: Protocol, payload: &[u8]) -> Sum {
    let word = |at: usize| {
        let word = payload.get(at..).and_then(<[_]>::first_chunk::<2>);
        u64::from(u16::from_be_bytes(word.copied().unwrap_or_default()))
    };
    // One after the other: chained they cost ten times as much.
    let fixed: u64 = fixed_words(protocol).iter().copied().map(word).sum();
    let of_icmp: u64 = match is_icmp(protocol) {
        true => icmp::variable(protocol, payload).map(word).sum(),
        false => 0,
    };
    Sum::fold(fixed + of_icmp)
}

fn is_icmp(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::ICMP | Protocol::ICMPV6)
}

/// Where they are in a payload that begins so.
pub(super) fn variable_words(protocol: Protocol, payload: &[u8]) -> impl Iterator<Item = usize> {
    let of_icmp = is_icmp(protocol).then(|| icmp::variable(protocol, payload));
    let fixed = fixed_words(protocol).iter().copied();
    fixed.chain(of_icmp.into_iter().flatten())
}

/// Where they are, whatever the payload is.
pub(super) fn fixed_words(protocol: Protocol) -> &'static [usize] {
    match protocol {
        Protocol::UDP | Protocol::UDP_LITE => &[0, 2, 6],
        Protocol::TCP => &[0, 2, 16],
        Protocol::SCTP => &[0, 2, 8, 10],
        Protocol::ICMP | Protocol::ICMPV6 => &[icmp::CHECKSUM],
        _ => &[],
    }
}

/// Blanks out what changes on the way.
pub(super) fn blank_variable(layer: &Layer, payload: &mut [u8]) {
    use crate::model::facts::Fragment;
    if matches!(&layer.fragment, Fragment::Piece(piece) if piece.offset > 0) {
        return;
    }
    let words: Vec<usize> = variable_words(layer.protocol, payload).collect();
    for at in words {
        if let Some(word) = payload.get_mut(at..at + 2) {
            word.fill(0);
        }
    }
}

#[inline]
fn head(bytes: &[u8], head_bytes: usize) -> u64 {
    match bytes.first_chunk::<HEAD_BYTES>() {
        Some(all) if head_bytes >= HEAD_BYTES => {
            let all = u128::from_le_bytes(*all);
            hash(&[all as u64, (all >> 64) as u64])
        }
        _ => short_head(bytes, head_bytes),
    }
}

/// The same where less is there, or was captured somewhere.
#[inline(never)]
fn short_head(bytes: &[u8], head_bytes: usize) -> u64 {
    let bytes = bytes.get(..head_bytes.min(bytes.len())).unwrap_or_default();
    FixedState::with_seed(SEED).hash_one(bytes)
}

/// Zero has two forms.
fn normal(sum: Sum) -> Sum {
    match sum {
        Sum(0xffff) => Sum(0),
        sum => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn udp(source: u16, checksum: u16, data: &[u8]) -> Vec<u8> {
        let words = [source, 53, 8 + data.len() as u16, checksum];
        let header = words.into_iter().flat_map(u16::to_be_bytes);
        header.chain(data.iter().copied()).collect()
    }

    #[test]
    fn ports_and_checksums_do_not_count_and_all_else_does() {
        let of = |bytes: &[u8]| {
            let content = Content::of(Protocol::UDP, bytes, 8, true, HEAD_BYTES);
            (content.head, content.sum)
        };
        let data = [7; 40];
        let as_sent = of(&udp(4000, 0x1234, &data));
        assert_eq!(as_sent, of(&udp(61000, 0xfedc, &data)));
        let mut damaged = data;
        damaged[39] = 8;
        assert_ne!(as_sent, of(&udp(4000, 0x1234, &damaged)));
        assert_ne!(as_sent, of(&udp(4000, 0x1234, &data[1..])));
    }

    #[test]
    fn identifiers_of_echoes_do_not_count_and_sequences_do() {
        let of = |protocol: Protocol, kind: u8, identifier: u8, sequence: u8| {
            let message = [[kind, 0, identifier, 7], [0, identifier, 0, sequence]];
            let bytes = [&message.concat()[..], &[9; 40]].concat();
            let content = Content::of(
                protocol,
                &bytes,
                skipped(protocol, &bytes),
                true,
                HEAD_BYTES,
            );
            (content.head, content.sum)
        };
        for (protocol, kind) in [(Protocol::ICMP, 8), (Protocol::ICMP, 0)]
            .into_iter()
            .chain([(Protocol::ICMPV6, 128), (Protocol::ICMPV6, 129)])
        {
            assert_eq!(of(protocol, kind, 1, 5), of(protocol, kind, 2, 5));
            assert_ne!(of(protocol, kind, 1, 5), of(protocol, kind, 1, 6));
        }
        // Of others these bytes are something else.
        assert_ne!(of(Protocol::ICMP, 3, 1, 5), of(Protocol::ICMP, 3, 2, 5));
        assert_ne!(of(Protocol::ICMPV6, 8, 1, 5), of(Protocol::ICMPV6, 8, 2, 5));
    }

    #[test]
    fn zero_is_zero() {
        let zeros = Content::of_stream(&[0; 8], true, HEAD_BYTES);
        let ones = Content::of_stream(&[0xff; 8], true, HEAD_BYTES);
        assert_eq!(zeros.sum, ones.sum);
        assert_ne!(zeros.head, ones.head);
    }
}
