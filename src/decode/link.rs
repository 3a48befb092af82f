//! Capture link types (<https://www.tcpdump.org/linktypes.html>), Ethernet, and
//! IEEE 802.2.
//!
//! ```text
//! Ethernet:  destination 6 | source 6 | EtherType 2
//! 802.3:     destination 6 | source 6 | length 2 | DSAP 1 | SSAP 1 | control 1
//! SNAP:      AA AA 03 | OUI 3 | EtherType 2
//! SLL:       packet type 2 | ARPHRD 2 | address length 2 | address 8 | EtherType 2
//! SLL2:      EtherType 2 | 0 2 | interface 4 | ARPHRD 2 | type 1 | length 1 | address 8
//! NULL/LOOP: protocol family 4
//! ```

use super::view::View;
use super::vlan;
use crate::model::LinkType;
use crate::model::facts::{Direction, LayerKind, Stop};
use etherparse::Ethernet2HeaderSlice;

/// EtherTypes that are decoded, and the two ranges the field is split into.
pub(super) mod ether_type {
    pub const IPV4: u16 = 0x0800;
    pub const ARP: u16 = 0x0806;
    /// Transparent Ethernet bridging, in GRE and Geneve.
    pub const BRIDGING: u16 = 0x6558;
    pub const IPV6: u16 = 0x86dd;
    pub const MPLS: u16 = 0x8847;
    pub const MPLS_MULTICAST: u16 = 0x8848;
    pub const PPPOE_SESSION: u16 = 0x8864;
    /// Up to here the field is the length of an 802.2 frame (IEEE 802.3 3.2.6).
    pub const MAX_LENGTH: u16 = 1500;
}

/// Bytes of an Ethernet header.
pub(super) const ETHERNET: usize = 14;
/// Bytes of a Linux "cooked" header, and of its second version.
const SLL: usize = 16;
const SLL_ETHER_TYPE: usize = 14;
const SLL2: usize = 20;
/// Where they have the packet type (Linux `if_packet.h`), in its low byte.
const SLL_PACKET_TYPE: usize = 1;
const SLL2_PACKET_TYPE: usize = 10;
/// Where the first has the address of the sender, and the second the number of the interface.
const SLL_ADDRESS: usize = 6;
const SLL2_INTERFACE: usize = 4;
/// `PACKET_OUTGOING`; those below came in.
const OUTGOING: u8 = 4;
/// The bit of an address that is of a group (IEEE 802 8.2).
const GROUP: u8 = 1;
/// The number of a VLAN in its tag, and how many bits that has.
const VLAN: u64 = 0xfff;
const VLAN_BITS: u32 = 12;
/// How addresses begin that several routers of one network have, and often those of others too:
/// VRRP (RFC 9568 7.3) and HSRP (RFC 2281 5.1).
const SHARED_STATIONS: [&[u8]; 3] = [
    &[0x00, 0x00, 0x5e, 0x00, 0x01],
    &[0x00, 0x00, 0x5e, 0x00, 0x02],
    &[0x00, 0x00, 0x0c, 0x07, 0xac],
];
/// What "cooked" headers have in place of an EtherType for 802.2 frames.
const SLL_802_2: u16 = 4;

/// What the bytes of a view are to be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// An Ethernet frame.
    Ethernet,
    /// What this EtherType, or length, says.
    EtherType(u16),
    /// An 802.2 frame.
    Llc,
    /// A PPP frame, possibly with an HDLC-like header.
    Ppp,
    /// A PPPoE session.
    Pppoe,
    /// IP of the version that the first nibble names.
    Ip,
}

/// A view and what it is to be read as.
pub(super) type Found<'a> = (Content, View<'a>);

