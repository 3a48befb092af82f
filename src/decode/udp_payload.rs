//! What a UDP datagram carries: by its ports, or by its bytes.

use super::options::{AutoTunnel, DecodeOptions};
use super::tunnel::{Inside, Tunnel};
use super::udp::Body;
use super::view::View;
use super::{esp, geneve, vxlan, wireguard};
use crate::model::facts::Stop;

/// Which ports carry what.
#[derive(Clone, Debug)]
pub(super) struct UdpPayloads {
    vxlan: Vec<u16>,
    geneve: Vec<u16>,
    auto_tunnel: AutoTunnel,
}

impl UdpPayloads {
    pub fn new(options: &DecodeOptions) -> Self {
        Self {
            vxlan: options.all_vxlan_ports(),
            geneve: options.all_geneve_ports(),
            auto_tunnel: options.auto_tunnel,
        }
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
        if self.is_tunnel_port(port) {
            return self.expected(port, body.view).map(Inside::Tunnel);
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

    fn expected<'a>(&self, port: u16, view: View<'a>) -> Result<Tunnel<'a>, Stop> {
        if self.vxlan.contains(&port) {
            vxlan::parse(view)
        } else if self.geneve.contains(&port) {
            geneve::parse(view)
        } else {
            vxlan::parse_gpe(view)
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
