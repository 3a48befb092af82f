//! What a bundle can be made of.

use super::{Bundle, FILES, findings, frames, names};
use crate::capture_files::plain_bytes;
use crate::support::{count, fraglens, pcap};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::{Command, Stdio};

#[test]
fn a_capture_without_frames_has_a_bundle() {
    let bundle = Bundle::fine(["empty.pcap"]);
    assert_eq!(names(&bundle.folder), FILES);
    assert_eq!(frames(&[bundle.path("evidence.pcapng")]), []);
    assert_eq!(bundle.said(), "");
    let manifest = bundle.manifest();
    assert_eq!(manifest["capture"]["first_timestamp"], Value::Null);
    assert_eq!(manifest["inputs"][0]["bytes"], 24);
}

#[test]
fn so_has_one_frame() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("one.pcap");
    let corruption = plain_bytes(&pcap("corruption.pcap"));
    let caplen = u32::from_le_bytes(corruption[32..36].try_into().unwrap()) as usize;
    fs::write(&path, &corruption[..40 + caplen]).unwrap();
    let bundle = Bundle::fine([&path]);
    assert_eq!(count(&bundle.report(), "capture.frames"), 1);
    assert_eq!(findings(&bundle.report()), bundle.found_again());
}

#[test]
fn nothing_is_made_of_nothing() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("empty"), "").unwrap();
    for (inputs, said) in [
        (&["missing.pcap"][..], "missing.pcap"),
        (&["empty", "missing.pcap"], "empty"),
    ] {
        let output = fraglens()
            .current_dir(here.path())
            .args(["evidence", "-o", "bundle", "--tar", "bundle.tar.zst"])
            .args(inputs)
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(said), "{message}");
        assert_eq!(message.lines().count(), inputs.len(), "{message}");
        assert_eq!(names(here.path()), ["empty"]);
    }
}

#[test]
fn what_can_be_read_beside_what_cannot_is_in_it() {
    let bundle = Bundle::of(["sample.pcap", "missing.pcap"]);
    assert_eq!(bundle.output.status.code(), Some(1));
    assert!(bundle.said().contains("missing.pcap: cannot be read"));
    assert_eq!(count(&bundle.report(), "capture.files.#"), 2);
    assert_eq!(findings(&bundle.report()), bundle.found_again());
    assert_eq!(bundle.manifest()["inputs"][1]["sha256"], Value::Null);
    let damaged = Bundle::of(["damaged-middle.pcap"]);
    assert_eq!(damaged.output.status.code(), Some(1));
    assert!(damaged.said().contains("damaged at offset"));
}

#[test]
fn a_finding_may_decide_the_exit_status() {
    let status = |gravity: &str, capture: &str| {
        let bundle = Bundle::of([capture, "--fail-on", gravity]);
        bundle.output.status.code()
    };
    assert_eq!(status("error", "netperf-loss3.pcap.zst"), Some(3));
    assert_eq!(status("error", "empty.pcap"), Some(0));
}

/// That nothing leads to where standard input or a pipe was kept meanwhile.
fn assert_names_only(bundle: &Bundle, name: &str) {
    for file in FILES {
        let bytes = bundle.bytes(file);
        for secret in ["/proc/self/fd", "/dev/fd"] {
            let is_in = bytes
                .windows(secret.len())
                .any(|at| at == secret.as_bytes());
            assert!(!is_in, "{secret} is in {file}");
        }
    }
    let report = bundle.report();
    assert_eq!(report["capture"]["files"][0]["path"], name);
    for finding in report["findings"].as_array().unwrap() {
        for evidence in finding["evidence"].as_array().unwrap() {
            assert_eq!(evidence["file"], name);
        }
    }
    assert_eq!(bundle.manifest()["inputs"][0]["path"], name);
}

