//! When the timers of one kernel really fire (`kernel/time/timer.c`, Linux 6.18).
//!
//! The kernel keeps timers in a wheel. Each of its levels has steps eight times as long
//! as the one before, and a timer is rounded up to the next step of its level
//! (`calc_index`): with 250 jiffies a second 32 ms for a timer of 1 s, 2.048 s for one of
//! 30 s. All that is rounded to one step fires at one moment.
//!
//! Where the steps lie depends on when the host was started, which no fragment tells. A
//! host that gives up a datagram whose first fragment it holds says so at that moment
//! (ICMP type 11 code 1, ICMPv6 type 3 code 1), and from one such message all steps
//! follow. It matters: where timers empty a full memory, again and again, the same
//! fragments make 330 to 412 datagrams, whichever of the eight jiffies of a step the
//! wheel is at (measured: 150 Mbit/s in messages of 65,507 bytes, 0.5 % of fragments
//! lost, 2 s; with the wheel as it was, the model was less than 1 % beside the kernel).

use super::settings::Rules;
use crate::model::time::NANOS_PER_SECOND;
use crate::model::{Duration, Timestamp};

/// Each level of the timer wheel has steps eight times as long as the one before.
const SHIFT: u32 = 3;
/// Jiffies that the first level reaches.
const REACH: i64 = 63;
/// Levels there are; later timers are set to the end of the last.
const LEVELS: u32 = 9;
/// Part of its delay by which a late message moves the steps: enough to follow clocks
/// that drift. A message can be late, never early. (Of 585, 462 came 0.04 to 0.27 ms after
/// their step, and 123 a jiffy later still, as from a processor that looks at the clock
/// just before another one advances it.)
const FOLLOW: i64 = 32;

/// The timers of one kernel, all of which take equally long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wheel {
    hz: u32,
    /// Jiffies that a timer is set to.
    delta: i64,
    /// A step is so many powers of two of jiffies.
    shift: u32,
    steps: Steps,
}

/// Where the steps of a wheel lie.
#[derive(Clone, Copy, Debug)]
enum Steps {
    /// Nothing has fired yet.
    Unknown,
    /// Timers had to fire and no message came: as if a step were here.
    Assumed(Timestamp),
    /// A message told of a step.
    Heard(Timestamp),
}

impl Wheel {
    pub fn new(rules: &Rules) -> Self {
        let mut wheel = Self {
            hz: rules.hz,
            delta: 0,
            shift: 0,
            steps: Steps::Unknown,
        };
        wheel.delta = wheel.jiffies(rules.timeout.0).max(0);
        wheel.shift = SHIFT.saturating_mul(level(wheel.delta));
        wheel
    }

    /// The same wheel for timers of other rules.
    pub fn with(self, rules: &Rules) -> Self {
        Self {
            steps: self.steps,
            ..Self::new(rules)
        }
    }

    /// When a datagram opened at `opened` is given up: at the next step after its time,
    /// or, as long as no step is known, when it has come for certain.
    pub fn fires(&self, opened: Timestamp) -> Timestamp {
        match self.steps {
            Steps::Unknown => opened + self.span(self.delta.saturating_add(1 << self.shift)),
            Steps::Assumed(step) | Steps::Heard(step) => {
                let since = self.jiffies((opened - step).0);
                let expires = since.saturating_add(self.delta);
                let steps = (expires >> self.shift).saturating_add(1);
                step + self.span(steps.saturating_mul(1 << self.shift))
            }
        }
    }

    /// Timers fired at `at`, of which no message told.
    pub fn fired(&mut self, at: Timestamp) {
        if let Steps::Unknown = self.steps {
            self.steps = Steps::Assumed(at);
        }
    }

    /// The host says at `at` that it gave up a datagram: there was a step, just before.
    pub fn hear(&mut self, at: Timestamp) {
        self.steps = Steps::Heard(match self.steps {
            Steps::Unknown | Steps::Assumed(_) => at,
            Steps::Heard(step) => {
                let length = self.span(1 << self.shift).0.max(1);
                let late = (at - step).0.rem_euclid(length);
                let nearest = Timestamp(at.0.saturating_sub(late));
                if late > length / 2 {
                    at
                } else {
                    nearest + Duration(late / FOLLOW)
                }
            }
        });
    }

    fn jiffies(&self, nanos: i64) -> i64 {
        let jiffies = i128::from(nanos) * i128::from(self.hz);
        clamped(jiffies.div_euclid(NANOS_PER_SECOND.into()))
    }

    fn span(&self, jiffies: i64) -> Duration {
        let nanos = i128::from(jiffies) * i128::from(NANOS_PER_SECOND);
        Duration(clamped(nanos.div_euclid(self.hz.into())))
    }
}

fn clamped(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

fn level(delta: i64) -> u32 {
    let reaches = |level: u32| delta < REACH << SHIFT.saturating_mul(level);
    (0..LEVELS)
        .find(|level| reaches(*level))
        .unwrap_or(LEVELS - 1)
}
