//! One packet with other bytes.
//!
//! The new bytes begin as zeros. What may stay is copied, header by header, along the
//! layers that decoding found; what is to differ is mapped. So whatever is not known here
//! is zero.

use super::Anonymizer;
use super::checksum::{Field, Unfinished};
use super::link::Content;
use super::pieces::Pieces;
use crate::model::facts::{Carries, Layer, Packet, Stop};
use crate::model::{LinkType, Protocol, ScopeSet, TunnelKind};

/// Bytes that are written where the payload is blank.
pub(super) type Mark = (usize, Vec<u8>);

/// What is needed to rewrite any packet.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub map: &'a Anonymizer,
    pub scopes: &'a ScopeSet,
    /// New bytes of fragments.
    pub pieces: &'a Pieces<'a>,
}

/// What fragments carried.
#[derive(Clone, Copy)]
pub(super) struct Payload<'a> {
    /// The original, as far as it was captured.
    pub old: &'a [u8],
    /// What decoding found in it.
    pub packet: &'a Packet,
    /// What it begins with.
    pub next: Protocol,
    /// IP headers around it.
    pub depth: usize,
    /// What is written into blank payload.
    pub marks: &'a [Mark],
    /// What makes it differ from others that look like it.
    pub salt: u64,
}

/// One packet that is being rewritten.
pub(super) struct Rewrite<'a> {
    pub known: Known<'a>,
    /// The original.
    pub old: &'a [u8],
    /// What becomes of it.
    pub new: Vec<u8>,
    /// What decoding found in the original.
    pub layers: &'a [Layer],
    /// Why that ended early.
    pub stop: Option<Stop>,
    /// IP headers around the buffer.
    pub depth: usize,
    /// What is written into blank payload.
    marks: &'a [Mark],
    /// What makes this packet differ from others that look like it.
    pub salt: u64,
    /// The innermost checksum that is left to a NIC.
    pub unfinished: Option<Unfinished>,
    /// The checksum of the outermost upper-layer packet.
    pub outermost: Option<Field>,
}

impl<'a> Rewrite<'a> {
    fn new(known: Known<'a>, old: &'a [u8], packet: &'a Packet) -> Self {
        Self {
            known,
            old,
            new: vec![0; old.len()],
            layers: &packet.layers,
            stop: packet.stop,
            depth: 0,
            marks: &[],
            salt: 0,
            unfinished: None,
            outermost: None,
        }
    }

    /// A frame.
    pub fn frame(
        known: Known<'a>,
        link_type: LinkType,
        old: &'a [u8],
        packet: &'a Packet,
    ) -> Vec<u8> {
        let mut rewrite = Self::new(known, old, packet);
        if let Some((content, at)) = rewrite.link(link_type) {
            rewrite.inside(content, at, old.len(), 0);
        }
        rewrite.new
    }

    /// The payload of a datagram, or of its first fragment; and its checksum.
    pub fn datagram(known: Known<'a>, payload: &Payload<'a>) -> (Vec<u8>, Option<Field>) {
        let Payload {
            old, packet, next, ..
        } = *payload;
        let mut rewrite = Self::new(known, old, packet);
        rewrite.depth = payload.depth;
        rewrite.marks = payload.marks;
        rewrite.salt = payload.salt;
        if let Some(layer) = packet.layers.first() {
            let extensions = usize::from(layer.extension_bytes).min(old.len());
            rewrite.chain(&layer.addresses.destination, next, 0, extensions);
            let claimed = layer.payload_bytes.saturating_sub(extensions as u32);
            rewrite.upper(0, extensions, old.len(), claimed);
        }
        (rewrite.new, rewrite.outermost)
    }

    /// Leaves zeros, but for what is marked.
    pub fn blank(&mut self, from: usize, until: usize) {
        for (at, bytes) in self.marks {
            if from <= *at && at.saturating_add(bytes.len()) <= until {
                self.put(*at, bytes);
            }
        }
    }

    /// Copies what there is of some bytes.
    pub fn keep(&mut self, at: usize, count: usize) {
        let end = at.saturating_add(count).min(self.old.len());
        if let (Some(old), Some(new)) = (self.old.get(at..end), self.new.get_mut(at..end)) {
            new.copy_from_slice(old);
        }
    }

    /// Writes bytes, if there is room for all of them.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        let end = at.saturating_add(bytes.len());
        if let Some(place) = self.new.get_mut(at..end) {
            place.copy_from_slice(bytes);
        }
    }

    /// Zeros over what there is of some bytes.
    fn put_zeros(&mut self, at: usize, count: usize) {
        let end = at.saturating_add(count).min(self.new.len());
        if let Some(place) = self.new.get_mut(at..end) {
            place.fill(0);
        }
    }

    /// Bytes of the original.
    pub fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        Some(*self.old.get(at..)?.first_chunk()?)
    }

    /// A byte of the original; 0 if it was not captured.
    pub fn u8(&self, at: usize) -> u8 {
        self.old.get(at).copied().unwrap_or(0)
    }

    /// A number of the original; 0 if it was not captured.
    pub fn u16(&self, at: usize) -> u16 {
        self.array(at).map_or(0, u16::from_be_bytes)
    }

    /// Maps an IPv4 address.
    pub fn put_v4(&mut self, at: usize) {
        match self.array(at) {
            Some(address) => self.put(at, &self.known.map.addresses.v4(address)),
            // Half an address is the half of one.
            None => self.put_zeros(at, 4),
        }
    }

    /// Maps an IPv6 address.
    pub fn put_v6(&mut self, at: usize) {
        match self.array(at) {
            Some(address) => self.put(at, &self.known.map.addresses.v6(address)),
            None => self.put_zeros(at, 16),
        }
    }

    /// Maps a MAC address.
    pub fn put_mac(&mut self, at: usize) {
        if let Some(address) = self.array(at) {
            self.put(at, &self.known.map.ids.mac(address));
        }
    }

    /// The kind of the tunnel that a layer carries, if it carries one.
    pub fn tunnel_kind(&self, layer: &Layer) -> Option<TunnelKind> {
        match layer.carries {
            Carries::Tunnel(inside) => Some(self.known.scopes.get(inside)?.tunnel?.kind),
            _ => None,
        }
    }

    /// Goes into what a tunnel carries.
    pub fn enter(&mut self, content: Content, at: usize, end: usize, layer: usize) {
        self.inside(content, at, end, layer + 1);
    }
}
