//! Comparisons made by hand, and small captures in memory.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::decode::DecodeOptions;
use crate::evidence::Reading;
use crate::evidence::tests::told_by;
use crate::model::{LinkType, Timestamp};
use crate::report::comparison::document::{
    Clock, ClockBasis, Common, CompareOptions, Damage, DamageKind, Direction, OneWay, PathEvidence,
    PathFinding, Point, Relation, Segment,
};
use crate::report::document::{CaptureFile, Severity, Time, Tool};
use crate::source::{FilterSet, Memory, SourceOptions};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const BEGIN: i64 = 1_767_323_045_000_000_000;
const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;
const LIMIT: u64 = 1 << 20;

/// A comparison made by hand.
pub(crate) struct Sample {
    pub document: Comparison,
}

/// One of so many points, whose clocks agree.
pub(crate) fn comparison(points: usize) -> Sample {
    let letters = ["A", "B", "C"];
    let points: Vec<Point> = letters
        .iter()
        .take(points)
        .map(|name| point(name))
        .collect();
    let segments = (1..points.len() as u32).map(|to| Segment {
        from: to - 1,
        to,
        ..Segment::default()
    });
    let common = Common {
        first_timestamp: Time(Timestamp(BEGIN)),
        last_timestamp: Time(Timestamp(BEGIN + SECOND)),
        duration_seconds: 1.0,
    };
    let document = Comparison {
        schema_version: 1,
        kind: "comparison",
        tool: Tool::THIS,
        options: CompareOptions::default(),
        relation: Relation::Same,
        segments: segments.collect(),
        path: Segment::default(),
        directions: Vec::new(),
        common: Some(common),
        points,
        off_path: Vec::new(),
        side_by_side: Vec::new(),
        flows_total: 0,
        flows_omitted: 0,
        flows: Vec::new(),
        carriers: Vec::new(),
        icmp_errors: Vec::new(),
        receivers: Vec::new(),
        findings: Vec::new(),
        explanation: None,
        benchmark: None,
        kernel_counters: Vec::new(),
        limits: BTreeMap::new(),
        problems: Vec::new(),
    };
    Sample { document }
}

fn point(name: &str) -> Point {
    let file = CaptureFile {
        path: format!("{}.pcap", name.to_lowercase()),
        link_types: vec![LinkType::ETHERNET],
        snaplen: Some(2_000),
        frames: 100,
        ..CaptureFile::default()
    };
    Point {
        name: name.to_owned(),
        file,
        first_timestamp: Some(Time(Timestamp(BEGIN))),
        last_timestamp: Some(Time(Timestamp(BEGIN + SECOND))),
        dropped_frames: None,
        truncated_frames: 0,
        seen_again: 0,
        passed_host: Vec::new(),
        datagrams: 0,
        fragments: 0,
        missed: None,
        passed_beside: 0,
        matched: 0,
        tunnels: Vec::new(),
        clock: Clock {
            offset_seconds: Some(0.0),
            basis: if name == "A" {
                ClockBasis::Reference
            } else {
                ClockBasis::BothDirections
            },
            ..Clock::default()
        },
    }
}

impl Sample {
    /// With a finding that names these frames, each a millisecond after the one before it
    /// in its capture.
    pub fn naming(mut self, frames: &[(u32, u64)]) -> Self {
        let evidence = frames.iter().map(|(point, frame)| PathEvidence {
            point: *point,
            frame: *frame,
            timestamp: Time(self.time(*point, *frame)),
            note: format!("frame {frame} shows it"),
        });
        let finding = PathFinding {
            id: format!("C{:02}", self.document.findings.len() + 1),
            name: "a cause".to_owned(),
            severity: Severity::Warning,
            title: "Something is lost".to_owned(),
            segment: Some(0),
            direction: None,
            point: None,
            seen: "3 of 4 are gone\u{1b}[2J".to_owned(),
            explanation: String::new(),
            confidence: 1.0,
            evidence: evidence.collect(),
            disprove: String::new(),
            fix: Vec::new(),
            references: Vec::new(),
            flows: Vec::new(),
            missing_bytes: None,
        };
        self.document.findings.push(finding);
        self
    }

    /// With a clock that is so far ahead.
    fn ahead(mut self, point: usize, seconds: f64) -> Self {
        self.document.points[point].clock.offset_seconds = Some(seconds);
        self
    }

