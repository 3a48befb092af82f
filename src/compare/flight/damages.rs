//! What damaged packets became: further on they are damaged alike, and no others.

use crate::compare::parcel::Piece;
use crate::compare::sighting::Sighting;
use crate::model::Sum;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Most that are remembered; then all are forgotten. What is left of one that is over does no
/// harm: nothing has its bytes but by chance.
const MAX_KNOWN: usize = 1 << 16;

/// The bytes of damaged packets, by piece.
#[derive(Debug, Default)]
pub(super) struct Damages(HashMap<u32, (u64, Option<Sum>), RandomState>);

impl Damages {
    /// A piece became this.
    pub fn note(&mut self, piece: u32, sighting: &Sighting) {
        if self.0.len() >= MAX_KNOWN {
            self.0.clear();
        }
        let bytes = (sighting.content(), sighting.sum);
        self.0.entry(piece).or_insert(bytes);
    }

    /// Whether that is what a piece became, which was damaged somewhere.
    pub fn is_alike(&self, number: u32, piece: &Piece, sighting: &Sighting) -> bool {
        let bytes = (sighting.content(), sighting.sum);
        piece.damaged != 0 && self.0.get(&number) == Some(&bytes)
    }

    /// Forgets a piece that is over.
    pub fn forget(&mut self, piece: u32) {
        self.0.remove(&piece);
    }
}
