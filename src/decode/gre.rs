//! GRE (RFC 2784, RFC 2890; routing as in RFC 1701), and NVGRE (RFC 7637).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |C|R|K|S|s|Recur|  Flags  | Ver |         Protocol Type         |
//! |      Checksum, if C or R      |       Offset, if C or R       |
//! |                         Key, if K                             |
//! |                    Sequence Number, if S                      |
//! |                         Routing, if R                         |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::checksum::Judgement;
use super::erspan;
use super::link::{Content, ether_type};
use super::tunnel::{Inside, Tunnel};
use super::upper::{Read, Upper};
use super::view::View;
use crate::model::facts::{LayerKind, Stop, Transport};
use crate::model::{TunnelKind, Verdict};

const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const VERSION: u16 = 0x0007;
/// Point-to-point protocol, RFC 2784's registry.
const PPP: u16 = 0x880b;
/// Web Cache Communication Protocol: IP, in version 2 behind 4 more bytes.
const WCCP: u16 = 0x883e;

/// A GRE header that was read.
struct Header<'a> {
    flags: u16,
    protocol: u16,
    key: Option<u32>,
    payload: View<'a>,
}

/// Reads a GRE header, judges its checksum, and finds the tunnel in it.
pub(super) fn parse<'a>(upper: &Upper<'a>) -> (Read, Inside<'a>) {
    let view = upper.view;
    let Some(flags) = view.u16(0) else {
        return (
            Read::nothing(Some(view.truncated(LayerKind::Gre))),
            Inside::Flow,
        );
    };
    let has_checksum = flags & CHECKSUM != 0 && flags & VERSION == 0;
    let judgement = if has_checksum {
        upper.judge_bare(view.claimed)
    } else {
        Judgement::plain(Verdict::Absent)
    };
    let inside = header(view, flags).and_then(|header| tunnel(view, &header));
    let read = Read {
        transport: Transport::Gre {
            checksum: has_checksum.then_some(judgement.verdict),
        },
        judgement,
        stop: inside.as_ref().err().copied(),
    };
    (read, inside.map_or(Inside::Flow, Inside::Tunnel))
}

fn header(view: View<'_>, flags: u16) -> Result<Header<'_>, Stop> {
    // Version 1 is PPTP's (RFC 2637): its payload is compressed or encrypted.
    if flags & VERSION != 0 {
        return Err(view.unsupported(LayerKind::Gre, u32::from(flags & VERSION)));
    }
    let cut = view.truncated(LayerKind::Gre);
    let protocol = view.u16(2).ok_or(cut)?;
    let mut payload = view.skip(4);
    if flags & (CHECKSUM | ROUTING) != 0 {
        payload = payload.skip(4);
    }
    let mut key = None;
    if flags & KEY != 0 {
        key = Some(payload.u32(0).ok_or(cut)?);
        payload = payload.skip(4);
    }
    if flags & SEQUENCE != 0 {
        payload = payload.skip(4);
    }
    if flags & ROUTING != 0 {
        payload = skip_routes(payload).ok_or(cut)?;
    }
    Ok(Header {
        flags,
        protocol,
        key,
        payload,
    })
}

/// Skips source route entries (RFC 1701): family 2, offset 1, length 1, data; the
/// last has family and length 0.
fn skip_routes(mut view: View<'_>) -> Option<View<'_>> {
    loop {
        let family = view.u16(0)?;
        let length = view.u8(3)?;
        view = view.skip(4).skip(usize::from(length));
        if family == 0 && length == 0 {
            return Some(view);
        }
    }
}

fn tunnel<'a>(view: View<'a>, header: &Header<'a>) -> Result<Tunnel<'a>, Stop> {
    let open = |kind, id, content| Tunnel {
        kind,
        id,
        content,
        view: header.payload,
        ovn: None,
    };
    Ok(match header.protocol {
        ether_type::BRIDGING => bridging(header, open),
        erspan::ETHER_TYPE_1_2 | erspan::ETHER_TYPE_3 => {
            let has_sequence = header.flags & SEQUENCE != 0;
            return erspan::parse(header.protocol, has_sequence, header.payload);
        }
        PPP => open(TunnelKind::Gre, header.key, Content::Ppp),
        WCCP => Tunnel {
            view: wccp(header.payload),
            ..open(TunnelKind::Gre, header.key, Content::Ip)
        },
        ether_type::IPV4 | ether_type::IPV6 | ether_type::MPLS | ether_type::MPLS_MULTICAST => {
            open(
                TunnelKind::Gre,
                header.key,
                Content::EtherType(header.protocol),
            )
        }
        // Among them 0, a keepalive.
        other => return Err(view.unsupported(LayerKind::Gre, u32::from(other))),
    })
}

/// Ethernet in GRE. NVGRE has a key and neither checksum nor sequence number; the
/// upper 24 bits of its key are the virtual subnet id (RFC 7637 section 3.2).
fn bridging<'a>(
    header: &Header<'a>,
    open: impl Fn(TunnelKind, Option<u32>, Content) -> Tunnel<'a>,
) -> Tunnel<'a> {
    let is_plain = header.flags & (CHECKSUM | ROUTING | SEQUENCE) == 0;
    match header.key {
        Some(key) if is_plain => open(TunnelKind::Nvgre, Some(key >> 8), Content::Ethernet),
        key => open(TunnelKind::Gretap, key, Content::Ethernet),
    }
}

/// Version 2 puts a redirect header before the IP packet, whose first nibble is
/// then not 4 (as Linux tells them apart).
fn wccp(view: View<'_>) -> View<'_> {
    match view.u8(0) {
        Some(octet) if octet >> 4 == 4 => view,
        _ => view.skip(4),
    }
}
