//! A datagram (or a stretch of a TCP stream) in flight, and what each point saw of it.

use super::between::Shown;
use super::look::Look;
use super::sighting::{Form, Share, Sighting};
use super::slab::NONE;
use crate::model::{Sum, Timestamp};

/// The length of a datagram whose last fragment nobody saw.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// One bit a point.
pub(super) type Mask = u16;

/// Something in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    /// The flow by whose key it is found: that of addresses alone for fragments.
    pub flow: u32,
    /// The flow with ports, once a first fragment showed them.
    pub ported: u32,
    pub form: Form,
    pub id: u32,
    /// Where it begins in the stream; 0 for a datagram.
    pub start: u32,
    /// How long it is, [`UNKNOWN`] until its last fragment is seen.
    pub length: u32,
    /// When it was first seen, by the clock of the first point.
    pub first: Timestamp,
    /// When it was last seen, by the same clock.
    pub last: Timestamp,
    /// First of its pieces.
    pub pieces: u32,
    /// Where the last of these ends.
    pub reach: u32,
    /// First of its keys.
    pub keys: u32,
    /// Where it is counted as seen by one point alone, if it is.
    pub lone: u32,
    /// Points that saw any of it.
    pub seen: Mask,
    /// Whether a tunnel is in it.
    pub is_carrier: bool,
    /// Whether it is a TCP segment without data.
    pub is_control: bool,
    /// Whether it can be told from others with the same content.
    pub has_identity: bool,
    /// Whether who has the same has this, and no other: then it tells the time.
    pub tells_time: bool,
    /// Whether it is a super-frame of UDP, which came in several messages elsewhere.
    pub is_super_udp: bool,
    /// Whether it has been under way for longer than most.
    pub is_old: bool,
    /// Whether what comes may be of it.
    pub is_under_way: bool,
    /// Whether it is still in flight.
    pub is_open: bool,
}

/// A range of the bytes of a parcel, as some point saw it in one packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub offset: u32,
    pub bytes: u32,
    pub content: u64,
    pub head: u64,
    pub sum: Option<Sum>,
    /// IP length of the packet in which it was seen first.
    pub ip_bytes: u32,
    /// The points that saw exactly this.
    pub seen: Mask,
    /// Two bits a pair of points: whether both had seen others before that came later to the
    /// one in front, or behind.
    pub reordered: u32,
    /// Points where its bytes were others than where it was seen first.
    pub damaged: Mask,
    /// The flow among whose packets it is counted where it is seen: that with ports, if a first
    /// fragment had shown these by the time it was seen first.
    pub counted_in: u32,
    pub next: u32,
}

// One of each fragment under way.
const _: () = assert!(size_of::<Piece>() == 48);

/// How one point saw a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// By the clock of the point.
    pub time: Timestamp,
    pub frame: u64,
    /// How many of its flow came there before.
    pub order: u32,
    /// How many times it came beyond the first.
    pub copies: u8,
    /// How many frames later the first of these was; 0 if that is not known.
    frames_between: u16,
    /// How many nanoseconds later.
    time_between: i32,
    /// How it looked there.
    pub look: Look,
    /// What of a frame it was.
    pub share: Share,
}

// Very many wait in line.
const _: () = assert!(size_of::<Seen>() == 32);

impl Parcel {
    pub fn of(sighting: &Sighting, flow: u32, first: Timestamp) -> Self {
        let is_last = sighting.form == Form::Piece && !sighting.more;
        Self {
            flow,
            ported: NONE,
            form: sighting.form,
            id: sighting.id,
            start: match sighting.form {
                Form::Segment => sighting.offset,
                Form::Whole | Form::Piece => 0,
            },
            length: match sighting.form {
                Form::Piece if !is_last => UNKNOWN,
                Form::Piece => sighting.end(),
                Form::Whole | Form::Segment => sighting.bytes,
            },
            first,
            last: first,
            pieces: NONE,
            reach: 0,
            keys: NONE,
            lone: NONE,
            seen: 0,
            is_carrier: sighting.is_carrier,
            is_control: sighting.is_control,
            has_identity: sighting.has_identity(),
            tells_time: sighting.can_be_told(),
            is_super_udp: false,
            is_old: false,
            is_under_way: true,
            is_open: true,
        }
    }
}

