//! The ordinary frame: what most frames are, read at one glance.
//!
//! Ethernet, one IP header without options or extension headers, and the whole of a UDP
//! or TCP packet in which nothing is wrong. There is one thing to say of such a frame:
//! which flow it counts for. Whatever is unusual in any way is left to the walk.

use super::checksum::{add, fold, verifies, wide};
use super::ip_fields::IpFields;
use super::ipv4_words::Words;
use super::link::{ETHERNET, ether_type};
use super::udp_payload::UdpPayloads;
use super::view::View;
use super::{ipv4, tcp, udp};
use crate::model::facts::{LARGEST_MTU, Segment};
use crate::model::{Addresses, FlowKey, Frame, LinkType, Ports, Protocol, ScopeTag, Sum};

/// Bytes of an IPv6 header.
const IPV6: usize = 40;

/// An ordinary frame. By definition:
///
/// - captured whole, with nothing in front of its one IP header but Ethernet;
/// - no fragment, no super-frame, no longer than any MTU;
/// - the header checksum of IPv4 and the checksum of UDP or TCP verify;
/// - the lengths of IP and UDP agree (padding behind them is no matter);
/// - nothing that could be a tunnel inside.
///
/// The general facts of the same frame would say all this, and the same of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain<'a> {
    /// The flow it belongs to.
    pub key: FlowKey,
    /// Length of the IP packet in bytes, header included.
    pub ip_bytes: u32,
    /// What else its IP header says.
    pub ip: IpFields,
    /// The upper-layer packet, all of it.
    upper: &'a [u8],
    /// The [`wide`] sum of it.
    upper_sum: u64,
}

/// What is behind an ordinary IP header.
struct Upper<'a> {
    /// The upper-layer packet, all of it.
    bytes: &'a [u8],
    protocol: Protocol,
    addresses: Addresses,
    /// The [`wide`] sum of both addresses.
    address_sum: u64,
    ip_bytes: u32,
    ip: IpFields,
}

impl<'a> Plain<'a> {
    /// The upper-layer packet, all of it.
    #[inline]
    pub fn upper(&self) -> &'a [u8] {
        self.upper
    }

    /// The sum of the upper-layer packet, its checksum included.
    #[inline]
    pub fn upper_sum(&self) -> Sum {
        fold(self.upper_sum)
    }

    /// The sum of a UDP packet without its ports and its checksum, which NAT changes;
    /// `None` of another protocol.
    #[inline]
    pub fn lasting_sum(&self) -> Option<Sum> {
        let first = word(self.upper, 0).filter(|_| self.key.protocol == Protocol::UDP)?;
        let changed = [first & 0xffff, first >> 16 & 0xffff, first >> 48];
        // Modulo 0xffff, what is missing to that takes a word off.
        let others = changed.into_iter().fold(3 * 0xffff, u64::wrapping_sub);
        Some(fold(add(self.upper_sum, others)))
    }

    /// Reads a frame, if it is an ordinary one.
    #[inline(always)]
    pub(super) fn of(frame: &Frame<'a>, udp_payloads: &UdpPayloads) -> Option<Self> {
        if frame.link_type != LinkType::ETHERNET || frame.is_truncated() {
            return None;
        }
        let (ethernet, packet) = frame.data.split_first_chunk::<ETHERNET>()?;
        let [.., high, low] = *ethernet;
        let upper = match u16::from_be_bytes([high, low]) {
            ether_type::IPV4 => v4(packet)?,
            ether_type::IPV6 => v6(packet)?,
            _ => return None,
        };
        let ports = upper.ports(udp_payloads)?;
        let upper_sum = upper.verified()?;
        Some(Self {
            key: FlowKey {
                addresses: upper.addresses,
                ports: Some(ports),
                protocol: upper.protocol,
                scope: ScopeTag::WIRE,
            },
            ip_bytes: upper.ip_bytes,
            ip: upper.ip,
            upper: upper.bytes,
            upper_sum,
        })
    }

    /// What TCP says of the packet; `None` for UDP. Read only when asked for.
    #[inline]
    pub fn segment(&self) -> Option<Segment> {
        match self.key.protocol {
            Protocol::TCP => tcp::segment(View::new(self.upper, 0)),
            _ => None,
        }
    }
}

