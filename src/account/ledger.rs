//! The ledger: everything that is counted about a capture.

use super::counting::checksum_of;
use super::exhibits::{Exhibit, Exhibits, Sign};
use super::flow::Flow;
use super::losses::{Loss, PIECES_COME_WITHIN};
use super::rare::is_super_frame;
use super::specimens::Specimens;
use super::table::Table;
use super::timeline::Timeline;
use super::tunnel::Tunnel;
use super::undecoded::Undecoded;
use crate::model::facts::{
    Carries, Direction, Fragment, IcmpError, Layer, OvnPorts, Packet, Segment, Stop, Transport,
    UdpLength,
};
use crate::model::{
    Duration, FlowKey, Frame, FrameId, Protocol, ScopeSet, ScopeTag, Timestamp, Verdict,
};
use crate::reassemble::{Carried, Completed, Datagram, Fate, FragmentFacts, LimitsHit};

/// Most flows that are told apart.
pub const MAX_FLOWS: usize = 2_000_000;

/// Most tunnels that are told apart.
pub const MAX_TUNNELS: usize = 200_000;

/// Everything that is counted about a capture.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Frames, whatever is in them.
    pub capture: Capture,
    /// Flows by identity.
    pub flows: Table<FlowKey, Flow>,
    /// Outer layers by the scope inside their tunnel.
    pub tunnels: Table<ScopeTag, Tunnel>,
    /// What happened when.
    pub timeline: Timeline,
    /// Frames that could not be decoded to the end.
    pub undecoded: Undecoded,
    /// What the scope tags stand for.
    pub scopes: ScopeSet,
    /// Bounds of reassembly that were met.
    pub reassembly_limits: LimitsHit,
    /// Frames that show what there is to see.
    pub exhibits: Exhibits,
    /// Lost datagrams, one of each reason.
    pub specimens: Specimens,
}

/// What is counted of frames, whatever is in them.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// Frames analysed.
    pub frames: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Those of which the capture holds only a part.
    pub truncated_frames: u64,
    /// Frames a filter took away.
    pub filtered_frames: u64,
    /// When the frames of each input were captured, by index of the input.
    spans: Vec<Span>,
}

/// Earliest and latest time of some frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Earliest time; [`Timestamp::MAX`] without frames.
    pub first: Timestamp,
    /// Latest time; [`Timestamp::MIN`] without frames.
    pub last: Timestamp,
}

/// What a packet is offered in: one frame, or the frames of a reassembled tunnel
/// packet.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    /// The frame (the one that completed it).
    pub frame: FrameId,
    /// When that was captured.
    pub timestamp: Timestamp,
    /// Wire bytes of the frames.
    pub wire_bytes: u64,
    /// Which way the capturing host passed it, if that is known.
    pub direction: Option<Direction>,
}

/// A datagram that came in one packet outside any tunnel, in which nothing is odd:
/// every checksum is there and good, all of it was captured, every length fits.
#[derive(Clone, Copy, Debug)]
pub struct PlainPacket {
    /// Its flow.
    pub key: FlowKey,
    /// IP length in bytes.
    pub ip_bytes: u32,
    /// Length of its frame on the wire.
    pub wire_bytes: u32,
    /// When it was captured.
    pub timestamp: Timestamp,
}

/// Plain packets of one input, to be counted together.
#[derive(Clone, Debug, Default)]
pub struct PlainPackets {
    packets: Vec<PlainPacket>,
    /// What TCP says of those that are TCP, in their order: apart, so that the others
    /// are not longer for it.
    segments: Vec<Segment>,
}

impl PlainPackets {
    /// None yet, and room for `count` of them.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            packets: Vec::with_capacity(count),
            segments: Vec::with_capacity(count),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Adds a packet, and what TCP says of it if it is TCP.
    #[inline]
    pub fn push(&mut self, packet: PlainPacket, segment: Option<Segment>) {
        debug_assert_eq!(segment.is_some(), packet.key.protocol == Protocol::TCP);
        self.packets.push(packet);
        if let Some(segment) = segment {
            self.segments.push(segment);
        }
    }

