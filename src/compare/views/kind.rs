//! How often each interface saw packets that are alike.

use super::Place;

/// Interfaces that are told apart by one kind; others add nothing.
const MAX_PLACES: usize = 8;

/// Packets that are alike.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kind {
    most: u32,
    places: [(Place, u32); MAX_PLACES],
}

/// What one more of a kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OneMore {
    /// One more than any other interface saw.
    pub is_new: bool,
    /// Of a kind that no other interface saw.
    pub is_here_alone: bool,
}

impl OneMore {
    /// By this kind and another.
    pub fn and(self, other: Self) -> Self {
        Self {
            is_new: self.is_new && other.is_new,
            is_here_alone: self.is_here_alone && other.is_here_alone,
        }
    }
}

impl Kind {
    pub fn take(&mut self, place: Place) -> OneMore {
        let known = self.places.iter_mut();
        let mut known = known.filter(|(known, seen)| *known == place || *seen == 0);
        let Some((known, seen)) = known.next() else {
            return OneMore {
                is_new: false,
                is_here_alone: false,
            };
        };
        *known = place;
        *seen = seen.saturating_add(1);
        let is_new = *seen > self.most;
        self.most = self.most.max(*seen);
        let [(first, _), (_, second), ..] = self.places;
        OneMore {
            is_new,
            is_here_alone: first == place && second == 0,
        }
    }
}
