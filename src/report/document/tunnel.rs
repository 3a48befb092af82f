//! Tunnels, as identity and as rows of their own.

use super::scalar::display;
use crate::model::{Counters, TunnelKind};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::net::IpAddr;

/// One direction of a tunnel. The outer source port is entropy, not identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TunnelKey {
    /// `vxlan`, `vxlan-gpe`, `geneve`, `gre`, `nvgre`, `gretap`, `erspan`, `ipip`,
    /// `sit` or `ip6tnl`.
    #[serde(serialize_with = "kind_name")]
    #[schemars(with = "String")]
    pub kind: TunnelKind,
    /// VNI, VSID, session or key; `null` where the encapsulation has none.
    pub id: Option<u32>,
    /// Outer source address.
    pub src: IpAddr,
    /// Outer destination address.
    pub dst: IpAddr,
    /// Outer UDP destination port; `null` for tunnels without ports.
    pub dst_port: Option<u16>,
    /// VLAN ids in front of the outer IP header, outermost first.
    pub vlans: Vec<u16>,
    /// The tunnel this one runs in; `null` on the wire.
    pub inside: Option<Box<TunnelKey>>,
}

/// What one direction of a tunnel carried.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tunnel {
    /// Which tunnel.
    pub key: TunnelKey,
    /// Counters of its outer IP packets; `bytes` are IP bytes.
    pub counters: Counters,
}

fn kind_name<S: Serializer>(kind: &TunnelKind, serializer: S) -> Result<S::Ok, S::Error> {
    display(&kind.name(), serializer)
}
