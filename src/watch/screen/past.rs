//! What the screen remembers of the seconds before: rates, drops, findings that went.

use crate::model::{Duration, Timestamp};
use crate::watch::{Active, Captured, Snapshot};
use std::collections::VecDeque;

/// Seconds that are remembered: more than any screen has columns.
const SECONDS: usize = 600;

/// How long a finding that is no longer true stays on the screen.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Most of them.
const MOST_CLEARED: usize = 32;

/// Offered and deliverable in one second, bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Second {
    pub(super) offered: f64,
    pub(super) deliverable: f64,
}

/// A finding that was true until a moment ago.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    pub(super) active: Active,
    pub(super) at: Timestamp,
}

/// The seconds before.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    seconds: VecDeque<Second>,
    active: Vec<Active>,
    cleared: Vec<Cleared>,
    captured: Vec<Captured>,
}

impl Past {
    /// One more second. Returns the frames that each interface lost in it.
    pub(super) fn note(&mut self, snapshot: &Snapshot) -> Vec<u64> {
        if self.seconds.len() == SECONDS {
            self.seconds.pop_front();
        }
        self.seconds.push_back(Second {
            offered: snapshot.rates.offered_bits_per_second,
            deliverable: snapshot.rates.deliverable_bits_per_second,
        });
        self.note_findings(snapshot);
        let lost = snapshot.captured.iter().map(|now| {
            let before = self.captured.iter().find(|before| before.name == now.name);
            lost(now).saturating_sub(before.map_or(0, lost))
        });
        let lost = lost.collect();
        self.captured.clone_from(&snapshot.captured);
        lost
    }

    fn note_findings(&mut self, snapshot: &Snapshot) {
        let now = snapshot.timestamp.0;
        let is_true = |active: &Active| {
            let ids = snapshot.findings.iter().map(|other| &other.finding.id);
            ids.into_iter().any(|id| *id == active.finding.id)
        };
        self.cleared
            .retain(|cleared| now - cleared.at < REMEMBERED && !is_true(&cleared.active));
        let gone = self.active.drain(..).filter(|active| !is_true(active));
        let gone = gone.map(|active| Cleared { active, at: now });
        // The latest first.
        self.cleared.splice(0..0, gone);
        self.cleared.truncate(MOST_CLEARED);
        self.active.clone_from(&snapshot.findings);
    }

    /// Findings that went within the last minute, the latest first.
    pub(super) fn cleared(&self) -> &[Cleared] {
        &self.cleared
    }

    /// At most so many seconds, the latest first, without the latest `skipped`.
    pub(super) fn latest(
        &self,
        skipped: usize,
        most: usize,
    ) -> impl Iterator<Item = Second> + Clone {
        let seconds = self.seconds.iter().rev().copied();
        seconds.skip(skipped).take(most)
    }
}

fn lost(captured: &Captured) -> u64 {
    captured.dropped.saturating_add(captured.interface_dropped)
}
