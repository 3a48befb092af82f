//! What one point saw: one innermost packet, one fragment, or one outer fragment.

use crate::model::{FlowKey, Protocol, Sum, Timestamp, Verdict};

/// Number of a flow as one point sees it, in the order they were met there.
pub(super) type Lane = u32;

/// No lane.
pub(super) const NO_LANE: Lane = Lane::MAX;

/// A flow as one point sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneFacts {
    /// Its addresses, ports and scope there.
    pub key: FlowKey,
    /// The lane of fragments between the same addresses, which have no ports; its own
    /// number if it is that.
    pub base: Lane,
}

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

/// One thing that one point saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    /// When, by the clock of the point.
    pub time: Timestamp,
    /// Number of the frame in its input.
    pub frame: u64,
    /// Which flow; that of addresses alone for fragments.
    pub lane: Lane,
    /// The flow with ports that a first fragment shows.
    pub ported: Lane,
    pub form: Form,
    pub protocol: Protocol,
    /// Identification; 0 where the packet has none.
    pub id: u32,
    /// Whether it has one: of IPv4, 0 with DF is none (RFC 6864).
    pub is_numbered: bool,
    /// Where its bytes begin: in the payload of the datagram for a fragment, in the
    /// stream for a segment.
    pub offset: u32,
    /// How many bytes that payload has: of the IP payload for datagrams and fragments, of
    /// the stream for a segment.
    pub bytes: u32,
    /// MF.
    pub more: bool,
    /// What tells it from others of its flow, wherever it is seen.
    pub identity: u64,
    /// Hash of the beginning of what neither NAT nor a NIC changes.
    pub content: u64,
    /// The same without its size, which NICs change.
    pub head: u64,
    /// Sum of all of that; `None` where the snaplen cut it.
    pub sum: Option<Sum>,
    /// IP length in bytes, header included.
    pub ip_bytes: u32,
    pub hop_limit: u8,
    /// TOS or traffic class: DSCP and ECN.
    pub traffic_class: u8,
    /// Verdict on the transport checksum, if there is one.
    pub checksum: Option<Verdict>,
    /// Whether it is an outer packet: a tunnel is in its datagram.
    pub is_carrier: bool,
    pub share: Share,
}

impl Sighting {
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

    /// Whether two of these that look the same can be told apart by their identification.
    pub fn has_identity(&self) -> bool {
        self.is_numbered
    }
}

/// What one point saw, in the order of its capture.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Lanes met for the first time, numbered on from those before.
    pub lanes: Vec<LaneFacts>,
    pub sightings: Vec<Sighting>,
    /// Time of the latest frame read so far, of whatever kind.
    pub until: Option<Timestamp>,
}

/// A datagram with some identification, and bytes that follow from it.
#[cfg(test)]
pub(super) fn example(id: u32) -> Sighting {
    Sighting {
        time: Timestamp(0),
        frame: 0,
        lane: 0,
        ported: NO_LANE,
        form: Form::Whole,
        protocol: Protocol::UDP,
        id,
        is_numbered: true,
        offset: 0,
        bytes: 100,
        more: false,
        identity: id.into(),
        content: id.into(),
        head: id.into(),
        sum: None,
        ip_bytes: 120,
        hop_limit: 64,
        traffic_class: 0,
        checksum: None,
        is_carrier: false,
        share: Share::All,
    }
}
