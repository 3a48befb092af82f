//! What comes of one point, in the order of its capture, and how far that was read.

use super::extent::FAR;
use super::flight::{Flight, apart};
use super::intake::Intake;
use super::reader::Sent;
use super::sighting::Sighting;
use crate::model::Timestamp;
use crate::source::Progress;
use std::ops::Range;

/// What comes of one point.
pub(super) struct Inlet<'a> {
    point: usize,
    intake: &'a Intake,
    pub read: Progress,
    pub frames: u64,
    pub has_ended: bool,
    /// When the sighting before was, by the clock of the point.
    latest: Option<Timestamp>,
}

/// Sightings that have come together.
pub(super) struct Come {
    pub sightings: Vec<Sighting>,
    /// When the one behind these is, if that is known.
    behind: Option<Timestamp>,
    /// Time of the latest frame read so far, of whatever kind, if there was any.
    until: Option<Timestamp>,
}

impl<'a> Inlet<'a> {
    pub fn new(point: usize, intake: &'a Intake) -> Self {
        Self {
            point,
            intake,
            read: Progress::default(),
            frames: 0,
            has_ended: false,
            latest: None,
        }
    }

    /// Waits for the next batch; `None` if there is none. Nothing may be in it.
    pub fn read_on(&mut self, flight: &mut Flight) -> Option<Come> {
        let Some(sent) = self.intake.take(self.point) else {
            self.has_ended = true;
            return None;
        };
        let Sent {
            batch,
            read,
            frames,
            from,
        } = sent;
        (self.read, self.frames) = (read, frames);
        flight.meet(self.point, &batch);
        flight.spans[self.point] = from.map(|from| (from, batch.until));
        Some(Come {
            sightings: batch.sightings,
            behind: batch.behind,
            until: Some(batch.until).filter(|until| *until > Timestamp::MIN),
        })
    }

    /// Sets right the times of what has come.
    #[inline(always)]
    pub fn set_right(&mut self, come: &mut Come, some: Range<usize>, flight: &mut Flight) {
        let Some(before) = self.latest.or_else(|| come.before()) else {
            return;
        };
        let mut latest = before;
        let mut are_near = true;
        for sighting in &come.sightings[some.clone()] {
            are_near &= apart(sighting.time, latest) <= FAR;
            latest = sighting.time;
        }
        self.latest = Some(if are_near {
            latest
        } else {
            come.set_right(self.point, some, before, flight)
        });
    }

    /// How far it was read, by its clock, with what has come: what comes next is no earlier,
    /// unless that is set back.
    pub fn reach(&self, come: &Come) -> Option<Timestamp> {
        come.behind.or(self.latest).or(come.until)
    }

    /// Gives back the room of a batch of which nothing is needed any more.
    pub fn give_back(&self, come: Come) {
        self.intake.give_back(self.point, come.sightings);
    }
}

impl Come {
    /// When was what the first is held against.
    fn before(&self) -> Option<Timestamp> {
        let first = self.sightings.first().map(|first| first.time);
        second_if_before(&self.sightings).or(first)
    }

    /// One time that is far from those before and behind it is wrong: it would make all
    /// that is under way seem late. So is the first of all, if the second was long before it.
    /// A clock that was set back is noted. Gives when the last of them was.
    #[cold]
    fn set_right(
        &mut self,
        point: usize,
        some: Range<usize>,
        before: Timestamp,
        flight: &mut Flight,
    ) -> Timestamp {
        let mut latest = before;
        for place in some {
            let time = self.sightings[place].time;
            let behind = self.sightings.get(place + 1);
            let behind = behind.map(|behind| behind.time).or(self.behind);
            if apart(time, latest) <= FAR {
                latest = time;
            } else if behind.is_some_and(|behind| apart(behind, latest) <= FAR) {
                let sighting = &mut self.sightings[place];
                flight.wrong_times.note(sighting.shown(point));
                sighting.time = latest;
            } else {
                flight.clocks_set_back += u64::from(time < latest);
                latest = time;
            }
        }
        latest
    }
}

/// When the second of the first sightings was, if that is before the first and the third agrees.
fn second_if_before(sightings: &[Sighting]) -> Option<Timestamp> {
    let [first, second, third, ..] = sightings else {
        return None;
    };
    let is_before = second.time < first.time && apart(third.time, second.time) <= FAR;
    is_before.then_some(second.time)
}
