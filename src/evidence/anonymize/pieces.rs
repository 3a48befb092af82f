//! The new bytes of fragments.
//!
//! Reassembly tells pieces apart by place, length and sum: a copy has the same, an altered
//! copy another sum. So pieces that are alike in this get the same new bytes, and others
//! get two bytes somewhere that differ. A datagram that is whole is rewritten whole and cut
//! again where it was cut.

use super::Anonymizer;
use super::checksum::Field;
use super::datagrams::{Datagrams, PieceFacts, WholeFacts};
use super::rewrite::{Known, Mark, Payload, Rewrite};
use crate::decode::{Decoder, Whole, sum};
use crate::model::facts::{Carries, Packet, Transport};
use crate::model::{ScopeSet, Sum, Verdict};
use crate::reassemble::Key;
use hashbrown::{HashMap, HashSet};

/// Bytes of a first fragment whose difference makes it another: its headers.
const HEADERS: usize = 64;

/// Values that are tried for two bytes that are to differ.
const MOST_TRIES: u32 = 64;

/// Where a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    key: Key,
    depth: usize,
    offset: u32,
    payload_bytes: u32,
}

/// Pieces that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alike {
    place: Place,
    captured: usize,
    /// Of the sum; where that is not known, and for the headers, of the bytes.
    digest: u64,
}

/// The new bytes of all fragments.
pub(super) struct Pieces<'a> {
    map: &'a Anonymizer,
    new: HashMap<Alike, Vec<u8>>,
    /// The two bytes of each kind of piece.
    marks: HashMap<Alike, u16>,
    taken: HashSet<(Place, u16)>,
    /// New sums of first fragments by their old ones: other headers can have the same.
    sums: HashMap<(Place, u16), Sum>,
}

impl<'a> Pieces<'a> {
    /// Rewrites all fragments, what is inside tunnels first.
    pub fn of(map: &'a Anonymizer, datagrams: &Datagrams, decoder: &mut Decoder) -> Self {
        let mut pieces = Self {
            map,
            new: HashMap::new(),
            marks: HashMap::new(),
            taken: HashSet::new(),
            sums: HashMap::new(),
        };
        let deepest = datagrams.pieces.iter().map(|piece| piece.depth).max();
        for depth in (0..=deepest.unwrap_or(0)).rev() {
            let wholes = datagrams.wholes.iter().filter(|whole| whole.depth == depth);
            let mut decoded: Vec<_> = wholes
                .map(|whole| (whole, decoded(whole, decoder)))
                .collect();
            // What is right takes the bytes that are still free.
            decoded.sort_by_key(|(_, packet)| !is_right(packet));
            for (whole, packet) in &decoded {
                pieces.whole(datagrams, whole, packet, decoder.scopes());
            }
            for piece in datagrams.pieces.iter().filter(|piece| piece.depth == depth) {
                pieces.alone(piece, decoder);
            }
        }
        pieces
    }

    /// The new bytes of a piece.
    pub fn of_piece(&self, piece: &PieceFacts) -> Option<&[u8]> {
        self.new.get(&self.alike(piece)).map(Vec::as_slice)
    }

    fn whole(
        &mut self,
        datagrams: &Datagrams,
        whole: &WholeFacts,
        packet: &Packet,
        scopes: &ScopeSet,
    ) {
        let held: Vec<&PieceFacts> = whole
            .held
            .iter()
            .filter_map(|index| datagrams.pieces.get(*index))
            .collect();
        let Some(first) = datagrams.pieces.get(whole.first) else {
            return;
        };
        let (free, bound): (Vec<_>, Vec<_>) = held
            .iter()
            .copied()
            .partition(|piece| self.of_piece(piece).is_none());
        let marks: Vec<Mark> = free.iter().filter_map(|piece| self.mark(piece)).collect();
        let known = Known {
            map: self.map,
            scopes,
            pieces: self,
        };
        let alike: Vec<Alike> = held.iter().map(|piece| self.alike(piece)).collect();
        let payload = Payload {
            old: &whole.bytes,
            packet,
            next: first.next,
            depth: whole.depth,
            marks: &marks,
            salt: self.map.fill.of(&alike),
        };
        let (mut bytes, field) = Rewrite::datagram(known, &payload);
        bytes.resize(whole.payload_bytes as usize, 0);
        // What came behind a gap was not looked at.
        for (at, mark) in &marks {
            if *at >= whole.bytes.len() {
                write(&mut bytes, *at, mark);
            }
        }
        for piece in &bound {
            let new = self.of_piece(piece).unwrap_or_default();
            let usable = new.get(..piece.usable() as usize).unwrap_or(new);
            write(&mut bytes, piece.piece.offset as usize, usable);
        }
        if let Some(field) = field.filter(|_| !bound.is_empty()) {
            repair(&mut bytes, &field, &free, &marks, self.map);
        }
        let is_right = is_right(packet);
        for piece in free {
            self.cut(piece, &bytes, is_right);
        }
    }

