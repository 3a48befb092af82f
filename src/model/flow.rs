//! The identity of a flow.

use super::address::Addresses;
use super::protocol::Protocol;
use super::scope::ScopeTag;

/// Source and destination port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ports {
    /// Source port.
    pub source: u16,
    /// Destination port.
    pub destination: u16,
}

/// One direction of an innermost 5-tuple, inside its tunnel and VLAN stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey {
    /// Address pair of the innermost IP header.
    pub addresses: Addresses,
    /// `None` for protocols without ports, and for fragments whose first never came.
    pub ports: Option<Ports>,
    /// Upper-layer protocol.
    pub protocol: Protocol,
    /// Tunnel and VLANs around it.
    pub scope: ScopeTag,
}
