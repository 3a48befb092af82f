//! What is kept of one point, frame by frame.

use super::clocks::Clocks;
use super::exhibits::{Exhibit, Place};
use super::near::Near;
use super::pending::Pending;
use super::sought::{Identity, Sought};
use crate::decode::{DecodeOptions, Decoder};
use crate::evidence::datagrams::{self, Datagrams};
use crate::evidence::kept::KeptFrame;
use crate::evidence::room::Room;
use crate::model::facts::Packet;
use crate::model::{Frame, FrameId, Timestamp};
use crate::reassemble::{FragmentFacts, Key};
use crate::source::FilterSet;
use std::collections::BTreeMap;

/// Most bytes of fragments that are held back: some hundred datagrams of 64 KiB at once.
const HELD_BYTES: u64 = 8 << 20;

/// Frames of all points, and the datagrams they are fragments of.
#[derive(Debug)]
pub(super) struct Keeping {
    pub room: Room<Place>,
    /// By the number that the frames of a datagram have in the room.
    pub datagrams: Vec<Whole>,
}

/// A datagram of which a fragment is named, as seen at one point.
#[derive(Debug)]
pub(super) struct Whole {
    /// The point.
    pub point: u32,
    /// Fragments of it that the capture has.
    pub fragments: u64,
    /// Whether there may be more.
    pub is_partial: bool,
    /// What it is known by elsewhere.
    pub identity: Identity,
    /// When it was named or found, by the first point's clock.
    pub time: Timestamp,
    /// How much its fragments are needed that are not named.
    pub place: Place,
    /// Why it is kept.
    pub because: Because,
}

/// Why a datagram is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Because {
    /// A fragment of it is named here.
    Named,
    /// One is at another point.
    Sought,
}

/// What is looked for at one point.
pub(super) struct Aim<'a> {
    /// The point.
    pub point: u32,
    /// Frames that must be there.
    pub named: &'a BTreeMap<u64, Exhibit>,
    /// Datagrams that may be there.
    pub sought: Sought,
    /// All clocks.
    pub clocks: &'a Clocks,
}

/// Looks at the frames of one point.
pub(super) struct Look<'a> {
    aim: Aim<'a>,
    near: Near<'a>,
    filter: Option<FilterSet>,
    decoder: Decoder,
    packet: Packet,
    datagrams: Datagrams<()>,
    pending: Pending,
    /// The datagrams of which a fragment is named, by the number that they are followed by.
    wanted: BTreeMap<u64, Wanted>,
    keeping: &'a mut Keeping,
    /// Frames that are named and came.
    found: usize,
    /// The frame that was looked at last, and its time.
    last: (u64, Timestamp),
}

/// How a datagram is kept.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// Its number in the room.
    number: usize,
    /// Where its fragments belong that are not named themselves.
    place: Place,
    key: Key,
}

impl<'a> Look<'a> {
    /// Keeps what is looked for, and holds back what may turn out to belong to it.
    pub fn new(
        aim: Aim<'a>,
        filter: Option<FilterSet>,
        decode: &DecodeOptions,
        keeping: &'a mut Keeping,
    ) -> Self {
        Self {
            near: Near::to(aim.named),
            aim,
            filter,
            decoder: Decoder::new(decode),
            packet: Packet::default(),
            datagrams: Datagrams::default(),
            pending: Pending::new(HELD_BYTES),
            wanted: BTreeMap::new(),
            keeping,
            found: 0,
            last: (0, Timestamp::MIN),
        }
    }

    /// Looks at the next frame; `false` if it is not the one that was named.
    pub fn at(&mut self, frame: &Frame<'_>) -> bool {
        let number = frame.id.number;
        self.last = (number, frame.timestamp);
        let time = self.time(frame.timestamp);
        if !self.near.contains(number) && !self.aim.sought.is_near(time) {
            self.forget();
            return true;
        }
        let named = self.aim.named.get(&number);
        if named.is_none() && !self.matches(frame) {
            return true;
        }
        if let Some(exhibit) = named {
            if exhibit
                .timestamp
                .is_some_and(|time| time != frame.timestamp)
            {
                return false;
            }
            self.found += 1;
        }
        self.decoder.frame(frame, &mut self.packet);
        match datagrams::fragment(&self.packet, frame) {
            Some(fragment) => self.fragment(frame, &fragment, named),
            None => {
                if let Some(exhibit) = named {
                    self.keep(frame, None, exhibit);
                }
            }
        }
        true
    }

