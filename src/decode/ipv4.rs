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

use super::checksum::{add, pseudo, pseudo_of, sum, verifies};
use super::extension::Chain;
use super::network::{Network, piece};
use super::routing::source_route;
use super::upper::{Origin, Upper};
use super::view::View;
use crate::model::facts::{Carries, Fragment, Layer, LayerKind, Stop, Transport};
use crate::model::{Addresses, IpVersion, Protocol, ScopeTag, Verdict};
use etherparse::Ipv4HeaderSlice;
use etherparse::err::ipv4::HeaderSliceError;

/// Bytes of the header without options.
pub(super) const HEADER: usize = 20;
/// Where the addresses begin.
const ADDRESSES: usize = 12;

/// A header without options, as three words read little-endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    first: u64,
    second: u64,
    last: u32,
}

impl Words {
    /// Version 4 and five words of header.
    const SHAPE: u64 = 0x45;
    const MORE: u16 = 0x2000;
    const OFFSET: u16 = 0x1fff;
    const DONT_FRAGMENT: u16 = 0x4000;

    /// The words of a packet that has such a header.
    #[inline]
    pub fn of(packet: &[u8]) -> Option<Self> {
        let (first, rest) = packet.first_chunk::<HEADER>()?.split_first_chunk::<8>()?;
        let (second, last) = rest.split_first_chunk::<8>()?;
        let words = Self {
            first: u64::from_le_bytes(*first),
            second: u64::from_le_bytes(*second),
            last: u32::from_le_bytes(*last.first_chunk()?),
        };
        (words.first & 0xff == Self::SHAPE).then_some(words)
    }

    /// Total length.
    #[inline]
    pub fn total(self) -> u16 {
        ((self.first >> 16) as u16).swap_bytes()
    }

    /// Whether it is a fragment.
    #[inline]
    pub fn is_piece(self) -> bool {
        self.flags() & (Self::MORE | Self::OFFSET) != 0
    }

    /// Upper-layer protocol.
    #[inline]
    pub fn protocol(self) -> Protocol {
        Protocol((self.second >> 8) as u8)
    }

    /// Whether the header checksum verifies.
    #[inline]
    pub fn verifies(self) -> bool {
        verifies(add(add(self.first, self.second), u64::from(self.last)))
    }

    /// The wide sum of both addresses.
    #[inline]
    pub fn address_sum(self) -> u64 {
        (self.second >> 32).wrapping_add(u64::from(self.last))
    }

    /// Both addresses.
    #[inline]
    pub fn addresses(self) -> Addresses {
        let source = (self.second >> 32) as u32;
        Addresses::v4(source.to_le_bytes(), self.last.to_le_bytes())
    }

    #[inline]
    fn flags(self) -> u16 {
        ((self.first >> 48) as u16).swap_bytes()
    }

    #[inline]
    fn verdict(self) -> Verdict {
        match (self.second >> 16) as u16 {
            _ if self.verifies() => Verdict::Good,
            0 => Verdict::Offloaded,
            _ => Verdict::Bad,
        }
    }

    #[inline]
    fn fragment(self, payload: View<'_>) -> Fragment {
        if !self.is_piece() {
            return Fragment::No;
        }
        let flags = self.flags();
        let id = u32::from(((self.first >> 32) as u16).swap_bytes());
        let offset = u32::from(flags & Self::OFFSET) << 3;
        Fragment::Piece(piece(id, offset, flags & Self::MORE != 0, payload))
    }
}

/// Reads a header without options and with a length: the same as [`parse`] in fewer
/// steps. `None` for all others; inside: what is above it, if it is no fragment.
#[inline]
pub(super) fn ordinary<'a>(
    view: View<'a>,
    scope: ScopeTag,
    state: impl FnOnce(Layer),
) -> Option<Option<Upper<'a>>> {
    let words = Words::of(view.bytes)?;
    let total = words.total();
    let total = u32::from(total);
    let captured = view.bytes.get(HEADER..)?;
    let protocol = words.protocol();
    if protocol == Protocol::AH {
        return None;
    }
    let is_longer = total > view.claimed;
    let claimed = total.checked_sub(HEADER as u32)?;
    let payload = View {
        bytes: captured.get(..claimed as usize).unwrap_or(captured),
        start: view.start.saturating_add(HEADER as u32),
        claimed,
    };
    let fragment = words.fragment(payload);
    state(Layer {
        scope,
        addresses: words.addresses(),
        final_destination: None,
        home_address: None,
        protocol,
        ip_bytes: total,
        payload_start: payload.start,
        payload_captured: payload.captured(),
        payload_bytes: claimed,
        extension_bytes: 0,
        hop_limit: words.second as u8,
        dont_fragment: words.flags() & Words::DONT_FRAGMENT != 0,
        fragment,
        header_checksum: Some(words.verdict()),
        ip_longer: is_longer,
        super_frame: false,
        transport: Transport::None,
        carries: Carries::Flow,
        ovn: None,
    });
    let is_whole = fragment == Fragment::No;
    Some(is_whole.then(|| Upper {
        view: payload,
        protocol,
        version: IpVersion::V4,
        pseudo: Some(add(words.address_sum(), u64::from(protocol.0) << 8)),
        known_sum: None,
        known_excess: None,
        origin: match is_longer {
            true => Origin::Overlong,
            false => Origin::Packet,
        },
        scope,
    }))
}

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
