//! One fragment on its way into reassembly.

use crate::model::facts::{Direction, Layer, OvnPorts, Piece};
use crate::model::{Addresses, FrameId, IpVersion, Protocol, ScopeTag, Sum, Timestamp, Verdict};
use foldhash::quality::FixedState;
use std::hash::BuildHasher;

/// What the fragments of one datagram have in common.
///
/// IPv4: source, destination, protocol and identification (RFC 791), inside one
/// scope. IPv6 leaves the protocol out: the next header of later fragments may
/// differ and does not count (RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Addresses as on the wire.
    pub addresses: Addresses,
    /// VLANs and tunnel.
    pub scope: ScopeTag,
    /// Identification.
    pub id: u32,
    /// Protocol; 0 for IPv6.
    pub protocol: Protocol,
}

impl Key {
    /// Which of `shards` equal parts of the work the key falls into: the same in
    /// every run, so that bounds which a shard keeps are met at the same packet.
    pub fn shard(&self, shards: usize) -> usize {
        let hash = FixedState::with_seed(SHARD_SEED).hash_one(self);
        (hash % shards.max(1) as u64) as usize
    }
}

/// Any number: whoever crafts keys that all fall into one shard crowds out his own
/// datagrams.
const SHARD_SEED: u64 = 791;

/// Where the captured bytes of a fragment's payload lie: a range of a buffer
/// that outlives the fragment's way through reassembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// Which buffer; its meaning is the caller's.
    pub buffer: u32,
    /// First byte.
    pub start: u32,
    /// Captured bytes.
    pub captured: u32,
}

/// What is known of one fragment.
#[derive(Clone, Debug)]
pub struct FragmentFacts {
    /// The datagram it belongs to.
    pub key: Key,
    /// The frame it came in; for a fragment inside a reassembled tunnel packet the
    /// frame that completed it.
    pub frame: FrameId,
    /// When that frame was captured.
    pub timestamp: Timestamp,
    /// IP headers around it, from 0 for the outermost.
    pub depth: u8,
    /// Wire bytes of the frames that carried it.
    pub wire_bytes: u64,
    /// IP length in bytes, header included.
    pub ip_bytes: u32,
    /// Offset in bytes.
    pub offset: u32,
    /// Payload bytes it claims.
    pub payload_bytes: u32,
    /// MF.
    pub more: bool,
    /// Sum of the payload, if all of it was captured.
    pub sum: Option<Sum>,
    /// Where the payload lies.
    pub payload: Payload,
    /// What its header says the payload is.
    pub protocol: Protocol,
    /// Verdict on the IPv4 header checksum.
    pub header_checksum: Option<Verdict>,
    /// Whether its IP length goes beyond the frame.
    pub ip_longer: bool,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// DF.
    pub dont_fragment: bool,
    /// The logical ports of OVN in the tunnel header around it.
    pub ovn: Option<OvnPorts>,
    /// Which way the capturing host passed it, if that is known.
    pub direction: Option<Direction>,
    /// Bytes of IPv6 extension headers at the beginning of the payload, if this is
    /// the first fragment.
    pub extension_bytes: u16,
    /// Other addresses than those of the header to build pseudo-headers with. Rare
    /// enough to be worth an allocation instead of room in every fragment.
    pub detour: Option<Box<Detour>>,
}

/// Addresses of a packet that does not go straight from source to destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// The last destination of a routing header or source route.
    pub final_destination: Option<[u8; 16]>,
    /// The source behind a home address option.
    pub home_address: Option<[u8; 16]>,
}

/// Where a fragment was found.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The frame, or the one that completed the tunnel packet around it.
    pub frame: FrameId,
    /// When that was captured.
    pub timestamp: Timestamp,
    /// Wire bytes of the frames that carried it.
    pub wire_bytes: u64,
    /// IP headers around it.
    pub depth: u8,
    /// The logical ports of OVN in the tunnel header around it.
    pub ovn: Option<OvnPorts>,
    /// Which way the capturing host passed it, if that is known.
    pub direction: Option<Direction>,
    /// The buffer that holds it.
    pub buffer: u32,
    /// Where in the buffer begins what was decoded.
    pub start: usize,
}

impl FragmentFacts {
    /// The facts of the fragment that a layer is, found in some place.
    pub fn of(layer: &Layer, piece: &Piece, place: &Place) -> Self {
        let is_detour = layer.final_destination.is_some() || layer.home_address.is_some();
        Self {
            key: Key {
                addresses: layer.addresses,
                scope: layer.scope,
                id: piece.id,
                protocol: match layer.addresses.version {
                    IpVersion::V4 => layer.protocol,
                    IpVersion::V6 => Protocol::default(),
                },
            },
            frame: place.frame,
            timestamp: place.timestamp,
            depth: place.depth,
            wire_bytes: place.wire_bytes,
            ip_bytes: layer.ip_bytes,
            offset: piece.offset,
            payload_bytes: layer.payload_bytes,
            more: piece.more,
            sum: piece.sum,
            payload: Payload {
                buffer: place.buffer,
                start: place.start as u32 + layer.payload_start,
                captured: layer.payload_captured,
            },
            protocol: layer.protocol,
            header_checksum: layer.header_checksum,
            ip_longer: layer.ip_longer,
            hop_limit: layer.hop_limit,
            dont_fragment: layer.dont_fragment,
            ovn: place.ovn,
            direction: place.direction,
            extension_bytes: layer.extension_bytes,
            detour: is_detour.then(|| {
                Box::new(Detour {
                    final_destination: layer.final_destination,
                    home_address: layer.home_address,
                })
            }),
        }
    }
}

#[cfg(test)]
impl FragmentFacts {
    /// A fragment of a UDP datagram from 10.0.0.1 to 10.0.0.2 in Ethernet.
    pub(crate) fn sample(id: u32, time: Timestamp, offset: u32, bytes: u32, more: bool) -> Self {
        Self {
            key: Key {
                addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
                scope: ScopeTag::WIRE,
                id,
                protocol: Protocol::UDP,
            },
            frame: FrameId::default(),
            timestamp: time,
            depth: 0,
            wire_bytes: u64::from(bytes) + 34,
            ip_bytes: bytes + 20,
            offset,
            payload_bytes: bytes,
            more,
            sum: None,
            payload: Payload::default(),
            protocol: Protocol::UDP,
            header_checksum: None,
            ip_longer: false,
            hop_limit: 64,
            dont_fragment: false,
            ovn: None,
            direction: None,
            extension_bytes: 0,
            detour: None,
        }
    }
}
