//! How a watch ends, and what it leaves.

use super::watching::{FRAGLENS, Watching};
use super::{send, start_receiving};
use crate::kernel::network::{Network, RECEIVER};
use crate::support::count;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn every_signal_ends_it_with_a_report() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    for signal in ["INT", "TERM", "HUP"] {
        let mut watching = Watching::start(&network, &["-i", "b0"]);
        watching.snapshot();
        send(&network, &["flood", RECEIVER, "4000", "10", "0.3"]);
        watching.signal(signal);
        let ended = watching.ended();
        assert!(ended.status.success(), "{signal}: {}", ended.errors);
        // Also what came since the last line.
        assert!(
            count(ended.report(), "totals.datagrams.reassembled") > 50,
            "{signal}"
        );
    }
}

#[test]
fn time_and_packets_end_it() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let by_time = Watching::start(&network, &["-i", "b0", "--duration", "1500ms"]).ended();
    assert!(by_time.status.success());
    assert_eq!(by_time.lines_of("snapshot").count(), 1);
    let mut watching = Watching::start(&network, &["-i", "b0", "--count", "40", "udp"]);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "4000", "10", "0.5"]);
    let by_count = watching.ended();
    assert_eq!(count(by_count.report(), "capture.frames"), 40);
}

#[test]
fn whoever_has_seen_enough_closes_the_pipe() {
    let network = Network::new();
    let command =
        format!("{FRAGLENS} watch -i b0 --interval 100ms | head -n 1; echo ${{PIPESTATUS[0]}}");
    let mut shell = network.start_at_receiver(&["bash", "-c", &command]);
    let mut printed = String::new();
    let output = shell.0.stdout.as_mut().expect("it is piped");
    output.read_to_string(&mut printed).expect("it is text");
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("{\"type\":"), "{printed}");
    assert_eq!(lines[1..], ["0"]);
}

#[test]
fn the_report_goes_where_it_is_told_to() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("report.json");
    let path = path.to_str().expect("the path is text");
    let words = ["-i", "b0", "--format", "json", "-o", path, "--duration"];
    let watching = Watching::start(&network, &[&words[..], &["2s"]].concat());
    send(&network, &["flood", RECEIVER, "4000", "10", "0.3"]);
    let ended = watching.ended();
    // Standard output is no terminal, and the format is none of lines.
    assert_eq!(ended.lines, Vec::<Value>::new());
    let report: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("it is written")).expect("JSON");
    assert!(count(&report, "capture.frames") > 20);
    let words = ["-i", "b0", "--format", "csv", "--quiet", "--duration", "1s"];
    let command = [&[FRAGLENS, "watch"], &words[..]].concat();
    let mut csv = network.start_at_receiver(&command);
    let mut printed = String::new();
    let output = csv.0.stdout.as_mut().expect("it is piped");
    output.read_to_string(&mut printed).expect("it is text");
    assert!(printed.starts_with("src,"), "{printed}");
}

#[test]
fn ends_in_time_under_load() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let _flood = super::start_sending(&network, &["flood", RECEIVER, "65507", "500", "6"]);
    let mut watching = Watching::start(&network, &["-i", "b0"]);
    watching.wait_for("frames", |line| {
        line["totals"]["frames"].as_u64() > Some(1_000)
    });
    let asked = std::time::Instant::now();
    let ended = watching.end();
    // It reads what lies in the ring, and no longer.
    assert!(asked.elapsed() < Duration::from_secs(8));
    assert!(count(ended.report(), "capture.frames") > 1_000);
}