    /// Forgets them and keeps the room.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.segments.clear();
    }
}

impl Ledger {
    /// An empty ledger whose timeline has buckets of at least `bucket`.
    pub fn new(bucket: Duration) -> Self {
        Self::bounded(bucket, MAX_FLOWS, MAX_TUNNELS)
    }

    /// The same that tells at most so many flows and tunnels apart.
    pub fn bounded(bucket: Duration, flows: usize, tunnels: usize) -> Self {
        Self {
            capture: Capture::default(),
            flows: Table::new(flows),
            tunnels: Table::new(tunnels),
            timeline: Timeline::new(bucket),
            undecoded: Undecoded::default(),
            scopes: ScopeSet::default(),
            reassembly_limits: LimitsHit::default(),
            exhibits: Exhibits::default(),
            specimens: Specimens::default(),
        }
    }

    /// Takes all that was counted, and leaves an empty ledger.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let empty = Self::new(self.timeline.width());
        std::mem::replace(self, empty)
    }

    /// Counts a frame and what was decoded of it. Its innermost layer is left out
    /// if that is a fragment: what it is a part of is known later.
    pub fn frame(&mut self, frame: &Frame<'_>, packet: &Packet) {
        self.capture.frame(frame);
        let Some(innermost) = packet.layers.last() else {
            if let Some(stop) = &packet.stop {
                self.undecoded.count(stop, frame.is_truncated());
            }
            return;
        };
        let bucket = self.timeline.at(frame.timestamp);
        bucket.packets += 1;
        bucket.bytes += u64::from(frame.wire_bytes);
        bucket.fragments += u64::from(matches!(innermost.fragment, Fragment::Piece(_)));
        let offered = Offered {
            frame: frame.id,
            timestamp: frame.timestamp,
            wire_bytes: frame.wire_bytes.into(),
            direction: packet.direction,
        };
        self.layers(&packet.layers, (None, None), &offered);
        if let Some(stop) = &packet.stop {
            self.undecoded.count(stop, frame.is_truncated());
        }
    }

    /// Counts plain packets of one input.
    pub fn plain_packets(&mut self, input: u32, plain: &PlainPackets) {
        if plain.is_empty() {
            return;
        }
        let packets = &plain.packets;
        let mut segments = plain.segments.iter();
        self.capture.plain_packets(input, packets);
        for packet in packets {
            let bytes = u64::from(packet.wire_bytes);
            let bucket = self.timeline.at(packet.timestamp);
            bucket.packets += 1;
            bucket.bytes += bytes;
            bucket.datagrams_completed += 1;
            bucket.deliverable_bytes += bytes;
        }
        self.flows.each(
            packets,
            |packet| &packet.key,
            |flow, packet| {
                let bytes = u64::from(packet.wire_bytes);
                flow.plain_packet(&packet.key, packet.ip_bytes, packet.timestamp, bytes);
                if packet.key.protocol == Protocol::TCP
                    && let Some(segment) = segments.next()
                {
                    flow.segment(segment, packet.timestamp);
                }
            },
        );
    }

    /// Counts the layers inside a tunnel packet that was put together.
    pub fn inside(&mut self, outer: &Layer, inner: &[Layer], offered: &Offered) {
        self.layers(inner, (outer.ovn, Loss::of_carried(outer)), offered);
    }

    /// Counts layers, fragments left out. `around`: what OVN wrote into the tunnel header
    /// around the first of them, and what is wrong with that packet.
    fn layers(
        &mut self,
        layers: &[Layer],
        around: (Option<OvnPorts>, Option<Loss>),
        offered: &Offered,
    ) {
        let (mut ovn, mut loss) = around;
        for layer in layers {
            match (layer.fragment, layer.carries) {
                (Fragment::Piece(_), _) => {}
                (_, Carries::Tunnel(inside)) => {
                    self.tunnels.entry(&inside).whole_packet(layer);
                    self.show_outer(layer, inside, layers, offered);
                }
                _ => self.whole_packet(layer, ovn, loss, offered),
            }
            ovn = layer.ovn;
            loss = loss.or_else(|| Loss::of_carried(layer));
        }
    }

    /// Counts a datagram that was put together and carries no tunnel.
    pub fn reassembled_flow(&mut self, datagram: &Datagram, transport: &Transport, ip_bytes: u32) {
        let flow = self.flows.entry(&datagram.flow_key());
        let loss = flow.reassembled(datagram, transport, ip_bytes);
        let bucket = self.timeline.at(datagram.last_timestamp);
        bucket.datagrams_completed += 1;
        match loss {
            Some(loss) => {
                self.exhibits.loss(loss, Exhibit::of(datagram));
                self.specimens.offer(loss, datagram);
            }
            None => {
                let tally = &datagram.tally;
                bucket.deliverable_bytes += tally.wire_bytes - tally.duplicate_wire_bytes;
            }
        }
        self.show_pieces(datagram);
        let Transport::Udp(udp) = transport else {
            return;
        };
        if udp.checksum == Verdict::Absent {
            let exhibit = Exhibit::of(datagram);
            self.exhibits.sign(Sign::UnsummedFragments, exhibit);
        }
        if udp.length == UdpLength::Shorter {
            self.exhibits.sign(Sign::Trailing, Exhibit::of(datagram));
        }
    }

    /// Counts an outer datagram that was put together; what is inside is counted
    /// by [`Ledger::inside`].
    pub fn reassembled_tunnel(
        &mut self,
        inside: ScopeTag,
        datagram: &Datagram,
        transport: &Transport,
    ) {
        self.tunnels.entry(&inside).reassembled(datagram, transport);
        self.exhibits
            .sign(Sign::OuterFragments, Exhibit::of(datagram));
        self.show_pieces(datagram);
    }

    /// Counts a datagram that did not become whole. `within`: when the capture began, and
    /// ended if that is why.
    pub fn lost(&mut self, datagram: &Datagram, fate: Fate, within: Span) {
        let loss = Loss::of_unfinished(datagram, fate, is_cut(datagram, fate, within));
        self.exhibits.loss(loss, Exhibit::of(datagram));
        self.specimens.offer(loss, datagram);
        self.show_pieces(datagram);
        match datagram.tunnel {
            Some(carried) => self.lost_tunnel(&carried, datagram, fate, loss),
            None => {
                let flow = self.flows.entry(&datagram.flow_key());
                flow.lost(datagram, fate, loss);
            }
        }
        self.timeline.at(datagram.opened).datagrams_lost += 1;
    }

    /// A lost tunnel packet is a loss of the flow inside it.
    fn lost_tunnel(&mut self, carried: &Carried, datagram: &Datagram, fate: Fate, loss: Loss) {
        self.exhibits
            .sign(Sign::OuterFragments, Exhibit::of(datagram));
        let tunnel = self.tunnels.entry(&carried.inside);
        tunnel.lost(datagram, fate, loss);
        let is_cut = loss == Loss::Unfinished;
        match &carried.flow {
            Some(flow) => self
                .flows
                .entry(flow)
                .lost_in_tunnel(datagram, carried.ip_bytes, is_cut),
            None => {
                let bytes = datagram.tally.wire_bytes - datagram.tally.duplicate_wire_bytes;
                tunnel.unattributed_bytes += bytes;
                tunnel.undecided_bytes += if is_cut { bytes } else { 0 };
            }
        }
    }

    /// Counts a copy of a fragment whose datagram was whole already.
    pub fn late_copy(&mut self, completed: &Completed, fragment: &FragmentFacts) {
        let copy = Exhibit {
            frame: fragment.frame,
            timestamp: fragment.timestamp,
            pieces: None,
        };
        self.exhibits.sign(Sign::Copy, copy);
        match completed.inside {
            Some(inside) => self.tunnels.entry(&inside).late_copy(completed, fragment),
            None => self
                .flows
                .entry(&completed.flow_key())
                .late_copy(completed, fragment),
        }
    }

    /// Counts why a reassembled datagram could not be decoded to the end.
    /// `is_cut` says whether some of its bytes are not at hand.
    pub fn stop(&mut self, stop: &Stop, is_cut: bool) {
        self.undecoded.count(stop, is_cut);
    }

    /// Adds the ledger of another worker, shard, file or machine.
    pub fn merge(&mut self, other: Self) {
        self.capture.merge(other.capture);
        self.flows.merge(other.flows);
        self.tunnels.merge(other.tunnels);
        self.timeline.merge(other.timeline);
        self.undecoded.merge(other.undecoded);
        self.scopes.merge(other.scopes);
        self.reassembly_limits += other.reassembly_limits;
        self.exhibits.merge(other.exhibits);
        self.specimens.merge(other.specimens);
    }

    /// The same, and leaves the other as it is, which may be much larger.
    pub fn merge_copy(&mut self, other: &Self) {
        self.capture.merge(other.capture.clone());
        self.flows.merge_copy(&other.flows);
        self.tunnels.merge_copy(&other.tunnels);
        self.timeline.merge(other.timeline.clone());
        self.undecoded.merge(other.undecoded.clone());
        self.scopes.merge(other.scopes.clone());
        self.reassembly_limits += other.reassembly_limits;
        self.exhibits.merge(other.exhibits.clone());
        self.specimens.merge(other.specimens.clone());
    }

    /// Applies every bound exactly; done once, before the ledger is read.
    pub fn settle(&mut self) {
        self.flows.settle();
        self.tunnels.settle();
        self.scopes.settle();
    }

    fn whole_packet(
        &mut self,
        layer: &Layer,
        ovn: Option<OvnPorts>,
        around: Option<Loss>,
        offered: &Offered,
    ) {
        let flow = self.flows.entry(&layer.flow_key());
        if let Some(ports) = ovn {
            flow.ovn(ports);
        }
        if let Some(direction) = offered.direction {
            flow.passed(direction);
        }
        let loss = flow.whole_packet(layer, around, offered.timestamp, offered.wire_bytes);
        let bucket = self.timeline.at(offered.timestamp);
        bucket.datagrams_completed += 1;
        if loss.is_none() {
            bucket.deliverable_bytes += offered.wire_bytes;
        }
        if let Transport::Icmp(icmp) = &layer.transport
            && let Some(quoted) = &icmp.quoted
            && quoted.error != IcmpError::Other
        {
            self.flows.entry(&quoted.flow).icmp_error(quoted.error);
        }
        self.show(layer, loss, offered);
    }

    /// Keeps a packet as an exhibit if it shows anything.
    fn show(&mut self, layer: &Layer, loss: Option<Loss>, offered: &Offered) {
        let exhibits = &mut self.exhibits;
        if let Some(loss) = loss {
            exhibits.loss(loss, offered.exhibit());
        }
        if let Some(sign) = sign_of(&layer.transport) {
            exhibits.sign(sign, offered.exhibit());
        }
        if layer.fragment == Fragment::Atomic {
            exhibits.sign(Sign::Atomic, offered.exhibit());
        }
        if is_super_frame(layer) {
            exhibits.sign(Sign::SuperFrame, offered.exhibit());
        }
    }

    /// The same of an outer packet. Nearly none shows anything.
    #[inline]
    fn show_outer(&mut self, outer: &Layer, inside: ScopeTag, all: &[Layer], offered: &Offered) {
        let Transport::Udp(udp) = &outer.transport else {
            return;
        };
        match udp.checksum {
            Verdict::Bad => self.show_bad_outer(inside, all, offered),
            Verdict::Offloaded => {
                let exhibit = offered.exhibit();
                self.exhibits.sign(Sign::OuterOffloaded, exhibit);
            }
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable => {}
        }
    }

    fn show_bad_outer(&mut self, inside: ScopeTag, all: &[Layer], offered: &Offered) {
        let is_syn = all.last().is_some_and(begins_connection);
        self.tunnels.entry(&inside).bad_around_syn += u64::from(is_syn);
        let sign = if is_syn {
            Sign::OuterChecksumOfSyn
        } else {
            Sign::OuterChecksum
        };
        self.exhibits.sign(sign, offered.exhibit());
    }

    /// Keeps a datagram that came in fragments as an exhibit if it shows anything.
    fn show_pieces(&mut self, datagram: &Datagram) {
        let (tally, arrival) = (&datagram.tally, &datagram.arrival);
        let shown = [
            (
                Sign::FirstFragment,
                datagram.first_looks_bad_to_old_tcpdump(),
            ),
            (Sign::Copy, tally.duplicate > 0),
            (Sign::AlteredCopy, tally.altered > 0),
            (
                Sign::FirstLate,
                arrival.is_first_late && !arrival.is_rest_disordered,
            ),
        ];
        for (sign, _) in shown.into_iter().filter(|(_, is_shown)| *is_shown) {
            self.exhibits.sign(sign, Exhibit::of(datagram));
        }
    }
}

