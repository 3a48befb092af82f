//! Flows and tunnels by name, as tcpdump users write them, and what else has words.

use super::document::{Closed, Flow, FlowKey, Sort, TunnelKey};
use crate::model::number;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// `10.0.0.1:4000 > 10.0.0.2:53 udp, vlan 7, in vxlan 42 192.0.2.1 > 192.0.2.2:4789`.
pub fn flow(key: &FlowKey) -> String {
    let port = |port: Option<u16>| port.filter(|_| key.protocol.has_ports());
    let source = endpoint(key.src, port(key.src_port));
    let destination = endpoint(key.dst, port(key.dst_port));
    let mut name = format!("{source} > {destination} {}", key.protocol);
    match (key.src_port, key.dst_port) {
        (None, _) if key.protocol.has_ports() => name.push_str(" (ports unknown)"),
        (Some(_), _) if key.protocol.has_ports() => {}
        (Some(source), Some(destination)) => {
            name.push_str(&format!(" about ports {source} > {destination}"));
        }
        // As tcpdump has it.
        (Some(identifier), None) => name.push_str(&format!(" id {identifier}")),
        (None, _) => {}
    }
    name.push_str(&around(key));
    name
}

/// The flow, and what else is known of it.
pub fn flow_with_remarks(of: &Flow) -> String {
    let mut name = flow(&of.key);
    match of.closed {
        Some(Closed::Wireguard) => name.push_str("; WireGuard, not opened"),
        Some(Closed::Esp) => name.push_str("; ESP, not opened"),
        None => {}
    }
    if of.super_frames > 0 {
        let frames = number::counted(of.super_frames, "super-frame");
        name.push_str(&format!("; {frames} (TSO, GSO or GRO)"));
    }
    let errors = &of.icmp_errors;
    let too_big = errors.fragmentation_needed + errors.packet_too_big;
    if too_big > 0 {
        let told = number::counted(too_big, "time");
        let mtu = errors
            .lowest_mtu
            .map_or_else(String::new, |mtu| format!(" (MTU {mtu})"));
        name.push_str(&format!(
            "; told {told} by ICMP that packets are too big{mtu}"
        ));
    }
    if errors.reassembly_time_exceeded > 0 {
        let told = number::counted(errors.reassembly_time_exceeded, "time");
        name.push_str(&format!("; told {told} by ICMP that fragments never came"));
    }
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

/// A kernel setting as one would type it, without the part of the name that says
/// nothing: `ipfrag_high_thresh 4.00 MiB`.
pub fn setting(name: &str, value: u64) -> String {
    let short = name.rsplit('.').next().unwrap_or(name);
    if short.ends_with("thresh") {
        format!("{short} {}", number::bytes(value))
    } else if short.ends_with("_time") {
        format!("{short} {value} s")
    } else {
        format!("{short} {value}")
    }
}

/// What comes first, in words.
pub fn order(sort: Sort) -> &'static str {
    match sort {
        Sort::Missing => "most bytes missing",
        Sort::Bytes => "most bytes",
        Sort::Packets => "most packets",
        Sort::Fragments => "most fragments",
        Sort::Bad => "most bad checksums and lengths",
    }
}

/// The least confidence that is called sure.
pub const SURE: f64 = 0.9;

/// A confidence in words.
pub fn sureness(confidence: f64) -> &'static str {
    if confidence >= SURE {
        "sure"
    } else if confidence >= 0.7 {
        "likely"
    } else if confidence >= 0.5 {
        "fits"
    } else {
        "possible"
    }
}

/// Kernel settings: `ipfrag_high_thresh 4.00 MiB, ipfrag_time 30 s`.
pub fn settings(settings: &BTreeMap<String, u64>) -> String {
    let parts = settings.iter().map(|(name, value)| setting(name, *value));
    parts.collect::<Vec<_>>().join(", ")
}
