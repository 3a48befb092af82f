//! What is recorded of one flow.

use super::counting::{checksum_of, udp_length_of, verdicts_of};
use super::gaps::Gaps;
use super::icmp_errors::IcmpErrors;
use super::losses::{Loss, Losses};
use super::places::Places;
use super::rare::{Closed, Order, Rare, is_super_frame};
use super::sizes::Sizes;
use super::table::{Merge, Rank};
use super::tcp::Segments;
use crate::model::facts::{
    Carries, Direction, Fragment, IcmpError, Layer, OvnPorts, Segment, Transport, UdpLength,
};
use crate::model::{Counters, FlowKey, IpVersion, Protocol, Timestamp, Verdict};
use crate::reassemble::{Completed, Datagram, Fate, FragmentFacts, LargestFull};
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
    /// Time of its first frame; [`Timestamp::MAX`] if none was its own.
    pub first: Timestamp,
    /// Time of its last frame; [`Timestamp::MIN`] if none was its own.
    pub last: Timestamp,
    plain: Plain,
    /// Of the plain packets.
    kind: PlainKind,
    /// IP length of the largest datagram that came in one packet; 0 if none did.
    pub largest_unfragmented_bytes: u32,
    /// Ways its packets went, where the link layer says so.
    pub directions: Directions,
    /// Datagrams by size; those whose size no fragment told are left out.
    pub sizes: Sizes,
    rare: Option<Box<Rare>>,
    /// Only of TCP, which many captures hold none of.
    segments: Option<Box<Segments>>,
}

/// Which ways the capturing host passed packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directions {
    /// Some came in.
    pub incoming: bool,
    /// Some were sent by the host.
    pub outgoing: bool,
}

impl Directions {
    fn add(&mut self, direction: Direction) {
        match direction {
            Direction::Incoming => self.incoming = true,
            Direction::Outgoing => self.outgoing = true,
        }
    }
}

/// Datagrams that came in one packet in which nothing is odd, every checksum being
/// there and good. Two numbers say all that is counted of them.
#[derive(Clone, Copy, Debug, Default)]
struct Plain {
    packets: u64,
    /// On the wire.
    bytes: u64,
}

/// Which checksums plain packets have. All of a flow have the same; the record of
/// what is beyond a table's bound holds any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PlainKind {
    version: IpVersion,
    protocol: Protocol,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            first: Timestamp::MAX,
            last: Timestamp::MIN,
            plain: Plain::default(),
            kind: PlainKind::default(),
            largest_unfragmented_bytes: 0,
            directions: Directions::default(),
            sizes: Sizes::default(),
            rare: None,
            segments: None,
        }
    }
}

impl Flow {
    /// Counts a datagram of `ip_bytes` that came in one packet, in which nothing is odd.
    #[inline]
    pub fn plain_packet(&mut self, key: &FlowKey, ip_bytes: u32, time: Timestamp, wire_bytes: u64) {
        self.seen(time);
        self.whole(ip_bytes, true);
        self.largest_unfragmented_bytes = self.largest_unfragmented_bytes.max(ip_bytes);
        let kind = PlainKind {
            version: key.addresses.version,
            protocol: key.protocol,
        };
        let packet = Plain {
            packets: 1,
            bytes: wire_bytes,
        };
        self.plain(kind, packet);
    }

    /// Notes what the header of a TCP segment says that is counted elsewhere.
    #[inline]
    pub fn segment(&mut self, segment: &Segment, time: Timestamp) {
        let segments = self.segments.get_or_insert_default();
        segments.count(segment, time);
    }

