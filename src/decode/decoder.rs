//! The decoder: what a worker holds on to between packets.

use super::link::{Content, ether_type};
use super::options::DecodeOptions;
use super::plain::Plain;
use super::scopes::Scopes;
use super::tunnel::{Inside, Tunnel};
use super::udp::PortUse;
use super::udp_payload::UdpPayloads;
use super::upper::{Read, Upper};
use super::view::View;
use super::walk::Walk;
use super::whole::Whole;
use super::{gre, icmp, ipv4_words, link, sctp, tcp, udp};
use crate::model::facts::{LayerKind, Packet, Stop, Transport};
use crate::model::{Frame, IpVersion, LinkType, Protocol, ScopeSet, ScopeTag, TunnelKind};

/// States facts about frames. One for each worker; it has no locks.
#[derive(Clone, Debug)]
pub struct Decoder {
    udp_payloads: UdpPayloads,
    pub(super) scopes: Scopes,
}

impl Decoder {
    /// A decoder that has met no scope yet.
    pub fn new(options: &DecodeOptions) -> Self {
        Self {
            udp_payloads: UdpPayloads::new(options),
            scopes: Scopes::new(),
        }
    }

    /// States the facts of one frame into `packet`, which is cleared first.
    pub fn frame(&mut self, frame: &Frame<'_>, packet: &mut Packet) {
        packet.clear();
        let view = View::new(frame.data, frame.wire_bytes);
        match ordinary(frame.link_type, view, packet) {
            // All there is to say of a fragment is said without a walk.
            Some(None) => {}
            Some(Some(upper)) => Walk::new(self, packet).rest(&upper),
            None => Walk::new(self, packet).frame(frame.link_type, view),
        }
    }

