//! What a page promises, whatever the report.

use super::write;
use crate::report::document::*;
use crate::report::{escape, samples};

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
fn dump() {
    for (name, report) in samples::all() {
        let _ = std::fs::write(format!("/tmp/pg/s-{name}.html"), page(&report));
    }
}
