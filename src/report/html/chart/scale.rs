//! From values to places on the page, and the round values that are marked there.

/// Maps values from 0 to the largest onto a stretch of the page.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Scale {
    largest: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Values up to `largest` between `start`, where 0 is, and `end`.
    pub(in crate::report) fn new(largest: f64, start: f64, end: f64) -> Self {
        Self {
            largest: positive(largest),
            start,
            end,
        }
    }

    /// Where a value is; those outside the scale are at its ends.
    pub(in crate::report) fn at(&self, value: f64) -> f64 {
        let share = if value.is_finite() && self.largest > 0.0 {
            (value / self.largest).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.start + share * (self.end - self.start)
    }
}

/// What steps between marks are round in.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum Round {
    /// 1, 2 and 5, and ten times that.
    Decimal,
    /// Powers of two: for bytes.
    Binary,
    /// Seconds, minutes, hours and days.
    Time,
}

/// Round spans up to a day, in seconds.
const SPANS: [f64; 14] = [
    30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 10_800.0, 14_400.0,
    21_600.0, 43_200.0, 86_400.0,
];

/// A day in seconds.
const DAY: f64 = 86_400.0;

/// Round values from 0 to `largest`, at most `most` and one more.
pub(in crate::report) fn ticks(largest: f64, most: u32, round: Round) -> Vec<f64> {
    let largest = positive(largest);
    if largest == 0.0 {
        return vec![0.0];
    }
    let least = largest / f64::from(most.max(1));
    let step = match round {
        Round::Decimal => decimal(least),
        Round::Binary => least.log2().ceil().exp2(),
        Round::Time => span(least),
    };
    (0..=most)
        .map(|index| f64::from(index) * step)
        .take_while(|tick| *tick <= largest * (1.0 + 1e-9))
        .collect()
}

/// The smallest 1, 2 or 5 of a power of ten that is no less than this.
fn decimal(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let digits = [1.0, 2.0, 5.0].into_iter();
    digits
        .map(|digit| digit * power)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// The smallest round span that is no less than this.
fn span(least: f64) -> f64 {
    let spans = SPANS.into_iter();
    let among = spans.chain([decimal(least / DAY) * DAY]);
    match least {
        least if least <= 20.0 => decimal(least),
        least => among.fold(f64::INFINITY, |best, span| {
            if span >= least { best.min(span) } else { best }
        }),
    }
}

fn positive(value: f64) -> f64 {
    if value.is_finite() && value > 0.0 {
        value
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_on_the_scale() {
        let scale = Scale::new(10.0, 100.0, 0.0);
        let places = [0.0, 5.0, 10.0, 11.0, -1.0, f64::NAN, f64::INFINITY];
        assert_eq!(
            places.map(|value| scale.at(value)),
            [100.0, 50.0, 0.0, 0.0, 100.0, 100.0, 100.0]
        );
        for largest in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Scale::new(largest, 7.0, 9.0).at(3.0), 7.0);
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(1.0, 4, Round::Decimal), [0.0, 0.5, 1.0]);
        assert_eq!(
            ticks(63.0, 7, Round::Decimal),
            [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
        );
        assert_eq!(ticks(3e6, 3, Round::Decimal), [0.0, 1e6, 2e6, 3e6]);
        let mib = f64::from(1 << 20);
        assert_eq!(
            ticks(5.0 * mib, 5, Round::Binary),
            [0.0, mib, 2.0 * mib, 3.0 * mib, 4.0 * mib, 5.0 * mib]
        );
        assert_eq!(ticks(200.0, 4, Round::Time), [0.0, 60.0, 120.0, 180.0]);
        assert_eq!(
            ticks(0.8, 4, Round::Time),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8]
        );
        let day = 86_400.0;
        assert_eq!(
            ticks(3.0 * day, 4, Round::Time),
            [0.0, day, 2.0 * day, 3.0 * day]
        );
        assert_eq!(
            ticks(1_000.0 * day, 4, Round::Time),
            [0.0, 500.0 * day, 1_000.0 * day]
        );
        for largest in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            for round in [Round::Decimal, Round::Binary, Round::Time] {
                assert_eq!(ticks(largest, 5, round), [0.0]);
            }
        }
    }
}
