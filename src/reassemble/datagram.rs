//! One fragmented datagram: what came of it, and what became of it.

use super::arrival::Arrival;
use super::charges::Charges;
use super::expired::Lacking;
use super::fragment::{Detour, FragmentFacts, Key};
use super::head::Head;
use super::kept::{KeptBytes, Pool};
use super::layout::Layout;
use super::pieces::{NewPiece, Pieces};
use super::tally::FragmentTally;
use crate::model::facts::{Direction, OvnPorts};
use crate::model::{FlowKey, IpVersion, Ports, Protocol, ScopeTag, Sum, Timestamp};
use std::ops::Range;

/// What became of a fragmented datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// Its fragments cover it without contradiction.
    Reassembled,
    /// Unfinished when the capture's clock passed its timeout.
    TimedOut,
    /// Unfinished when the capture ended.
    Incomplete,
    /// Its pieces contradict each other.
    Overlapped,
    /// A piece ended beyond 65,535 bytes.
    Oversized,
    /// Given up for the memory bound.
    Evicted,
}

/// The sum of what is left of `bytes`, which begin on an even byte of the datagram,
/// without the first `skipped`.
fn sum_from(bytes: &[u8], skipped: u32) -> Sum {
    let rest = bytes.get(skipped as usize..).unwrap_or_default();
    match skipped % 2 {
        0 => Sum::of(rest),
        _ => Sum::of(rest).swapped(),
    }
}

/// What a tunnel packet carries, as its first fragment shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The scope inside the tunnel.
    pub inside: ScopeTag,
    /// The flow of the innermost packet, if its headers could be read.
    pub flow: Option<FlowKey>,
    /// IP length of that packet as it claims itself; 0 if it could not be read.
    pub ip_bytes: u32,
}

/// What is missing of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Bytes of payload.
    pub bytes: u32,
    /// Fragments it takes to carry them, as large as the largest that came.
    pub fragments: u32,
    /// Whether the first fragment is among them.
    pub is_first_missing: bool,
    /// Whether the last is.
    pub is_last_missing: bool,
}

/// One datagram in reassembly.
#[derive(Debug)]
pub struct Datagram {
    /// What its fragments have in common.
    pub key: Key,
    /// When its first fragment to arrive was captured.
    pub opened: Timestamp,
    /// When the latest piece of it was captured.
    pub last_timestamp: Timestamp,
    /// How its pieces came.
    pub arrival: Arrival,
    /// IP headers around it.
    pub depth: u8,
    /// What was counted of its fragments.
    pub tally: FragmentTally,
    /// What its header says: of the fragment with offset 0 once that came, else of
    /// the first that came.
    pub header: HeaderFacts,
    /// The beginning of its payload.
    pub head: Head,
    /// The logical ports of OVN in the tunnel header around its first piece to come.
    pub ovn: Option<OvnPorts>,
    /// Which way the capturing host passed that piece, if it is known.
    pub direction: Option<Direction>,
    /// Whether its first fragment showed a tunnel.
    pub is_tunnel: bool,
    /// What that carries, once it was asked: before the datagram is lost.
    pub tunnel: Option<Carried>,
    /// Bytes of the first fragment among those kept, while nobody has asked what the
    /// tunnel carries.
    pub(super) unread_first: Option<u32>,
    /// Sum of the bytes beyond the UDP length, which its checksum does not cover;
    /// `None` once some of them were not captured, or given up.
    pub(super) excess: Option<Sum>,
    pub(super) pieces: Pieces,
    pub(super) kept: Option<KeptBytes>,
    /// Whether its bytes were given up while its first fragment was missing.
    pub(super) bytes_given_up: bool,
    pub(super) state: State,
    /// What a datagram with the same key lacked that timed out before.
    pub(super) predecessor: Option<Lacking>,
    /// Number of this datagram among all that were opened.
    pub(super) serial: u64,
    /// Hash of its key.
    pub(super) hash: u32,
    /// Memory it is charged with.
    pub(super) charged: Charges,
}

