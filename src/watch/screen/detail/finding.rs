//! One finding: what was seen, what it means, what would disprove and repair it.

use super::super::clock;
use super::super::overview::severity_tone;
use super::super::row::Tone;
use super::super::view::View;
use super::Prose;
use crate::model::number;
use crate::report::document::{Evidence, Finding};
use crate::report::label;
use crate::watch::Active;

/// Frames that are named.
const FRAMES: usize = 10;
/// Flows that are named.
const FLOWS: usize = 10;

/// `last` is the finding when it was last true.
pub(super) fn page(last: &Active, view: &View, prose: Prose) -> Prose {
    let id = &last.finding.id;
    let mut active = view.snapshot.findings.iter();
    let now = active.find(|active| active.finding.id == *id);
    let Active { since, finding } = now.unwrap_or(last);
    let cleared = view.cleared.iter().find(|one| one.active.finding.id == *id);
    let tone = severity_tone(finding.severity);
    let head = format!(
        "{}, {} ({})",
        finding.severity.name(),
        label::sureness(finding.confidence),
        finding.name,
    );
    let until = match (now, cleared) {
        (Some(_), _) => String::new(),
        (None, Some(cleared)) => format!(", cleared at {}", clock(cleared.at.into())),
        (None, None) => ", cleared".to_owned(),
    };
    let since = format!("{} UTC{until}", clock(*since));
    let missing = finding.missing_bytes.filter(|bytes| *bytes > 0);
    let prose = prose
        .title(&format!("{}  {}", finding.id, finding.title), tone)
        .field("severity", &head, tone)
        .field("since", &since, Tone::Normal)
        .field(
            "missing",
            &missing.map_or_else(String::new, number::bytes),
            Tone::Fault,
        )
        .field("seen", &finding.seen, Tone::Normal)
        .field("meaning", &finding.explanation, Tone::Normal)
        .field(
            "disproof",
            &finding.disprove.replace('`', "'"),
            Tone::Normal,
        );
    let prose = evidence(&finding.evidence, fixes(finding, prose));
    // The numbers of flows are those of the last seconds.
    let prose = if now.is_some() {
        flows(finding, view, prose)
    } else {
        prose
    };
    prose.field(
        "more",
        &format!("fraglens explain {}", finding.id),
        Tone::Quiet,
    )
}

fn fixes(finding: &Finding, prose: Prose) -> Prose {
    finding
        .fix
        .iter()
        .enumerate()
        .fold(prose, |prose, (index, fix)| {
            let label = if index == 0 { "fix" } else { "" };
            prose.field(
                label,
                &format!("{}  ({})", fix.command, fix.when),
                Tone::Normal,
            )
        })
}

fn evidence(frames: &[Evidence], prose: Prose) -> Prose {
    let shown = frames.iter().take(FRAMES).enumerate();
    shown.fold(prose, |prose, (index, shown)| {
        let label = if index == 0 { "evidence" } else { "" };
        let line = format!(
            "frame {} at {}: {}",
            number::count(shown.frame),
            clock(shown.timestamp),
            shown.note
        );
        prose.field(label, &line, Tone::Normal)
    })
}

fn flows(finding: &Finding, view: &View, prose: Prose) -> Prose {
    let all = &view.snapshot.window.flows;
    let named = finding.flows.iter().filter_map(|index| {
        let index = usize::try_from(*index).ok()?;
        all.get(index)
    });
    let named: Vec<String> = named
        .take(FLOWS)
        .map(|flow| label::flow(&flow.key))
        .collect();
    let more = finding.flows_total.saturating_sub(named.len() as u64);
    let prose = named
        .iter()
        .enumerate()
        .fold(prose, |prose, (index, flow)| {
            let label = if index == 0 { "flows" } else { "" };
            prose.field(label, flow, Tone::Normal)
        });
    if more == 0 {
        return prose;
    }
    let label = if named.is_empty() { "flows" } else { "" };
    let more = if named.is_empty() {
        number::counted(more, "flow")
    } else {
        format!("and {} more", number::count(more))
    };
    prose.field(label, &more, Tone::Normal)
}
