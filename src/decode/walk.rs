//! The walk through the layers of a frame, outermost first.
//!
//! ```text
//! link type ─► Ethernet, VLAN, MPLS, PPP … ─► IP ─► UDP, TCP, ICMP …
//!                       ▲                     │      │
//!                       │                     └──────┴─► a tunnel
//!                       └────────────────────────────────────┘
//! ```
//!
//! Each turn of the loop states one IP layer. A fragment ends the walk: what is
//! above it is read when the datagram is whole.

use super::checksum::Judgement;
use super::decoder::Decoder;
use super::link::{self, Content, Found, ether_type};
use super::network;
use super::offload::Suspicions;
use super::tunnel::{Inside, Tunnel};
use super::udp::PortUse;
use super::upper::{Read, Upper};
use super::view::View;
use super::whole::Whole;
use super::{ipv4_words, mpls, ppp, tcp, udp, vlan};
use crate::model::facts::{Carries, Fragment, LayerKind, MAX_LAYERS, Packet, Stop, Transport, Why};
use crate::model::{IpVersion, LinkType, Protocol, ScopeTag, TunnelKey, VlanStack};

/// One walk through the layers of a packet.
pub(super) struct Walk<'d> {
    decoder: &'d mut Decoder,
    packet: &'d mut Packet,
    /// Scope of the packet that carries what is being read.
    parent: ScopeTag,
    tunnel: Option<TunnelKey>,
    /// Scope of what is being read, without the VLANs read since.
    untagged: ScopeTag,
    vlans: VlanStack,
    suspicions: Suspicions,
}

impl<'d> Walk<'d> {
    pub fn new(decoder: &'d mut Decoder, packet: &'d mut Packet) -> Self {
        Self {
            decoder,
            packet,
            parent: ScopeTag::WIRE,
            tunnel: None,
            untagged: ScopeTag::WIRE,
            vlans: VlanStack::EMPTY,
            suspicions: Suspicions::default(),
        }
    }

    /// States the facts of a frame, of which `view` is all.
    #[inline(never)]
    pub fn frame(&mut self, link_type: LinkType, view: View<'_>) {
        self.packet.direction = link::direction(link_type, view);
        let end = link::open(link_type, view).and_then(|found| self.layers(found, LayerKind::Link));
        self.end(end);
    }

    /// States the facts of what is above a layer just pushed.
    pub fn rest(&mut self, upper: &Upper<'_>) {
        let end = self.inwards(upper);
        self.end(end);
    }

    /// Walks on from what is above a layer just pushed.
    #[inline]
    fn inwards(&mut self, upper: &Upper<'_>) -> Result<(), Stop> {
        match self.above(upper)? {
            Some(found) => self.layers(found, LayerKind::InnerEthernet),
            None => Ok(()),
        }
    }

    /// States the facts of a reassembled datagram.
    pub fn datagram(&mut self, whole: &Whole, payload: &[u8]) {
        let end = self.whole(whole, whole.view(payload));
        self.end(end);
    }

    fn end(&mut self, end: Result<(), Stop>) {
        self.packet.stop = end.err();
        self.suspicions.settle(&mut self.packet.layers);
    }

