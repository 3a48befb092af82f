//! What is recorded of one flow.

use super::counting::{
    checksum_of, count_fate, count_fragments, count_header, count_late_copy, count_transport,
    is_deliverable, udp_length_of, verdicts_of,
};
use super::sizes::Sizes;
use super::table::{Merge, Rank};
use crate::model::facts::{Carries, Fragment, IcmpError, Layer, OvnPorts, Transport, UdpLength};
use crate::model::{Counters, FlowKey, Protocol, Timestamp, Verdict};
use crate::reassemble::{Datagram, Fate, FragmentFacts, LargestFull};
use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};

impl Rank for FlowKey {
    fn rank(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// The record of one flow: what nearly every packet touches in place, the rest
/// behind one pointer, since a capture may hold a million flows.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Packets and datagrams in which nothing is odd: whole, every checksum good.
    plain: Plain,
    /// Datagrams that are whole and not known to be damaged.
    pub deliverable_datagrams: u64,
    /// Wire bytes of the frames that carried them, copies left out.
    pub deliverable_bytes: u64,
    /// Time of its first frame; [`Timestamp::MAX`] if none was its own.
    pub first: Timestamp,
    /// Time of its last frame; [`Timestamp::MIN`] if none was its own.
    pub last: Timestamp,
    /// IP length of the largest datagram whose size is known; 0 if none is.
    pub largest_datagram_bytes: u32,
    /// Datagrams by size; those whose size no fragment told are left out.
    pub sizes: Sizes,
    rare: Option<Box<Rare>>,
}

/// The counters of [`Counters`] that ordinary packets move.
#[derive(Clone, Copy, Debug, Default)]
struct Plain {
    packets: u64,
    bytes: u64,
    unfragmented: u64,
    ipv4_good: u64,
    transport_good: u64,
}

/// What most flows do not have.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    /// All that [`Plain`] does not count; full-size fragments excepted.
    counters: Counters,
    largest: LargestFull,
    fragments_per_datagram: Option<(u64, u64)>,
    datagrams_of_unknown_size: u64,
    super_frames: u64,
    lost_in_tunnel: u64,
    duplicate_bytes: u64,
    icmp_errors: IcmpErrors,
    closed: Option<Closed>,
    ovn: Option<OvnPorts>,
}

/// An encrypted tunnel that is recognised and left closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed {
    /// ESP, RFC 4303, also inside UDP (RFC 3948).
    Esp,
    /// WireGuard.
    WireGuard,
}

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

impl Default for Flow {
    fn default() -> Self {
        Self {
            plain: Plain::default(),
            deliverable_datagrams: 0,
            deliverable_bytes: 0,
            first: Timestamp::MAX,
            last: Timestamp::MIN,
            largest_datagram_bytes: 0,
            sizes: Sizes::default(),
            rare: None,
        }
    }
}

impl Flow {
    /// Counts a datagram that came in one packet; says whether it is deliverable.
    pub fn whole_packet(&mut self, layer: &Layer, time: Timestamp, wire_bytes: u64) -> bool {
        self.plain.packets += 1;
        self.plain.bytes += wire_bytes;
        self.plain.unfragmented += 1;
        self.seen(time);
        self.header(layer);
        let is_cut = layer.payload_captured < layer.payload_bytes;
        self.transport(layer.protocol, &layer.transport, is_cut);
        let is_deliverable = layer.header_checksum != Some(Verdict::Bad)
            && !layer.ip_longer
            && is_deliverable(&layer.transport);
        self.whole(layer.ip_bytes, is_deliverable.then_some(wire_bytes));
        is_deliverable
    }

    /// Counts a datagram of `ip_bytes` that was put together; says whether it is
    /// deliverable.
    pub fn reassembled(
        &mut self,
        datagram: &Datagram,
        transport: &Transport,
        ip_bytes: u32,
    ) -> bool {
        self.fragmented(datagram, Fate::Reassembled);
        self.transport(datagram.header.protocol, transport, true);
        let tally = &datagram.tally;
        let is_deliverable = tally.header_checksums.bad == 0 && is_deliverable(transport);
        let wire_bytes = tally.wire_bytes - tally.duplicate_wire_bytes;
        self.whole(ip_bytes, is_deliverable.then_some(wire_bytes));
        let pieces = tally.fragments() - tally.duplicate;
        self.rare().pieces(pieces, pieces);
        is_deliverable
    }

