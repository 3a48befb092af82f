//! What a scraper is told, and that all that speaks of it speaks of the same.
#![allow(clippy::expect_used, clippy::panic)]

use super::*;
use crate::report::document::Severity;
use crate::watch::samples;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What is encoded when `flows` of a snapshot get series of their own.
fn encoded(snapshot: &Snapshot, flows: usize) -> String {
    let metrics = Metrics::new(flows);
    metrics.update(snapshot);
    text(&metrics)
}

fn text(metrics: &Metrics) -> String {
    let mut out = String::new();
    metrics.encode(&mut out).expect("a string takes everything");
    out
}

/// The value of the one series that begins like this.
fn value<'a>(text: &'a str, series: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))
}

fn in_repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Name, type and labels of every metric, labels as `a, b`.
fn described(text: &str) -> BTreeMap<String, (String, String)> {
    let mut all = BTreeMap::new();
    let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines() {
        if let Some(described) = line.strip_prefix("# TYPE ") {
            let (name, kind) = described.split_once(' ').expect("a type");
            assert!(kinds.insert(name, kind).is_none(), "{name} is there twice");
        } else if !line.starts_with('#') {
            let (series, _) = line.rsplit_once(' ').expect("a value");
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            let bare = name.trim_end_matches("_total").trim_end_matches("_info");
            let kind = kinds[bare];
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
            let names: Vec<&str> = labels
                .split("\",")
                .filter_map(|label| Some(label.split_once('=')?.0))
                .collect();
            all.insert(name.to_owned(), (kind.to_owned(), names.join(", ")));
        }
    }
    all
}

#[test]
fn a_snapshot_is_told_in_full() {
    let text = encoded(&samples::snapshot(), 1);
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text);
}