    /// Walks on from what was found, layer by layer.
    fn layers<'a>(&mut self, mut found: Found<'a>, mut around: LayerKind) -> Result<(), Stop> {
        loop {
            let upper = match self.ordinary(&found) {
                Some(upper) => upper,
                None => self.network(found, around)?,
            };
            let Some(upper) = upper else {
                return Ok(());
            };
            let Some(inside) = self.above(&upper)? else {
                return Ok(());
            };
            found = inside;
            around = LayerKind::InnerEthernet;
        }
    }

    /// Reads what most often comes next, Ethernet and an ordinary IPv4 header, and states
    /// its facts; gives what is above it, if it is no fragment. `None` if it is neither.
    #[inline]
    fn ordinary<'a>(&mut self, found: &Found<'a>) -> Option<Option<Upper<'a>>> {
        let (Content::Ethernet, view) = *found else {
            return None;
        };
        let packet = link::ipv4_in_ethernet(view)?;
        let scope = self.scope();
        let layers = &mut self.packet.layers;
        ipv4_words::parse(packet, scope, |layer| layers.push(layer))
    }

    /// Reads headers up to and including the next IP header, whose facts it states; gives
    /// what is above it, if it is no fragment.
    #[inline(never)]
    fn network<'a>(
        &mut self,
        found: Found<'a>,
        around: LayerKind,
    ) -> Result<Option<Upper<'a>>, Stop> {
        let (version, view) = self.find_ip(found, around)?;
        let scope = self.scope();
        let layers = &mut self.packet.layers;
        let network = network::parse(version, view, scope, |layer| layers.push(layer))?;
        if let Some(stop) = network.stop {
            return Err(stop);
        }
        let layer = self.packet.layers.last();
        let whole = layer.filter(|layer| !matches!(layer.fragment, Fragment::Piece(_)));
        Ok(whole.map(|layer| network.upper(layer)))
    }

    /// Reads headers up to the next IP header.
    #[inline]
    fn find_ip<'a>(
        &mut self,
        found: Found<'a>,
        around: LayerKind,
    ) -> Result<(IpVersion, View<'a>), Stop> {
        let (mut content, mut view) = found;
        loop {
            (content, view) = match content {
                Content::Ethernet => link::ethernet(view, around)?,
                Content::EtherType(ether_type::IPV4) => return Ok((IpVersion::V4, view)),
                Content::EtherType(ether_type::IPV6) => return Ok((IpVersion::V6, view)),
                Content::Ip => return Ok((network::version(view, around)?, view)),
                Content::EtherType(tag) if vlan::is_tag(tag) => {
                    let (kind, inside) = vlan::parse(view, &mut self.vlans)?;
                    (Content::EtherType(kind), inside)
                }
                Content::EtherType(length) if length <= ether_type::MAX_LENGTH => {
                    (Content::Llc, view.at_most(u32::from(length)))
                }
                Content::EtherType(ether_type::MPLS | ether_type::MPLS_MULTICAST) => {
                    mpls::parse(view)?
                }
                Content::EtherType(ether_type::PPPOE_SESSION) | Content::Pppoe => ppp::pppoe(view)?,
                Content::Ppp => ppp::parse(view)?,
                Content::Llc => link::llc(view, around)?,
                Content::EtherType(other) => {
                    return Err(view.unsupported(around, u32::from(other)));
                }
            };
        }
    }

    /// The scope of the IP header to be read next.
    #[inline]
    fn scope(&mut self) -> ScopeTag {
        if self.vlans.is_empty() {
            return self.untagged;
        }
        self.decoder
            .scopes
            .tag(self.parent, self.tunnel, self.vlans)
    }

    /// States layer 0 of a reassembled datagram, and walks on.
    fn whole(&mut self, whole: &Whole, view: View<'_>) -> Result<(), Stop> {
        self.packet.layers.push(whole.layer(view));
        self.inwards(&whole.upper(view))
    }

    /// States what is above the layer just pushed; goes into the tunnel there, if there is
    /// one.
    ///
    /// What most packets are goes its own way: facts of all kinds in one variable are
    /// written in small parts and copied in large ones, for which a processor waits.
    #[inline]
    fn above<'a>(&mut self, upper: &Upper<'a>) -> Result<Option<Found<'a>>, Stop> {
        match upper.protocol {
            Protocol::UDP => match udp::Header::of(upper) {
                Some(header) => self.udp(upper, &header),
                None => self.state(upper, upper.truncated(LayerKind::Udp), Inside::Flow),
            },
            Protocol::TCP => self.state(upper, tcp::parse(upper), Inside::Flow),
            _ => {
                let (read, inside) = self.decoder.read(upper);
                self.state(upper, read, inside)
            }
        }
    }

    /// States a UDP header and goes into the tunnel behind it, if there is one.
    #[inline]
    fn udp<'a>(
        &mut self,
        upper: &Upper<'a>,
        header: &udp::Header,
    ) -> Result<Option<Found<'a>>, Stop> {
        if self.decoder.is_plain_udp(upper, header) {
            self.udp_header(upper, header, PortUse::Ordinary);
            return Ok(None);
        }
        if let Some(tunnel) = self.decoder.vxlan(upper, header) {
            self.udp_header(upper, header, PortUse::Tunnel);
            return self.enter(&tunnel).map(Some);
        }
        self.other_udp(upper, header)
    }

    /// The same for whatever takes a closer look.
    #[inline(never)]
    fn other_udp<'a>(
        &mut self,
        upper: &Upper<'a>,
        header: &udp::Header,
    ) -> Result<Option<Found<'a>>, Stop> {
        let (inside, port_use) = self.decoder.inside_udp(upper, header);
        self.udp_header(upper, header, port_use);
        self.carried(&inside?)
    }

    #[inline(always)]
    fn udp_header(&mut self, upper: &Upper<'_>, header: &udp::Header, port_use: PortUse) {
        let (udp, judgement) = header.facts(upper, port_use);
        self.transport(upper, Transport::Udp(udp), &judgement);
    }

    /// Writes down what was read above the layer just pushed.
    #[inline(always)]
    fn state<'a>(
        &mut self,
        upper: &Upper<'a>,
        read: Read,
        inside: Inside<'a>,
    ) -> Result<Option<Found<'a>>, Stop> {
        self.transport(upper, read.transport, &read.judgement);
        match (read.stop, &inside) {
            (None, _) => self.carried(&inside),
            (Some(stop), Inside::Tunnel(_)) => Err(stop),
            (Some(stop), _) => self.carried(&inside).and(Err(stop)),
        }
    }

    /// Writes down what is inside the layer just pushed; goes into it if it is a tunnel.
    #[inline]
    fn carried<'a>(&mut self, inside: &Inside<'a>) -> Result<Option<Found<'a>>, Stop> {
        let carries = match inside {
            Inside::Flow => return Ok(None),
            Inside::Tunnel(tunnel) => return self.enter(tunnel).map(Some),
            Inside::WireGuard => Carries::WireGuard,
            Inside::Esp => Carries::Esp,
        };
        if let Some(layer) = self.packet.layers.last_mut() {
            layer.carries = carries;
        }
        Ok(None)
    }

    /// Writes down the transport above the layer just pushed.
    #[inline(always)]
    fn transport(&mut self, upper: &Upper<'_>, transport: Transport, judgement: &Judgement) {
        let depth = self.packet.layers.len().saturating_sub(1);
        self.suspicions.transport(depth, upper, judgement);
        if let Some(layer) = self.packet.layers.last_mut() {
            layer.transport = transport;
        }
    }

    /// Goes into a tunnel of the layer just pushed.
    #[inline]
    fn enter<'a>(&mut self, tunnel: &Tunnel<'a>) -> Result<Found<'a>, Stop> {
        let depth = self.packet.layers.len();
        let Some(layer) = self.packet.layers.last_mut() else {
            return Err(tunnel.view.malformed(LayerKind::InnerEthernet));
        };
        let destination_port = layer.transport.ports().map(|ports| ports.destination);
        let key = TunnelKey {
            kind: tunnel.kind,
            id: tunnel.id,
            endpoints: layer.addresses,
            destination_port,
        };
        self.parent = layer.scope;
        self.tunnel = Some(key);
        self.vlans = VlanStack::EMPTY;
        self.untagged = self.decoder.scopes.inside(self.parent, &key);
        layer.carries = Carries::Tunnel(self.untagged);
        layer.ovn = tunnel.ovn;
        if depth >= MAX_LAYERS {
            return Err(tunnel.view.stop(LayerKind::InnerEthernet, Why::TooDeep));
        }
        Ok((tunnel.content, tunnel.view))
    }
}