    /// Counts a datagram that did not become whole.
    pub fn lost(&mut self, datagram: &Datagram, fate: Fate) {
        self.fragmented(datagram, fate);
        match datagram.claimed_ip_bytes() {
            Some(bytes) => self.whole(bytes, None),
            None => self.rare().datagrams_of_unknown_size += 1,
        }
    }

    /// Counts a packet of `ip_bytes` whose tunnel packet was fragmented and did not
    /// become whole: its bytes were offered, and that is all that came of it.
    pub fn lost_in_tunnel(&mut self, outer: &Datagram, ip_bytes: u32) {
        self.plain.bytes += outer.tally.wire_bytes;
        self.seen(outer.opened);
        self.seen(outer.last_timestamp);
        self.whole(ip_bytes, None);
        let rare = self.rare();
        rare.lost_in_tunnel += 1;
        rare.duplicate_bytes += outer.tally.duplicate_wire_bytes;
    }

    /// Packets whose fragmented tunnel packet did not become whole.
    pub fn packets_lost_in_tunnel(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.lost_in_tunnel)
    }

    /// Counts a copy of a fragment whose datagram was whole already.
    pub fn late_copy(&mut self, datagram: &Datagram, fragment: &FragmentFacts) {
        self.plain.packets += 1;
        self.plain.bytes += fragment.wire_bytes;
        self.seen(fragment.timestamp);
        let rare = self.rare();
        rare.duplicate_bytes += fragment.wire_bytes;
        count_late_copy(&mut rare.counters, &mut rare.largest, datagram, fragment);
    }

    /// Counts an ICMP error about a packet of this flow.
    pub fn icmp_error(&mut self, error: IcmpError) {
        self.rare().icmp_errors.count(error);
    }

    /// The counters of the report.
    pub fn counters(&self, protocol: Protocol) -> Counters {
        let mut counters = Counters::default();
        if let Some(rare) = &self.rare {
            counters = rare.counters;
            counters.fragments.full_size = rare.largest.count;
        }
        counters.packets += self.plain.packets;
        counters.bytes += self.plain.bytes;
        counters.datagrams.unfragmented += self.plain.unfragmented;
        counters.checksums.ipv4.good += self.plain.ipv4_good;
        if let Some(verdicts) = verdicts_of(&mut counters, protocol) {
            verdicts.good += self.plain.transport_good;
        }
        counters
    }

    /// The largest fragments with MF.
    pub fn largest_full(&self) -> LargestFull {
        self.rare
            .as_ref()
            .map(|rare| rare.largest)
            .unwrap_or_default()
    }

    /// Fewest and most fragments of a datagram that was put together.
    pub fn fragments_per_datagram(&self) -> Option<(u64, u64)> {
        self.rare.as_ref()?.fragments_per_datagram
    }

    /// Lost datagrams whose size no fragment told.
    pub fn datagrams_of_unknown_size(&self) -> u64 {
        self.rare
            .as_ref()
            .map_or(0, |rare| rare.datagrams_of_unknown_size)
    }

    /// Packets longer than their length field can say.
    pub fn super_frames(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.super_frames)
    }

    /// Wire bytes of fragments that were copies of others.
    pub fn duplicate_bytes(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.duplicate_bytes)
    }

    /// ICMP errors about its packets.
    pub fn icmp_errors(&self) -> IcmpErrors {
        self.rare
            .as_ref()
            .map(|rare| rare.icmp_errors)
            .unwrap_or_default()
    }

    /// Notes the logical ports of OVN in the tunnel header around a packet.
    pub fn ovn(&mut self, ports: OvnPorts) {
        let rare = self.rare();
        rare.ovn = Some(rare.ovn.map_or(ports, |known| known.min(ports)));
    }

    /// The logical ports of OVN in the tunnel header around it; should they change,
    /// the lowest.
    pub fn ovn_ports(&self) -> Option<OvnPorts> {
        self.rare.as_ref()?.ovn
    }

    /// Whether it is an encrypted tunnel.
    pub fn closed(&self) -> Option<Closed> {
        self.rare.as_ref()?.closed
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn seen(&mut self, time: Timestamp) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }

    /// Counts a datagram of known size, and what it delivers if it does.
    fn whole(&mut self, ip_bytes: u32, delivered_wire_bytes: Option<u64>) {
        self.largest_datagram_bytes = self.largest_datagram_bytes.max(ip_bytes);
        self.sizes.count(ip_bytes, delivered_wire_bytes.is_some());
        if let Some(wire_bytes) = delivered_wire_bytes {
            self.deliverable_datagrams += 1;
            self.deliverable_bytes += wire_bytes;
        }
    }

    fn header(&mut self, layer: &Layer) {
        let is_plain = layer.fragment == Fragment::No
            && layer.carries == Carries::Flow
            && !layer.ip_longer
            && !is_super_frame(layer);
        match layer.header_checksum {
            None if is_plain => {}
            Some(Verdict::Good) if is_plain => self.plain.ipv4_good += 1,
            _ => self.rare().odd_header(layer),
        }
    }

    fn transport(&mut self, protocol: Protocol, transport: &Transport, is_cut: bool) {
        let is_plain = checksum_of(transport) == Some(Verdict::Good)
            && udp_length_of(transport) == UdpLength::Right;
        if is_plain {
            self.plain.transport_good += 1;
        } else if *transport != Transport::None || is_cut {
            count_transport(&mut self.rare().counters, protocol, transport, is_cut);
        }
    }

    fn fragmented(&mut self, datagram: &Datagram, fate: Fate) {
        let tally = &datagram.tally;
        self.plain.packets += tally.fragments();
        self.plain.bytes += tally.wire_bytes;
        self.seen(datagram.opened);
        self.seen(datagram.last_timestamp);
        let rare = self.rare();
        count_fragments(&mut rare.counters, datagram);
        count_fate(&mut rare.counters, fate);
        rare.largest.merge(tally.largest);
        rare.duplicate_bytes += tally.duplicate_wire_bytes;
        if let Some(ports) = datagram.ovn {
            self.ovn(ports);
        }
    }
}

