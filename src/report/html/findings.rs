//! What is wrong and why, the worst first.

use super::bounds::{
    CONCERNED, EVIDENCE, FINDINGS, FIXES, FLOWS, ID, LINE, PARAGRAPH, clipped, part,
};
use super::prose::Prose;
use super::table::{Table, count, words};
use crate::model::number;
use crate::report::beside::Elsewhere;
use crate::report::document::{Evidence, Finding, FlowKey, Report, Severity};
use crate::report::label::{SURE, flow, sureness};
use askama::Template;
use std::cmp::Reverse;

/// All findings that are shown.
#[derive(Debug, Template)]
#[template(path = "findings.html")]
pub(in crate::report) struct Findings {
    findings: Vec<Shown>,
    left_out: Option<String>,
    /// What they are of, in case there are none.
    subject: &'static str,
}

/// One finding.
#[derive(Debug)]
struct Shown {
    id: String,
    /// Where links to it go.
    anchor: String,
    name: String,
    title: String,
    /// A word; and a class of the style sheet.
    severity: &'static str,
    /// In words, and in percent.
    confidence: String,
    missing: Option<String>,
    /// Whether it is read without being asked for.
    is_open: bool,
    seen: Prose,
    meaning: Prose,
    evidence: Option<Table>,
    disprove: Prose,
    fixes: Vec<Fix>,
    references: Vec<Reference>,
    flows: Vec<Concerned>,
    flows_left_out: Option<String>,
}

#[derive(Debug)]
struct Fix {
    when: String,
    is_command: bool,
    command: String,
    advice: Prose,
}

#[derive(Debug)]
struct Reference {
    is_link: bool,
    text: String,
}

/// A flow that a finding concerns.
#[derive(Debug)]
struct Concerned {
    /// Whether it has a row to go to.
    is_listed: bool,
    number: u64,
    name: String,
}

pub(in crate::report) fn findings(report: &Report) -> Findings {
    let key = |index: usize| report.flows.get(index).map(|flow| flow.key.clone());
    let shown = report.findings.iter().flat_map(|finding| &finding.evidence);
    let mut files = shown.map(|shown| &shown.file);
    let first = files.next();
    let is_one = report.capture.files.len() <= 1 && files.all(|file| Some(file) == first);
    let subject = if is_one {
        Subject::File
    } else {
        Subject::Files
    };
    of(&report.findings, subject, &key)
}

/// What findings are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Subject {
    /// One file, whose name stands above all.
    File,
    /// Files one after the other, or interfaces.
    Files,
    /// Captures along a path.
    Path,
}

impl Subject {
    fn words(self) -> &'static str {
        match self {
            Self::File | Self::Files => "this capture",
            Self::Path => "these captures",
        }
    }
}

/// Findings that are shown; `key` knows the flow at a place of the document's list.
pub(in crate::report) fn of(
    findings: &[Finding],
    subject: Subject,
    key: &dyn Fn(usize) -> Option<FlowKey>,
) -> Findings {
    let mut worst: Vec<(&Finding, String)> = findings.iter().zip(anchors(findings)).collect();
    // A stable sort: among equals, the one that explains most stays first.
    worst.sort_by_key(|(finding, _)| Reverse(finding.severity));
    let shown = worst.iter().take(FINDINGS);
    let findings: Vec<Shown> = shown
        .enumerate()
        .map(|(index, (finding, anchor))| Shown {
            anchor: anchor.clone(),
            evidence: evidence(&finding.evidence, index, subject),
            ..show(finding, key)
        })
        .collect();
    Findings {
        left_out: part(findings.len(), worst.len() as u64, "finding"),
        findings,
        subject: subject.words(),
    }
}

/// Where links to findings go: of several of one cause, each has its own.
pub(super) fn anchors(findings: &[Finding]) -> Vec<String> {
    let anchors = findings.iter().enumerate().map(|(place, finding)| {
        let before = findings[..place].iter();
        let id = clipped(&finding.id, ID);
        match before.filter(|other| other.id == finding.id).count() {
            0 => id,
            others => format!("{id}-{}", others + 1),
        }
    });
    anchors.collect()
}

