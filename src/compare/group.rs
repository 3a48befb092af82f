//! Packets that are the same at all points, gathered from wherever each has them at hand, and taken
//! together.

use super::flight::{ABREAST, Flight};
use super::run::MAX_POINTS;
use super::sighting::Sighting;

/// Some such packets, of flows that all points know.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// By point.
    sightings: Vec<Vec<Sighting>>,
    flows: Vec<u32>,
}

impl Group {
    pub fn new(points: usize) -> Self {
        Self {
            sightings: vec![Vec::with_capacity(ABREAST); points],
            flows: Vec::with_capacity(ABREAST),
        }
    }

    /// How many more there may be.
    pub fn room(&self) -> usize {
        ABREAST - self.flows.len()
    }

    /// Whether any is of a flow.
    #[inline(always)]
    pub fn has(&self, flow: u32) -> bool {
        self.flows.contains(&flow)
    }

    /// What points have of some that are about to be added, by point.
    pub fn sightings(&mut self) -> &mut [Vec<Sighting>] {
        &mut self.sightings
    }

    /// So many were added to each point, all of one flow.
    #[inline(always)]
    pub fn add(&mut self, count: usize, flow: u32) {
        self.flows.extend(std::iter::repeat_n(flow, count));
    }

    /// Gives them to be matched; none is left.
    pub fn take(&mut self, flight: &mut Flight) {
        let mut taken = 0;
        while taken < self.flows.len() {
            let mut next: [&[Sighting]; MAX_POINTS] = [&[]; MAX_POINTS];
            for (next, sightings) in next.iter_mut().zip(&self.sightings) {
                *next = &sightings[taken..];
            }
            let next = &next[..self.sightings.len()];
            match flight.take_gathered(next, &self.flows[taken..]) {
                0 => {
                    for (point, sightings) in self.sightings.iter().enumerate() {
                        flight.take_early(point, &sightings[taken]);
                    }
                    taken += 1;
                }
                abreast => taken += abreast,
            }
        }
        self.clear();
    }

    /// None is left.
    pub fn clear(&mut self) {
        self.sightings.iter_mut().for_each(Vec::clear);
        self.flows.clear();
    }
}
