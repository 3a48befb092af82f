//! Captures of one path in files of other kinds.

use super::sight::{Sight, Stream};
use super::{Captures, Faults, compare};
use crate::findings::capture::{Capture, MILLISECOND};
use crate::findings::packet::{A_TO_B, Way, cooked};
use crate::support::{count, fraglens};
use serde_json::Value;
use std::fs;

const COOKED: u32 = 113;
const RAW_IP: u32 = 101;

fn traffic() -> (Sight, Sight) {
    let here = Sight::of(&[
        Stream::to(5001, A_TO_B),
        Stream {
            datagrams: 1_000,
            gap: 2 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]);
    let there = here
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 40 == 17 && packet.index < 2);
    (here, there)
}

/// Compares a pcap file with another kind of file of what the second point sees.
fn beside(other: impl Fn(&Sight) -> Vec<u8>) -> Value {
    let (here, there) = traffic();
    let mut captures = Captures::of(&[&here]);
    captures.add(&other(&there));
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    for number in ["appeared", "corrupted", "duplicated", "reordered"] {
        faults.must_be(number, &comparison["path"][number], 0);
    }
    let matched = there.0.len() as u64;
    faults.must_be("matched", &comparison["points"][1]["matched"], matched);
    faults.end();
    comparison
}

/// The frames of another link type.
fn framed(sight: &Sight, link: u32, frame: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let with = |capture: Capture, packet: &super::sight::Packet| {
        capture.at(packet.time).frame(frame(&packet.ip))
    };
    let empty = Capture::of_link(link);
    sight.0.iter().fold(empty, with).pcap()
}

#[test]
fn a_cooked_capture() {
    beside(|sight| framed(sight, COOKED, |packet| cooked(Way::In, packet)));
}

#[test]
fn a_capture_without_link_headers() {
    beside(|sight| framed(sight, RAW_IP, <[u8]>::to_vec));
}

#[test]
fn a_compressed_pcapng() {
    let comparison = beside(|sight| {
        let plain = sight.capture().pcapng(0);
        zstd::encode_all(&plain[..], 1).unwrap()
    });
    assert_eq!(comparison["points"][1]["dropped_frames"], 0);
}

/// A file that says how many frames the capturing host lost.
#[test]
fn a_pcapng_that_tells_of_losses() {
    let comparison = beside(|sight| sight.capture().pcapng(4_711));
    assert_eq!(comparison["points"][1]["dropped_frames"], 4_711);
}

/// Headers and a few bytes of each packet.
#[test]
fn a_capture_with_a_short_snaplen() {
    let comparison = beside(|sight| sight.capture().pcap_cut(96));
    let (_, there) = traffic();
    let longer = there.0.iter().filter(|packet| packet.ip.len() + 14 > 96);
    let truncated = count(&comparison["points"][1], "truncated_frames");
    assert_eq!(truncated, longer.count() as u64);
}

/// Both are cut, so that payloads cannot be compared and checksums not be known.
#[test]
fn captures_with_different_short_snaplens() {
    let (here, there) = traffic();
    let mut captures = Captures::new();
    captures.add(&here.capture().pcap_cut(64));
    captures.add(&there.capture().pcap_cut(128));
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.must_be("corrupted", &comparison["path"]["corrupted"], 0);
    faults.end();
}

/// One clock counts microseconds: the difference is no delay below zero.
#[test]
fn a_clock_of_microseconds() {
    let comparison = beside(|sight| {
        let coarse = sight.map(|mut packet| {
            packet.time -= packet.time % 1_000;
            packet
        });
        coarse.pcap()
    });
    let least = comparison["path"]["delay"]["min_seconds"].as_f64();
    assert!(least.is_some_and(|least| least >= 0.0), "{least:?}");
}

#[test]
fn standard_input_is_a_point_like_any_other() {
    let (here, there) = traffic();
    let captures = Captures::of(&[&here, &there]);
    let [first, second] = &captures.paths[..] else {
        unreachable!("two were made");
    };
    let of_files = captures.compared(&[]);
    for (words, piped) in [
        (["-", second.to_str().unwrap()], first),
        ([first.to_str().unwrap(), "-"], second),
    ] {
        let mut command = fraglens();
        command.args(["compare", "--quiet", "--format", "json"]);
        let output = command
            .args(words)
            .write_stdin(fs::read(piped).unwrap())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let of_pipe: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(of_pipe["path"], of_files["path"], "{words:?}");
        assert_eq!(of_pipe["flows"], of_files["flows"], "{words:?}");
    }
}

/// Files are named as they were given, in their order.
#[test]
fn points_name_their_files() {
    let (here, there) = traffic();
    let captures = Captures::of(&[&here, &there]);
    let comparison = compare(&[&here, &there]);
    assert_eq!(comparison["kind"], "comparison");
    assert_eq!(comparison["schema_version"], 1);
    let comparison = captures.compared(&[]);
    for (point, path) in captures.paths.iter().enumerate() {
        let file = &comparison["points"][point]["file"];
        assert_eq!(file["path"], path.to_str().unwrap());
        let packets = [&here, &there][point].0.len();
        assert_eq!(file["frames"], packets);
    }
}
