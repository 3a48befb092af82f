//! The identity of a flow.

use super::address::Addresses;
use super::protocol::Protocol;
use super::scope::ScopeTag;
use std::hash::{Hash, Hasher};

/// Source and destination port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ports {
    /// Source port.
    pub source: u16,
    /// Destination port.
    pub destination: u16,
}

/// One direction of an innermost 5-tuple, inside its tunnel and VLAN stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// All that is not an address in two words, for the same reason as there.
impl Hash for FlowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ports = self.ports.map_or(1 << 40, |ports| {
            u64::from(ports.source) << 16 | u64::from(ports.destination)
        });
        self.addresses.hash(state);
        state.write_u64(ports | u64::from(self.protocol.0) << 32);
        state.write_u64(self.scope.0);
    }
}
