//! Frames of one point in, sightings out: decoding, and what of outer fragments becomes a
//! tunnel packet.

use super::content::{Content, HEAD_BYTES, hash};
use super::extent::Extent;
use super::icmp;
use super::lanes::{Lanes, TOGETHER};
use super::look::Look;
use super::sighting::{BLANK, Batch, Form, Lane, NO_LANE, Sighting};
use super::told::Told;
use super::views::through::Through;
use super::views::{Caught, Views};
use super::words::Words;
use crate::decode::{DecodeOptions, Decoder, IpFields, Plain, Whole};
use crate::model::facts::{
    Carries, Fragment, Layer, MAX_LAYERS, Packet, Piece, Segment, Transport,
};
use crate::model::{
    FlowKey, Frame, FrameId, IpVersion, Protocol, ScopeSet, ScopeTag, Timestamp, Verdict,
};
use crate::pipeline::whole_of;
use crate::reassemble::{
    Carried, Completed, Datagram, Fate, FragmentFacts, Limits, Listener, Place, Reassembler,
    WholeDatagram,
};
use crate::receiver::{Forecast, GivenUp, NotModelled, Receivers, Settings};
use crate::source::{Block, FilterSet};

/// How frames are looked at.
#[derive(Clone)]
pub(super) struct Manner {
    pub filter: Option<FilterSet>,
    pub decode: DecodeOptions,
    pub reassembly: Limits,
    pub receiver: Settings,
    /// Bytes of a payload that every point has captured.
    pub head_bytes: usize,
    /// Whether IP identifications are the same at every point.
    pub keeps_ids: bool,
    /// Whether the capture has [hairpins](super::views::hairpin).
    pub has_hairpins: bool,
}

/// Looks at the frames of one point.
pub(super) struct Observer {
    filter: Option<FilterSet>,
    packet: Packet,
    reassembly: Limits,
    /// By depth.
    reassemblers: Vec<Reassembler>,
    receiver: Settings,
    /// By depth.
    receivers: Vec<Receivers>,
    sight: Sight,
    extent: Extent,
    /// Frames of which not everything was captured.
    pub truncated: u64,
    /// Frames read.
    pub frames: u64,
}

/// Where something was found.
#[derive(Clone, Copy, Debug)]
struct Found {
    frame: FrameId,
    time: Timestamp,
    wire_bytes: u64,
    /// On which interface, where the point may show something again.
    at: Option<Caught>,
}

/// Writes down what is seen.
struct Sight {
    decoder: Decoder,
    opened: Packet,
    lanes: Lanes,
    sightings: Vec<Sighting>,
    /// Flows of the latest of these, whose lanes are not known yet.
    unnamed: Vec<Words>,
    /// Fragments found inside whole tunnel packets, with the bytes of these.
    inside: Vec<(FragmentFacts, Vec<u8>)>,
    head_bytes: usize,
    keeps_ids: bool,
    has_hairpins: bool,
    shortest_head: usize,
    /// Packets that cannot be told apart.
    too_short: u64,
    views: Views,
    told: Told,
    found: Found,
}

impl Observer {
    pub fn new(manner: &Manner) -> Self {
        Self {
            filter: manner.filter.clone(),
            packet: Packet::default(),
            reassembly: manner.reassembly,
            reassemblers: Vec::new(),
            receiver: manner.receiver,
            receivers: Vec::new(),
            sight: Sight {
                decoder: Decoder::new(&manner.decode),
                opened: Packet::default(),
                lanes: Lanes::default(),
                sightings: Vec::new(),
                unnamed: Vec::with_capacity(TOGETHER),
                inside: Vec::new(),
                head_bytes: manner.head_bytes,
                keeps_ids: manner.keeps_ids,
                has_hairpins: manner.has_hairpins,
                shortest_head: HEAD_BYTES,
                too_short: 0,
                views: Views::default(),
                told: Told::default(),
                found: Found {
                    frame: FrameId::default(),
                    time: Timestamp::MIN,
                    wire_bytes: 0,
                    at: None,
                },
            },
            extent: Extent::default(),
            truncated: 0,
            frames: 0,
        }
    }

