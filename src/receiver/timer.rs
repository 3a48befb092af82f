//! When a kernel timer really fires (`kernel/time/timer.c`, `calc_index`).

use super::settings::Rules;
use crate::model::Timestamp;
use crate::model::time::NANOS_PER_SECOND;

/// Each level of the timer wheel has steps eight times as long as the one before.
const SHIFT: u32 = 3;
/// Jiffies that the first level reaches.
const REACH: i64 = 63;
/// Levels there are; later timers are set to the end of the last.
const LEVELS: u32 = 9;

/// When a datagram opened at `opened` is given up. Timers never fire early: their time
/// is rounded up to the next step of their level, which for 30 s at 250 Hz is 2 s.
pub(super) fn fires(opened: Timestamp, rules: &Rules) -> Timestamp {
    let hz = i128::from(rules.hz);
    let second = i128::from(NANOS_PER_SECOND);
    let jiffies = |nanos: i64| (i128::from(nanos).saturating_mul(hz)).div_euclid(second);
    let delta = jiffies(rules.timeout.0).max(0);
    let expires = jiffies(opened.0).saturating_add(delta);
    let shift = SHIFT.saturating_mul(level(delta));
    let steps = (expires >> shift).saturating_add(1);
    let nanos = (steps << shift).saturating_mul(second).div_euclid(hz);
    Timestamp(i64::try_from(nanos).unwrap_or(i64::MAX))
}

fn level(delta: i128) -> u32 {
    let reaches = |level: u32| delta < i128::from(REACH) << SHIFT.saturating_mul(level);
    (0..LEVELS)
        .find(|level| reaches(*level))
        .unwrap_or(LEVELS - 1)
}
