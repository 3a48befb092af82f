//! What the program tells of a capture, as a user runs it: in text and in JSON.

use crate::support::{at, fraglens, none};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What goes with a capture.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// What a benchmark printed.
    pub benchmark: Option<&'a str>,
    /// The receiver's counters, before and after.
    pub nstat: Option<&'a str>,
}

/// The report on one capture, and what is wrong with it.
pub struct Told {
    case: String,
    /// The text in one line: wrapping is not what is asked about.
    pub text: String,
    pub json: Value,
    faults: Vec<String>,
}

impl Told {
    /// Of a capture in memory.
    pub fn of_bytes(case: impl Into<String>, capture: &[u8], beside: Beside<'_>) -> Self {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("capture.pcap");
        fs::write(&path, capture).expect("the capture is written");
        Self::of_file(case, &path, beside)
    }

    /// Of a capture in a file.
    pub fn of_file(case: impl Into<String>, path: &Path, beside: Beside<'_>) -> Self {
        let folder = TempDir::new().expect("a folder");
        let options = [("--benchmark", beside.benchmark), ("--nstat", beside.nstat)];
        let mut words: Vec<PathBuf> = vec![path.to_owned()];
        for (option, text) in options {
            let Some(text) = text else { continue };
            let file = folder.path().join(option);
            fs::write(&file, text).expect("the text is written");
            words.extend([option.into(), file]);
        }
        let text = run(&words, "text");
        let json = serde_json::from_str(&run(&words, "json")).expect("the report is JSON");
        Self {
            case: case.into(),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            json,
            faults: Vec::new(),
        }
    }

    pub fn fault(&mut self, fault: impl std::fmt::Display) {
        self.faults.push(format!("{}: {fault}", self.case));
    }

    /// The text has each of these.
    pub fn says(mut self, phrases: &[&str]) -> Self {
        for phrase in phrases {
            if !self.text.contains(phrase) {
                self.fault(format!("not said: {phrase}"));
            }
        }
        self
    }

    /// The text has none of these.
    pub fn never_says(mut self, phrases: &[&str]) -> Self {
        for phrase in phrases {
            if self.text.contains(phrase) {
                self.fault(format!("said: {phrase}"));
            }
        }
        self
    }

    /// The JSON has these values at these paths.
    pub fn holds<V: Into<Value> + Clone>(mut self, values: &[(&str, V)]) -> Self {
        for (path, value) in values {
            let (is, must) = (at(&self.json, path), value.clone().into());
            if is.as_ref() != Some(&must) {
                self.fault(format!("{path} is {is:?}, not {must}"));
            }
        }
        self
    }

    /// The JSON has numbers in these ranges at these paths.
    pub fn ranges(mut self, ranges: &[(&str, std::ops::RangeInclusive<f64>)]) -> Self {
        for (path, range) in ranges {
            let is = at(&self.json, path).and_then(|value| value.as_f64());
            if !is.is_some_and(|is| range.contains(&is)) {
                self.fault(format!("{path} is {is:?}, not in {range:?}"));
            }
        }
        self
    }

    /// These findings, in the JSON with this severity and at least this confidence, and
    /// by their ids in the text.
    pub fn finds(mut self, findings: &[(&str, &str, f64)]) -> Self {
        for (id, severity, confidence) in findings {
            let found = self.finding(id).cloned();
            let is_right = found.as_ref().is_some_and(|found| {
                found["severity"] == *severity && found["confidence"].as_f64() >= Some(*confidence)
            });
            if !is_right {
                let found =
                    found.map(|found| (found["severity"].clone(), found["confidence"].clone()));
                self.fault(format!(
                    "{id} is {found:?}, not {severity} from {confidence} on"
                ));
            }
            if !self.text.contains(&format!(" {id} ")) {
                self.fault(format!("{id} is not in the text"));
            }
        }
        self
    }

    /// None of these findings.
    pub fn never_finds(mut self, ids: &[&str]) -> Self {
        for id in ids {
            if self.finding(id).is_some() {
                self.fault(format!("{id} is found"));
            }
        }
        self
    }

    /// This finding before all others.
    pub fn finds_first(mut self, id: &str) -> Self {
        let first = at(&self.json, "findings.0.id");
        if first != Some(id.into()) {
            self.fault(format!("the first finding is {first:?}, not {id}"));
        }
        self
    }

    /// Nothing that has to be looked into.
    pub fn finds_no_fault(mut self) -> Self {
        let findings = self.json["findings"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for finding in findings
            .iter()
            .filter(|finding| finding["severity"] != "info")
        {
            self.fault(format!("{} is found: {}", finding["id"], finding["seen"]));
        }
        self
    }

    fn finding(&self, id: &str) -> Option<&Value> {
        let findings = self.json["findings"].as_array()?;
        findings.iter().find(|finding| finding["id"] == id)
    }

    /// The index of the one flow to a port.
    pub fn flow_to(&self, port: u16) -> usize {
        let flows = self.json["flows"].as_array().expect("flows are listed");
        let found = flows
            .iter()
            .position(|flow| flow["key"]["dst_port"] == port);
        found.unwrap_or_else(|| panic!("{}: no flow to port {port}", self.case))
    }

    pub fn into_faults(self) -> Vec<String> {
        self.faults
    }

    /// Fails with all that is wrong.
    pub fn end(self) {
        none(&self.into_faults());
    }
}

fn run(words: &[PathBuf], format: &str) -> String {
    let output = fraglens()
        .args(["analyze", "--quiet", "--top", "0", "--format", format])
        .args(words)
        .output()
        .expect("fraglens starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "fraglens analyze: {said}");
    String::from_utf8(output.stdout).expect("reports are UTF-8")
}
