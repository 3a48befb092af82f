//! What one point saw: one innermost packet, one fragment, or one outer fragment.

use super::between::Shown;
use super::content::hash;
use super::look::Look;
use crate::model::{FlowKey, Protocol, Sum, Timestamp};
use std::mem::offset_of;

/// Number of a flow as one point sees it, in the order they were met there.
pub(super) type Lane = u32;

/// No lane.
pub(super) const NO_LANE: Lane = Lane::MAX;

/// What kind of thing was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A datagram that is no fragment.
    Whole,
    /// The same, and a piece of a stream of bytes: TCP with data, SYN or FIN.
    Segment,
    /// A fragment.
    Piece,
}

/// What of a frame something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Share {
    #[default]
    All,
    /// More of it is elsewhere.
    Begin,
    /// The frame is counted where it begins.
    Rest,
}

/// One thing that one point saw. What most have in common is side by side, and so written at
/// once.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Sighting {
    /// When, by the clock of the point.
    pub time: Timestamp,
    /// Number of the frame in its input.
    pub frame: u64,
    /// Hash of the beginning of what neither NAT nor a NIC changes; of a TCP segment without
    /// data, of all that tells it from others.
    pub head: u64,
    /// Which flow; that of addresses alone for fragments.
    pub lane: Lane,
    /// The flow with ports that a first fragment shows.
    pub ported: Lane,
    /// Identification; 0 where the packet has none.
    pub id: u32,
    /// Where its bytes begin: in the payload of the datagram for a fragment, in the
    /// stream for a segment.
    pub offset: u32,
    /// How many bytes that payload has: of the IP payload for datagrams and fragments, of
    /// the stream for a segment.
    pub bytes: u32,
    /// IP length in bytes, header included.
    pub ip_bytes: u32,
    /// Sum of all that neither NAT nor a NIC changes; `None` where the snaplen cut it.
    pub sum: Option<Sum>,
    /// What may be another elsewhere.
    pub look: Look,
    pub protocol: Protocol,
    /// Whether it has an identification: of IPv4, 0 with DF is none (RFC 6864).
    pub is_numbered: bool,
    /// Whether it gets another identification where it is fragmented anew, as IPv6 does.
    pub is_renumbered: bool,
    /// Whether it is beyond all that its point saw of its flow, which is numbered in a row: no
    /// copy, as far as that reaches back half the numbers there are.
    pub is_fresh: bool,
    /// Whether it is an outer packet: a tunnel is in its datagram.
    pub is_carrier: bool,
    pub form: Form,
    /// MF.
    pub more: bool,
    /// Whether it is a TCP segment without data.
    pub is_control: bool,
    pub share: Share,
}

/// Nothing that anybody saw.
pub(super) const BLANK: Sighting = Sighting {
    time: Timestamp(0),
    frame: 0,
    lane: NO_LANE,
    ported: NO_LANE,
    form: Form::Whole,
    protocol: Protocol(0),
    id: 0,
    is_numbered: false,
    offset: 0,
    bytes: 0,
    more: false,
    is_control: false,
    is_renumbered: false,
    head: 0,
    sum: None,
    ip_bytes: 0,
    look: Look::BLANK,
    is_carrier: false,
    share: Share::All,
    is_fresh: false,
};

// One line of a cache: what one thread writes another reads.
const _: () = assert!(size_of::<Sighting>() == 64);
// What is compared at once is side by side.
const _: () = assert!(offset_of!(Sighting, is_carrier) == offset_of!(Sighting, look) + 7);

/// Bytes of a UDP header.
pub(super) const UDP_HEADER: u32 = 8;

/// Payloads shorter than this are alike too often to be known by their bytes alone.
pub(super) const TELLING_BYTES: u32 = 24;

/// Whole datagrams from this size on may come in fragments elsewhere.
const MAY_BE_CUT: u32 = 576;

/// What tells packets of one flow apart, by what there is of it.
mod kind {
    pub const PIECE: u64 = 1;
    pub const SEGMENT: u64 = 2;
    pub const NUMBERED: u64 = 3;
    pub const ALIKE: u64 = 4;
    pub const CONTROL: u64 = 5;
}

/// What tells a packet from others of its flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    number: u32,
    /// What it is the number of.
    of: u64,
}

impl Identity {
    /// Of a stretch of a stream.
    pub fn of_segment(sequence: u32) -> Self {
        Self {
            number: sequence,
            of: kind::SEGMENT << 56,
        }
    }

    /// Under which a packet of a flow is found.
    pub fn key(self, flow: u32) -> u64 {
        hash(&[u64::from(flow) << 32 | u64::from(self.number), self.of])
    }

