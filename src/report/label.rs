//! Flows and tunnels by name, as tcpdump users write them.

use super::document::{FlowKey, TunnelKey};
use std::net::IpAddr;

/// `10.0.0.1:4000 > 10.0.0.2:53 udp, vlan 7, in vxlan 42 192.0.2.1 > 192.0.2.2:4789`.
pub fn flow(key: &FlowKey) -> String {
    let source = endpoint(key.src, key.src_port);
    let destination = endpoint(key.dst, key.dst_port);
    let mut name = format!("{source} > {destination} {}", key.protocol);
    if key.protocol.has_ports() && key.src_port.is_none() {
        name.push_str(" (ports unknown)");
    }
    name.push_str(&around(key));
    name
}

/// The hosts of a flow, whatever its ports: `10.0.0.1 > 10.0.0.2 udp, vlan 7`.
pub fn pair(key: &FlowKey) -> String {
    format!("{} > {} {}{}", key.src, key.dst, key.protocol, around(key))
}

fn around(key: &FlowKey) -> String {
    let vlans = vlan_suffix(&key.vlans);
    let tunnel = key.tunnel.as_ref().map(tunnel);
    tunnel.map_or_else(|| vlans.clone(), |tunnel| format!("{vlans}, in {tunnel}"))
}

/// `vxlan 42 192.0.2.1 > 192.0.2.2:4789`.
pub fn tunnel(key: &TunnelKey) -> String {
    let id = key.id.map_or_else(String::new, |id| format!("{id} "));
    let destination = endpoint(key.dst, key.dst_port);
    let mut name = format!("{} {id}{} > {destination}", key.kind.name(), key.src);
    name.push_str(&vlan_suffix(&key.vlans));
    if let Some(outer) = &key.inside {
        name.push_str(", in ");
        name.push_str(&tunnel(outer));
    }
    name
}

/// VLAN ids, outermost first: `100.7`.
pub fn vlans(ids: &[u16]) -> String {
    let ids: Vec<String> = ids.iter().map(u16::to_string).collect();
    ids.join(".")
}

fn vlan_suffix(ids: &[u16]) -> String {
    match ids {
        [] => String::new(),
        ids => format!(", vlan {}", vlans(ids)),
    }
}

fn endpoint(address: IpAddr, port: Option<u16>) -> String {
    match (address, port) {
        (address, None) => address.to_string(),
        (IpAddr::V4(address), Some(port)) => format!("{address}:{port}"),
        (IpAddr::V6(address), Some(port)) => format!("[{address}]:{port}"),
    }
}
