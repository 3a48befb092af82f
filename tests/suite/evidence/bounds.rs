//! Evidence has room for what proves something, and for nothing else.

use super::{Bundle, findings, frames, words};
use crate::findings::capture::{Capture, MICROSECOND};
use crate::findings::packet::{A_TO_B, Path, Sum, UDP, cut, noise, udp, v4, whole};
use crate::support::analyze;
use fraglens::model::LinkType;
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_does_not_fit_is_said() {
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst", "--evidence-bytes", "128KiB"]);
    let bytes = fs::metadata(bundle.path("evidence.pcapng")).unwrap().len();
    assert!((16_384..=131_072).contains(&bytes), "{bytes}");
    let (all, manifest) = (findings(&bundle.report()), bundle.manifest());
    let (with, without) = (
        words(&manifest["findings_repeated"]),
        words(&manifest["findings_not_repeated"]),
    );
    assert!(without.contains(&"D09".to_owned()), "{without:?}");
    assert_eq!(with.len() + without.len(), all.len());
    assert!(with.iter().all(|id| bundle.found_again().contains(id)));
    assert!(!without.iter().any(|id| bundle.found_again().contains(id)));
    let left_out = &manifest["limits"]["evidence_frames_left_out"];
    assert!(left_out.as_u64() > Some(1_000), "{left_out}");
    let said = bundle.said();
    assert_eq!(
        said,
        format!(
            "fraglens: evidence.pcapng alone does not show {}: it rests on more than \
             --evidence-bytes allows, or on no frames\n",
            without.join(", ")
        )
    );
    let comments = super::blocks::texts(
        &bundle.bytes("evidence.pcapng"),
        super::blocks::SECTION,
        super::blocks::COMMENT,
    );
    let alone = "(these frames alone do not show it)";
    let of_d09 = comments.iter().find(|comment| comment.starts_with("D09 "));
    assert!(of_d09.unwrap().ends_with(alone), "{comments:?}");
}

#[test]
fn less_than_a_datagram_is_no_bound() {
    let output = crate::support::fraglens()
        .args(["evidence", "sample.pcap", "-o", "/nonexistent/bundle"])
        .args(["--evidence-bytes", "127KiB"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("at least 128KiB"), "{said}");
}

/// Frames around each of the faulty flow.
const UNRELATED: u64 = 200;

/// A pair of hosts that has nothing to do with any other.
fn others(number: u64) -> Path {
    let [.., high, low] = number.to_be_bytes();
    v4([172, 16 + high % 16, low, 1], [172, 16 + high % 16, low, 2])
}

#[test]
fn of_mixed_traffic_only_what_is_related_is_kept() {
    let mut capture = Capture::every(200 * MICROSECOND);
    let mut faulty = 0;
    for id in 0..40 {
        let message = udp(A_TO_B, 5000, &noise(4_000, id), Sum::Right);
        let pieces = cut(A_TO_B, UDP, id as u32, &message, 1500);
        // The second fragment of every other message never comes.
        let pieces = pieces.iter().enumerate();
        for (_, piece) in pieces.filter(|(place, _)| id % 2 == 0 || *place != 1) {
            faulty += 1;
            capture = capture.packet(piece);
            for number in 0..UNRELATED {
                let path = others(number);
                let packet = udp(path, 53, &noise(900, number), Sum::Right);
                capture = capture.packet(&whole(path, UDP, &packet));
            }
        }
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("mixed.pcap");
    fs::write(&path, capture.pcap()).unwrap();
    let bundle = Bundle::fine([&path]);
    assert!(findings(&bundle.report()).contains("D01"));
    assert_eq!(findings(&bundle.report()), bundle.found_again());
    let kept = frames(&[bundle.path("evidence.pcapng")]);
    assert!((10..=faulty).contains(&kept.len()), "{}", kept.len());
    let of_it = |data: &[u8]| data[26..30] == [10, 0, 0, 1] && data[30..34] == [10, 0, 0, 2];
    for frame in kept {
        assert!(frame.link_type == LinkType::ETHERNET && of_it(&frame.data));
    }
}

/// Ids of the findings, the one that leads first.
fn ranked(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["id"].as_str().unwrap())
        .collect()
}

#[test]
fn what_leads_in_the_whole_leads_in_the_excerpt() {
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst"]);
    let (whole, again) = (bundle.report(), analyze(&[bundle.path("evidence.pcapng")]));
    assert_eq!(ranked(&whole)[0], "D09");
    assert_eq!(ranked(&again), ranked(&whole));
    let manifest = bundle.manifest();
    assert_eq!(manifest["finding_that_leads_instead"], Value::Null);
    // It ends where it says the same, not where there was no room.
    assert_eq!(manifest["limits"], json!({}));
}

#[test]
fn what_leads_in_the_excerpt_only_is_said() {
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst", "--evidence-bytes", "500KiB"]);
    let manifest = bundle.manifest();
    assert_eq!(manifest["findings_not_repeated"], json!([]));
    assert_eq!(manifest["finding_that_leads_instead"], "D01");
    let left_out = &manifest["limits"]["evidence_frames_left_out"];
    assert!(left_out.as_u64() > Some(0), "{left_out}");
    let said = bundle.said();
    assert!(said.contains("begins with D01"), "{said}");
    let page = bundle.text("report.md");
    assert!(page.contains("these frames, and D01 leads"), "{page}");
}

#[test]
fn what_timed_out_is_said_beside_its_first_frame() {
    let bundle = Bundle::fine(["timeout-ipv4.pcap"]);
    let file = bundle.bytes("evidence.pcapng");
    let comments = super::blocks::texts(&file, super::blocks::PACKET, super::blocks::COMMENT);
    let first = &comments[0];
    assert!(first.contains("datagram 0x0001 timed out"), "{comments:?}");
    assert!(
        first.contains("nothing wrong with this fragment itself"),
        "{first}"
    );
}
