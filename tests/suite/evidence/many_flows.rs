//! Very many flows: what people look at stays small, and memory has a bound.

use super::names;
use crate::findings::capture::{Capture, MICROSECOND};
use crate::findings::packet::{Sum, UDP, cut, noise, udp, v4, whole};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const FLOWS: u32 = 200_000;

/// Most memory: 1 KiB a flow, and what it takes to read.
const MOST_KIB: u64 = FLOWS as u64 + 128 * 1024;

/// A folder with a capture in which every packet is a flow of its own.
fn every_packet_a_flow() -> TempDir {
    let mut capture = Capture::every(10 * MICROSECOND);
    for number in 0..FLOWS {
        let [_, high, middle, low] = number.to_be_bytes();
        let path = v4([10, high, middle, low], [192, 0, 2, 1]);
        let packet = udp(path, 5000, &noise(18, 1), Sum::Right);
        capture = capture.packet(&whole(path, UDP, &packet));
    }
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("many.pcap"), capture.pcap()).unwrap();
    home
}

/// Flows of a capture with losses: with a million it takes the debug build some 20 s.
const FLOWS_WITH_LOSSES: u32 = 1_000_000;

/// As many hosts lack fragments as there are flows of three that do: more than findings can
/// be about.
fn one_of_three_lacks_fragments() -> TempDir {
    let mut capture = Capture::every(10 * MICROSECOND);
    for number in 0..FLOWS_WITH_LOSSES {
        let [_, high, middle, low] = number.to_be_bytes();
        let path = v4([10, high, middle, low], [172, high, middle, low]);
        if number % 3 == 0 {
            let message = udp(path, 5000, &noise(40, 1), Sum::Right);
            let pieces = cut(path, UDP, number, &message, 44);
            capture = capture.packet(&pieces[0]);
        } else {
            let packet = udp(path, 5000, &noise(18, 1), Sum::Right);
            capture = capture.packet(&whole(path, UDP, &packet));
        }
    }
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("many.pcap"), capture.pcap()).unwrap();
    home
}

/// Makes a bundle, and says how much memory that took, in KiB.
fn made(home: &TempDir, arguments: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fraglens"))
        .args(["evidence", "many.pcap", "-o", "bundle"])
        .args(arguments)
        .current_dir(home.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        let told = fs::read_to_string(&status).unwrap_or_default();
        let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        most = peak.map_or(most, |peak| peak.trim().parse().unwrap());
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(ended.success());
    most
}

#[test]
fn a_bundle_of_many_flows_stays_small() {
    let home = every_packet_a_flow();
    let folder = home.path().join("bundle");
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    let all = FLOWS as usize;
    for (arguments, rows) in [
        (&[][..], 10_000),
        (&["--top", "7"], 7),
        (&["--top", "0"], all),
    ] {
        let kib = made(&home, arguments);
        assert!((1..MOST_KIB).contains(&kib), "{arguments:?}: {kib} KiB");
        let page = size("report.html");
        assert!(page < 2_000_000, "{arguments:?}: {page} bytes");
        assert!(size("report.md") < 100_000, "{arguments:?}");
        assert!(size("evidence.pcapng") <= 8 << 20, "{arguments:?}");
        let manifest = fs::read(folder.join("MANIFEST.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        assert_eq!(
            manifest["findings_not_repeated"],
            json!([]),
            "{arguments:?}"
        );
        let csv = fs::read_to_string(folder.join("flows.csv")).unwrap();
        assert_eq!(csv.lines().count(), 1 + rows, "{arguments:?}");
        fs::remove_dir_all(&folder).unwrap();
    }
    assert_eq!(names(home.path()), ["many.pcap"]);
}

/// Most memory: 3 KiB a flow, which is what one with losses takes at most, and what it takes to read.
const MOST_KIB_WITH_LOSSES: u64 = 3 * FLOWS_WITH_LOSSES as u64 + 128 * 1024;

#[test]
fn a_bundle_of_a_million_flows_can_be_anonymized() {
    let home = one_of_three_lacks_fragments();
    let folder = home.path().join("bundle");
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    let kib = made(&home, &["--anonymize"]);
    assert!((1..MOST_KIB_WITH_LOSSES).contains(&kib), "{kib} KiB");
    assert!(size("report.html") < 2_000_000);
    assert!(size("report.md") < 100_000);
    // 10,000 flows and 8,192 receivers of less than 5 KiB each.
    let json = size("report.json");
    assert!(json < 90_000_000, "{json} bytes");
    let report: Value =
        serde_json::from_slice(&fs::read(folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["flows_total"], json!(FLOWS_WITH_LOSSES));
    let receivers = report["receivers"].as_array().unwrap();
    let has_steps = |receiver: &&Value| receiver["memory"]["peak_bytes"] != json!([]);
    assert_eq!(receivers.len(), 8_192);
    assert_eq!(receivers.iter().filter(has_steps).count(), 64);
}