    fn time(&self, point: u32, frame: u64) -> Timestamp {
        let ahead = self.document.points[point as usize].clock.offset_seconds;
        let ahead = (ahead.unwrap_or(0.0) * 1e9) as i64;
        Timestamp(BEGIN + ahead + frame as i64 * MILLISECOND)
    }

    /// A capture of these frames at a point.
    pub fn capture(&self, point: u32, frames: &[Vec<u8>]) -> Vec<u8> {
        // Nanoseconds, this byte order, Ethernet.
        let head: [u32; 6] = [0xa1b2_3c4d, 0x0004_0002, 0, 0, 2_000, 1];
        let mut file: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (number, frame) in (1..).zip(frames) {
            let time = self.time(point, number).0;
            let bytes = frame.len() as u32;
            let record = [(time / SECOND) as u32, (time % SECOND) as u32, bytes, bytes];
            file.extend(record.iter().flat_map(|word| word.to_le_bytes()));
            file.extend(frame);
        }
        file
    }

    /// What is gathered of these captures.
    fn gathered(&self, captures: &[Vec<Vec<u8>>], limit_bytes: u64) -> PathExcerpt {
        let mut gathering = Gathering::new(&self.document, reading(limit_bytes));
        let mut readings = 0;
        while let Some(point) = gathering.next_point() {
            let mut source = memory(self.capture(point, &captures[point as usize]));
            let flow = |_| ControlFlow::Continue(());
            gathering.read(point, &mut source, &flow).unwrap();
            readings += 1;
        }
        assert!(readings <= 2 * captures.len(), "{readings} readings");
        gathering.finish()
    }
}

fn memory(capture: Vec<u8>) -> Memory {
    let options = SourceOptions {
        block_bytes: 4_096,
        ..SourceOptions::default()
    };
    Memory::new(capture, &options)
}

fn reading(limit_bytes: u64) -> Reading {
    Reading {
        filter: None,
        decode: DecodeOptions::default(),
        limit_bytes,
    }
}

