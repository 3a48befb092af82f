//! `fraglens explain` as a process: lists, pages, JSON, and names that are none.

use crate::support::{fraglens, none};
use fraglens::diagnose::every;
use serde_json::Value;
use std::process::Output;

fn explain(arguments: &[&str]) -> Output {
    fraglens().arg("explain").args(arguments).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = explain(arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_an_id_all_are_listed_in_lines_that_fit() {
    let list = text(&[]);
    assert_eq!(list.lines().count(), every().count());
    for (line, cause) in list.lines().zip(every()) {
        assert!(line.chars().count() <= 80, "{line}");
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(cause.id));
        assert_eq!(words.next(), Some(cause.name));
        assert_eq!(words.next(), Some(cause.severity.name()));
        assert!(line.ends_with(cause.title), "{line}");
    }
}

#[test]
fn a_page_holds_everything_that_is_known() {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut faults = Vec::new();
    for cause in every() {
        let page = text(&[cause.id]);
        let too_long = page.lines().filter(|line| line.chars().count() > 80);
        faults.extend(too_long.map(|line| format!("{}: too long: {line}", cause.id)));
        // A command goes on behind a backslash.
        let page = squeezed(&page.replace("\\\n", "\n"));
        let told = [cause.id, cause.name, cause.severity.name(), cause.title];
        let told = told.into_iter().chain([cause.meaning, cause.signature]);
        let told = told.chain([cause.confirms, cause.denies, cause.disprove]);
        let told = told.chain(cause.fix.iter().flat_map(|fix| [fix.when, fix.command]));
        let told = told.chain(cause.references.iter().copied());
        let missing = told.filter(|part| !page.contains(part));
        faults.extend(missing.map(|part| format!("{}: not there: {part}", cause.id)));
    }
    none(&faults);
}

#[test]
fn several_are_printed_in_the_order_asked_for() {
    let pages = text(&["reassembly-memory", "d01", "--color", "always"]);
    let (memory, amplified) = (pages.find("D09 "), pages.find("D01 "));
    assert!(memory.is_some() && memory < amplified, "{pages}");
    assert!(pages.contains("\u{1b}[1m"), "{pages}");
    assert!(!text(&["D09"]).contains('\u{1b}'));
}

#[test]
fn json_holds_the_same() {
    let parsed = |arguments: &[&str]| serde_json::from_str::<Value>(&text(arguments)).unwrap();
    let all = parsed(&["--format", "json"]);
    assert_eq!(all.as_array().map(Vec::len), Some(every().count()));
    let two = parsed(&["--format", "json", "D23", "d09"]);
    assert_eq!(two.as_array().map(Vec::len), Some(2));
    assert_eq!(two[0]["name"], "tcpdump-bad-length");
    assert_eq!(two[0]["severity"], "info");
    let place = every().position(|cause| cause.id == "D09").unwrap();
    assert_eq!(two[1], all[place]);
    let keys: Vec<&String> = two[1].as_object().unwrap().keys().collect();
    let mut expected = [
        "id",
        "name",
        "severity",
        "title",
        "meaning",
        "signature",
        "confirms",
        "denies",
        "disprove",
        "fix",
        "references",
    ];
    expected.sort_unstable();
    let mut keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(two[1]["fix"][0]["kind"], "command");
}

#[test]
fn what_is_no_finding_is_wrong_usage_with_a_suggestion() {
    for (asked, said) in [
        ("D9", "did you mean D09 (reassembly-memory)"),
        ("capture-los", "D36 (capture-loss)"),
        ("weather", "`fraglens explain` lists all"),
        ("\u{1b}[2J", "`\\u{1b}[2J`"),
    ] {
        let output = explain(&["D01", asked]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with("fraglens: there is no finding"),
            "{message}"
        );
        assert!(message.contains(said), "`{said}` is not in: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn shells_complete_ids_and_names() {
    // The generator for fish completes no arguments that are not options.
    for shell in ["bash", "zsh"] {
        let output = fraglens().args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("D09"), "{shell}");
        assert!(script.contains("reassembly-memory"), "{shell}");
    }
}