    /// Takes the new bytes of a piece out of those of its datagram.
    fn cut(&mut self, piece: &PieceFacts, whole: &[u8], is_right: bool) {
        let start = piece.piece.offset as usize;
        let captured = piece.bytes.len();
        let end = start + captured.min(piece.usable() as usize);
        let mut bytes = whole.get(start..end).unwrap_or_default().to_vec();
        bytes.resize(captured, 0);
        self.keep(piece, bytes, is_right);
    }

    /// A piece of nothing that is whole.
    fn alone(&mut self, piece: &PieceFacts, decoder: &mut Decoder) {
        if self.of_piece(piece).is_some() {
            return;
        }
        let mark = self.mark(piece);
        let marks: Vec<Mark> = mark
            .into_iter()
            .map(|(at, bytes)| (at - piece.piece.offset as usize, bytes))
            .collect();
        let bytes = if piece.piece.offset == 0 {
            let begun = Whole::begun_by(&piece.layer, piece.layer.payload_bytes, None);
            let mut packet = Packet::default();
            decoder.datagram(&begun, &piece.bytes, &mut packet);
            if let Some(layer) = packet.layers.first_mut() {
                leave_open(&mut layer.transport);
            }
            let known = Known {
                map: self.map,
                scopes: decoder.scopes(),
                pieces: self,
            };
            let payload = Payload {
                old: &piece.bytes,
                packet: &packet,
                next: piece.next,
                depth: piece.depth,
                marks: &marks,
                salt: 0,
            };
            Rewrite::datagram(known, &payload).0
        } else {
            let mut bytes = vec![0; piece.bytes.len()];
            for (at, mark) in &marks {
                write(&mut bytes, *at, mark);
            }
            bytes
        };
        self.keep(piece, bytes, false);
    }

    /// Keeps the new bytes of a piece. First fragments whose headers differ and whose sums
    /// do not go on being copies of each other; what is right by its checksum is so anyway.
    fn keep(&mut self, piece: &PieceFacts, mut bytes: Vec<u8>, is_right: bool) {
        let alike = self.alike(piece);
        if let Some(old) = piece.piece.sum.filter(|_| piece.piece.offset == 0) {
            let twin = *self
                .sums
                .entry((alike.place, old.0))
                .or_insert_with(|| sum(&bytes));
            let mark = self.mark(piece).filter(|(_, mark)| mark.len() == 2);
            if let Some((at, _)) = mark.filter(|_| !is_right && twin != sum(&bytes)) {
                write(&mut bytes, at, &[0, 0]);
                let missing = twin.minus(sum(&bytes));
                write(&mut bytes, at, &missing.0.to_be_bytes());
            }
        }
        self.new.insert(alike, bytes);
    }

    /// The bytes that make a piece differ from others in its place, and where they are in
    /// its datagram: at its end, where no header is.
    fn mark(&mut self, piece: &PieceFacts) -> Option<Mark> {
        let captured = piece.bytes.len();
        let room = match piece.usable() as usize {
            0 => captured,
            usable => captured.min(usable),
        };
        let start = piece.piece.offset as usize;
        let value = self.value(piece).to_be_bytes();
        match room {
            0 => None,
            1 => Some((start, value[1..].to_vec())),
            _ => Some((start + (room - 2) / 2 * 2, value.to_vec())),
        }
    }

