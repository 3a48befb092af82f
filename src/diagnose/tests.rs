//! What every page of knowledge has to hold, and finding one.

use super::{Cause, Severity, every, find, nearest};

/// Things in a capture that look like faults and are none.
const ARTEFACTS: [&str; 8] = ["C10", "C11", "D13", "D18", "D19", "D23", "D24", "D37"];

/// What is wrong with the causes, each line with an id.
fn faults(check: impl Fn(&Cause) -> Vec<String>) -> Vec<String> {
    let all = every().flat_map(|cause| {
        let faults = check(cause).into_iter();
        faults.map(|fault| format!("{}: {fault}", cause.id))
    });
    all.collect()
}

fn texts(cause: &Cause) -> [&'static str; 5] {
    [
        cause.meaning,
        cause.signature,
        cause.confirms,
        cause.denies,
        cause.disprove,
    ]
}

#[test]
fn ids_and_names_are_unique_sorted_and_typed_easily() {
    let ids: Vec<&str> = every().map(|cause| cause.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let mut names: Vec<&str> = every().map(|cause| cause.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for (id, name) in ids.iter().zip(&names) {
        let (letter, number) = id.split_at(1);
        assert!(["C", "D", "L", "P", "S"].contains(&letter), "{id}");
        assert!(number.len() == 2 && number.parse::<u8>().is_ok(), "{id}");
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(is_plain), "{name}");
    }
}

#[test]
fn every_page_is_full() {
    let wrong = faults(|cause| {
        let mut wrong = Vec::new();
        for text in texts(cause) {
            if !text.ends_with('.') || text.len() < 30 {
                wrong.push(format!("no sentence: {text}"));
            }
            if text.contains("  ") || text.contains('\n') || !text.is_ascii() {
                wrong.push(format!("not plain text on one line: {text}"));
            }
            if text.matches('`').count() % 2 != 0 {
                wrong.push(format!("a command does not end: {text}"));
            }
        }
        let sentences = cause.meaning.split(". ").count();
        if !(2..=6).contains(&sentences) {
            wrong.push(format!("{sentences} sentences of meaning"));
        }
        if cause.title.is_empty() || cause.title.ends_with('.') {
            wrong.push(format!("no title: {}", cause.title));
        }
        wrong
    });
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_page_says_what_to_do_and_where_to_read_on() {
    let wrong = faults(|cause| {
        let mut wrong = Vec::new();
        if !cause.disprove.contains('`') {
            wrong.push("nothing to type disproves it".to_owned());
        }
        if cause.fix.is_empty() || cause.references.is_empty() {
            wrong.push("no fix or no reference".to_owned());
        }
        for fix in cause.fix {
            let length = fix.command.len();
            if fix.when.is_empty() || !(8..=200).contains(&length) || fix.command.contains('\n') {
                wrong.push(format!("fix of {length} bytes: {fix:?}"));
            }
        }
        let references = cause.references.iter().filter(|text| !is_reference(text));
        wrong.extend(references.map(|text| format!("reference: {text}")));
        wrong
    });
    assert_eq!(wrong, [""; 0]);
}

/// `RFC 791 section 3.2`, `owner/repository#1`, `Linux net/ipv4/udp.c`, or
/// `host.name/path`.
fn is_reference(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_path = |text: &str| text.contains('/') && !text.contains([' ', ':']);
    if let Some(rfc) = text.strip_prefix("RFC ") {
        let (number, section) = rfc.split_once(" section ").unwrap_or((rfc, "1"));
        return is_number(number) && section.split('.').all(is_number);
    }
    if let Some(path) = text.strip_prefix("Linux ") {
        return is_path(path);
    }
    if let Some((repository, number)) = text.split_once('#') {
        return is_path(repository) && repository.split('/').count() == 2 && is_number(number);
    }
    let host = text.split('/').next().unwrap_or_default();
    is_path(text) && host.contains('.')
}

#[test]
fn what_is_no_fault_says_so() {
    for id in ARTEFACTS {
        let cause = find(id);
        assert!(
            cause.is_some_and(|cause| {
                cause.severity == Severity::Info && cause.meaning.contains("not a fault")
            }),
            "{id}"
        );
    }
    for cause in every() {
        let is_artefact = ARTEFACTS.contains(&cause.id);
        assert_eq!(cause.meaning.contains("not a fault"), is_artefact);
        for fix in cause.fix {
            let says = fix.when.starts_with("nothing to repair");
            assert_eq!(says, is_artefact, "{}", cause.id);
        }
    }
}

#[test]
fn a_cause_that_is_referred_to_exists() {
    for cause in every() {
        let fixes = cause.fix.iter().map(|fix| fix.command);
        for text in texts(cause).into_iter().chain(fixes) {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            let is_id = |word: &&str| {
                word.len() == 3 && word.starts_with(['C', 'D']) && word[1..].parse::<u8>().is_ok()
            };
            for id in words.filter(is_id) {
                assert!(find(id).is_some(), "{} refers to {id}", cause.id);
                assert_ne!(id, cause.id);
            }
        }
    }
}

#[test]
fn a_cause_is_found_by_id_and_name_in_any_case() {
    for cause in every() {
        for text in [cause.id, cause.name] {
            assert_eq!(find(text), Some(cause));
            assert_eq!(find(&text.to_ascii_lowercase()), Some(cause));
            assert_eq!(find(&text.to_ascii_uppercase()), Some(cause));
        }
    }
    assert_eq!(find(""), None);
    assert_eq!(find("D0"), None);
}

#[test]
fn what_may_have_been_meant_is_suggested() {
    let near = |text| -> Vec<&str> { nearest(text).iter().map(|cause| cause.id).collect() };
    assert_eq!(near("d9"), ["D09", "D19", "D29"]);
    assert_eq!(near("corupption"), ["D21"]);
    assert_eq!(near("super-frame"), ["D24"]);
    assert_eq!(near("Memory"), ["D09"]);
    assert_eq!(near("tcpdump"), ["D23"]);
    assert_eq!(near("no-segmentation-ofload"), ["S01"]);
    assert_eq!(near("checksum").len(), 3);
    assert_eq!(near("weather"), [""; 0]);
    assert_eq!(near(""), [""; 0]);
    assert_eq!(near(&"x".repeat(10_000)), [""; 0]);
}
