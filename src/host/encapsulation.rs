//! What an interface puts around packets, and how it was told to.

use netlink_packet_route::link::{
    InfoData, InfoGeneve, InfoGre, InfoGre6, InfoIpTunnel, InfoVlan, InfoVxlan,
};
use serde::Serialize;
use std::net::IpAddr;

/// What an interface puts around each packet; in JSON told apart by `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Encapsulation {
    /// VXLAN.
    Vxlan(UdpTunnel),
    /// Geneve.
    Geneve(UdpTunnel),
    /// A VLAN tag.
    Vlan(Vlan),
    /// Another IP header, with or without GRE: `ipip`, `sit`, `gre` and their like.
    Ip(IpTunnel),
}

/// A tunnel in UDP. The flags of checksums have the names that `ip link` knows them by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UdpTunnel {
    /// The id of the virtual network; `None` if each packet has its own.
    pub id: Option<u32>,
    /// The address it sends from, where that is fixed.
    pub local: Option<IpAddr>,
    /// The address it sends to.
    pub remote: Option<IpAddr>,
    /// The multicast group it sends to in place of one address.
    pub group: Option<IpAddr>,
    /// The UDP port it sends to and listens on.
    pub port: Option<u16>,
    /// Whether something else, such as Open vSwitch, says id and ends for each packet.
    pub external: bool,
    /// Whether the outer UDP header has a checksum over IPv4.
    pub udpcsum: Option<bool>,
    /// Whether the outer UDP header has none over IPv6.
    pub udp6zerocsumtx: Option<bool>,
    /// Whether packets over IPv6 without one are accepted.
    pub udp6zerocsumrx: Option<bool>,
}

/// A VLAN tag; the interface that sends it is the `parent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Vlan {
    /// The id of the VLAN.
    pub id: Option<u16>,
}

/// A tunnel whose ends are IP addresses and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IpTunnel {
    /// The address it sends from, where that is fixed.
    pub local: Option<IpAddr>,
    /// The address it sends to, where that is fixed.
    pub remote: Option<IpAddr>,
}

impl Encapsulation {
    /// From what the kernel says of a device; `None` for one that adds nothing.
    pub(super) fn read(data: &InfoData) -> Option<Self> {
        Some(match data {
            InfoData::Vxlan(told) => Self::Vxlan(vxlan(told)),
            InfoData::Geneve(told) => Self::Geneve(geneve(told)),
            InfoData::Vlan(told) => Self::Vlan(vlan(told)),
            InfoData::IpTunnel(told) => Self::Ip(ip_tunnel(told)),
            InfoData::GreTun(told) | InfoData::GreTap(told) | InfoData::ErSpan(told) => {
                Self::Ip(gre(told))
            }
            InfoData::GreTun6(told) | InfoData::GreTap6(told) | InfoData::Ip6ErSpan(told) => {
                Self::Ip(gre6(told))
            }
            _ => return None,
        })
    }
}

fn vxlan(told: &[InfoVxlan]) -> UdpTunnel {
    let mut tunnel = UdpTunnel::default();
    for attribute in told {
        match attribute {
            InfoVxlan::Id(id) => tunnel.id = Some(*id),
            InfoVxlan::Local(address) => tunnel.local = fixed(*address),
            InfoVxlan::Local6(address) => tunnel.local = fixed(*address),
            InfoVxlan::Group(address) => tunnel.send_to(*address),
            InfoVxlan::Group6(address) => tunnel.send_to(*address),
            InfoVxlan::Port(port) => tunnel.port = Some(*port),
            InfoVxlan::CollectMetadata(external) => tunnel.external = *external,
            InfoVxlan::UDPCsum(on) => tunnel.udpcsum = Some(*on),
            InfoVxlan::UDPZeroCsumTX(on) => tunnel.udp6zerocsumtx = Some(*on),
            InfoVxlan::UDPZeroCsumRX(on) => tunnel.udp6zerocsumrx = Some(*on),
            _ => {}
        }
    }
    tunnel.without_meaningless_id()
}

fn geneve(told: &[InfoGeneve]) -> UdpTunnel {
    let mut tunnel = UdpTunnel::default();
    for attribute in told {
        match attribute {
            InfoGeneve::Id(id) => tunnel.id = Some(*id),
            InfoGeneve::Local(address) => tunnel.local = fixed(*address),
            InfoGeneve::Local6(address) => tunnel.local = fixed(*address),
            InfoGeneve::Remote(address) => tunnel.send_to(*address),
            InfoGeneve::Remote6(address) => tunnel.send_to(*address),
            InfoGeneve::Port(port) => tunnel.port = Some(*port),
            InfoGeneve::CollectMetadata => tunnel.external = true,
            InfoGeneve::UdpCsum(on) => tunnel.udpcsum = Some(*on),
            InfoGeneve::UdpZeroCsum6Tx(on) => tunnel.udp6zerocsumtx = Some(*on),
            InfoGeneve::UdpZeroCsum6Rx(on) => tunnel.udp6zerocsumrx = Some(*on),
            _ => {}
        }
    }
    tunnel.without_meaningless_id()
}

impl UdpTunnel {
    fn send_to(&mut self, address: impl Into<IpAddr>) {
        let address = address.into();
        if address.is_multicast() {
            self.group = Some(address);
        } else {
            self.remote = fixed(address);
        }
    }

    /// The kernel says 0 where each packet has its own id.
    fn without_meaningless_id(mut self) -> Self {
        self.id = self.id.filter(|_| !self.external);
        self
    }
}

fn vlan(told: &[InfoVlan]) -> Vlan {
    let id = told.iter().find_map(|attribute| match attribute {
        InfoVlan::Id(id) => Some(*id),
        _ => None,
    });
    Vlan { id }
}

/// Reads both ends out of the attributes of one kind of tunnel.
macro_rules! ends {
    ($told:expr, $attribute:ident) => {{
        let mut tunnel = IpTunnel::default();
        for attribute in $told {
            match attribute {
                $attribute::Local(address) => tunnel.local = fixed(*address),
                $attribute::Remote(address) => tunnel.remote = fixed(*address),
                _ => {}
            }
        }
        tunnel
    }};
}

fn ip_tunnel(told: &[InfoIpTunnel]) -> IpTunnel {
    ends!(told, InfoIpTunnel)
}

fn gre(told: &[InfoGre]) -> IpTunnel {
    ends!(told, InfoGre)
}

fn gre6(told: &[InfoGre6]) -> IpTunnel {
    ends!(told, InfoGre6)
}

/// The kernel says 0.0.0.0 where any address will do.
fn fixed(address: impl Into<IpAddr>) -> Option<IpAddr> {
    let address = address.into();
    (!address.is_unspecified()).then_some(address)
}
