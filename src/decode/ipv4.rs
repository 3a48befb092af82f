//! IPv4 (RFC 791 section 3.1).
//!
//! ```text
//!  0                   1                   2                   3
//!  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |Version|  IHL  |Type of Service|          Total Length         |
//! |         Identification        |0|D|M|     Fragment Offset     |
//! |  Time to Live |    Protocol   |         Header Checksum       |
//! |                       Source Address                          |
//! |                    Destination Address                        |
//! |                    Options                    |    Padding    |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::checksum::{pseudo, pseudo_of, sum};
use super::extension::Chain;
use super::network::{Network, piece};
use super::routing::source_route;
use super::view::View;
use crate::model::facts::{Carries, Fragment, Layer, LayerKind, Stop, Transport};
use crate::model::{Addresses, Protocol, ScopeTag, Verdict};
use etherparse::Ipv4HeaderSlice;
use etherparse::err::ipv4::HeaderSliceError;

/// Bytes of the header without options.
pub(super) const HEADER: usize = 20;
/// Where the addresses begin.
const ADDRESSES: usize = 12;

/// Reads an IPv4 header and states its facts, so far without what is above.
#[inline]
pub(super) fn parse(
    view: View<'_>,
    scope: ScopeTag,
    state: impl FnOnce(Layer),
) -> Result<Network<'_>, Stop> {
    let header = Ipv4HeaderSlice::from_slice(view.bytes).map_err(|error| match error {
        HeaderSliceError::Len(_) => view.truncated(LayerKind::Ipv4),
        HeaderSliceError::Content(_) => view.malformed(LayerKind::Ipv4),
    })?;
    let header_bytes = header.slice().len();
    let total = u32::from(header.total_len());
    let is_super_frame = total == 0;
    let ip_bytes = if is_super_frame { view.claimed } else { total };
    if (ip_bytes as usize) < header_bytes {
        return Err(view.malformed(LayerKind::Ipv4));
    }
    let payload = view.claim(ip_bytes).skip(header_bytes);
    let protocol = Protocol(header.protocol().0);
    let offset = u32::from(header.fragments_offset().byte_offset());
    let more = header.more_fragments();
    let (fragment, chain) = if more || offset > 0 {
        let id = u32::from(header.identification());
        let fragment = Fragment::Piece(piece(id, offset, more, payload));
        (fragment, Chain::none(protocol, payload))
    } else {
        (Fragment::No, Chain::v4(protocol, payload))
    };
    // Nothing but a sender that leaves the field to its NIC writes 0: damage does so
    // once in 65,536.
    let verdict = if sum(header.slice()).is_all_ones() {
        Verdict::Good
    } else if header.header_checksum() == 0 {
        Verdict::Offloaded
    } else {
        Verdict::Bad
    };
    let has_options = header_bytes > HEADER;
    let route = if has_options {
        source_route(header.options())
    } else {
        None
    };
    let body = if fragment == Fragment::No {
        chain.upper
    } else {
        payload
    };
    let addresses = Addresses::v4(header.source(), header.destination());
    let final_destination = route.map(|last| Addresses::v4(last, last).destination);
    let pseudo = match (final_destination, view.array::<8>(ADDRESSES)) {
        (None, Some(both)) => pseudo(&both, chain.protocol),
        _ => pseudo_of(&addresses, final_destination, None, chain.protocol),
    };
    state(Layer {
        scope,
        addresses,
        final_destination,
        home_address: None,
        protocol: chain.protocol,
        ip_bytes,
        payload_start: body.start,
        payload_captured: body.captured(),
        payload_bytes: body.claimed,
        extension_bytes: 0,
        hop_limit: header.ttl(),
        dont_fragment: header.dont_fragment(),
        fragment,
        header_checksum: Some(verdict),
        ip_longer: ip_bytes > view.claimed,
        super_frame: is_super_frame,
        transport: Transport::None,
        carries: Carries::Flow,
        ovn: None,
    });
    Ok(Network {
        upper: body,
        pseudo: Some(pseudo),
        stop: chain.stop,
    })
}