    /// Looks at all frames of a block.
    pub fn observe(&mut self, block: &Block) {
        let has_several = block.has_several_interfaces();
        for frame in block.frames() {
            self.frame(&frame, has_several);
        }
    }

    /// How much was seen that was not taken yet.
    pub fn seen(&self) -> usize {
        self.sight.sightings.len()
    }

    /// What was seen since this was last asked for; what comes is written into `room`.
    pub fn batch(&mut self, room: Vec<Sighting>) -> Batch {
        self.sight.name();
        let mut room = room;
        // There will be about as many.
        room.reserve(self.sight.sightings.len());
        Batch {
            lanes: self.sight.lanes.take_fresh(),
            bases: self.sight.lanes.take_bases(),
            refused: self.sight.lanes.take_refused(),
            sightings: std::mem::replace(&mut self.sight.sightings, room),
            behind: None,
            until: self.extent.until(),
        }
    }

    /// Puts one back before anything else comes.
    pub fn hold(&mut self, sighting: Sighting) {
        self.sight.sightings.push(sighting);
    }

    /// When it began and ended, as far as it was looked at.
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    #[inline(always)]
    fn frame(&mut self, frame: &Frame<'_>, has_several: bool) {
        self.frames += 1;
        self.extent.take(frame.timestamp);
        let filter = self.filter.as_mut();
        if filter.is_some_and(|filter| !filter.matches(frame)) {
            return;
        }
        self.truncated += u64::from(frame.is_truncated());
        let found = Found {
            frame: frame.id,
            time: frame.timestamp,
            wire_bytes: frame.wire_bytes.into(),
            at: Caught::of(frame, has_several, self.sight.has_hairpins),
        };
        if found.at.is_some() {
            return self.frame_of_several(frame, found);
        }
        match self.sight.decoder.plain(frame) {
            None => self.layers(frame, found),
            Some(plain) => self.sight.plain(&plain, &found),
        }
    }

    /// The same where the point may have shown it before.
    #[inline(never)]
    fn frame_of_several(&mut self, frame: &Frame<'_>, found: Found) {
        match self.sight.decoder.plain(frame) {
            None => self.layers(frame, found),
            Some(plain) => self.sight.plain_of_several(&plain, found),
        }
    }

    #[inline(never)]
    fn layers(&mut self, frame: &Frame<'_>, found: Found) {
        self.sight.name();
        self.sight.found = found;
        self.sight.decoder.frame(frame, &mut self.packet);
        let Some(layer) = self.packet.layers.last() else {
            return;
        };
        let depth = self.packet.layers.len() - 1;
        let told = GivenUp::of(layer, frame.id, frame.timestamp, depth as u8);
        if let Some(told) = told {
            self.receivers(depth).hear(&told);
        }
        let layer = match self.packet.layers.last() {
            Some(layer) => layer,
            None => return,
        };
        match layer.fragment {
            Fragment::Piece(piece) => {
                let facts = facts_of(layer, &piece, &self.sight.found, depth);
                if self.sight.piece(layer, &piece, frame.data) {
                    let captured = captured(layer, frame.data);
                    self.reassemble(&facts, captured, depth);
                }
            }
            Fragment::No | Fragment::Atomic => self.sight.whole(layer, frame.data),
        }
    }

    /// Gives a fragment to the receiver and to reassembly, and what comes of it too.
    fn reassemble(&mut self, facts: &FragmentFacts, captured: &[u8], depth: usize) {
        self.receivers(depth).take(facts);
        self.reassembler(depth);
        if let Some(reassembler) = self.reassemblers.get_mut(depth) {
            reassembler.take(facts, captured, &mut self.sight);
        }
        while let Some((facts, bytes)) = self.sight.inside.pop() {
            let depth = depth + 1;
            if depth < MAX_LAYERS {
                let start = facts.payload.start as usize;
                let end = start + facts.payload.captured as usize;
                let captured = bytes.get(start..end).unwrap_or_default();
                self.reassemble(&facts, captured, depth);
            }
        }
    }

    fn reassembler(&mut self, depth: usize) {
        while self.reassemblers.len() <= depth {
            let limits = self
                .reassembly
                .at_depth(self.reassemblers.len(), MAX_LAYERS);
            self.reassemblers.push(Reassembler::new(limits));
        }
    }

