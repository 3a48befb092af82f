//! What a fragment means for the datagram it claims to belong to.

use super::datagram::{Datagram, Fate, State};
use super::fragment::FragmentFacts;
use super::pieces::{Fit, MAX_DATAGRAM_BYTES, NewPiece};
use crate::model::IpVersion;

/// What a fragment means for its open datagram.
pub(super) enum Judgement {
    /// It belongs there.
    Fits,
    /// It brings nothing new; `altered` says whether its bytes are others.
    Copy { altered: bool },
    /// It comes too late to matter: the datagram is dead.
    Void,
    /// It ends the datagram.
    Fatal(Fate),
}

/// Takes a piece in, if it can belong to a datagram.
pub(super) fn judge(
    datagram: &mut Datagram,
    fragment: &FragmentFacts,
    piece: &NewPiece,
) -> Judgement {
    if datagram.state != State::Open {
        return Judgement::Void;
    }
    if ends_beyond_maximum(fragment) {
        return Judgement::Fatal(Fate::Oversized);
    }
    match datagram.pieces.insert(*piece) {
        Fit::Added => Judgement::Fits,
        Fit::Duplicate => Judgement::Copy {
            altered: datagram.pieces.is_altered(piece),
        },
        Fit::Contradiction => Judgement::Fatal(Fate::Overlapped),
    }
}

/// Whether the datagram would be longer than its length field can say. The IPv4
/// total length counts the header (RFC 791), the IPv6 payload length does not
/// count the fixed header and the fragment header is gone by then (RFC 8200). A
/// fragment whose own length field is 0 claims whatever the frame says it carried.
fn ends_beyond_maximum(fragment: &FragmentFacts) -> bool {
    let header = fragment.ip_bytes.saturating_sub(fragment.payload_bytes);
    let counted = match fragment.key.addresses.version {
        IpVersion::V4 => header,
        IpVersion::V6 => header.saturating_sub(40 + 8),
    };
    let end = u64::from(fragment.offset) + u64::from(fragment.payload_bytes);
    end + u64::from(counted) > u64::from(MAX_DATAGRAM_BYTES)
}

/// The piece as Linux takes it: with MF, a length that is no multiple of 8 is
/// rounded down (IPv4, `ip_frag_queue`) and leaves a hole, or is refused (IPv6,
/// RFC 8200 section 4.5) and leaves a larger one.
pub(super) fn piece_of(fragment: &FragmentFacts) -> NewPiece {
    let ragged = fragment.more && !fragment.payload_bytes.is_multiple_of(8);
    let bytes = match fragment.key.addresses.version {
        _ if !ragged => fragment.payload_bytes,
        IpVersion::V4 => fragment.payload_bytes & !7,
        IpVersion::V6 => 0,
    };
    NewPiece {
        offset: fragment.offset,
        bytes,
        more: fragment.more,
        sum: fragment.sum.filter(|_| !ragged),
    }
}
