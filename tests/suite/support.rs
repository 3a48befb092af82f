//! Running fraglens: the library in-process, and the program.

use assert_cmd::Command;
use fraglens::host::Interface;
use fraglens::pipeline;
use fraglens::report::{Parts, Report, build, document, json};
use fraglens::source::{CaptureFiles, HashPolicy, Memory, Source, SourceOptions};
use fraglens::witness::KernelCounters;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How the library is run. None of it may change a report.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub threads: usize,
    pub block_bytes: usize,
    pub hash: HashPolicy,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            threads: 1,
            block_bytes: SourceOptions::default().block_bytes,
            hash: HashPolicy::Never,
        }
    }
}

/// What is known of the host that captures.
#[derive(Clone, Debug, Default)]
pub struct OfHost {
    pub interfaces: Vec<Interface>,
    pub captured_on: Vec<String>,
    pub kernel: Option<KernelCounters>,
}

impl Setup {
    fn reading(self) -> SourceOptions {
        SourceOptions {
            block_bytes: self.block_bytes,
            hash: self.hash,
        }
    }

    fn run(self, source: &mut dyn Source, host: &OfHost) -> Report {
        let options = pipeline::Options {
            threads: self.threads,
            ..pipeline::Options::default()
        };
        let analysis = pipeline::analyze(source, &options, &|_| ControlFlow::Continue(()))
            .expect("threads start");
        let parts = Parts {
            kernel: host.kernel.as_ref(),
            interfaces: &host.interfaces,
            captured_on: &host.captured_on,
            files: &source.files(),
            ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
        };
        // All flows and tunnels are listed: `top` is none.
        build(&parts, document::Options::default())
    }

    /// The report on files.
    pub fn files(self, paths: &[PathBuf]) -> Report {
        self.run(
            &mut CaptureFiles::open(paths, &self.reading()),
            &OfHost::default(),
        )
    }

    /// The report on a capture in memory.
    pub fn bytes(self, capture: &[u8]) -> Report {
        self.bytes_on(capture, &OfHost::default())
    }

    /// The same, made on a host of which something is known.
    pub fn bytes_on(self, capture: &[u8], host: &OfHost) -> Report {
        self.run(&mut Memory::new(capture, &self.reading()), host)
    }
}

/// The report on files as other programs read it, all flows listed.
pub fn analyze(paths: &[PathBuf]) -> Value {
    value(&Setup::default().files(paths))
}

/// A report as other programs read it.
pub fn value(report: &Report) -> Value {
    serde_json::from_str(&text(report)).expect("the report is JSON")
}

/// A report as it is written.
pub fn text(report: &Report) -> String {
    let mut out = Vec::new();
    json::write(report, &mut out).expect("memory can be written");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// The exit status that stands for what could be read.
pub fn exit_status(report: &Report) -> i64 {
    i64::from(report.capture.worst_problem() == Some(document::Severity::Error))
}

/// The program, without the colours and the terminal of whoever runs the tests.
pub fn fraglens() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fraglens"));
    command.current_dir(pcaps()).env_remove("NO_COLOR");
    command
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A path in the repository.
pub fn in_repository(path: &str) -> PathBuf {
    root().join(path)
}

/// The folder of captures that belong to the project.
pub fn pcaps() -> PathBuf {
    root().join("pcaps")
}

/// One of them.
pub fn pcap(name: &str) -> PathBuf {
    pcaps().join(name)
}

/// The third-party captures beside the repository, where they are. A test that
/// needs them says that it was skipped.
pub fn corpus(who: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/corpus");
    if folder.join("manifest.json").is_file() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED {who}: no third-party captures at {}",
        folder.display()
    );
    None
}

/// Files that are no captures, by the end of their names.
const OTHER_FILES: [&str; 4] = [".py", ".sh", ".md", ".toml"];

/// Every capture in a folder, sorted by name.
pub fn captures_in(folder: &Path) -> Vec<PathBuf> {
    let is_capture = |path: &PathBuf| {
        let name = name(path);
        path.is_file()
            && !name.starts_with('.')
            && name != "manifest.json"
            && !OTHER_FILES.iter().any(|end| name.ends_with(end))
    };
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(is_capture)
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no captures in {}", folder.display());
    paths
}

/// Every capture at hand: the project's, and the third-party ones if they are there.
pub fn all_captures(who: &str) -> Vec<PathBuf> {
    let mut paths = captures_in(&pcaps());
    paths.extend(
        corpus(who)
            .map(|folder| captures_in(&folder))
            .into_iter()
            .flatten(),
    );
    paths
}

/// The last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The value at a dotted path: a number picks an element, `#` is the length.
pub fn at(document: &Value, path: &str) -> Option<Value> {
    let mut value = document;
    for step in path.split('.') {
        if step == "#" {
            return value.as_array().map(|array| array.len().into());
        }
        value = match step.parse::<usize>() {
            Ok(index) => value.get(index)?,
            Err(_) => value.get(step)?,
        };
    }
    Some(value.clone())
}

/// The count at a dotted path.
pub fn count(document: &Value, path: &str) -> u64 {
    let value = at(document, path);
    value
        .as_ref()
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no count at {path}"))
}

/// Every number below a value, by its dotted path.
pub fn leaves(value: &Value) -> BTreeMap<String, u64> {
    fn walk(value: &Value, path: &str, into: &mut BTreeMap<String, u64>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(field, &format!("{path}{dot}{name}"), into);
                }
            }
            Value::Number(number) => {
                into.insert(path.to_owned(), number.as_u64().expect("counts are whole"));
            }
            _ => panic!("no count at {path}"),
        }
    }
    let mut all = BTreeMap::new();
    walk(value, "", &mut all);
    all
}

/// Fails once, with everything that is wrong.
pub fn none(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
