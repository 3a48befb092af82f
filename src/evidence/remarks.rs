//! What is said of single frames: what findings say of them, and which fragments are
//! missing around them.

use super::kept::Kept;
use super::wanted::Wanted;
use crate::decode::{DecodeOptions, Decoder};
use crate::model::facts::{Fragment, Packet};
use crate::model::{Duration, IpVersion, Timestamp, escape, number};
use crate::report::document::Report;
use std::collections::BTreeMap;

/// What remarks depend on beside the frames.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    wanted: &'a Wanted,
    decode: DecodeOptions,
    /// Of IPv4 and IPv6.
    timeouts: [Duration; 2],
    /// When the capture ended.
    end: Timestamp,
    /// Names of the inputs.
    files: Vec<String>,
}

impl<'a> Context<'a> {
    /// What a report tells of it.
    pub fn new(report: &Report, wanted: &'a Wanted, decode: &DecodeOptions) -> Self {
        let seconds = |seconds: f64| Duration((seconds * 1e9) as i64);
        let options = &report.options;
        let files = report.capture.files.iter();
        Self {
            wanted,
            decode: decode.clone(),
            timeouts: [
                seconds(options.reassembly_timeout_ipv4_seconds),
                seconds(options.reassembly_timeout_ipv6_seconds),
            ],
            end: report
                .capture
                .last_timestamp
                .map_or(Timestamp::MIN, |time| time.0),
            files: files
                .map(|file| escape::line(&file.path).into_owned())
                .collect(),
        }
    }
}

/// One fragment among those kept.
#[derive(Clone, Copy, Debug)]
struct Piece {
    frame: usize,
    id: u32,
    version: IpVersion,
    offset: u32,
    end: u32,
    more: bool,
}

/// Writes comments on the frames. `datagrams` has the number of the datagram of each, and
/// `names` says whether inputs are named.
pub(super) fn write(kept: &mut Kept, datagrams: &[Option<u64>], context: &Context<'_>) {
    let mut remarks: Vec<Vec<String>> = vec![Vec::new(); kept.frames.len()];
    for (frame, remarks) in kept.frames.iter().zip(&mut remarks) {
        remarks.extend_from_slice(context.wanted.notes(frame.origin));
    }
    for pieces in by_datagram(kept, datagrams, context).values_mut() {
        for (frame, remark) in missing(pieces, kept, context) {
            remarks[frame].push(remark);
        }
    }
    for (frame, remarks) in kept.frames.iter_mut().zip(remarks) {
        if !remarks.is_empty() {
            let file = context.files.get(frame.origin.file as usize);
            let file = file.map_or_else(String::new, |file| format!(" of {file}"));
            let frame_number = number::count(frame.origin.number);
            let origin = format!("frame {frame_number}{file}");
            frame.comment = Some(format!("{}\n({origin})", remarks.join("\n")));
        }
    }
}

fn by_datagram(
    kept: &Kept,
    datagrams: &[Option<u64>],
    context: &Context<'_>,
) -> BTreeMap<u64, Vec<Piece>> {
    let mut decoder = Decoder::new(&context.decode);
    let mut packet = Packet::default();
    let mut pieces: BTreeMap<u64, Vec<Piece>> = BTreeMap::new();
    for (index, (frame, datagram)) in kept.frames.iter().zip(datagrams).enumerate() {
        let Some(datagram) = datagram else { continue };
        decoder.frame(&frame.as_frame(), &mut packet);
        let Some(layer) = packet.layers.last() else {
            continue;
        };
        if let Fragment::Piece(piece) = layer.fragment {
            pieces.entry(*datagram).or_default().push(Piece {
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

/// What is missing of a datagram, and the frame beside which that is said.
fn missing(pieces: &mut [Piece], kept: &Kept, context: &Context<'_>) -> Vec<(usize, String)> {
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
    let fate = fate(pieces, kept, context);
    let datagram = format!("datagram {:#06x} {fate}", first.id);
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

/// What became of a datagram that is not whole.
fn fate(pieces: &[Piece], kept: &Kept, context: &Context<'_>) -> &'static str {
    let times = pieces
        .iter()
        .map(|piece| kept.frames[piece.frame].timestamp);
    let opened = times.min().unwrap_or(Timestamp::MAX);
    let timeout = match pieces.first().map(|piece| piece.version) {
        Some(IpVersion::V6) => context.timeouts[1],
        _ => context.timeouts[0],
    };
    if context.end - opened > timeout {
        "timed out"
    } else {
        "never became whole"
    }
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
