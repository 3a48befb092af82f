//! What a page promises, whatever was compared.

use super::write;
use crate::model::escape::is_active;
use crate::report::comparison::{Comparison, samples};

fn page(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    assert!(write(comparison, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

/// The page without its style and its script, which are the same in all.
fn body(comparison: &Comparison) -> String {
    let page = page(comparison);
    let start = page.find("<body>").unwrap_or(0);
    let end = page.find("<script>").unwrap_or(page.len());
    page[start..end].to_owned()
}

#[test]
fn every_comparison_becomes_a_page() {
    for (name, comparison) in samples::all() {
        let page = page(&comparison);
        assert!(page.starts_with("<!DOCTYPE html>"), "{name}");
        assert!(page.ends_with("</html>\n"), "{name}");
        assert!(!page.replace('\n', "").contains(is_active), "{name}");
        let body = body(&comparison);
        for word in ["NaN", ">inf", "{%", "\"inf"] {
            assert!(!body.contains(word), "{word} in {name}");
        }
    }
}

#[test]
fn witnesses_are_heard() {
    let body = body(&samples::witnessed());
    for words in ["What iperf3 printed", "IpReasmOKs", "1,526", "967"] {
        assert!(body.contains(words), "{words}");
    }
    assert!(!body.contains("in the capture"));
}

#[test]
fn ids_are_of_one_element_each() {
    let page = body(&samples::lossy());
    let mut ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
    for link in page.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap_or_default();
        assert!(ids.contains(&target), "{target}");
    }
}

#[test]
fn the_path_comes_before_the_findings_and_these_before_charts() {
    let body = body(&samples::lossy());
    let places = [
        "Between A and B",
        "3.0 % lost",
        "id=\"finding-C01\"",
        "id=\"loss-0-time",
        "id=\"delays-t",
        "id=\"flows\"",
        "id=\"receivers\"",
    ];
    let places = places.map(|part| body.find(part));
    assert!(places.iter().all(Option::is_some), "{places:?}");
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn what_was_not_compared_is_unknown() {
    let body = body(&samples::unrelated());
    assert!(body.contains("do not show the same traffic"));
    assert!(body.contains(">unknown</text>"));
    assert!(!body.contains("nothing lost"));
    assert!(!body.contains("id=\"losses\"") && !body.contains("id=\"delays\""));
}

#[test]
fn nothing_hostile_gets_out_of_its_place() {
    let page = page(&samples::hostile());
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</style").count(), 1);
    assert!(!page.contains("<!--") && !page.contains("]]>"));
    assert!(!page.contains("href=\"javascript") && !page.contains("href=\"data"));
    assert_eq!(page.matches("href=\"http").count(), 1);
}

#[test]
fn a_page_stays_below_two_megabytes() {
    let mut comparison = samples::hostile();
    let long = samples::EVIL.repeat(200);
    comparison.points = vec![comparison.points[0].clone(); 60];
    comparison.points[0].file.path = long.clone();
    comparison.flows = vec![comparison.flows[0].clone(); 5_000];
    comparison.carriers = comparison.flows.clone();
    comparison.findings[0].seen = long.clone();
    comparison.findings = vec![comparison.findings[0].clone(); 400];
    comparison.receivers = vec![comparison.receivers[0].clone(); 400];
    comparison.problems = vec![comparison.problems[0].clone(); 400];
    for way in &mut comparison.directions {
        let mut segment = samples::lossy().segments[0].clone();
        segment.damage = vec![segment.damage[0].clone(); 400];
        if let Some(loss) = &mut segment.loss {
            loss.sizes = vec![loss.sizes[0]; 400];
            loss.times = vec![loss.times[0]; 5_000];
            loss.described = long.clone();
        }
        way.segments = vec![segment; 59];
    }
    let bytes = page(&comparison).len();
    assert!(bytes < 2_000_000, "{bytes} bytes");
}
