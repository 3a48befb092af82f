//! What is written is read back by our own source, and by others where they are installed.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::pcapng::*;
use crate::model::{Frame, FrameId, LinkType, Timestamp};
use crate::source::{Block, FileFacts, Memory, Source, SourceOptions};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::process::Command;

const NANOS: i64 = 1_767_323_045_123_456_789;

fn interface(name: &str, link_type: LinkType) -> InterfaceFacts {
    InterfaceFacts {
        name: name.to_owned(),
        description: format!("{name} to the rack"),
        link_type,
        snaplen: 262_144,
    }
}

fn frame(file: u32, number: u64, link_type: LinkType, data: &[u8]) -> Frame<'_> {
    Frame {
        id: FrameId { file, number },
        timestamp: Timestamp(NANOS + number as i64),
        wire_bytes: data.len() as u32 + 7,
        link_type,
        interface: 0,
        data,
    }
}

/// Time, length on the wire, link type and data of a frame.
type Read = (i64, u32, u32, Vec<u8>);

/// The frames, and what the file says of itself.
fn read(file: Vec<u8>) -> (Vec<Read>, FileFacts) {
    let mut source = Memory::new(file, &SourceOptions::default());
    let (mut block, mut frames) = (Block::default(), Vec::new());
    while source.fill(&mut block) {
        frames.extend(block.frames().map(|frame| {
            let data = frame.data.to_vec();
            (frame.timestamp.0, frame.wire_bytes, frame.link_type.0, data)
        }));
    }
    let facts = source.files().remove(0);
    assert_eq!(facts.problems, []);
    (frames, facts)
}

fn section(comments: &[String]) -> Section<'_> {
    Section {
        comments,
        room_bytes: 0,
    }
}

/// Text of the options of that code in every block of that type.
fn options(file: &[u8], kind: u32, wanted: u16) -> Vec<String> {
    let u32_at = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    let u16_at = |at: usize| u16::from_be_bytes(file[at..at + 2].try_into().unwrap());
    let (mut at, mut found) = (0, Vec::new());
    while at < file.len() {
        let length = u32_at(at + 4) as usize;
        assert_eq!(u32_at(at + length - 4) as usize, length, "at {at}");
        let mut option = at
            + match kind {
                0x0a0d_0d0a => 24,
                1 => 16,
                6 => 28 + (u32_at(at + 20) as usize).next_multiple_of(4),
                other => panic!("{other}"),
            };
        while u32_at(at) == kind && option < at + length - 4 && u16_at(option) != 0 {
            let bytes = usize::from(u16_at(option + 2));
            if u16_at(option) == wanted {
                let text = file[option + 4..option + 4 + bytes].to_vec();
                found.push(String::from_utf8(text).unwrap());
            }
            option += 4 + bytes.next_multiple_of(4);
        }
        at += length;
    }
    found
}

const SECTION: u32 = 0x0a0d_0d0a;
const PACKET: u32 = 6;
const COMMENT: u16 = 1;

#[test]
fn frames_come_back_as_they_were() {
    let interfaces = [
        interface("eth0", LinkType::ETHERNET),
        interface("any", LinkType::LINUX_SLL2),
    ];
    let comments = ["first".to_owned(), "second\nline".to_owned()];
    let mut writer = PcapngWriter::new(Vec::new(), section(&comments), &interfaces).unwrap();
    let data = [1, 2, 3, 4, 5];
    let first = frame(0, 1, LinkType::ETHERNET, &data);
    let second = frame(1, 2, LinkType::LINUX_SLL2, &[]);
    writer.frame(&first, Some("D09: look here")).unwrap();
    writer.frame(&second, None).unwrap();
    let counts = Statistics {
        from: Timestamp(NANOS),
        until: Timestamp(NANOS + 9),
        received: 5,
        interface_dropped: 1,
        dropped: 2,
    };
    writer.statistics(0, &counts).unwrap();
    writer.statistics(1, &Statistics::default()).unwrap();
    let bytes = writer.bytes();
    let file = writer.finish().unwrap();
    assert_eq!(bytes, file.len() as u64);
    assert_eq!(options(&file, SECTION, COMMENT), comments);
    assert_eq!(options(&file, PACKET, COMMENT), ["D09: look here"]);
    assert_eq!(options(&file, 1, 2), ["eth0", "any"]);
    assert_eq!(
        options(&file, 1, 3),
        ["eth0 to the rack", "any to the rack"]
    );

    let (frames, facts) = read(file);
    let expected = [
        (NANOS + 1, 12, 1, data.to_vec()),
        (NANOS + 2, 7, 276, Vec::new()),
    ];
    assert_eq!(frames, expected);
    assert_eq!(facts.link_types, [LinkType::ETHERNET, LinkType::LINUX_SLL2]);
    assert_eq!(facts.dropped_frames, Some(3));
    assert_eq!(facts.interfaces, interfaces);
}

#[test]
fn comments_that_come_later_take_the_room_left_for_them() {
    let room = Section {
        comments: &["begun".to_owned()],
        room_bytes: MAX_ROOM_BYTES,
    };
    let interfaces = [interface("eth0", LinkType::ETHERNET)];
    let mut writer = PcapngWriter::new(Cursor::new(Vec::new()), room, &interfaces).unwrap();
    let frame = frame(0, 1, LinkType::ETHERNET, b"data");
    writer.frame(&frame, None).unwrap();
    let many: Vec<String> = (0..100)
        .map(|n| format!("{n} {}", "x".repeat(5000)))
        .collect();
    for comments in [&many[..], &many[..3], &[]] {
        writer.rewrite_section(comments).unwrap();
        writer.frame(&frame, None).unwrap();
    }
    writer.rewrite_section(&many).unwrap();
    let file = writer.finish().unwrap().into_inner();
    let told = options(&file, SECTION, COMMENT);
    assert_eq!(told.len(), MAX_ROOM_BYTES / (MAX_COMMENT_BYTES + 4));
    assert!(told.iter().all(|text| text.len() == MAX_COMMENT_BYTES));
    assert_eq!(read(file).0.len(), 4);
}

