//! Whole pages, compared byte for byte and read by a parser of GitHub's Markdown.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::{MAX_BYTES, write};
use crate::report::comparison::{Comparison, samples};
use crate::report::escape;
use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};

fn page(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    write(comparison, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What there is on a page, as a parser sees it.
#[derive(Debug, Default)]
struct Seen {
    headings: Vec<String>,
    labels: Vec<String>,
    text: String,
}

/// Fails if there is anything on it that no writer of ours puts there.
fn seen(markdown: &str) -> Seen {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let mut seen = Seen::default();
    for node in parse_document(&arena, markdown, &options).descendants() {
        match &node.data().value {
            NodeValue::Document
            | NodeValue::Paragraph
            | NodeValue::List(_)
            | NodeValue::Item(_)
            | NodeValue::Table(_)
            | NodeValue::TableRow(_)
            | NodeValue::TableCell
            | NodeValue::SoftBreak => {}
            NodeValue::Code(_) => seen.text.push(' '),
            NodeValue::Text(text) => seen.text.push_str(text),
            NodeValue::Heading(_) => seen.headings.push(node.collect_text()),
            NodeValue::Strong => seen.labels.push(node.collect_text()),
            NodeValue::CodeBlock(block) => {
                assert!(["sh", "text"].contains(&block.info.as_str()));
            }
            other => panic!("{other:?} in {markdown}"),
        }
    }
    seen
}

/// Whether as many cells were written in every row as there are columns.
fn has_straight_tables(markdown: &str) -> bool {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    let tables = lines.split(|line| !line.starts_with("| "));
    tables
        .filter(|table| !table.is_empty())
        .all(|table| table.iter().all(|line| cells(line) == cells(table[0])))
}

#[test]
fn pages() {
    for (name, comparison) in samples::all() {
        insta::assert_snapshot!(name, page(&comparison));
    }
}

#[test]
fn a_parser_sees_what_was_meant() {
    for (name, comparison) in samples::all() {
        let page = page(&comparison);
        assert!(has_straight_tables(&page), "{name}");
        assert!(
            !page.replace('\n', "").contains(escape::is_active),
            "{name}"
        );
        assert!(seen(&page).headings.contains(&"Path".to_owned()), "{name}");
    }
    let all = seen(&page(&samples::lossy()));
    let expected = [
        "Path",
        "Findings",
        "C01: A to B: packets are lost at random",
        "Losses from A to B",
        "Damage from A to B",
        "Flows",
        "Receivers",
        "Problems",
        "To see it again",
    ];
    assert_eq!(all.headings, expected);
}

#[test]
fn nothing_hostile_is_emphasised_or_linked() {
    let seen = seen(&page(&samples::hostile()));
    let ours = [
        "Grade:",
        "Seen:",
        "Evidence:",
        "Disproof:",
        "Fix:",
        "Or",
        "Error:",
        "Warning:",
        "Pattern:",
        "Bursts:",
        "With the rate of sending:",
    ];
    for label in &seen.labels {
        assert!(ours.contains(&label.as_str()), "{label}");
    }
    assert!(
        !seen.text.contains(['@', '#', '$', '[', '{', '~']),
        "{}",
        seen.text
    );
}

/// More of everything than fits.
fn endless() -> Comparison {
    let mut comparison = samples::hostile();
    comparison.points = vec![comparison.points[0].clone(); 30];
    comparison.flows = vec![comparison.flows[0].clone(); 5_000];
    comparison.carriers = comparison.flows.clone();
    comparison.findings = vec![comparison.findings[0].clone(); 400];
    comparison.receivers = vec![comparison.receivers[0].clone(); 400];
    comparison.problems = vec![comparison.problems[0].clone(); 400];
    for way in &mut comparison.directions {
        let mut segment = samples::lossy().segments[0].clone();
        segment.damage = vec![segment.damage[0].clone(); 400];
        if let Some(loss) = &mut segment.loss {
            loss.sizes = vec![loss.sizes[0]; 400];
            loss.described = samples::EVIL.repeat(100);
        }
        way.segments = vec![segment; 29];
    }
    comparison
}

#[test]
fn no_comparison_is_too_long_for_a_comment() {
    let page = page(&endless());
    assert!(page.len() <= MAX_BYTES, "{} bytes", page.len());
    assert!(has_straight_tables(&page));
    assert!(
        seen(&page)
            .text
            .contains("Lists are cut to fit into a comment")
    );
}

#[test]
fn what_is_of_other_traffic_too_is_no_share_of_what_was_sent() {
    let mut comparison = samples::lossy();
    let row = |comparison: &Comparison| {
        let page = page(comparison);
        let row = page.lines().find(|line| line.contains("by the model"));
        row.unwrap().to_owned()
    };
    assert!(row(&comparison).contains('%'));
    let explanation = comparison.explanation.as_mut().unwrap();
    explanation.predicted_datagrams = Some(explanation.whole_fragmented_datagrams + 1);
    let row = row(&comparison);
    assert!(row.contains("of all fragments that came to the receivers"));
    assert!(!row.contains('%'), "{row}");
}
