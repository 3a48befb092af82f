//! The bundle of a comparison: what is in it, and what of it others can read.

use super::Captures;
use super::recut::cut_again;
use super::sight::{Packet, Sight, Stream};
use crate::evidence::{sha256sum, tshark};
use crate::findings::capture::{MICROSECOND, MILLISECOND, SECOND, START};
use crate::findings::packet::A_TO_B;
use crate::support::{fraglens, pcap};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const POINTS: [&str; 3] = [
    "path-pod.pcap.zst",
    "path-node.pcap.zst",
    "path-receiver.pcap.zst",
];

struct Bundle {
    folder: PathBuf,
    said: String,
    _home: TempDir,
}

impl Bundle {
    fn of_the_path() -> Self {
        Self::of(&POINTS.map(pcap))
    }

    fn of(points: &[PathBuf]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("bundle");
        let mut command = fraglens();
        command.args(["compare", "--quiet", "--evidence"]);
        let output = command.arg(&folder).args(points).output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        Self {
            folder,
            said,
            _home: home,
        }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }
}

#[test]
fn files_are_there_with_their_hashes() {
    let bundle = Bundle::of_the_path();
    let manifest = bundle.json("MANIFEST.json");
    let mut written = BTreeSet::from(["MANIFEST.json".to_owned()]);
    for output in manifest["outputs"].as_array().unwrap() {
        let name = output["name"].as_str().unwrap();
        assert_eq!(output["sha256"], sha256sum(&bundle.folder.join(name)));
        written.insert(name.to_owned());
    }
    let there = fs::read_dir(&bundle.folder).unwrap();
    let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(there.collect::<BTreeSet<String>>(), written);
    let inputs = manifest["inputs"].as_array().unwrap();
    for ((input, name), point) in inputs.iter().zip(POINTS).zip(["A", "B", "C"]) {
        assert_eq!(input["sha256"], sha256sum(&pcap(name)));
        assert_eq!(input["point"], point);
    }
}

/// Each datagram that is shown is shown as every point saw it that has any of it.
#[test]
fn a_datagram_is_there_at_every_point() {
    let bundle = Bundle::of_the_path();
    let fields = ["frame.interface_name", "ip.id", "frame.comment"];
    let capture = bundle.folder.join("evidence.pcapng");
    let mut points: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in tshark(&capture, &fields) {
        let [point, ids, comment] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert!(!comment.is_empty());
        // The innermost; the tunnel at B has one of its own.
        let id = ids.rsplit(',').next().unwrap();
        let points = points.entry(id.to_owned()).or_default();
        points.insert(point.to_owned());
    }
    let all = ["A", "B", "C"].map(str::to_owned);
    let everywhere = points
        .values()
        .filter(|seen| all.iter().all(|point| seen.contains(point)));
    let everywhere = everywhere.count();
    assert!(everywhere >= 3, "{points:?}");
}

#[test]
fn page_and_comment_say_what_lies_beside_them() {
    let bundle = Bundle::of_the_path();
    let manifest = bundle.json("MANIFEST.json");
    let missing = manifest["findings_not_repeated"].as_array().unwrap();
    for name in ["report.html", "report.md"] {
        let text = bundle.text(name);
        let text = text
            .replace("<code>", "")
            .replace("</code>", "")
            .replace('`', "");
        for part in [
            "evidence.pcapng beside this holds",
            "one interface a point",
            "tshark -r evidence.pcapng -Y frame.comment",
        ] {
            assert!(text.contains(part), "{name} lacks {part}");
        }
        for id in missing {
            let id = id.as_str().unwrap();
            assert!(
                text.contains(&format!("It does not show {id}")),
                "{name}: {id}"
            );
            assert!(bundle.said.contains(id), "{}", bundle.said);
        }
    }
}