/// What is taken over from the IP header of one fragment for the whole.
#[derive(Clone, Debug)]
pub struct HeaderFacts {
    /// Whether it is the header of the fragment with offset 0.
    pub(super) is_first: bool,
    /// Upper-layer protocol.
    pub protocol: Protocol,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// DF.
    pub dont_fragment: bool,
    /// IP header bytes, extension headers included.
    pub header_bytes: u32,
    /// Payload bytes of that fragment.
    pub payload_bytes: u32,
    /// Bytes of IPv6 extension headers in front of the transport header.
    pub extension_bytes: u16,
    /// Other addresses than those of the header to build pseudo-headers with.
    pub detour: Option<Box<Detour>>,
}

/// Where a datagram is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Pieces are missing.
    Open,
    /// Overlapped or oversized; still known, so that later pieces open no new one.
    Dead(Fate),
    /// No longer there: what is left is memory to use again.
    Closed,
}

impl HeaderFacts {
    /// Of a fragment that need not be the first.
    fn of_any(fragment: &FragmentFacts) -> Self {
        Self {
            is_first: false,
            protocol: fragment.protocol,
            hop_limit: fragment.hop_limit,
            dont_fragment: fragment.dont_fragment,
            header_bytes: fragment.ip_bytes.saturating_sub(fragment.payload_bytes),
            payload_bytes: fragment.payload_bytes,
            extension_bytes: fragment.extension_bytes,
            detour: fragment.detour.clone(),
        }
    }

    /// Header bytes of the datagram the fragment was cut from: an IPv6 fragment
    /// header is not part of it.
    pub fn datagram_header_bytes(&self, version: IpVersion) -> u32 {
        match version {
            IpVersion::V4 => self.header_bytes,
            IpVersion::V6 => self.header_bytes.saturating_sub(8),
        }
    }
}

impl Datagram {
    /// A datagram of which one fragment is about to be taken in.
    pub(super) fn open(fragment: &FragmentFacts, hash: u32, serial: u64) -> Self {
        Self {
            key: fragment.key,
            opened: fragment.timestamp,
            last_timestamp: fragment.timestamp,
            arrival: Arrival::of(fragment),
            depth: fragment.depth,
            tally: FragmentTally::default(),
            header: HeaderFacts::of_any(fragment),
            head: Head::default(),
            ovn: fragment.ovn,
            direction: fragment.direction,
            is_tunnel: false,
            tunnel: None,
            unread_first: None,
            excess: Some(Sum::default()),
            pieces: Pieces::default(),
            kept: None,
            bytes_given_up: false,
            state: State::Open,
            predecessor: None,
            serial,
            hash,
            charged: Charges::default(),
        }
    }

    /// The same in the place of one that was closed: what has room for bytes or
    /// pieces stays where it is, and all else is written over.
    pub(super) fn reopen(&mut self, fragment: &FragmentFacts, hash: u32, serial: u64) {
        // By all their names: a field that is new must not be forgotten here.
        let Self {
            key,
            opened,
            last_timestamp,
            arrival,
            depth,
            tally,
            header,
            head,
            ovn,
            direction,
            is_tunnel,
            tunnel,
            unread_first,
            excess,
            pieces,
            kept,
            bytes_given_up,
            state,
            predecessor,
            serial: own_serial,
            hash: own_hash,
            charged,
        } = self;
        *key = fragment.key;
        *opened = fragment.timestamp;
        *last_timestamp = fragment.timestamp;
        *arrival = Arrival::of(fragment);
        *depth = fragment.depth;
        *tally = FragmentTally::default();
        *header = HeaderFacts::of_any(fragment);
        head.clear();
        *ovn = fragment.ovn;
        *direction = fragment.direction;
        *is_tunnel = false;
        *tunnel = None;
        *unread_first = None;
        *excess = Some(Sum::default());
        pieces.clear();
        *kept = None;
        *bytes_given_up = false;
        *state = State::Open;
        *predecessor = None;
        *own_serial = serial;
        *own_hash = hash;
        *charged = Charges::default();
    }

