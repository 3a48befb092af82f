//! Whole pages, compared byte for byte and read by a parser of GitHub's Markdown.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::{MAX_BYTES, write};
use crate::report::document::{
    Evidence, Explanation, Finding, Fix, Part, Problem, Report, Severity,
};
use crate::report::{escape, samples};
use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What there is on a page, as a parser sees it.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    headings: Vec<String>,
    tables: usize,
    commands: Vec<String>,
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
            | NodeValue::TableCell
            | NodeValue::SoftBreak => {}
            NodeValue::Code(_) => seen.text.push(' '),
            NodeValue::Text(text) => seen.text.push_str(text),
            NodeValue::Heading(_) => seen.headings.push(node.collect_text()),
            NodeValue::Strong => seen.labels.push(node.collect_text()),
            NodeValue::CodeBlock(block) => {
                assert_eq!(block.info, "sh");
                seen.commands
                    .extend(block.literal.lines().map(str::to_owned));
            }
            NodeValue::Table(table) => {
                seen.tables += 1;
                assert_eq!(table.alignments.len(), table.num_columns);
            }
            NodeValue::TableRow(_) => {
                let parent = node.parent().unwrap();
                let NodeValue::Table(table) = &parent.data().value else {
                    panic!("a row without a table");
                };
                assert_eq!(node.children().count(), table.num_columns, "{markdown}");
            }
            other => panic!("{other:?} in {markdown}"),
        }
    }
    seen
}

/// Whether as many cells were written in every row as there are columns: a parser fills
/// up what is missing, and drops what is too much.
fn has_straight_tables(markdown: &str) -> bool {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    let in_table = |line: &&&str| line.starts_with("| ");
    lines.split(|line| !line.starts_with("| ")).all(|table| {
        table
            .iter()
            .filter(in_table)
            .all(|line| cells(line) == cells(table[0]))
    })
}

/// The report of a capture in which every text is this one.
fn told_by(text: &str) -> Report {
    let mut report = samples::with_finding();
    report.capture.files[0].path = text.to_owned();
    report.capture.files[0].sha256 = Some(text.to_owned());
    report.capture.files.push(report.capture.files[0].clone());
    report.capture.limits.insert(text.to_owned(), 1);
    report.capture.undecoded_frames.insert(text.to_owned(), 1);
    report.capture.problems = vec![Problem {
        severity: Severity::Error,
        message: text.to_owned(),
    }];
    report.options.filter = Some(text.to_owned());
    let finding = Finding {
        id: text.to_owned(),
        name: text.to_owned(),
        severity: Severity::Error,
        title: text.to_owned(),
        seen: text.to_owned(),
        explanation: text.to_owned(),
        evidence: vec![Evidence {
            file: text.to_owned(),
            note: text.to_owned(),
            ..report.findings[0].evidence[0].clone()
        }],
        disprove: text.to_owned(),
        fix: [true, false]
            .map(|is_command| Fix {
                when: text.to_owned(),
                is_command,
                command: text.to_owned(),
            })
            .into(),
        ..report.findings[0].clone()
    };
    let note = Finding {
        severity: Severity::Info,
        ..finding.clone()
    };
    report.findings = vec![finding, note];
    report.explanation = report.explanation.map(|explanation| Explanation {
        sentence: text.to_owned(),
        parts: vec![Part {
            finding: text.to_owned(),
            bytes: 7,
        }],
        ..explanation
    });
    let receiver = &mut report.receivers[0];
    receiver.predicted.failed = 1;
    receiver.settings.insert(text.to_owned(), 7);
    receiver.alternatives[0].settings.insert(text.to_owned(), 7);
    receiver.alternatives[0].changed.push(text.to_owned());
    report
}

#[test]
fn pages() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(name, page(&report));
    }
}

#[test]
fn receivers_that_fail_are_shown() {
    let mut report = samples::with_finding();
    let receiver = &mut report.receivers[0];
    receiver.predicted.failed = 9;
    receiver.predicted.rejected_fragments = 66_044;
    receiver.predicted.memory_peak_bytes = 4 << 20;
    let larger = &mut receiver.alternatives[0];
    let name = "net.ipv4.ipfrag_high_thresh".to_owned();
    larger.settings = [(name, 64 << 20)].into();
    larger.predicted.reassembled = 190;
    let mut small = larger.clone();
    small
        .settings
        .insert("largest_message_bytes".to_owned(), 1_422);
    receiver.alternatives.push(small);
    let page = page(&report);
    let section = page
        .split("### ")
        .find(|part| part.starts_with("Receivers"));
    insta::assert_snapshot!("receivers", section.unwrap());
}

