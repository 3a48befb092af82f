//! Somebody wants an end of it: half of the truth is not written down, and nothing is left.

use super::names;
use crate::cli::wait_until_interrupts_are_caught;
use crate::findings::packet::{A_TO_B, Sum, UDP, ethernet, noise, udp, whole};
use crate::support::{count, pcap};
use fraglens::model::LinkType;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Frames of the capture: it takes a while to read.
const FRAMES: usize = 1_000_000;

/// A folder with a capture that takes a while, and its length.
fn large() -> (TempDir, u64) {
    let packet = whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(18, 7), Sum::Right));
    let frame = ethernet(&packet);
    let length = frame.len() as u32;
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let head = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, LinkType::ETHERNET.0]);
    let record = [words(&[1_704_164_645, 0, length, length]), frame].concat();
    let home = tempfile::tempdir().unwrap();
    let capture = [head, record.repeat(FRAMES)].concat();
    fs::write(home.path().join("large.pcap"), &capture).unwrap();
    (home, capture.len() as u64)
}

/// Starts to make a bundle in a folder, where all that is kept meanwhile goes too.
fn start(here: &Path, input: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_fraglens"))
        .args(["evidence", "-o", "bundle", "--tar", "bundle.tar.zst", input])
        .current_dir(here)
        .env("TMPDIR", here)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the process has read so many bytes of whatever it reads.
fn wait_until_read(process: u32, bytes: u64) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        let counted = fs::read_to_string(format!("/proc/{process}/io")).unwrap();
        let read = counted
            .lines()
            .find_map(|line| line.strip_prefix("rchar: "));
        if read.unwrap().parse::<u64>().unwrap() >= bytes {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("it does not read");
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn assert_nothing_was_written(output: &Output, here: &Path) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said, "fraglens: interrupted: nothing was written\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(here), ["large.pcap"]);
}

#[test]
fn an_interrupt_leaves_nothing() {
    let (home, bytes) = large();
    for name in ["INT", "TERM", "HUP"] {
        let child = start(home.path(), "large.pcap");
        wait_until_read(child.id(), bytes / 4);
        assert!(names(home.path()).len() > 1, "nothing is half written");
        signal(&child, name);
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert_nothing_was_written(&output, home.path());
        assert!(asked.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn an_interrupt_of_the_second_reading_leaves_nothing() {
    let (home, bytes) = large();
    let child = start(home.path(), "large.pcap");
    wait_until_read(child.id(), bytes + bytes / 4);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_nothing_was_written(&output, home.path());
}

/// Frames of one file must not stand beside figures of another.
#[test]
fn a_file_that_changes_between_the_readings_is_no_evidence() {
    let (home, bytes) = large();
    let child = start(home.path(), "large.pcap");
    wait_until_read(child.id(), bytes / 4);
    let other = home.path().join("other.pcap");
    fs::copy(pcap("sample.pcap"), &other).unwrap();
    // What is being read stays what it is; the second reading opens the other.
    fs::rename(&other, home.path().join("large.pcap")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("changed while it was read"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(home.path()), ["large.pcap"]);
}

/// As nohup does, or a shell for what runs in the background.
#[test]
fn a_signal_that_is_to_be_ignored_is() {
    let (home, bytes) = large();
    let script = format!(
        "trap '' HUP INT; exec '{}' evidence -o bundle large.pcap",
        env!("CARGO_BIN_EXE_fraglens")
    );
    let child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(home.path())
        .spawn()
        .unwrap();
    wait_until_read(child.id(), bytes / 4);
    signal(&child, "HUP");
    signal(&child, "INT");
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(names(home.path()), ["bundle", "large.pcap"]);
}

/// How many frames the bundle in a folder is about.
fn frames_of_bundle(here: &Path) -> u64 {
    assert_eq!(names(here), ["bundle", "bundle.tar.zst"]);
    let report = fs::read(here.join("bundle/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    count(&report, "capture.frames")
}

/// As in `tcpdump -w - | fraglens evidence -`: Ctrl-C reaches both, tcpdump writes what it
/// still has, and a bundle of that is what was wanted.
#[test]
fn an_interrupt_ends_what_comes_through_a_pipe() {
    let sample = fs::read(pcap("corruption.pcap")).unwrap();
    let (begin, last_words) = sample.split_at(1000);
    let home = tempfile::tempdir().unwrap();
    let mut child = start(home.path(), "-");
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(begin).unwrap();
    wait_until_interrupts_are_caught(child.id());
    wait_until_read(child.id(), 1000);
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(300));
    pipe.write_all(last_words).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(frames_of_bundle(home.path()), 7);
}

#[test]
fn whoever_does_not_end_is_not_waited_for() {
    let sample = fs::read(pcap("sample.pcap")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut child = start(home.path(), "-");
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&sample).unwrap();
    wait_until_interrupts_are_caught(child.id());
    wait_until_read(child.id(), sample.len() as u64);
    let asked = Instant::now();
    signal(&child, "TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(frames_of_bundle(home.path()) > 0);
    drop(pipe);
}

/// A pipe with a name that nobody opens.
#[test]
fn who_waits_for_nothing_can_be_interrupted() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = start(home.path(), "pipe");
    wait_until_interrupts_are_caught(child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("fraglens: pipe: "), "{said}");
    assert_eq!(names(home.path()), ["pipe"]);
}