    /// Leaves nothing but memory to use again.
    pub(super) fn close(&mut self) {
        self.state = State::Closed;
        self.pieces.clear();
        self.kept = None;
        self.header.detour = None;
    }

    /// Takes what the fragment with offset 0 alone tells.
    pub(super) fn begin(&mut self, fragment: &FragmentFacts, captured: &[u8]) {
        self.header = HeaderFacts {
            is_first: true,
            ..HeaderFacts::of_any(fragment)
        };
        self.head.put(0, captured);
        self.look_back();
    }

    /// Keeps the bytes of a piece if it carries a tunnel, or may; says whether it
    /// does.
    pub(super) fn keep(&mut self, offset: u32, captured: &[u8], pool: &mut Pool) -> bool {
        let keeps = !self.bytes_given_up && (self.is_tunnel || !self.has_first());
        if keeps {
            let kept = self.kept.get_or_insert_with(|| pool.take());
            kept.put(offset as usize, captured);
        } else if self.kept.is_some() {
            pool.give(self.kept.take());
        }
        keeps
    }

    /// What of the bytes kept came in the first fragment, if nobody has asked yet
    /// what the tunnel carries.
    pub(super) fn unread_first(&self) -> Option<&[u8]> {
        let count = self.unread_first? as usize;
        Some(self.kept.as_ref()?.first(count))
    }

    /// Whether the fragment with offset 0 came.
    pub fn has_first(&self) -> bool {
        self.header.is_first
    }

    /// Length of the whole payload in bytes, if the last fragment came.
    pub fn payload_bytes(&self) -> Option<u32> {
        self.pieces.total_bytes()
    }

    /// Sums what of a piece lies beyond the UDP length.
    pub(super) fn add_excess(&mut self, piece: &NewPiece, captured: &[u8]) {
        // Before the first fragment nobody knows; see `look_back`.
        let Some(end) = self.udp_end() else {
            return;
        };
        if piece.offset + piece.bytes <= end {
            return;
        }
        let skipped = end.saturating_sub(piece.offset);
        let is_all_there = captured.len() == piece.bytes as usize;
        let sum = is_all_there.then(|| sum_from(captured, skipped));
        self.excess = self.excess.zip(sum).map(|(excess, sum)| excess.plus(sum));
    }

    /// Catches up on the pieces that came before the first one, which has just told
    /// the UDP length: their bytes were kept, with zeros for what is missing.
    fn look_back(&mut self) {
        let Some(end) = self.udp_end() else {
            return;
        };
        let held = self.pieces.held_bytes() as usize;
        self.excess = match &self.kept {
            None => (held == 0).then(Sum::default),
            Some(kept) => kept.all(held).map(|bytes| sum_from(bytes, end)),
        };
    }

    /// Where in the payload the UDP length ends, and the sum of what is beyond it, if
    /// something is and its bytes were all captured.
    pub fn excess(&self) -> Option<(u32, Sum)> {
        let end = self.udp_end()?;
        let is_shorter = end < self.payload_bytes()?;
        self.excess.filter(|_| is_shorter).map(|sum| (end, sum))
    }

