//! The host that the capture is made on, where its kernel could be asked.

use super::known::Given;
use crate::host::{Encapsulation, Interface, Offload, State};
use crate::model::{Addresses, TunnelKey, TunnelKind, escape};
use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;

/// The host that the capture is made on. Of a file nothing is known: then every answer is
/// `None`, or false.
#[derive(Clone, Debug)]
pub(super) struct ThisHost<'a> {
    interfaces: &'a [Interface],
    /// The interface with each address.
    addresses: HashMap<IpAddr, &'a Interface>,
    captured_on: &'a [String],
}

/// The name of the device that captures on all interfaces.
const ALL: &str = "any";

impl<'a> ThisHost<'a> {
    pub fn of(given: &Given<'a>) -> Self {
        let addresses = given.interfaces.iter().flat_map(|one| {
            let addresses = one.addresses.iter();
            addresses.map(move |has| (has.address, one))
        });
        Self {
            interfaces: given.interfaces,
            addresses: addresses.collect(),
            captured_on: given.captured_on,
        }
    }

    /// Whether anything is known of it.
    pub fn is_known(&self) -> bool {
        !self.interfaces.is_empty()
    }

    /// The interface that has an address.
    pub fn with_address(&self, address: IpAddr) -> Option<&'a Interface> {
        self.addresses.get(&address).copied()
    }

    /// Whether an address is one of its own.
    pub fn has(&self, address: IpAddr) -> bool {
        self.addresses.contains_key(&address)
    }

    /// The interface that packets between two addresses were captured on: the only one
    /// there is, or the one with an address of theirs.
    pub fn beside(&self, addresses: &Addresses) -> Option<&'a Interface> {
        match self.captured_on {
            [name] if name != ALL => self.named(name),
            _ => self
                .with_address(addresses.source())
                .or_else(|| self.with_address(addresses.destination())),
        }
    }

    /// The device that makes a tunnel that begins or ends here.
    pub fn device_of(&self, tunnel: &TunnelKey) -> Option<&'a Interface> {
        let ends = [tunnel.endpoints.source(), tunnel.endpoints.destination()];
        self.interfaces.iter().find(|one| match one.encapsulation {
            Some(Encapsulation::Vxlan(device)) => {
                let is_here = ends.iter().any(|end| self.is_end(*end, device.local));
                tunnel.kind == TunnelKind::Vxlan
                    && is_here
                    && agree(device.port, tunnel.destination_port)
                    && (device.external || device.id == tunnel.id)
            }
            Some(Encapsulation::Geneve(device)) => {
                let is_here = ends.iter().any(|end| self.is_end(*end, device.local));
                tunnel.kind == TunnelKind::Geneve
                    && is_here
                    && agree(device.port, tunnel.destination_port)
                    && (device.external || device.id == tunnel.id)
            }
            Some(Encapsulation::Ip(device)) => {
                let between = |here: IpAddr, there: IpAddr| {
                    self.is_end(here, device.local) && agree(device.remote, Some(there))
                };
                is_of_kind(&one.kind, tunnel.kind)
                    && (between(ends[0], ends[1]) || between(ends[1], ends[0]))
            }
            _ => false,
        })
    }

    /// Whether an address is where a device sends from.
    fn is_end(&self, address: IpAddr, local: Option<IpAddr>) -> bool {
        local.map_or_else(|| self.has(address), |local| local == address)
    }

    /// Overlays whose full packets do not fit into the network below, by index.
    pub fn misfits(&self) -> Vec<Misfit<'a>> {
        let overlays = self.interfaces.iter();
        overlays.filter_map(|one| self.misfit(one)).collect()
    }

    /// What is wrong with the MTU of an overlay. That of a device that is told where to
    /// send by something else means nothing: Open vSwitch has 65,000, Cilium sets routes.
    pub fn misfit(&self, overlay: &'a Interface) -> Option<Misfit<'a>> {
        let encapsulation = overlay.encapsulation?;
        let is_external = matches!(
            encapsulation,
            Encapsulation::Vxlan(device) | Encapsulation::Geneve(device) if device.external
        );
        if is_external || overlay.state == State::Down {
            return None;
        }
        let underlay = self.underlay(overlay, &encapsulation)?;
        let misfit = Misfit {
            overlay,
            underlay,
            overlay_mtu: overlay.mtu?,
            underlay_mtu: underlay.mtu?,
            overhead: overhead(&overlay.kind, &encapsulation)?,
        };
        (misfit.overlay_mtu.saturating_add(misfit.overhead) > misfit.underlay_mtu).then_some(misfit)
    }

    /// The interface that an overlay sends through: as it says itself, the one with the
    /// address it sends from, or the one whose neighbour it sends to.
    fn underlay(
        &self,
        overlay: &Interface,
        encapsulation: &Encapsulation,
    ) -> Option<&'a Interface> {
        let (local, remote) = ends(encapsulation);
        let said = overlay.parent.as_deref().and_then(|name| self.named(name));
        said.or_else(|| self.with_address(local?))
            .or_else(|| self.beside_neighbour(remote?))
            .filter(|under| under.index != overlay.index)
    }

    fn beside_neighbour(&self, address: IpAddr) -> Option<&'a Interface> {
        self.interfaces.iter().find(|one| {
            let mut networks = one.addresses.iter();
            networks.any(|near| is_within(address, near.address, near.prefix_length))
        })
    }

    fn named(&self, name: &str) -> Option<&'a Interface> {
        self.interfaces.iter().find(|one| one.name == name)
    }
}

