//! Which fragments of the frames make a whole datagram together.
//!
//! The same reassembly as in an analysis is driven over the original frames, only that it
//! is written down which pieces are in what it puts together.

use crate::decode::{DecodeOptions, Decoder, Whole};
use crate::evidence::Kept;
use crate::model::facts::{Fragment, Layer, MAX_LAYERS, Packet, Piece};
use crate::model::{Frame, FrameId, IpVersion, Protocol, ScopeTag, Sum, Timestamp};
use crate::pipeline::SHARDS;
use crate::reassemble::{
    Carried, Completed, Datagram, Fate, FragmentFacts, Key, Limits, Listener, Place, Reassembler,
    WholeDatagram,
};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// One fragment.
#[derive(Clone, Debug)]
pub(super) struct PieceFacts {
    /// Its header.
    pub layer: Layer,
    /// Where it is in its datagram.
    pub piece: Piece,
    /// What its fragments have in common.
    pub key: Key,
    /// IP headers around it.
    pub depth: usize,
    /// What its payload begins with; of IPv6, as its fragment header says.
    pub next: Protocol,
    /// What was captured of its payload.
    pub bytes: Vec<u8>,
}

impl PieceFacts {
    /// The fragment that a layer of `buffer` is.
    pub fn of(layer: &Layer, piece: Piece, depth: usize, buffer: &[u8]) -> Self {
        let start = layer.payload_start as usize;
        let end = start.saturating_add(layer.payload_captured as usize);
        // The first byte of the IPv6 fragment header just before.
        let next = start.checked_sub(8).and_then(|at| buffer.get(at));
        let next = match layer.addresses.version {
            IpVersion::V4 => layer.protocol,
            IpVersion::V6 => next.map_or(layer.protocol, |next| Protocol(*next)),
        };
        Self {
            layer: layer.clone(),
            piece,
            key: FragmentFacts::of(
                layer,
                &piece,
                &place(FrameId::default(), Timestamp(0), depth),
            )
            .key,
            depth,
            next,
            bytes: buffer.get(start..end).unwrap_or_default().to_vec(),
        }
    }

    /// Bytes of it that count: with more to come, whole units of 8 (Linux
    /// `ip_frag_queue`); of IPv6, all or nothing.
    pub fn usable(&self) -> u32 {
        let bytes = self.layer.payload_bytes;
        match self.layer.addresses.version {
            _ if !self.piece.more || bytes.is_multiple_of(8) => bytes,
            IpVersion::V4 => bytes & !7,
            IpVersion::V6 => 0,
        }
    }
}

/// Fragments that make a whole datagram.
#[derive(Clone, Debug)]
pub(super) struct WholeFacts {
    /// Those of which it is made, copies left out, as indices of [`Datagrams::pieces`].
    pub held: Vec<usize>,
    /// That with offset 0.
    pub first: usize,
    /// IP headers around it.
    pub depth: usize,
    /// Length of its payload.
    pub payload_bytes: u32,
    /// Its payload as far as it was captured without a gap.
    pub bytes: Vec<u8>,
    /// Its facts for decoding.
    pub whole: Whole,
    /// Whether it carries a tunnel.
    pub is_tunnel: bool,
}

/// What the fragments of some frames make.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    /// All fragments, in the order of the capture.
    pub pieces: Vec<PieceFacts>,
    /// What is whole, in the order it became so.
    pub wholes: Vec<WholeFacts>,
}

impl Datagrams {
    /// Puts the fragments of all frames together. `decoder` gets to know all scopes.
    pub fn of(kept: &Kept, decoder: &mut Decoder, options: &DecodeOptions, limits: Limits) -> Self {
        let mut scan = Scan {
            found: Self::default(),
            limits: limits.shared_by(SHARDS),
            reassemblers: Vec::new(),
            hearer: Hearer {
                decoder: Decoder::new(options),
                current: None,
                open: HashMap::new(),
                complete: None,
            },
        };
        let mut packet = Packet::default();
        for (number, frame) in (1..).zip(&kept.frames) {
            let frame = Frame {
                id: FrameId { file: 0, number },
                ..frame.as_frame()
            };
            decoder.frame(&frame, &mut packet);
            let depth = packet.layers.len().saturating_sub(1);
            if let Some(piece) = innermost(&packet, depth, frame.data) {
                scan.take(piece, frame.id, frame.timestamp, decoder);
            }
        }
        scan.found
    }
}

/// The fragment that a packet ends with; `depth` is that of its innermost layer.
fn innermost(packet: &Packet, depth: usize, buffer: &[u8]) -> Option<PieceFacts> {
    let layer = packet.layers.last()?;
    match layer.fragment {
        Fragment::Piece(piece) => Some(PieceFacts::of(layer, piece, depth, buffer)),
        Fragment::No | Fragment::Atomic => None,
    }
}

fn place(frame: FrameId, timestamp: Timestamp, depth: usize) -> Place {
    Place {
        frame,
        timestamp,
        wire_bytes: 0,
        depth: depth as u8,
        ovn: None,
        direction: None,
        buffer: 0,
        start: 0,
    }
}

/// Fragments on their way into reassembly.
struct Scan {
    found: Datagrams,
    limits: Limits,
    /// By depth and shard, as in an analysis: each has a bound of its own.
    reassemblers: Vec<Vec<Reassembler>>,
    hearer: Hearer,
}

impl Scan {
    /// Takes a fragment in, and what is inside the tunnel that it makes whole.
    fn take(
        &mut self,
        piece: PieceFacts,
        frame: FrameId,
        timestamp: Timestamp,
        decoder: &mut Decoder,
    ) {
        let mut next = Some(piece);
        // Each is deeper than the one before.
        while let Some(piece) = next.take().filter(|piece| piece.depth < MAX_LAYERS) {
            let index = self.found.pieces.len();
            self.reassemble(index, &piece, frame, timestamp);
            self.found.pieces.push(piece);
            if let Some(complete) = self.hearer.complete.take()
                && let Some(whole) = self.whole(complete)
            {
                next = inside(&whole, decoder);
                self.found.wholes.push(whole);
            }
        }
    }

