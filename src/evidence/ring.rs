//! How near a frame is to what is to be shown.

/// Rings around the frames that findings name: those frames themselves, the first of a
/// finding before its others, then what lies around them, each ring twice as far out as
/// the one before. The innermost is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ring(u8);

impl Ring {
    /// The outermost of the rings that hold the frames that are named.
    pub const NAMED: Self = Self(2);

    /// Of a frame so many frames away from the one that has this place among those of
    /// its finding.
    pub fn of(distance: u64, rank: usize) -> Self {
        match (distance.checked_ilog2(), rank) {
            (None, 0) => Self(0),
            (None, 1 | 2) => Self(1),
            (None, _) => Self::NAMED,
            (Some(power), _) => Self(Self::NAMED.0 + 1 + power as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_widen_by_two() {
        let rings: Vec<u8> = [0, 1, 2, 3, 4, 7, 8, u64::MAX]
            .iter()
            .map(|distance| Ring::of(*distance, 0).0)
            .collect();
        assert_eq!(rings, [0, 3, 4, 4, 5, 5, 6, 66]);
        assert_eq!([0, 1, 2, 9].map(|rank| Ring::of(0, rank).0), [0, 1, 1, 2]);
    }
}
