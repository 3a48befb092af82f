//! As few frames as it takes to find the same once more.

use super::bundle;
use super::kept::Kept;
use super::pool::Pool;
use super::remarks::{self, Context};
use super::ring::Ring;
use super::wanted::{Wanted, leading};
use crate::report::Beside;
use crate::report::document::{Report, Severity};
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
    /// The finding that leads in the frames alone, if the one that leads in the whole is among
    /// the repeated and not the first, or not as grave.
    pub leads_instead: Option<String>,
    /// Frames near to those that are named for which there was no room, if more of them
    /// might have shown more.
    pub left_out: u64,
}

/// How well frames repeat what was found: findings that they do not show, findings that
/// only they show, and whether another leads. The best is the least.
type Distance = (usize, usize, bool);

const NONE: Distance = (0, 0, false);

impl Excerpt {
    /// What a report that lies beside it tells of it.
    pub fn beside(&self, is_anonymized: bool) -> Beside<'_> {
        Beside {
            capture: bundle::CAPTURE,
            frames: self.kept.frames.len() as u64,
            not_repeated: &self.not_repeated,
            leads_instead: self.leads_instead.as_deref(),
            is_anonymized,
        }
    }

    /// The smallest part of a pool in which `analyze` finds what is wanted, the same finding
    /// leading, or comes nearest to it. Each part that is tried is about twice as large as
    /// the one before, so that all together are analysed in the time of two readings of the
    /// largest.
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
            let excerpt = Self::compared(wanted, &analyze(&kept)?);
            let distance = excerpt.distance();
            if best.as_ref().is_none_or(|(known, _)| distance < *known) {
                remarks::write(&mut kept, &datagrams, context);
                best = Some((distance, Self { kept, ..excerpt }));
            }
            if distance == NONE {
                break;
            }
        }
        let (distance, best) = best.unwrap_or_default();
        let left_out = if distance == NONE { 0 } else { pool.left_out() };
        Ok(Self { left_out, ..best })
    }

    fn compared(wanted: &Wanted, report: &Report) -> Self {
        let found = report.findings.iter().map(|found| found.id.clone());
        let found: BTreeSet<String> = found.collect();
        // Where the one that leads is not there at all, that is said.
        let is_repeated = |(id, _): &&(String, Severity)| found.contains(id);
        let whole = wanted.leading().filter(is_repeated);
        let leading = leading(report).filter(|leading| whole.is_some_and(|whole| whole != leading));
        let wanted = wanted.findings();
        Self {
            repeated: wanted.intersection(&found).cloned().collect(),
            not_repeated: wanted.difference(&found).cloned().collect(),
            added: found.difference(wanted).cloned().collect(),
            leads_instead: leading.map(|(id, _)| id),
            ..Self::default()
        }
    }

    fn distance(&self) -> Distance {
        (
            self.not_repeated.len(),
            self.added.len(),
            self.leads_instead.is_some(),
        )
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
