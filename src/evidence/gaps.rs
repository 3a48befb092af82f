//! Which fragments are missing around those that are kept.

use super::kept::KeptFrame;
use crate::decode::{DecodeOptions, Decoder};
use crate::model::facts::{Fragment, Packet};
use crate::model::{IpVersion, number};
use std::collections::BTreeMap;

/// One fragment among those kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its place among the frames kept.
    pub frame: usize,
    /// The identification.
    pub id: u32,
    pub version: IpVersion,
    /// Where it begins in the payload, in bytes.
    pub offset: u32,
    /// Where it ends.
    pub end: u32,
    more: bool,
}

/// The fragments among frames, each with the number of its datagram, by that number.
pub(super) fn by_datagram<'a>(
    frames: impl Iterator<Item = (&'a KeptFrame, Option<u64>)>,
    decode: &DecodeOptions,
) -> BTreeMap<u64, Vec<Piece>> {
    let mut decoder = Decoder::new(decode);
    let mut packet = Packet::default();
    let mut pieces: BTreeMap<u64, Vec<Piece>> = BTreeMap::new();
    for (index, (frame, datagram)) in frames.enumerate() {
        let Some(datagram) = datagram else { continue };
        decoder.frame(&frame.as_frame(), &mut packet);
        let Some(layer) = packet.layers.last() else {
            continue;
        };
        if let Fragment::Piece(piece) = layer.fragment {
            pieces.entry(datagram).or_default().push(Piece {
                frame: index,
                id: piece.id,
                version: layer.addresses.version,
                offset: piece.offset,
                end: piece.offset.saturating_add(layer.payload_bytes),
                more: piece.more,
            });
        }
    }
    pieces
}

/// What is missing of a datagram that came to this end, and the frame beside which that is
/// said; where that is not the first of its frames, what became of it is said there too.
pub(super) fn missing(pieces: &mut [Piece], fate: &str) -> Vec<(usize, String)> {
    let mut said = missing_beside(pieces, fate);
    let first = pieces.iter().min_by_key(|piece| piece.frame).copied();
    if let Some(first) = first
        && !said.is_empty()
        && said.iter().all(|(frame, _)| *frame != first.frame)
    {
        let what = format!("{}: not all of it is here", datagram(&first, fate));
        said.push((first.frame, what));
    }
    said
}

fn datagram(piece: &Piece, fate: &str) -> String {
    format!("datagram {:#06x} {fate}", piece.id)
}

/// What is missing, beside the frames that come next.
fn missing_beside(pieces: &mut [Piece], fate: &str) -> Vec<(usize, String)> {
    pieces.sort_by_key(|piece| (piece.offset, piece.frame));
    let full = pieces.iter().filter(|piece| piece.more);
    let full = full
        .map(|piece| piece.end - piece.offset)
        .max()
        .unwrap_or(0);
    let (Some(first), true) = (pieces.first().copied(), full > 0) else {
        return Vec::new();
    };
    let end = pieces
        .iter()
        .filter(|piece| !piece.more)
        .map(|piece| piece.end)
        .max();
    let datagram = datagram(&first, fate);
    let counted = Counted { full, end };
    let mut said = Vec::new();
    let mut covered = 0;
    for piece in pieces.iter() {
        if piece.offset > covered {
            let which = counted.fragments(covered, piece.offset);
            said.push((
                piece.frame,
                format!("{which} missing before this one; {datagram}"),
            ));
        }
        covered = covered.max(piece.end);
    }
    if end.is_none()
        && let Some(last) = pieces.last()
    {
        let after = number::count(u64::from(covered / full));
        let what = format!("all after fragment {after} missing; {datagram}");
        said.push((last.frame, what));
    }
    said
}

/// How the fragments of a datagram are counted: by its full-size ones.
struct Counted {
    full: u32,
    end: Option<u32>,
}

impl Counted {
    /// `fragments 3 to 5 of 47`: those that carry these bytes.
    fn fragments(&self, from: u32, to: u32) -> String {
        let of = self.end.map_or_else(String::new, |end| {
            format!(" of {}", number::count(end.div_ceil(self.full).into()))
        });
        let first = u64::from(from / self.full) + 1;
        let last = u64::from(to.div_ceil(self.full)).max(first);
        if first == last {
            format!("fragment {}{of}", number::count(first))
        } else {
            format!(
                "fragments {} to {}{of}",
                number::count(first),
                number::count(last)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(frame: usize, offset: u32, more: bool) -> Piece {
        Piece {
            frame,
            id: 7,
            version: IpVersion::V4,
            offset,
            end: offset + 8,
            more,
        }
    }

    #[test]
    fn the_first_frame_of_what_was_lost_says_so_too() {
        let mut pieces = [piece(0, 0, true), piece(3, 24, false)];
        let said = missing(&mut pieces, "timed out");
        let frames: Vec<usize> = said.iter().map(|(frame, _)| *frame).collect();
        assert_eq!(frames, [3, 0]);
        assert_eq!(
            said[1].1,
            "datagram 0x0007 timed out: not all of it is here"
        );
        let mut whole = [piece(0, 0, true), piece(1, 8, false)];
        assert_eq!(missing(&mut whole, "timed out"), []);
        let mut without_first = [piece(2, 8, true), piece(3, 16, false)];
        assert_eq!(missing(&mut without_first, "timed out").len(), 1);
    }

    #[test]
    fn fragments_are_counted_from_one() {
        let counted = Counted {
            full: 1_424,
            end: Some(65_515),
        };
        assert_eq!(counted.fragments(2_848, 4_272), "fragment 3 of 47");
        assert_eq!(counted.fragments(0, 2_848), "fragments 1 to 2 of 47");
        assert_eq!(
            counted.fragments(64_080, 65_515),
            "fragments 46 to 47 of 47"
        );
    }
}