impl Findings {
    /// Says where what is left out is to be had.
    pub(super) fn say_where(&mut self, elsewhere: Elsewhere) {
        if let Some(left_out) = &mut self.left_out {
            *left_out = format!("{left_out}; {}", elsewhere.rest());
        }
        let tables = self.findings.iter_mut();
        for table in tables.filter_map(|finding| finding.evidence.as_mut()) {
            table.say_where(elsewhere);
        }
    }
}

/// A finding without its frames.
fn show(finding: &Finding, key: &dyn Fn(usize) -> Option<FlowKey>) -> Shown {
    let meaning = finding.explanation.strip_prefix(finding.seen.as_str());
    let meaning = meaning.unwrap_or(&finding.explanation).trim_start();
    let missing = finding.missing_bytes.filter(|bytes| *bytes > 0);
    let fixes = finding.fix.iter().take(FIXES);
    let references = finding.references.iter().take(FIXES);
    let flows: Vec<Concerned> = finding
        .flows
        .iter()
        .take(CONCERNED)
        .filter_map(|place| concerned(*place, key))
        .collect();
    Shown {
        id: clipped(&finding.id, ID),
        anchor: String::new(),
        name: clipped(&finding.name, 60),
        title: clipped(&finding.title, LINE),
        severity: severity_word(finding.severity),
        confidence: confidence(finding.confidence),
        missing: missing.map(number::bytes),
        is_open: finding.severity > Severity::Info || finding.confidence < SURE,
        seen: Prose::new(&finding.seen, PARAGRAPH),
        meaning: Prose::new(meaning, PARAGRAPH),
        evidence: None,
        disprove: Prose::new(&finding.disprove, PARAGRAPH),
        fixes: fixes.map(fix).collect(),
        references: references.map(|text| reference(text)).collect(),
        flows_left_out: part(flows.len(), finding.flows_total, "flow"),
        flows,
    }
}

/// How grave something is, in a word.
pub(in crate::report) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn confidence(ratio: f64) -> String {
    format!("{} ({:.0} %)", sureness(ratio), ratio * 100.0)
}

fn evidence(frames: &[Evidence], index: usize, subject: Subject) -> Option<Table> {
    if frames.is_empty() {
        return None;
    }
    let names_files = subject != Subject::File;
    let mut columns = vec!["#frame", "@time (UTC)", "what to look at"];
    if names_files {
        columns.insert(2, "file");
    }
    let mut table = Table::new(format!("evidence-{index}"), "Frames that show it", &columns);
    for shown in frames.iter().take(EVIDENCE) {
        let mut cells = vec![
            count(shown.frame),
            words(shown.timestamp.to_string()),
            words(clipped(&shown.note, LINE)),
        ];
        if names_files {
            cells.insert(2, words(clipped(&shown.file, LINE)));
        }
        table.push(cells);
    }
    Some(table.of(frames.len() as u64, "frame"))
}

fn fix(fix: &crate::report::document::Fix) -> Fix {
    Fix {
        when: clipped(&fix.when, LINE),
        is_command: fix.is_command,
        command: clipped(&fix.command, 2 * LINE),
        advice: Prose::new(&fix.command, 2 * LINE),
    }
}

fn reference(text: &str) -> Reference {
    let is_web = ["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    Reference {
        // One that was cut leads nowhere.
        is_link: is_web && text.chars().count() <= LINE,
        text: clipped(text, LINE),
    }
}

fn concerned(place: u64, key: &dyn Fn(usize) -> Option<FlowKey>) -> Option<Concerned> {
    let index = usize::try_from(place).ok()?;
    let key = key(index)?;
    Some(Concerned {
        is_listed: index < FLOWS,
        number: place.saturating_add(1),
        name: flow(&key),
    })
}
