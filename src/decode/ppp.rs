//! PPP (RFC 1661), in HDLC-like framing (RFC 1662) or over Ethernet (RFC 2516),
//! and Cisco's HDLC, which shares its link type.
//!
//! ```text
//! PPPoE:  0x11 | code 1 | session 2 | length 2
//! HDLC:   0xFF 0x03
//! PPP:    protocol 2, or 1 if its lowest bit is set
//! Cisco:  0x0F or 0x8F | 0x00 | EtherType 2
//! ```

use super::link::{Content, Found, ether_type};
use super::view::View;
use crate::model::facts::{LayerKind, Stop};

const PPPOE: usize = 6;
const PPPOE_LENGTH: usize = 4;
/// Version 1, type 1; code 0 is a session.
const PPPOE_SESSION: [u8; 2] = [0x11, 0x00];

/// Reads a PPPoE session header.
pub(super) fn pppoe(view: View<'_>) -> Result<Found<'_>, Stop> {
    let (Some(session), Some(length)) = (view.array::<2>(0), view.u16(PPPOE_LENGTH)) else {
        return Err(view.truncated(LayerKind::Ppp));
    };
    if session != PPPOE_SESSION {
        return Err(view.malformed(LayerKind::Ppp));
    }
    let inside = view.skip(PPPOE).at_most(u32::from(length));
    Ok((Content::Ppp, inside))
}

/// Reads a PPP header.
pub(super) fn parse(view: View<'_>) -> Result<Found<'_>, Stop> {
    let view = match view.array::<2>(0) {
        Some([0xff, 0x03]) => view.skip(2),
        Some([0x0f | 0x8f, 0x00]) => {
            let kind = view.u16(2).ok_or(view.truncated(LayerKind::Ppp))?;
            return Ok((Content::EtherType(kind), view.skip(4)));
        }
        _ => view,
    };
    let first = view.u8(0).ok_or(view.truncated(LayerKind::Ppp))?;
    let (protocol, inside) = if first & 1 != 0 {
        (u16::from(first), view.skip(1))
    } else {
        let protocol = view.u16(0).ok_or(view.truncated(LayerKind::Ppp))?;
        (protocol, view.skip(2))
    };
    let kind = match protocol {
        0x0021 => ether_type::IPV4,
        0x0057 => ether_type::IPV6,
        0x0281 => ether_type::MPLS,
        0x0283 => ether_type::MPLS_MULTICAST,
        other => return Err(view.unsupported(LayerKind::Ppp, u32::from(other))),
    };
    Ok((Content::EtherType(kind), inside))
}
