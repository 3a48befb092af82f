//! From what is given to the findings.

use super::causes::JUDGES;
use super::explanation::{self, Explanation};
use super::finding::Finding;
use super::known::{Given, Known};
use super::reconcile::{Compared, Reconciled};
use super::stack::InView;
use std::cmp::Reverse;

/// What is wrong with a capture, and what that explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The causes that show, the one that explains most missing bytes first.
    pub findings: Vec<Finding>,
    /// Where the difference between sent and delivered went; `None` without traffic.
    pub explanation: Option<Explanation>,
    /// The runs of the benchmark, if one was given.
    pub runs: Vec<Reconciled>,
    /// The kernel's counters, if some were given.
    pub counters: Vec<Compared>,
}

/// Looks for every cause.
pub fn diagnose(given: Given<'_>) -> Diagnosis {
    let known = Known::of(given);
    let in_view = InView::of(&known);
    let mut findings: Vec<Finding> = JUDGES.iter().filter_map(|judge| judge(&known)).collect();
    for finding in &mut findings {
        finding.fix = in_view.fixes(finding.cause);
    }
    findings.sort_by_key(|finding| {
        let missing = finding.missing_bytes.unwrap_or(0);
        (
            Reverse(missing),
            Reverse(finding.severity),
            finding.cause.id,
        )
    });
    let explanation = explanation::explain(&known, &findings);
    Diagnosis {
        findings,
        explanation,
        runs: known.runs,
        counters: known.counters,
    }
}
