//! What a watch counts is what `analyze` counts of a `tcpdump -w` of the same traffic, and
//! what the kernel counts.

use super::watching::{Ended, Watching};
use super::{send, start_receiving};
use crate::kernel::counters::{Counters, Version};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, Process, RECEIVER, TENANT};
use crate::kernel::scenario::Lines;
use crate::support::{count, fraglens, none};
use serde_json::Value;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// How often a run is repeated in which somebody lost frames.
const ATTEMPTS: usize = 3;
/// Time for the last frames to reach whoever captures.
const SETTLE: Duration = Duration::from_millis(1_500);

/// What all counted of the same traffic.
struct Run {
    watched: Ended,
    analysed: Value,
    kernel: Counters,
    lost: u64,
}

/// tcpdump with times as exact as those of a watch.
fn tcpdump(network: &Network, folder: &TempDir) -> Process {
    let path = folder.path().join("capture");
    let path = path.to_str().expect("the path is text");
    let how = ["tcpdump", "--nano", "-Z", "root", "-i", "b0", "-s", "0"];
    let to = ["-B", "262144", "-w", path, "ip"];
    let mut tcpdump = network.start_at_receiver(&[&how[..], &to].concat());
    let said = Lines::of(tcpdump.0.stderr.take().expect("it is piped"));
    said.wait_for("listening on", || ());
    tcpdump
}

/// Waits until nothing more comes: two snapshots are farther apart than frames can be in
/// a block of the ring.
fn all_seen(watching: &mut Watching) {
    let frames = |line: Value| count(&line, "totals.frames");
    watching.catch_up();
    let mut before = frames(watching.snapshot());
    loop {
        let now = frames(watching.snapshot());
        if now == before && now > 0 {
            return;
        }
        before = now;
    }
}

fn run(is_tunnelled: bool, words: &[&str]) -> Run {
    let network = Network::new();
    if is_tunnelled {
        network.add_tunnel();
    }
    network.lose_fragments(30);
    let folder = TempDir::new().expect("a folder");
    let receiver = start_receiving(&network);
    let tenant = is_tunnelled.then(|| start_taking(&network, Host::Tenant, &["receive"]));
    let mut tcpdump = tcpdump(&network, &folder);
    let mut watching = Watching::start(&network, &["-i", "b0", "--interval", "200ms", "ip"]);
    watching.snapshot();
    let before = Counters::read(receiver.0.id(), Version::V4);
    send(&network, words);
    let kernel = Counters::read(receiver.0.id(), Version::V4) - before;
    thread::sleep(SETTLE);
    // A watch knows how long nothing came after the last frame, and a file does not: so
    // that both end at one moment, that is when a frame came.
    send(&network, &["flood", words[1], "100", "1", "0.001"]);
    all_seen(&mut watching);
    let watched = watching.end();
    thread::sleep(SETTLE);
    tcpdump.interrupt();
    tcpdump.0.wait().expect("tcpdump ends");
    drop(tenant);
    let capture = folder.path().join("capture");
    let output = fraglens()
        .args(["analyze", "--quiet", "--format", "json"])
        .arg(&capture)
        .output();
    let analysed: Value =
        serde_json::from_slice(&output.expect("it runs").stdout).expect("it is JSON");
    let lost = count(watched.report(), "capture.dropped_frames");
    Run {
        watched,
        analysed,
        kernel,
        lost,
    }
}

/// The parts of two reports that come from the frames alone.
fn differences(watched: &Value, analysed: &Value) -> Vec<String> {
    let parts = [
        "totals",
        "throughput",
        "flows_total",
        "flows",
        "tunnels",
        "receivers",
        "timeline",
    ];
    let mut differences: Vec<String> = parts
        .iter()
        .filter(|part| watched[**part] != analysed[**part])
        .map(|part| format!("{part}: {:#} is {:#}", watched[*part], analysed[*part]))
        .collect();
    for of_capture in ["frames", "bytes", "first_timestamp", "last_timestamp"] {
        let [watched, analysed] = [watched, analysed].map(|report| &report["capture"][of_capture]);
        if watched != analysed {
            differences.push(format!("{of_capture}: {watched} is {analysed}"));
        }
    }
    differences
}

fn whole(is_tunnelled: bool, words: &[&str]) -> Run {
    let runs = (0..ATTEMPTS).map(|_| run(is_tunnelled, words));
    let mut whole = runs.filter(|run| {
        let frames = |report: &Value| count(report, "capture.frames");
        let (watched, analysed) = (frames(run.watched.report()), frames(&run.analysed));
        eprintln!(
            "{watched} frames watched, {} lost; {analysed} frames captured",
            run.lost
        );
        run.lost == 0 && watched == analysed
    });
    whole.next().expect(
        "a run in which nobody lost frames; the machine may be too busy, or a watch loses some",
    )
}

