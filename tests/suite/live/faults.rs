//! Faults as they happen: named in time, served, and recorded.

use super::watching::Watching;
use super::{send, start_receiving, start_sending};
use crate::kernel::network::{Network, RECEIVER};
use crate::support::{count, fraglens};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A program with a small buffer that reads 20 messages a second.
const SLOW: &str = "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
s.bind(('0.0.0.0', 5001))
while True:
    s.recv(65535)
    time.sleep(0.05)
";

fn is_finding(line: &Value, change: &str, id: &str) -> bool {
    line["type"] == "finding" && line["change"] == change && line["finding"]["id"] == id
}

#[test]
fn a_slow_program_is_named_within_three_seconds() {
    let network = Network::new();
    let _slow = network.start_at_receiver(&["python3", "-c", SLOW]);
    let mut watching = Watching::start(&network, &["-i", "b0"]);
    watching.snapshot();
    let begun = Instant::now();
    let _sender = start_sending(&network, &["flood", RECEIVER, "8000", "30", "5"]);
    let line = watching.wait_for("D34", |line| is_finding(line, "appeared", "D34"));
    let took = begun.elapsed();
    assert!(took <= Duration::from_secs(3), "{took:?}");
    let finding = &line["finding"];
    assert_eq!(finding["severity"], "warning");
    let seen = finding["seen"].as_str().expect("it is text");
    assert!(
        seen.contains("UdpRcvbufErrors") && seen.contains("/s"),
        "{seen}"
    );
    let ended = watching.end();
    let ids = |finding: &Value| finding["finding"]["id"].as_str().map(str::to_owned);
    let found: Vec<String> = ended.lines_of("finding").filter_map(ids).collect();
    // Nothing is wrong with the network.
    for never in ["D01", "D09", "D36"] {
        assert!(!found.iter().any(|id| id == never), "{found:?}");
    }
}

/// Sends the first of two fragments of thirty datagrams, and nothing else.
const HALVES: &str = "
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
for n in range(30):
    udp = struct.pack('!HHHH', 4000, 5001, 1400, 0) + bytes(792)
    header = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), 1000 + n, 0x2000, 64, 17, 0,
        socket.inet_aton('10.1.0.2'), socket.inet_aton('10.2.0.2'))
    s.sendto(header + udp, ('10.2.0.2', 0))
print('sent', flush=True)
";

#[test]
fn time_goes_on_although_nothing_comes() {
    let network = Network::new();
    let words = [
        "-i",
        "b0",
        "--interval",
        "200ms",
        "--reassembly-timeout",
        "3s",
    ];
    let mut watching = Watching::start(&network, &[&words[..], &["udp", "or", "ip"]].concat());
    watching.snapshot();
    let mut sender = network.start_at_sender(&["python3", "-c", HALVES]);
    sender.0.wait().expect("it ends");
    // While they are open, with no frame after them,
    watching.wait_for("D02", |line| is_finding(line, "appeared", "D02"));
    // and then they are given up.
    watching.wait_for("timeouts", |line| {
        line["totals"]["counters"]["datagrams"]["timed_out"] == 30
    });
    let snapshot = watching.snapshot();
    assert_eq!(count(&snapshot, "reassembly.open_datagrams"), 0);
    let ended = watching.end();
    let findings = ended.report()["findings"].as_array().expect("a list");
    assert!(findings.iter().any(|finding| finding["id"] == "D02"));
}

#[test]
fn what_the_capture_itself_loses_is_said() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let mut watching = Watching::start(&network, &["-i", "b0", "--buffer", "1MiB"]);
    watching.snapshot();
    let _sender = start_sending(&network, &["flood", RECEIVER, "65507", "400", "3"]);
    watching.wait_for("frames", |line| {
        line["totals"]["frames"].as_u64() > Some(1_000)
    });
    watching.signal("STOP");
    thread::sleep(Duration::from_millis(500));
    watching.signal("CONT");
    // So small a ring may have been too small before.
    let found = watching.ever("D36", |line| is_finding(line, "appeared", "D36"));
    assert_eq!(found["finding"]["severity"], "warning");
    let snapshot = watching.wait_for("drops", |line| {
        line["captured"][0]["dropped"].as_u64() > Some(1_000)
    });
    let captured = &snapshot["captured"][0];
    let dropped = count(captured, "dropped");
    assert!(dropped > 1_000, "{captured}");
    // Frames in the ring were received, and are not yet read.
    assert!(count(captured, "received") >= count(captured, "frames") + dropped);
    let ended = watching.end();
    assert!(count(ended.report(), "capture.dropped_frames") >= dropped);
}

