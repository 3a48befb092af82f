//! The sentence that says it all, where the difference went, and the findings behind it.

use super::page::{Page, Table, and_more, figure, name, prose, sentence, words};
use crate::model::number;
use crate::report::document::{Evidence, Explanation, Finding, Fix, Report, Severity};
use crate::report::label::{SURE, sureness};

/// Frames that are named for a finding; the command that shows them has more.
const FRAMES: usize = 5;

/// Writes the sentence, and under it what was sent, delivered and lost.
pub(super) fn write_explanation(report: &Report, page: &mut Page) {
    let Some(explanation) = &report.explanation else {
        if report.totals.packets == 0 {
            page.paragraph("There are no IP packets in this capture.");
        }
        return;
    };
    page.paragraph(&sentence(&explanation.sentence));
    let rows = rows(explanation, report, page);
    page.table(&Table {
        head: vec!["what", "bytes", "share"],
        texts: 1,
        rows,
    });
}

fn rows(explanation: &Explanation, report: &Report, page: &mut Page) -> Vec<Vec<String>> {
    let row = |what: String, bytes: u64| {
        let share = number::percent(bytes, explanation.sent_bytes);
        vec![what, figure(&number::bytes(bytes)), figure(&share)]
    };
    let mut rows = vec![
        row("offered".to_owned(), explanation.sent_bytes),
        row("delivered".to_owned(), explanation.delivered_bytes),
    ];
    let parts = page.shown(&explanation.parts, usize::MAX);
    for part in parts {
        let named = |finding: &&Finding| finding.id == part.finding;
        let title = report.findings.iter().find(named);
        let title = title.map_or("", |finding| &finding.title);
        let what = words(&format!("lost, {}: {title}", part.finding));
        rows.push(row(what, part.bytes));
    }
    let left_out: u64 = explanation.parts[parts.len()..]
        .iter()
        .map(|part| part.bytes)
        .sum();
    if left_out > 0 {
        rows.push(row("lost, by other findings".to_owned(), left_out));
    }
    if explanation.undecided_bytes > 0 {
        let what = "undecided: the capture begins or ends within it";
        rows.push(row(what.to_owned(), explanation.undecided_bytes));
    }
    let residual = explanation.residual_bytes.unsigned_abs();
    if explanation.residual_bytes > 0 {
        rows.push(row("lost, explained by no finding".to_owned(), residual));
    } else if residual > 0 {
        rows.push(row(
            "explained by more than one finding".to_owned(),
            residual,
        ));
    }
    rows
}

/// Writes the findings: what was seen, in which frames, what disproves and repairs it.
pub(super) fn write(report: &Report, page: &mut Page) {
    let remark = "One capture shows what came to this point, not where it was lost.";
    let names_files = report.capture.files.len() > 1;
    write_section(&report.findings, remark, names_files, page);
}

/// Writes findings; of their frames, also what they are of, if `names_files`.
pub(in crate::report) fn write_section(
    findings: &[Finding],
    remark: &str,
    names_files: bool,
    page: &mut Page,
) {
    if findings.is_empty() {
        return;
    }
    page.heading(3, "Findings");
    // What is mild and sure is no fault: worth a line.
    let is_note =
        |finding: &&Finding| finding.severity == Severity::Info && finding.confidence >= SURE;
    let (notes, faults): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(is_note);
    let shown = page.shown(&faults, usize::MAX);
    if !faults.is_empty() {
        page.paragraph(remark);
    }
    for finding in shown {
        write_fault(finding, names_files, page);
    }
    let shown_notes = page.shown(&notes, usize::MAX);
    let lines: Vec<String> = shown_notes.iter().map(|finding| note(finding)).collect();
    if !lines.is_empty() && !faults.is_empty() {
        page.heading(4, "Worth knowing");
    }
    page.paragraph(&lines.join("\n"));
    let left_out = findings.len() - shown.len() - shown_notes.len();
    if left_out > 0 {
        let findings = number::counted(left_out as u64, "more finding");
        page.paragraph(&format!("And {findings}."));
    }
}

/// `- D23: Old tcpdump prints "bad length" (info, sure, 0.95). What was seen.`
fn note(finding: &Finding) -> String {
    format!(
        "- {}: {} ({}). {}",
        words(&finding.id),
        words(&finding.title),
        grade(finding),
        sentence(&finding.seen)
    )
}

fn write_fault(finding: &Finding, names_files: bool, page: &mut Page) {
    let title = format!("{}: {}", words(&finding.id), words(&finding.title));
    page.heading(4, &title);
    let missing = finding.missing_bytes.filter(|bytes| *bytes > 0);
    let missing = missing.map_or_else(String::new, |bytes| {
        format!("; {} lost", figure(&number::bytes(bytes)))
    });
    let mut lines = vec![
        format!("- **Grade:** {}{missing}", grade(finding)),
        format!("- **Seen:** {}", sentence(&finding.seen)),
    ];
    lines.extend(frames(&finding.evidence, names_files, page));
    lines.push(format!("- **Disproof:** {}", prose(&finding.disprove)));
    let fixes = page.shown(&finding.fix, usize::MAX);
    let (commands, advice): (Vec<&Fix>, Vec<&Fix>) = fixes.iter().partition(|fix| fix.is_command);
    if commands.is_empty() {
        lines.extend(advised("Fix", &advice));
        return page.paragraph(&lines.join("\n"));
    }
    let which = if commands.len() > 1 {
        " what applies of this"
    } else {
        ""
    };
    lines.push(format!("- **Fix:**{which}"));
    page.paragraph(&lines.join("\n"));
    let commands: Vec<String> = commands
        .iter()
        .flat_map(|fix| [format!("# {}", fix.when), fix.command.clone()])
        .collect();
    page.commands(&commands);
    page.paragraph(&advised("Or", &advice).join("\n"));
}

/// What to do that is no command, a line each.
fn advised(label: &str, advice: &[&Fix]) -> Vec<String> {
    let line = |fix: &&Fix| {
        let (what, when) = (prose(&fix.command), words(&fix.when));
        format!("- **{label}** ({when}): {what}")
    };
    advice.iter().map(line).collect()
}

/// `error, likely, 0.80`.
fn grade(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let confidence = finding.confidence;
    format!("{severity}, {}, {confidence:.2}", sureness(confidence))
}

/// The frames that show it.
fn frames(evidence: &[Evidence], names_files: bool, page: &mut Page) -> Option<String> {
    let first = evidence.first()?;
    let shown = page.shown(evidence, FRAMES);
    let named: Vec<String> = shown
        .iter()
        .map(|shown| {
            let frame = number::count(shown.frame);
            if names_files {
                format!("{frame} of {}", name(&shown.file))
            } else {
                frame
            }
        })
        .collect();
    let (noun, of_which) = match evidence.len() {
        1 => ("frame", ":"),
        _ => ("frames", "; the first:"),
    };
    Some(format!(
        "- **Evidence:** {noun} {}{}{of_which} {}",
        named.join(", "),
        and_more(evidence.len(), shown.len()),
        words(&first.note)
    ))
}