    /// The flow of an ordinary frame; `None` for all others, of which
    /// [`Decoder::frame`] states the facts.
    #[inline(always)]
    pub fn plain<'a>(&self, frame: &Frame<'a>) -> Option<Plain<'a>> {
        Plain::of(frame, &self.udp_payloads)
    }

    /// The transport facts of a reassembled datagram whose bytes were not kept:
    /// `head` is what was captured of the beginning of its payload.
    ///
    /// Without the bytes, a UDP checksum that covers only part of the datagram and
    /// an SCTP checksum (a CRC32c, no sum) are [`Unverifiable`];
    /// [`Decoder::datagram`] can judge them.
    ///
    /// [`Unverifiable`]: crate::model::Verdict::Unverifiable
    pub fn transport(&self, whole: &Whole, head: &[u8]) -> Transport {
        self.begun(whole, head).0
    }

    /// Whether the payload of a first fragment begins a tunnel that should be
    /// opened once the datagram is whole, so that its bytes must be kept. `head` is
    /// what was captured of the beginning of that payload.
    pub fn carries_tunnel(&self, whole: &Whole, head: &[u8]) -> bool {
        self.begun(whole, head).1
    }

    /// Both of these.
    pub fn begun(&self, whole: &Whole, head: &[u8]) -> (Transport, bool) {
        let (read, inside) = self.read(&whole.upper(whole.view(head)));
        (read.transport, matches!(inside, Inside::Tunnel(_)))
    }

    /// States the facts of a reassembled datagram from its payload: layer 0 is the
    /// datagram itself, further layers are what its tunnel carries.
    pub fn datagram(&mut self, whole: &Whole, payload: &[u8], packet: &mut Packet) {
        packet.clear();
        Walk::new(self, packet).datagram(whole, payload);
    }

    /// The scopes met so far.
    pub fn scopes(&self) -> &ScopeSet {
        self.scopes.set()
    }

    /// All scopes met if there are new ones since they were taken before, else none. The
    /// parent of one may be known to another decoder only: datagrams given to
    /// [`Decoder::datagram`] come with the tag of their scope.
    pub fn take_scopes(&mut self) -> ScopeSet {
        self.scopes.take_set()
    }

    /// The scopes met, as [`Self::take_scopes`].
    pub fn into_scopes(self) -> ScopeSet {
        self.scopes.into_set()
    }

    /// Reads what is above an IP header, and what is inside that.
    #[inline(never)]
    pub(super) fn read<'a>(&self, upper: &Upper<'a>) -> (Read, Inside<'a>) {
        match upper.protocol {
            Protocol::UDP => self.udp(upper),
            Protocol::TCP => (tcp::parse(upper), Inside::Flow),
            Protocol::ICMP | Protocol::ICMPV6 => {
                let reversed = || self.scopes.reversed(upper.scope);
                (icmp::parse(upper, reversed), Inside::Flow)
            }
            Protocol::IPV4 => (Read::nothing(None), ip_in_ip(upper, ether_type::IPV4)),
            Protocol::IPV6 => (Read::nothing(None), ip_in_ip(upper, ether_type::IPV6)),
            Protocol::GRE => gre::parse(upper),
            Protocol::UDP_LITE => (udp::parse_lite(upper), Inside::Flow),
            Protocol::SCTP => (sctp::parse(upper), Inside::Flow),
            Protocol::ESP => (Read::nothing(None), Inside::Esp),
            _ => (Read::nothing(None), Inside::Flow),
        }
    }

    /// Whether a UDP datagram carries nothing but a flow, by a glance.
    #[inline]
    pub(super) fn is_plain_udp(&self, upper: &Upper<'_>, header: &udp::Header) -> bool {
        let payload = upper.view.skip(udp::HEADER);
        self.udp_payloads.is_plain(header.ports, payload)
    }

    /// The VXLAN tunnel in a UDP datagram, by a glance.
    #[inline]
    pub(super) fn vxlan<'a>(&self, upper: &Upper<'a>, header: &udp::Header) -> Option<Tunnel<'a>> {
        self.udp_payloads.vxlan(&header.body(upper))
    }

    /// Reads a UDP header, and what is inside the datagram.
    #[inline(never)]
    fn udp<'a>(&self, upper: &Upper<'a>) -> (Read, Inside<'a>) {
        let Some(header) = udp::Header::of(upper) else {
            let stop = upper.truncated(LayerKind::Udp);
            return (stop, Inside::Flow);
        };
        let (inside, port_use) = self.inside_udp(upper, &header);
        let mut read = udp::read(header.facts(upper, port_use));
        read.stop = inside.as_ref().err().copied();
        (read, inside.unwrap_or(Inside::Flow))
    }

    /// What is inside a UDP datagram, and what that makes of its port.
    pub(super) fn inside_udp<'a>(
        &self,
        upper: &Upper<'a>,
        header: &udp::Header,
    ) -> (Result<Inside<'a>, Stop>, PortUse) {
        if self.is_plain_udp(upper, header) {
            return (Ok(Inside::Flow), PortUse::Ordinary);
        }
        let inside = self.udp_payloads.inside(&header.body(upper));
        let is_tunnel = matches!(inside, Ok(Inside::Tunnel(_)))
            || self.udp_payloads.is_tunnel_port(header.ports.destination);
        let port_use = match is_tunnel {
            true => PortUse::Tunnel,
            false => PortUse::Ordinary,
        };
        (inside, port_use)
    }
}

/// States the first layer of what most frames are, Ethernet with an ordinary IPv4 header;
/// gives what is above it, if it is no fragment.
#[inline]
fn ordinary<'a>(
    link_type: LinkType,
    view: View<'a>,
    packet: &mut Packet,
) -> Option<Option<Upper<'a>>> {
    if link_type != LinkType::ETHERNET {
        return None;
    }
    let inside = link::ipv4_in_ethernet(view)?;
    ipv4_words::parse(inside, ScopeTag::WIRE, |layer| packet.layers.push(layer))
}

/// IP directly in IP: RFC 2003, RFC 4213, RFC 2473.
fn ip_in_ip<'a>(upper: &Upper<'a>, inner: u16) -> Inside<'a> {
    let kind = match (upper.version, inner) {
        (IpVersion::V6, _) => TunnelKind::Ip6tnl,
        (IpVersion::V4, ether_type::IPV6) => TunnelKind::Sit,
        (IpVersion::V4, _) => TunnelKind::Ipip,
    };
    Inside::Tunnel(Tunnel {
        kind,
        id: None,
        content: Content::EtherType(inner),
        view: upper.view,
        ovn: None,
    })
}
