//! The program as a process: exit statuses, inputs, and where a report goes.

use crate::support::{count, fraglens, in_repository, pcap};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn analyze(arguments: &[&str]) -> Output {
    fraglens().arg("analyze").args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// That it ended with this status, and said this about it.
#[track_caller]
fn assert_fails(output: &Output, status: i32, said: &[&str]) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert!(
        message.starts_with("fraglens: ") || status == 2,
        "{message}"
    );
    for part in said {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn input_that_is_no_capture_is_status_1_and_a_sentence() {
    let here = tempfile::tempdir().unwrap();
    let empty = here.path().join("nothing.pcap");
    fs::write(&empty, "").unwrap();
    let cases: [(&str, &[&str]); 4] = [
        (
            "/nonexistent/a.pcap",
            &["/nonexistent/a.pcap", "No such file"],
        ),
        (here.path().to_str().unwrap(), &["directory"]),
        (empty.to_str().unwrap(), &["nothing.pcap", "empty"]),
        (file!(), &["cli.rs", "no capture"]),
    ];
    for (path, said) in cases {
        let output = fraglens()
            .current_dir(in_repository(""))
            .args(["analyze", path])
            .output()
            .unwrap();
        assert_fails(&output, 1, said);
        assert_eq!(stdout(&output), "", "{path}");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn a_file_that_may_not_be_read_is_status_1() {
    let here = tempfile::tempdir().unwrap();
    if fs::metadata(here.path()).unwrap().uid() == 0 {
        eprintln!("SKIPPED a_file_that_may_not_be_read: root may read everything");
        return;
    }
    let path = here.path().join("secret.pcap");
    fs::copy(pcap("sample.pcap"), &path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    assert_fails(
        &analyze(&[path.to_str().unwrap()]),
        1,
        &["secret.pcap", "ermission denied"],
    );
}

#[test]
fn a_missing_file_does_not_take_the_others_away() {
    let output = analyze(&["--format", "json", "sample.pcap", "missing.pcap"]);
    assert_fails(&output, 1, &["missing.pcap"]);
    assert_eq!(count(&json(&output), "capture.files.#"), 2);
    assert!(count(&json(&output), "capture.frames") > 0);
}

#[test]
fn a_cut_file_is_how_captures_end() {
    let output = analyze(&["--format", "json", "cut-mid-record.pcap"]);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), "")
    );
    let problem = &json(&output)["capture"]["files"][0]["problems"][0];
    assert_eq!(problem["severity"], "warning");
    assert!(
        problem["message"].as_str().unwrap().contains("byte"),
        "{problem}"
    );
}

#[test]
fn a_damaged_file_is_reported_up_to_the_damage() {
    for file in ["damaged-middle.pcap", "damaged-block.pcapng"] {
        let text = analyze(&[file]);
        assert_fails(&text, 1, &[file, "damaged at offset"]);
        assert!(stdout(&text).contains("Traffic"), "{}", stdout(&text));
        let report = json(&analyze(&["--format", "json", file]));
        assert!(count(&report, "capture.frames") > 0);
        assert_eq!(
            report["capture"]["files"][0]["problems"][0]["severity"],
            "error"
        );
    }
}

#[test]
fn what_makes_no_sense_is_status_2() {
    let cases: [(&[&str], &str); 9] = [
        (&["analyze"], "FILE"),
        (&["analyse", "sample.pcap"], "analyse"),
        (&["analyze", "sample.pcap", "--frobnicate"], "--frobnicate"),
        (&["analyze", "sample.pcap", "--threads", "0"], "--threads"),
        (
            &["analyze", "sample.pcap", "--reassembly-timeout", "soon"],
            "--reassembly-timeout",
        ),
        (&["analyze", "sample.pcap", "udp and and"], "filter"),
        (
            &["analyze", "sample.pcap", "--filter", "udp", "tcp"],
            "two filter",
        ),
        (&["analyze", "-", "-"], "only once"),
        (&["man", "nonsense"], "nonsense"),
    ];
    for (arguments, said) in cases {
        let output = fraglens().args(arguments).output().unwrap();
        assert_fails(&output, 2, &[said]);
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn fail_on_is_met_by_findings_only_and_unread_input_goes_before() {
    for gravity in ["info", "warning", "error"] {
        assert_eq!(
            analyze(&["--fail-on", gravity, "empty.pcap"]).status.code(),
            Some(0)
        );
        assert_eq!(
            analyze(&["--fail-on", gravity, "damaged-middle.pcap"])
                .status
                .code(),
            Some(1)
        );
    }
    assert_fails(
        &analyze(&["--fail-on", "disaster", "empty.pcap"]),
        2,
        &["disaster"],
    );
}

#[test]
fn a_writer_that_takes_its_time_is_read_to_its_end() {
    let bytes = fs::read(pcap("sample.pcap")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fraglens"))
        .args(["analyze", "--format", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // As tcpdump -U: the header, then pieces that end in the middle of records.
    for piece in bytes.chunks(97) {
        pipe.write_all(piece).unwrap();
        pipe.flush().unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = json(&analyze(&["--format", "json", "sample.pcap"]));
    assert_eq!(json(&output)["totals"], file["totals"]);
    assert_eq!(json(&output)["flows"], file["flows"]);
    assert_eq!(json(&output)["capture"]["files"][0]["path"], "-");
}

#[test]
fn a_closed_pipe_is_success() {
    for format in ["text", "json", "ndjson", "csv", "markdown"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fraglens"))
            .args(["analyze", "--format", format, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It waits for its input, so nothing is written before the pipe is closed.
        drop(child.stdout.take());
        let sample = fs::read(pcap("sample.pcap")).unwrap();
        child.stdin.take().unwrap().write_all(&sample).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), stderr(&output).as_str()),
            (Some(0), ""),
            "{format}"
        );
    }
}

#[test]
fn a_report_that_cannot_be_written_is_no_success() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fraglens"))
        .args(["analyze", pcap("sample.pcap").to_str().unwrap()])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_fails(&output, 1, &["No space left"]);
}

#[test]
fn a_report_in_a_file_is_there_whole_or_not_at_all() {
    let here = tempfile::tempdir().unwrap();
    let report = here.path().join("report.json");
    let to = report.to_str().unwrap();
    let output = analyze(&["--format", "json", "-o", to, "sample.pcap"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "")
    );
    let printed = analyze(&["--format", "json", "sample.pcap"]).stdout;
    assert_eq!(fs::read(&report).unwrap(), printed);
    // A run that ends before there is a report leaves the older one.
    assert_fails(
        &analyze(&["-o", to, "sample.pcap", "udp and and"]),
        2,
        &["filter"],
    );
    assert_eq!(fs::read(&report).unwrap(), printed);
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 1);
}

#[test]
fn a_report_never_replaces_an_input() {
    let here = tempfile::tempdir().unwrap();
    let (capture, link) = (here.path().join("a.pcap"), here.path().join("b.pcap"));
    fs::copy(pcap("sample.pcap"), &capture).unwrap();
    std::os::unix::fs::symlink(&capture, &link).unwrap();
    for output in [&capture, &link] {
        let arguments = ["-o", output.to_str().unwrap(), capture.to_str().unwrap()];
        assert_fails(&analyze(&arguments), 2, &["overwritten"]);
    }
    assert_eq!(
        fs::read(&capture).unwrap(),
        fs::read(pcap("sample.pcap")).unwrap()
    );
}

/// As in `tcpdump -w - | fraglens analyze -`: Ctrl-C reaches both, tcpdump closes the
/// pipe, and the report is what was wanted.
#[test]
fn an_interrupt_leaves_the_report() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("fraglens"))
        .args(["analyze", "--format", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&fs::read(pcap("sample.pcap")).unwrap())
        .unwrap();
    wait_until_interrupts_are_caught(child.id());
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(count(&report, "capture.frames") > 0);
}

/// Before that, an interrupt would just end the process.
pub fn wait_until_interrupts_are_caught(process: u32) {
    const SIGINT_BIT: u64 = 1 << (2 - 1);
    for _ in 0..1000 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        if caught & SIGINT_BIT != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("interrupts are not caught");
}