#[test]
fn a_finding_appears_and_clears() {
    let network = Network::new();
    network.lose_fragments(100);
    let _receiver = start_receiving(&network);
    let words = ["-i", "b0", "--window", "2s", "--interval", "200ms"];
    let mut watching = Watching::start(&network, &words);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "8000", "20", "1"]);
    let appeared = watching.wait_for("D01", |line| is_finding(line, "appeared", "D01"));
    let cleared = watching.wait_for("its end", |line| is_finding(line, "cleared", "D01"));
    assert_eq!(cleared["since"], appeared["since"]);
    let snapshot = watching.snapshot();
    let active = snapshot["findings"].as_array().expect("a list");
    assert!(active.iter().all(|active| active["finding"]["id"] != "D01"));
    // It is over, and it was: the report at the end has it.
    let ended = watching.end();
    let findings = ended.report()["findings"].as_array().expect("a list");
    assert!(findings.iter().any(|finding| finding["id"] == "D01"));
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn a_storm_of_faults_is_recorded_within_bounds() {
    let network = Network::new();
    network.lose_fragments(100);
    let _receiver = start_receiving(&network);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().to_str().expect("the path is text");
    let how = [
        "-i",
        "b0",
        "--window",
        "1s",
        "--interval",
        "200ms",
        "--record",
        path,
    ];
    let bounds = [
        "--record-seconds",
        "1s",
        "--record-files",
        "2",
        "--record-bytes",
        "8MiB",
    ];
    let mut watching = Watching::start(&network, &[&how[..], &bounds].concat());
    watching.snapshot();
    for _ in 0..4 {
        send(&network, &["flood", RECEIVER, "8000", "40", "0.5"]);
        watching.wait_for("D01", |line| is_finding(line, "appeared", "D01"));
        watching.wait_for("its end", |line| is_finding(line, "cleared", "D01"));
    }
    let ended = watching.end();
    let found = recordings(folder.path());
    assert_eq!(found.len(), 2, "{found:?}");
    let bytes: u64 = found
        .iter()
        .map(|path| fs::metadata(path).unwrap().len())
        .sum();
    assert!((10_000..8 << 20).contains(&bytes), "{bytes} bytes");
    let notices: Vec<&str> = ended
        .lines_of("notice")
        .filter_map(|line| line["message"].as_str())
        .collect();
    let some = |text: &str| notices.iter().filter(|line| line.contains(text)).count();
    assert!(some("recorded") >= 3 && some("deleted") >= 1, "{notices:?}");
    // What was recorded shows the fault again.
    let output = fraglens()
        .args(["analyze", "--quiet", "--format", "json"])
        .arg(&found[0])
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(count(&report, "capture.frames") > 50);
    let findings = report["findings"].as_array().expect("a list");
    assert!(
        findings.iter().any(|finding| finding["id"] == "D01"),
        "{findings:#?}"
    );
}

#[test]
fn a_full_disk_is_said_and_does_not_end_the_watch() {
    let network = Network::new();
    network.lose_fragments(100);
    let _receiver = start_receiving(&network);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().to_str().expect("the path is text");
    // `ip netns exec` has mounts of its own: this one is the watch's alone.
    let command = format!(
        "mount -t tmpfs -o size=64k tmpfs {path} && exec {} watch -i b0 --window 1s \
         --interval 200ms --record {path} --record-seconds 1s",
        super::watching::FRAGLENS
    );
    let mut watching = Watching::of(network.start_at_receiver(&["bash", "-c", &command]));
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "8000", "40", "1"]);
    let notice = watching.wait_for("a notice", |line| {
        let message = line["message"].as_str();
        message.is_some_and(|message| message.contains("no recording in"))
    });
    let message = notice["message"].as_str().expect("it is text");
    assert!(message.contains("No space left"), "{message}");
    let before = count(&watching.snapshot(), "totals.frames");
    send(&network, &["flood", RECEIVER, "4000", "10", "0.3"]);
    watching.wait_for("frames", |line| {
        line["totals"]["frames"].as_u64() > Some(before)
    });
    assert!(watching.end().status.success());
}

#[test]
fn figures_are_served_while_it_goes_on() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let words = [
        "-i",
        "b0",
        "--metrics",
        "127.0.0.1:9464",
        "--metrics-flows",
        "3",
    ];
    let mut watching = Watching::start(&network, &words);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "8000", "20", "0.5"]);
    let snapshot = watching.wait_for("frames", |line| {
        line["totals"]["frames"].as_u64() > Some(500)
    });
    let frames = count(&snapshot, "totals.frames");
    let scrape = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())";
    let mut python = network.start_at_receiver(&["python3", "-c", scrape]);
    let mut page = String::new();
    let output = python.0.stdout.as_mut().expect("it is piped");
    std::io::Read::read_to_string(output, &mut page).expect("it is text");
    let value = |name: &str| {
        let line = page.lines().find(|line| line.starts_with(name));
        let word = line.and_then(|line| line.rsplit(' ').next());
        word.and_then(|word| word.parse::<f64>().ok())
            .unwrap_or_else(|| panic!("no {name} in {page}"))
    };
    assert!(value("fraglens_frames_total ") >= frames as f64);
    assert!(value("fraglens_datagrams_total{outcome=\"reassembled\"") > 50.0);
    assert_eq!(page.trim_end().lines().last(), Some("# EOF"));
    assert!(watching.end().status.success());
}