    /// The same, where several of other sizes have it, as stretches of a stream that begin at one
    /// place.
    pub fn key_of_size(self, flow: u32, bytes: u32) -> u64 {
        hash(&[self.key(flow), bytes.into()])
    }
}

/// See [`Sighting::manner`].
#[inline(always)]
pub(super) fn manner(look: Look, protocol: Protocol, marks: [bool; 4]) -> u64 {
    let [hop_limit, class, checksum] = look.bytes();
    let [first, second, third, last] = marks.map(u8::from);
    let protocol = protocol.0;
    u64::from_le_bytes([
        hop_limit, class, checksum, protocol, first, second, third, last,
    ])
}

impl Sighting {
    /// What most packets of a flow have in common, to be held against that of another at once: these
    /// are side by side.
    #[inline(always)]
    pub fn manner(&self) -> u64 {
        manner(
            self.look,
            self.protocol,
            [
                self.is_numbered,
                self.is_renumbered,
                self.is_fresh,
                self.is_carrier,
            ],
        )
    }

    /// Whether it is a whole datagram in a frame of its own.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        let is_whole = self.form == Form::Whole && !self.more && !self.is_control;
        is_whole && self.share == Share::All && self.ported == NO_LANE && self.offset == 0
    }

    /// What of a stretch of a stream is from `at` on. It has the headers if it is its begin;
    /// how many packets are in front of it is unknown if it is not.
    pub fn part(&self, at: u32, bytes: u32) -> Self {
        let is_begin = at == self.offset;
        let headers = self.ip_bytes.saturating_sub(self.bytes);
        Self {
            offset: at,
            bytes,
            ip_bytes: bytes + if is_begin { headers } else { 0 },
            is_numbered: self.is_numbered && is_begin,
            share: match (is_begin, bytes == self.bytes) {
                (true, true) => Share::All,
                (true, false) => Share::Begin,
                (false, _) => Share::Rest,
            },
            ..*self
        }
    }

    /// The frame in which a point saw it.
    pub fn shown(&self, point: usize) -> Shown {
        Shown {
            point,
            frame: self.frame,
            time: self.time,
        }
    }

    /// How many of its bytes NICs put into other packets, and these get headers of their own;
    /// `None` if they do so with nothing of it.
    pub fn data_bytes(&self) -> Option<u32> {
        match self.form {
            Form::Segment => Some(self.bytes),
            Form::Whole if self.protocol == Protocol::UDP => self.bytes.checked_sub(UDP_HEADER),
            Form::Whole | Form::Piece => None,
        }
    }

    /// Where its bytes end.
    pub fn end(&self) -> u32 {
        self.offset.wrapping_add(self.bytes)
    }

    /// Whether its end is that of its datagram.
    pub fn ends_datagram(&self) -> bool {
        match self.form {
            Form::Piece => !self.more,
            Form::Whole => true,
            Form::Segment => false,
        }
    }

    /// Whether it can be told from others of its flow that have the same bytes: by its
    /// identification or its place in the stream.
    pub fn can_be_told(&self) -> bool {
        self.is_numbered || self.form == Form::Segment
    }

    /// Whether no other has what it is found by, whatever flows they are of: its identification, its
    /// place in a stream, or as a segment without data the numbers of one.
    pub fn is_one_of_a_kind(&self) -> bool {
        self.can_be_told() || self.is_control
    }

    /// Whether it has neither, and nothing but its order tells it from those.
    pub fn is_nameless(&self) -> bool {
        self.form == Form::Whole && !self.is_numbered
    }

    /// Whether it is no other that its point saw before, as far as anybody can tell.
    pub fn is_new_here(&self) -> bool {
        self.is_fresh || self.is_nameless()
    }

    /// What tells it from others of its flow, wherever it is seen.
    pub fn identity(&self) -> Identity {
        let of = match self.form {
            Form::Segment => return Identity::of_segment(self.offset),
            Form::Piece => kind::PIECE << 56,
            Form::Whole if self.is_control => hash(&[kind::CONTROL, self.head]),
            Form::Whole if self.is_numbered => kind::NUMBERED << 56 | self.size(),
            Form::Whole => hash(&[kind::ALIKE, self.size(), self.head]),
        };
        Identity {
            number: self.id,
            of,
        }
    }

    /// Hash of the beginning of its bytes, and of where these are.
    pub fn content(&self) -> u64 {
        match self.form {
            Form::Piece => {
                let id = if self.is_renumbered { 0 } else { self.id };
                let (offset, bytes) = (self.offset.into(), self.bytes.into());
                hash(&[kind::PIECE, id.into(), offset, bytes, self.head])
            }
            Form::Segment => self.beginning(),
            Form::Whole => {
                let weak = if self.bytes < TELLING_BYTES {
                    self.id
                } else {
                    0
                };
                hash(&[kind::ALIKE, self.size(), self.head, weak.into()])
            }
        }
    }

    /// Hash of all that it is found by where it has other addresses: the same at every point. What may
    /// have the same bytes as others of its flow is told by its identification, which it has wherever
    /// it is found by these.
    #[inline(always)]
    pub fn telling(&self) -> u64 {
        if self.form != Form::Whole {
            return self.content();
        }
        let is_told_by_it = self.is_numbered || self.bytes < TELLING_BYTES;
        let id = if is_told_by_it { self.id } else { 0 };
        hash(&[self.head, self.size() << u32::BITS | u64::from(id)])
    }

    /// Whether it is one of so many that are looked for by their content, of all that has one.
    pub fn is_one_in(&self, so_many: u64) -> bool {
        self.telling().is_multiple_of(so_many)
    }

    /// The same without its size, which NICs change.
    pub fn beginning(&self) -> u64 {
        let offset = self.offset.into();
        match self.form {
            Form::Piece => hash(&[kind::PIECE, offset, self.head]),
            Form::Segment => hash(&[kind::SEGMENT, offset, self.head]),
            Form::Whole => self.head,
        }
    }

    /// Whether it may come in fragments elsewhere that have its identification.
    pub fn may_be_cut(&self) -> bool {
        self.may_come_cut() && self.is_numbered
    }

    /// Whether it may come in fragments elsewhere.
    pub fn may_come_cut(&self) -> bool {
        self.ip_bytes > MAY_BE_CUT
            && self.form == Form::Whole
            && (self.is_numbered || self.is_renumbered)
    }

    /// Whether it is a first fragment, or whole what may come in fragments elsewhere: both begin
    /// with the same bytes.
    pub fn begins_datagram(&self) -> bool {
        match self.form {
            Form::Piece => self.offset == 0,
            Form::Whole => self.may_come_cut(),
            Form::Segment => false,
        }
    }

    fn size(&self) -> u64 {
        u64::from(self.bytes) << 8 | u64::from(self.protocol.0)
    }

    /// Whether it is the same packet with the same bytes, of flows that are one.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.head == other.head
            && self.id == other.id
            && self.offset == other.offset
            && self.bytes == other.bytes
            && self.sum == other.sum
            && self.form == other.form
            && self.is_numbered == other.is_numbered
            && self.is_control == other.is_control
    }

    /// Whether two of these that look the same can be told apart by their identification.
    pub fn has_identity(&self) -> bool {
        self.is_numbered
    }
}

