//! Which bytes of a stream or a datagram each interface showed first: what a host cuts anew, puts
//! together or hands to a NIC in one goes out in other pieces than it came in.

use super::Place;

/// Interfaces that show something first.
const MAX_SIDES: usize = 2;
/// Stretches with gaps between them.
const MAX_STRETCHES: usize = 6;
/// Bytes of a stream that are remembered, at most: less than half of all numbers.
const MAX_BYTES: u32 = 1 << 24;

/// Bytes from `start` on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    pub start: u32,
    pub bytes: u32,
}

/// What one interface showed first.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    place: Option<Place>,
    stretches: [Stretch; MAX_STRETCHES],
}

/// What all of them showed first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Covered {
    sides: [Side; MAX_SIDES],
}

impl Covered {
    /// Whether an interface other than that showed all of it.
    pub fn has_elsewhere(&self, place: Place, stretch: Stretch) -> bool {
        let others = self.sides.iter();
        let mut others = others.filter(|side| side.place.is_some_and(|known| known != place));
        others.any(|side| side.has(stretch))
    }

    /// Adds what an interface showed first.
    pub fn add(&mut self, place: Place, stretch: Stretch) {
        let of_place = |side: &&mut Side| side.place.is_none_or(|known| known == place);
        if let Some(side) = self.sides.iter_mut().find(of_place) {
            side.place = Some(place);
            side.add(stretch);
        }
    }
}

impl Side {
    fn has(&self, stretch: Stretch) -> bool {
        let mut left = stretch;
        while left.bytes > 0 {
            let Some(holder) = self.stretches.iter().find(|known| known.holds(left.start)) else {
                return false;
            };
            let there = holder.end().wrapping_sub(left.start);
            left.start = holder.end();
            left.bytes = left.bytes.saturating_sub(there);
        }
        true
    }

    fn add(&mut self, stretch: Stretch) {
        let mut all = stretch;
        for known in &mut self.stretches {
            if known.touches(&all) {
                all = known.and(&all);
                *known = Stretch::default();
            }
        }
        let far = |known: &&mut Stretch| match known.bytes {
            0 => u32::MAX,
            _ => known
                .end()
                .wrapping_sub(all.end())
                .cast_signed()
                .unsigned_abs(),
        };
        if let Some(free) = self.stretches.iter_mut().max_by_key(far) {
            *free = all.latest();
        }
    }
}

impl Stretch {
    fn end(&self) -> u32 {
        self.start.wrapping_add(self.bytes)
    }

    fn holds(&self, at: u32) -> bool {
        at.wrapping_sub(self.start) < self.bytes
    }

    fn touches(&self, other: &Self) -> bool {
        let is_behind =
            |front: &Self, back: &Self| back.start.wrapping_sub(front.start) <= front.bytes;
        self.bytes > 0 && (is_behind(self, other) || is_behind(other, self))
    }

    /// Both, of which one begins in the other or right behind it.
    fn and(&self, other: &Self) -> Self {
        let begins_first = other.start.wrapping_sub(self.start) <= self.bytes;
        let (front, back) = match begins_first {
            true => (self, other),
            false => (other, self),
        };
        let reach = back.start.wrapping_sub(front.start) + back.bytes;
        Self {
            start: front.start,
            bytes: reach.max(front.bytes),
        }
    }

    /// As much of its end as is remembered.
    fn latest(self) -> Self {
        let bytes = self.bytes.min(MAX_BYTES);
        Self {
            start: self.end().wrapping_sub(bytes),
            bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN: Place = Place(1);
    const OUT: Place = Place(2);

    fn stretch(start: u32, bytes: u32) -> Stretch {
        Stretch { start, bytes }
    }

    #[test]
    fn what_was_shown_in_other_pieces_is_covered() {
        let mut covered = Covered::default();
        covered.add(IN, stretch(u32::MAX - 99, 200));
        covered.add(IN, stretch(500, 100));
        assert!(covered.has_elsewhere(OUT, stretch(u32::MAX - 50, 120)));
        assert!(!covered.has_elsewhere(OUT, stretch(50, 500)));
        assert!(!covered.has_elsewhere(IN, stretch(500, 100)));
        covered.add(IN, stretch(100, 400));
        assert!(covered.has_elsewhere(OUT, stretch(u32::MAX - 99, 700)));
        assert!(!covered.has_elsewhere(OUT, stretch(500, 101)));
    }

    #[test]
    fn what_is_farthest_is_forgotten() {
        let mut covered = Covered::default();
        for number in 0..100 {
            covered.add(IN, stretch(number * 1_000, 500));
        }
        assert!(covered.has_elsewhere(OUT, stretch(99_000, 500)));
        assert!(covered.has_elsewhere(OUT, stretch(95_000, 500)));
        assert!(!covered.has_elsewhere(OUT, stretch(1_000, 500)));
    }

    #[test]
    fn a_long_stream_is_remembered_where_it_ends() {
        let mut covered = Covered::default();
        for number in 0..100_000_u32 {
            covered.add(IN, stretch(number.wrapping_mul(64_000), 64_000));
        }
        let end = 99_999_u32.wrapping_mul(64_000);
        assert!(covered.has_elsewhere(OUT, stretch(end.wrapping_sub(1_000), 2_000)));
        assert!(!covered.has_elsewhere(OUT, stretch(end.wrapping_add(63_000), 2_000)));
        assert!(!covered.has_elsewhere(OUT, stretch(end.wrapping_sub(1 << 25), 1_000)));
    }
}
