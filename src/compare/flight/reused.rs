//! Names that a translator gives to one connection after another: once one is over, its port is
//! free for the next, which somebody else may have begun. What goes by such a name is of one flow
//! of the path, whoever has it in front.

use super::find::{Fit, Found};
use super::{Arrival, Flight, bit, content_key};
use crate::compare::parcel::Parcel;
use crate::compare::sighting::{Form, TELLING_BYTES};
use crate::compare::slab::NONE;

/// Flows of one name that are tried.
const MAX_TRIED: usize = 4;

impl Flight {
    /// Takes what nobody has sent of its own flow, and somebody of another that is not known
    /// here, by whose name it goes now; says whether it is that.
    pub(super) fn takes_over(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        let is_telling = sighting.has_identity() || sighting.bytes >= TELLING_BYTES;
        let may_be = is_telling && sighting.form != Form::Piece;
        if !may_be || !self.paths.is_translated(flow) || self.is_first_at(point, flow) {
            return false;
        }
        let key = content_key(sighting);
        self.call_in_with_bytes(point, key);
        let may_be = |parcel: &Parcel| {
            let theirs = self.paths.resolve(parcel.flow);
            let is_known_here = self.paths.get(theirs).points & bit(point) != 0;
            parcel.form == sighting.form
                && theirs != flow
                && match is_known_here {
                    true => self.may_be_named_anew(arrival, parcel),
                    false => self.paths.may_take_over(point, sighting.lane, theirs),
                }
        };
        let found = self.alike_in_content(arrival, key, may_be);
        let found = found.filter(|found| found.fit == Fit::Same);
        let Some(found) = found.or_else(|| self.by_waiting(arrival)) else {
            return false;
        };
        self.fall_out(flow);
        let theirs = self.paths.resolve(self.parcels[found.parcel].flow);
        self.paths.bind(point, sighting.lane, theirs);
        self.join(arrival, &found);
        true
    }

    /// Whether something may be of a flow that is translated and had another name here before. That
    /// has to be told by more than its bytes: many that are translated may have the same.
    pub(super) fn may_be_named_anew(&self, arrival: Arrival<'_>, parcel: &Parcel) -> bool {
        let (point, sighting, _) = arrival.parts();
        let theirs = self.paths.resolve(parcel.flow);
        sighting.is_one_of_a_kind()
            && parcel.id == sighting.id
            && parcel.form == sighting.form
            && self.paths.is_translated(theirs)
            && self.paths.may_take_over(point, sighting.lane, theirs)
    }

    /// The same of what goes by another name than the one by which its flow is known here: who
    /// sends it had that before, too.
    pub(super) fn by_waiting(&mut self, arrival: Arrival<'_>) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
        let mine = self.paths.flow_of(point, sighting.lane);
        let theirs = {
            let mut waiting = self.march.with_bytes_of(point, sighting);
            waiting.find(|flow| {
                sighting.is_one_of_a_kind()
                    && *flow != mine
                    && self.paths.is_translated(*flow)
                    && self.paths.may_take_over(point, sighting.lane, *flow)
            })
        }?;
        self.fall_out(theirs);
        let found = self.by_name(arrival, theirs);
        found.filter(|found| found.fit == Fit::Same)
    }

    /// Whether packets of a flow come to a point before all others.
    fn is_first_at(&self, point: usize, flow: u32) -> bool {
        match self.is_backward(flow) {
            false => point == 0,
            true => point + 1 == self.points,
        }
    }

    /// What answers a flow is of the flow that answers it elsewhere, by whatever names these go.
    pub(super) fn by_answer(&mut self, arrival: Arrival<'_>) -> Option<Found> {
        let (point, sighting, _) = arrival.parts();
        let mut answers = [NONE; MAX_TRIED];
        for (place, flow) in answers
            .iter_mut()
            .zip(self.paths.answering(point, sighting.lane))
        {
            *place = flow;
        }
        for flow in answers.into_iter().filter(|flow| *flow != NONE) {
            self.fall_out(flow);
            let is_aside = self.is_among_latest_aside(arrival, flow);
            if is_aside {
                // While it is, what came here before can be held against all of it.
                self.bind_told(point, sighting.lane, flow);
            }
            let found = self.by_name(arrival, flow);
            if let Some(found) = found.filter(|found| found.fit == Fit::Same) {
                if !is_aside {
                    self.bind_found(arrival, flow, &found);
                }
                return Some(found);
            }
        }
        let found = self.by_waiting(arrival)?;
        let theirs = self.paths.resolve(self.parcels[found.parcel].flow);
        self.bind_found(arrival, theirs, &found);
        Some(found)
    }
}
