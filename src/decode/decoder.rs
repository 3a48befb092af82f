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

use super::checksum::{Judgement, pseudo};
use super::extension::Destination;
use super::link::{self, Content, Found, ether_type};
use super::network::{self, Network};
use super::scopes::Scopes;
use super::tunnel::Tunnel;
use super::upper::{Origin, Read, Upper};
use super::view::View;
use super::whole::Whole;
use super::{ipv4, ipv6, tcp, udp, vlan};
use crate::model::facts::{
    Carries, Fragment, Layer, LayerKind, MAX_LAYERS, Packet, Stop, Transport, Why,
};
use crate::model::{
    Frame, IpVersion, Protocol, ScopeSet, ScopeTag, TunnelKey, TunnelKind, VlanStack,
};

/// Ports that VXLAN is always expected on: IANA's, and the one Linux has used
/// since before there was that.
const VXLAN_PORTS: [u16; 2] = [4789, 8472];
/// The port that Geneve is always expected on.
const GENEVE_PORTS: [u16; 1] = [6081];

/// What decoding needs to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// UDP ports of VXLAN besides 4789 and 8472.
    pub vxlan_ports: Vec<u16>,
    /// UDP ports of Geneve besides 6081.
    pub geneve_ports: Vec<u16>,
    /// Whether tunnels on other ports are found by their bytes.
    pub auto_tunnel: AutoTunnel,
}

/// Whether tunnels on unknown ports are found by their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoTunnel {
    /// VXLAN and Geneve are opened on any port when the bytes are that beyond
    /// reasonable doubt.
    #[default]
    On,
    /// Only on the ports known.
    Off,
}

/// States facts about frames. One for each worker; it has no locks.
#[derive(Clone, Debug)]
pub struct Decoder {
    vxlan_ports: Vec<u16>,
    geneve_ports: Vec<u16>,
    auto_tunnel: AutoTunnel,
    scopes: Scopes,
}

impl Decoder {
    /// A decoder that has met no scope yet.
    pub fn new(options: &DecodeOptions) -> Self {
        Self {
            vxlan_ports: [&VXLAN_PORTS[..], &options.vxlan_ports].concat(),
            geneve_ports: [&GENEVE_PORTS[..], &options.geneve_ports].concat(),
            auto_tunnel: options.auto_tunnel,
            scopes: Scopes::new(),
        }
    }

    /// States the facts of one frame into `packet`, which is cleared first.
    pub fn frame(&mut self, frame: &Frame<'_>, packet: &mut Packet) {
        packet.clear();
        let view = View::new(frame.data, frame.wire_bytes);
        let mut walk = Walk::new(self, packet);
        if let Err(stop) = walk.link(link::open(frame.link_type, view)) {
            packet.stop = Some(stop);
        }
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
        let view = View::new(head, whole.payload_bytes).claim(whole.payload_bytes);
        self.read(&upper_of(whole, view)).0.transport
    }

    /// Whether the payload of a first fragment begins a tunnel that should be
    /// opened once the datagram is whole, so that its bytes must be kept. `head` is
    /// what was captured of the beginning of that payload.
    pub fn carries_tunnel(&self, whole: &Whole, head: &[u8]) -> bool {
        let view = View::new(head, whole.payload_bytes);
        self.read(&upper_of(whole, view)).1.is_some()
    }

    /// States the facts of a reassembled datagram from its payload: layer 0 is the
    /// datagram itself, further layers are what its tunnel carries.
    pub fn datagram(&mut self, whole: &Whole, payload: &[u8], packet: &mut Packet) {
        packet.clear();
        let view = View::new(payload, whole.payload_bytes).claim(whole.payload_bytes);
        let mut walk = Walk::new(self, packet);
        if let Err(stop) = walk.whole(whole, view) {
            packet.stop = Some(stop);
        }
    }

    /// The scopes met so far.
    pub fn scopes(&self) -> &ScopeSet {
        self.scopes.set()
    }

    /// The scopes met.
    pub fn into_scopes(self) -> ScopeSet {
        self.scopes.into_set(&ScopeSet::default())
    }

    /// The scopes met, where the datagrams given to [`Decoder::datagram`] may have
    /// been in scopes that only `others` have met.
    pub fn into_scopes_given(self, others: &ScopeSet) -> ScopeSet {
        self.scopes.into_set(others)
    }

    /// Reads what is above an IP header, and the tunnel in it if there is one.
    #[inline]
    fn read<'a>(&self, upper: &Upper<'a>) -> (Read, Option<Tunnel<'a>>) {
        match upper.protocol {
            Protocol::UDP => (udp::parse(upper, udp::PortUse::Ordinary), None),
            Protocol::TCP => (tcp::parse(upper), None),
            Protocol::UDP_LITE => (udp::parse(upper, udp::PortUse::Ordinary), None),
            _ => (Read::nothing(None), None),
        }
    }
}

/// The upper layer of a reassembled datagram.
fn upper_of<'a>(whole: &Whole, view: View<'a>) -> Upper<'a> {
    let extensions = usize::from(whole.extension_bytes);
    let before = view.bytes.get(..extensions).map(super::sum);
    Upper {
        view: view.skip(extensions),
        protocol: whole.protocol,
        version: whole.addresses.version,
        pseudo: Some(pseudo(
            &whole.addresses,
            whole.final_destination,
            whole.home_address,
            whole.protocol,
        )),
        // Extension headers are a multiple of 8 bytes long.
        known_sum: whole.sum.zip(before).map(|(all, before)| all.minus(before)),
        origin: Origin::Fragments,
    }
}

