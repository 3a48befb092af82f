//! From the length of full-size fragments to the MTU that made them.

use super::address::IpVersion;

/// An MTU that is usual somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    /// In bytes.
    pub mtu: u32,
    /// Where.
    pub owner: &'static str,
}

const fn usual(mtu: u32, owner: &'static str) -> Usual {
    Usual { mtu, owner }
}

/// MTUs that networks usually have, the largest first: defaults of clouds and overlays,
/// and the remainders that encapsulation leaves of them.
const USUAL: [Usual; 18] = [
    usual(9001, "AWS VPC"),
    usual(9000, "jumbo frames"),
    usual(8951, "VXLAN on AWS"),
    usual(8950, "VXLAN on jumbo frames"),
    usual(1500, "Ethernet"),
    usual(1480, "IPIP on Ethernet"),
    usual(1460, "Google Cloud"),
    usual(1450, "VXLAN on Ethernet"),
    usual(1442, "OVN Geneve on Ethernet"),
    usual(1440, "WireGuard on Ethernet, Calico"),
    usual(1430, "VXLAN over IPv6 on Ethernet"),
    usual(1420, "WireGuard"),
    usual(1410, "VXLAN on Google Cloud"),
    usual(1400, "OVN-Kubernetes, Azure"),
    usual(1392, "Azure"),
    usual(1350, "VXLAN on Azure"),
    usual(1300, "AWS Outposts"),
    usual(1280, "smallest of IPv6"),
];

/// MTUs that can have cut a full-size fragment of `ip_bytes`: all but the last piece are
/// multiples of 8 bytes (RFC 791 section 3.2), so up to 7 bytes stay unused.
pub fn of_full_fragment(ip_bytes: u32) -> std::ops::RangeInclusive<u32> {
    ip_bytes..=ip_bytes.saturating_add(7)
}

/// The usual ones of those, the largest first.
pub fn usual_of(ip_bytes: u32) -> impl Iterator<Item = Usual> {
    let possible = of_full_fragment(ip_bytes);
    USUAL
        .into_iter()
        .filter(move |usual| possible.contains(&usual.mtu))
}

/// Payload of the largest UDP message that needs no fragments where full-size fragments
/// have `ip_bytes`: for the smallest of the usual MTUs that can be, or the smallest
/// possible.
pub fn largest_message(version: IpVersion, ip_bytes: u32) -> u32 {
    const UDP: u32 = 8;
    let header = match version {
        IpVersion::V4 => 20,
        IpVersion::V6 => 40,
    };
    let mtu = usual_of(ip_bytes)
        .last()
        .map_or(ip_bytes, |usual| usual.mtu);
    mtu.saturating_sub(header + UDP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mtus(ip_bytes: u32) -> Vec<u32> {
        usual_of(ip_bytes).map(|usual| usual.mtu).collect()
    }

    #[test]
    fn a_fragment_names_a_set_of_mtus() {
        assert_eq!(mtus(1444), [1450]);
        assert_eq!(mtus(1436), [1442, 1440]);
        assert_eq!(mtus(8996), [9001, 9000]);
        assert_eq!(mtus(1500), [1500]);
        assert!(mtus(1464).is_empty());
    }

    #[test]
    fn the_largest_message_fits_every_usual_mtu() {
        assert_eq!(largest_message(IpVersion::V4, 1444), 1422);
        assert_eq!(largest_message(IpVersion::V4, 1436), 1412);
        assert_eq!(largest_message(IpVersion::V4, 1464), 1436);
        assert_eq!(largest_message(IpVersion::V6, 1496), 1452);
        assert_eq!(largest_message(IpVersion::V4, 20), 0);
    }

    #[test]
    fn usual_mtus_are_sorted() {
        assert!(USUAL.is_sorted_by(|a, b| a.mtu > b.mtu));
    }
}