    /// Frames that it looked at.
    pub fn frames(&self) -> u64 {
        self.last.0
    }

    /// Whether nothing more is wanted.
    pub fn is_done(&self) -> bool {
        let (frame, now) = self.last;
        let is_open = |(datagram, wanted): (&u64, &Wanted)| {
            !self.datagrams.is_over(&wanted.key, *datagram, now)
        };
        let is_named_over = self.near.ends_before(frame)
            || !self.near.names_one_after(frame) && !self.wanted.iter().any(is_open);
        is_named_over && self.aim.sought.are_over(self.time(now))
    }

    /// Whether all frames that are named came.
    pub fn has_found_all(&self) -> bool {
        self.found == self.aim.named.len()
    }

    /// By the clock of the first point.
    fn time(&self, time: Timestamp) -> Timestamp {
        self.aim.clocks.by_first(self.aim.point, time)
    }

    fn matches(&mut self, frame: &Frame<'_>) -> bool {
        let filter = self.filter.as_mut();
        filter.is_none_or(|filter| filter.matches(frame))
    }

    /// What was followed until now has nothing to do with what comes later.
    fn forget(&mut self) {
        if !self.datagrams.is_empty() {
            self.datagrams = Datagrams::default();
            self.pending.clear();
            self.wanted.clear();
        }
    }

    fn fragment(&mut self, frame: &Frame<'_>, fragment: &FragmentFacts, named: Option<&Exhibit>) {
        let datagram = self.datagrams.follow(fragment, ()).datagram;
        let time = self.time(fragment.timestamp);
        if let Some(exhibit) = named {
            let place = exhibit.place.of_the_rest();
            self.want(datagram, &fragment.key, (place, Because::Named));
        } else if let Some(place) = self.aim.sought.place(&Identity::of(&fragment.key), time) {
            self.want(datagram, &fragment.key, (place, Because::Sought));
        }
        let Some(wanted) = self.wanted.get(&datagram).copied() else {
            self.pending.hold(datagram, kept(frame, self.aim.point));
            return;
        };
        if let Some(whole) = self.keeping.datagrams.get_mut(wanted.number) {
            whole.fragments += 1;
        }
        match named {
            Some(exhibit) => self.keep(frame, Some(wanted.number as u64), exhibit),
            None => {
                let point = self.aim.point;
                let room = &mut self.keeping.room;
                room.take(wanted.place, Some(wanted.number as u64), || {
                    kept(frame, point)
                });
            }
        }
    }

    /// From now on all fragments of a datagram are kept, and those that came already.
    fn want(&mut self, datagram: u64, key: &Key, (place, because): (Place, Because)) {
        if let Some(known) = self.wanted.get_mut(&datagram) {
            known.place = known.place.min(place);
            return;
        }
        let released = self.pending.release(datagram);
        let number = self.keeping.datagrams.len();
        self.keeping.datagrams.push(Whole {
            point: self.aim.point,
            fragments: released.frames.len() as u64,
            is_partial: released.is_partial,
            identity: Identity::of(key),
            time: self.time(self.last.1),
            place,
            because,
        });
        for frame in released.frames {
            let room = &mut self.keeping.room;
            room.take(place, Some(number as u64), || frame);
        }
        let wanted = Wanted {
            number,
            place,
            key: *key,
        };
        self.wanted.insert(datagram, wanted);
    }

    fn keep(&mut self, frame: &Frame<'_>, datagram: Option<u64>, exhibit: &Exhibit) {
        let point = self.aim.point;
        let room = &mut self.keeping.room;
        room.take(exhibit.place, datagram, || KeptFrame {
            comment: Some(exhibit.notes.join("\n")),
            ..kept(frame, point)
        });
    }
}

fn kept(frame: &Frame<'_>, point: u32) -> KeptFrame {
    let origin = FrameId {
        file: point,
        number: frame.id.number,
    };
    KeptFrame {
        origin,
        ..KeptFrame::of(frame, point)
    }
}