    fn reassemble(
        &mut self,
        index: usize,
        piece: &PieceFacts,
        frame: FrameId,
        timestamp: Timestamp,
    ) {
        while self.reassemblers.len() <= piece.depth {
            let limits = self.limits.at_depth(self.reassemblers.len(), MAX_LAYERS);
            let shards = (0..SHARDS).map(|_| Reassembler::new(limits)).collect();
            self.reassemblers.push(shards);
        }
        let facts = FragmentFacts::of(
            &piece.layer,
            &piece.piece,
            &place(frame, timestamp, piece.depth),
        );
        let shards = self.reassemblers.get_mut(piece.depth);
        let Some(reassembler) = shards.and_then(|shards| shards.get_mut(facts.key.shard(SHARDS)))
        else {
            return;
        };
        self.hearer.current = Some(Current {
            index,
            depth: piece.depth,
            key: facts.key,
            layer: piece.layer.clone(),
        });
        reassembler.take(&facts, &piece.bytes, &mut self.hearer);
        if let Some(current) = self.hearer.current.take() {
            let group = self.hearer.open.entry((current.depth, current.key));
            group.or_default().push(index);
        }
    }

    /// What pieces make: those that came first, where some came again.
    fn whole(&self, complete: Complete) -> Option<WholeFacts> {
        let mut pieces = complete.pieces.iter().filter_map(|index| {
            let piece = self.found.pieces.get(*index)?;
            Some((*index, piece))
        });
        let first = pieces.clone().find(|(_, piece)| piece.piece.offset == 0)?;
        let mut bytes = vec![0; complete.payload_bytes as usize];
        let mut captured = vec![false; bytes.len()];
        let mut sum = Some(Sum(0));
        // By where they begin, the indices of pieces and where they end.
        let mut held: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
        pieces.by_ref().for_each(|(index, piece)| {
            let (start, end) = (piece.piece.offset, piece.piece.offset + piece.usable());
            // What is whole has no piece that overlaps another in part.
            let before = held.range(..=start).next_back();
            let is_copy = before.is_some_and(|(_, (_, until))| start < *until);
            if is_copy || start == end {
                return;
            }
            held.insert(start, (index, end));
            let known = piece
                .piece
                .sum
                .filter(|_| end - start == piece.layer.payload_bytes);
            sum = sum.zip(known).map(|(sum, known)| sum.plus(known));
            for (at, byte) in (start as usize..end as usize).zip(&piece.bytes) {
                if let (Some(place), Some(is_there)) = (bytes.get_mut(at), captured.get_mut(at)) {
                    *place = *byte;
                    *is_there = true;
                }
            }
        });
        let beginning = captured.iter().position(|is_there| !is_there);
        bytes.truncate(beginning.unwrap_or(bytes.len()));
        Some(WholeFacts {
            held: held.into_values().map(|(index, _)| index).collect(),
            first: first.0,
            depth: first.1.depth,
            payload_bytes: complete.payload_bytes,
            bytes,
            whole: Whole::begun_by(&first.1.layer, complete.payload_bytes, sum),
            is_tunnel: complete.is_tunnel,
        })
    }
}

/// The fragment inside a whole tunnel packet, if there is one.
fn inside(whole: &WholeFacts, decoder: &mut Decoder) -> Option<PieceFacts> {
    if !whole.is_tunnel {
        return None;
    }
    let mut packet = Packet::default();
    decoder.datagram(&whole.whole, &whole.bytes, &mut packet);
    let depth = whole.depth + packet.layers.len().saturating_sub(1);
    innermost(&packet, depth, &whole.bytes)
}

/// A fragment that is being taken in.
struct Current {
    index: usize,
    depth: usize,
    key: Key,
    layer: Layer,
}

/// A datagram that has just become whole.
struct Complete {
    pieces: Vec<usize>,
    payload_bytes: u32,
    is_tunnel: bool,
}

/// Writes down which pieces belong together.
struct Hearer {
    decoder: Decoder,
    /// What is being taken in, while nobody has said where it belongs.
    current: Option<Current>,
    open: HashMap<(usize, Key), Vec<usize>>,
    complete: Option<Complete>,
}

impl Listener for Hearer {
    fn is_tunnel(&mut self, _: &Datagram, captured: &[u8]) -> bool {
        self.current.as_ref().is_some_and(|current| {
            let begun = Whole::begun_by(&current.layer, current.layer.payload_bytes, None);
            self.decoder.carries_tunnel(&begun, captured)
        })
    }

    fn carried(&mut self, _: &Datagram, _: &[u8]) -> Option<Carried> {
        None
    }

    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
        let current = self.current.take()?;
        let group = self.open.remove(&(current.depth, current.key));
        let mut pieces = group.unwrap_or_default();
        pieces.push(current.index);
        self.complete = Some(Complete {
            pieces,
            payload_bytes: whole.payload_bytes,
            is_tunnel: whole.datagram.is_tunnel,
        });
        None
    }

    fn lost(&mut self, datagram: &Datagram, _: Fate) {
        let group = (usize::from(datagram.depth), datagram.key);
        let before = self.open.remove(&group).map_or(0, |pieces| pieces.len());
        let is_in_it = datagram.tally.fragments() > before as u64;
        self.current
            .take_if(|current| is_in_it && current.key == datagram.key);
    }

    fn late_copy(&mut self, _: &Completed, _: &FragmentFacts) {
        self.current = None;
    }
}
