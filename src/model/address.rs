//! Source and destination of one IP header, in one shape for both versions.

use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Version of an IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum IpVersion {
    /// RFC 791.
    #[default]
    V4 = 4,
    /// RFC 8200.
    V6 = 6,
}

/// The address pair of one IP header as it is on the wire.
///
/// IPv4 addresses fill the first four octets, the rest is zero, so that pairs
/// compare as plain bytes; `version` keeps the two families apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Addresses {
    /// Version of both addresses.
    pub version: IpVersion,
    /// Source address, network byte order.
    pub source: [u8; 16],
    /// Destination address, network byte order.
    pub destination: [u8; 16],
}

impl Addresses {
    /// The pair of an IPv4 header.
    pub fn v4(source: [u8; 4], destination: [u8; 4]) -> Self {
        Self {
            version: IpVersion::V4,
            source: widen(source),
            destination: widen(destination),
        }
    }

    /// The pair of an IPv6 header.
    pub fn v6(source: [u8; 16], destination: [u8; 16]) -> Self {
        Self {
            version: IpVersion::V6,
            source,
            destination,
        }
    }

    /// Source address for people.
    pub fn source(&self) -> IpAddr {
        self.address(&self.source)
    }

    /// Destination address for people.
    pub fn destination(&self) -> IpAddr {
        self.address(&self.destination)
    }

    /// The pair of a packet that goes the other way.
    pub fn reversed(&self) -> Self {
        Self {
            version: self.version,
            source: self.destination,
            destination: self.source,
        }
    }

    /// Source and destination in words, first octets first; of IPv4 all are in the lower half
    /// of the first.
    #[inline(always)]
    pub fn words(&self) -> [[u64; 2]; 2] {
        [self.source, self.destination].map(|address| {
            let octets = u128::from_le_bytes(address);
            [octets as u64, (octets >> 64) as u64]
        })
    }

    /// Whether one of them has a meaning on one link alone, so that no router passes packets on.
    pub fn are_of_one_link(&self) -> bool {
        [self.source(), self.destination()].iter().any(is_of_link)
    }

    /// Whether nobody translates them: as they are of one link. Not so addresses of IPv4 that are,
    /// which stand for services of a host (169.254.169.254, NodeLocal DNSCache).
    pub fn are_never_translated(&self) -> bool {
        let is_service = |address: &IpAddr| match address {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(_) => false,
        };
        let both = [self.source(), self.destination()];
        both.iter()
            .any(|address| is_of_link(address) && !is_service(address))
    }

    /// Whether they go to a group or, as most networks have it, to all hosts of one.
    pub fn are_to_many(&self) -> bool {
        match self.destination() {
            IpAddr::V4(to) => to.is_multicast() || to.octets()[3] == u8::MAX,
            IpAddr::V6(to) => to.is_multicast(),
        }
    }

    fn address(&self, octets: &[u8; 16]) -> IpAddr {
        match self.version {
            IpVersion::V4 => Ipv4Addr::new(octets[0], octets[1], octets[2], octets[3]).into(),
            IpVersion::V6 => Ipv6Addr::from(*octets).into(),
        }
    }
}

fn is_of_link(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let octets = address.octets();
            let is_local_group = octets.starts_with(&[224, 0, 0]);
            is_local_group || address.is_link_local() || address.is_broadcast() || octets[0] == 0
        }
        IpAddr::V6(address) => {
            let is_local_group = address.is_multicast() && address.octets()[1] & 0xf <= 2;
            is_local_group || address.is_unicast_link_local() || address.is_unspecified()
        }
    }
}

/// By words instead of by bytes with their lengths: every packet is looked up by
/// its addresses. One word of IPv4, four of IPv6: that tells the versions apart.
impl Hash for Addresses {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let source = u128::from_ne_bytes(self.source);
        let destination = u128::from_ne_bytes(self.destination);
        match self.version {
            IpVersion::V4 => state.write_u64((source as u64) << 32 | destination as u64),
            IpVersion::V6 => {
                state.write_u128(source);
                state.write_u128(destination);
            }
        }
    }
}

fn widen(address: [u8; 4]) -> [u8; 16] {
    // In one piece: whoever reads the octets soon after does so in wide words.
    u128::from(u32::from_le_bytes(address)).to_le_bytes()
}