#[test]
fn without_a_snapshot_there_is_what_runs_and_nothing_of_a_capture() {
    let text = text(&Metrics::new(1));
    assert!(text.contains("fraglens_build_info{version="), "{text}");
    assert!(!text.contains("fraglens_frames"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn counters_never_fall_and_gauges_do() {
    let metrics = Metrics::new(0);
    let mut snapshot = samples::snapshot();
    metrics.update(&snapshot);
    snapshot.totals.frames -= 1;
    snapshot.captured[0].dropped = 0;
    snapshot.reassembly.open_datagrams = 1;
    metrics.update(&snapshot);
    let fallen = text(&metrics);
    assert_eq!(value(&fallen, "fraglens_frames_total"), Some("7155762"));
    let dropped = "fraglens_capture_dropped_frames_total{interface=\"eth0\"}";
    assert_eq!(value(&fallen, dropped), Some("119"));
    assert_eq!(value(&fallen, "fraglens_open_datagrams"), Some("1"));
    snapshot.totals.frames += 2;
    metrics.update(&snapshot);
    let risen = text(&metrics);
    assert_eq!(value(&risen, "fraglens_frames_total"), Some("7155763"));
}

#[test]
fn nothing_from_outside_does_anything_to_a_terminal() {
    let mut snapshot = samples::snapshot();
    snapshot.captured[0].name = "a\"b\\c\nd\u{202e}".to_owned();
    let text = encoded(&snapshot, 1);
    let active = text
        .chars()
        .filter(|it| crate::report::escape::is_active(*it));
    assert!(active.eq(text.chars().filter(|it| *it == '\n')), "{text}");
    // The escape is text whose backslash is escaped once more by the library.
    let frames = r#"fraglens_capture_frames_total{interface="a\"b\\c\\u{a}d\\u{202e}"}"#;
    assert_eq!(value(&text, frames), Some("7155762"));
}

#[test]
fn no_series_is_there_twice() {
    let mut snapshot = samples::snapshot();
    let twice = snapshot.captured[0].clone();
    snapshot.captured.push(twice);
    let text = encoded(&snapshot, 5);
    let names = text.lines().filter(|line| !line.starts_with('#'));
    let mut series: Vec<&str> = names
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    let all = series.len();
    series.sort_unstable();
    series.dedup();
    assert_eq!(series.len(), all);
}

#[test]
fn a_finding_is_seen_to_come_and_to_go() {
    let metrics = Metrics::new(0);
    let mut snapshot = samples::snapshot();
    metrics.update(&snapshot);
    let labels = |severity: &str| {
        format!(
            "fraglens_finding_active{{id=\"D09\",name=\"reassembly-memory\",severity=\"{severity}\"}}"
        )
    };
    let missing = "fraglens_finding_missing_bytes{id=\"D09\",name=\"reassembly-memory\"}";
    let active = text(&metrics);
    assert_eq!(value(&active, &labels("error")), Some("1"));
    assert_eq!(value(&active, missing), Some("1194815000"));

    snapshot.findings[0].finding.severity = Severity::Warning;
    metrics.update(&snapshot);
    let milder = text(&metrics);
    assert_eq!(value(&milder, &labels("error")), Some("0"));
    assert_eq!(value(&milder, &labels("warning")), Some("1"));

    snapshot.findings.clear();
    metrics.update(&snapshot);
    let over = text(&metrics);
    assert_eq!(value(&over, &labels("error")), Some("0"));
    assert_eq!(value(&over, &labels("warning")), None);
    assert_eq!(value(&over, missing), None);
    let known = over.matches("fraglens_finding_active{").count();
    assert_eq!(known, crate::diagnose::ALL.len());
}

#[test]
fn only_the_worst_flows_have_series_and_only_while_they_are() {
    let mut snapshot = samples::snapshot();
    snapshot.window = crate::report::samples::many();
    let shown = |text: &str| {
        text.matches("fraglens_flow_missing_bytes_per_second{")
            .count()
    };
    assert_eq!(shown(&encoded(&snapshot, 0)), 0);
    assert_eq!(shown(&encoded(&snapshot, 99)), snapshot.window.flows.len());

    let metrics = Metrics::new(1);
    metrics.update(&snapshot);
    let worst = text(&metrics);
    assert_eq!(shown(&worst), 1);
    assert!(worst.contains("src=\"2001:db8:1234:5678:9abc:def0:1234:5678\""));
    assert_eq!(value(&worst, "fraglens_window_flows"), Some("1234"));

    snapshot.window.flows.remove(0);
    metrics.update(&snapshot);
    let next = text(&metrics);
    assert_eq!(shown(&next), 1);
    assert!(!next.contains("2001:db8"), "{next}");
}

#[test]
fn there_is_no_rate_of_no_time() {
    let mut snapshot = samples::snapshot();
    snapshot.window_seconds = 0.0;
    assert!(!encoded(&snapshot, 1).contains("fraglens_flow_"));
}

#[test]
fn what_the_host_does_not_say_is_not_zero() {
    let mut snapshot = samples::snapshot();
    snapshot.host = None;
    assert!(!encoded(&snapshot, 1).contains("fraglens_host_"));
}

#[test]
fn the_list_in_the_docs_is_the_registry() {
    let page = in_repository("docs/metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `fraglens_"));
    let listed: BTreeMap<String, (String, String)> = rows
        .map(|row| {
            let cells: Vec<String> = row
                .split('|')
                .map(|cell| cell.replace('`', "").trim().to_owned())
                .collect();
            (cells[1].clone(), (cells[2].clone(), cells[3].clone()))
        })
        .collect();
    assert_eq!(listed, described(&encoded(&samples::snapshot(), 1)));
}

#[test]
fn alerts_and_dashboard_speak_of_metrics_there_are() {
    let known = described(&encoded(&samples::snapshot(), 1));
    for path in [
        "docs/prometheus/alerts.yml",
        "docs/grafana/fraglens.json",
        "tests/prometheus/alerts_test.yml",
    ] {
        let text = in_repository(path);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let used: BTreeSet<&str> = text
            .split(|c| !is_name(c))
            .filter(|word| word.starts_with("fraglens_"))
            .collect();
        assert!(!used.is_empty(), "{path}");
        for name in used {
            assert!(known.contains_key(name), "{path}: there is no {name}");
        }
    }
}
