//! Times that were far from those before and behind them: packets are matched by what was made of
//! them, and shown with what their capture says.

use super::between::Shown;
use crate::model::Timestamp;
use hashbrown::HashMap;

/// So many are remembered; more are counted.
const MOST: usize = 1 << 16;

/// What was wrong, by frame.
#[derive(Debug, Default)]
pub(super) struct WrongTimes {
    /// How many there were.
    pub count: u64,
    /// By point and number of the frame.
    as_captured: HashMap<(usize, u64), Timestamp>,
}

impl WrongTimes {
    /// A frame has another time from now on than its capture says.
    pub fn note(&mut self, captured: Shown) {
        self.count += 1;
        if self.as_captured.len() < MOST {
            self.as_captured
                .insert((captured.point, captured.frame), captured.time);
        }
    }

    /// When a frame was seen, by its capture.
    pub fn as_captured(&self, shown: &Shown) -> Timestamp {
        let known = self.as_captured.get(&(shown.point, shown.frame));
        known.copied().unwrap_or(shown.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_right_is_known_as_it_was_and_bounded() {
        let mut wrong = WrongTimes::default();
        let frame = |frame: u64, time: i64| Shown {
            point: 1,
            frame,
            time: Timestamp(time),
        };
        for number in 0..2 * MOST as u64 {
            wrong.note(frame(number, 7));
        }
        assert_eq!(wrong.count, 2 * MOST as u64);
        assert_eq!(wrong.as_captured.len(), MOST);
        assert_eq!(wrong.as_captured(&frame(3, 9)), Timestamp(7));
        let other = Shown {
            point: 0,
            ..frame(3, 9)
        };
        assert_eq!(wrong.as_captured(&other), Timestamp(9));
    }
}