/// One walk through the layers of a packet.
struct Walk<'d> {
    decoder: &'d mut Decoder,
    packet: &'d mut Packet,
    /// Scope of what is being read, without the VLANs read since.
    scope: ScopeTag,
    tunnel: Option<TunnelKey>,
    vlans: VlanStack,
}

impl<'d> Walk<'d> {
    fn new(decoder: &'d mut Decoder, packet: &'d mut Packet) -> Self {
        Self {
            decoder,
            packet,
            scope: ScopeTag::WIRE,
            tunnel: None,
            vlans: VlanStack::EMPTY,
        }
    }

    /// Walks from the capture's link layer.
    fn link(&mut self, found: Result<Found<'_>, Stop>) -> Result<(), Stop> {
        self.layers(found?, LayerKind::Link)
    }

    /// Walks on from what was found, layer by layer.
    fn layers<'a>(&mut self, mut found: Found<'a>, mut around: LayerKind) -> Result<(), Stop> {
        loop {
            let network = self.network(found, around)?;
            let Some(tunnel) = self.layer(network)? else {
                return Ok(());
            };
            found = self.enter(&tunnel)?;
            around = LayerKind::InnerEthernet;
        }
    }

    /// Reads headers up to and including the next IP header.
    #[inline]
    fn network<'a>(&mut self, found: Found<'a>, around: LayerKind) -> Result<Network<'a>, Stop> {
        let (mut content, mut view) = found;
        loop {
            (content, view) = match content {
                Content::Ethernet => link::ethernet(view, around)?,
                Content::EtherType(ether_type::IPV4) => return ipv4::parse(view, self.scope()),
                Content::EtherType(ether_type::IPV6) => return ipv6::parse(view, self.scope()),
                Content::Ip => return network::parse_any(view, self.scope(), around),
                Content::EtherType(tag) if vlan::is_tag(tag) => {
                    let (kind, inside) = vlan::parse(view, &mut self.vlans)?;
                    (Content::EtherType(kind), inside)
                }
                Content::EtherType(length) if length <= ether_type::MAX_LENGTH => {
                    (Content::Llc, view.at_most(u32::from(length)))
                }
                Content::Llc => link::llc(view, around)?,
                Content::EtherType(other) => {
                    return Err(view.unsupported(around, u32::from(other)));
                }
                Content::Ppp | Content::Pppoe => {
                    return Err(view.unsupported(LayerKind::Ppp, 0));
                }
            };
        }
    }

    /// The scope of the IP header to be read next.
    #[inline]
    fn scope(&mut self) -> ScopeTag {
        self.decoder.scopes.tag(self.scope, self.tunnel, self.vlans)
    }

    /// States the layer of an IP header; gives the tunnel it carries.
    #[inline]
    fn layer<'a>(&mut self, network: Network<'a>) -> Result<Option<Tunnel<'a>>, Stop> {
        let Network {
            layer,
            upper,
            destination,
            stop,
            ..
        } = network;
        let is_fragment = matches!(layer.fragment, Fragment::Piece(_));
        let upper = Upper {
            view: upper,
            protocol: layer.protocol,
            version: layer.addresses.version,
            pseudo: (destination == Destination::Known).then(|| {
                pseudo(
                    &layer.addresses,
                    layer.final_destination,
                    layer.home_address,
                    layer.protocol,
                )
            }),
            known_sum: None,
            origin: if layer.super_frame {
                Origin::SuperFrame
            } else {
                Origin::Packet
            },
        };
        self.packet.layers.push(layer);
        if let Some(stop) = stop {
            return Err(stop);
        }
        if is_fragment {
            return Ok(None);
        }
        self.above(&upper)
    }

    /// States layer 0 of a reassembled datagram, and walks on.
    fn whole(&mut self, whole: &Whole, view: View<'_>) -> Result<(), Stop> {
        self.scope = whole.scope;
        self.packet.layers.push(Layer {
            scope: whole.scope,
            addresses: whole.addresses,
            final_destination: whole.final_destination,
            home_address: whole.home_address,
            protocol: whole.protocol,
            ip_bytes: whole.ip_bytes,
            payload_start: 0,
            payload_captured: view.captured(),
            payload_bytes: whole.payload_bytes,
            extension_bytes: whole.extension_bytes,
            hop_limit: whole.hop_limit,
            dont_fragment: whole.dont_fragment,
            fragment: Fragment::No,
            header_checksum: None,
            ip_longer: false,
            super_frame: false,
            transport: Transport::None,
            carries: Carries::Flow,
            ovn: None,
        });
        match self.above(&upper_of(whole, view))? {
            Some(tunnel) => {
                let found = self.enter(&tunnel)?;
                self.layers(found, LayerKind::InnerEthernet)
            }
            None => Ok(()),
        }
    }

    /// States what is above the layer just pushed.
    #[inline]
    fn above<'a>(&mut self, upper: &Upper<'a>) -> Result<Option<Tunnel<'a>>, Stop> {
        let (read, tunnel) = self.decoder.read(upper);
        if let Some(layer) = self.packet.layers.last_mut() {
            layer.transport = read.transport;
        }
        match read.stop {
            Some(stop) => Err(stop),
            None => Ok(tunnel),
        }
    }

    /// Goes into a tunnel of the layer just pushed.
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
        self.scope = layer.scope;
        self.tunnel = Some(key);
        self.vlans = VlanStack::EMPTY;
        layer.carries =
            Carries::Tunnel(self.decoder.scopes.tag(self.scope, self.tunnel, self.vlans));
        layer.ovn = tunnel.ovn;
        if depth >= MAX_LAYERS {
            return Err(tunnel.view.stop(LayerKind::InnerEthernet, Why::TooDeep));
        }
        Ok((tunnel.content, tunnel.view))
    }
}