    fn receivers(&mut self, depth: usize) -> &mut Receivers {
        while self.receivers.len() <= depth {
            self.receivers.push(Receivers::new(&self.receiver));
        }
        &mut self.receivers[depth]
    }

    /// What the kernels of the hosts make of the fragments seen here.
    pub fn forecasts(&mut self) -> (Vec<Forecast>, NotModelled) {
        let mut not_modelled = NotModelled::default();
        let mut forecasts = Vec::new();
        for receivers in &mut self.receivers {
            not_modelled += receivers.take_not_modelled();
            forecasts.extend(receivers.harvest(self.extent.until()));
        }
        forecasts.sort_by_key(|forecast| forecast.host);
        (forecasts, not_modelled)
    }

    /// Fewest bytes of a cut payload that were captured, at most [`HEAD_BYTES`].
    pub fn shortest_head(&self) -> usize {
        self.sight.shortest_head
    }

    /// Packets left out because what tells them apart was not captured.
    pub fn too_short(&self) -> u64 {
        self.sight.too_short
    }

    /// Whether the point passed on something by the interface at which it came in.
    pub fn has_hairpins(&self) -> bool {
        self.sight.lanes.hairpins.are_found()
    }

    /// Packets that the point showed more than once, as they passed it, beyond the first.
    pub fn seen_again(&self) -> u64 {
        self.sight.views.again
    }

    /// What was said of packets that were dropped.
    pub fn take_told(&mut self) -> Told {
        std::mem::take(&mut self.sight.told)
    }

    /// What of each flow passed the host.
    pub fn through(&self) -> Vec<Through> {
        self.sight.views.through().collect()
    }

    /// Sightings left out because there were too many flows.
    pub fn refused(&self) -> u64 {
        self.sight.lanes.refused
    }

    /// Reassembly's own bounds that were hit: tunnel packets that were not opened.
    pub fn unopened(&mut self) -> u64 {
        let taken = self
            .reassemblers
            .iter_mut()
            .map(Reassembler::take_limits_hit);
        taken.map(|hit| hit.tunnels_unopened).sum()
    }

    /// The scopes met.
    pub fn into_scopes(self) -> ScopeSet {
        self.sight.decoder.into_scopes()
    }
}

fn facts_of(layer: &Layer, piece: &Piece, found: &Found, depth: usize) -> FragmentFacts {
    let place = Place {
        frame: found.frame,
        timestamp: found.time,
        wire_bytes: found.wire_bytes,
        depth: depth as u8,
        ovn: None,
        direction: None,
        buffer: 0,
        start: 0,
    };
    FragmentFacts::of(layer, piece, &place)
}

/// What was captured above an IP header.
fn captured<'a>(layer: &Layer, data: &'a [u8]) -> &'a [u8] {
    let start = layer.payload_start as usize;
    data.get(start..start + layer.payload_captured as usize)
        .unwrap_or_default()
}

/// Whether the capture ends in front of what tells a packet from others: the ports, of TCP the
/// whole header, and of ICMP an identifier.
fn is_cut_too_short(layer: &Layer) -> bool {
    let is_told = match layer.transport {
        Transport::Icmp(_) => layer.payload_captured as usize >= icmp::TELLING,
        Transport::None => false,
        Transport::Cut { .. } => layer.protocol != Protocol::TCP,
        _ => true,
    };
    let is_icmp = matches!(layer.protocol, Protocol::ICMP | Protocol::ICMPV6);
    is_cut(layer) && (layer.protocol.has_ports() || is_icmp) && !is_told
}

/// The flow of a datagram that begins with some bytes.
fn flow_of(layer: &Layer, payload: &[u8]) -> FlowKey {
    let key = layer.flow_key();
    FlowKey {
        ports: key.ports.or_else(|| icmp::ports(layer.protocol, payload)),
        ..key
    }
}

/// What all fragments of a datagram say that it is. The first may have options for the destination
/// in front of its ports, which others do not see behind the fragment header (RFC 8200 section 4.5).
fn protocol_of_pieces(layer: &Layer, data: &[u8]) -> Protocol {
    const FRAGMENT_HEADER: usize = 8;
    match layer.extension_bytes {
        0 => layer.protocol,
        _ => {
            let header = (layer.payload_start as usize).checked_sub(FRAGMENT_HEADER);
            let next = header.and_then(|start| data.get(start));
            next.map_or(layer.protocol, |next| Protocol(*next))
        }
    }
}

