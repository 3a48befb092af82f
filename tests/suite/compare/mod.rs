//! `fraglens compare`: captures of the same traffic at several points of its path.
//!
//! Most are made here, packet by packet, and the second from the first, so that what
//! happened in between is known without fraglens. Those of [`hops`] are real.

mod alike;
mod around;
mod backward;
mod blind;
mod both_ways;
mod bundle;
mod changes;
mod clocks;
mod copies;
mod damage;
mod elsewhere;
mod files;
mod hairpin;
mod hops;
mod hostile;
mod ids;
mod interfaces;
mod joined;
mod many;
mod march;
mod masquerade;
mod messages;
mod missed;
mod order;
mod patterns;
mod questions;
mod recut;
mod refused;
mod related;
mod resent;
mod side_by_side;
mod sight;
mod single;
mod six;
mod snaplen;
mod spans;
mod sums;
mod truth;
mod which_way;
mod wrap;

use crate::support::{count, fraglens, none};
use serde_json::{Value, json};
use sight::{Counted, Sight};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// Captures, in a folder that goes away with them.
struct Captures {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Captures {
    /// None yet.
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            paths: Vec::new(),
        }
    }

    /// Ethernet captures of what points see.
    fn of(points: &[&Sight]) -> Self {
        let mut captures = Self::new();
        for point in points {
            captures.add(&point.pcap());
        }
        captures
    }

    /// One more.
    fn add(&mut self, bytes: &[u8]) {
        let path = self.folder.path().join(format!("{}", self.paths.len()));
        fs::write(&path, bytes).unwrap();
        self.paths.push(path);
    }

    fn compared(&self, words: &[&str]) -> Value {
        compared(&self.paths, words)
    }
}

/// What fraglens says of captures, whatever it is.
fn said_of(paths: &[impl AsRef<Path>], words: &[&str]) -> Output {
    let mut command = fraglens();
    command.args(["compare", "--quiet", "--format", "json"]);
    let paths = paths.iter().map(AsRef::as_ref);
    command.args(words).args(paths).output().unwrap()
}

/// The comparison of captures that can be read. Its numbers add up.
fn compared(paths: &[impl AsRef<Path>], words: &[&str]) -> Value {
    let output = said_of(paths, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let comparison: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    none(&sums::broken(&comparison));
    comparison
}

/// The comparison of what points see.
fn compare(points: &[&Sight]) -> Value {
    Captures::of(points).compared(&[])
}

/// The first finding of a cause.
fn finding<'a>(comparison: &'a Value, id: &str) -> Option<&'a Value> {
    let mut findings = comparison["findings"].as_array()?.iter();
    findings.find(|finding| finding["id"] == id)
}

/// The flow to a port.
fn flow_to(comparison: &Value, port: u16) -> &Value {
    let flows = comparison["flows"].as_array().unwrap();
    let found = flows.iter().find(|flow| flow["key"]["dst_port"] == port);
    found.unwrap_or_else(|| panic!("no flow to port {port}"))
}

/// Whatever is not as it must be.
struct Faults(Vec<String>);

impl Faults {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn unless(&mut self, is_so: bool, what: impl FnOnce() -> String) {
        if !is_so {
            self.0.push(what());
        }
    }

    /// A value of the comparison must be this.
    fn must_be(&mut self, what: &str, is: &Value, must: impl Into<Value>) {
        let must = must.into();
        self.unless(*is == must, || format!("{what} is {is}, not {must}"));
    }

    /// So many must have been sent, and what is missing at the other end be lost.
    fn must_have_lost(&mut self, what: &str, segment: &Value, from: &Sight, to: &Sight) {
        self.must_count(&format!("{what}: sent"), &segment["sent"], from.counted());
        let lost = from.missing_in(to).counted();
        self.must_count(&format!("{what}: lost"), &segment["lost"], lost);
    }

    fn must_count(&mut self, what: &str, is: &Value, must: Counted) {
        let must = json!({
            "datagrams": must.datagrams, "packets": must.packets,
            "fragments": must.fragments, "bytes": must.bytes,
        });
        self.must_be(what, is, must);
    }

    fn end(&self) {
        none(&self.0);
    }
}

/// Nothing was lost, changed, copied, late or out of order, and all was found.
fn is_untouched(faults: &mut Faults, comparison: &Value) {
    let all = comparison["segments"].as_array().unwrap().iter();
    for segment in all.chain([&comparison["path"]]) {
        for number in [
            "lost.packets",
            "duplicated",
            "duplicates_removed",
            "reordered",
            "appeared",
            "corrupted",
        ] {
            let is = count(segment, number);
            faults.unless(is == 0, || format!("{number} is {is}"));
        }
        faults.must_be("loss", &segment["loss"], Value::Null);
    }
}
