//! Frames that show what happened to packets between two points, besides losses and damage.

use super::between::{MAX_PAIRS, Shown};

/// What frames are kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// More copies behind than in front.
    Copied,
    /// Behind others that came later in front.
    Overtaken,
    /// A checksum that was right or unfinished in front is wrong behind.
    ChecksumBroken,
    /// A checksum that was unfinished in front is right behind.
    ChecksumFinished,
    /// Whole in front and in fragments behind.
    Fragmented,
    /// In fragments on both sides, but in others.
    Refragmented,
    /// One packet in front and several behind.
    Segmented,
    /// Seen on both sides, and not by the second of the two points.
    Missed,
}

impl Oddity {
    const KINDS: usize = Self::Missed as usize + 1;

    /// Whether it is another one seen from the other end.
    fn has_sides(self) -> bool {
        !matches!(self, Self::Refragmented | Self::Missed)
    }
}

/// A packet that something happened to, as it was seen in front and behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    what: Oddity,
    /// 0 if it happened from front to back.
    side: usize,
    /// Those in front, then those behind.
    frames: Vec<Shown>,
    in_front: usize,
}

impl Example {
    /// Frames in front.
    pub fn front(&self) -> &[Shown] {
        self.frames.get(..self.in_front).unwrap_or_default()
    }

    /// Frames behind.
    pub fn back(&self) -> &[Shown] {
        self.frames.get(self.in_front..).unwrap_or_default()
    }
}

/// The first of each kind.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    kept: Vec<Example>,
    /// How many these are, of each kind and side.
    counts: [[u8; 2]; Oddity::KINDS],
}

/// So many flows have as many as are ever shown; those that are met later have one each, since
/// there may be very many of them.
const AMPLE: usize = 256;

/// How many of each kind the account of this number keeps.
pub(super) fn most_of(account: usize) -> usize {
    if account < AMPLE { MAX_PAIRS } else { 1 }
}

impl Examples {
    /// Whether there are fewer than `most`.
    fn wants(&self, what: Oddity, side: usize, most: usize) -> bool {
        usize::from(self.counts[what as usize][side]) < most
    }

    /// Keeps frames in front and behind, if there are fewer than `most`; says whether that was
    /// so.
    pub(super) fn keep(
        &mut self,
        (what, side): (Oddity, usize),
        most: usize,
        frames: impl FnOnce() -> [Vec<Shown>; 2],
    ) -> bool {
        let is_wanted = self.wants(what, side, most);
        if is_wanted {
            let [mut all, back] = frames();
            let in_front = all.len();
            all.extend(back);
            self.push(Example {
                what,
                side,
                frames: all,
                in_front,
            });
        }
        is_wanted
    }

    fn push(&mut self, example: Example) {
        let count = &mut self.counts[example.what as usize][example.side];
        *count = count.saturating_add(1);
        self.kept.push(example);
    }

    /// Those of what happened from front to back.
    pub fn of(&self, what: Oddity) -> impl Iterator<Item = &Example> {
        self.on_side(what, 0)
    }

    /// Those of what happened the other way round: whole behind and in fragments in front.
    pub fn of_reverse(&self, what: Oddity) -> impl Iterator<Item = &Example> {
        self.on_side(what, 1)
    }

    fn on_side(&self, what: Oddity, side: usize) -> impl Iterator<Item = &Example> {
        let kept = self.kept.iter();
        kept.filter(move |example| example.what == what && example.side == side)
    }

    /// Adds those of others, as long as there are few.
    pub(super) fn add(&mut self, other: &Self) {
        for example in &other.kept {
            if self.wants(example.what, example.side, MAX_PAIRS) {
                self.push(example.clone());
            }
        }
    }

    /// Seen from the other end.
    pub(super) fn reverse(&mut self) {
        self.counts = [[0; 2]; Oddity::KINDS];
        for mut example in std::mem::take(&mut self.kept) {
            example.frames.rotate_left(example.in_front);
            example.in_front = example.frames.len() - example.in_front;
            if example.what.has_sides() {
                example.side = 1 - example.side;
            }
            self.push(example);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn shown(point: usize, frame: u64) -> Shown {
        Shown {
            point,
            frame,
            time: Timestamp(0),
        }
    }

    /// A packet that was frame 1 in front, and frames 2 and 3 behind.
    fn keep(examples: &mut Examples, what: Oddity) {
        examples.keep((what, 0), MAX_PAIRS, || {
            [vec![shown(0, 1)], vec![shown(1, 2), shown(1, 3)]]
        });
    }

    #[test]
    fn no_more_are_kept_than_are_shown() {
        let mut examples = Examples::default();
        (0..20).for_each(|_| keep(&mut examples, Oddity::Copied));
        keep(&mut examples, Oddity::Missed);
        let mut all = examples.clone();
        all.add(&examples);
        for (what, kept) in [(Oddity::Copied, MAX_PAIRS), (Oddity::Overtaken, 0)] {
            assert_eq!(all.of(what).count(), kept);
            assert_eq!(all.of_reverse(what).count(), 0);
        }
        assert_eq!(all.of(Oddity::Missed).count(), 2);
    }

    #[test]
    fn seen_from_the_other_end_front_is_back() {
        let mut examples = Examples::default();
        keep(&mut examples, Oddity::Segmented);
        keep(&mut examples, Oddity::Refragmented);
        examples.reverse();
        assert_eq!(examples.of(Oddity::Segmented).count(), 0);
        let joined = examples.of_reverse(Oddity::Segmented);
        for example in joined.chain(examples.of(Oddity::Refragmented)) {
            let frames = [example.front(), example.back()];
            let frames = frames.map(|side| side.iter().map(|shown| shown.frame));
            assert_eq!(
                frames.map(Iterator::collect::<Vec<_>>),
                [vec![2, 3], vec![1]]
            );
        }
        assert_eq!(examples.of_reverse(Oddity::Refragmented).count(), 0);
    }
}
