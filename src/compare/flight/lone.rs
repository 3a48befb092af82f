//! How much of a flow is under way that one point alone saw: what comes to that point as new is
//! none of it, and is not looked for among it.

use super::Flight;
use crate::compare::slab::NONE;

/// Parcels that one point saw, by flow and point.
#[derive(Debug)]
pub(super) struct Lone {
    points: usize,
    counts: Vec<u32>,
}

impl Lone {
    pub fn new(points: usize) -> Self {
        Self {
            points,
            counts: Vec::new(),
        }
    }

    /// How many there are of a flow, under its own number.
    pub fn of(&self, flow: u32, point: usize) -> u32 {
        let place = self.place(flow, point);
        self.counts.get(place).copied().unwrap_or(0)
    }

    /// Adds one; gives where it is counted.
    fn add(&mut self, flow: u32, point: usize) -> u32 {
        let place = self.place(flow, point);
        if place >= self.counts.len() {
            self.counts.resize((flow as usize + 1) * self.points, 0);
        }
        self.counts[place] += 1;
        place as u32
    }

    fn place(&self, flow: u32, point: usize) -> usize {
        flow as usize * self.points + point
    }
}

impl Flight {
    /// Others may have seen a parcel by now, or it is no longer under way.
    pub(super) fn count_lone(&mut self, number: u32) {
        let parcel = &mut self.parcels[number];
        let is_lone = parcel.is_under_way && parcel.seen.is_power_of_two();
        match (parcel.lone, is_lone) {
            (NONE, true) => {
                let point = parcel.seen.trailing_zeros() as usize;
                parcel.lone = self.lone.add(parcel.flow, point);
            }
            (NONE, false) | (_, true) => {}
            (place, false) => {
                self.lone.counts[place as usize] -= 1;
                parcel.lone = NONE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{fresh, of_one_flow, take, tallies};

    const A: usize = 0;
    const B: usize = 1;

    /// A flow that was begun before it was known everywhere: two of its packets came to one point
    /// alone, and one to both.
    fn begun() -> Flight {
        let mut flight = of_one_flow();
        flight.is_acquainted = false;
        for id in 1..=3 {
            take(&mut flight, A, id.into(), &fresh(id));
        }
        take(&mut flight, B, 4, &fresh(2));
        flight.is_acquainted = true;
        flight
    }

    #[test]
    fn what_one_point_alone_saw_is_counted_until_others_see_it() {
        let mut flight = begun();
        assert_eq!((flight.lone.of(0, A), flight.lone.of(0, B)), (2, 0));
        take(&mut flight, B, 5, &fresh(3));
        assert_eq!(flight.lone.of(0, A), 1);
        // It is over.
        take(&mut flight, B, 9_000, &fresh(4));
        assert_eq!(flight.lone.of(0, A), 0);
        assert_eq!(flight.lone.of(9, B), 0, "of a flow that nobody knows");
    }

    #[test]
    fn what_is_new_to_that_point_is_none_of_it() {
        let mut flight = begun();
        let may_be_known = |flight: &Flight, point: usize| flight.may_be_known(point, &fresh(5), 0);
        assert!(!may_be_known(&flight, A), "others may have what it is");
        assert!(may_be_known(&flight, B));
        flight.is_acquainted = false;
        take(&mut flight, B, 5, &fresh(9));
        assert!(may_be_known(&flight, A));
        assert_eq!(tallies(flight), [(3, 1), (2, 1)]);
    }
}
