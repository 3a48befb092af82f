//! Which packets the interfaces showed a moment ago, and of which flow.

use super::{Place, whoever};
use crate::compare::content::hash;
use crate::model::{Duration, FlowKey, Timestamp};

/// Packets that are remembered at once.
const SLOTS: usize = 1 << 12;
/// Interfaces of which it is known that they showed a packet.
const MAX_PLACES: usize = 4;
/// By so much a host lowers a TTL, at most: once in itself, once more in front of a pod.
const MOST_HOPS: u8 = 2;

/// A packet as an interface shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// Hash of what a host leaves as it is.
    pub what: u64,
    pub at: Place,
    pub time: Timestamp,
    /// How long a host may take to show it elsewhere.
    pub within: Duration,
    pub hop_limit: u8,
    /// Who sent it and who gets it, by its addresses here.
    pub ends: [u64; 2],
    /// Whether it is of a connection, whose sequence numbers no other has.
    pub is_of_connection: bool,
    pub way: Way,
}

/// Who sent a packet to whom, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    there: u64,
    back: u64,
}

impl Way {
    pub fn of(key: &FlowKey) -> Self {
        let end = |is_destination| hash(&whoever(key, is_destination));
        let [source, destination] = [false, true].map(end);
        Self {
            there: hash(&[source, destination]),
            back: hash(&[destination, source]),
        }
    }

    /// Whether it answers what goes that way: one who sends back what he gets, without a number,
    /// passes nothing on.
    pub fn answers(&self, other: &Self) -> bool {
        self.there == other.back
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    latest: Shown,
    flow: u64,
    places: [Option<Place>; MAX_PLACES],
    /// Whether a flow showed it while another had not passed it on.
    is_common: bool,
}

/// The latest packets, each in the place that its hash names.
#[derive(Debug, Default)]
pub(super) struct Moment {
    slots: Vec<Option<Slot>>,
}

impl Moment {
    /// The flow of which a packet has just been shown elsewhere, if there is but one and the
    /// host may have made this of it: it comes from the same sender, or from farther away, or is of a
    /// connection and goes to the same receiver, as a bridge translates it; and does not answer it.
    pub fn partner(&self, shown: &Shown) -> Option<u64> {
        let slot = (*self.slots.get(index(shown.what))?)?;
        let latest = &slot.latest;
        let [is_from_same, is_to_same] = [0, 1].map(|end| latest.ends[end] == shown.ends[end]);
        let is_passed_on = is_from_same
            || is_lowered(latest.hop_limit, shown.hop_limit)
            || shown.is_of_connection && is_to_same && latest.hop_limit == shown.hop_limit;
        let is_elsewhere = !slot.places.contains(&Some(shown.at));
        let is_answer = shown.way.answers(&latest.way);
        let is_partner =
            slot.is_fresh(shown) && is_passed_on && is_elsewhere && !is_answer && !slot.is_common;
        is_partner.then_some(slot.flow)
    }

    /// Notes that an interface showed a packet of some flow.
    pub fn note(&mut self, shown: &Shown, flow: u64) {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        let Some(slot) = self.slots.get_mut(index(shown.what)) else {
            return;
        };
        match slot.as_mut().filter(|slot| slot.is_fresh(shown)) {
            Some(known) => known.again(shown, flow),
            None => *slot = Some(Slot::new(shown, flow)),
        }
    }
}

impl Slot {
    fn new(shown: &Shown, flow: u64) -> Self {
        let mut places = [None; MAX_PLACES];
        places[0] = Some(shown.at);
        Self {
            latest: *shown,
            flow,
            places,
            is_common: false,
        }
    }

    fn is_fresh(&self, shown: &Shown) -> bool {
        let passed = (shown.time - self.latest.time).0.saturating_abs();
        self.latest.what == shown.what && passed <= shown.within.0
    }

    fn again(&mut self, shown: &Shown, flow: u64) {
        let is_same = self.flow == flow;
        if !is_same || self.places.contains(&Some(shown.at)) {
            *self = Self {
                // What was shown elsewhere already is done: an echo has the same bytes.
                is_common: if is_same {
                    self.is_common
                } else {
                    self.places[1].is_none()
                },
                ..Self::new(shown, flow)
            };
        } else if let Some(free) = self.places.iter_mut().find(|place| place.is_none()) {
            *free = Some(shown.at);
        }
        self.latest = *shown;
    }
}

/// Whether a host may have lowered a TTL so.
pub(super) fn is_lowered(from: u8, to: u8) -> bool {
    (1..=MOST_HOPS).contains(&from.wrapping_sub(to))
}

fn index(what: u64) -> usize {
    what as usize % SLOTS
}
