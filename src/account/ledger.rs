//! The ledger: everything that is counted about a capture.

use super::flow::Flow;
use super::table::Table;
use super::timeline::Timeline;
use super::tunnel::Tunnel;
use super::undecoded::Undecoded;
use crate::model::facts::{Carries, Fragment, Layer, OvnPorts, Packet, Stop, Transport};
use crate::model::{Duration, FlowKey, Frame, ScopeSet, ScopeTag, Timestamp};
use crate::reassemble::{Carried, Completed, Datagram, Fate, FragmentFacts, LimitsHit};

/// Most flows that are told apart.
pub const MAX_FLOWS: usize = 2_000_000;

/// Most tunnels that are told apart.
pub const MAX_TUNNELS: usize = 200_000;

/// Everything that is counted about a capture.
#[derive(Debug)]
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
    /// When it was captured (completed).
    pub timestamp: Timestamp,
    /// Wire bytes of the frames.
    pub wire_bytes: u64,
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

impl Ledger {
    /// An empty ledger whose timeline has buckets of at least `bucket`.
    pub fn new(bucket: Duration) -> Self {
        Self {
            capture: Capture::default(),
            flows: Table::new(MAX_FLOWS),
            tunnels: Table::new(MAX_TUNNELS),
            timeline: Timeline::new(bucket),
            undecoded: Undecoded::default(),
            scopes: ScopeSet::default(),
            reassembly_limits: LimitsHit::default(),
        }
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
            timestamp: frame.timestamp,
            wire_bytes: frame.wire_bytes.into(),
        };
        self.layers(&packet.layers, None, &offered);
        if let Some(stop) = &packet.stop {
            self.undecoded.count(stop, frame.is_truncated());
        }
    }

    /// Counts plain packets of one input.
    pub fn plain_packets(&mut self, input: u32, packets: &[PlainPacket]) {
        if packets.is_empty() {
            return;
        }
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
            },
        );
    }

    /// Counts the layers inside a tunnel packet that was put together.
    pub fn inside(&mut self, outer: &Layer, inner: &[Layer], offered: &Offered) {
        self.layers(inner, outer.ovn, offered);
    }

    /// Counts layers, fragments left out. `ovn` is what OVN wrote into the tunnel
    /// header around the first of them.
    fn layers(&mut self, layers: &[Layer], mut ovn: Option<OvnPorts>, offered: &Offered) {
        for layer in layers {
            match (layer.fragment, layer.carries) {
                (Fragment::Piece(_), _) => {}
                (_, Carries::Tunnel(inside)) => self.tunnels.entry(&inside).whole_packet(layer),
                _ => self.whole_packet(layer, ovn, offered),
            }
            ovn = layer.ovn;
        }
    }

    /// Counts a datagram that was put together and carries no tunnel.
    pub fn reassembled_flow(&mut self, datagram: &Datagram, transport: &Transport, ip_bytes: u32) {
        let flow = self.flows.entry(&datagram.flow_key());
        let is_deliverable = flow.reassembled(datagram, transport, ip_bytes);
        let bucket = self.timeline.at(datagram.last_timestamp);
        bucket.datagrams_completed += 1;
        if is_deliverable {
            let tally = &datagram.tally;
            bucket.deliverable_bytes += tally.wire_bytes - tally.duplicate_wire_bytes;
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
    }

    /// Counts a datagram that did not become whole. `end`: when the capture ended, if
    /// that is why.
    pub fn lost(&mut self, datagram: &Datagram, fate: Fate, end: Option<Timestamp>) {
        match datagram.tunnel {
            Some(carried) => self.lost_tunnel(&carried, datagram, fate),
            None => {
                let flow = self.flows.entry(&datagram.flow_key());
                flow.lost(datagram, fate, is_missing(datagram, fate, end));
            }
        }
        self.timeline.at(datagram.opened).datagrams_lost += 1;
    }

    /// A lost tunnel packet is a loss of the flow inside it.
    fn lost_tunnel(&mut self, carried: &Carried, datagram: &Datagram, fate: Fate) {
        let tunnel = self.tunnels.entry(&carried.inside);
        tunnel.lost(datagram, fate);
        match &carried.flow {
            Some(flow) => self
                .flows
                .entry(flow)
                .lost_in_tunnel(datagram, carried.ip_bytes),
            None => tunnel.unattributed_bytes += datagram.tally.wire_bytes,
        }
    }

    /// Counts a copy of a fragment whose datagram was whole already.
    pub fn late_copy(&mut self, completed: &Completed, fragment: &FragmentFacts) {
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
    }

    /// Applies every bound exactly; done once, before the ledger is read.
    pub fn settle(&mut self) {
        self.flows.settle();
        self.tunnels.settle();
        self.scopes.settle();
    }

    fn whole_packet(&mut self, layer: &Layer, ovn: Option<OvnPorts>, offered: &Offered) {
        let flow = self.flows.entry(&layer.flow_key());
        if let Some(ports) = ovn {
            flow.ovn(ports);
        }
        let is_deliverable = flow.whole_packet(layer, offered.timestamp, offered.wire_bytes);
        let bucket = self.timeline.at(offered.timestamp);
        bucket.datagrams_completed += 1;
        if is_deliverable {
            bucket.deliverable_bytes += offered.wire_bytes;
        }
        if let Transport::Icmp(icmp) = &layer.transport
            && let Some(quoted) = &icmp.quoted
        {
            self.flows.entry(&quoted.flow).icmp_error(quoted.error);
        }
    }
}

/// Pieces of one datagram come in a row. What has not come so long after the last of
/// them will not come because the capture goes on.
const PIECES_COME_WITHIN: Duration = Duration::from_millis(50);

/// Whether what a datagram lacks is missing, and not only outside the capture.
fn is_missing(datagram: &Datagram, fate: Fate, end: Option<Timestamp>) -> bool {
    match fate {
        Fate::TimedOut | Fate::Evicted => true,
        Fate::Incomplete => {
            end.is_none_or(|end| end - datagram.last_timestamp > PIECES_COME_WITHIN)
        }
        // Not for want of pieces.
        Fate::Reassembled | Fate::Overlapped | Fate::Oversized => false,
    }
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
