//! What is recorded of one direction of a tunnel.

use super::counting::{
    count_fate, count_fragments, count_header, count_late_copy, count_transport,
};
use super::gaps::Gaps;
use super::losses::Loss;
use super::table::{Merge, Rank};
use crate::model::facts::{Layer, Transport};
use crate::model::{Counters, ScopeTag};
use crate::reassemble::{Completed, Datagram, Fate, FragmentFacts, LargestFull};

impl Rank for ScopeTag {
    fn rank(&self) -> u64 {
        self.0
    }
}

/// The record of one tunnel: of its outer IP packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tunnel {
    counters: Counters,
    largest: LargestFull,
    /// Wire bytes of lost packets in which no flow could be read, copies left out.
    pub unattributed_bytes: u64,
    /// Those of them that the capture began or ended in the middle of.
    pub undecided_bytes: u64,
    /// What is missing of its packets that came in fragments.
    pub gaps: Gaps,
    /// Wire bytes of the frames whose fragments were put together, copies left out.
    pub reassembled_bytes: u64,
    /// Packets with a wrong outer checksum that carry a TCP SYN.
    pub bad_around_syn: u64,
    /// TTLs of its outer packets that came in one piece; `None` if none did.
    pub hop_limits: Option<HopLimits>,
}

/// The TTLs, or hop limits, of some packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopLimits {
    /// Lowest.
    pub lowest: u8,
    /// Highest.
    pub highest: u8,
}

impl HopLimits {
    fn with(self, other: Self) -> Self {
        Self {
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
        }
    }
}

impl Tunnel {
    /// Counts an outer datagram that came in one packet.
    pub fn whole_packet(&mut self, layer: &Layer) {
        let counters = &mut self.counters;
        counters.packets += 1;
        counters.bytes += u64::from(layer.ip_bytes);
        counters.datagrams.unfragmented += 1;
        count_header(counters, layer);
        self.passed(HopLimits {
            lowest: layer.hop_limit,
            highest: layer.hop_limit,
        });
        let counters = &mut self.counters;
        let is_cut = layer.payload_captured < layer.payload_bytes;
        count_transport(counters, layer.protocol, &layer.transport, is_cut);
    }

    /// Counts an outer datagram that was put together.
    pub fn reassembled(&mut self, datagram: &Datagram, transport: &Transport) {
        self.fragmented(datagram, Fate::Reassembled);
        let tally = &datagram.tally;
        self.reassembled_bytes += tally.wire_bytes - tally.duplicate_wire_bytes;
        count_transport(
            &mut self.counters,
            datagram.header.protocol,
            transport,
            true,
        );
    }

    /// Counts an outer datagram that did not become whole.
    pub fn lost(&mut self, datagram: &Datagram, fate: Fate, loss: Loss) {
        self.fragmented(datagram, fate);
        self.gaps.count(datagram, loss);
    }

    /// Counts a copy of a fragment whose datagram was whole already.
    pub fn late_copy(&mut self, completed: &Completed, fragment: &FragmentFacts) {
        self.counters.packets += 1;
        self.counters.bytes += u64::from(fragment.ip_bytes);
        count_late_copy(&mut self.counters, &mut self.largest, completed, fragment);
    }

    /// The largest fragment with MF: what the network below fragments to.
    pub fn largest_full(&self) -> LargestFull {
        self.largest
    }

    /// The counters of the report.
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.fragments.full_size = self.largest.count;
        counters
    }

    fn passed(&mut self, limits: HopLimits) {
        self.hop_limits = Some(self.hop_limits.map_or(limits, |known| known.with(limits)));
    }

    fn fragmented(&mut self, datagram: &Datagram, fate: Fate) {
        self.counters.packets += datagram.tally.fragments();
        self.counters.bytes += datagram.tally.ip_bytes;
        count_fragments(&mut self.counters, datagram);
        count_fate(&mut self.counters, fate);
        self.largest.merge(datagram.tally.largest);
    }
}

impl Merge for Tunnel {
    fn merge(&mut self, other: Self) {
        self.counters += other.counters;
        self.largest.merge(other.largest);
        self.unattributed_bytes += other.unattributed_bytes;
        self.undecided_bytes += other.undecided_bytes;
        self.gaps += other.gaps;
        self.reassembled_bytes += other.reassembled_bytes;
        self.bad_around_syn += other.bad_around_syn;
        if let Some(limits) = other.hop_limits {
            self.passed(limits);
        }
    }
}
