//! Classic captures of every variant.

use super::*;

/// Two frames as a little-endian tcpdump writes them; the second cut by the snaplen.
const LITTLE: &str = "
    d4c3b2a1 0200 0400 00000000 00000000 04000000 01000000
    00f15365 40420f00 02000000 02000000 aabb
    01f15365 01000000 04000000 ea050000 01020304";

#[test]
fn microseconds_little_endian() {
    let (frames, facts) = read_capture(&hex(LITTLE));
    assert_eq!(
        frames,
        [
            Seen {
                file: 0,
                number: 1,
                nanos: 1_700_000_001_000_000_000,
                wire_bytes: 2,
                link_type: 1,
                data: vec![0xaa, 0xbb],
            },
            Seen {
                file: 0,
                number: 2,
                nanos: 1_700_000_001_000_001_000,
                wire_bytes: 1514,
                link_type: 1,
                data: vec![1, 2, 3, 4],
            },
        ]
    );
    assert_eq!(facts.format, Some("pcap"));
    assert_eq!(facts.snaplen, Some(4));
    assert_eq!(facts.bytes, 62);
    assert_eq!(facts.dropped_frames, None);
    assert_eq!(facts.problems, []);
}

#[test]
fn every_prefix() {
    check_prefixes(&hex(LITTLE));
}

/// One frame of two bytes, in the format a magic number and a layout name.
fn one_frame(header: &str, record: &str) -> (Vec<Seen>, FileFacts) {
    let capture = hex(&format!("{header} {record} aabb"));
    check_prefixes(&capture);
    read_capture(&capture)
}

fn expect_frame(capture: (Vec<Seen>, FileFacts), format: &str, nanos: i64) {
    let (frames, facts) = capture;
    assert_eq!(facts.format, Some(format));
    assert_eq!(facts.problems, []);
    let expected = Seen {
        file: 0,
        number: 1,
        nanos,
        wire_bytes: 5,
        link_type: 1,
        data: vec![0xaa, 0xbb],
    };
    assert_eq!(frames, [expected]);
}

#[test]
fn microseconds_big_endian() {
    let capture = one_frame(
        "a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000001",
        "6553f100 00000001 00000002 00000005",
    );
    expect_frame(capture, "pcap", 1_700_000_000_000_001_000);
}

#[test]
fn nanoseconds_of_either_order() {
    let capture = one_frame(
        "4d3cb2a1 0200 0400 00000000 00000000 ffff0000 01000000",
        "00f15365 01000000 02000000 05000000",
    );
    expect_frame(capture, "pcap-ns", 1_700_000_000_000_000_001);
    let capture = one_frame(
        "a1b23c4d 0002 0004 00000000 00000000 0000ffff 00000001",
        "6553f100 3b9ac9ff 00000002 00000005",
    );
    expect_frame(capture, "pcap-ns", 1_700_000_000_999_999_999);
}

#[test]
fn modified_of_either_order() {
    let capture = one_frame(
        "34cdb2a1 0200 0400 00000000 00000000 ffff0000 01000000",
        "00f15365 01000000 02000000 05000000 02000000 0800 04 00",
    );
    expect_frame(capture, "pcap-modified", 1_700_000_000_000_001_000);
    let capture = one_frame(
        "a1b2cd34 0002 0004 00000000 00000000 0000ffff 00000001",
        "6553f100 00000001 00000002 00000005 00000002 0800 04 00",
    );
    expect_frame(capture, "pcap-modified", 1_700_000_000_000_001_000);
}

#[test]
fn ixia_has_four_more_bytes_before_the_records() {
    let capture = one_frame(
        "ac01001c 0200 0400 00000000 00000000 ffff0000 01000000 12000000",
        "00f15365 01000000 02000000 05000000",
    );
    expect_frame(capture, "pcap-ixia", 1_700_000_000_000_000_001);
    let capture = one_frame(
        "1c0001ab 0002 0004 00000000 00000000 0000ffff 00000001 00000012",
        "6553f100 00000001 00000002 00000005",
    );
    expect_frame(capture, "pcap-ixia", 1_700_000_000_000_001_000);
}

#[test]
fn old_versions_have_the_lengths_in_the_other_order() {
    for (minor, lengths) in [
        ("02", "05000000 02000000"),
        ("03", "05000000 02000000"),
        ("03", "02000000 05000000"),
    ] {
        let capture = one_frame(
            &format!("d4c3b2a1 0200 {minor}00 00000000 00000000 ffff0000 01000000"),
            &format!("00f15365 01000000 {lengths}"),
        );
        expect_frame(capture, "pcap", 1_700_000_000_000_001_000);
    }
}

