//! A flow of which one point's packets were kept aside turns out to be known to all: where packets
//! are long on their way, many wait by then. They wait in line from then on, as they would have,
//! had the flow been known before.

use super::find::{Fit, Found};
use super::{Arrival, Flight, bit};
use crate::compare::parcel::Seen;
use crate::compare::sighting::Form;
use crate::compare::slab::NONE;

/// So many of what is kept aside of a flow are looked at for what another point sees of it: of the
/// first where that is the first, else of the latest.
const LOOKED_AT: usize = 256;

impl Flight {
    /// The first that a point sees of a flow of which another kept packets aside: what is behind it
    /// waits in line.
    pub(super) fn by_those_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        if !self.may_catch_up(arrival, flow) {
            return None;
        }
        let found = self.same_by_identity(arrival, flow).or_else(|| {
            self.unfold(flow);
            let stray = self.same_aside(arrival, flow)?;
            self.call_in_up_to(flow, stray);
            self.same_by_identity(arrival, flow)
        })?;
        self.paths.bind(arrival.point, arrival.sighting.lane, flow);
        self.line_up_those_aside(flow);
        Some(found)
    }

    /// Whether nothing but this is missing to know the flow everywhere.
    fn may_catch_up(&self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        self.is_acquainted
            && sighting.can_be_told()
            && sighting.form != Form::Piece
            && self.strays.has_any_of(flow)
            && self.paths.is_single(flow)
            && self.paths.get(flow).points | bit(point) == self.everywhere
            && self.paths.bound_to(point, sighting.lane) == NONE
    }

    fn same_by_identity(&self, arrival: Arrival<'_>, flow: u32) -> Option<Found> {
        let found = self.by_identity(arrival, flow);
        found.filter(|found| found.fit == Fit::Same)
    }

    /// Whether the same packet is among the latest that are kept aside of a flow.
    pub(super) fn is_among_latest_aside(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        self.unfold(flow);
        let mut latest = self.strays.line_backwards(flow).take(LOOKED_AT);
        latest.any(|stray| self.is_aside_as(stray, arrival))
    }

    /// The same packet among those kept aside.
    fn same_aside(&self, arrival: Arrival<'_>, flow: u32) -> Option<u32> {
        let mut first = self.strays.line_of(flow).take(LOOKED_AT);
        first.find(|stray| self.is_aside_as(*stray, arrival))
    }

    fn is_aside_as(&self, stray: u32, arrival: Arrival<'_>) -> bool {
        let aside = &self.strays.get(stray).sighting;
        aside.is_same_as(arrival.sighting)
    }

    /// What is kept aside of a flow waits in line, behind nothing.
    fn line_up_those_aside(&mut self, flow: u32) {
        self.unfold(flow);
        loop {
            let number = self.strays.first_of(flow);
            if number == NONE {
                return;
            }
            let stray = *self.strays.get(number);
            if !self.may_march(&stray.sighting, flow) {
                return self.call_in(flow);
            }
            self.strays.lines_up(number);
            self.note_over(flow);
            let (point, sighting) = (stray.point(), &stray.sighting);
            let key = sighting.identity().key(flow);
            let place = self.march.line_up(point, sighting, flow, key, stray.time);
            self.march.get_mut(place).tells_time = stray.tells_time;
            let seen = Seen::of(sighting, stray.order);
            self.march.see(point, place, seen, stray.time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{fresh, of_one_flow, take, tallies_and_reordered};
    use crate::compare::sighting::Sighting;
    use crate::model::Timestamp;

    const A: usize = 0;
    const B: usize = 1;

    /// The first point saw nine packets of a flow, of which the other knows nothing yet.
    fn with_strays() -> Flight {
        let mut flight = of_one_flow();
        flight.is_acquainted = true;
        let span = Some((Timestamp(0), Timestamp(20_000_000_000)));
        flight.spans.fill(span);
        (1..=9).for_each(|id| take(&mut flight, A, id.into(), &fresh(id)));
        assert_eq!(flight.strays.len(), 8);
        flight
    }

    /// How many wait in line.
    fn waiting(flight: &Flight) -> usize {
        flight.march.line(flight.paths.bound_to(A, 0)).count()
    }

    #[test]
    fn what_was_kept_aside_waits_in_line_once_its_flow_is_known() {
        for from in 1..=9 {
            let mut flight = with_strays();
            take(&mut flight, B, 20, &fresh(from));
            assert_eq!(flight.strays.len(), 0);
            assert_eq!(waiting(&flight), 9 - from as usize);
            (from + 1..=9).for_each(|id| take(&mut flight, B, 20 + i64::from(id), &fresh(id)));
            assert_eq!(waiting(&flight), 0);
            let common = u64::from(10 - from);
            assert_eq!(
                tallies_and_reordered(flight),
                ([(9, common), (common, common)], 0)
            );
        }
    }

    #[test]
    fn what_waits_so_and_does_not_come_is_lost_once() {
        let mut flight = with_strays();
        take(&mut flight, B, 20, &fresh(3));
        take(&mut flight, B, 21, &fresh(6));
        take(&mut flight, B, 22, &fresh(5));
        // All that was kept aside is over by now.
        take(&mut flight, A, 9_000, &fresh(10));
        take(&mut flight, B, 9_001, &fresh(10));
        assert_eq!(tallies_and_reordered(flight), ([(10, 4), (4, 4)], 1));
    }

    #[test]
    fn another_packet_of_the_flow_does_not_bring_it_into_line() {
        let mut flight = with_strays();
        let other = Sighting {
            head: 77,
            ..fresh(4)
        };
        take(&mut flight, B, 20, &other);
        assert_eq!(waiting(&flight), 0);
        take(&mut flight, B, 21, &fresh(4));
        let (tallies, _) = tallies_and_reordered(flight);
        assert_eq!(tallies, [(9, 1), (2, 1)]);
    }
}
