//! The sentence that says it all, and the findings behind it.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Evidence, Finding, Fix, Report, Severity};
use crate::report::escape;
use crate::report::label::{SURE, sureness};
use std::io::{self, Write};

/// Frames that are named for a finding; JSON has all.
const FRAMES: usize = 5;
/// Fixes that are shown for a finding; `fraglens explain` has all.
const FIXES: usize = 2;

/// Writes the sentence, and under it where the difference went.
pub(super) fn write_explanation(
    report: &Report,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let Some(explanation) = &report.explanation else {
        return Ok(());
    };
    page.begin();
    page.paragraph("", 0, &explanation.sentence, Tone::Heading)?;
    let missing = explanation
        .sent_bytes
        .saturating_sub(explanation.delivered_bytes);
    if missing == 0 {
        return Ok(());
    }
    let share = |bytes| number::percent(bytes, explanation.sent_bytes);
    let line = format!(
        "{} of {} offered ({})",
        number::bytes(missing),
        number::bytes(explanation.sent_bytes),
        share(missing)
    );
    page.field("missing", &line, Tone::Fault)?;
    for part in &explanation.parts {
        let title = report
            .findings
            .iter()
            .find(|finding| finding.id == part.finding);
        let title = title.map_or("", |finding| finding.title.as_str());
        let line = format!(
            "{} ({})  {title}",
            number::bytes(part.bytes),
            share(part.bytes)
        );
        page.field(&part.finding, &line, Tone::Normal)?;
    }
    if explanation.undecided_bytes > 0 {
        let line = format!(
            "{} of datagrams that the capture begins or ends within",
            number::bytes(explanation.undecided_bytes)
        );
        page.field("undecided", &line, Tone::Normal)?;
    }
    if explanation.residual_bytes != 0 {
        let bytes = number::bytes(explanation.residual_bytes.unsigned_abs());
        let sign = if explanation.residual_bytes < 0 {
            "-"
        } else {
            ""
        };
        let line = format!("{sign}{bytes} that no finding explains");
        page.field("residual", &line, Tone::Normal)?;
    }
    Ok(())
}

/// Writes the findings: what was seen, in which frames, what disproves and repairs it.
pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let remark = "one capture shows what came to this point, not where it was lost";
    let names_files = report.capture.files.len() > 1;
    write_section(&report.findings, remark, names_files, page)
}

/// Writes findings; of their frames, also what they are of, if `names_files`.
pub(in crate::report) fn write_section(
    findings: &[Finding],
    remark: &str,
    names_files: bool,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    page.heading("Findings", remark)?;
    let (grave, mild): (Vec<&Finding>, Vec<&Finding>) = findings
        .iter()
        .partition(|finding| finding.severity > Severity::Info);
    for finding in grave {
        write_head(finding, page)?;
        page.field("seen", &finding.seen, Tone::Normal)?;
        write_frames(&finding.evidence, names_files, page)?;
        page.field(
            "disproof",
            &finding.disprove.replace('`', "'"),
            Tone::Normal,
        )?;
        write_fixes(finding, page)?;
    }
    for finding in mild {
        write_head(finding, page)?;
        page.field("seen", &finding.seen, Tone::Normal)?;
        // What is sure and mild is no fault; the rest may be one.
        if finding.confidence < SURE {
            write_more(finding, page)?;
        }
    }
    Ok(())
}

fn write_head(finding: &Finding, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let missing = finding.missing_bytes.filter(|bytes| *bytes > 0);
    let missing = missing.map_or_else(String::new, |bytes| format!(", {}", number::bytes(bytes)));
    let tone = match finding.severity {
        Severity::Info => Tone::Quiet,
        Severity::Warning => Tone::Doubt,
        Severity::Error => Tone::Fault,
    };
    let sureness = sureness(finding.confidence);
    let remark = match finding.severity {
        Severity::Info => sureness.to_owned(),
        Severity::Warning => format!("warning, {sureness}"),
        Severity::Error => format!("error, {sureness}"),
    };
    let id = format!("  {:<5}", finding.id);
    let remark = format!("{remark}{missing}");
    let columns = [&id, &finding.title, &remark].map(|text| text.chars().count());
    if columns.iter().sum::<usize>() + 2 > page.width() {
        let indent = id.chars().count();
        page.paragraph(&id, indent, &finding.title, tone)?;
        return page.line(&format!("       {remark}"), tone);
    }
    page.pieces(&[
        (id, tone),
        (finding.title.clone(), Tone::Heading),
        (format!("  {remark}"), tone),
    ])
}

fn write_frames(
    evidence: &[Evidence],
    names_files: bool,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let Some(first) = evidence.first() else {
        return Ok(());
    };
    let frames: Vec<String> = evidence
        .iter()
        .take(FRAMES)
        .map(|shown| {
            let frame = number::count(shown.frame);
            if names_files {
                format!("{frame} of {}", escape::line(&shown.file))
            } else {
                frame
            }
        })
        .collect();
    let more = if evidence.len() > FRAMES {
        " and others"
    } else {
        ""
    };
    let line = format!(
        "{} {}{more}; the first: {}",
        if evidence.len() == 1 {
            "frame"
        } else {
            "frames"
        },
        frames.join(", "),
        escape::line(&first.note)
    );
    page.field("evidence", &line, Tone::Normal)
}

fn write_fixes(finding: &Finding, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    for (index, Fix { when, command, .. }) in finding.fix.iter().take(FIXES).enumerate() {
        let label = if index == 0 { "fix" } else { "" };
        page.field(label, &format!("{command}  ({when})"), Tone::Normal)?;
    }
    write_more(finding, page)
}

fn write_more(finding: &Finding, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    page.field(
        "more",
        &format!("fraglens explain {}", finding.id),
        Tone::Quiet,
    )
}