/// Whether the capture has but the beginning of a payload.
fn is_cut(layer: &Layer) -> bool {
    layer.payload_captured < layer.payload_bytes
}

impl Sight {
    /// An ordinary frame: Ethernet, one IP header, UDP or TCP.
    #[inline(always)]
    fn plain(&mut self, plain: &Plain<'_>, found: &Found) {
        let upper = plain.upper();
        let bytes = upper.len() as u32;
        let base = |sight: &Self| {
            let look = (Some(Verdict::Good), false);
            Sighting {
                protocol: plain.key.protocol,
                ip_bytes: plain.ip_bytes,
                ..sight.sighting(found, plain.key.addresses.version, &plain.ip, look)
            }
        };
        // Each is made where it stays: to copy it takes as long as to look up its flow.
        match plain.segment() {
            None => {
                let content = Content::of_plain_udp(plain, self.head_bytes);
                let datagram = of_whole(base(self), bytes, &content);
                self.take_plain(datagram, &plain.key);
            }
            Some(segment) if segment.payload_bytes > 0 => {
                let header = bytes.saturating_sub(segment.payload_bytes) as usize;
                // To give it all of the frame would write that to memory, of UDP too.
                let sum = plain.upper_sum();
                let content = Content::of_plain_stream(upper, sum, header, self.head_bytes);
                let stretch = of_segment(base(self), &segment, &content);
                self.take_plain(stretch, &plain.key);
            }
            Some(_) => {
                let control = of_control(base(self), bytes, upper, self.head_bytes);
                self.take_plain(control, &plain.key);
            }
        }
    }

    /// The same, unless the point showed it before.
    fn plain_of_several(&mut self, plain: &Plain<'_>, found: Found) {
        self.name();
        self.found = found;
        self.plain(plain, &found);
        let latest = self.sightings.last().copied();
        if latest.is_some_and(|latest| self.is_seen_again(&latest, &plain.key)) {
            // It has no lane yet.
            self.sightings.pop();
            self.unnamed.clear();
        }
    }

    /// Writes down what was seen of an ordinary frame; its lane is found together with others.
    #[inline(always)]
    fn take_plain(&mut self, sighting: Sighting, key: &FlowKey) {
        self.sightings.push(sighting);
        Words::add(&mut self.unnamed, key);
        if self.unnamed.len() == TOGETHER {
            self.name();
        }
    }

    /// Whether another interface showed something, or the same before it was passed on.
    fn is_seen_again(&mut self, sighting: &Sighting, key: &FlowKey) -> bool {
        let Some(at) = self.found.at else {
            return false;
        };
        !self.views.take_caught(at, self.has_hairpins, sighting, key)
    }

    /// Finds the lanes of all that have none yet; those that are refused one go.
    #[inline(never)]
    fn name(&mut self) {
        let first = self.sightings.len() - self.unnamed.len();
        let refused_before = self.lanes.refused;
        self.lanes
            .name_together(&self.unnamed, &mut self.sightings[first..]);
        self.unnamed.clear();
        if self.lanes.refused > refused_before {
            let named = self.sightings.split_off(first).into_iter();
            let named = named.filter(|sighting| sighting.lane != NO_LANE);
            self.sightings.extend(named);
        }
    }

