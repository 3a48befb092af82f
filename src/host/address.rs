//! Addresses of an interface.

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

/// An IP address, and how much of it is the network's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Address {
    /// The address.
    pub address: IpAddr,
    /// How many bits of it all neighbours share.
    pub prefix_length: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_length)
    }
}

/// A hardware address of Ethernet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl Serialize for Mac {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The addresses of each interface, by its index.
pub(super) fn by_interface(messages: &[RouteNetlinkMessage]) -> BTreeMap<u32, Vec<Address>> {
    let mut addresses: BTreeMap<u32, Vec<Address>> = BTreeMap::new();
    for message in messages {
        if let RouteNetlinkMessage::NewAddress(message) = message
            && let Some(address) = read(message)
        {
            addresses
                .entry(message.header.index)
                .or_default()
                .push(address);
        }
    }
    addresses
}

/// On a point-to-point link the kernel calls the other end "address", and this one
/// "local".
fn read(message: &AddressMessage) -> Option<Address> {
    let mut attributes = message.attributes.iter();
    let local = attributes.clone().find_map(|attribute| match attribute {
        AddressAttribute::Local(address) => Some(*address),
        _ => None,
    });
    let any = attributes.find_map(|attribute| match attribute {
        AddressAttribute::Address(address) => Some(*address),
        _ => None,
    });
    Some(Address {
        address: local.or(any)?,
        prefix_length: message.header.prefix_len,
    })
}
