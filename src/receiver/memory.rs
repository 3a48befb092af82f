//! Reassembly memory over time.

use crate::model::{Duration, Timestamp};

/// Most steps of a curve; a longer one gets wider ones.
pub const MAX_STEPS: usize = 256;

/// Narrowest step.
const NARROWEST: Duration = Duration(1_000_000);

/// Most memory held in each of some equal steps of time, aligned to the epoch. A step is
/// the narrowest doubled as often as it takes for at most [`MAX_STEPS`] from the first
/// moment to the last: the same however the time was split into curves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCurve {
    width: i64,
    /// Number of the first step.
    first: i64,
    /// The last one is where time stands.
    peaks: Vec<u64>,
    /// Where the last step ends.
    ends: i64,
    /// What is held now.
    held: u64,
}

impl Default for MemoryCurve {
    fn default() -> Self {
        Self {
            width: NARROWEST.0,
            first: 0,
            peaks: Vec::new(),
            ends: i64::MIN,
            held: 0,
        }
    }
}

impl MemoryCurve {
    /// From `now` on, which is never before what was noted last, so much is held.
    #[inline]
    pub(super) fn note(&mut self, now: Timestamp, bytes: u64) {
        if now.0 >= self.ends {
            self.go_on_to(now);
        }
        self.held = bytes;
        if let Some(peak) = self.peaks.last_mut()
            && *peak < bytes
        {
            *peak = bytes;
        }
    }

    /// Takes the curve up to `now`, and leaves one that goes on from there.
    pub(super) fn take(&mut self, now: Timestamp) -> Self {
        if self.peaks.is_empty() {
            return Self::default();
        }
        self.note(now, self.held);
        let rest = Self::default();
        let taken = std::mem::replace(self, rest);
        self.note(now, taken.held);
        taken
    }

    /// Adds the curve of what came afterwards.
    pub(super) fn add_later(&mut self, later: &Self) {
        let starts = later.steps().map(|(start, _)| start);
        let (Some(begins), Some(ends)) = (starts.clone().next(), starts.last()) else {
            return;
        };
        if self.peaks.is_empty() {
            self.clone_from(later);
            return;
        }
        self.go_on_to(begins);
        self.held = 0;
        self.go_on_to(ends);
        // The last moment of that curve may have made its steps wider than their beginnings do.
        while self.width < later.width {
            self.coarsen();
        }
        let mut later = later.clone();
        while later.width < self.width {
            later.coarsen();
        }
        for (number, peak) in (later.first..).zip(&later.peaks) {
            let place = usize::try_from(number - self.first).ok();
            if let Some(known) = place.and_then(|place| self.peaks.get_mut(place)) {
                *known = (*known).max(*peak);
            }
        }
        self.held = later.held;
    }

    /// Length of each step.
    pub fn width(&self) -> Duration {
        Duration(self.width)
    }

    /// When each step begins, and the most that was held in it.
    pub fn steps(&self) -> impl Iterator<Item = (Timestamp, u64)> + Clone {
        let starts = (self.first..).map(|number| Timestamp(number.saturating_mul(self.width)));
        starts.zip(self.peaks.iter().copied())
    }

    /// Whether nothing was ever noted.
    pub fn is_empty(&self) -> bool {
        self.peaks.is_empty()
    }

    #[cold]
    fn go_on_to(&mut self, now: Timestamp) {
        if self.peaks.is_empty() {
            self.first = now.0.div_euclid(self.width);
            self.peaks.push(self.held);
        }
        while now.0.div_euclid(self.width).saturating_sub(self.first) >= MAX_STEPS as i64 {
            self.coarsen();
        }
        let steps = now.0.div_euclid(self.width) - self.first + 1;
        // What is held goes on being held.
        let steps = usize::try_from(steps).unwrap_or(0).max(self.peaks.len());
        self.peaks.resize(steps, self.held);
        let end = self.first + self.peaks.len() as i64;
        self.ends = end.saturating_mul(self.width);
    }

    /// Doubles the width.
    fn coarsen(&mut self) {
        let width = self.width.saturating_mul(2);
        let first = self.first.div_euclid(2);
        let mut peaks: Vec<u64> = Vec::with_capacity(self.peaks.len() / 2 + 1);
        for (number, peak) in (self.first..).zip(&self.peaks) {
            let place = (number.div_euclid(2) - first) as usize;
            match peaks.get_mut(place) {
                Some(known) => *known = (*known).max(*peak),
                None => peaks.push(*peak),
            }
        }
        self.ends = (first + peaks.len() as i64).saturating_mul(width);
        self.width = width;
        self.first = first;
        self.peaks = peaks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: i64 = 1_000_000;

    fn curve(notes: &[(i64, u64)]) -> MemoryCurve {
        let mut curve = MemoryCurve::default();
        for (at, bytes) in notes {
            curve.note(Timestamp(*at), *bytes);
        }
        curve
    }

    fn peaks(curve: &MemoryCurve) -> Vec<(i64, u64)> {
        curve
            .steps()
            .map(|(start, peak)| (start.0 / MS, peak))
            .collect()
    }

    #[test]
    fn what_is_held_goes_on_being_held() {
        let curve = curve(&[(0, 5), (MS / 2, 9), (MS - 1, 4), (3 * MS, 6)]);
        assert_eq!(peaks(&curve), [(0, 9), (1, 4), (2, 4), (3, 6)]);
    }

    #[test]
    fn a_curve_with_wider_steps_is_added_where_it_belongs() {
        let notes = [(MS, 1), (200 * MS, 9), (201 * MS, 2), (257 * MS, 3)];
        let mut sum = curve(&notes[..1]);
        let mut rest = sum.clone();
        sum = rest.take(Timestamp(MS));
        for (at, bytes) in &notes[1..] {
            rest.note(Timestamp(*at), *bytes);
        }
        assert!(sum.width() < rest.width());
        sum.add_later(&rest);
        assert_eq!(sum, curve(&notes));
    }

    #[test]
    fn a_long_curve_has_wide_steps() {
        let curve = curve(&[(0, 1), (100 * MS, 7), (1_000 * MS, 2)]);
        assert_eq!(curve.width(), Duration(4 * MS));
        assert!(curve.peaks.len() <= MAX_STEPS);
        assert_eq!(peaks(&curve)[25], (100, 7));
        assert_eq!(curve.steps().last(), Some((Timestamp(1_000 * MS), 7)));
    }

    #[test]
    fn any_clock_is_survived() {
        let mut curve = curve(&[(i64::MIN, 1), (0, 2), (i64::MAX, 3)]);
        let taken = curve.take(Timestamp::MAX);
        assert!(taken.peaks.len() <= MAX_STEPS);
        curve.add_later(&taken);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_a_curve_is_split(
            mut notes in prop::collection::vec((0..2_000 * MS, 0..100_u64), 1..40),
            at in 0..40_usize,
        ) {
            notes.sort_unstable();
            let end = Timestamp(notes[notes.len() - 1].0 + 7 * MS);
            let whole = curve(&notes).take(end);
            let (before, after) = notes.split_at(at.min(notes.len()));
            let mut parts = curve(before);
            let split = before.last().map_or(Timestamp(notes[0].0), |last| Timestamp(last.0));
            let mut first = parts.take(split);
            for (at, bytes) in after {
                parts.note(Timestamp(*at), *bytes);
            }
            first.add_later(&parts.take(end));
            prop_assert_eq!(first, whole);
        }
    }
}
