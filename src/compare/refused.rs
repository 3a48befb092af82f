//! Flows that a point could take in no more: what others have of them is not lost there.
//!
//! There may be any number. So their names are in a filter that never forgets one, and takes some
//! others for them (B. Bloom, "Space/time trade-offs in hash coding with allowable errors",
//! 1970): of a million that were refused, one in 40 others; what those lose is not judged.

use super::parcel::Mask;

/// Bits of a filter: a mebibyte.
const BITS: usize = 1 << 23;
/// Of each name.
const MARKS: u32 = 4;

/// Names by their hash.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// None before the first.
    words: Vec<u64>,
}

impl Refused {
    /// Adds a name; whether it was not among them.
    pub fn insert(&mut self, name: u64) -> bool {
        if self.words.is_empty() {
            self.words.resize(BITS / u64::BITS as usize, 0);
        }
        let mut is_new = false;
        for (word, bit) in places(name) {
            is_new |= self.words[word] & bit == 0;
            self.words[word] |= bit;
        }
        is_new
    }

    /// Whether it may be among them.
    pub fn may_have(&self, name: u64) -> bool {
        !self.words.is_empty() && places(name).all(|(word, bit)| self.words[word] & bit != 0)
    }
}

/// Where the marks of a name are.
fn places(name: u64) -> impl Iterator<Item = (usize, u64)> {
    let (first, step) = (name, name.rotate_left(32) | 1);
    (0..MARKS).map(move |mark| {
        let place = first.wrapping_add(step.wrapping_mul(mark.into())) as usize % BITS;
        (place / 64, 1 << (place % 64))
    })
}

/// The same of all points.
#[derive(Debug)]
pub(super) struct RefusedAt(Vec<Refused>);

impl RefusedAt {
    pub fn new(points: usize) -> Self {
        Self((0..points).map(|_| Refused::default()).collect())
    }

    /// A point refused some names.
    pub fn take(&mut self, point: usize, names: &[u64]) {
        for name in names {
            self.0[point].insert(*name);
        }
    }

    /// Whether no point refused anything.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|refused| refused.words.is_empty())
    }

    /// Whether one of some points may have refused a name.
    pub fn may_have(&self, points: Mask, name: u64) -> bool {
        let mut some = self.0.iter().enumerate();
        some.any(|(point, refused)| points >> point & 1 != 0 && refused.may_have(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::content::hash;

    #[test]
    fn no_name_is_forgotten_and_few_are_made_up() {
        let mut refused = Refused::default();
        assert!(!refused.may_have(hash(&[1])));
        let mut known = 0;
        for name in 0..1_000_000 {
            known += u32::from(!refused.insert(hash(&[name])));
        }
        assert!((0..1_000_000).all(|name| refused.may_have(hash(&[name]))));
        let made_up = (1_000_000..1_100_000).filter(|name| refused.may_have(hash(&[*name])));
        let made_up = made_up.count();
        assert!((1_500..3_500).contains(&made_up), "{made_up} of 100,000");
        assert!(known < 10_000, "{known} of a million taken for others");
    }

    #[test]
    fn points_are_asked_by_name() {
        let mut refused = RefusedAt::new(3);
        assert!(refused.is_empty());
        refused.take(2, &[7]);
        assert!(!refused.is_empty());
        let asked = [(0b100, 7), (0b011, 7), (0b111, 8)];
        let told = asked.map(|(points, name)| refused.may_have(points, name));
        assert_eq!(told, [true, false, false]);
    }
}