#[test]
fn a_parser_sees_what_was_meant() {
    for (name, report) in samples::all() {
        let page = page(&report);
        let seen = seen(&page);
        assert!(has_straight_tables(&page), "{name}");
        assert!(seen.headings.contains(&"Capture".to_owned()), "{name}");
        assert!(!page.replace('\n', "").contains(escape::is_active));
    }
    let all = seen(&page(&samples::with_finding()));
    assert_eq!(
        all.headings,
        [
            "Findings",
            "D09: reassembly memory ran out",
            "Flows",
            "Capture",
            "To see it again"
        ]
    );
    let expected = [
        "# Linux",
        "sysctl -w net.ipv4.ipfrag_high_thresh=67108864",
        "fraglens analyze pcaps/netperf-loss.pcap.zst",
        "fraglens explain D09",
        "tshark -r pcaps/netperf-loss.pcap.zst -Y 'frame.number in {1234}'",
    ];
    assert_eq!(all.commands, expected);
    assert_eq!(all.tables, 2);
}

#[test]
fn interfaces_are_not_read_again() {
    let mut report = samples::healthy();
    report.capture.files[0].format = Some("live".to_owned());
    assert_eq!(seen(&page(&report)).commands, [] as [&str; 0]);
}

#[test]
fn options_are_repeated_where_they_matter() {
    let mut report = samples::healthy();
    report.options.vxlan_ports.push(5799);
    report.options.auto_tunnel = false;
    report.options.reassembly_timeout_ipv4_seconds = 2.0;
    report.options.reassembly_timeout_ipv6_seconds = 2.0;
    report.options.filter = Some("host a or 'b'".to_owned());
    let expected = "fraglens analyze --vxlan-port 5799 --no-auto-tunnel --reassembly-timeout \
                    2000ms --filter 'host a or '\\''b'\\''' healthy.pcapng";
    assert_eq!(seen(&page(&report)).commands, [expected]);
}

/// More of everything than fits.
fn endless(text: &str) -> Report {
    let mut report = told_by(text);
    let file = report.capture.files[0].clone();
    report.capture.files = vec![file; 40];
    report.capture.problems = vec![report.capture.problems[0].clone(); 40];
    for number in 0..40 {
        let name = format!("{number}{text}");
        report.capture.limits.insert(name.clone(), number);
        report.capture.undecoded_frames.insert(name, number);
    }
    report.flows = vec![report.flows[0].clone(); 5_000];
    report.flows_total = 1_000_000;
    report.tunnels = vec![samples::many().tunnels[0].clone(); 5_000];
    let receiver = &mut report.receivers[0];
    receiver.alternatives = vec![receiver.alternatives[0].clone(); 40];
    report.receivers = vec![receiver.clone(); 40];
    let finding = &mut report.findings[0];
    finding.evidence = vec![finding.evidence[0].clone(); 40];
    finding.fix = vec![finding.fix[0].clone(); 40];
    report.findings = vec![finding.clone(); 40];
    if let Some(explanation) = &mut report.explanation {
        explanation.parts = vec![explanation.parts[0].clone(); 40];
    }
    report
}

#[test]
fn no_report_is_too_long_for_a_comment() {
    for text in ["D09", "|`@", "@ ", "\u{e0001}", "\u{1f980}", "'\\ \n"] {
        for times in [1, 100, 1_000] {
            let page = page(&endless(&text.repeat(times)));
            assert!(page.len() <= MAX_BYTES, "{} bytes", page.len());
            assert!(has_straight_tables(&page));
            let seen = seen(&page);
            assert!(seen.text.contains("Lists are cut to fit into a comment"));
        }
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let mut report = samples::many();
    report.flows = vec![report.flows[0].clone(); 5_000];
    report.flows_total = 7_000;
    let page = page(&report);
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, 15 + report.tunnels.len());
    for remark in [
        "15 of 7,000 flows, most bytes missing first.",
        "`--format csv` and `--format json` have 5,000.",
    ] {
        assert!(page.contains(remark), "{remark}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_text_gets_out_of_its_place(
        text in prop_oneof![
            any::<String>(),
            "[ -/:-@\\[-`{-~a1\n]{0,40}",
            "(```|~~~|\\| --- \\||# |- |<b>|@a|#1|\n|`|\\\\|!\\[a\\]\\(b\\)|www\\.a\\.b| ){0,12}",
        ],
    ) {
        let page = page(&told_by(&text));
        let seen = seen(&page);
        prop_assert!(has_straight_tables(&page));
        // All that is emphasised, and so every place that it begins at, is ours.
        let ours = ["Grade:", "Seen:", "Evidence:", "Disproof:", "Fix:", "Or", "Error:", "Warning:"];
        for label in &seen.labels {
            prop_assert!(ours.contains(&label.as_str()), "{}", label);
        }
        prop_assert_eq!(seen.tables, 3);
        prop_assert_eq!(seen.headings.len(), 7);
        prop_assert!(!seen.text.contains(['@', '#', '$', '[', '{', '~']), "{}", seen.text);
        prop_assert!(!page.replace('\n', "").contains(escape::is_active));
    }
}
