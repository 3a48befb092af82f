//! `fraglens evidence`: what is in a bundle, who can read it, and that it is there whole or
//! not at all.

mod blocks;
mod bounds;
mod ends;
mod every_capture;
mod hidden;
mod hostile;
mod inputs;
mod manifest;
mod many_flows;
mod place;
mod wireshark;

pub use manifest::sha256sum;
pub use wireshark::tshark;

use crate::support::{Setup, fraglens, value};
use fraglens::model::LinkType;
use fraglens::source::{Block, CaptureFiles, Source, SourceOptions};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Mutex;
use std::thread;
use tempfile::TempDir;

/// The files of a bundle.
const FILES: [&str; 6] = [
    "MANIFEST.json",
    "evidence.pcapng",
    "flows.csv",
    "report.html",
    "report.json",
    "report.md",
];

/// A bundle, and the folder that it goes away with.
struct Bundle {
    folder: PathBuf,
    output: Output,
    home: TempDir,
}

impl Bundle {
    /// What fraglens makes of these words; nothing if there is nothing to read.
    fn if_any<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("bundle");
        let mut command = fraglens();
        command.arg("evidence").arg("--output").arg(&folder);
        let bundle = Self {
            output: command.args(words).output().unwrap(),
            folder,
            home,
        };
        if bundle.folder.is_dir() {
            return Some(bundle);
        }
        assert_eq!(bundle.output.status.code(), Some(1), "{}", bundle.said());
        assert_eq!(names(bundle.home.path()), [""; 0]);
        None
    }

    /// What it makes of a capture, whatever the exit status.
    fn of<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> Self {
        Self::if_any(words).expect("there is something to read")
    }

    /// The same of a capture that is fine.
    fn fine<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> Self {
        let bundle = Self::of(words);
        assert_eq!(bundle.output.status.code(), Some(0), "{}", bundle.said());
        bundle
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    fn report(&self) -> Value {
        self.json("report.json")
    }

    fn manifest(&self) -> Value {
        self.json("MANIFEST.json")
    }

    /// What an analysis of the capture in it finds.
    fn found_again(&self) -> BTreeSet<String> {
        let capture = self.path("evidence.pcapng");
        findings(&value(&Setup::default().files(&[capture])))
    }

    /// What was said on standard error.
    fn said(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }
}

/// Ids of the findings of a report.
fn findings(report: &Value) -> BTreeSet<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The words of a list.
fn words(list: &Value) -> Vec<String> {
    serde_json::from_value(list.clone()).unwrap()
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| crate::support::name(&entry.unwrap().path()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// What a frame is, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Seen {
    /// Nanoseconds.
    time: i64,
    wire_bytes: u32,
    link_type: LinkType,
    data: Vec<u8>,
}

/// The frames of captures, in the order in which they are read.
fn frames(paths: &[PathBuf]) -> Vec<Seen> {
    let mut source = CaptureFiles::open(paths, &SourceOptions::default());
    let (mut block, mut frames) = (Block::default(), Vec::new());
    while source.fill(&mut block) {
        frames.extend(block.frames().map(|frame| Seen {
            time: frame.timestamp.0,
            wire_bytes: frame.wire_bytes,
            link_type: frame.link_type,
            data: frame.data.to_vec(),
        }));
    }
    frames
}

/// What is wrong with each capture, looked at on as many threads as there are cores.
fn faults_of(captures: &[PathBuf], faults: impl Fn(&Path) -> Vec<String> + Sync) -> Vec<String> {
    let left = Mutex::new(captures.iter());
    let found = Mutex::new(Vec::new());
    let next = || left.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(capture) = next() {
                    let faults = faults(capture);
                    found.lock().unwrap().extend(faults);
                }
            });
        }
    });
    found.into_inner().unwrap()
}