impl Offered {
    fn exhibit(&self) -> Exhibit {
        Exhibit {
            frame: self.frame,
            timestamp: self.timestamp,
            pieces: None,
        }
    }
}

/// What the transport of a packet shows besides a loss.
fn sign_of(transport: &Transport) -> Option<Sign> {
    let verdict = checksum_of(transport);
    match transport {
        _ if verdict == Some(Verdict::Offloaded) => Some(Sign::Offloaded),
        Transport::Udp(udp) if udp.length == UdpLength::Shorter => Some(Sign::Trailing),
        Transport::Icmp(icmp) => match icmp.quoted?.error {
            IcmpError::FragmentationNeeded { .. } | IcmpError::PacketTooBig { .. } => {
                Some(Sign::TooBig)
            }
            IcmpError::ReassemblyTimeExceeded => Some(Sign::ReassemblyTimeExceeded),
            IcmpError::Other => None,
        },
        _ => None,
    }
}

/// SYN without ACK.
fn begins_connection(layer: &Layer) -> bool {
    match &layer.transport {
        Transport::Tcp(tcp) => tcp.segment.has(Segment::SYN) && !tcp.segment.has(Segment::ACK),
        _ => false,
    }
}

/// Whether what a datagram lacks can lie outside the capture: before its beginning, or
/// after its end.
fn is_cut(datagram: &Datagram, fate: Fate, within: Span) -> bool {
    let is_begun_before =
        !datagram.has_first() && datagram.opened - within.first <= PIECES_COME_WITHIN;
    let goes_on_behind =
        fate == Fate::Incomplete && within.last - datagram.last_timestamp <= PIECES_COME_WITHIN;
    is_begun_before || goes_on_behind
}

