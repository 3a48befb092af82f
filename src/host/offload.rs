//! What of the work on packets is left to an interface.

use serde::Serialize;

/// What is left to an interface and so looks odd in a capture taken on it: checksums
/// that are not filled in, packets that are larger than the MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Offload {
    /// Checksums of TCP and UDP that it sends (`tx-checksumming`).
    pub tx_checksumming: bool,
    /// Cutting TCP segments to size (`tcp-segmentation-offload`).
    pub tso: bool,
    /// The same for all protocols, by the kernel just before it (`generic-segmentation-offload`).
    pub gso: bool,
    /// Joining segments that it receives (`generic-receive-offload`).
    pub gro: bool,
    /// Cutting what is inside UDP tunnels (`tx-udp_tnl-segmentation`).
    pub tx_udp_tnl_segmentation: bool,
    /// The same where the outer UDP header has a checksum (`tx-udp_tnl-csum-segmentation`).
    pub tx_udp_tnl_csum_segmentation: bool,
}

impl Offload {
    /// From the names of all features that are on.
    pub(super) fn read(active: &[String]) -> Self {
        let any = |names: &[&str]| active.iter().any(|name| names.contains(&name.as_str()));
        Self {
            tx_checksumming: any(&[
                "tx-checksum-ipv4",
                "tx-checksum-ipv6",
                "tx-checksum-ip-generic",
            ]),
            tso: any(&["tx-tcp-segmentation", "tx-tcp6-segmentation"]),
            gso: any(&["tx-generic-segmentation"]),
            gro: any(&["rx-gro"]),
            tx_udp_tnl_segmentation: any(&["tx-udp_tnl-segmentation"]),
            tx_udp_tnl_csum_segmentation: any(&["tx-udp_tnl-csum-segmentation"]),
        }
    }
}
