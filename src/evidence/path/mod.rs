//! What proves a comparison: the frames it names, as they were seen at each point.
//!
//! Input: a [`Comparison`], and the capture of each of its points, which is read once
//! more. Output: a [`PathExcerpt`], in which a point is an interface.
//!
//! ```text
//! Comparison ──► Exhibits ──► Gathering ─────────────────► PathExcerpt ──► pcapng
//!                frames of    one point after another:     comments, and the
//!                each point   frames that are named, and   order of the first
//!                             all of their datagrams,      point's clock
//!                             and then these wherever
//!                             else they came by
//! ```
//!
//! What must hold: a point is read in one go and no further than necessary, and again only for
//! what was named at others meanwhile; memory has a
//! bound; a datagram that lost frames for want of room is not said to have lost them on
//! the way.

mod clocks;
mod exhibits;
mod gathering;
mod look;
mod near;
mod pending;
mod remarks;
mod sought;
#[cfg(test)]
pub(crate) mod tests;
mod told;

pub use gathering::{Changed, Gathering};

use super::kept::Kept;
use crate::report::Beside;
use crate::report::comparison::Comparison;

/// What proves a comparison.
#[derive(Clone, Debug, Default)]
pub struct PathExcerpt {
    /// The frames, in the order of the first point's clock, each with a comment. Interface
    /// `i` is point `i`.
    pub kept: Kept,
    /// Comments on them as a whole.
    pub comments: Vec<String>,
    /// Ids of the findings of which all frames that they name are among them.
    pub shown: Vec<String>,
    /// Those of the others: there was no room, or they name none.
    pub not_shown: Vec<String>,
    /// Frames that would be among them if there had been room.
    pub left_out: u64,
}

impl PathExcerpt {
    /// What a report that lies beside it tells of it.
    pub fn beside(&self) -> Beside<'_> {
        Beside {
            capture: super::bundle::CAPTURE,
            frames: self.kept.frames.len() as u64,
            not_repeated: &self.not_shown,
            leads_instead: None,
            is_anonymized: false,
        }
    }
}

/// What a point is called; there is none of such a number if the document is at odds with
/// itself.
fn name(comparison: &Comparison, point: u32) -> &str {
    let point = comparison.points.get(point as usize);
    point.map_or("?", |point| &point.name)
}
