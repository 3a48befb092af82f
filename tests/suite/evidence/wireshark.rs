//! What Wireshark shows of the evidence.

use super::Bundle;
use super::blocks::{COMMENT, INTERFACE, NAME, PACKET, ROOM, SECTION, STATISTICS, blocks, texts};
use crate::support::{corpus, name, none, pcap};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What frames are in their files.
const FIELDS: [&str; 4] = [
    "frame.time_epoch",
    "frame.len",
    "frame.cap_len",
    "frame.encap_type",
];

/// What tshark prints of the frames of a file. It must have nothing to say of the file.
pub fn tshark(path: &Path, fields: &[&str]) -> Vec<String> {
    let output = Command::new("tshark")
        .args(["-n", "-T", "fields"])
        .args(fields.iter().flat_map(|field| ["-e", field]))
        .arg("-r")
        .arg(path)
        .output()
        .expect("tshark is installed: scripts/setup test");
    let said = String::from_utf8(output.stderr).unwrap();
    let complaints: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("Running as user"))
        .collect();
    assert_eq!(complaints, [""; 0], "{}", path.display());
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().map(str::to_owned).collect()
}

#[test]
fn frames_are_what_they_were() {
    let captures = [
        "interfaces.pcapng",
        "two-sections.pcapng",
        "dumpcap-nanoseconds.pcapng.zst",
        "nanosecond-big-endian.pcap",
        "sll2-any.pcap.zst",
        "timeout-ipv6.pcap",
        "snaplen-cut.pcap",
    ];
    let of_others = [
        "T-linktype__PcapPlusPlus__null_loopback.pcap",
        "T-linktype__PcapPlusPlus__raw_ip.pcap",
        "B-incomplete__pcap-thread__v6_frag_skip_last_udp.pcap",
    ];
    let corpus = corpus("frames_are_what_they_were");
    let of_others = of_others
        .iter()
        .filter_map(|name| Some(corpus.as_ref()?.join(name)));
    let mut faults = Vec::new();
    for capture in captures.into_iter().map(pcap).chain(of_others) {
        let bundle = Bundle::fine([&capture]);
        let before = tshark(&capture, &FIELDS);
        let after = tshark(&bundle.path("evidence.pcapng"), &FIELDS);
        let capture = name(&capture);
        assert!(!after.is_empty(), "{capture}");
        let mut original = before.iter();
        for line in &after {
            if !original.any(|known| known == line) {
                faults.push(format!("{capture}: {line:?}"));
                break;
            }
        }
    }
    none(&faults);
}

#[test]
fn interfaces_keep_their_names() {
    // Those of one file do not become those of another.
    let bundle = Bundle::fine(["interfaces.pcapng", "two-sections.pcapng"]);
    let file = bundle.bytes("evidence.pcapng");
    assert_eq!(texts(&file, INTERFACE, NAME), ["eth0", "tun0", "eth1"]);
    let named = ["frame.interface_name", "frame.time_epoch"];
    let after = tshark(&bundle.path("evidence.pcapng"), &named);
    let before = tshark(&pcap("interfaces.pcapng"), &named);
    let of_interfaces = after.iter().filter(|line| before.contains(line));
    assert_eq!(of_interfaces.count(), 2, "{after:?} of {before:?}");
}

#[test]
fn missing_fragments_are_told_beside_those_that_came() {
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst"]);
    let fields = ["frame.time_epoch", "frame.comment"];
    let shown = tshark(&bundle.path("evidence.pcapng"), &fields);
    let told: Vec<&str> = shown
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .map(|(_, comment)| comment)
        .filter(|comment| !comment.is_empty())
        .collect();
    let of = |frame: u64| format!("(frame {frame} of netperf-loss3.pcap.zst)");
    let missing =
        "fragment 17 of 47 missing before this one; datagram 0xb4a9 never became whole".to_owned();
    assert!(
        told.contains(&format!("{missing}\\n{}", of(17)).as_str()),
        "{:#?}",
        &told[..told.len().min(5)]
    );
    // What findings say of the first frame they name is there too.
    let first = told[0];
    assert!(
        first.starts_with("D09: ") && first.ends_with(&of(1)),
        "{first}"
    );
    let frames = bundle.report()["findings"][0]["evidence"].clone();
    for evidence in frames.as_array().unwrap() {
        let (note, frame) = (&evidence["note"], evidence["frame"].as_u64().unwrap());
        let note = format!("D09: {}", note.as_str().unwrap());
        let is_told = |told: &&str| told.contains(&note) && told.ends_with(&of(frame));
        // Counts are grouped by thousands.
        assert!(frame > 999 || told.iter().any(is_told), "{frame}: {note}");
    }
}

#[test]
fn findings_stand_in_the_properties_of_the_file() {
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst"]);
    let file = bundle.bytes("evidence.pcapng");
    let comments = texts(&file, SECTION, COMMENT);
    let report = bundle.report();
    assert_eq!(comments[0], report["explanation"]["sentence"]);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(comments.len(), 1 + findings.len());
    for (comment, finding) in comments[1..].iter().zip(findings) {
        let text = |key: &str| finding[key].as_str().unwrap().to_owned();
        let begin = format!("{} {}: ", text("id"), text("severity"));
        assert!(comment.starts_with(&begin), "{comment}");
        assert!(comment.contains(&text("title")), "{comment}");
        assert!(comment.contains(&text("seen")), "{comment}");
    }
    let output = Command::new("capinfos")
        .arg(bundle.path("evidence.pcapng"))
        .output()
        .expect("capinfos comes with tshark");
    let shown = String::from_utf8(output.stdout).unwrap();
    for comment in &comments {
        assert!(shown.contains(comment), "{comment}: {shown}");
    }
    // Frames lie where they were in the capture: there is nothing to say of most.
    let told = texts(&file, PACKET, COMMENT).len();
    assert!((100..4_000).contains(&told), "{told} comments");
}

#[test]
fn there_are_no_other_blocks() {
    let mut kinds = BTreeSet::new();
    for capture in ["interfaces.pcapng", "blocks.pcapng", "icmp-errors.pcap"] {
        let bundle = Bundle::fine([capture]);
        let blocks = blocks(&bundle.bytes("evidence.pcapng"));
        kinds.extend(blocks.iter().map(|block| block.kind));
    }
    // No name resolution above all.
    let known = BTreeSet::from([SECTION, ROOM, INTERFACE, PACKET, STATISTICS]);
    assert!(kinds.is_subset(&known), "{kinds:?}");
}
