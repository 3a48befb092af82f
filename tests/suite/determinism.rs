//! The same capture gives the same bytes, however it is read.

use crate::capture_files::plain_bytes;
use crate::support::{Setup, captures_in, corpus, fraglens, name, none, pcap, pcaps, text, value};
use fraglens::source::HashPolicy;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn program(arguments: &[&str], stdin: Option<Vec<u8>>) -> Output {
    let mut command = fraglens();
    command
        .args(["analyze", "--format", "json"])
        .args(arguments);
    if let Some(bytes) = stdin {
        command.write_stdin(bytes);
    }
    command.output().unwrap()
}

/// What of a report does not say how the file was stored or named.
fn without_file_facts(report: &[u8], facts: &[&str]) -> Value {
    let mut report: Value = serde_json::from_slice(report).unwrap();
    for file in report["capture"]["files"].as_array_mut().unwrap() {
        for fact in facts {
            file.as_object_mut()
                .unwrap()
                .remove(*fact)
                .expect("a fact is there to be removed");
        }
    }
    if facts.contains(&"path") {
        take_paths_of_evidence(&mut report);
    }
    report
}

fn take_paths_of_evidence(report: &mut Value) {
    for finding in report["findings"].as_array_mut().unwrap() {
        for evidence in finding["evidence"].as_array_mut().unwrap() {
            evidence["file"].take();
        }
    }
    for lost in report["lost_datagrams"].as_array_mut().unwrap() {
        lost["file"].take();
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let mut faults = Vec::new();
    for path in captures_in(&pcaps()) {
        let of = |threads: &str| program(&["--threads", threads, &name(&path)], None);
        let one = of("1");
        for threads in ["2", "8"] {
            let other = of(threads);
            if (&one.stdout, one.status) != (&other.stdout, other.status) {
                faults.push(format!("{} with {threads} threads", name(&path)));
            }
        }
    }
    none(&faults);
}

/// Blocks of one byte hold one record each; a large capture would take minutes.
fn block_sizes(path: &Path) -> &'static [usize] {
    let is_small = fs::metadata(path).unwrap().len() < 100_000;
    if is_small {
        &[1, 100, 4096]
    } else {
        &[4096, 100_000]
    }
}

#[test]
fn any_size_of_block_and_number_of_threads_gives_the_same_bytes() {
    let mut paths = captures_in(&pcaps());
    paths.extend(
        corpus("any_size_of_block")
            .map(|folder| captures_in(&folder))
            .into_iter()
            .flatten(),
    );
    let mut faults = Vec::new();
    for path in paths {
        let whole = text(&Setup::default().files(std::slice::from_ref(&path)));
        for block_bytes in block_sizes(&path) {
            for threads in [1, 3] {
                let setup = Setup {
                    threads,
                    block_bytes: *block_bytes,
                    ..Setup::default()
                };
                if text(&setup.files(std::slice::from_ref(&path))) != whole {
                    faults.push(format!("{}: {setup:?}", name(&path)));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn standard_input_gives_the_same_as_the_file() {
    let mut faults = Vec::new();
    for path in captures_in(&pcaps()) {
        let from_file = program(&[&name(&path)], None);
        let from_pipe = program(&["-"], Some(fs::read(&path).unwrap()));
        let without_path = |output: &Output| without_file_facts(&output.stdout, &["path"]);
        if without_path(&from_file) != without_path(&from_pipe)
            || from_file.status != from_pipe.status
        {
            faults.push(name(&path));
        }
    }
    none(&faults);
}

#[test]
fn compressed_captures_give_the_same_as_plain_ones() {
    let facts = ["path", "bytes", "sha256", "compression"];
    let sample = without_file_facts(&program(&["sample.pcap"], None).stdout, &facts);
    for copy in ["sample.pcap.gz", "sample.pcap.zst", "sample.pcap.lz4"] {
        let output = program(&[copy], None);
        let same = without_file_facts(&output.stdout, &facts) == sample;
        assert!(same, "{copy}");
    }
    for path in captures_in(&pcaps()) {
        let plain = program(&["-"], Some(plain_bytes(&path)));
        let stored = program(&[&name(&path)], None);
        let same =
            without_file_facts(&plain.stdout, &facts) == without_file_facts(&stored.stdout, &facts);
        assert!(same, "{}", name(&path));
    }
}

#[test]
fn memory_gives_the_same_as_the_file() {
    let setup = Setup {
        hash: HashPolicy::Always,
        ..Setup::default()
    };
    for path in captures_in(&pcaps()) {
        let path_of = |document: &mut Value| document["capture"]["files"][0]["path"].take();
        let mut file = value(&setup.files(std::slice::from_ref(&path)));
        let mut memory = value(&setup.bytes(&fs::read(&path).unwrap()));
        assert_eq!(path_of(&mut memory), "memory");
        assert_ne!(path_of(&mut file), "memory");
        take_paths_of_evidence(&mut file);
        take_paths_of_evidence(&mut memory);
        assert!(file == memory, "{}", name(&path));
    }
}

#[test]
fn files_in_any_order_give_the_same_bytes() {
    // All begin at different times, so their order is decided.
    let files = [
        "rotated-2.pcap",
        "netperf-clean.pcap.gz",
        "rotated-1.pcap",
        "sll2-any.pcap.zst",
    ];
    let paths: Vec<PathBuf> = files.iter().map(|file| pcap(file)).collect();
    let expected = text(&Setup::default().files(&paths));
    for turn in 0..paths.len() {
        let mut turned = paths.clone();
        turned.rotate_left(turn);
        assert_eq!(
            text(&Setup::default().files(&turned)),
            expected,
            "turned by {turn}"
        );
        turned.reverse();
        assert_eq!(
            text(&Setup::default().files(&turned)),
            expected,
            "turned by {turn}, reversed"
        );
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let run = || program(&["netperf-loss3.pcap.zst"], None).stdout;
    assert_eq!(run(), run());
}
