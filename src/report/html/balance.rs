//! What was sent, divided by what became of it.

use super::bounds::{FINDINGS, ID, LINE, clipped};
use super::chart::balance::{Stretch, draw};
use super::findings::anchors;
use crate::model::number;
use crate::report::document::{Explanation, Finding, Report};

/// The division as a bar and as rows.
#[derive(Debug)]
pub(in crate::report) struct Balance {
    /// The bar, as markup.
    pub svg: String,
    /// What was sent.
    pub sent: String,
    /// What became of it.
    pub rows: Vec<Row>,
}

/// One part.
#[derive(Debug)]
pub(in crate::report) struct Row {
    /// How it is filled in the bar; `None` if it is not in it.
    pub fill: Option<&'static str>,
    /// The finding that explains it, and where the link to it goes.
    pub finding: Option<String>,
    /// See there.
    pub anchor: String,
    /// What it is.
    pub what: String,
    /// How much.
    pub bytes: String,
    /// How much of what was sent.
    pub share: String,
}

/// Hatchings of findings; where there are more, they begin again.
const FILLS: [&str; 4] = ["fault0", "fault1", "fault2", "fault3"];

/// The division, if something is missing.
pub(in crate::report) fn balance(report: &Report) -> Option<Balance> {
    let explanation = report.explanation.as_ref()?;
    let found = explanation.parts.iter().map(|part| {
        let mut findings = report.findings.iter();
        findings.position(|finding| finding.id == part.finding)
    });
    let found: Vec<Option<usize>> = found.collect();
    let words = ["delivered", "residual: no finding explains it"];
    of(explanation, (&report.findings, &found), words)
}

/// The same of any explanation, with the place of the finding of each part; what is not missing
/// is the first of `words`, and what no part explains the second.
pub(in crate::report) fn of(
    explanation: &Explanation,
    findings: (&[Finding], &[Option<usize>]),
    words: [&'static str; 2],
) -> Option<Balance> {
    if explanation.sent_bytes <= explanation.delivered_bytes {
        return None;
    }
    let sent = explanation.sent_bytes;
    let mut rows = Vec::new();
    let mut stretches = Vec::new();
    for (index, part) in parts(explanation, findings, words).into_iter().enumerate() {
        let fill = match part.kind {
            Kind::Delivered => "good",
            Kind::Finding => FILLS[(index - 1) % FILLS.len()],
            Kind::Undecided => "undecided",
            Kind::Residual => "residual",
        };
        let drawn = u64::try_from(part.bytes).ok().filter(|bytes| *bytes > 0);
        if let Some(bytes) = drawn {
            let label = part
                .finding
                .clone()
                .unwrap_or_else(|| part.label.to_owned());
            stretches.push(Stretch { label, fill, bytes });
        }
        rows.push(row(part, drawn.map(|_| fill), sent));
    }
    Some(Balance {
        svg: draw(&stretches),
        sent: number::bytes(sent),
        rows,
    })
}

/// A part before it has a look.
struct Bare {
    kind: Kind,
    /// In a word, for the bar.
    label: &'static str,
    finding: Option<String>,
    anchor: String,
    what: String,
    bytes: i128,
}

#[derive(Clone, Copy)]
enum Kind {
    Delivered,
    Finding,
    Undecided,
    Residual,
}

fn parts(
    explanation: &Explanation,
    (findings, found): (&[Finding], &[Option<usize>]),
    [arrived, residual]: [&'static str; 2],
) -> Vec<Bare> {
    let anchors = anchors(findings);
    let bare = |kind, label, what: &str, bytes: i128| Bare {
        kind,
        label,
        finding: None,
        anchor: String::new(),
        what: what.to_owned(),
        bytes,
    };
    let delivered = explanation.delivered_bytes.into();
    let mut parts = vec![bare(Kind::Delivered, arrived, arrived, delivered)];
    let (shown, others) = explanation
        .parts
        .split_at(explanation.parts.len().min(FINDINGS));
    parts.extend(shown.iter().zip(found).map(|(part, found)| {
        let title = found.map_or("", |place| findings[place].title.as_str());
        Bare {
            finding: Some(clipped(&part.finding, ID)),
            anchor: found.map_or_else(String::new, |place| anchors[place].clone()),
            ..bare(Kind::Finding, "", &clipped(title, LINE), part.bytes.into())
        }
    }));
    if !others.is_empty() {
        let bytes = others.iter().map(|part| i128::from(part.bytes)).sum();
        let what = number::counted(others.len() as u64, "other finding");
        parts.push(bare(Kind::Finding, "others", &what, bytes));
    }
    if explanation.undecided_bytes > 0 {
        let what = "undecided: of datagrams that the capture begins or ends within";
        let bytes = explanation.undecided_bytes.into();
        parts.push(bare(Kind::Undecided, "undecided", what, bytes));
    }
    if explanation.residual_bytes != 0 {
        let bytes = explanation.residual_bytes.into();
        parts.push(bare(Kind::Residual, "residual", residual, bytes));
    }
    parts
}

fn row(part: Bare, fill: Option<&'static str>, sent: u64) -> Row {
    let size = u64::try_from(part.bytes.unsigned_abs()).unwrap_or(u64::MAX);
    let sign = if part.bytes < 0 { "−" } else { "" };
    Row {
        fill,
        finding: part.finding,
        anchor: part.anchor,
        what: part.what,
        bytes: format!("{sign}{}", number::bytes(size)),
        share: format!("{sign}{}", number::percent(size, sent)),
    }
}
