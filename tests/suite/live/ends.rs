//! How a watch ends, and what it leaves.

use super::watching::{FRAGLENS, Watching};
use super::{send, start_receiving, start_sending};
use crate::kernel::load;
use crate::kernel::network::{Network, RECEIVER};
use crate::kernel::scenario::Lines;
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
        send(&network, &["flood", RECEIVER, "4000", "10", "1"]);
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
    let snapshots = by_time.lines_of("snapshot").count();
    assert!((1..=2).contains(&snapshots), "{snapshots}");
    let mut watching = Watching::start(&network, &["-i", "b0", "--count", "40", "udp"]);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "4000", "10", "2"]);
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
fn a_file_is_written_although_the_pipe_was_closed() {
    let network = Network::new();
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("report.json");
    let command = format!(
        "{FRAGLENS} watch -i b0 --interval 100ms -o {} | head -n 1",
        path.display()
    );
    let mut shell = network.start_at_receiver(&["bash", "-c", &command]);
    shell.0.wait().expect("it ends");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("it is written")).expect("JSON");
    assert_eq!(report["schema_version"], 1);
}

/// Says whether snapshots are made although nobody reads the lines: a pipe takes 64 KiB,
/// and a line of one has some 5.
const ARE_MADE: &str = "
import time, urllib.request as u
def time_of_snapshot():
    page = u.urlopen('http://127.0.0.1:9464/metrics').read().decode()
    return [l for l in page.splitlines() if l.startswith('fraglens_snapshot_timestamp_seconds ')]
time.sleep(4)
before = time_of_snapshot()
time.sleep(1)
print(before != [] and before != time_of_snapshot())
";

#[test]
fn a_reader_that_does_not_read_keeps_nothing_from_going_on() {
    let network = Network::new();
    let command = format!(
        "{FRAGLENS} watch -i b0 --interval 100ms --metrics 9464 > >(sleep 60) & \
         echo pid $!; wait $!; echo ended with $?"
    );
    let mut shell = network.start_at_receiver(&["bash", "-c", &command]);
    let said = Lines::of(shell.0.stdout.take().expect("it is piped"));
    let pid = said.wait_for("pid ", || ()).replace("pid ", "");
    let mut python = network.start_at_receiver(&["python3", "-c", ARE_MADE]);
    let mut are_made = String::new();
    let output = python.0.stdout.as_mut().expect("it is piped");
    output.read_to_string(&mut are_made).expect("it is text");
    assert_eq!(are_made.trim(), "True");
    // The first signal asks, the second ends.
    let kill = format!("kill -TERM {pid}; sleep 0.5; kill -TERM {pid}");
    network.run_at_receiver(&["bash", "-c", &kill]);
    said.wait_for("ended with 130", || ());
}

#[test]
fn the_report_goes_where_it_is_told_to() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("report.json");
    let path = path.to_str().expect("the path is text");
    // No line says when the watch has begun: what it sees comes all the time.
    let mut beats = start_sending(&network, &["beat", RECEIVER]);
    load::wait_for(&mut beats, "beating");
    let words = ["-i", "b0", "--format", "json", "-o", path, "--duration"];
    let ended = Watching::start(&network, &[&words[..], &["2s"]].concat()).ended();
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
    let _flood = start_sending(&network, &["flood", RECEIVER, "65507", "500", "6"]);
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
