//! Where in their datagrams fragments are missing.

use crate::reassemble::{Layout, Run};

/// Equal parts of a datagram that fragments are counted by.
pub const PARTS: usize = 10;

/// Distances between missing fragments that are counted; the last is for all longer.
pub const DISTANCES: usize = 16;

/// Where fragments are missing of datagrams whose size is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Fragments by the part of the datagram they begin in, missing ones included.
    pub expected: [u64; PARTS],
    /// Those of them that are missing.
    pub missing: [u64; PARTS],
    /// Missing fragments by how many fragments they are behind the one missing before in
    /// the same datagram, from 1 on.
    pub distances: [u64; DISTANCES],
}

/// Where fragments were missing, and which of these came after all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    missing: Places,
    /// Came after the timeout, as datagrams of their own.
    late: Option<Box<Places>>,
}

impl Found {
    /// Counts a datagram that lacks fragments.
    pub fn count(&mut self, layout: &Layout<'_>) {
        let runs = layout.runs().map(|run| (run, !run.came));
        self.missing.count(layout.payload_bytes, runs);
    }

    /// Counts a datagram that is what another lacked.
    pub fn count_late(&mut self, rest: &Layout<'_>) {
        let late = self.late.get_or_insert_default();
        let runs = rest.runs().map(|run| (run, run.came));
        late.count(rest.payload_bytes, runs);
    }

    /// Without what came late.
    pub fn places(&self) -> Places {
        let mut places = self.missing;
        if let Some(late) = &self.late {
            subtract(&mut places.missing, &late.missing);
            subtract(&mut places.distances, &late.distances);
        }
        places
    }

    pub fn merge(&mut self, other: Self) {
        self.missing += other.missing;
        if let Some(late) = other.late {
            *self.late.get_or_insert_default().as_mut() += *late;
        }
    }
}

impl Places {
    /// Counts the runs of one datagram; of each is known whether it is missing.
    fn count(&mut self, payload_bytes: u32, runs: impl Iterator<Item = (Run, bool)>) {
        // Fragments so far, and the number of the last that is missing.
        let (mut number, mut latest) = (0, None);
        for (run, is_missing) in runs {
            self.count_run(payload_bytes, run, is_missing);
            let fragments = run.fragments();
            if is_missing {
                if let Some(latest) = latest {
                    self.count_distance(number - latest, 1);
                }
                self.count_distance(1, fragments.saturating_sub(1));
                latest = Some((number + fragments).saturating_sub(1));
            }
            number += fragments;
        }
    }

    fn count_distance(&mut self, distance: u32, times: u32) {
        let class = (distance as usize).clamp(1, DISTANCES) - 1;
        self.distances[class] += u64::from(times);
    }

    /// Counts its fragments by the parts they begin in: a step for each part, not for each
    /// of the 8,191 fragments that a datagram may lack.
    fn count_run(&mut self, payload_bytes: u32, run: Run, is_missing: bool) {
        let parts = PARTS as u64;
        let (from, all) = (u64::from(run.offset), u64::from(payload_bytes.max(1)));
        let (end, each) = (from + u64::from(run.bytes), u64::from(run.fragment_bytes));
        let mut at = from;
        while at < end {
            let part = (at * parts / all).min(parts - 1);
            let part_ends = match part + 1 {
                next if next < parts => (next * all).div_ceil(parts).min(end),
                _ => end,
            };
            let fragments = (part_ends - at).div_ceil(each.max(1));
            self.expected[part as usize] += fragments;
            self.missing[part as usize] += fragments * u64::from(is_missing);
            at += fragments * each.max(1);
        }
    }

    /// How many fragments nearly every missing one is behind the one missing before, if
    /// that is more than one.
    pub fn every_nth(&self) -> Option<u64> {
        let all: u64 = self.distances.iter().sum();
        let told = self.distances.iter().zip(1_u64..).take(DISTANCES - 1);
        let (count, distance) = told.max_by_key(|(count, _)| **count)?;
        let is_rule = all >= LEAST_OF_A_RULE && count * 10 >= all * 9;
        (is_rule && distance > 1).then_some(distance)
    }
}

/// Distances that it takes to call it a rule that nine in ten are the same. Chance, when
/// it takes half of all fragments, makes a quarter of them 2, and fewer of them any other:
/// 8 in a row one time in 65,536.
const LEAST_OF_A_RULE: u64 = 8;

fn subtract(from: &mut [u64], late: &[u64]) {
    for (count, late) in from.iter_mut().zip(late) {
        *count = count.saturating_sub(*late);
    }
}

impl std::ops::AddAssign for Places {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut [u64], more: &[u64]| {
            for (sum, more) in sum.iter_mut().zip(more) {
                *sum += more;
            }
        };
        add(&mut self.expected, &other.expected);
        add(&mut self.missing, &other.missing);
        add(&mut self.distances, &other.distances);
    }
}
