//! What a worker does with a block: decode, count what is whole, sort fragments.

use super::Options;
use super::fragments::Fragments;
use crate::account::{Ledger, PlainPacket, PlainPackets};
use crate::decode::{Decoder, Plain};
use crate::model::facts::{Fragment, Layer, Packet, Piece};
use crate::model::{Frame, LinkType};
use crate::reassemble::Place;
use crate::receiver::GivenUp;
use crate::source::{Block, FilterSet};

/// Decodes blocks and counts what is whole.
pub(super) struct Worker {
    filter: Option<FilterSet>,
    decoder: Decoder,
    ledger: Ledger,
    packet: Packet,
    /// Plain packets of the block that are not yet counted.
    plain: PlainPackets,
}

/// Plain packets that are counted together: enough for the ledger's look-ups in step,
/// few enough to stay in the first-level cache.
const PLAIN_PACKETS: usize = 128;

impl Worker {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            filter: options.filter.clone(),
            decoder: Decoder::new(&options.decode),
            ledger: Ledger::new(options.timeline_bucket),
            packet: Packet::default(),
            plain: PlainPackets::with_capacity(PLAIN_PACKETS),
        }
    }

    /// Decodes a block, counts what is whole, and gives the fragments.
    pub(super) fn decode(&mut self, block: &Block, fragments: &mut Fragments) {
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
            match self.decoder.plain(&frame) {
                Some(plain) => self.plain(&frame, &plain),
                None => self.packet(&frame, block, fragments),
            }
        }
        self.count_plain(block.first().file);
    }

    fn plain(&mut self, frame: &Frame<'_>, plain: &Plain<'_>) {
        if self.plain.len() == PLAIN_PACKETS {
            self.count_plain(frame.id.file);
        }
        let packet = PlainPacket {
            key: plain.key,
            ip_bytes: plain.ip_bytes,
            wire_bytes: frame.wire_bytes,
            timestamp: frame.timestamp,
        };
        self.plain.push(packet, plain.segment());
    }

    fn count_plain(&mut self, input: u32) {
        self.ledger.plain_packets(input, &self.plain);
        self.plain.clear();
    }

    /// Goes through the layers of a frame; counts it, or keeps it if it is a fragment.
    fn packet(&mut self, frame: &Frame<'_>, block: &Block, fragments: &mut Fragments) {
        self.decoder.frame(frame, &mut self.packet);
        self.ledger.frame(frame, &self.packet);
        let Some(layer) = self.packet.layers.last() else {
            return;
        };
        let depth = (self.packet.layers.len() - 1) as u8;
        if let Some(told) = GivenUp::of(layer, frame.id, frame.timestamp, depth) {
            fragments.push_given_up(told);
        }
        let Some((layer, piece)) = innermost_piece(&self.packet) else {
            return;
        };
        let place = Place {
            frame: frame.id,
            timestamp: frame.timestamp,
            wire_bytes: frame.wire_bytes.into(),
            depth,
            ovn: self.packet.ovn(),
            direction: self.packet.direction,
            buffer: 0,
            start: block.offset_of(frame.data),
        };
        fragments.push(layer, piece, &place);
    }

    /// Link types the filter could not be compiled for.
    pub(super) fn unfiltered(&self) -> Vec<LinkType> {
        self.filter.iter().flat_map(FilterSet::refused).collect()
    }

    /// Takes what was counted since it was taken before.
    pub(super) fn take(&mut self) -> Ledger {
        let mut ledger = self.ledger.take();
        ledger.scopes = self.decoder.take_scopes();
        ledger
    }

    /// The same of a worker that is at its end.
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