/// What one point saw, in the order of its capture.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Flows met for the first time, whose lanes are numbered on from those before.
    pub lanes: Vec<FlowKey>,
    /// Lanes whose packets may come in fragments, and the lanes of these, which have no ports.
    pub bases: Vec<(Lane, Lane)>,
    /// Hashes of the names of flows beyond the bound, of which there are no sightings.
    pub refused: Vec<u64>,
    pub sightings: Vec<Sighting>,
    /// When the one behind these is, if that is known: it comes with the next batch.
    pub behind: Option<Timestamp>,
    /// Time of the latest frame read so far, of whatever kind; the earliest there is before
    /// the first.
    pub until: Timestamp,
}

/// A datagram with some identification, and bytes that follow from it.
#[cfg(test)]
pub(super) fn example(id: u32) -> Sighting {
    Sighting {
        lane: 0,
        protocol: Protocol::UDP,
        id,
        is_numbered: true,
        bytes: 100,
        head: id.into(),
        ip_bytes: 120,
        look: Look::new(64, 0, None, false),
        ..BLANK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn whatever_tells_packets_apart_is_in_their_key() {
        let whole = example(5);
        let others = [
            Sighting { id: 6, ..whole },
            Sighting {
                bytes: 101,
                ..whole
            },
            Sighting {
                protocol: Protocol::TCP,
                ..whole
            },
            Sighting {
                form: Form::Piece,
                ..whole
            },
            Sighting {
                form: Form::Segment,
                offset: 5,
                ..whole
            },
            Sighting {
                is_control: true,
                ..whole
            },
            Sighting {
                is_control: true,
                head: 6,
                ..whole
            },
            Sighting {
                is_numbered: false,
                ..whole
            },
            Sighting {
                is_numbered: false,
                head: 6,
                ..whole
            },
        ];
        let all = std::iter::once(&whole).chain(&others);
        let keys = all.flat_map(|sighting| (0..20).map(|flow| sighting.identity().key(flow)));
        let keys: HashSet<u64> = keys.collect();
        assert_eq!(keys.len(), 20 * 10);
        let elsewhere = Sighting {
            time: Timestamp(9),
            look: Look::default(),
            head: 9,
            ..whole
        };
        assert_eq!(elsewhere.identity().key(3), whole.identity().key(3));
    }
}
