//! ICMP (RFC 792, RFC 1191) and ICMPv6 (RFC 4443), with the packets that errors quote.
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |     Type      |     Code      |          Checksum             |
//! |     MTU: the lower 16 bits for ICMP, all 32 for ICMPv6        |
//! |     the packet the error is about, as much as fits            |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```
//!
//! A quoted packet gives the key of a flow and nothing else: routers and address
//! translators change it, so its checksums are not judged.

use super::network;
use super::upper::{Read, Upper};
use super::view::View;
use crate::model::facts::{Fragment, Icmp, IcmpError, IcmpQuote, LayerKind, Transport};
use crate::model::{FlowKey, Ports, Protocol, ScopeTag};

const CHECKSUM: usize = 2;
const MTU: usize = 4;
const MTU_V4: usize = 6;
const QUOTE: usize = 8;

/// Reads an ICMP or ICMPv6 header. `reversed` gives the scope that the packets
/// this one answers were in.
pub(super) fn parse(upper: &Upper<'_>, reversed: impl FnOnce() -> ScopeTag) -> Read {
    let view = upper.view;
    let (Some([kind, code]), Some(field)) = (view.array(0), view.u16(CHECKSUM)) else {
        return Read::nothing(Some(view.truncated(LayerKind::Icmp)));
    };
    let judgement = match upper.protocol {
        Protocol::ICMPV6 => upper.judge(view.claimed, view.claimed, Some(field)),
        _ => upper.judge_bare(view.claimed),
    };
    let quoted = error(upper.protocol, kind, code, view).and_then(|error| {
        let flow = quoted_flow(view.skip(QUOTE), reversed())?;
        Some(IcmpQuote { error, flow })
    });
    Read {
        transport: Transport::Icmp(Icmp {
            kind,
            code,
            checksum: judgement.verdict,
            quoted,
        }),
        judgement,
        stop: None,
    }
}

/// The error, if it says that a packet was dropped: a redirect does not.
fn error(protocol: Protocol, kind: u8, code: u8, view: View<'_>) -> Option<IcmpError> {
    match (protocol, kind, code) {
        (Protocol::ICMP, 3, 4) => Some(IcmpError::FragmentationNeeded {
            mtu: u32::from(view.u16(MTU_V4)?),
        }),
        (Protocol::ICMPV6, 2, _) => Some(IcmpError::PacketTooBig {
            mtu: view.u32(MTU)?,
        }),
        (Protocol::ICMP, 11, 1) | (Protocol::ICMPV6, 3, 1) => {
            Some(IcmpError::ReassemblyTimeExceeded)
        }
        (Protocol::ICMP, 3 | 11 | 12, _) | (Protocol::ICMPV6, 1 | 3 | 4, _) => {
            Some(IcmpError::Other)
        }
        _ => None,
    }
}

/// The flow of a quoted packet, with ports where there are any to read.
fn quoted_flow(view: View<'_>, scope: ScopeTag) -> Option<FlowKey> {
    let mut layer = None;
    let version = network::version(view, LayerKind::Icmp).ok()?;
    let quoted = network::parse(version, view, scope, |facts| layer = Some(facts)).ok()?;
    let layer = layer?;
    let has_ports = layer.protocol.has_ports() && begins_datagram(layer.fragment);
    let transport = quoted.upper.skip(usize::from(layer.extension_bytes));
    let ports = match (transport.u16(0), transport.u16(2)) {
        (Some(source), Some(destination)) if has_ports => Some(Ports {
            source,
            destination,
        }),
        _ => None,
    };
    Some(FlowKey {
        addresses: layer.addresses,
        ports,
        protocol: layer.protocol,
        scope,
    })
}

fn begins_datagram(fragment: Fragment) -> bool {
    match fragment {
        Fragment::No | Fragment::Atomic => true,
        Fragment::Piece(piece) => piece.offset == 0,
    }
}
