//! What a UDP datagram carries: by its ports, or by its bytes.

use super::options::{AutoTunnel, DecodeOptions};
use super::tunnel::{Inside, Tunnel};
use super::udp::Body;
use super::view::View;
use super::{esp, geneve, vxlan, wireguard};
use crate::model::Ports;
use crate::model::facts::Stop;

/// Which ports carry what.
#[derive(Clone, Debug)]
pub(super) struct UdpPayloads {
    vxlan: Vec<u16>,
    geneve: Vec<u16>,
    auto_tunnel: AutoTunnel,
    /// All ports that say something of what is inside.
    telling: PortSet,
}

impl UdpPayloads {
    pub fn new(options: &DecodeOptions) -> Self {
        let vxlan = options.all_vxlan_ports();
        let geneve = options.all_geneve_ports();
        let others = [&wireguard::PORTS[..], &[esp::PORT, vxlan::GPE_PORT]].concat();
        Self {
            telling: PortSet::of(vxlan.iter().chain(&geneve).chain(&others)),
            vxlan,
            geneve,
            auto_tunnel: options.auto_tunnel,
        }
    }

    /// Whether a glance shows that nothing is inside: what most datagrams need.
    #[inline]
    pub fn is_plain(&self, ports: Ports, view: View<'_>) -> bool {
        let is_telling = |port| self.telling.contains(port);
        !is_telling(ports.source)
            && !is_telling(ports.destination)
            && !view
                .u32(0)
                .is_some_and(|word| vxlan::may_begin(word) || geneve::may_begin(word))
    }

    /// VXLAN on a port of its own whose header says nothing but the VNI, as almost all do.
    #[inline]
    pub fn vxlan<'a>(&self, body: &Body<'a>) -> Option<Tunnel<'a>> {
        let is_expected = self.vxlan.contains(&body.ports.destination);
        is_expected.then(|| vxlan::ordinary(body.view)).flatten()
    }

    /// Whether tunnels run on this destination port.
    #[inline]
    pub fn is_tunnel_port(&self, port: u16) -> bool {
        self.vxlan.contains(&port) || self.geneve.contains(&port) || port == vxlan::GPE_PORT
    }

    /// What is in the payload of a UDP datagram.
    #[inline]
    pub fn inside<'a>(&self, body: &Body<'a>) -> Result<Inside<'a>, Stop> {
        let port = body.ports.destination;
        if self.vxlan.contains(&port) {
            return vxlan::parse(body.view, body.stated).map(Inside::Tunnel);
        }
        self.inside_other(port, body)
    }

    /// The same on all ports but those of VXLAN.
    #[inline(never)]
    fn inside_other<'a>(&self, port: u16, body: &Body<'a>) -> Result<Inside<'a>, Stop> {
        if self.geneve.contains(&port) {
            return geneve::parse(body.view).map(Inside::Tunnel);
        }
        if port == vxlan::GPE_PORT {
            return vxlan::parse_gpe(body.view).map(Inside::Tunnel);
        }
        let is_either = |is_port: fn(u16) -> bool| is_port(body.ports.source) || is_port(port);
        if is_either(wireguard::is_port) && wireguard::is_message(body.view, body.stated) {
            return Ok(Inside::WireGuard);
        }
        if is_either(esp::is_port) && esp::is_packet(body.view, body.stated) {
            return Ok(Inside::Esp);
        }
        match self.detected(body) {
            Some(tunnel) => Ok(Inside::Tunnel(tunnel)),
            None => Ok(Inside::Flow),
        }
    }

    fn detected<'a>(&self, body: &Body<'a>) -> Option<Tunnel<'a>> {
        match self.auto_tunnel {
            AutoTunnel::On => vxlan::detect(body.view, body.stated)
                .or_else(|| geneve::detect(body.view, body.stated)),
            AutoTunnel::Off => None,
        }
    }
}

/// A set of ports, one bit each.
#[derive(Clone, Debug)]
struct PortSet(Box<[u64; WORDS]>);

/// Words of 64 ports.
const WORDS: usize = 1 << 10;

impl PortSet {
    fn of<'p>(ports: impl Iterator<Item = &'p u16>) -> Self {
        let mut words = Box::new([0; WORDS]);
        for port in ports {
            if let Some(word) = words.get_mut(usize::from(port >> 6)) {
                *word |= 1 << (port & 63);
            }
        }
        Self(words)
    }

    #[inline]
    fn contains(&self, port: u16) -> bool {
        let word = self.0.get(usize::from(port >> 6)).copied().unwrap_or(0);
        word >> (port & 63) & 1 != 0
    }
}
