//! IPv6 (RFC 8200 section 3).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |Version| Traffic Class |           Flow Label                  |
//! |         Payload Length        |  Next Header  |   Hop Limit   |
//! |                 Source Address, 16 bytes                      |
//! |                 Destination Address, 16 bytes                 |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::checksum::{pseudo, pseudo_of};
use super::extension::{Chain, Destination, FragmentHeader, jumbo_length};
use super::network::{Network, piece};
use super::view::View;
use crate::model::facts::{Carries, Fragment, Layer, LayerKind, Stop, Transport};
use crate::model::{Addresses, Protocol, ScopeTag};
use etherparse::Ipv6HeaderSlice;
use etherparse::err::ipv6::HeaderSliceError;

/// Bytes of the header.
const HEADER: usize = 40;
/// Where the addresses begin.
const ADDRESSES: usize = 8;
/// Most bytes of Ethernet padding behind a bare IPv6 header: 46 - 40.
const MAX_PADDING: u32 = 6;

/// Reads an IPv6 header and the extension headers behind it, and states their
/// facts, so far without what is above.
#[inline]
pub(super) fn parse(
    view: View<'_>,
    scope: ScopeTag,
    state: impl FnOnce(Layer),
) -> Result<Network<'_>, Stop> {
    let header = Ipv6HeaderSlice::from_slice(view.bytes).map_err(|error| match error {
        HeaderSliceError::Len(_) => view.truncated(LayerKind::Ipv6),
        HeaderSliceError::Content(_) => view.malformed(LayerKind::Ipv6),
    })?;
    let next = Protocol(header.next_header().0);
    let length = payload_length(header.payload_length(), next, view);
    let ip_bytes = length.bytes.saturating_add(HEADER as u32);
    let chain = Chain::v6(
        next,
        view.claim(ip_bytes).skip(HEADER),
        &header.destination(),
    );
    let (fragment, body) = match chain.fragment {
        None => (Fragment::No, chain.upper),
        Some(atomic) if atomic.is_atomic() => (Fragment::Atomic, chain.upper),
        Some(header) => (Fragment::Piece(place(&header)), header.payload),
    };
    let addresses = Addresses::v6(header.source(), header.destination());
    state(Layer {
        scope,
        addresses,
        final_destination: chain.final_destination,
        home_address: chain.home_address,
        protocol: chain.protocol,
        ip_bytes,
        payload_start: body.start,
        payload_captured: body.captured(),
        payload_bytes: body.claimed,
        extension_bytes: u16::try_from(chain.upper.start.saturating_sub(body.start)).unwrap_or(0),
        hop_limit: header.hop_limit(),
        dont_fragment: false,
        fragment,
        header_checksum: None,
        ip_longer: ip_bytes > view.claimed,
        super_frame: length.kind == LengthKind::SuperFrame,
        transport: Transport::None,
        carries: Carries::Flow,
        ovn: None,
    });
    Ok(Network {
        upper: body,
        pseudo: pseudo_sum(view, &addresses, &chain),
        stop: chain.stop,
    })
}

/// The pseudo-header sum, with the addresses that stand for those of the header.
#[inline]
fn pseudo_sum(view: View<'_>, addresses: &Addresses, chain: &Chain<'_>) -> Option<u64> {
    let is_plain = chain.final_destination.is_none() && chain.home_address.is_none();
    match (chain.destination, view.array::<32>(ADDRESSES)) {
        (Destination::Hidden, _) => None,
        (Destination::Known, Some(both)) if is_plain => Some(pseudo(&both, chain.protocol)),
        (Destination::Known, _) => Some(pseudo_of(
            addresses,
            chain.final_destination,
            chain.home_address,
            chain.protocol,
        )),
    }
}

fn place(header: &FragmentHeader<'_>) -> crate::model::facts::Piece {
    piece(header.id, header.offset, header.more, header.payload)
}

/// The bytes behind the IPv6 header.
struct Length {
    bytes: u32,
    kind: LengthKind,
}

#[derive(PartialEq, Eq)]
enum LengthKind {
    Ordinary,
    SuperFrame,
}

/// A payload length of zero means: in the jumbo option (RFC 2675), or beyond 16
/// bits (Linux BIG TCP without that option), unless nothing is to follow or what
/// follows is no more than Ethernet padding.
fn payload_length(field: u16, next: Protocol, view: View<'_>) -> Length {
    let carried = view.claimed.saturating_sub(HEADER as u32);
    let (bytes, kind) = if field > 0 {
        (u32::from(field), LengthKind::Ordinary)
    } else if let Some(jumbo) = jumbo_length(next, view.skip(HEADER)) {
        (jumbo, LengthKind::SuperFrame)
    } else if next == Protocol::NO_NEXT_HEADER || carried <= MAX_PADDING {
        (0, LengthKind::Ordinary)
    } else {
        (carried, LengthKind::SuperFrame)
    };
    Length { bytes, kind }
}