/// An overlay whose full packets do not fit into the network below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit<'a> {
    pub overlay: &'a Interface,
    pub underlay: &'a Interface,
    pub overlay_mtu: u32,
    pub underlay_mtu: u32,
    /// Bytes it puts around each packet, at least.
    pub overhead: u32,
}

impl Misfit<'_> {
    /// What does not fit, in a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "The MTU of the overlay {}, {}, does not fit into the {} of {}: it puts {} bytes \
             around each packet.",
            name(self.overlay),
            self.overlay_mtu,
            self.underlay_mtu,
            name(self.underlay),
            self.overhead,
        )
    }

    /// The largest MTU that fits.
    pub fn fitting(&self) -> u32 {
        self.underlay_mtu.saturating_sub(self.overhead)
    }
}

/// The name of an interface, made harmless.
pub(super) fn name(interface: &Interface) -> Cow<'_, str> {
    escape::line(&interface.name)
}

/// What of its work an interface leaves to hardware, of some features.
pub(super) fn those_that_are(
    on: bool,
    offload: &Offload,
    features: &[Feature],
) -> Vec<&'static str> {
    let such = features
        .iter()
        .filter(|feature| feature.is_on(offload) == on);
    such.map(|feature| feature.name()).collect()
}

/// A feature of an interface, by its name in `ethtool -k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    TxChecksumming,
    Tso,
    Gso,
    Gro,
}

impl Feature {
    fn name(self) -> &'static str {
        match self {
            Self::TxChecksumming => "tx-checksumming",
            Self::Tso => "tcp-segmentation-offload",
            Self::Gso => "generic-segmentation-offload",
            Self::Gro => "generic-receive-offload",
        }
    }

    fn is_on(self, offload: &Offload) -> bool {
        match self {
            Self::TxChecksumming => offload.tx_checksumming,
            Self::Tso => offload.tso,
            Self::Gso => offload.gso,
            Self::Gro => offload.gro,
        }
    }
}

/// `tx-checksumming is on`, `tso and gso are on`.
pub(super) fn are(features: &[&str], what: &str) -> String {
    match features {
        [only] => format!("{only} is {what}"),
        [all @ .., last] => format!("{} and {last} are {what}", all.join(", ")),
        [] => String::new(),
    }
}

/// Both ends of an overlay, as far as they are fixed.
fn ends(encapsulation: &Encapsulation) -> (Option<IpAddr>, Option<IpAddr>) {
    match encapsulation {
        Encapsulation::Vxlan(device) | Encapsulation::Geneve(device) => {
            (device.local, device.remote)
        }
        Encapsulation::Ip(device) => (device.local, device.remote),
        Encapsulation::Vlan(_) => (None, None),
    }
}

/// Bytes that a device puts around the packets its MTU is about: options, keys and VLAN
/// tags left out; over IPv4, unless an end says otherwise. `None` for what has no tunnel.
fn overhead(kind: &str, encapsulation: &Encapsulation) -> Option<u32> {
    const ETHERNET: u32 = 14;
    let (local, remote) = ends(encapsulation);
    let is_ipv6 = local.or(remote).is_some_and(|end| end.is_ipv6());
    let outer = if is_ipv6 { 40 } else { 20 };
    let headers = match (encapsulation, kind) {
        // UDP and 8 bytes of their own.
        (Encapsulation::Vxlan(_) | Encapsulation::Geneve(_), _) => 8 + 8 + ETHERNET,
        (Encapsulation::Ip(_), "ipip" | "sit" | "ip6tnl") => 0,
        (Encapsulation::Ip(_), "gre" | "ip6gre") => 4,
        (Encapsulation::Ip(_), "gretap" | "ip6gretap") => 4 + ETHERNET,
        _ => return None,
    };
    Some(outer + headers)
}

fn is_of_kind(device: &str, tunnel: TunnelKind) -> bool {
    let devices: &[&str] = match tunnel {
        TunnelKind::Gre => &["gre", "ip6gre"],
        TunnelKind::Gretap => &["gretap", "ip6gretap"],
        TunnelKind::Erspan => &["erspan", "ip6erspan"],
        TunnelKind::Ipip => &["ipip"],
        TunnelKind::Sit => &["sit"],
        TunnelKind::Ip6tnl => &["ip6tnl"],
        _ => &[],
    };
    devices.contains(&device)
}

/// Whether two are the same, as far as both are known.
fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Whether an address is in the network of another.
fn is_within(address: IpAddr, of: IpAddr, prefix_length: u8) -> bool {
    let (one, other, bits) = match (address, of) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (
            u128::from(one.to_bits()),
            u128::from(other.to_bits()),
            u32::BITS,
        ),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits(), other.to_bits(), u128::BITS),
        _ => return false,
    };
    let host_bits = bits.saturating_sub(prefix_length.into());
    prefix_length > 0 && (one ^ other).checked_shr(host_bits).unwrap_or(0) == 0
}