    /// Counts a datagram that came in one packet; says why it is not deliverable. `around`
    /// is what is wrong with the tunnel packet around it.
    pub fn whole_packet(
        &mut self,
        layer: &Layer,
        around: Option<Loss>,
        time: Timestamp,
        wire_bytes: u64,
    ) -> Option<Loss> {
        if around.is_none() && is_plain(layer) {
            self.plain_packet(&layer.flow_key(), layer.ip_bytes, time, wire_bytes);
            self.transport(&layer.transport, time);
            return None;
        }
        let loss = around.or_else(|| Loss::of_packet(layer));
        self.seen(time);
        self.whole(layer.ip_bytes, loss.is_none());
        self.largest_unfragmented_bytes = self.largest_unfragmented_bytes.max(layer.ip_bytes);
        let rare = self.rare();
        rare.odd_packet(layer, wire_bytes);
        match loss {
            Some(loss) => rare.lose(loss, wire_bytes),
            None => {
                rare.deliver(wire_bytes);
                rare.deliverable_unfragmented_bytes += wire_bytes;
                self.transport(&layer.transport, time);
            }
        }
        loss
    }

    /// Notes which way the capturing host passed a packet of it.
    pub fn passed(&mut self, direction: Direction) {
        self.directions.add(direction);
    }

    /// Counts a datagram of `ip_bytes` that was put together; says why it is not
    /// deliverable.
    pub fn reassembled(
        &mut self,
        datagram: &Datagram,
        transport: &Transport,
        ip_bytes: u32,
    ) -> Option<Loss> {
        let tally = &datagram.tally;
        let loss = Loss::of_whole(datagram, transport);
        self.fragmented(datagram, Fate::Reassembled);
        self.whole(ip_bytes, loss.is_none());
        let wire_bytes = tally.wire_bytes - tally.duplicate_wire_bytes;
        let pieces = tally.fragments() - tally.duplicate;
        let rare = self.rare();
        rare.transport(datagram.header.protocol, transport, true);
        match loss {
            Some(loss) => rare.lose(loss, wire_bytes),
            None => rare.deliver(wire_bytes),
        }
        rare.sound_wholes += u64::from(checksum_of(transport) == Some(Verdict::Good));
        rare.pieces(pieces, pieces);
        if loss.is_none() {
            self.transport(transport, datagram.last_timestamp);
        }
        loss
    }

    /// Counts a datagram that did not become whole.
    pub fn lost(&mut self, datagram: &Datagram, fate: Fate, loss: Loss) {
        self.fragmented(datagram, fate);
        let tally = &datagram.tally;
        let rare = self.rare();
        rare.lacks(datagram, loss);
        rare.lose(loss, tally.wire_bytes - tally.duplicate_wire_bytes);
        match datagram.claimed_ip_bytes() {
            Some(bytes) => self.whole(bytes, false),
            None => self.rare().datagrams_of_unknown_size += 1,
        }
    }

    /// Counts a packet of this flow that came in a tunnel packet which did not
    /// become whole.
    pub fn lost_in_tunnel(&mut self, outer: &Datagram, ip_bytes: u32, is_cut: bool) {
        self.seen(outer.opened);
        self.seen(outer.last_timestamp);
        self.whole(ip_bytes, false);
        let rare = self.rare();
        let tally = &outer.tally;
        rare.counters.bytes += tally.wire_bytes;
        rare.lost_in_tunnel += 1;
        rare.duplicate_bytes += tally.duplicate_wire_bytes;
        let loss = if is_cut {
            Loss::Unfinished
        } else {
            Loss::InTunnel
        };
        rare.lose(loss, tally.wire_bytes - tally.duplicate_wire_bytes);
    }

    /// Packets of this flow whose tunnel packet did not become whole; offered, but
    /// not among the packets counted.
    pub fn packets_lost_in_tunnel(&self) -> u64 {
        self.of_rare(|rare| rare.lost_in_tunnel)
    }

    /// Counts a copy of a fragment whose datagram was whole already.
    pub fn late_copy(&mut self, completed: &Completed, fragment: &FragmentFacts) {
        self.seen(fragment.timestamp);
        self.rare().late_copy(completed, fragment);
    }

    /// Counts an ICMP error about a packet of this flow.
    pub fn icmp_error(&mut self, error: IcmpError) {
        self.rare().icmp_errors.count(error);
    }

