//! What is wrong along a path, from captures at several points of it.
//!
//! Input: what came of a comparison. Output: the causes that show, each with the segment
//! or the point it is at, and where the difference between sent and delivered went. The
//! causes are pages of knowledge as those of one capture are.

mod blind;
mod causes;
mod explanation;
mod finding;
mod given;
pub mod pattern;
mod sentence;
mod sums;
pub mod told;
mod unanswered;
mod unseen;

pub use causes::ALL;
pub use explanation::Explanation;
pub use finding::{Evidence, Finding};
pub use given::Given;
pub use sums::{Sums, ends_of, is_mostly_backward, name};

use std::cmp::Reverse;

/// What is wrong along a path, and what that explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The causes that show, the one that explains most missing bytes first.
    pub findings: Vec<Finding>,
    /// Where the difference went; `None` without traffic that was matched.
    pub explanation: Option<Explanation>,
}

/// Looks for every cause.
pub fn diagnose(given: &Given<'_>) -> Diagnosis {
    let mut findings: Vec<Finding> = causes::JUDGES
        .iter()
        .flat_map(|judge| judge(given))
        .collect();
    findings
        .iter_mut()
        .flat_map(|finding| &mut finding.evidence)
        .for_each(|frame| frame.timestamp = given.as_captured(frame));
    findings.sort_by_key(|finding| {
        (
            Reverse(finding.missing_bytes().unwrap_or(0)),
            Reverse(finding.severity),
            finding.cause.id,
            finding.segment,
            finding.point,
        )
    });
    let explanation = explanation::explain(given, &findings);
    Diagnosis {
        findings,
        explanation,
    }
}
