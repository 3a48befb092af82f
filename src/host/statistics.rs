//! What the kernel counts of each interface.

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use serde::Serialize;

/// What the kernel has counted of one interface, since that was made or since some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Its name, as the kernel has it.
    pub name: String,
    /// Packets that came in.
    pub rx_packets: u64,
    /// Packets that went out.
    pub tx_packets: u64,
    /// Bytes that came in.
    pub rx_bytes: u64,
    /// Bytes that went out.
    pub tx_bytes: u64,
    /// Received and wrong.
    pub rx_errors: u64,
    /// Received and dropped for want of room.
    pub rx_dropped: u64,
    /// Could not be sent.
    pub tx_errors: u64,
    /// Dropped on the way out.
    pub tx_dropped: u64,
}

impl Statistics {
    /// Of an interface; `None` where the kernel does not count.
    pub(super) fn read(message: &RouteNetlinkMessage) -> Option<Self> {
        let RouteNetlinkMessage::NewLink(LinkMessage { attributes, .. }) = message else {
            return None;
        };
        let name = attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::IfName(name) => Some(name.clone()),
            _ => None,
        })?;
        let counted = attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::Stats64(counted) => Some(counted),
            _ => None,
        })?;
        Some(Self {
            name,
            rx_packets: counted.rx_packets,
            tx_packets: counted.tx_packets,
            rx_bytes: counted.rx_bytes,
            tx_bytes: counted.tx_bytes,
            rx_errors: counted.rx_errors,
            rx_dropped: counted.rx_dropped,
            tx_errors: counted.tx_errors,
            tx_dropped: counted.tx_dropped,
        })
    }
}