    /// All counters of the flow.
    pub fn counters(&self) -> Counters {
        let mut counters = self.of_rare(Rare::counters);
        self.plain.add_to(&mut counters, self.kind);
        counters
    }

    /// Bytes on the wire of all its frames: [`Counters::bytes`].
    pub fn bytes(&self) -> u64 {
        self.plain.bytes + self.of_rare(|rare| rare.counters.bytes)
    }

    /// Datagrams that are whole and not known to be damaged.
    pub fn deliverable_datagrams(&self) -> u64 {
        self.plain.packets + self.of_rare(|rare| rare.deliverable_datagrams)
    }

    /// Wire bytes of the frames that carried them, copies left out.
    pub fn deliverable_bytes(&self) -> u64 {
        self.plain.bytes + self.of_rare(|rare| rare.deliverable_bytes)
    }

    /// Those of them that came in one packet.
    pub fn deliverable_unfragmented_bytes(&self) -> u64 {
        self.plain.bytes + self.of_rare(|rare| rare.deliverable_unfragmented_bytes)
    }

    /// The largest fragment with MF: what the path was fragmented to.
    pub fn largest_full(&self) -> LargestFull {
        self.of_rare(|rare| rare.largest)
    }

    /// Fewest and most fragments of reassembled datagrams, copies left out.
    pub fn fragments_per_datagram(&self) -> Option<(u64, u64)> {
        self.of_rare(|rare| rare.fragments_per_datagram)
    }

    /// Datagrams whose first and last fragments never came, so that nobody knows how
    /// large they were.
    pub fn datagrams_of_unknown_size(&self) -> u64 {
        self.of_rare(|rare| rare.datagrams_of_unknown_size)
    }

    /// Which fragments are missing of datagrams that did not become whole.
    pub fn gaps(&self) -> Gaps {
        self.of_rare(|rare| rare.gaps)
    }

    /// Where in these datagrams they are missing.
    pub fn places(&self) -> Places {
        self.of_rare(|rare| rare.places.as_ref().map(|found| found.places()))
            .unwrap_or_default()
    }

    /// What cannot be delivered, by the reason.
    pub fn losses(&self) -> Losses {
        self.of_rare(|rare| rare.losses.as_deref().copied().unwrap_or_default())
    }

    /// Datagrams put together whose checksum is good.
    pub fn sound_wholes(&self) -> u64 {
        self.of_rare(|rare| rare.sound_wholes)
    }

    /// Copies of fragments with other bytes.
    pub fn altered_copies(&self) -> u64 {
        self.of_rare(|rare| rare.altered_copies)
    }

    /// In what order the fragments of datagrams came.
    pub fn order(&self) -> Order {
        self.of_rare(|rare| rare.order)
    }

    /// Whether there is more to say of it than that it has plain packets.
    pub fn is_odd(&self) -> bool {
        self.rare.is_some()
    }

    /// Packets larger than any wire carries, as the capturing host's own stack sees
    /// them before segmentation or after coalescing.
    pub fn super_frames(&self) -> u64 {
        self.of_rare(|rare| rare.super_frames)
    }

    /// Wire bytes of frames that were copies.
    pub fn duplicate_bytes(&self) -> u64 {
        self.of_rare(|rare| rare.duplicate_bytes)
    }

    /// ICMP errors about packets of this flow.
    pub fn icmp_errors(&self) -> IcmpErrors {
        self.of_rare(|rare| rare.icmp_errors)
    }

    /// Notes what OVN says of the logical ports; the lowest pair stays.
    pub fn ovn(&mut self, ports: OvnPorts) {
        let rare = self.rare();
        rare.ovn = Some(rare.ovn.map_or(ports, |known| known.min(ports)));
    }

    /// The logical ports of OVN in the tunnel headers around its packets.
    pub fn ovn_ports(&self) -> Option<OvnPorts> {
        self.of_rare(|rare| rare.ovn)
    }

    /// The encrypted tunnel that this flow is, if it was recognised as one.
    pub fn closed(&self) -> Option<Closed> {
        self.of_rare(|rare| rare.closed)
    }