#[test]
fn standard_input_is_read_twice() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("bundle");
    let output = fraglens()
        .args(["evidence", "-", "-o"])
        .arg(&folder)
        .pipe_stdin(pcap("netperf-loss3.pcap.zst"))
        .unwrap()
        .env("TMPDIR", home.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let piped = Bundle {
        folder,
        output,
        home,
    };
    let file = Bundle::fine(["netperf-loss3.pcap.zst"]);
    assert_names_only(&piped, "-");
    let alike = |bundle: &Bundle| {
        let mut report = bundle.report();
        for finding in report["findings"].as_array_mut().unwrap() {
            for evidence in finding["evidence"].as_array_mut().unwrap() {
                evidence["file"] = Value::Null;
            }
        }
        json!([report["findings"], report["totals"], report["flows"]])
    };
    assert_eq!(alike(&piped), alike(&file));
    let kept = |bundle: &Bundle| frames(&[bundle.path("evidence.pcapng")]);
    assert!(kept(&piped) == kept(&file));
    let hash = |bundle: &Bundle| bundle.manifest()["inputs"][0]["sha256"].clone();
    assert_eq!(hash(&piped), hash(&file));
    // Nothing is left where it was kept.
    assert_eq!(names(piped.home.path()), ["bundle"]);
}

#[test]
fn a_file_as_standard_input_is_no_pipe() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fraglens"))
        .args(["evidence", "-", "-o", "bundle"])
        .current_dir(home.path())
        .stdin(File::open(pcap("sample.pcap")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    let bundle = Bundle {
        folder: home.path().join("bundle"),
        output,
        home,
    };
    assert_names_only(&bundle, "-");
    assert_eq!(findings(&bundle.report()), bundle.found_again());
}

#[test]
fn pipes_with_names_are_read_twice() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // Whoever writes comes later, and takes its time.
    let script = "sleep 0.3; { head -c 1000 \"$0\"; sleep 0.3; tail -c +1001 \"$0\"; } > \"$1\"";
    let mut writer = Command::new("sh")
        .args(["-c", script])
        .arg(pcap("corruption.pcap"))
        .arg(&pipe)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let bundle = Bundle::fine([&pipe]);
    assert!(writer.wait().unwrap().success());
    assert_names_only(&bundle, pipe.to_str().unwrap());
    let file = Bundle::fine(["corruption.pcap"]);
    assert_eq!(bundle.report()["totals"], file.report()["totals"]);
    assert_eq!(findings(&file.report()), bundle.found_again());
}

#[test]
fn a_rotated_set_is_one_capture() {
    let bundle = Bundle::fine(["rotated-2.pcap", "rotated-1.pcap"]);
    assert_eq!(findings(&bundle.report()), bundle.found_again());
    let report = bundle.report();
    let paths: Vec<&Value> = report["capture"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["path"])
        .collect();
    assert_eq!(paths, ["rotated-1.pcap", "rotated-2.pcap"]);
}

#[test]
fn compressed_captures_are_as_others() {
    let plain = Bundle::fine(["sample.pcap"]);
    for name in ["sample.pcap.gz", "sample.pcap.zst", "sample.pcap.lz4"] {
        let bundle = Bundle::fine([name]);
        let kept = |bundle: &Bundle| frames(&[bundle.path("evidence.pcapng")]);
        assert!(kept(&bundle) == kept(&plain), "{name}");
        assert_eq!(bundle.report()["totals"], plain.report()["totals"]);
    }
}

#[test]
fn a_filter_holds_for_both_readings() {
    let bundle = Bundle::fine(["corruption.pcap", "udp", "and", "less", "200"]);
    let report = bundle.report();
    assert_eq!(report["options"]["filter"], "udp and less 200");
    assert!(count(&report, "capture.filtered_frames") > 0);
    let kept = frames(&[bundle.path("evidence.pcapng")]);
    assert!(kept.iter().all(|frame| frame.wire_bytes <= 200));
    assert_eq!(findings(&report), bundle.found_again());
}
