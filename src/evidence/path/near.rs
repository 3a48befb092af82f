//! Which frames lie near to those that are named.

use super::exhibits::Exhibit;
use std::collections::BTreeMap;

/// How far from a frame that is named the other fragments of its datagram are looked for.
/// They come within milliseconds of each other, even if thousands of flows are between
/// them.
pub(super) const FAR: u64 = 1 << 17;

/// Frames within [`FAR`] of one that is named. To be asked in the order of the capture:
/// what lies between is passed over without a search.
#[derive(Debug)]
pub(super) struct Near<'a> {
    named: &'a BTreeMap<u64, Exhibit>,
    /// As far as is known, all frames to this one are near.
    near_to: u64,
    /// As far as is known, no frame before this one is near.
    far_to: u64,
}

impl<'a> Near<'a> {
    /// What is near to these.
    pub fn to(named: &'a BTreeMap<u64, Exhibit>) -> Self {
        Self {
            named,
            near_to: 0,
            far_to: 0,
        }
    }

    /// Whether a frame is.
    pub fn contains(&mut self, frame: u64) -> bool {
        if frame <= self.near_to {
            return true;
        }
        if frame < self.far_to {
            return false;
        }
        let next = self.named.range(frame..).next().map(|(next, _)| *next);
        let last = self.named.range(..frame).next_back();
        let last_to = last.map_or(0, |(last, _)| last.saturating_add(FAR));
        let next_from = next.map_or(u64::MAX, |next| next.saturating_sub(FAR));
        if frame >= next_from {
            self.near_to = next.unwrap_or(frame).max(last_to);
        } else if frame <= last_to {
            self.near_to = last_to;
        } else {
            self.far_to = next_from;
        }
        frame <= self.near_to
    }

    /// Whether neither this frame nor any after it is near.
    pub fn ends_before(&self, frame: u64) -> bool {
        self.last()
            .is_none_or(|last| frame > last.saturating_add(FAR))
    }

    /// Whether a frame that is named comes after this one.
    pub fn names_one_after(&self, frame: u64) -> bool {
        self.last().is_some_and(|last| last > frame)
    }

    fn last(&self) -> Option<u64> {
        self.named.last_key_value().map(|(last, _)| *last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::exhibits::Exhibits;
    use super::*;
    use crate::evidence::path::tests::comparison;

    #[test]
    fn frames_are_near_on_both_sides() {
        let (first, second) = (FAR * 2, FAR * 10);
        let sample = comparison(1).naming(&[(0, first), (0, second)]);
        let exhibits = Exhibits::of(&sample.document);
        let near_frames = [
            first - FAR,
            first - 1,
            first,
            first + FAR,
            second - FAR,
            second,
            second + FAR,
        ];
        let far = [
            1,
            first - FAR - 1,
            first + FAR + 1,
            second - FAR - 1,
            second + FAR + 1,
        ];
        let mut asked: Vec<u64> = near_frames.into_iter().chain(far).collect();
        asked.sort_unstable();
        let mut near = exhibits.at(0).map(Near::to);
        for frame in asked {
            let is_near = near.as_mut().is_some_and(|near| near.contains(frame));
            assert_eq!(is_near, near_frames.contains(&frame), "{frame}");
        }
    }
}
