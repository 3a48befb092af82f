//! VXLAN (RFC 7348 section 5), with group policy bits
//! (draft-smith-vxlan-group-policy) ignored, and VXLAN-GPE
//! (draft-ietf-nvo3-vxlan-gpe).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |R|R|R|R|I|R|R|R|            Reserved                           |   VXLAN
//! |R|R|Ver|I|P|B|O|       Reserved                |Next Protocol  |   VXLAN-GPE
//! |                VXLAN Network Identifier       |   Reserved    |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::link::{Content, ether_type};
use super::plausible;
use super::tunnel::Tunnel;
use super::view::View;
use crate::model::TunnelKind;
use crate::model::facts::{LayerKind, Stop};

/// IANA's port of VXLAN-GPE.
pub(super) const GPE_PORT: u16 = 4790;

const HEADER: usize = 8;
/// The VNI is valid.
const FLAG_VNI: u8 = 0x08;
/// Group policy: the group id in bytes 2 and 3 is valid.
const FLAG_POLICY: u8 = 0x80;
/// Group policy: "don't learn" and "policy applied", in byte 1.
const POLICY_BITS: u8 = 0x48;
/// GPE: the next-protocol field is valid.
const FLAG_PROTOCOL: u8 = 0x04;
/// GPE: two reserved bits and the version, which is 0.
const GPE_RESERVED_OR_VERSION: u8 = 0xf0;
const VNI: usize = 4;

/// Reads a VXLAN header on a port where one is expected. Other datagrams go to these
/// ports as well; what is no VXLAN to Linux (`vxlan_rcv`: reserved bits are set) is
/// none here, unless an Ethernet frame that fits follows: RFC 7348 has reserved bits
/// ignored. `payload_bytes` is the length of the UDP payload by its header.
#[inline]
pub(super) fn parse(view: View<'_>, payload_bytes: u32) -> Result<Tunnel<'_>, Stop> {
    let header = view
        .array::<HEADER>(0)
        .ok_or(view.truncated(LayerKind::Vxlan))?;
    let fits = || {
        let frame_bytes = payload_bytes.checked_sub(HEADER as u32)?;
        plausible::ethernet(view.skip(HEADER), frame_bytes)
    };
    match header {
        [FLAG_VNI, 0, 0, 0, _, _, _, 0] => {}
        [flags, policy, _, _, _, _, _, 0]
            if flags == FLAG_VNI | FLAG_POLICY && policy & !POLICY_BITS == 0 => {}
        [flags, ..] if flags & FLAG_VNI != 0 && fits().is_some() => {}
        _ => return Err(view.malformed(LayerKind::Vxlan)),
    }
    tunnel(view, TunnelKind::Vxlan, Content::Ethernet)
}

/// Reads a VXLAN header that has nothing but the VNI, and its flag.
#[inline]
pub(super) fn ordinary(view: View<'_>) -> Option<Tunnel<'_>> {
    let [FLAG_VNI, 0, 0, 0, high, middle, low, 0] = view.array::<HEADER>(0)? else {
        return None;
    };
    Some(Tunnel {
        kind: TunnelKind::Vxlan,
        id: Some(u32::from_be_bytes([0, high, middle, low])),
        content: Content::Ethernet,
        view: view.skip(HEADER),
        ovn: None,
    })
}

/// Reads a VXLAN-GPE header, which without the P bit is one of VXLAN.
pub(super) fn parse_gpe(view: View<'_>) -> Result<Tunnel<'_>, Stop> {
    let [flags, reserved_1, reserved_2, next, ..] = view
        .array::<HEADER>(0)
        .ok_or(view.truncated(LayerKind::Vxlan))?;
    if flags & GPE_RESERVED_OR_VERSION != 0 || reserved_1 != 0 || reserved_2 != 0 {
        return Err(view.malformed(LayerKind::Vxlan));
    }
    let content = match next {
        _ if flags & FLAG_PROTOCOL == 0 => Content::Ethernet,
        1 => Content::EtherType(ether_type::IPV4),
        2 => Content::EtherType(ether_type::IPV6),
        3 => Content::Ethernet,
        5 => Content::EtherType(ether_type::MPLS),
        other => return Err(view.unsupported(LayerKind::Vxlan, u32::from(other))),
    };
    let mut tunnel = tunnel(view, TunnelKind::VxlanGpe, content)?;
    if flags & FLAG_VNI == 0 {
        tunnel.id = None;
    }
    Ok(tunnel)
}

/// Whether a header that [`detect`] accepts can begin with this word.
#[inline]
pub(super) fn may_begin(word: u32) -> bool {
    word == u32::from_be_bytes([FLAG_VNI, 0, 0, 0])
}

/// Finds VXLAN on a port where none is expected. `payload_bytes` is the length of
/// the UDP payload by its header, which in a first fragment is more than `view`.
///
/// In favour of VXLAN speak the flags (exactly 0x08) and four reserved bytes, all
/// zero: 40 bits that random bytes have by chance once in 10^12. As payloads are
/// not random (small numbers make many zeros), what decides is that an Ethernet
/// frame with an IP packet follows whose lengths meet the end of the datagram and
/// whose header checksum is right: see [`plausible::ethernet`].
pub(super) fn detect(view: View<'_>, payload_bytes: u32) -> Option<Tunnel<'_>> {
    let [FLAG_VNI, 0, 0, 0, _, _, _, 0] = view.array::<HEADER>(0)? else {
        return None;
    };
    let frame_bytes = payload_bytes.checked_sub(HEADER as u32)?;
    plausible::ethernet(view.skip(HEADER), frame_bytes)?;
    tunnel(view, TunnelKind::Vxlan, Content::Ethernet).ok()
}

#[inline]
fn tunnel(view: View<'_>, kind: TunnelKind, content: Content) -> Result<Tunnel<'_>, Stop> {
    let vni = view.u32(VNI).ok_or(view.truncated(LayerKind::Vxlan))? >> 8;
    Ok(Tunnel {
        kind,
        id: Some(vni),
        content,
        view: view.skip(HEADER),
        ovn: None,
    })
}