#[test]
fn a_comment_is_cut_between_characters() {
    let text = "\u{20ac}".repeat(1000);
    let mut writer = PcapngWriter::new(Vec::new(), section(&[text]), &[]).unwrap();
    let frame = frame(0, 1, LinkType::ETHERNET, b"data");
    writer
        .frame(&frame, Some(&"\u{1f980}".repeat(40_000)))
        .unwrap();
    let file = writer.finish().unwrap();
    assert_eq!(options(&file, SECTION, COMMENT), ["\u{20ac}".repeat(682)]);
    assert_eq!(options(&file, PACKET, COMMENT), ["\u{1f980}".repeat(512)]);
}

#[test]
fn an_interface_that_came_back_as_another_is_described_again() {
    let interfaces = [interface("tun0", LinkType::RAW)];
    let mut writer = PcapngWriter::new(Vec::new(), section(&[]), &interfaces).unwrap();
    let link_types = [
        LinkType::RAW,
        LinkType::ETHERNET,
        LinkType::RAW,
        LinkType::ETHERNET,
    ];
    for (number, link_type) in (1..).zip(link_types) {
        writer
            .frame(&frame(0, number, link_type, b"data"), None)
            .unwrap();
    }
    // One that nobody announced, and one the format has no room for.
    let ethernet = LinkType::ETHERNET;
    writer.frame(&frame(9, 5, ethernet, b"data"), None).unwrap();
    let impossible = frame(0, 6, LinkType(70_000), b"data");
    assert!(writer.frame(&impossible, None).is_err());
    let file = writer.finish().unwrap();
    assert_eq!(options(&file, 1, 2), ["tun0", "tun0"]);
    let seen: Vec<u32> = read(file).0.iter().map(|frame| frame.2).collect();
    assert_eq!(seen, [101, 1, 101, 1, 1]);
}

#[test]
fn times_before_1970_become_1970() {
    let mut writer = PcapngWriter::new(Vec::new(), section(&[]), &[]).unwrap();
    for time in [Timestamp::MIN, Timestamp(-1), Timestamp(0), Timestamp::MAX] {
        let mut frame = frame(0, 1, LinkType::ETHERNET, b"");
        frame.timestamp = time;
        writer.frame(&frame, None).unwrap();
    }
    let times = read(writer.finish().unwrap()).0;
    let times: Vec<i64> = times.iter().map(|frame| frame.0).collect();
    assert_eq!(times, [0, 0, 0, i64::MAX]);
}

#[test]
fn an_error_of_the_output_is_kept_as_it_is() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = PcapngWriter::new(Full, section(&[]), &[]).err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

/// What a program says of a file; `None` where it is not installed.
pub(super) fn told_by(program: &str, arguments: &[&str], file: &[u8]) -> Option<String> {
    let mut path = tempfile::NamedTempFile::new().unwrap();
    path.write_all(file).unwrap();
    let output = Command::new(program)
        .args(arguments)
        .arg(path.path())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: {program} is not installed");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    Some(text)
}

#[test]
fn others_read_it_too() {
    let interfaces = [interface("eth0", LinkType::ETHERNET)];
    let comments = ["because of D09".to_owned()];
    let with_room = Section {
        comments: &comments,
        room_bytes: 1000,
    };
    let mut writer = PcapngWriter::new(Vec::new(), with_room, &interfaces).unwrap();
    let arp = [&[0xff; 6][..], &[2; 6], &[8, 6], &[0; 28]].concat();
    for number in 1..=3 {
        let frame = frame(0, number, LinkType::ETHERNET, &arp);
        writer.frame(&frame, Some("a frame")).unwrap();
    }
    writer
        .statistics(
            0,
            &Statistics {
                dropped: 4,
                ..Statistics::default()
            },
        )
        .unwrap();
    let file = writer.finish().unwrap();
    if let Some(text) = told_by("tcpdump", &["--nano", "-tt", "-nr"], &file) {
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("1767323045.123456790"), "{text}");
    }
    if let Some(text) = told_by("capinfos", &[], &file) {
        assert!(text.contains("because of D09"), "{text}");
        assert!(text.contains("nanoseconds (9)"), "{text}");
        assert!(text.contains("Name = eth0"), "{text}");
        assert!(text.contains("Number of packets = 3"), "{text}");
    }
}

proptest! {
    #[test]
    fn anything_can_be_written_and_read(
        frames in prop::collection::vec(
            (0_u32..3, 0_u32..300, 0_i64..i64::MAX, prop::collection::vec(any::<u8>(), 0..200), any::<Option<String>>()),
            0..20,
        ),
        name in any::<String>(),
    ) {
        let interfaces = [interface(&name, LinkType(1)), interface("", LinkType(0))];
        let mut writer = PcapngWriter::new(Vec::new(), section(std::slice::from_ref(&name)), &interfaces).unwrap();
        for (file, link_type, time, data, comment) in &frames {
            let frame = Frame {
                timestamp: Timestamp(*time),
                ..frame(*file, 1, LinkType(*link_type), data)
            };
            writer.frame(&frame, comment.as_deref()).unwrap();
        }
        let file = writer.finish().unwrap();
        let expected: Vec<_> = frames
            .into_iter()
            .map(|(_, link, time, data, _)| (time, data.len() as u32 + 7, link, data))
            .collect();
        prop_assert_eq!(read(file).0, expected);
    }
}
