//! Datagrams that are named at other points, and looked for at this one.

use super::exhibits::Place;
use crate::model::{Addresses, Duration, Protocol, Timestamp};
use crate::reassemble::Key;
use std::collections::{BTreeSet, HashMap};

/// How far a datagram is from itself at another point, by one clock. It takes less on any
/// path, and identifications come back later, unless there are more than 100,000 datagrams
/// a second between two hosts.
pub(super) const SLACK: Duration = Duration::from_millis(500);

/// What a fragmented datagram is known by at every point. Tunnels and VLANs around it may
/// differ; with other addresses it is not found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    addresses: Addresses,
    id: u32,
    protocol: Protocol,
}

impl Identity {
    /// What fragments with this key are of.
    pub fn of(key: &Key) -> Self {
        Self {
            addresses: key.addresses,
            id: key.id,
            protocol: key.protocol,
        }
    }
}

/// Datagrams that are looked for; times are those of the first point's clock.
#[derive(Debug, Default)]
pub(super) struct Sought {
    datagrams: HashMap<Identity, Vec<(Timestamp, Place)>>,
    times: BTreeSet<Timestamp>,
}

impl Sought {
    /// Looks for one more.
    pub fn add(&mut self, identity: Identity, time: Timestamp, place: Place) {
        let known = self.datagrams.entry(identity).or_default();
        known.push((time, place));
        self.times.insert(time);
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Whether one may be seen at this time.
    pub fn is_near(&self, time: Timestamp) -> bool {
        let from = time + (Duration(0) - SLACK);
        self.times.range(from..=time + SLACK).next().is_some()
    }

    /// Whether none will be seen after this time, a late fragment least of all.
    pub fn are_over(&self, time: Timestamp) -> bool {
        let last = self.times.last();
        last.is_none_or(|last| time > *last + SLACK + SLACK)
    }

    /// How much the fragments of a datagram are needed; `None` if it is not looked for.
    pub fn place(&self, identity: &Identity, time: Timestamp) -> Option<Place> {
        let known = self.datagrams.get(identity)?.iter();
        let near = known.filter(|(seen, _)| is_same_time(*seen, time));
        near.map(|(_, place)| *place).min()
    }
}

/// Whether both may be times of one datagram.
pub(super) fn is_same_time(one: Timestamp, other: Timestamp) -> bool {
    one - other <= SLACK && other - one <= SLACK
}
