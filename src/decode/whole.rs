//! What reassembly says of a datagram it has put together.

use crate::model::facts::Layer;
use crate::model::{Addresses, Protocol, ScopeTag, Sum};

/// A whole datagram, by the headers of its first fragment and the lengths and
/// sums of all of them.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// VLANs and tunnels around it.
    pub scope: ScopeTag,
    /// Its addresses.
    pub addresses: Addresses,
    /// [`Layer::final_destination`] of the first fragment.
    pub final_destination: Option<[u8; 16]>,
    /// [`Layer::home_address`] of the first fragment.
    pub home_address: Option<[u8; 16]>,
    /// Upper-layer protocol, as the first fragment says.
    pub protocol: Protocol,
    /// [`Layer::extension_bytes`] of the first fragment.
    pub extension_bytes: u16,
    /// Length of the whole payload.
    pub payload_bytes: u32,
    /// Sum of the whole payload; `None` if not all of it was captured.
    pub sum: Option<Sum>,
    /// Length of the IP packet it would have been, header included.
    pub ip_bytes: u32,
    /// TTL or hop limit of the first fragment.
    pub hop_limit: u8,
    /// IPv4 DF of the first fragment.
    pub dont_fragment: bool,
}

impl Whole {
    /// The datagram that `first` begins, once it is known to be `payload_bytes`
    /// long with this sum.
    ///
    /// Before that, `first.payload_bytes` and no sum give what the first fragment
    /// says alone: ports, and [`UdpLength::Longer`](crate::model::facts::UdpLength)
    /// where its UDP length goes beyond its own end.
    pub fn begun_by(first: &Layer, payload_bytes: u32, sum: Option<Sum>) -> Self {
        let header_bytes = first.ip_bytes.saturating_sub(first.payload_bytes);
        Self {
            scope: first.scope,
            addresses: first.addresses,
            final_destination: first.final_destination,
            home_address: first.home_address,
            protocol: first.protocol,
            extension_bytes: first.extension_bytes,
            payload_bytes,
            sum,
            ip_bytes: header_bytes.saturating_add(payload_bytes),
            hop_limit: first.hop_limit,
            dont_fragment: first.dont_fragment,
        }
    }
}
