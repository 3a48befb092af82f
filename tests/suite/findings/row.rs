//! One row of the table: a capture, and what must be found in it.

use super::capture::Capture;
use crate::explained::broken_explanation;
use crate::support::{Setup, value};
use serde_json::Value;
use std::net::{IpAddr, SocketAddr};

pub const SURE: f64 = 0.95;
pub const LIKELY: f64 = 0.8;
pub const FITS: f64 = 0.6;
pub const POSSIBLE: f64 = 0.4;

/// A capture, and what must be found in it.
pub struct Row {
    cause: &'static str,
    /// What is in the capture; of a near miss, why the cause must not show.
    name: &'static str,
    capture: Capture,
    bytes: Vec<u8>,
    shown: Option<Shown>,
}

/// How a cause must show.
struct Shown {
    severity: &'static str,
    confidence: f64,
    missing: Option<u64>,
    frames: Vec<u64>,
    flows: Vec<&'static str>,
}

impl Row {
    fn new(cause: &'static str, name: &'static str, capture: Capture) -> Self {
        Self {
            cause,
            name,
            bytes: capture.pcap(),
            capture,
            shown: None,
        }
    }

    /// The cause shows, so grave and so sure.
    pub fn shows(
        cause: &'static str,
        (severity, confidence): (&'static str, f64),
        name: &'static str,
        capture: Capture,
    ) -> Self {
        let shown = Shown {
            severity,
            confidence,
            missing: None,
            frames: Vec::new(),
            flows: Vec::new(),
        };
        Self {
            shown: Some(shown),
            ..Self::new(cause, name, capture)
        }
    }

    /// The cause must not show, for the reason in the name.
    pub fn misses(cause: &'static str, name: &'static str, capture: Capture) -> Self {
        Self::new(cause, name, capture)
    }

    /// Bytes that the finding explains.
    pub fn missing(self, bytes: u64) -> Self {
        self.with(|shown| shown.missing = Some(bytes))
    }

    /// The frames that show it, all of them.
    pub fn frames(self, frames: impl IntoIterator<Item = u64>) -> Self {
        self.with(|shown| shown.frames = frames.into_iter().collect())
    }

    /// Its flows, the worst first: `source:port > destination:port`.
    pub fn flows(self, flows: &[&'static str]) -> Self {
        self.with(|shown| shown.flows = flows.to_vec())
    }

    /// The same frames in another file.
    pub fn in_file(self, bytes: Vec<u8>) -> Self {
        Self { bytes, ..self }
    }

    fn with(mut self, change: impl FnOnce(&mut Shown)) -> Self {
        if let Some(shown) = &mut self.shown {
            change(shown);
        }
        self
    }

    pub fn cause(&self) -> &'static str {
        self.cause
    }

    pub fn shows_it(&self) -> bool {
        self.shown.is_some()
    }

    /// What is in the capture, and the capture.
    pub fn named_capture(&self) -> (String, Vec<u8>) {
        (format!("{} {}", self.cause, self.name), self.bytes.clone())
    }

    /// What is wrong with the report.
    pub fn faults(&self) -> Vec<String> {
        let report = value(&Setup::default().bytes(&self.bytes));
        let mut faults = broken_explanation(&report);
        let findings = report["findings"].as_array().unwrap();
        faults.extend(
            findings
                .iter()
                .flat_map(|finding| self.wrong_times(finding)),
        );
        let found = findings.iter().find(|finding| finding["id"] == self.cause);
        match (&self.shown, found) {
            (Some(shown), Some(found)) => faults.extend(shown.faults(found, &report)),
            (None, Some(found)) => faults.push(format!("must not show: {}", found["seen"])),
            (Some(_), None) => faults.push(format!("does not show, but {}", ids(findings))),
            (None, None) => {}
        }
        let name = |fault| format!("{} {}: {fault}", self.cause, self.name);
        faults.into_iter().map(name).collect()
    }

    fn wrong_times(&self, finding: &Value) -> Vec<String> {
        let is_wrong = |evidence: &&Value| {
            let frame = evidence["frame"].as_u64().unwrap();
            let time = self.capture.time_of(frame).map(rfc3339_subseconds);
            let told = evidence["timestamp"].as_str().unwrap();
            time.is_none_or(|time| !told.ends_with(&time))
        };
        let evidence = finding["evidence"].as_array().unwrap().iter();
        let wrong = evidence.filter(is_wrong);
        wrong
            .map(|evidence| format!("{}: time of {evidence}", finding["id"]))
            .collect()
    }
}

/// Seconds of a minute as they are written, with nanoseconds.
fn rfc3339_subseconds(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    format!(":{:02}.{:09}Z", seconds % 60, nanoseconds % 1_000_000_000)
}

fn ids(findings: &[Value]) -> String {
    let ids = findings
        .iter()
        .map(|finding| finding["id"].as_str().unwrap());
    ids.collect::<Vec<_>>().join(" ")
}

impl Shown {
    fn faults(&self, found: &Value, report: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        let mut check = |what: &str, is: Value, must: Value| {
            if is != must {
                faults.push(format!("{what} is {is}, not {must}"));
            }
        };
        check("severity", found["severity"].clone(), self.severity.into());
        check(
            "confidence",
            found["confidence"].clone(),
            self.confidence.into(),
        );
        if let Some(bytes) = self.missing {
            check(
                "missing_bytes",
                found["missing_bytes"].clone(),
                bytes.into(),
            );
        }
        let evidence = found["evidence"].as_array().unwrap().iter();
        let frames: Vec<Value> = evidence.map(|evidence| evidence["frame"].clone()).collect();
        check("evidence", frames.into(), self.frames.clone().into());
        let flows = found["flows"].as_array().unwrap().iter();
        let names: Vec<String> = flows.map(|index| name_of_flow(report, index)).collect();
        check("flows", names.into(), self.flows.clone().into());
        faults
    }
}

fn name_of_flow(report: &Value, index: &Value) -> String {
    let key = &report["flows"][index.as_u64().unwrap() as usize]["key"];
    let end = |address: &str, port: &str| {
        let address: IpAddr = key[address].as_str().unwrap().parse().unwrap();
        let port = key[port].as_u64().map(|port| port as u16);
        port.map_or_else(
            || address.to_string(),
            |port| SocketAddr::new(address, port).to_string(),
        )
    };
    format!("{} > {}", end("src", "src_port"), end("dst", "dst_port"))
}
