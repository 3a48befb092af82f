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

impl Ports {
    /// The pair of a packet that goes the other way.
    pub fn reversed(&self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
        }
    }
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

impl FlowKey {
    /// The other direction: what answers this flow where both take the same way.
    pub fn reversed(&self) -> Self {
        Self {
            addresses: self.addresses.reversed(),
            ports: self.ports.as_ref().map(Ports::reversed),
            protocol: self.protocol,
            scope: self.scope,
        }
    }
}

/// All that is not an address in two words, for the same reason as there.
impl Hash for FlowKey {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ports = self.ports.map_or(1 << 40, |ports| {
            u64::from(ports.source) << 16 | u64::from(ports.destination)
        });
        self.addresses.hash(state);
        state.write_u64(ports | u64::from(self.protocol.0) << 32);
        state.write_u64(self.scope.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_direction_is_found_from_both() {
        let ports = Ports {
            source: 40_000,
            destination: 80,
        };
        let there = FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: Some(ports),
            protocol: Protocol::TCP,
            scope: ScopeTag(7),
        };
        let back = there.reversed();
        assert_eq!(back.addresses.source, there.addresses.destination);
        assert_eq!(back.ports.map(|ports| ports.source), Some(80));
        assert_eq!((back.protocol, back.scope), (there.protocol, there.scope));
        assert_eq!(back.reversed(), there);
        let without_ports = FlowKey {
            ports: None,
            ..there
        };
        assert_eq!(without_ports.reversed().ports, None);
    }
}