/// What a frame of this link type begins with.
#[inline]
pub(super) fn open(link_type: LinkType, view: View<'_>) -> Result<Found<'_>, Stop> {
    match link_type {
        LinkType::ETHERNET => Ok((Content::Ethernet, view)),
        LinkType::LINUX_SLL => sll(view, SLL_ETHER_TYPE, SLL),
        LinkType::LINUX_SLL2 => sll(view, 0, SLL2),
        LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => Ok((Content::Ip, view)),
        LinkType::IPV4 => Ok((Content::EtherType(ether_type::IPV4), view)),
        LinkType::IPV6 => Ok((Content::EtherType(ether_type::IPV6), view)),
        LinkType::NULL | LinkType::LOOP => loopback(view),
        LinkType::PPP | LinkType::PPP_HDLC => Ok((Content::Ppp, view)),
        LinkType::PPP_ETHER => Ok((Content::Pppoe, view)),
        LinkType(other) => Err(view.unsupported(LayerKind::Link, other)),
    }
}

/// Which way the capturing host passed a frame of this link type.
#[inline]
pub(super) fn direction(link_type: LinkType, view: View<'_>) -> Option<Direction> {
    let at = match link_type {
        LinkType::LINUX_SLL => SLL_PACKET_TYPE,
        LinkType::LINUX_SLL2 => SLL2_PACKET_TYPE,
        _ => return None,
    };
    match *view.bytes.get(at)? {
        OUTGOING => Some(Direction::Outgoing),
        0..OUTGOING => Some(Direction::Incoming),
        _ => None,
    }
}

/// What a "cooked" header says of where a frame was captured: the interface, or whoever sent it
/// there, and the direction; `None` of other link types.
pub fn whereabouts(link_type: LinkType, bytes: &[u8]) -> Option<u128> {
    let (kind, place) = match link_type {
        LinkType::LINUX_SLL => (SLL_PACKET_TYPE, SLL_ADDRESS..SLL_ETHER_TYPE),
        LinkType::LINUX_SLL2 => (SLL2_PACKET_TYPE, SLL2_INTERFACE..SLL2_INTERFACE + 4),
        _ => return None,
    };
    let is_outgoing = *bytes.get(kind)? == OUTGOING;
    let place = number(bytes.get(place)?);
    Some(place << 1 | u128::from(is_outgoing))
}

/// Who sends a frame to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stations {
    /// An address.
    pub from: u64,
    /// That of one station alone.
    pub to: u64,
    /// The numbers of the VLANs that the frame is in, the outermost first.
    pub vlans: u64,
}

/// Who sends a frame to whom, if its link type tells and that is one station.
pub fn stations(link_type: LinkType, bytes: &[u8]) -> Option<Stations> {
    if link_type != LinkType::ETHERNET {
        return None;
    }
    let (header, behind) = bytes.split_first_chunk::<ETHERNET>()?;
    let [to @ .., a, b, c, d, e, f, high, low] = header;
    let is_of_many = to[0] & GROUP != 0 || *to == [0; 6];
    if is_of_many || SHARED_STATIONS.iter().any(|begin| to.starts_with(begin)) {
        return None;
    }
    Some(Stations {
        from: number(&[*a, *b, *c, *d, *e, *f]) as u64,
        to: number(to) as u64,
        vlans: vlans(u16::from_be_bytes([*high, *low]), behind)?,
    })
}

/// The numbers of VLANs by the tags that an EtherType announces; of more than five, those of the
/// innermost. `None` if a tag is cut.
fn vlans(ether_type: u16, bytes: &[u8]) -> Option<u64> {
    let (mut announced, mut rest, mut vlans) = (ether_type, bytes, 0);
    while vlan::is_tag(announced) {
        let ([tag @ .., high, low], behind) = rest.split_first_chunk::<4>()?;
        vlans = vlans << VLAN_BITS | u64::from(u16::from_be_bytes(*tag)) & VLAN;
        announced = u16::from_be_bytes([*high, *low]);
        rest = behind;
    }
    Some(vlans)
}

