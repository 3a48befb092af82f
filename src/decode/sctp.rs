//! SCTP (RFC 9260 section 3.1).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |     Source Port Number        |     Destination Port Number   |
//! |                      Verification Tag                         |
//! |                           Checksum                            |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::checksum::Judgement;
use super::upper::{Origin, Read, Upper};
use super::view::View;
use crate::model::Verdict;
use crate::model::facts::{LayerKind, Transport};

const CHECKSUM: usize = 8;
const HEADER: usize = 12;

/// Reads an SCTP header and judges its checksum.
pub(super) fn parse(upper: &Upper<'_>) -> Read {
    let (Some(ports), Some(field)) = (upper.ports(), upper.view.array::<4>(CHECKSUM)) else {
        let unknown = Judgement::plain(Verdict::Unverifiable);
        return upper.cut(unknown, upper.view.truncated(LayerKind::Sctp));
    };
    let verdict = verdict(upper.view, u32::from_le_bytes(field), upper.origin);
    Read {
        transport: Transport::Sctp {
            ports,
            checksum: verdict,
        },
        judgement: Judgement::plain(verdict),
        stop: None,
    }
}

/// The CRC32c is computed with its own field zero and written least significant
/// byte first (RFC 9260 appendix A). Linux leaves the field zero when the NIC is
/// to fill it in; RFC 9653 lets peers agree on zero.
fn verdict(view: View<'_>, field: u32, origin: Origin) -> Verdict {
    let (Some(before), Some(after)) = (view.bytes.get(..CHECKSUM), view.bytes.get(HEADER..)) else {
        return Verdict::Unverifiable;
    };
    if !view.is_complete() {
        return Verdict::Unverifiable;
    }
    let crc = crc32c::crc32c_append(crc32c::crc32c(before), &[0; 4]);
    if crc32c::crc32c_append(crc, after) == field {
        Verdict::Good
    } else if field == 0 && origin != Origin::Fragments {
        Verdict::Offloaded
    } else {
        Verdict::Bad
    }
}
