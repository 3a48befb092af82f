//! Findings as the writers of the report take them.

use super::document::{Comparison, PathFinding};
use super::words;
use crate::report::document::{Evidence, Finding, Fix};
use crate::report::escape;

/// Characters of an id; ours have fewer.
const ID: usize = 20;

/// The findings, with where they are in front of their titles; their frames are of what
/// `file_of` says of a point.
pub(super) fn findings(
    comparison: &Comparison,
    file_of: fn(&Comparison, u32) -> String,
) -> Vec<Finding> {
    let found = comparison.findings.iter();
    found
        .map(|found| finding(found, comparison, file_of))
        .collect()
}

fn finding(
    found: &PathFinding,
    comparison: &Comparison,
    file_of: fn(&Comparison, u32) -> String,
) -> Finding {
    let evidence = found.evidence.iter().map(|shown| Evidence {
        frame: shown.frame,
        timestamp: shown.timestamp,
        file: file_of(comparison, shown.point),
        note: shown.note.clone(),
    });
    // Sentences quote paths and names from captures.
    let inert = |text: &str| escape::line(text).into_owned();
    let fix = found.fix.iter().map(|fix| Fix {
        when: inert(&fix.when),
        is_command: fix.is_command,
        command: inert(&fix.command),
    });
    Finding {
        id: inert(&found.id).chars().take(ID).collect(),
        name: inert(&found.name),
        severity: found.severity,
        title: inert(&title(found, comparison)),
        seen: inert(&found.seen),
        explanation: inert(&found.explanation),
        confidence: found.confidence,
        evidence: evidence.collect(),
        disprove: inert(&found.disprove),
        fix: fix.collect(),
        references: found.references.clone(),
        flows: found.flows.clone(),
        flows_total: found.flows.len() as u64,
        missing_bytes: found.missing_bytes,
    }
}

/// `A to B: what is wrong`.
fn title(found: &PathFinding, comparison: &Comparison) -> String {
    let segment = found.segment.and_then(|index| usize::try_from(index).ok());
    let segment = segment.and_then(|index| comparison.segments.get(index));
    let place = match (segment, found.point) {
        (Some(segment), _) => words::way(comparison, segment, found.direction),
        (None, Some(point)) => words::point_name(comparison, point),
        (None, None) => return found.title.clone(),
    };
    format!("{place}: {}", found.title)
}