/// A big-endian number of as many bytes as there are, 16 at most.
fn number(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter();
    bytes.fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// Reads an Ethernet header; `around` names it in a stop.
#[inline]
pub(super) fn ethernet(view: View<'_>, around: LayerKind) -> Result<Found<'_>, Stop> {
    let header =
        Ethernet2HeaderSlice::from_slice(view.bytes).map_err(|_| view.truncated(around))?;
    let content = Content::EtherType(header.ether_type().0);
    Ok((content, view.skip(header.slice().len())))
}

/// What is in an Ethernet frame, if that is IPv4 and nothing is between.
#[inline]
pub(super) fn ipv4_in_ethernet(view: View<'_>) -> Option<View<'_>> {
    let header = view.bytes.first_chunk::<ETHERNET>()?;
    let [.., high, low] = *header;
    let is_ipv4 = u16::from_be_bytes([high, low]) == ether_type::IPV4;
    is_ipv4.then(|| view.skip(ETHERNET))
}

/// Reads an 802.2 header, of which only those with IP or an EtherType go on.
pub(super) fn llc(view: View<'_>, around: LayerKind) -> Result<Found<'_>, Stop> {
    let service = view.array::<3>(0).ok_or(view.truncated(around))?;
    match service {
        [0xaa, 0xaa, 0x03] => {
            let kind = view.u16(6).ok_or(view.truncated(around))?;
            Ok((Content::EtherType(kind), view.skip(8)))
        }
        // The service access point of IP, RFC 948.
        [0x06, 0x06, 0x03] => Ok((Content::Ip, view.skip(3))),
        [destination, ..] => Err(view.unsupported(around, u32::from(destination))),
    }
}

fn sll(view: View<'_>, at: usize, header: usize) -> Result<Found<'_>, Stop> {
    let kind = view.u16(at).ok_or(view.truncated(LayerKind::Link))?;
    if view.bytes.len() < header {
        return Err(view.truncated(LayerKind::Link));
    }
    let content = match kind {
        SLL_802_2 => Content::Llc,
        kind if kind <= ether_type::MAX_LENGTH => {
            return Err(view.unsupported(LayerKind::Link, u32::from(kind)));
        }
        kind => Content::EtherType(kind),
    };
    Ok((content, view.skip(header)))
}

/// Protocol families are small numbers, so that the byte order shows. IPv6 has
/// one number on each system: 10 Linux, 24 NetBSD and OpenBSD, 28 FreeBSD, 30 Darwin.
/// Some writers put 16 bits of family and an EtherType, as Wireshark also accepts.
fn loopback(view: View<'_>) -> Result<Found<'_>, Stop> {
    let family = view.u32(0).ok_or(view.truncated(LayerKind::Link))?;
    let kind = family as u16;
    if family >> 16 != 0 && matches!(kind, ether_type::IPV4 | ether_type::IPV6) {
        return Ok((Content::EtherType(kind), view.skip(4)));
    }
    let family = family.min(family.swap_bytes());
    let kind = match family {
        2 => ether_type::IPV4,
        10 | 24 | 28 | 30 => ether_type::IPV6,
        other => return Err(view.unsupported(LayerKind::Link, other)),
    };
    Ok((Content::EtherType(kind), view.skip(4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a frame to such an address goes, with what is behind both addresses.
    fn goes_to(address: [u8; 6], behind: &[u8]) -> Option<[u64; 2]> {
        let frame = [&address[..], &[2, 0, 0, 0, 0, 9], behind].concat();
        let stations = stations(LinkType::ETHERNET, &frame)?;
        assert_eq!(stations.from, 0x0200_0000_0009);
        Some([stations.to, stations.vlans])
    }

    #[test]
    fn a_station_is_an_address_in_its_vlans() {
        let of = |behind: &[u8]| goes_to([2, 0, 0, 0, 0, 1], behind);
        let in_vlans = |vlans: u64| Some([0x0200_0000_0001, vlans]);
        assert_eq!(of(&[0x08, 0x00, 0x45, 0x00]), in_vlans(0));
        assert_eq!(of(&[0x81, 0x00, 0x60, 0x07, 0x08, 0x00]), in_vlans(7));
        for outer in [[0x88, 0xa8], [0x91, 0x00], [0x92, 0x00]] {
            let stacked = [&outer[..], &[0, 8, 0x81, 0x00, 0, 7, 0x08, 0x00]].concat();
            assert_eq!(of(&stacked), in_vlans(8 << 12 | 7), "{outer:?}");
        }
        assert_ne!(goes_to([2, 0, 0, 0, 0, 2], &[0x08, 0x00]), in_vlans(0));
    }

    #[test]
    fn what_many_may_have_is_no_station() {
        for address in [
            [1, 0, 0x5e, 1, 1, 1],
            [0xff; 6],
            [0; 6],
            [0, 0, 0x5e, 0, 1, 7],
            [0, 0, 0x0c, 7, 0xac, 1],
        ] {
            assert_eq!(goes_to(address, &[0x08, 0x00]), None, "{address:?}");
        }
    }

    #[test]
    fn a_frame_that_is_cut_or_has_no_address_has_none() {
        assert_eq!(goes_to([2, 0, 0, 0, 0, 1], &[0x08]), None);
        assert_eq!(goes_to([2, 0, 0, 0, 0, 1], &[0x81, 0x00, 0x00]), None);
        assert_eq!(stations(LinkType::RAW, &[2; 40]), None);
    }
}