    /// A datagram that is no fragment.
    fn whole(&mut self, layer: &Layer, data: &[u8]) {
        if matches!(layer.carries, Carries::Tunnel(_)) {
            return;
        }
        if is_cut_too_short(layer) {
            self.too_short += 1;
            return;
        }
        let payload = captured(layer, data);
        self.note_cut(layer, payload);
        let version = layer.addresses.version;
        let ip = IpFields::of(data, header_start(layer), version);
        let look = (verdict(layer), is_cut(layer));
        let base = self.sighting(&self.found, version, &ip, look);
        let sighting = match &layer.transport {
            Transport::Tcp(tcp) if tcp.segment.payload_bytes > 0 => {
                let start = layer
                    .payload_bytes
                    .saturating_sub(tcp.segment.payload_bytes);
                let stream = payload.get(start as usize..).unwrap_or_default();
                let content = Content::of_stream(stream, !is_cut(layer), self.head_bytes);
                of_segment(base, &tcp.segment, &content)
            }
            Transport::Tcp(_) => of_control(base, layer.payload_bytes, payload, self.head_bytes),
            _ => {
                let content = Content::of_whole(layer, payload, self.head_bytes);
                of_whole(base, layer.payload_bytes, &content)
            }
        };
        let mut sighting = Sighting {
            protocol: layer.protocol,
            ip_bytes: layer.ip_bytes,
            ..sighting
        };
        let key = flow_of(layer, payload);
        if self.is_seen_again(&sighting, &key) {
            return;
        }
        self.lanes.name(&key, &mut sighting);
        if sighting.lane != NO_LANE {
            self.sightings.push(sighting);
            let shown = (sighting.frame, sighting.time);
            self.told.take(layer, &key, shown);
        }
    }

    /// Notes how little was captured of a payload.
    fn note_cut(&mut self, layer: &Layer, payload: &[u8]) {
        if is_cut(layer) {
            // TCP options come in front of the stream.
            let header = match layer.protocol {
                Protocol::TCP => 60,
                _ => 12,
            };
            let head = payload.len().saturating_sub(header);
            self.shortest_head = self.shortest_head.min(head);
        }
    }

    /// A fragment, of whatever layer; whether no other interface has shown it.
    fn piece(&mut self, layer: &Layer, piece: &Piece, data: &[u8]) -> bool {
        let key = FlowKey {
            ports: None,
            protocol: protocol_of_pieces(layer, data),
            ..layer.flow_key()
        };
        let payload = captured(layer, data);
        self.note_cut(layer, payload);
        let version = layer.addresses.version;
        let ip = IpFields::of(data, header_start(layer), version);
        let content = Content::of_piece(layer, piece, payload, self.head_bytes);
        let is_bad = layer.header_checksum == Some(Verdict::Bad);
        let look = (is_bad.then_some(Verdict::Bad), is_cut(layer));
        let base = self.sighting(&self.found, version, &ip, look);
        let mut sighting = Sighting {
            protocol: layer.protocol,
            form: Form::Piece,
            id: piece.id,
            is_numbered: true,
            offset: piece.offset,
            bytes: layer.payload_bytes,
            more: piece.more,
            head: content.head,
            sum: content.sum,
            ip_bytes: layer.ip_bytes,
            ..base
        };
        if self.is_seen_again(&sighting, &key) {
            return false;
        }
        self.lanes.name(&key, &mut sighting);
        if sighting.lane == NO_LANE {
            return true;
        }
        let (ported, is_carrier) = match piece.offset {
            0 => self.begins(layer, payload, &key),
            _ => (NO_LANE, false),
        };
        self.sightings.push(Sighting {
            ported,
            is_carrier,
            ..sighting
        });
        true
    }

    /// What a first fragment shows: the flow of its ports, and whether a tunnel begins in it.
    fn begins(&mut self, layer: &Layer, payload: &[u8], key: &FlowKey) -> (Lane, bool) {
        let begun = Whole::begun_by(layer, layer.payload_bytes, None);
        let (transport, is_carrier) = self.decoder.begun(&begun, payload);
        let ports = transport
            .ports()
            .or_else(|| icmp::ports(layer.protocol, payload));
        let protocol = layer.protocol;
        let ported = FlowKey {
            ports,
            protocol,
            ..*key
        };
        let lane = self.lanes.number_of_cut(&ported).unwrap_or(NO_LANE);
        (lane, is_carrier)
    }

    /// What all have in common.
    #[inline(always)]
    fn sighting(
        &self,
        found: &Found,
        version: IpVersion,
        ip: &IpFields,
        (verdict, is_cut): (Option<Verdict>, bool),
    ) -> Sighting {
        Sighting {
            time: found.time,
            frame: found.frame.number,
            id: if self.keeps_ids { ip.id } else { 0 },
            is_numbered: ip.is_numbered && self.keeps_ids,
            is_renumbered: version == IpVersion::V6 || !self.keeps_ids,
            look: Look::new(ip.hop_limit, ip.traffic_class, verdict, is_cut),
            ..BLANK
        }
    }