/// Datagrams whole and in fragments at three points. Between the first two some have their
/// checksums broken, some are late and some are copied; the second misses some; behind it
/// fragments are cut once more.
fn eventful() -> [Sight; 3] {
    const WHOLE: u16 = 5001;
    const CUT: u16 = 5002;
    let here = Sight::of(&[
        Stream::to(WHOLE, A_TO_B),
        Stream {
            datagrams: 500,
            gap: 4 * MILLISECOND,
            ..Stream::fragmented(CUT, A_TO_B)
        },
    ]);
    let there = here.later(MILLISECOND).map(|mut packet| {
        match (packet.port, packet.datagram % 100) {
            // The checksum of UDP.
            (WHOLE, 7) => packet.ip[26] ^= 0x0f,
            (WHOLE, 57) => packet.time += 3 * MILLISECOND,
            _ => {}
        }
        packet
    });
    let is_copied = |packet: &&Packet| packet.port == CUT && packet.datagram % 50 == 11;
    let copied = there.0.iter().filter(is_copied).cloned();
    let there = there.and(&Sight(copied.collect()).later(50 * MICROSECOND));
    let misses = there.without(|packet| packet.port == WHOLE && packet.datagram % 100 == 31);
    let last = there
        .later(MILLISECOND)
        .flat_map(|packet| cut_again(packet, 1_396));
    [here, misses, last]
}

#[test]
fn whatever_happened_is_shown_as_it_was_before_and_behind() {
    let captures = Captures::of(&eventful().each_ref());
    let bundle = Bundle::of(&captures.paths);
    let capture = bundle.folder.join("evidence.pcapng");
    let mut shown: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for line in tshark(&capture, &["frame.interface_name", "frame.comment"]) {
        let (point, comment) = line.split_once('\t').unwrap();
        if let Some((id, _)) = comment.split_once(": ") {
            let points = shown.entry(id.to_owned()).or_default();
            *points.entry(point.to_owned()).or_default() += 1;
        }
    }
    let manifest = bundle.json("MANIFEST.json");
    let repeated = manifest["findings_repeated"].as_array().unwrap();
    let expected = [
        ("C03", ["A", "C"]),
        ("C05", ["B", "C"]),
        ("C06", ["A", "B"]),
        ("C08", ["A", "B"]),
        ("C09", ["A", "B"]),
    ];
    for (id, points) in expected {
        assert!(repeated.contains(&id.into()), "{id}: {repeated:?}");
        for point in points {
            let frames = shown.get(id).and_then(|points| points.get(point));
            assert!(frames.is_some_and(|frames| *frames >= 4), "{id}: {shown:?}");
        }
    }
}

/// A few frames have a time that is far from those before and behind: they are matched as if they
/// came with those, and shown with the time that their capture has.
#[test]
fn frames_are_shown_with_the_times_that_they_have() {
    let sent = Sight::of(&[Stream::to(5_001, A_TO_B)]);
    let is_odd = |packet: &Packet| packet.port == 5_001 && packet.datagram % 100 == 50;
    let arrived = sent.later(MILLISECOND).without(is_odd);
    let captured = sent.0.iter().cloned().map(|packet| Packet {
        time: packet.time + if is_odd(&packet) { 3 * SECOND } else { 0 },
        ..packet
    });
    let captured = Sight(captured.collect());
    let captures = Captures::of(&[&captured, &arrived]);
    let bundle = Bundle::of(&captures.paths);
    let report = bundle.json("report.json");
    assert_eq!(report["limits"]["times_set_right"], 20);
    let loss = report["findings"].as_array().unwrap().iter();
    let loss = loss.filter(|finding| finding["id"] == "C01");
    let frames = loss.flat_map(|finding| finding["evidence"].as_array().unwrap());
    let lost: Vec<&Value> = frames.filter(|frame| frame["point"] == 0).collect();
    assert!(!lost.is_empty());
    for frame in lost {
        let number = frame["frame"].as_u64().unwrap() as usize;
        let time: jiff::Timestamp = frame["timestamp"].as_str().unwrap().parse().unwrap();
        let expected = START + captured.0[number - 1].time;
        assert_eq!(time.as_nanosecond(), expected.into(), "frame {number}");
    }
}
