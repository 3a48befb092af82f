//! What a worker does with a block: decode, count what is whole, sort fragments.

use super::{Options, SHARDS};
use crate::account::Ledger;
use crate::decode::Decoder;
use crate::model::facts::{Fragment, Layer, OvnPorts, Packet, Piece};
use crate::model::{FrameId, IpVersion, LinkType, Protocol, Timestamp};
use crate::reassemble::{Detour, FragmentFacts, Key, Payload};
use crate::source::{Block, FilterSet};

/// Decodes blocks and counts what is whole.
pub(super) struct Worker {
    filter: Option<FilterSet>,
    decoder: Decoder,
    ledger: Ledger,
    packet: Packet,
}

/// The fragments of one block (of one reassembled packet), by shard.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    by_shard: [Vec<FragmentFacts>; SHARDS],
    /// IP headers around the fragment with the most of them.
    pub(super) deepest: u8,
}

/// Where a fragment was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The frame, or the one that completed the tunnel packet around it.
    pub(super) frame: FrameId,
    /// When that was captured.
    pub(super) timestamp: Timestamp,
    /// Wire bytes of the frames that carried it.
    pub(super) wire_bytes: u64,
    /// IP headers around it.
    pub(super) depth: u8,
    /// The logical ports of OVN in the tunnel header around it.
    pub(super) ovn: Option<OvnPorts>,
    /// The buffer that holds it.
    pub(super) buffer: u32,
    /// Where in the buffer begins what was decoded.
    pub(super) start: usize,
}

impl Worker {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            filter: options.filter.clone(),
            decoder: Decoder::new(&options.decode),
            ledger: Ledger::new(options.timeline_bucket),
            packet: Packet::default(),
        }
    }

    /// Decodes a block, counts what is whole, and gives the fragments.
    pub(super) fn decode(&mut self, block: &Block, buffer: u32, fragments: &mut Fragments) {
        fragments.clear();
        for frame in block.frames() {
            if self
                .filter
                .as_mut()
                .is_some_and(|filter| !filter.matches(&frame))
            {
                self.ledger.capture.filtered_frames += 1;
                continue;
            }
            self.decoder.frame(&frame, &mut self.packet);
            self.ledger.frame(&frame, &self.packet);
            let Some((layer, piece)) = innermost_piece(&self.packet) else {
                continue;
            };
            let found = Found {
                frame: frame.id,
                timestamp: frame.timestamp,
                wire_bytes: frame.wire_bytes.into(),
                depth: (self.packet.layers.len() - 1) as u8,
                ovn: self.packet.ovn(),
                buffer,
                start: block.offset_of(frame.data),
            };
            fragments.push(layer, piece, &found);
        }
    }

    /// Link types the filter could not be compiled for.
    pub(super) fn unfiltered(&self) -> Vec<LinkType> {
        self.filter.iter().flat_map(FilterSet::refused).collect()
    }

    pub(super) fn into_ledger(self) -> Ledger {
        let mut ledger = self.ledger;
        ledger.scopes = self.decoder.into_scopes();
        ledger
    }
}

/// The innermost layer of a packet, if that is a fragment.
pub(super) fn innermost_piece(packet: &Packet) -> Option<(&Layer, &Piece)> {
    let layer = packet.layers.last()?;
    match &layer.fragment {
        Fragment::Piece(piece) => Some((layer, piece)),
        Fragment::No | Fragment::Atomic => None,
    }
}

impl Fragments {
    pub(super) fn push(&mut self, layer: &Layer, piece: &Piece, found: &Found) {
        let facts = facts_of(layer, piece, found);
        self.deepest = self.deepest.max(found.depth);
        let shard = facts.key.shard(SHARDS);
        self.by_shard[shard].push(facts);
    }

    /// The fragments of one shard, in the order they were found.
    pub(super) fn of_shard(&self, shard: usize) -> &[FragmentFacts] {
        &self.by_shard[shard]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_shard.iter().all(Vec::is_empty)
    }

    pub(super) fn clear(&mut self) {
        for fragments in &mut self.by_shard {
            fragments.clear();
        }
        self.deepest = 0;
    }
}

fn facts_of(layer: &Layer, piece: &Piece, found: &Found) -> FragmentFacts {
    let protocol_of_key = match layer.addresses.version {
        IpVersion::V4 => layer.protocol,
        IpVersion::V6 => Protocol::default(),
    };
    let is_detour = layer.final_destination.is_some() || layer.home_address.is_some();
    FragmentFacts {
        key: Key {
            addresses: layer.addresses,
            scope: layer.scope,
            id: piece.id,
            protocol: protocol_of_key,
        },
        frame: found.frame,
        timestamp: found.timestamp,
        depth: found.depth,
        wire_bytes: found.wire_bytes,
        ip_bytes: layer.ip_bytes,
        offset: piece.offset,
        payload_bytes: layer.payload_bytes,
        more: piece.more,
        sum: piece.sum,
        payload: Payload {
            buffer: found.buffer,
            start: found.start as u32 + layer.payload_start,
            captured: layer.payload_captured,
        },
        protocol: layer.protocol,
        header_checksum: layer.header_checksum,
        ip_longer: layer.ip_longer,
        hop_limit: layer.hop_limit,
        dont_fragment: layer.dont_fragment,
        ovn: found.ovn,
        extension_bytes: layer.extension_bytes,
        detour: is_detour.then(|| {
            Box::new(Detour {
                final_destination: layer.final_destination,
                home_address: layer.home_address,
            })
        }),
    }
}