/// A fragment in Ethernet: bytes `offset` to `offset + bytes` of a datagram.
fn fragment(id: u16, offset: u16, bytes: u16, more: bool) -> Vec<u8> {
    let flags = (u16::from(more) << 13) | (offset / 8);
    let mut frame = [&[2; 6][..], &[4; 6], &[8, 0]].concat();
    frame.extend([0x45, 0]);
    for word in [20 + bytes, id, flags] {
        frame.extend(word.to_be_bytes());
    }
    frame.extend([64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend((0..bytes).map(|at| at as u8));
    frame
}

pub(crate) fn whole(id: u16, bytes: u16) -> Vec<u8> {
    fragment(id, 0, bytes, false)
}

/// A datagram in three fragments.
pub(crate) fn three(id: u16) -> [Vec<u8>; 3] {
    [
        fragment(id, 0, 800, true),
        fragment(id, 800, 800, true),
        fragment(id, 1_600, 400, false),
    ]
}

/// Point and number of each frame.
fn origins(excerpt: &PathExcerpt) -> Vec<(u32, u64)> {
    let frames = excerpt.kept.frames.iter();
    frames
        .map(|frame| (frame.interface, frame.origin.number))
        .collect()
}

fn comment(excerpt: &PathExcerpt, origin: (u32, u64)) -> &str {
    let place = origins(excerpt).iter().position(|known| *known == origin);
    let frame = &excerpt.kept.frames[place.unwrap()];
    frame.comment.as_deref().unwrap()
}

fn written(excerpt: &PathExcerpt) -> Vec<u8> {
    excerpt.kept.write(&excerpt.comments, Vec::new()).unwrap()
}

/// At A two datagrams pass each other; at B a fragment of the first is lost.
fn lossy() -> (Sample, [Vec<Vec<u8>>; 2]) {
    let sample = comparison(2).ahead(1, 0.5).naming(&[(0, 5), (1, 2)]);
    let [one, two] = [three(7), three(8)];
    let [a, b, c] = one;
    let [x, y, z] = two;
    let at_a = vec![
        whole(1, 100),
        a.clone(),
        x.clone(),
        b,
        c.clone(),
        y.clone(),
        z.clone(),
    ];
    let at_b = vec![a, c, x, y, z];
    (sample, [at_a, at_b])
}

#[test]
fn a_named_fragment_stands_for_its_datagram_at_each_point() {
    let (sample, captures) = lossy();
    let excerpt = sample.gathered(&captures, LIMIT);
    // By the clock of A, and in the order of the path at one time.
    let expected = [(1, 1), (0, 2), (1, 2), (0, 4), (0, 5)];
    assert_eq!(origins(&excerpt), expected);
    assert_eq!(
        comment(&excerpt, (0, 5)),
        "C01: frame 5 shows it\n(frame 5 at A)"
    );
    assert_eq!(
        comment(&excerpt, (0, 2)),
        "datagram 0x0007, bytes 0 to 800\n(frame 2 at A)"
    );
    assert_eq!(
        comment(&excerpt, (1, 2)),
        "C01: frame 2 shows it\nfragment 2 of 3 missing before this one; \
         datagram 0x0007 is not whole at B\n(frame 2 at B)"
    );
    assert_eq!(
        (excerpt.left_out, excerpt.shown),
        (0, vec!["C01".to_owned()])
    );
    // Timestamps are those of the captures.
    let times = excerpt.kept.frames.iter();
    let times: Vec<i64> = times
        .map(|frame| (frame.timestamp.0 - BEGIN) / MILLISECOND)
        .collect();
    assert_eq!(times, [501, 2, 502, 4, 5]);
}

#[test]
fn a_named_datagram_is_found_at_other_points() {
    let (_, [at_a, at_b]) = lossy();
    let names = [(0, 4), (1, 1)];
    // Wherever it is named, and if another datagram is named at the other point.
    for named in [&names[..1], &names[1..], &[(0, 4), (1, 4)]] {
        let sample = comparison(2).ahead(1, 0.5).naming(named);
        let excerpt = sample.gathered(&[at_a.clone(), at_b.clone()], LIMIT);
        let mut expected = vec![(0, 2), (0, 4), (0, 5), (1, 1), (1, 2)];
        if named.contains(&(1, 4)) {
            expected.extend([(0, 3), (0, 6), (0, 7), (1, 3), (1, 4), (1, 5)]);
        }
        let mut found = origins(&excerpt);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{named:?}");
        let missing = "fragment 2 of 3 missing before this one; datagram 0x0007 is not whole at B";
        assert!(comment(&excerpt, (1, 2)).contains(missing));
    }
}

#[test]
fn identifications_that_come_back_are_other_datagrams() {
    let sample = comparison(2).naming(&[(0, 1)]);
    let mut at_b = three(7).to_vec();
    at_b.extend((0..2_000).map(|id| whole(id, 10)));
    at_b.extend(three(7));
    let excerpt = sample.gathered(&[three(7).to_vec(), at_b], LIMIT);
    let at_b = origins(&excerpt)
        .into_iter()
        .filter(|(point, _)| *point == 1);
    assert_eq!(at_b.collect::<Vec<_>>(), [(1, 1), (1, 2), (1, 3)]);
}

#[test]
fn without_a_clock_nothing_is_looked_for_elsewhere() {
    let mut sample = comparison(2).naming(&[(0, 1)]);
    sample.document.points[1].clock = Clock::default();
    let excerpt = sample.gathered(&[three(7).to_vec(), three(7).to_vec()], LIMIT);
    assert_eq!(origins(&excerpt), [(0, 1), (0, 2), (0, 3)]);
}

#[test]
fn each_point_is_an_interface() {
    let (mut sample, captures) = lossy();
    sample.document.points[1].file.path = "b\u{202e}.pcap".to_owned();
    sample.document.points[1].dropped_frames = Some(3);
    let excerpt = sample.gathered(&captures, LIMIT);
    let kept = &excerpt.kept;
    let names = kept.interfaces.iter();
    let names: Vec<(&str, &str)> = names
        .map(|facts| (facts.name.as_str(), facts.description.as_str()))
        .collect();
    assert_eq!(names, [("A", "a.pcap"), ("B", "b\\u{202e}.pcap")]);
    assert!(kept.interfaces.iter().all(|facts| facts.snaplen == 2_000));
    assert_eq!(kept.statistics[0], None);
    let lost = kept.statistics[1].unwrap();
    assert_eq!((lost.received, lost.dropped), (103, 3));
    let comments = excerpt.comments.join("\n");
    assert!(
        !comments
            .replace('\n', "")
            .contains(crate::model::escape::is_active)
    );
    for told in [
        "2 captures of one path, each an interface",
        "the order of the clock of A.",
        "A is a.pcap: its clock is the one that others are seen from.",
        "B is b\\u{202e}.pcap: its clock is 0.500000000 s ahead of that of A, if the fastest",
        "C01 warning: Something is lost. 3 of 4 are gone\\u{1b}[2J",
    ] {
        assert!(comments.contains(told), "{told}: {comments}");
    }
}

#[test]
fn points_without_frames_are_interfaces_too() {
    let excerpt = comparison(3).gathered(&[vec![], vec![], vec![]], LIMIT);
    assert_eq!(excerpt.kept.interfaces.len(), 3);
    assert!(excerpt.kept.frames.is_empty());
    written(&excerpt);
}

#[test]
fn datagrams_leave_as_a_whole_and_that_is_said() {
    let (sample, captures) = lossy();
    let sample = sample.naming(&[(0, 7), (1, 5)]);
    let all = sample.gathered(&captures, LIMIT);
    assert_eq!(all.kept.frames.len(), 3 + 2 + 3 + 3);
    // A number's width of comments more or less does not change what fits.
    let needed = written(&all).len() as u64;
    for limit in (0..needed + 4_000).step_by(100) {
        let excerpt = sample.gathered(&captures, limit);
        let (frames, file) = (origins(&excerpt), written(&excerpt));
        assert!(
            file.len() as u64 <= limit || frames.is_empty(),
            "{} bytes of {limit}",
            file.len()
        );
        let second = [(0, 3), (0, 6), (1, 3), (1, 4)];
        let there = second.iter().filter(|origin| frames.contains(origin));
        assert!([0, 4].contains(&there.count()), "{limit}: {frames:?}");
        let is_said = excerpt
            .comments
            .iter()
            .any(|told| told.contains("need not have been lost"));
        assert_eq!(is_said, frames.len() < 11, "{limit}");
        assert_eq!(excerpt.left_out as usize + frames.len(), 11);
        // Whatever is left, what is missing was lost on the way.
        for frame in &excerpt.kept.frames {
            let told = frame.comment.as_ref().unwrap();
            assert!(
                !told.contains("missing") || told.contains("datagram 0x0007 is not whole at B")
            );
        }
    }
    assert_eq!(sample.gathered(&captures, 0).not_shown, ["C01", "C02"]);
}

#[test]
fn damage_is_shown_before_and_behind() {
    let mut sample = comparison(2);
    let damage = |from_frame, to_frame| Damage {
        from_frame,
        to_frame,
        bytes_differing: Some(2),
        bits_differing: Some(3),
        first_offset: Some(1_000),
        was: "0a0b".to_owned(),
        is: "ff0f".to_owned(),
        kind: DamageKind::Bits,
    };
    let way = |direction, damage| OneWay {
        direction,
        segments: vec![Segment {
            from: 0,
            to: 1,
            damage: vec![damage],
            ..Segment::default()
        }],
        path: Segment::default(),
    };
    sample.document.directions = vec![
        way(Direction::Forward, damage(1, 2)),
        // At B first.
        way(Direction::Backward, damage(3, 4)),
    ];
    let frames: Vec<Vec<u8>> = (0..4).map(|id| whole(id, 100)).collect();
    let excerpt = sample.gathered(&[frames.clone(), frames.clone()], LIMIT);
    assert_eq!(origins(&excerpt), [(0, 1), (1, 2), (1, 3), (0, 4)]);
    let begins = |origin, begin: &str| {
        let told = comment(&excerpt, origin);
        assert!(told.starts_with(begin), "{told}");
        assert!(told.contains("0a0b became ff0f"), "{told}");
    };
    begins((0, 1), "changed on the way to B (frame 2 there): 2 bytes");
    begins((1, 2), "changed on the way from A (frame 1 there): 2 bytes");
    begins((1, 3), "changed on the way to A (frame 4 there): 2 bytes");
    begins((0, 4), "changed on the way from B (frame 3 there): 2 bytes");
    // All of it went forward.
    sample.document.directions.clear();
    sample.document.segments[0].damage = vec![damage(1, 2)];
    let excerpt = sample.gathered(&[frames.clone(), frames], LIMIT);
    assert_eq!(origins(&excerpt), [(0, 1), (1, 2)]);
}

#[test]
fn reading_ends_where_nothing_more_is_wanted() {
    let frames: Vec<Vec<u8>> = (0..2_000).map(|id| whole(id, 1_000)).collect();
    let sample = comparison(1).naming(&[(0, 3)]);
    let mut gathering = Gathering::new(&sample.document, reading(LIMIT));
    let mut source = memory(sample.capture(0, &frames));
    let furthest = std::cell::Cell::new(0);
    let flow = |progress: crate::pipeline::Progress| {
        furthest.set(progress.frames);
        ControlFlow::Continue(())
    };
    gathering.read(0, &mut source, &flow).unwrap();
    assert!(furthest.get() < 10, "{}", furthest.get());
    assert_eq!(origins(&gathering.finish()), [(0, 3)]);
}

#[test]
fn fragments_that_come_late_are_waited_for() {
    let mut frames: Vec<Vec<u8>> = (100..1_000).map(|id| whole(id, 1_000)).collect();
    let [a, b, c] = three(7);
    frames.splice(0..0, [a, b]);
    frames.push(c);
    let excerpt = comparison(1).naming(&[(0, 1)]).gathered(&[frames], LIMIT);
    assert_eq!(origins(&excerpt), [(0, 1), (0, 2), (0, 903)]);
}

#[test]
fn what_is_not_what_was_named_is_refused() {
    let frames: Vec<Vec<u8>> = (0..5).map(|id| whole(id, 100)).collect();
    let sample = comparison(1).naming(&[(0, 4)]);
    let capture = sample.capture(0, &frames);
    let go_on = |_| ControlFlow::Continue(());
    let read = |sample: &Sample, capture: Vec<u8>| {
        let mut gathering = Gathering::new(&sample.document, reading(LIMIT));
        gathering.read(0, &mut memory(capture), &go_on)
    };
    let refused = Err(Changed("a.pcap".to_owned()));
    assert_eq!(read(&sample, capture.clone()), Ok(()));
    let shorter = sample.capture(0, &frames[..3]);
    assert_eq!(read(&sample, shorter), refused);
    let later = comparison(1).ahead(0, 1.0).capture(0, &frames);
    assert_eq!(read(&sample, later), refused);
    // What is not read to its end is no other for that.
    let mut gathering = Gathering::new(&sample.document, reading(LIMIT));
    let stop = |_| ControlFlow::Break(());
    assert_eq!(gathering.read(0, &mut memory(capture), &stop), Ok(()));
}

#[test]
fn frames_and_points_that_are_not_there_are_passed_over() {
    let sample = comparison(1).naming(&[(0, 0)]);
    let mut sample = sample.naming(&[(0, 1)]);
    sample.document.findings[0].evidence[0].point = 9;
    let excerpt = sample.gathered(&[vec![whole(1, 10)]], LIMIT);
    assert_eq!(origins(&excerpt), [(0, 1)]);
    assert_eq!(
        (excerpt.shown, excerpt.not_shown),
        (vec!["C02".to_owned()], vec!["C01".to_owned()])
    );
}

#[test]
fn what_a_filter_took_away_is_not_missing() {
    let (mut sample, captures) = lossy();
    sample.document.options.filter = Some("udp port 1".to_owned());
    let filter = FilterSet::new("not ether[20:2] & 0x1fff = 100").unwrap();
    let reading = Reading {
        filter: Some(filter),
        ..reading(LIMIT)
    };
    let mut gathering = Gathering::new(&sample.document, reading);
    let mut source = memory(sample.capture(0, &captures[0]));
    let go_on = |_| ControlFlow::Continue(());
    gathering.read(0, &mut source, &go_on).unwrap();
    let excerpt = gathering.finish();
    assert_eq!(origins(&excerpt), [(0, 2), (0, 5)]);
    assert!(!comment(&excerpt, (0, 5)).contains("missing"));
}

#[test]
fn wireshark_shows_the_points() {
    let (mut sample, captures) = lossy();
    sample.document.points[1].dropped_frames = Some(3);
    let file = written(&sample.gathered(&captures, LIMIT));
    let fields = [
        "frame.interface_name",
        "frame.interface_description",
        "frame.time_epoch",
        "frame.comment",
    ];
    let fields = fields.iter().flat_map(|field| ["-e", field]);
    let arguments: Vec<&str> = ["-n", "-T", "fields"]
        .into_iter()
        .chain(fields)
        .chain(["-r"])
        .collect();
    if let Some(text) = told_by("tshark", &arguments, &file) {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(
            lines[0].starts_with("B\tb.pcap\t1767323045.501000000\tdatagram 0x0007"),
            "{text}"
        );
        assert!(
            lines[4].starts_with("A\ta.pcap\t1767323045.005000000\tC01: frame 5"),
            "{text}"
        );
    }
    if let Some(text) = told_by("capinfos", &[], &file) {
        assert!(
            text.contains("Name = A") && text.contains("Name = B"),
            "{text}"
        );
        assert!(text.contains("Description = b.pcap"), "{text}");
        assert!(text.contains("Number of interfaces in file: 2"), "{text}");
        assert!(text.contains("0.500000000 s ahead of"), "{text}");
    }
}
