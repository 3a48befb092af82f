//! Packets that nothing but their order tells from others of their flow: without an
//! identification, and with the same bytes. What is sent first comes first; that one of them
//! overtook another, nobody can know.
//!
//! Each point has a line of those that others saw and it did not.

use super::find::{Fit, Found};
use super::settle::LINGER;
use super::{Arrival, Flight, NAMELESS, apart, bit};
use crate::compare::content::hash;
use crate::compare::parcel::Mask;
use crate::compare::sighting::Sighting;

/// Those at the head of a line that are looked at: some have other bytes behind the first.
const MAX_LOOKED_AT: usize = 32;

/// Packets after which a clock is known well enough to tell what is too late.
const KNOWN_AFTER: u64 = 64;

/// Under which a point finds what it did not see of a name.
fn line_of(sighting: &Sighting, flow: u32, point: usize) -> u64 {
    hash(&[NAMELESS, sighting.identity().key(flow), point as u64])
}

impl Flight {
    /// A parcel waits for all points but those that saw it.
    pub(super) fn line_up_nameless(
        &mut self,
        number: u32,
        sighting: &Sighting,
        flow: u32,
        seen: Mask,
    ) {
        for point in (0..self.points).filter(|point| seen & bit(*point) == 0) {
            self.add_key(number, line_of(sighting, flow, point));
        }
    }

    /// A point saw it.
    pub(super) fn leave_nameless(&mut self, number: u32, sighting: &Sighting, point: usize) {
        let parcel = &self.parcels[number];
        self.leave_line(number, line_of(sighting, parcel.flow, point));
    }

    fn leave_line(&mut self, number: u32, line: u64) {
        let keys = self.parcels[number].keys;
        self.parcels[number].keys = self.index.remove_one(keys, line);
    }

    /// What is too old to come now leaves the line of a point.
    pub(super) fn leave_late(&mut self, arrival: Arrival<'_>, flow: u32) {
        let (point, sighting, _) = arrival.parts();
        let line = line_of(sighting, flow, point);
        while self.is_known_how_long(flow)
            && let Some(late) = self.first_too_late(line, arrival)
        {
            self.leave_line(late, line);
        }
    }

    /// The first in the line of a point that is about as old; where nobody knows yet how old that
    /// is, the first of all.
    pub(super) fn next_nameless(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let (point, sighting, time) = arrival.parts();
        let line = line_of(sighting, flow, point);
        let comes_within = self.comes_within(LINGER);
        let (mut older, mut damaged) = (None, None);
        for parcel in self.index.oldest(line).take(MAX_LOOKED_AT) {
            let found = match self.fit(arrival, parcel) {
                Some(found) if found.fit == Fit::Same => found,
                found => {
                    damaged = damaged.or(found.filter(|found| found.fit == Fit::Damaged));
                    continue;
                }
            };
            if apart(time, self.parcels[parcel].first) <= comes_within {
                return Some(found);
            }
            older = older.or(Some(found));
        }
        older.filter(|_| !self.is_known_how_long(flow)).or(damaged)
    }

    /// Whether what comes to all points at once is in no line of theirs.
    pub(super) fn is_next_nameless(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        (0..self.points).all(|point| {
            let arrival = Arrival { point, ..arrival };
            self.leave_late(arrival, flow);
            let line = line_of(arrival.sighting, flow, point);
            self.index.oldest(line).next().is_none()
        })
    }

    /// The first in a line, if it is too old for what comes.
    fn first_too_late(&self, line: u64, arrival: Arrival<'_>) -> Option<u32> {
        let first = self.index.oldest(line).next()?;
        let is_late = arrival.time - self.parcels[first].first > self.comes_within(LINGER);
        is_late.then_some(first)
    }

    /// Whether so much went the way of a flow that it is known how long that takes.
    fn is_known_how_long(&self, flow: u32) -> bool {
        let way = usize::from(self.is_backward(flow));
        let mut others = self.clocks.iter().skip(1);
        others.all(|clock| clock.matched[way] >= KNOWN_AFTER)
    }
}