/// Largest MTU of Ethernet that switches and NICs offer.
const LARGEST_MTU: u32 = 9_216;

/// Whether a packet cannot have been on a wire like this: a sender's NIC was still to
/// cut it up (TSO, GSO), or a receiver's had joined several (GRO).
fn is_super_frame(layer: &Layer) -> bool {
    layer.super_frame || layer.ip_bytes > LARGEST_MTU
}

impl Rare {
    fn odd_header(&mut self, layer: &Layer) {
        count_header(&mut self.counters, layer);
        self.super_frames += u64::from(is_super_frame(layer));
        self.closed = self.closed.max(match layer.carries {
            Carries::WireGuard => Some(Closed::WireGuard),
            Carries::Esp => Some(Closed::Esp),
            Carries::Flow | Carries::Tunnel(_) => None,
        });
    }

    fn pieces(&mut self, fewest: u64, most: u64) {
        let (lowest, highest) = self.fragments_per_datagram.unwrap_or((fewest, most));
        self.fragments_per_datagram = Some((lowest.min(fewest), highest.max(most)));
    }
}

impl IcmpErrors {
    fn count(&mut self, error: IcmpError) {
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

impl Merge for Rare {
    fn merge(&mut self, other: Self) {
        self.counters += other.counters;
        self.largest.merge(other.largest);
        if let Some((fewest, most)) = other.fragments_per_datagram {
            self.pieces(fewest, most);
        }
        self.datagrams_of_unknown_size += other.datagrams_of_unknown_size;
        self.super_frames += other.super_frames;
        self.lost_in_tunnel += other.lost_in_tunnel;
        self.duplicate_bytes += other.duplicate_bytes;
        self.icmp_errors.merge(other.icmp_errors);
        self.closed = self.closed.max(other.closed);
        self.ovn = [self.ovn, other.ovn].into_iter().flatten().min();
    }
}

impl Merge for Flow {
    fn merge(&mut self, other: Self) {
        self.plain.packets += other.plain.packets;
        self.plain.bytes += other.plain.bytes;
        self.plain.unfragmented += other.plain.unfragmented;
        self.plain.ipv4_good += other.plain.ipv4_good;
        self.plain.transport_good += other.plain.transport_good;
        self.deliverable_datagrams += other.deliverable_datagrams;
        self.deliverable_bytes += other.deliverable_bytes;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.largest_datagram_bytes = self
            .largest_datagram_bytes
            .max(other.largest_datagram_bytes);
        self.sizes.merge(other.sizes);
        if let Some(rare) = other.rare {
            self.rare().merge(*rare);
        }
    }
}