    /// What TCP says, if this is a flow of TCP. Of what is beyond a table's bound:
    /// of all flows together.
    pub fn segments(&self) -> Option<&Segments> {
        self.segments.as_deref()
    }

    /// Notes what is not counted of the transport of a datagram that is deliverable:
    /// numbers in a damaged header are not to be trusted.
    fn transport(&mut self, transport: &Transport, time: Timestamp) {
        if let Transport::Tcp(tcp) = transport {
            self.segment(&tcp.segment, time);
        }
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn of_rare<T: Default>(&self, read: impl Fn(&Rare) -> T) -> T {
        self.rare.as_deref().map(read).unwrap_or_default()
    }

    #[inline]
    fn seen(&mut self, time: Timestamp) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }

    #[inline]
    fn whole(&mut self, ip_bytes: u32, is_delivered: bool) {
        self.sizes.count(ip_bytes, is_delivered);
    }

    #[inline]
    fn plain(&mut self, kind: PlainKind, plain: Plain) {
        if self.plain.packets == 0 {
            self.kind = kind;
        }
        if self.kind == kind {
            self.plain.packets += plain.packets;
            self.plain.bytes += plain.bytes;
        } else {
            self.plain_of_another_kind(kind, plain);
        }
    }

    #[cold]
    fn plain_of_another_kind(&mut self, kind: PlainKind, plain: Plain) {
        let rare = self.rare();
        rare.deliverable_datagrams += plain.packets;
        rare.deliverable_bytes += plain.bytes;
        rare.deliverable_unfragmented_bytes += plain.bytes;
        plain.add_to(&mut rare.counters, kind);
    }

    fn fragmented(&mut self, datagram: &Datagram, fate: Fate) {
        self.seen(datagram.opened);
        self.seen(datagram.last_timestamp);
        self.rare().fragmented(datagram, fate);
        if let Some(ports) = datagram.ovn {
            self.ovn(ports);
        }
        if let Some(direction) = datagram.direction {
            self.passed(direction);
        }
    }
}

/// Whether nothing is odd about a packet.
fn is_plain(layer: &Layer) -> bool {
    let good_header = match layer.addresses.version {
        IpVersion::V4 => Some(Verdict::Good),
        IpVersion::V6 => None,
    };
    layer.fragment == Fragment::No
        && layer.carries == Carries::Flow
        && !layer.ip_longer
        && !is_super_frame(layer)
        && layer.header_checksum == good_header
        && checksum_of(&layer.transport) == Some(Verdict::Good)
        && udp_length_of(&layer.transport) == UdpLength::Right
}

impl Plain {
    fn add_to(&self, counters: &mut Counters, kind: PlainKind) {
        counters.packets += self.packets;
        counters.bytes += self.bytes;
        counters.datagrams.unfragmented += self.packets;
        if kind.version == IpVersion::V4 {
            counters.checksums.ipv4.good += self.packets;
        }
        if let Some(verdicts) = verdicts_of(counters, kind.protocol) {
            verdicts.good += self.packets;
        }
    }
}

impl Merge for Flow {
    #[inline]
    fn fetch(&self) {
        if let Some(segments) = &self.segments {
            segments.fetch();
        }
    }

    fn merge(&mut self, other: Self) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.plain(other.kind, other.plain);
        self.largest_unfragmented_bytes = self
            .largest_unfragmented_bytes
            .max(other.largest_unfragmented_bytes);
        self.directions.incoming |= other.directions.incoming;
        self.directions.outgoing |= other.directions.outgoing;
        self.sizes.merge(other.sizes);
        if let Some(rare) = other.rare {
            self.rare().merge(*rare);
        }
        match (&mut self.segments, other.segments) {
            (Some(known), Some(segments)) => known.merge(*segments),
            (None, segments) => self.segments = segments,
            (Some(_), None) => {}
        }
    }
}

/// A million flows are in memory once for each worker.
const _: () = assert!(size_of::<(FlowKey, Flow)>() <= 128);