#[test]
fn other_versions_are_refused() {
    let header = "d4c3b2a1 0100 0400 00000000 00000000 ffff0000 01000000";
    let (frames, facts) = one_frame(header, "00f15365 01000000 02000000 05000000");
    assert_eq!(frames, []);
    let refused = Problem::new(
        Severity::Unreadable,
        "pcap version 1.4, expected 2.4 or earlier versions of 2",
    );
    assert_eq!(facts.problems, [refused]);
}

#[test]
fn frame_check_sequence_is_no_part_of_the_frame() {
    // Bit 26 set, two 16-bit words; class bits besides.
    let header = "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01002424";
    let record = "00f15365 01000000 06000000 06000000 a1a2f1f2 f3f4";
    let capture = hex(&format!("{header} {record}"));
    let (frames, facts) = read_capture(&capture);
    assert_eq!(facts.link_types, [crate::model::LinkType::ETHERNET]);
    assert_eq!(frames[0].wire_bytes, 2);
    assert_eq!(frames[0].data, [0xa1, 0xa2]);
}

#[test]
fn wire_length_below_the_captured_is_raised() {
    let header = "d4c3b2a1 0200 0400 00000000 00000000 00000000 01000000";
    let (frames, facts) = one_frame(header, "00f15365 01000000 02000000 01000000");
    assert_eq!(frames[0].wire_bytes, 2);
    assert_eq!(facts.snaplen, None);
}

#[test]
fn an_absurd_length_is_damage_and_ends_the_file() {
    let capture = [
        hex(LITTLE),
        hex("02f15365 00000000 55555555 55555555"),
        vec![0; 64],
    ]
    .concat();
    let (frames, facts) = read_capture(&capture);
    assert_eq!(frames.len(), 2);
    assert_eq!(
        facts.problems,
        [Problem::new(
            Severity::Damaged,
            "damaged at offset 62 (frame 3): a record claims 1431655765 captured bytes, \
             the most this capture may hold is 262144"
        )]
    );
}

#[test]
fn a_length_that_may_be_true_takes_no_memory_before_its_bytes_come() {
    let header = hex("d4c3b2a1 0200 0400 00000000 00000000 ffffffff 01000000");
    let record = hex("00f15365 01000000 00000001 00000001");
    let capture = [header, record, vec![0; 100]].concat();
    let mut source = Memory::new(capture, &blocks_of(64));
    let mut block = Block::default();
    assert!(!source.fill(&mut block));
    assert!(block.buffer.capacity() < 1 << 20);
    let problem = &source.files()[0].problems[0];
    assert_eq!(problem.severity, Severity::CutOff);
    assert_eq!(
        problem.text,
        "cut off at offset 24 (frame 1): 116 bytes are left, the next record takes 16777232"
    );
}

#[test]
fn a_record_longer_than_a_block_makes_it_longer() {
    let header = hex("d4c3b2a1 0200 0400 00000000 00000000 00000800 01000000");
    let mut capture = header;
    for size in [10_u32, 300_000, 20] {
        capture.extend(hex("00f15365 01000000"));
        capture.extend(size.to_le_bytes());
        capture.extend(size.to_le_bytes());
        capture.extend(vec![size as u8; size as usize]);
    }
    let (frames, facts) = read_capture(&capture);
    assert_eq!(facts.problems, []);
    let sizes: Vec<usize> = frames.iter().map(|frame| frame.data.len()).collect();
    assert_eq!(sizes, [10, 300_000, 20]);
}

/// What is copied to the next block takes longer than to read the rest of a record here.
#[test]
fn a_block_ends_where_a_large_record_does_of_which_most_is_there() {
    const BLOCK: usize = 1 << 18;
    let frames_by_block = |bytes: usize, behind: usize| {
        let mut capture = hex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000");
        for bytes in [BLOCK - bytes, bytes + behind, 100] {
            for word in [0, 0, bytes as u32, bytes as u32] {
                capture.extend(word.to_le_bytes());
            }
            capture.resize(capture.len() + bytes, 0);
        }
        let mut source = Memory::new(capture, &blocks_of(BLOCK));
        let mut block = Block::default();
        let blocks = std::iter::from_fn(|| source.fill(&mut block).then(|| block.frame_count()));
        blocks.collect::<Vec<u64>>()
    };
    // Behind two headers of records and that of the file.
    let headers = 24 + 2 * 16;
    let cut_at = |left: usize, behind: usize| frames_by_block(left + headers - 16, behind);
    assert_eq!(cut_at(40_000, 30_000), [2, 1], "most of it is there");
    assert_eq!(cut_at(30_000, 40_000), [1, 2]);
    assert_eq!(cut_at(10_000, 5_000), [1, 2], "little is copied");
}