    /// What is inside a whole tunnel packet.
    fn opened(&mut self, bytes: &[u8], depth: usize) -> Option<ScopeTag> {
        let opened = std::mem::take(&mut self.opened);
        let inside = match opened.layers.first().map(|layer| layer.carries) {
            Some(Carries::Tunnel(inside)) => Some(inside),
            _ => None,
        };
        if let (Some(_), Some(layer)) = (inside, opened.layers.get(1..).and_then(<[_]>::last)) {
            match layer.fragment {
                Fragment::Piece(piece) => {
                    let deeper = depth + opened.layers.len() - 1;
                    let facts = facts_of(layer, &piece, &self.found, deeper.min(MAX_LAYERS));
                    if self.piece(layer, &piece, bytes) {
                        self.inside.push((facts, bytes.to_vec()));
                    }
                }
                Fragment::No | Fragment::Atomic => self.whole(layer, bytes),
            }
        }
        self.opened = opened;
        inside
    }
}

/// A stretch of a stream.
#[inline(always)]
fn of_segment(base: Sighting, segment: &Segment, content: &Content) -> Sighting {
    Sighting {
        form: Form::Segment,
        offset: segment.sequence,
        bytes: segment.payload_bytes,
        head: content.head,
        sum: content.sum,
        ..base
    }
}

/// A datagram.
#[inline(always)]
fn of_whole(base: Sighting, bytes: u32, content: &Content) -> Sighting {
    Sighting {
        form: Form::Whole,
        bytes,
        head: content.head,
        sum: content.sum,
        ..base
    }
}

/// A TCP segment without data: known by sequence, acknowledgement, flags and window alone,
/// since its options are changed on purpose. Where it has no identification, and all captures
/// have them, those tell acknowledgements apart that come again and again: nobody changes them
/// once a connection is there.
fn of_control(base: Sighting, bytes: u32, upper: &[u8], head_bytes: usize) -> Sighting {
    let word = |at: usize| match upper.get(at..).and_then(<[_]>::first_chunk::<4>) {
        Some(bytes) => u32::from_be_bytes(*bytes),
        None => 0,
    };
    let is_opening = upper.get(13).is_none_or(|flags| flags & SYN != 0);
    let is_told_by_options = !base.is_numbered && !is_opening && head_bytes == HEAD_BYTES;
    let options = match is_told_by_options {
        true => Content::of_stream(upper.get(20..).unwrap_or_default(), true, head_bytes).head,
        false => 0,
    };
    Sighting {
        form: Form::Whole,
        bytes,
        is_control: true,
        head: hash(&[word(4).into(), word(8).into(), word(12).into(), options]),
        ..base
    }
}

const SYN: u8 = 0x02;

/// A packet whose header is wrong is dropped by the next that reads it, whatever it carries.
fn verdict(layer: &Layer) -> Option<Verdict> {
    match layer.header_checksum {
        Some(Verdict::Bad) => Some(Verdict::Bad),
        _ => checksum(&layer.transport),
    }
}

fn checksum(transport: &Transport) -> Option<Verdict> {
    match transport {
        Transport::Udp(udp) => Some(udp.checksum),
        Transport::Tcp(tcp) => Some(tcp.checksum),
        Transport::Icmp(icmp) => Some(icmp.checksum),
        Transport::Sctp { checksum, .. } | Transport::Cut { checksum, .. } => Some(*checksum),
        Transport::Gre { checksum } => *checksum,
        Transport::None => None,
    }
}

/// Where the IP header of a layer begins.
fn header_start(layer: &Layer) -> usize {
    let header = layer.ip_bytes.saturating_sub(layer.payload_bytes);
    layer.payload_start.saturating_sub(header) as usize
}

impl Listener for Sight {
    fn is_tunnel(&mut self, datagram: &Datagram, captured: &[u8]) -> bool {
        let begun = whole_of(datagram, datagram.header.payload_bytes, None);
        self.decoder.carries_tunnel(&begun, captured)
    }

    fn carried(&mut self, _: &Datagram, _: &[u8]) -> Option<Carried> {
        None
    }

