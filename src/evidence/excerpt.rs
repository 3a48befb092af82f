//! As few frames as it takes to find the same once more.

use super::bundle;
use super::kept::Kept;
use super::pool::Pool;
use super::remarks::{self, Context};
use super::ring::Ring;
use super::wanted::Wanted;
use crate::report::Beside;
use crate::report::document::Report;
use std::collections::BTreeSet;

/// What proves a report.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// The frames, with comments on those that findings name and those beside which
    /// fragments are missing.
    pub kept: Kept,
    /// Findings of the report that the frames alone show.
    pub repeated: Vec<String>,
    /// Those that they do not: what they rest on did not fit, or is no frame.
    pub not_repeated: Vec<String>,
    /// Findings that only the frames show, because others are not with them.
    pub added: Vec<String>,
    /// Frames near to those that are named for which there was no room.
    pub left_out: u64,
}

/// How well frames repeat what was found. The best is the least.
type Distance = (usize, usize);

impl Excerpt {
    /// What a report that lies beside it tells of it.
    pub fn beside(&self, is_anonymized: bool) -> Beside<'_> {
        Beside {
            capture: bundle::CAPTURE,
            frames: self.kept.frames.len() as u64,
            not_repeated: &self.not_repeated,
            is_anonymized,
        }
    }

    /// The smallest part of a pool in which `analyze` finds what is wanted, or comes
    /// nearest to it.
    ///
    /// # Errors
    ///
    /// Those of `analyze`.
    pub fn of<E>(
        pool: &Pool,
        wanted: &Wanted,
        context: &Context<'_>,
        mut analyze: impl FnMut(&Kept) -> Result<Report, E>,
    ) -> Result<Self, E> {
        let mut best: Option<(Distance, Self)> = None;
        for ring in candidates(pool) {
            let (mut kept, datagrams) = pool.up_to(ring);
            let found = analyze(&kept)?;
            let found: BTreeSet<String> = found
                .findings
                .iter()
                .map(|found| found.id.clone())
                .collect();
            let excerpt = Self::compared(wanted.findings(), &found);
            let distance = (excerpt.not_repeated.len(), excerpt.added.len());
            if best.as_ref().is_none_or(|(known, _)| distance < *known) {
                remarks::write(&mut kept, &datagrams, context);
                best = Some((distance, Self { kept, ..excerpt }));
            }
            if distance == (0, 0) {
                break;
            }
        }
        let (_, best) = best.unwrap_or_default();
        Ok(Self {
            left_out: pool.left_out(),
            ..best
        })
    }

    fn compared(wanted: &BTreeSet<String>, found: &BTreeSet<String>) -> Self {
        Self {
            repeated: wanted.intersection(found).cloned().collect(),
            not_repeated: wanted.difference(found).cloned().collect(),
            added: found.difference(wanted).cloned().collect(),
            ..Self::default()
        }
    }
}

/// What is tried, the smallest first: all frames that are named, then ring by ring.
fn candidates(pool: &Pool) -> Vec<Ring> {
    let rings = pool.rings();
    let mut candidates: Vec<Ring> = rings
        .into_iter()
        .filter(|ring| *ring > Ring::NAMED)
        .collect();
    candidates.insert(0, Ring::NAMED);
    candidates
}