    fn value(&mut self, piece: &PieceFacts) -> u16 {
        let alike = self.alike(piece);
        if let Some(known) = self.marks.get(&alike) {
            return *known;
        }
        let fill = &self.map.fill;
        let mut tries = (0..MOST_TRIES).map(|attempt| fill.word(&("mark", alike, attempt)));
        let taken = &mut self.taken;
        let value = tries
            .find(|value| taken.insert((alike.place, *value)))
            .unwrap_or(1);
        self.marks.insert(alike, value);
        value
    }

    fn alike(&self, piece: &PieceFacts) -> Alike {
        let headers = match piece.piece.offset {
            0 => piece.bytes.get(..HEADERS).unwrap_or(&piece.bytes),
            _ => &[],
        };
        let digest = match piece.piece.sum {
            Some(sum) => self.map.fill.of(&("sum", sum.0, headers)),
            None => self.map.fill.of(&("bytes", &piece.bytes)),
        };
        Alike {
            place: Place {
                key: piece.key,
                depth: piece.depth,
                offset: piece.piece.offset,
                payload_bytes: piece.layer.payload_bytes,
            },
            captured: piece.bytes.len(),
            digest,
        }
    }
}

/// A whole datagram as decoding sees it: one whose first fragment shows no tunnel has none.
fn decoded(whole: &WholeFacts, decoder: &mut Decoder) -> Packet {
    let mut packet = Packet::default();
    decoder.datagram(&whole.whole, &whole.bytes, &mut packet);
    if !whole.is_tunnel {
        packet.layers.truncate(1);
        if let Some(layer) = packet.layers.first_mut()
            && matches!(layer.carries, Carries::Tunnel(_))
        {
            layer.carries = Carries::Flow;
        }
    }
    packet
}

fn is_right(packet: &Packet) -> bool {
    let transport = packet.layers.first().map(|layer| &layer.transport);
    match transport {
        Some(Transport::Udp(udp)) => udp.checksum == Verdict::Good,
        Some(Transport::Tcp(tcp)) => tcp.checksum == Verdict::Good,
        Some(Transport::Icmp(icmp)) => icmp.checksum == Verdict::Good,
        _ => false,
    }
}

/// Of a datagram that is not whole nothing can be said.
fn leave_open(transport: &mut Transport) {
    match transport {
        Transport::Udp(udp) if !udp.is_unsummed => udp.checksum = Verdict::Unverifiable,
        Transport::Tcp(tcp) => tcp.checksum = Verdict::Unverifiable,
        Transport::Icmp(icmp) => icmp.checksum = Verdict::Unverifiable,
        Transport::Sctp { checksum, .. } | Transport::Cut { checksum, .. } => {
            *checksum = Verdict::Unverifiable;
        }
        Transport::Gre {
            checksum: Some(checksum),
        } => *checksum = Verdict::Unverifiable,
        _ => {}
    }
}

/// Makes a checksum what it was, after pieces took bytes that they have elsewhere: in its
/// field, or where a piece differs from others.
fn repair(bytes: &mut [u8], field: &Field, free: &[&PieceFacts], marks: &[Mark], map: &Anonymizer) {
    let is_free = |at: usize| {
        free.iter().any(|piece| {
            let start = piece.piece.offset as usize;
            (start..start + piece.usable() as usize).contains(&at)
        })
    };
    let mut in_marks = marks
        .iter()
        .rev()
        .filter(|(at, mark)| mark.len() == 2 && (field.start..field.end).contains(at))
        .map(|(at, _)| *at);
    let at = match is_free(field.at) {
        true => Some(field.at),
        false => in_marks.next(),
    };
    if let Some(at) = at {
        let field = Field { at, ..*field };
        let value = field.value(bytes, None, &map.fill);
        write(bytes, at, &value.to_be_bytes());
    }
}

fn write(bytes: &mut [u8], at: usize, new: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(new.len())) {
        place.copy_from_slice(new);
    }
}
