//! `pcaps/MANIFEST.toml` says of each capture what must be counted.

use crate::explained::alarms;
use crate::support::{analyze, at, captures_in, fraglens, in_repository, name, none, pcap, pcaps};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

#[derive(serde::Deserialize)]
struct Manifest {
    capture: Vec<Entry>,
    set: Vec<Entry>,
}

/// What must be counted in one file, or in several as one capture.
#[derive(serde::Deserialize)]
struct Entry {
    file: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    note: String,
    frames: u64,
    #[serde(default)]
    exit: i64,
    #[serde(default)]
    null: Vec<String>,
    /// Ids of the findings that are warnings or errors, sorted.
    findings: Vec<String>,
    expect: BTreeMap<String, toml::Value>,
    kernel: Option<Kernel>,
}

/// What the receiver's kernel counted while the capture was made.
#[derive(serde::Deserialize)]
struct Kernel {
    ip_reasm_reqds: u64,
    ip_reasm_oks: u64,
    ip_reasm_fails: u64,
    ip_reasm_timeout: u64,
}

impl Kernel {
    /// Where the model is more than 5 % or 5 beside the kernel.
    fn faults(&self, predicted: &Value, name: &str) -> Vec<String> {
        let counters = [
            ("fragments", self.ip_reasm_reqds),
            ("reassembled", self.ip_reasm_oks),
            ("failed", self.ip_reasm_fails),
            ("timed_out", self.ip_reasm_timeout),
        ];
        let is_off = |field: &str, kernel: u64| {
            predicted[field]
                .as_u64()
                .is_none_or(|model| model.abs_diff(kernel) > (kernel / 20).max(5))
        };
        counters
            .into_iter()
            .filter(|(field, kernel)| is_off(field, *kernel))
            .map(|(field, kernel)| {
                format!(
                    "{name}: {field} predicted {}, the kernel: {kernel}",
                    predicted[field]
                )
            })
            .collect()
    }
}

impl Entry {
    fn names(&self) -> Vec<String> {
        self.file.iter().chain(&self.files).cloned().collect()
    }

    fn faults(&self) -> Vec<String> {
        let names = self.names();
        let paths: Vec<_> = names.iter().map(|name| pcap(name)).collect();
        let report = analyze(&paths);
        let mut faults = Vec::new();
        let mut check = |path: &str, expected: Value| {
            let found = at(&report, path);
            if !found.as_ref().is_some_and(|found| same(found, &expected)) {
                let found = found.map_or("nothing".to_owned(), |value| value.to_string());
                faults.push(format!(
                    "{}: {path} = {found}, not {expected}",
                    names.join(" ")
                ));
            }
        };
        check("capture.frames", self.frames.into());
        for (path, expected) in &self.expect {
            check(path, json(expected));
        }
        for path in &self.null {
            check(path, Value::Null);
        }
        let found = alarms(&report);
        if found != self.findings {
            let (names, expected) = (names.join(" "), &self.findings);
            faults.push(format!("{names}: findings {found:?}, not {expected:?}"));
        }
        if let Some(kernel) = &self.kernel {
            let predicted = &report["receivers"][0]["predicted"];
            faults.extend(kernel.faults(predicted, &names.join(" ")));
        }
        faults
    }
}

fn json(value: &toml::Value) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Durations are whole nanoseconds, so they can be compared without a tolerance
/// but for the way both sides write them.
fn same(found: &Value, expected: &Value) -> bool {
    match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        _ => found == expected,
    }
}

fn manifest() -> Manifest {
    let text = fs::read_to_string(in_repository("pcaps/MANIFEST.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

#[test]
fn every_capture_is_in_the_manifest_and_every_entry_has_its_capture() {
    let there: BTreeSet<String> = captures_in(&pcaps())
        .iter()
        .map(|path| name(path))
        .collect();
    let mut listed = BTreeSet::new();
    for entry in manifest().capture {
        let name = entry.file.expect("a capture has a file");
        assert!(!entry.note.is_empty(), "{name} has no note");
        assert!(listed.insert(name.clone()), "{name} is listed twice");
    }
    assert_eq!(there, listed);
}

#[test]
fn every_capture_counts_what_the_manifest_says() {
    let manifest = manifest();
    let entries = manifest.capture.iter().chain(&manifest.set);
    let faults: Vec<String> = entries.flat_map(Entry::faults).collect();
    none(&faults);
}

#[test]
fn sets_count_the_same_in_reverse() {
    let faults = manifest().set.into_iter().flat_map(|mut set| {
        set.files.reverse();
        set.faults()
    });
    none(&faults.collect::<Vec<_>>());
}

#[test]
fn the_program_exits_as_the_manifest_says() {
    let mut faults = Vec::new();
    for entry in manifest().capture {
        let names = entry.names();
        let output = fraglens().arg("analyze").args(&names).output().unwrap();
        if output.status.code().map(i64::from) != Some(entry.exit) {
            faults.push(format!(
                "{}: {}, not {}",
                names.join(" "),
                output.status,
                entry.exit
            ));
        }
        if output.stdout.is_empty() {
            faults.push(format!("{}: no report", names.join(" ")));
        }
    }
    none(&faults);
}