impl Capture {
    /// When all frames were captured.
    pub fn span(&self) -> Span {
        self.spans.iter().copied().fold(Span::EMPTY, Span::with)
    }

    /// When the frames of each input were captured, by index of the input; an input
    /// at the end without frames may be missing.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        self.frames += 1;
        self.bytes += u64::from(frame.wire_bytes);
        self.truncated_frames += u64::from(frame.is_truncated());
        let span = self.of_input(frame.id.file as usize);
        span.first = span.first.min(frame.timestamp);
        span.last = span.last.max(frame.timestamp);
    }

    fn plain_packets(&mut self, input: u32, packets: &[PlainPacket]) {
        self.frames += packets.len() as u64;
        let mut span = Span::EMPTY;
        for packet in packets {
            self.bytes += u64::from(packet.wire_bytes);
            span.first = span.first.min(packet.timestamp);
            span.last = span.last.max(packet.timestamp);
        }
        let known = self.of_input(input as usize);
        *known = known.with(span);
    }

    fn of_input(&mut self, input: usize) -> &mut Span {
        if input >= self.spans.len() {
            self.spans.resize(input + 1, Span::EMPTY);
        }
        &mut self.spans[input]
    }

    fn merge(&mut self, other: Self) {
        self.frames += other.frames;
        self.bytes += other.bytes;
        self.truncated_frames += other.truncated_frames;
        self.filtered_frames += other.filtered_frames;
        for (input, span) in other.spans.into_iter().enumerate() {
            let here = self.of_input(input);
            *here = here.with(span);
        }
    }
}

impl Span {
    const EMPTY: Self = Self {
        first: Timestamp::MAX,
        last: Timestamp::MIN,
    };

    fn with(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}
