//! What a page promises, whatever the report.

use super::{write, write_beside};
use crate::model::escape::is_active;
use crate::report::beside::Beside;
use crate::report::document::*;
use crate::report::samples;

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    assert!(write(report, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

/// The page without its style and its script, which are the same in all.
fn body(report: &Report) -> String {
    let page = page(report);
    let start = page.find("<body>").unwrap_or(0);
    let end = page.find("<script>").unwrap_or(page.len());
    page[start..end].to_owned()
}

#[test]
fn every_document_becomes_a_page() {
    for (name, report) in samples::all() {
        let page = page(&report);
        assert!(page.starts_with("<!DOCTYPE html>"), "{name}");
        assert!(page.ends_with("</html>\n"), "{name}");
        assert!(!page.replace('\n', "").contains(is_active), "{name}");
        for word in ["NaN", ">inf", "{{", "{%"] {
            assert!(!body(&report).contains(word), "{word} in {name}");
        }
    }
}

#[test]
fn an_empty_capture_says_so() {
    let body = body(&samples::empty());
    assert!(body.contains("nothing was lost"));
    assert!(!body.contains("role=\"img\""), "a chart of nothing");
    assert!(!body.contains("id=\"flows\""));
}

#[test]
fn the_sentence_comes_before_the_findings_and_these_before_charts() {
    let body = body(&samples::with_finding());
    let places = [
        "it did",
        "unfinished datagrams filled it",
        "id=\"over-time",
        "id=\"flows\"",
    ];
    let places = places.map(|part| body.find(part));
    assert!(places.iter().all(Option::is_some), "{places:?}");
    assert!(places.is_sorted(), "{places:?}");
    assert!(body.contains("fragments 18–19 of 47 missing"));
    assert!(body.contains("likely (90 %)") || body.contains("sure (90 %)"));
}

#[test]
fn the_gravest_finding_is_first() {
    let mut report = samples::with_finding();
    let mut mild = report.findings[0].clone();
    mild.id = "S01".to_owned();
    mild.severity = Severity::Info;
    mild.confidence = 1.0;
    report.findings.insert(0, mild);
    let body = body(&report);
    assert!(body.find("id=\"finding-D09\"") < body.find("id=\"finding-S01\""));
    assert_eq!(
        body.matches("<details open").count(),
        1,
        "what is mild and sure is folded in"
    );
}

#[test]
fn nothing_hostile_gets_out_of_its_place() {
    let evil = "\"'><script>alert(1)</script></style><!-- ]]> {{ 7 }} \u{202e}\u{1b}[2J";
    let mut report = samples::with_finding();
    let finding = &mut report.findings[0];
    for text in [
        &mut finding.id,
        &mut finding.name,
        &mut finding.title,
        &mut finding.seen,
        &mut finding.explanation,
        &mut finding.disprove,
    ] {
        *text = evil.to_owned();
    }
    finding.fix[0].when = evil.to_owned();
    finding.fix[0].command = evil.to_owned();
    finding.evidence[0].file = evil.to_owned();
    finding.evidence[0].note = evil.to_owned();
    finding.references = vec![
        evil.to_owned(),
        "javascript:alert(1)".to_owned(),
        "data:text/html,x".to_owned(),
        format!("https://example.org/{evil}"),
    ];
    report.options.filter = Some(evil.to_owned());
    report.capture.files[0].path = evil.to_owned();
    report.capture.limits.insert(evil.to_owned(), 1);
    report.lost_datagrams[0].file = evil.to_owned();
    let page = page(&report);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</style").count(), 1);
    assert!(!page.contains("<!--") && !page.contains("]]>"));
    assert!(!page.contains("href=\"javascript") && !page.contains("href=\"data"));
    assert_eq!(page.matches("href=\"http").count(), 1);
    assert!(!page.replace('\n', "").contains(is_active));
}

#[test]
fn what_is_left_out_lies_beside_a_page_of_a_folder() {
    let report = worst();
    let beside = Beside {
        capture: "evidence.pcapng",
        frames: 7,
        not_repeated: &[],
        is_anonymized: false,
        leads_instead: None,
    };
    let mut out = Vec::new();
    assert!(write_beside(&report, &beside, &mut out).is_ok());
    let page = String::from_utf8(out).unwrap_or_default();
    for part in [
        " of 1,000,000 flows are here; flows.csv and report.json have 20,000.",
        "5 of 100 frames; report.json has all that are listed",
        "24 of 500 findings; report.json has all that are listed",
        "<code>report.json</code> has the whole document",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let commands = page.find("id=\"repeat\"").unwrap_or(0);
    assert!(!page[..commands].contains("--format"), "an option");
}

/// As much of everything as there can be, and all of it long.
fn worst() -> Report {
    let long = "\u{202e}\"<long & hostile>".repeat(200);
    let mut report = samples::with_finding();
    let mut flow = samples::many().flows[0].clone();
    flow.key.tunnel = samples::many().flows[1].key.tunnel.clone();
    report.flows = vec![flow; 20_000];
    report.flows_total = 1_000_000;
    report.flows_omitted = 980_000;
    report.tunnels = vec![samples::many().tunnels[0].clone(); 10_000];
    report.tunnels_omitted = 990_000;
    report.timeline.buckets = vec![report.timeline.buckets[0]; 600];
    let finding = &mut report.findings[0];
    for text in [
        &mut finding.seen,
        &mut finding.explanation,
        &mut finding.disprove,
        &mut finding.title,
    ] {
        *text = long.clone();
    }
    finding.fix[0].command = long.clone();
    finding.evidence[0].file = long.clone();
    finding.evidence[0].note = long.clone();
    finding.evidence = vec![finding.evidence[0].clone(); 100];
    finding.fix = vec![finding.fix[0].clone(); 50];
    finding.references = vec![long.clone(); 50];
    finding.flows = (0..100).collect();
    report.findings = vec![finding.clone(); 500];
    let part = report.explanation.as_ref().map(|all| all.parts[0].clone());
    if let (Some(all), Some(part)) = (&mut report.explanation, part) {
        all.sentence = long.clone();
        all.parts = vec![part; 500];
    }
    report.receivers[0].memory.peak_bytes = vec![4_194_304; 256];
    let mut other = report.receivers[0].alternatives[0].clone();
    other.memory = Some(report.receivers[0].memory.clone());
    report.receivers[0].alternatives = vec![other; 30];
    report.receivers[0].predicted.failed = 1;
    report.receivers = vec![report.receivers[0].clone(); 1_000];
    let lost = &mut report.lost_datagrams[0];
    lost.file = long.clone();
    lost.payload_bytes = Some(65_515);
    lost.pieces = (0..512)
        .map(|index| Piece {
            from: index * 128,
            to: index * 128 + 64,
        })
        .collect();
    report.lost_datagrams = vec![lost.clone(); 30];
    let file = &mut report.capture.files[0];
    file.path = long.clone();
    file.problems[0].message = long.clone();
    file.problems = vec![file.problems[0].clone(); 100];
    report.capture.files = vec![file.clone(); 1_000];
    report.options.filter = Some(long.clone());
    for index in 0..1_000 {
        let reasons = &mut report.capture.undecoded_frames;
        reasons.insert(format!("{index}{long}"), index);
    }
    report
}

#[test]
fn a_page_has_as_many_flows_as_there_is_room_for() {
    let mut report = worst();
    let rows = |report: &Report| page(report).matches("<tr id=\"flow-").count();
    let fewest = rows(&report);
    assert!((300..1_000).contains(&fewest), "{fewest}");
    report.findings.truncate(3);
    report.lost_datagrams.truncate(3);
    assert_eq!(rows(&report), 1_000);
}

#[test]
fn a_page_stays_below_two_megabytes() {
    let worst = page(&worst());
    assert!(worst.len() < 2_000_000, "{} bytes", worst.len());
    for part in [
        " of 1,000,000 flows are here; --format csv and --format json have 20,000.",
        "100 of 1,000,000 tunnels",
        "24 of 500 findings",
        "20 of 1,000 files",
        "16 of 1,000 receivers",
    ] {
        assert!(worst.contains(part), "no {part}");
    }
}
