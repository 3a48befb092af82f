//! IP headers and extension headers.

use super::checksum;
use super::datagrams::PieceFacts;
use super::options::{Options, of_ipv4, of_ipv6};
use super::rewrite::Rewrite;
use crate::model::facts::{Fragment, LayerKind};
use crate::model::{IpVersion, Protocol, Verdict};

/// Bytes of the headers without options or extension headers.
pub(super) const IPV4: usize = 20;
pub(super) const IPV6: usize = 40;

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION_OPTIONS: u8 = 60;
const MOBILITY: u8 = 135;
const HIP: u8 = 139;
const SHIM6: u8 = 140;

/// Most extension headers of a packet that decoding reads.
const MAX_HEADERS: usize = 16;

/// Kinds of routing header that hold whole addresses: source route, mobility, segments.
const WHOLE_ADDRESSES: [u8; 3] = [0, 2, 4];
/// RPL leaves out what addresses share with the destination (RFC 6554).
const RPL: u8 = 3;

impl Rewrite<'_> {
    /// Rewrites an IP packet, which decoding found as `index`.
    pub fn network(&mut self, index: usize, at: usize, end: usize) {
        let layers = self.layers;
        let Some(layer) = layers.get(index) else {
            return self.broken(at);
        };
        let start = layer.payload_start as usize;
        let captured = start.saturating_add(layer.payload_captured as usize);
        match layer.addresses.version {
            IpVersion::V4 => self.header_v4(at),
            IpVersion::V6 => self.header_v6(at),
        }
        let (next, behind) = self.behind(layer.addresses.version, at);
        match layer.fragment {
            Fragment::Piece(piece) => {
                if layer.addresses.version == IpVersion::V6 {
                    self.chain(&layer.addresses.destination, next, behind, start);
                }
                let piece = PieceFacts::of(layer, piece, self.depth + index, self.old);
                match self.known.pieces.of_piece(&piece) {
                    Some(bytes) => self.put(start, bytes),
                    None => self.blank(start, captured.min(end)),
                }
            }
            Fragment::No | Fragment::Atomic => {
                self.chain(&layer.addresses.destination, next, behind, start);
                self.upper(index, start, captured.min(end), layer.payload_bytes);
            }
        }
        if let Some(verdict) = layer.header_checksum {
            self.settle_header(at, verdict);
        }
    }

    /// A header that could not be read: what that is seen from.
    fn broken(&mut self, at: usize) {
        let Some(stop) = self.stop else {
            return;
        };
        match stop.layer {
            LayerKind::Ipv4 => {
                self.keep(at, 1);
                self.keep(at + 2, 2);
            }
            _ => {
                let nibble = self.u8(at) & 0xf0;
                if at < self.old.len() {
                    self.put(at, &[nibble]);
                }
            }
        }
    }

    /// The addresses and all that says nothing; without the checksum.
    pub fn header_v4(&mut self, at: usize) {
        self.keep(at, 10);
        self.put_v4(at + 12);
        self.put_v4(at + 16);
        let bytes = header_bytes(self.u8(at));
        let options = self.old.get(at + IPV4..at + bytes).unwrap_or_default();
        let mapped = of_ipv4(options, &self.known.map.addresses);
        self.put(at + IPV4, &mapped);
    }

    /// The same of IPv6.
    pub fn header_v6(&mut self, at: usize) {
        self.keep(at, 8);
        self.put_v6(at + 8);
        self.put_v6(at + 24);
    }

    /// What follows a header, and where.
    pub fn behind(&self, version: IpVersion, at: usize) -> (Protocol, usize) {
        match version {
            IpVersion::V4 => (Protocol(self.u8(at + 9)), at + header_bytes(self.u8(at))),
            IpVersion::V6 => (Protocol(self.u8(at + 6)), at + IPV6),
        }
    }

    /// Gives an IPv4 header a checksum that is what the original's was.
    pub fn settle_header(&mut self, at: usize, verdict: Verdict) {
        let end = at + header_bytes(self.u8(at));
        let Some(header) = self.new.get(at..end) else {
            return;
        };
        let old = self.u16(at + 10);
        let value = checksum::of_header(header, old, verdict, &self.known.map.fill);
        self.put(at + 10, &value.to_be_bytes());
    }

    /// Rewrites extension headers up to `until`; gives what is there.
    pub fn chain(
        &mut self,
        destination: &[u8; 16],
        next: Protocol,
        at: usize,
        until: usize,
    ) -> (Protocol, usize) {
        let (mut next, mut at) = (next, at);
        for _ in 0..=MAX_HEADERS {
            if at >= until || !is_extension(next) {
                break;
            }
            let length = self.extension_bytes(next, at);
            self.keep(at, 2);
            if at.saturating_add(length) > self.old.len() {
                break;
            }
            let is_last = self.extension(destination, next, at, length);
            next = Protocol(self.u8(at));
            at += length;
            if is_last {
                break;
            }
        }
        (next, at)
    }

    fn extension_bytes(&self, kind: Protocol, at: usize) -> usize {
        let field = usize::from(self.u8(at + 1));
        match kind.0 {
            FRAGMENT => 8,
            AUTHENTICATION => (field + 2) * 4,
            _ => (field + 1) * 8,
        }
    }

    /// Rewrites one header behind its first two bytes; says whether nothing that can be
    /// read follows it.
    fn extension(
        &mut self,
        destination: &[u8; 16],
        kind: Protocol,
        at: usize,
        length: usize,
    ) -> bool {
        match kind.0 {
            FRAGMENT => {
                self.keep(at, 8);
                return self.u16(at + 2) & 0xfff8 != 0;
            }
            HOP_BY_HOP | DESTINATION_OPTIONS => {
                let options = self.old.get(at + 2..at + length).unwrap_or_default();
                let mapped: Options = of_ipv6(options, &self.known.map.addresses);
                self.put(at + 2, &mapped);
            }
            ROUTING => self.routing(destination, at, length),
            // Who it is about; the first two bytes say how long.
            _ => {}
        }
        false
    }

    fn routing(&mut self, destination: &[u8; 16], at: usize, length: usize) {
        self.keep(at, 8);
        let kind = self.u8(at + 2);
        let end = at + length;
        if WHOLE_ADDRESSES.contains(&kind) {
            for place in (at + 8..end)
                .step_by(16)
                .take_while(|place| place + 16 <= end)
            {
                self.put_v6(place);
            }
            // The last may be looked for from the end.
            if length >= 24 && !(length - 8).is_multiple_of(16) {
                self.put(at + 8, &vec![0; length - 8]);
                self.put_v6(end - 16);
            }
        } else if kind == RPL {
            self.rpl(destination, at, end);
        }
    }

    /// Addresses without the beginning that they share with the destination.
    fn rpl(&mut self, destination: &[u8; 16], at: usize, end: usize) {
        let shared = self.u8(at + 4);
        let padding = usize::from(self.u8(at + 5) >> 4);
        let [others, last] = [shared >> 4, shared & 0x0f].map(usize::from);
        let Some(last_at) = end
            .checked_sub(padding + 16 - last)
            .filter(|from| *from >= at + 8)
        else {
            return;
        };
        let mut place = at + 8;
        while place + 16 - others <= last_at {
            self.shortened(destination, place, others);
            place += 16 - others;
        }
        self.shortened(destination, last_at, last);
    }

    fn shortened(&mut self, destination: &[u8; 16], at: usize, shared: usize) {
        let mut address = *destination;
        let own = address.get_mut(shared..).unwrap_or_default();
        let Some(tail) = self.old.get(at..at + own.len()) else {
            return;
        };
        own.copy_from_slice(tail);
        let mapped = self.known.map.addresses.v6(address);
        self.put(at, mapped.get(shared..).unwrap_or_default());
    }
}

/// Bytes of an IPv4 header, by its first.
pub(super) fn header_bytes(first: u8) -> usize {
    usize::from(first & 0x0f) * 4
}

/// Whether a protocol is a header in front of another.
pub(super) fn is_extension(protocol: Protocol) -> bool {
    matches!(
        protocol.0,
        HOP_BY_HOP
            | ROUTING
            | FRAGMENT
            | AUTHENTICATION
            | DESTINATION_OPTIONS
            | MOBILITY
            | HIP
            | SHIM6
    )
}