impl Parcel {
    /// What is known of it under another name, but for its pieces.
    pub fn take_over(&mut self, other: &Self) {
        if self.ported == NONE {
            self.ported = other.ported;
        }
        // That of which the end is not known is the longest.
        self.length = self.length.min(other.length);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.reach = self.reach.max(other.reach);
        self.seen |= other.seen;
        self.is_carrier |= other.is_carrier;
    }

    /// Whether what is seen is surely this. What goes without an identification only here may
    /// be another.
    pub fn tells_time_of(&self, sighting: &Sighting) -> bool {
        sighting.can_be_told() || (self.tells_time && !self.has_identity)
    }

    /// First of the pieces among which some bytes may be. Mostly they come in order, and are
    /// behind all.
    pub fn pieces_near(&self, offset: u32, bytes: u32) -> u32 {
        let are_beyond = bytes > 0 && offset >= self.reach;
        if are_beyond { NONE } else { self.pieces }
    }

    /// Whether all of it came in this piece everywhere, as it was.
    pub fn is_one(&self, piece: &Piece) -> bool {
        piece.next == NONE
            && (piece.offset, piece.bytes) == (0, self.length)
            && piece.damaged == 0
            && self.form != Form::Piece
    }
}

impl Piece {
    pub fn of(sighting: &Sighting, offset: u32, bytes: u32, next: u32) -> Self {
        Self {
            offset,
            bytes,
            content: sighting.content(),
            head: sighting.head,
            sum: sighting.sum,
            ip_bytes: sighting.ip_bytes,
            seen: 0,
            reordered: 0,
            damaged: 0,
            counted_in: NONE,
            next,
        }
    }

    pub fn end(&self) -> u32 {
        self.offset.saturating_add(self.bytes)
    }

    pub fn range(&self) -> std::ops::Range<u32> {
        self.offset..self.end()
    }

    /// Packets and IP bytes that it counts as: the rest of a frame adds but its bytes.
    pub fn counted(&self, is_rest: bool) -> (u32, u32) {
        match is_rest {
            true => (0, self.bytes),
            false => (1, self.ip_bytes),
        }
    }

    /// Whether it has the same bytes as far as both are known.
    pub fn agrees(&self, sighting: &Sighting) -> bool {
        let sums = match (self.sum, sighting.sum) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        sums && self.content == sighting.content()
    }
}

impl Seen {
    pub fn of(sighting: &Sighting, order: u32) -> Self {
        Self {
            time: sighting.time,
            frame: sighting.frame,
            order,
            copies: 0,
            frames_between: 0,
            time_between: 0,
            look: sighting.look,
            share: sighting.share,
        }
    }

    /// The frame, at its point.
    pub fn shown(&self, point: usize) -> Shown {
        Shown {
            point,
            frame: self.frame,
            time: self.time,
        }
    }

    /// It came once more.
    pub fn came_again(&mut self, sighting: &Sighting) {
        if self.copies == 0 {
            let frames = u16::try_from(sighting.frame.saturating_sub(self.frame));
            let nanos = i32::try_from((sighting.time - self.time).0);
            let between = frames.ok().zip(nanos.ok());
            (self.frames_between, self.time_between) = between.unwrap_or_default();
        }
        self.copies = self.copies.saturating_add(1);
    }

    /// The frame in which it came once more, and when.
    pub fn copy(&self) -> Option<(u64, Timestamp)> {
        let frame = self.frame.saturating_add(self.frames_between.into());
        let time = Timestamp(self.time.0.saturating_add(self.time_between.into()));
        (frame > self.frame).then_some((frame, time))
    }

    /// Whether it is the rest of a frame that is counted where that begins.
    pub fn is_rest(&self) -> bool {
        self.share == Share::Rest
    }
}
