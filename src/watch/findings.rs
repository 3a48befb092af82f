//! Findings as they appear and clear.

use super::Active;
use crate::model::Duration;
use crate::report::document::{Finding, Time};
use serde::Serialize;
use std::cmp::Reverse;

/// How long a finding must be missing before it has cleared, and from how many snapshots
/// in a row: near its threshold it would appear and clear each second.
const CLEARS_AFTER: (Duration, u32) = (Duration::from_secs(3), 2);

/// The findings that are true now.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// At most one of each cause.
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    active: Active,
    /// When it was there last.
    seen: Time,
    /// Snapshots since.
    missing: u32,
}

/// A finding that came or went.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Which of the two.
    pub change: Became,
    /// When.
    pub timestamp: Time,
    /// When it appeared.
    pub since: Time,
    /// What it is, as it was when it was last seen.
    pub finding: Finding,
}

/// What a finding did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Became {
    /// It was not there before, or was less grave.
    Appeared,
    /// It has not been seen for some snapshots.
    Cleared,
}

impl Findings {
    /// Takes what is found at `now`; says what changed.
    pub fn take(&mut self, found: &[Finding], now: Time) -> Vec<Change> {
        let mut changes = Vec::new();
        for known in &mut self.known {
            known.missing += 1;
        }
        for finding in found {
            let at = self
                .known
                .iter_mut()
                .find(|known| known.active.finding.id == finding.id);
            let is_news = match at {
                Some(known) => known.is_seen(finding, now),
                None => {
                    self.known.push(Known {
                        active: Active {
                            since: now,
                            finding: finding.clone(),
                        },
                        seen: now,
                        missing: 0,
                    });
                    true
                }
            };
            if is_news {
                changes.push(change(Became::Appeared, now, now, finding));
            }
        }
        self.known.retain(|known| {
            let (time, snapshots) = CLEARS_AFTER;
            let stays = known.missing < snapshots || now.0 - known.seen.0 < time;
            if !stays {
                let active = &known.active;
                let cleared = change(Became::Cleared, now, active.since, &active.finding);
                changes.push(cleared);
            }
            stays
        });
        changes
    }

    /// Those that are true now, the gravest first.
    pub fn active(&self) -> Vec<Active> {
        let mut active: Vec<Active> = self
            .known
            .iter()
            .map(|known| known.active.clone())
            .collect();
        active.sort_by_key(|active| {
            let finding = &active.finding;
            (
                Reverse(finding.severity),
                Reverse(finding.missing_bytes),
                finding.id.clone(),
            )
        });
        active
    }
}

impl Known {
    /// Whether it is graver than before, which is news.
    fn is_seen(&mut self, finding: &Finding, now: Time) -> bool {
        let is_graver = finding.severity > self.active.finding.severity;
        self.seen = now;
        self.missing = 0;
        self.active.finding = finding.clone();
        is_graver
    }
}

fn change(change: Became, timestamp: Time, since: Time, finding: &Finding) -> Change {
    Change {
        change,
        timestamp,
        since,
        finding: finding.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use crate::report::document::Severity;
    use crate::report::samples;

    fn at(second: i64) -> Time {
        Time(Timestamp(second * 1_000_000_000))
    }

    #[test]
    fn a_finding_appears_once_and_clears_once() {
        let found = samples::with_finding().findings;
        let mut findings = Findings::default();
        let mut seen = Vec::new();
        for second in 0..12 {
            let is_there = matches!(second, 1 | 2 | 4);
            let now = if is_there { &found[..1] } else { &[] };
            let changes = findings.take(now, at(second));
            seen.extend(changes.iter().map(|change| (second, change.change)));
            let is_active = (1..7).contains(&second);
            assert_eq!(!findings.active().is_empty(), is_active, "{second}");
        }
        assert_eq!(seen, [(1, Became::Appeared), (7, Became::Cleared)]);
    }

    #[test]
    fn a_graver_one_is_news() {
        let mut finding = samples::with_finding().findings.remove(0);
        let mut findings = Findings::default();
        finding.severity = Severity::Warning;
        let mut news = |severity| {
            finding.severity = severity;
            findings.take(std::slice::from_ref(&finding), at(0)).len()
        };
        assert_eq!(news(Severity::Warning), 1);
        assert_eq!(news(Severity::Error), 1);
        assert_eq!(news(Severity::Info), 0);
    }
}