/// Reads an ordinary IPv4 header.
#[inline(always)]
fn v4(packet: &[u8]) -> Option<Upper<'_>> {
    let words = Words::of(packet)?;
    if words.is_piece() || !words.verifies() {
        return None;
    }
    let ip_bytes = u32::from(words.total());
    Some(Upper {
        bytes: body(packet, ipv4::HEADER, ip_bytes)?,
        protocol: words.protocol(),
        addresses: words.addresses(),
        address_sum: words.address_sum(),
        ip_bytes,
        ip: words.fields(),
    })
}

/// Reads an ordinary IPv6 header. A payload length of 0 is none.
#[inline(always)]
fn v6(packet: &[u8]) -> Option<Upper<'_>> {
    let header = packet.first_chunk::<IPV6>()?;
    let first = word(header, 0)?;
    if first & 0xf0 != 0x60 {
        return None;
    }
    let payload_bytes = u32::from(((first >> 32) as u16).swap_bytes());
    let ip_bytes = payload_bytes.saturating_add(IPV6 as u32);
    let (source, destination) = header.get(8..)?.split_first_chunk::<16>()?;
    Some(Upper {
        bytes: body(packet, IPV6, ip_bytes)?,
        protocol: Protocol((first >> 48) as u8),
        addresses: Addresses::v6(*source, *destination.first_chunk()?),
        address_sum: wide(header.get(8..)?),
        ip_bytes,
        ip: IpFields::of_v6(first),
    })
}

/// What is behind a header, if all of it is there and has been on a wire like this.
#[inline]
fn body(packet: &[u8], header_bytes: usize, ip_bytes: u32) -> Option<&[u8]> {
    if ip_bytes > LARGEST_MTU {
        return None;
    }
    packet.get(header_bytes..ip_bytes as usize)
}

impl Upper<'_> {
    /// The ports of an ordinary UDP or TCP packet, whose checksum is yet to be verified.
    #[inline]
    fn ports(&self, udp_payloads: &UdpPayloads) -> Option<Ports> {
        let first = word(self.bytes, 0)?;
        let ports = Ports {
            source: (first as u16).swap_bytes(),
            destination: ((first >> 16) as u16).swap_bytes(),
        };
        let is_ordinary = match self.protocol {
            Protocol::UDP => {
                self.is_ordinary_udp(first) && {
                    let payload = View::new(self.bytes, 0).skip(udp::HEADER);
                    udp_payloads.is_plain(ports, payload)
                }
            }
            Protocol::TCP => self.is_ordinary_tcp(),
            _ => false,
        };
        is_ordinary.then_some(ports)
    }

    /// Whether the length is right and there is a checksum.
    #[inline]
    fn is_ordinary_udp(&self, first: u64) -> bool {
        let length = ((first >> 32) as u16).swap_bytes();
        let checksum = first >> 48;
        usize::from(length) == self.bytes.len() && checksum != 0
    }

    /// Whether the header ends within the packet.
    #[inline]
    fn is_ordinary_tcp(&self) -> bool {
        let Some(octet) = self.bytes.get(tcp::DATA_OFFSET) else {
            return false;
        };
        let header = usize::from(octet >> 4).saturating_mul(4);
        (tcp::HEADER as usize..=self.bytes.len()).contains(&header)
    }

    /// The [`wide`] sum of the packet if its checksum verifies; neither it nor the
    /// pseudo-header is all zero.
    #[inline]
    fn verified(&self) -> Option<u64> {
        let length = (self.bytes.len() as u16).swap_bytes();
        let rest = u64::from(length).wrapping_add(u64::from(self.protocol.0) << 8);
        let sum = wide(self.bytes);
        verifies(add(add(self.address_sum, rest), sum)).then_some(sum)
    }
}

/// Eight bytes as they lie, the first being the lowest.
#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
