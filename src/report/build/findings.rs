//! Findings and the explanation as rows.

use crate::account::Pieces;
use crate::diagnose::{self, FixKind};
use crate::model::{FlowKey, FrameId};
use crate::report::document::{Evidence, Explanation, Finding, Fix, Part, Severity, Time};
use crate::source::FileFacts;
use std::collections::HashMap;

/// The findings; `keys` are those of the flows that are listed.
pub(super) fn findings(
    found: &[diagnose::Finding],
    keys: &[FlowKey],
    files: &[FileFacts],
) -> Vec<Finding> {
    found
        .iter()
        .map(|found| finding(found, keys, files))
        .collect()
}

fn finding(found: &diagnose::Finding, keys: &[FlowKey], files: &[FileFacts]) -> Finding {
    let cause = found.cause;
    Finding {
        id: cause.id.to_owned(),
        name: cause.name.to_owned(),
        severity: severity(found.severity),
        title: cause.title.to_owned(),
        explanation: format!("{} {}", found.seen, cause.meaning),
        seen: found.seen.clone(),
        confidence: found.confidence,
        evidence: found
            .evidence
            .iter()
            .map(|shown| evidence(shown, files))
            .collect(),
        disprove: cause.disprove.to_owned(),
        fix: found.fix.iter().map(|fix| fix_row(fix)).collect(),
        references: cause
            .references
            .iter()
            .map(|text| (*text).to_owned())
            .collect(),
        flows: listed(&found.flows, keys),
        flows_total: found.flows.len() as u64,
        missing_bytes: found.missing_bytes,
    }
}

fn severity(severity: diagnose::Severity) -> Severity {
    match severity {
        diagnose::Severity::Info => Severity::Info,
        diagnose::Severity::Warning => Severity::Warning,
        diagnose::Severity::Error => Severity::Error,
    }
}

fn fix_row(fix: &diagnose::Fix) -> Fix {
    Fix {
        when: fix.when.to_owned(),
        is_command: fix.kind == FixKind::Command,
        command: fix.command.to_owned(),
    }
}

/// Places of flows in the list, those left out of it skipped.
pub(super) fn listed(flows: &[FlowKey], keys: &[FlowKey]) -> Vec<u64> {
    let places: HashMap<&FlowKey, u64> = keys.iter().zip(0..).collect();
    flows
        .iter()
        .filter_map(|flow| places.get(flow).copied())
        .collect()
}

fn evidence(shown: &diagnose::Evidence, files: &[FileFacts]) -> Evidence {
    let exhibit = &shown.exhibit;
    let of = exhibit.pieces.map_or_else(String::new, pieces);
    Evidence {
        frame: exhibit.frame.number,
        timestamp: Time(exhibit.timestamp),
        file: path_of(exhibit.frame, files),
        note: format!("{}{of}", shown.note),
    }
}

/// The file that a frame is in.
pub(super) fn path_of(frame: FrameId, files: &[FileFacts]) -> String {
    let file = files.get(frame.file as usize);
    file.map_or_else(String::new, |file| file.path.clone())
}

/// `; datagram 0xadca, 44 of 47 fragments came`.
fn pieces(pieces: Pieces) -> String {
    let came = match pieces.missing {
        None => format!("{} of its fragments came", pieces.seen),
        Some(missing) => {
            let all = pieces.seen.saturating_add(missing);
            format!("{} of {all} fragments came", pieces.seen)
        }
    };
    format!("; datagram {:#06x}, {came}", pieces.id)
}

/// The explanation.
pub(super) fn explanation(explained: &diagnose::Explanation) -> Explanation {
    Explanation {
        sent_bytes: explained.sent_bytes,
        delivered_bytes: explained.delivered_bytes,
        parts: explained
            .parts
            .iter()
            .map(|part| Part {
                finding: part.cause.to_owned(),
                bytes: part.bytes,
            })
            .collect(),
        undecided_bytes: explained.undecided_bytes,
        residual_bytes: explained.residual_bytes,
        sentence: explained.sentence.clone(),
    }
}
