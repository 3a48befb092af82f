//! ICMP errors that bear on fragmentation, by kind.

use super::table::Merge;
use crate::model::facts::IcmpError;

/// ICMP errors about packets of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IcmpErrors {
    /// "Fragmentation needed".
    pub fragmentation_needed: u64,
    /// "Packet too big".
    pub packet_too_big: u64,
    /// "Fragment reassembly time exceeded".
    pub reassembly_time_exceeded: u64,
    /// Lowest next-hop MTU they named, in bytes.
    pub lowest_mtu: Option<u32>,
}

impl IcmpErrors {
    pub(super) fn count(&mut self, error: IcmpError) {
        match error {
            IcmpError::FragmentationNeeded { mtu } => {
                self.fragmentation_needed += 1;
                self.lower_mtu(mtu);
            }
            IcmpError::PacketTooBig { mtu } => {
                self.packet_too_big += 1;
                self.lower_mtu(mtu);
            }
            IcmpError::ReassemblyTimeExceeded => self.reassembly_time_exceeded += 1,
            IcmpError::Other => {}
        }
    }

    /// An MTU of 0 is "not given" (RFC 1191 section 4).
    fn lower_mtu(&mut self, mtu: u32) {
        if mtu > 0 {
            self.lowest_mtu = Some(self.lowest_mtu.map_or(mtu, |lowest| lowest.min(mtu)));
        }
    }
}

impl Merge for IcmpErrors {
    fn merge(&mut self, other: Self) {
        self.fragmentation_needed += other.fragmentation_needed;
        self.packet_too_big += other.packet_too_big;
        self.reassembly_time_exceeded += other.reassembly_time_exceeded;
        self.lower_mtu(other.lowest_mtu.unwrap_or(0));
    }
}
