//! Frames that could not be decoded to the end, by reason.

use crate::model::facts::{LayerKind, Stop, Why};
use std::collections::BTreeMap;

/// Why decoding ended early, how often. Bounded by what a reason can be: a layer
/// and a 16-bit number.
#[derive(Clone, Debug, Default)]
pub struct Undecoded {
    reasons: BTreeMap<(LayerKind, Why, bool), u64>,
}

impl Undecoded {
    /// Counts one stop; `is_cut` says whether the frame was cut by the snaplen.
    pub fn count(&mut self, stop: &Stop, is_cut: bool) {
        let is_cut = is_cut && stop.why == Why::Truncated;
        *self
            .reasons
            .entry((stop.layer, stop.why, is_cut))
            .or_default() += 1;
    }

    /// The reasons in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (LayerKind, Why, bool, u64)> + '_ {
        self.reasons
            .iter()
            .map(|((layer, why, is_cut), count)| (*layer, *why, *is_cut, *count))
    }

    /// Adds another worker's counts.
    pub fn merge(&mut self, other: Self) {
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }
}