#[test]
fn a_watch_counts_what_a_capture_holds() {
    let run = whole(false, &["flood", RECEIVER, "65507", "200", "3"]);
    let report = run.watched.report();
    none(&differences(report, &run.analysed));
    let fragments = count(report, "receivers.0.predicted.fragments");
    assert!(fragments > 20_000, "{fragments} fragments: too few");
    assert_eq!(fragments, run.kernel.fragments);
    let failed = count(report, "receivers.0.predicted.failed");
    let room = run.kernel.failed / 20 + 5;
    assert!(
        failed.abs_diff(run.kernel.failed) <= room,
        "{failed} failures predicted, {:?}",
        run.kernel
    );
    // The kernel's own counters are in the report, with what the capture predicts.
    let counters = report["kernel_counters"].as_array().expect("a list");
    let found = counters
        .iter()
        .find(|counter| counter["name"] == "IpReasmReqds");
    assert_eq!(count(found.expect("it is listed"), "kernel"), fragments);
    // Each second says what came in it; all of them together are all.
    let snapshots: Vec<&Value> = run.watched.lines_of("snapshot").collect();
    assert!(snapshots.len() > 10, "{} snapshots", snapshots.len());
    let last = snapshots.last().expect("there are some");
    assert_eq!(
        last["totals"]["frames"], report["capture"]["frames"],
        "the last second has not all frames"
    );
    assert_eq!(last["captured"][0]["name"], "b0");
    assert_eq!(last["captured"][0]["state"], "live");
}

#[test]
fn a_watch_follows_fragments_into_tunnels() {
    let run = whole(true, &["flood", TENANT, "8192", "60", "2"]);
    let report = run.watched.report();
    none(&differences(report, &run.analysed));
    let tunnels = report["tunnels"].as_array().expect("a list");
    assert!(
        tunnels
            .iter()
            .any(|tunnel| tunnel["key"]["kind"] == "vxlan")
    );
    assert!(count(report, "totals.fragments.total") > 1_000);
    // The tunnel is there with its MTU, on a network too narrow for it.
    assert!(report["receivers"].as_array().expect("a list").len() >= 2);
}

#[test]
fn several_interfaces_are_one_capture() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let words = ["-i", "b0", "-i", "lo", "--snaplen", "128", "udp"];
    let mut watching = Watching::start(&network, &words);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "8000", "50", "0.5"]);
    let to_itself = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); \
                     [s.sendto(bytes(100), ('127.0.0.1', 5001)) for _ in range(50)]";
    network.run_at_receiver(&["python3", "-c", to_itself]);
    thread::sleep(SETTLE);
    let ended = watching.end();
    let report = ended.report();
    let files = report["capture"]["files"].as_array().expect("a list");
    let names: Vec<&Value> = files.iter().map(|file| &file["path"]).collect();
    assert_eq!(names, ["b0", "lo"]);
    // libpcap leaves out what goes out of a loopback: it comes in as well.
    assert_eq!(count(&files[1], "frames"), 50);
    let flows = report["flows"].as_array().expect("a list");
    let of = |address: &str| {
        flows
            .iter()
            .find(|flow| flow["key"]["dst"] == address && flow["key"]["dst_port"] == 5001)
            .unwrap_or_else(|| panic!("no flow to {address}"))
    };
    assert_eq!(count(of("127.0.0.1"), "counters.packets"), 50);
    let cut = of(RECEIVER);
    assert!(count(cut, "counters.datagrams.reassembled") > 100);
    assert_eq!(count(cut, "counters.checksums.udp.good"), 0);
    assert!(count(cut, "counters.checksums.udp.unverifiable") > 100);
    assert!(count(report, "capture.truncated_frames") > 100);
}

#[test]
fn any_is_all_interfaces() {
    let network = Network::new();
    let _receiver = start_receiving(&network);
    let mut watching = Watching::start(&network, &["-i", "any"]);
    watching.snapshot();
    send(&network, &["flood", RECEIVER, "8000", "20", "0.5"]);
    thread::sleep(SETTLE);
    let ended = watching.end();
    let report = ended.report();
    assert_eq!(report["capture"]["files"][0]["link_types"][0], "LINUX_SLL2");
    assert!(count(report, "totals.datagrams.reassembled") > 50);
}
