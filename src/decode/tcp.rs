//! TCP (RFC 9293 section 3.1).
//!
//! ```text
//!  0                   1                   2                   3
//!  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |          Source Port          |       Destination Port        |
//! |                        Sequence Number                        |
//! |                    Acknowledgment Number                      |
//! |  Data | Rsrvd |C|E|U|A|P|R|S|F|            Window             |
//! |           Checksum            |         Urgent Pointer        |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```
//!
//! Read field by field: `etherparse` refuses a header whose options the snaplen
//! cut, of which everything here is still there.

use super::upper::{Origin, Read, Upper};
use super::view::View;
use crate::model::facts::{LayerKind, Segment, Tcp, Transport};

const SEQUENCE: usize = 4;
const ACKNOWLEDGEMENT: usize = 8;
pub(super) const DATA_OFFSET: usize = 12;
const CHECKSUM: usize = 16;
/// Bytes of the header without options.
pub(super) const HEADER: u32 = 20;

/// Reads a TCP header and judges its checksum. Inlined by force, so that the facts
/// need not be copied.
#[inline(always)]
pub(super) fn parse(upper: &Upper<'_>) -> Read {
    let view = upper.view;
    let (Some(ports), Some(field)) = (upper.ports(), view.u16(CHECKSUM)) else {
        return upper.truncated(LayerKind::Tcp);
    };
    let mut judgement = upper.judge(view.claimed, view.claimed, Some(field));
    if upper.origin == Origin::SuperFrame && !judgement.looks_partial {
        // Windows leaves the length out of the pseudo-header sum it hands to a
        // NIC that segments (NDIS large send offload, version 2).
        let without_length = upper.judge(view.claimed, 0, Some(field));
        if without_length.looks_partial && judgement.verdict != crate::model::Verdict::Good {
            judgement = without_length;
        }
    }
    let Some(segment) = segment(view) else {
        return upper.cut(judgement, view.malformed(LayerKind::Tcp));
    };
    Read {
        transport: Transport::Tcp(Tcp {
            ports,
            segment,
            checksum: judgement.verdict,
        }),
        judgement,
        stop: None,
    }
}

/// What a header says of its segment; `None` if it does not end within the packet.
#[inline]
pub(super) fn segment(view: View<'_>) -> Option<Segment> {
    let [data_offset, flags] = view.array(DATA_OFFSET)?;
    let header = u32::from(data_offset >> 4).wrapping_mul(4);
    if header < HEADER {
        return None;
    }
    Some(Segment {
        sequence: view.u32(SEQUENCE)?,
        acknowledgement: view.u32(ACKNOWLEDGEMENT)?,
        payload_bytes: view.claimed.checked_sub(header)?,
        flags,
    })
}