    fn reassembled(&mut self, reassembled: &WholeDatagram<'_>) -> Option<ScopeTag> {
        let datagram = reassembled.datagram;
        if !datagram.is_tunnel || reassembled.captured.is_empty() {
            return None;
        }
        let whole = whole_of(datagram, reassembled.payload_bytes, reassembled.sum);
        self.decoder
            .datagram(&whole, reassembled.captured, &mut self.opened);
        self.opened(reassembled.captured, datagram.depth.into())
    }

    fn lost(&mut self, _: &Datagram, _: Fate) {}

    fn late_copy(&mut self, _: &Completed, _: &FragmentFacts) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::tests::made::{Made, made};
    use crate::model::LinkType;
    use proptest::prelude::*;

    fn observer(head_bytes: usize) -> Observer {
        Observer::new(&Manner {
            filter: None,
            decode: DecodeOptions::default(),
            reassembly: Limits::default(),
            receiver: Settings::default(),
            head_bytes,
            keeps_ids: true,
            has_hairpins: false,
        })
    }

    fn frame(data: &[u8]) -> Frame<'_> {
        Frame {
            id: FrameId { file: 0, number: 7 },
            timestamp: Timestamp(1_000),
            wire_bytes: data.len() as u32,
            link_type: LinkType::ETHERNET,
            interface: 0,
            data,
        }
    }

    /// What is seen of an ordinary frame, at one glance and layer by layer; `None` if it is
    /// not ordinary.
    fn both_ways(made: &Made, head_bytes: usize) -> Option<[String; 2]> {
        let bytes = made.frame();
        let [mut glance, mut walk] = [(); 2].map(|()| observer(head_bytes));
        glance.sight.decoder.plain(&frame(&bytes))?;
        glance.frame(&frame(&bytes), false);
        let found = Found {
            frame: frame(&bytes).id,
            time: frame(&bytes).timestamp,
            wire_bytes: bytes.len() as u64,
            at: None,
        };
        walk.layers(&frame(&bytes), found);
        Some([glance, walk].map(|mut observer| {
            let seen = observer.batch(Vec::new());
            assert_eq!(seen.sightings.len(), 1);
            format!("{:?} {:?}", seen.lanes, seen.sightings)
        }))
    }

    #[test]
    fn some_of_each_kind_are_ordinary() {
        for (is_v6, protocol) in [false, true]
            .into_iter()
            .flat_map(|is_v6| [Protocol::UDP, Protocol::TCP].map(|protocol| (is_v6, protocol)))
        {
            for bytes in 0..60 {
                let made = Made {
                    is_v6,
                    protocol,
                    ports: (40_000, 53),
                    payload: vec![0xa7; bytes],
                    padding: 3,
                };
                let [glance, walk] = both_ways(&made, HEAD_BYTES).unwrap();
                assert_eq!(glance, walk);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_glance_shows_what_the_layers_show(
            made in made(),
            head_bytes in prop_oneof![Just(HEAD_BYTES), 0..HEAD_BYTES],
        ) {
            if let Some([glance, walk]) = both_ways(&made, head_bytes) {
                prop_assert_eq!(glance, walk);
            }
        }
    }

    #[test]
    fn options_tell_acknowledgements_apart_that_have_no_identification() {
        let head = |stamp: u8, flags: u8, is_numbered: bool, head_bytes: usize| {
            let header = [[0, 1, 0, 2], [0; 4], [0; 4], [0x80, flags, 1, 0], [0; 4]].concat();
            let options = [[1, 1, 8, 10], [0, 0, 0, stamp], [0; 4]].concat();
            let base = Sighting {
                is_numbered,
                ..BLANK
            };
            of_control(base, 32, &[header, options].concat(), head_bytes).head
        };
        const ACK: u8 = 0x10;
        let is_told = |flags, is_numbered, head_bytes| {
            head(1, flags, is_numbered, head_bytes) != head(2, flags, is_numbered, head_bytes)
        };
        assert!(is_told(ACK, false, HEAD_BYTES));
        assert!(!is_told(ACK, true, HEAD_BYTES));
        assert!(!is_told(ACK | SYN, false, HEAD_BYTES));
        assert!(!is_told(ACK, false, HEAD_BYTES - 1));
    }
}
