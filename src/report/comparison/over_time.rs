//! Losses in equal steps of time, in no more columns than there is room for.

use super::document::Loss;

/// Most steps a document may span before its times are taken for nonsense.
const MOST_STEPS: u64 = 1 << 24;

/// Losses in columns of equal length; those without traffic are there too.
pub(super) struct OverTime {
    /// Length of a column.
    pub seconds: f64,
    /// What was sent and lost in each.
    pub columns: Vec<(u64, u64)>,
}

impl OverTime {
    /// In at most so many columns; `None` if there is nothing to be seen over time.
    pub(super) fn of(loss: &Loss, most: usize) -> Option<Self> {
        let first = loss.times.first()?.timestamp;
        let step = loss.step_seconds?;
        if !step.is_finite() || step <= 0.0 {
            return None;
        }
        let place = |time: i64| {
            let seconds = time.saturating_sub(first.0.0) as f64 / 1e9;
            // A cast takes what is negative for 0, and what is too large for the largest.
            (seconds / step).round() as u64
        };
        let places = loss.times.iter().map(|at| (place(at.timestamp.0.0), at));
        let places: Vec<_> = places.collect();
        let last = places.iter().map(|(place, _)| *place).max()?;
        if last == 0 || last > MOST_STEPS {
            return None;
        }
        let fold = (last + 1).div_ceil(most.max(1) as u64);
        let mut columns = vec![(0_u64, 0_u64); (last / fold) as usize + 1];
        for (place, at) in places {
            let (sent, lost) = &mut columns[(place / fold) as usize];
            *sent = sent.saturating_add(at.sent);
            *lost = lost.saturating_add(at.lost);
        }
        Some(Self {
            seconds: step * fold as f64,
            columns,
        })
    }

    /// The share lost in each column; 0 where nothing was sent.
    pub(super) fn shares(&self) -> Vec<f64> {
        let share = |(sent, lost): &(u64, u64)| match sent {
            0 => 0.0,
            sent => *lost as f64 / *sent as f64,
        };
        self.columns.iter().map(share).collect()
    }

    /// The largest share.
    pub(super) fn peak(&self) -> f64 {
        self.shares().into_iter().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use crate::report::comparison::document::TimeLoss;
    use crate::report::document::Time;

    fn loss(step_seconds: f64, seconds: &[i64]) -> Loss {
        let at = |second: &i64| TimeLoss {
            timestamp: Time(Timestamp(second.saturating_mul(1_000_000_000))),
            sent: 10,
            lost: 1,
        };
        Loss {
            step_seconds: Some(step_seconds),
            times: seconds.iter().map(at).collect(),
            ..Loss::default()
        }
    }

    #[test]
    fn steps_without_traffic_have_their_place() {
        let over = OverTime::of(&loss(1.0, &[0, 1, 4]), 10);
        let columns = over.map(|over| over.columns);
        let expected = vec![(10, 1), (10, 1), (0, 0), (0, 0), (10, 1)];
        assert_eq!(columns, Some(expected));
    }

    #[test]
    fn columns_are_folded_until_they_fit() {
        let over = OverTime::of(&loss(1.0, &[0, 1, 2, 3, 4]), 2);
        let over = over.map(|over| (over.seconds, over.columns));
        assert_eq!(over, Some((3.0, vec![(30, 3), (20, 2)])));
    }

    #[test]
    fn nonsense_is_not_drawn() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
            assert!(OverTime::of(&loss(step, &[0, 9]), 10).is_none(), "{step}");
        }
        assert!(OverTime::of(&loss(1.0, &[]), 10).is_none());
        assert!(OverTime::of(&loss(1.0, &[i64::MIN, i64::MAX]), 10).is_none());
        assert!(OverTime::of(&loss(1.0, &[9, 0]), 0).is_none());
    }
}
