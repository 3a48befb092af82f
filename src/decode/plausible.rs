//! Whether bytes are a packet beyond reasonable doubt, for tunnels on ports that
//! nobody has told of.
//!
//! Every check here has to hold, so that ordinary UDP is never taken for a
//! tunnel: a wrong guess would take a flow out of the report, a missed tunnel only
//! leaves one closed.

use super::checksum::sum;
use super::link::ether_type;
use super::view::View;
use super::vlan;
use crate::model::Protocol;

/// Bytes of an Ethernet header.
const ETHERNET: usize = 14;
/// Shortest Ethernet frame without FCS; shorter ones are padded to this.
const MIN_FRAME: u32 = 60;
/// Most VLAN tags looked behind.
const MAX_TAGS: usize = 2;
/// Bit of a MAC address that says group; no source has it.
const GROUP: u8 = 0x01;

/// Whether this is an Ethernet frame of `frame_bytes` with IPv4, IPv6 or ARP.
///
/// The odds for random bytes: EtherType 2^-14, then for IPv4 version and header
/// length 2^-7, total length 2^-16, header checksum 2^-16; for IPv6 version 2^-4,
/// payload length 2^-16, upper-layer protocol 2^-5, reserved zero bits of the first
/// word none; for ARP 2^-112. Behind the 40 fixed bits of a VXLAN header that makes
/// 2^-93, 2^-79 and less.
pub(super) fn ethernet(view: View<'_>, frame_bytes: u32) -> Option<()> {
    let source = view.array::<6>(6)?;
    if source[0] & GROUP != 0 || source == [0; 6] {
        return None;
    }
    let mut kind = view.u16(12)?;
    let mut inside = view.skip(ETHERNET);
    for _ in 0..MAX_TAGS {
        if vlan::is_tag(kind) {
            kind = inside.u16(2)?;
            inside = inside.skip(4);
        }
    }
    let header_bytes = inside.start.checked_sub(view.start)?;
    let bytes = frame_bytes.checked_sub(header_bytes)?;
    let least = MIN_FRAME.checked_sub(header_bytes)?;
    let fits = |length: u32| length == bytes || (length < least && bytes <= MIN_FRAME);
    match kind {
        ether_type::ARP => arp(inside, source),
        other => ip(other, inside, fits),
    }
}

/// Whether this is an IP packet of the version that an EtherType says, whose
/// length `fits`.
pub(super) fn ip(kind: u16, view: View<'_>, fits: impl Fn(u32) -> bool) -> Option<()> {
    let is_plausible = match kind {
        ether_type::IPV4 => {
            let octet = view.u8(0)?;
            let header = usize::from(octet & 0x0f).checked_mul(4)?;
            let total = u32::from(view.u16(2)?);
            octet >> 4 == 4
                && header >= 20
                && total as usize >= header
                && fits(total)
                && sum(view.bytes.get(..header)?).is_all_ones()
        }
        ether_type::IPV6 => {
            let addresses = view.array::<32>(8)?;
            view.u8(0)? >> 4 == 6
                && fits(u32::from(view.u16(4)?).checked_add(40)?)
                && is_usual(Protocol(view.u8(6)?))
                && view.u8(7)? > 0
                && addresses != [0; 32]
        }
        _ => false,
    };
    is_plausible.then_some(())
}

/// Protocols that an IPv6 header is followed by: eight of 256.
fn is_usual(next: Protocol) -> bool {
    matches!(
        next,
        Protocol::TCP | Protocol::UDP | Protocol::ICMPV6 | Protocol::SCTP | Protocol::ESP
    ) || matches!(next.0, 0 | 44 | 60)
}

/// Whether this is an ARP request or reply (RFC 826) for IPv4, by the sender that
/// the Ethernet header names.
fn arp(view: View<'_>, source: [u8; 6]) -> Option<()> {
    let header = view.array::<8>(0)?;
    let is_arp = matches!(header, [0, 1, 8, 0, 6, 4, 0, 1 | 2]);
    (is_arp && view.array::<6>(8)? == source).then_some(())
}
