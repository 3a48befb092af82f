//! This host as its kernel describes it: its network interfaces, and what it counts.
//!
//! Input: what the kernel says over netlink and in `/proc`, in the network namespace of
//! the process and without privileges. Output: an [`Interface`] each, by index, with
//! [`Statistics`] of it, and a [`Reading`] of the counters of the whole namespace.
//!
//! What must hold: what the kernel does not say is `None`, never a default; nothing
//! is changed; names are the kernel's, and whoever shows them makes them harmless.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod address;
mod counters;
mod encapsulation;
mod features;
mod interface;
mod link;
mod netlink;
mod offload;
mod statistics;
#[cfg(test)]
mod tests;
mod unavailable;

pub use address::{Address, Mac};
pub use counters::{FragmentLimits, Reading, between, read};
pub use encapsulation::{Encapsulation, IpTunnel, UdpTunnel, Vlan};
pub use interface::{Interface, State};
pub use offload::Offload;
pub use statistics::Statistics;
pub use unavailable::Unavailable;

use link::Link;
use netlink::Netlink;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::AddressMessage;
use netlink_packet_route::link::LinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use std::collections::BTreeMap;

/// The interfaces of the network namespace that this process runs in, by index.
///
/// # Errors
///
/// The kernel has no netlink, or says what cannot be read.
pub fn interfaces() -> Result<Vec<Interface>, Unavailable> {
    let mut route = Netlink::open(NETLINK_ROUTE)?;
    let links = route.list(&RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
    let addresses = route.list(&RouteNetlinkMessage::GetAddress(AddressMessage::default()))?;
    let links = by_index(&links);
    // A kernel without ethtool over netlink has interfaces all the same.
    let offloads = features::offloads(links.keys().copied()).unwrap_or_default();
    Ok(assemble(
        &links,
        address::by_interface(&addresses),
        &offloads,
    ))
}

/// What is counted of each interface of this network namespace, by index. Cheaper than
/// [`interfaces`]: one question.
///
/// # Errors
///
/// The kernel has no netlink, or says what cannot be read.
pub fn statistics() -> Result<Vec<Statistics>, Unavailable> {
    let mut route = Netlink::open(NETLINK_ROUTE)?;
    let links = route.list(&RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
    Ok(links.iter().filter_map(Statistics::read).collect())
}

fn by_index(messages: &[RouteNetlinkMessage]) -> BTreeMap<u32, Link> {
    let links = messages.iter().filter_map(|message| match message {
        RouteNetlinkMessage::NewLink(message) => Some((message.header.index, link::read(message))),
        _ => None,
    });
    links.collect()
}

/// Puts together what was said about each interface.
fn assemble(
    links: &BTreeMap<u32, Link>,
    mut addresses: BTreeMap<u32, Vec<Address>>,
    offloads: &BTreeMap<u32, Offload>,
) -> Vec<Interface> {
    let name = |index: Option<u32>| Some(links.get(&index?)?.name.clone());
    links
        .iter()
        .map(|(&index, link)| Interface {
            index,
            name: link.name.clone(),
            state: link.state,
            mtu: link.mtu,
            mac: link.mac,
            link_type: link.link_type,
            kind: link.kind.clone(),
            master: name(link.master),
            parent: name(link.parent),
            addresses: addresses.remove(&index).unwrap_or_default(),
            encapsulation: link.encapsulation,
            offload: offloads.get(&index).copied(),
        })
        .collect()
}