    /// Memory behind it now.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.pieces.memory_bytes() + self.kept_bytes()
    }

    /// Memory of bytes that are kept in case the first fragment shows a tunnel.
    pub(super) fn headless_bytes(&self) -> usize {
        if self.has_first() {
            0
        } else {
            self.kept_bytes()
        }
    }

    fn kept_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.memory_bytes())
    }

    /// The flow it belongs to if it carries no tunnel: with ports if the beginning
    /// of its first fragment showed some.
    pub fn flow_key(&self) -> FlowKey {
        FlowKey {
            addresses: self.key.addresses,
            ports: self.ports(),
            protocol: self.header.protocol,
            scope: self.key.scope,
        }
    }

    /// IP length of the datagram, as far as a fragment told: the end of the last
    /// one, or the length field of UDP in the first.
    pub fn claimed_ip_bytes(&self) -> Option<u32> {
        let payload = self.claimed_payload_bytes()?;
        Some(
            payload.saturating_add(
                self.header
                    .datagram_header_bytes(self.key.addresses.version),
            ),
        )
    }

    /// Length of the payload in bytes, as far as a fragment told: the end of the last
    /// one, or the length field of UDP in the first.
    pub fn claimed_payload_bytes(&self) -> Option<u32> {
        self.payload_bytes().or_else(|| self.udp_end())
    }

    /// What is held of its payload, piece by piece and in order.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = Range<u32>> {
        let held = self.pieces.held().iter();
        held.map(|piece| piece.start()..piece.end())
    }

    /// Whether its pieces contradict each other, or it is too long.
    pub fn is_contradictory(&self) -> bool {
        matches!(self.state, State::Dead(_))
    }

    /// What is missing; `None` where nobody knows how much that is.
    pub fn gap(&self) -> Option<Gap> {
        let payload = self.claimed_payload_bytes()?;
        let bytes = payload.checked_sub(self.pieces.held_bytes())?;
        Some(Gap {
            bytes,
            fragments: self.layout()?.missing_fragments(),
            is_first_missing: !self.has_first(),
            is_last_missing: self.payload_bytes().is_none(),
        })
    }

    /// What came of it and what did not; `None` where nobody knows how much that is.
    pub fn layout(&self) -> Option<Layout<'_>> {
        let full = self.tally.largest.payload_bytes;
        Layout::new(&self.pieces, self.claimed_payload_bytes()?, full)
    }

    /// The same of the datagram whose rest it is, of which it lacks what had come before
    /// the timeout; `None` if it is no such rest.
    pub fn layout_of_rest(&self) -> Option<Layout<'_>> {
        let lacking = self.predecessor.filter(|lacking| lacking.is(self))?;
        // Of a single piece, the size of others does not matter.
        let full = self.tally.largest.payload_bytes;
        Layout::new(&self.pieces, lacking.payload_bytes, full.max(1))
    }

    /// Whether its pieces are all that another datagram with the same key lacked, which
    /// timed out before: both are one, the rest of which came too late.
    pub fn is_rest_of_expired(&self) -> bool {
        self.predecessor.is_some_and(|lacking| lacking.is(self))
    }

    /// Whether tcpdump 4.7 to 4.9.3 printed "bad length" for its first fragment:
    /// the UDP length goes beyond what that fragment holds, as in any fragmented
    /// datagram.
    pub fn first_looks_bad_to_old_tcpdump(&self) -> bool {
        self.udp_end()
            .is_some_and(|end| end > self.header.payload_bytes)
    }

    /// The captured beginning of what is behind IPv6 extension headers.
    fn transport_head(&self) -> &[u8] {
        let extensions = usize::from(self.header.extension_bytes);
        self.head.bytes().get(extensions..).unwrap_or_default()
    }

    fn ports(&self) -> Option<Ports> {
        let head = self.transport_head().first_chunk::<4>()?;
        let port = |high, low| u16::from_be_bytes([high, low]);
        self.header.protocol.has_ports().then(|| Ports {
            source: port(head[0], head[1]),
            destination: port(head[2], head[3]),
        })
    }

    /// Where in the payload the UDP datagram ends, by its length field.
    fn udp_end(&self) -> Option<u32> {
        if self.header.protocol != Protocol::UDP || !self.has_first() {
            return None;
        }
        let extensions = u32::from(self.header.extension_bytes);
        let head = self.transport_head().first_chunk::<8>()?;
        Some(extensions + u32::from(u16::from_be_bytes([head[4], head[5]])))
    }
}
