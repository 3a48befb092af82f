//! pcapng of every kind of block, in both byte orders.

use super::*;
use crate::model::Timestamp;

/// Little-endian section, Ethernet with microseconds.
const SECTION: &str = "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000";
const ETHERNET: &str = "01000000 14000000 0100 0000 00000400 14000000";
/// A frame of 3 of 60 bytes at 1,700,000,000.000001 s.
const ENHANCED: &str = "
    06000000 24000000 00000000 240a0600 0140a218 03000000 3c000000 aabbcc00 24000000";

/// The same in the other byte order, as raw IP in units of 2^-10 s from 2020 on.
const BIG: &str = "
    0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c
    00000001 0000002c 0065 0000 00000060 0009 0001 8a000000 000e 0008 000000005e0be100
        00000000 0000002c
    00000006 00000020 00000000 00000000 00000600 00000000 00000007 00000020";

fn nanos(frames: &[Seen]) -> Vec<i64> {
    frames.iter().map(|frame| frame.nanos).collect()
}

#[test]
fn one_section_little_endian() {
    let capture = hex(&[SECTION, ETHERNET, ENHANCED].concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    assert_eq!(
        frames,
        [Seen {
            file: 0,
            number: 1,
            nanos: 0x0006_0a24_18a2_4001 * 1000,
            wire_bytes: 60,
            link_type: 1,
            data: vec![0xaa, 0xbb, 0xcc],
        }]
    );
    assert_eq!(facts.format, Some("pcapng"));
    assert_eq!(facts.snaplen, Some(262_144));
    assert_eq!(facts.dropped_frames, None);
    assert_eq!(facts.problems, []);
}

#[test]
fn sections_of_both_orders_and_interfaces_of_different_kinds() {
    let capture = hex(&[
        SECTION, ETHERNET, ENHANCED, BIG, SECTION, ETHERNET, ENHANCED,
    ]
    .concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    let links: Vec<u32> = frames.iter().map(|frame| frame.link_type).collect();
    assert_eq!(links, [1, 101, 1]);
    assert_eq!(frames[1].nanos, 1_577_836_801_500_000_000);
    assert_eq!(facts.link_types.len(), 2);
    assert_eq!(facts.problems, []);
}

#[test]
fn an_interface_described_after_frames_is_known_to_the_next() {
    let raw = "01000000 14000000 6500 0000 60000000 14000000";
    let second = "06000000 20000000 01000000 00000000 01000000 00000000 09000000 20000000";
    let capture = hex(&[SECTION, ETHERNET, ENHANCED, raw, second, ENHANCED].concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    let links: Vec<u32> = frames.iter().map(|frame| frame.link_type).collect();
    assert_eq!(links, [1, 101, 1]);
    assert_eq!(frames[1].nanos, 1000);
    assert_eq!(facts.problems, []);
}

#[test]
fn simple_packets_keep_the_snaplen_of_the_first_interface_and_the_time_before() {
    let short = "01000000 14000000 0100 0000 03000000 14000000";
    let simple = "03000000 14000000 09000000 a1a2a300 14000000";
    let whole = "03000000 14000000 02000000 b1b20000 14000000";
    let capture = hex(&[SECTION, short, simple, ENHANCED, simple, whole].concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    let time = 0x0006_0a24_18a2_4001 * 1000;
    assert_eq!(nanos(&frames), [0, time, time, time]);
    assert_eq!(frames[0].data, [0xa1, 0xa2, 0xa3]);
    assert_eq!(frames[0].wire_bytes, 9);
    assert_eq!(frames[3].data, [0xb1, 0xb2]);
    assert_eq!(frames[3].wire_bytes, 2);
    assert_eq!(facts.problems, []);
}

#[test]
fn obsolete_packets_state_drops() {
    let obsolete = |drops: &str| {
        format!(
            "02000000 24000000 0000 {drops} 240a0600 0140a218 03000000 3c000000 aabbcc00 24000000"
        )
    };
    let capture = [
        SECTION,
        ETHERNET,
        &obsolete("0500"),
        &obsolete("ffff"),
        &obsolete("0200"),
    ];
    let capture = hex(&capture.concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[0].data, [0xaa, 0xbb, 0xcc]);
    assert_eq!(facts.dropped_frames, Some(7));
}

#[test]
fn drops_are_the_last_statistics_of_each_interface() {
    let statistics = |interface: &str, options: &str, length: &str| {
        format!("05000000 {length} {interface} 00000000 00000000 {options} {length}")
    };
    let early = statistics("00000000", "0500 0800 0100000000000000", "24000000");
    let late = statistics(
        "00000000",
        "0500 0800 0300000000000000 0700 0800 0400000000000000 00000000",
        "34000000",
    );
    let unknown = statistics("01000000", "0500 0800 ffffffffffffffff", "24000000");
    let second_section = statistics("00000000", "0700 0800 0a00000000000000", "24000000");
    let one = [
        SECTION, ETHERNET, ETHERNET, ENHANCED, &early, &late, &unknown,
    ]
    .concat();
    let (_, facts) = read_capture(&hex(&one));
    assert_eq!(facts.dropped_frames, Some(7));
    let two = [&one, SECTION, ETHERNET, ENHANCED, &second_section].concat();
    check_prefixes(&hex(&two));
    let (_, facts) = read_capture(&hex(&two));
    assert_eq!(facts.dropped_frames, Some(17));
}

#[test]
fn statistics_say_from_when_to_when_was_captured() {
    // One microsecond apart.
    let begin = "0200 0800 240a0600 0140a218";
    let end = "0300 0800 240a0600 0240a218";
    let statistics =
        |options: &str| format!("05000000 30000000 00000000 00000000 00000000 {options} 30000000");
    let both = statistics(&format!("{begin} {end}"));
    let in_nanoseconds =
        "01000000 20000000 0100 0000 00000000 0900 0100 09000000 00000000 20000000";
    let at = |ticks: i64| Some(Timestamp((0x60a24_i64 << 32 | ticks) * 1_000));
    let span = [at(0x18a2_4001), at(0x18a2_4002)];
    // dumpcap counts microseconds, whatever ticks packets have.
    for interface in [ETHERNET, in_nanoseconds] {
        let (_, facts) = read_capture(&hex(&[SECTION, interface, &both].concat()));
        assert_eq!(facts.captured, span);
    }
    let (_, facts) = read_capture(&hex(&[SECTION, ETHERNET, ENHANCED].concat()));
    assert_eq!(facts.captured, [None; 2]);
    // Of several, the first and the last.
    let later = both
        .replace("0240a218", "0940a218")
        .replace("0140a218", "0340a218");
    let (_, facts) = read_capture(&hex(&[SECTION, ETHERNET, &later, &both].concat()));
    assert_eq!(facts.captured, [at(0x18a2_4001), at(0x18a2_4009)]);
}

#[test]
fn packets_state_drops_and_frame_check_sequences() {
    let dropcount = "
        06000000 38000000 00000000 240a0600 0140a218 03000000 3c000000 aabbcc00
        0400 0800 0900000000000000 0000 0000 00000000 38000000";
    // Flags with 2 bytes of frame check sequence.
    let flags = "
        06000000 2c000000 00000000 240a0600 0140a218 04000000 04000000 aabbccdd
        0200 0400 41000000 2c000000";
    let with_fcs = "01000000 1c000000 0100 0000 00000000 0d00 0100 04000000 1c000000";
    let capture = hex(&[SECTION, ETHERNET, dropcount, flags].concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    assert_eq!(facts.dropped_frames, Some(9));
    assert_eq!(frames[0].data, [0xaa, 0xbb, 0xcc]);
    assert_eq!((frames[1].wire_bytes, frames[1].data.len()), (2, 2));
    let (frames, facts) = read_capture(&hex(&[SECTION, with_fcs, ENHANCED, flags].concat()));
    assert_eq!((frames[0].wire_bytes, frames[0].data.len()), (56, 3));
    assert_eq!((frames[1].wire_bytes, frames[1].data.len()), (2, 2));
    assert_eq!(facts.snaplen, None);
}

#[test]
fn other_blocks_are_passed_over() {
    let names = "04000000 10000000 00000000 10000000";
    let secrets = "0a000000 18000000 4b534c54 04000000 41424344 18000000";
    let custom = "ad0b0000 10000000 01020304 10000000";
    let unknown = "99000080 0c000000 0c000000";
    let capture = [
        SECTION, names, ETHERNET, secrets, ENHANCED, custom, unknown, ENHANCED,
    ];
    let capture = hex(&capture.concat());
    check_prefixes(&capture);
    let (frames, facts) = read_capture(&capture);
    assert_eq!(frames.len(), 2);
    assert_eq!(facts.problems, []);
}

#[test]
fn resolutions_however_absurd() {
    let with = |resolution: &str, offset: &str| {
        let interface = format!(
            "01000000 28000000 0100 0000 00000000 0900 0100 {resolution}000000 0e00 0800 {offset} 28000000"
        );
        let (frames, facts) = read_capture(&hex(&[SECTION, &interface, ENHANCED].concat()));
        assert_eq!(facts.problems, []);
        frames[0].nanos
    };
    let ticks: i64 = 0x0006_0a24_18a2_4001;
    let none = "0000000000000000";
    assert_eq!(with("06", none), ticks * 1000);
    assert_eq!(with("09", none), ticks);
    assert_eq!(with("0c", none), ticks / 1000);
    assert_eq!(with("1c", none), 0);
    assert_eq!(with("7f", none), 0);
    assert_eq!(with("ff", none), 0);
    assert_eq!(with("00", none), i64::MAX);
    assert_eq!(with("80", none), i64::MAX);
    assert_eq!(
        with("94", none),
        ((i128::from(ticks) * 1_000_000_000) >> 20) as i64
    );
    assert_eq!(with("09", "ffffffffffffffff"), ticks - 1_000_000_000);
    assert_eq!(with("09", "0000000000000080"), i64::MIN + ticks);
    assert_eq!(with("09", "ffffffffffffff7f"), i64::MAX);
}

#[test]
fn a_capture_filter_is_a_note() {
    // "port 53", behind the 0 that says libpcap, with a control character after it.
    let interface = "
        01000000 24000000 0100 0000 00000000 0b00 0900 00706f7274203533 1b000000 24000000";
    let (_, facts) = read_capture(&hex(&[SECTION, interface, ENHANCED].concat()));
    let note = Problem {
        severity: Severity::Note,
        text: "interface 0 was captured with the filter \"port 53\\u{1b}\"; it tests ports \
               (\"port\"), which fragments other than the first do not have"
            .to_owned(),
    };
    assert_eq!(facts.problems, [note]);
}

#[test]
fn damage_is_placed_and_ends_the_file() {
    let cases = [
        (
            "06000000 20000000 01000000 00000000 00000000 00000000 00000000 20000000",
            "a packet of interface 1, the section has described 1",
        ),
        (
            "06000000 20000000 00000000 00000000 00000000 04000000 04000000 20000000",
            "a packet claims 4 captured bytes in a block that has room for 0",
        ),
        (
            "99000000 10000000 00000000 14000000",
            "a block of type 0x00000099 has length 16 before and 20 behind it",
        ),
        (
            "00000000 00000000 00000000",
            "a block of type 0x00000000 claims a length of 0, expected 12 to 16777216",
        ),
        (
            "06000000 ffffffff 00000000",
            "a block of type 0x00000006 claims a length of 4294967295, expected 12 to 16777216",
        ),
        (
            "06000000 10000000 00000000 10000000",
            "a packet block of 16 bytes, the least is 32",
        ),
        (
            "03000000 0c000000 0c000000",
            "a simple packet block of 12 bytes, the least is 16",
        ),
        (
            "01000000 10000000 01000000 10000000",
            "an interface description of 16 bytes, the least is 20",
        ),
        (
            "0a0d0d0a 1c000000 01020304 0100 0000 ffffffffffffffff 1c000000",
            "a section header with byte-order magic 0x04030201, expected 0x1a2b3c4d in either order",
        ),
        (
            "0a0d0d0a 1c000000 4d3c2b1a 0200 0000 ffffffffffffffff 1c000000",
            "pcapng version 2.0, expected 1.0",
        ),
    ];
    for (broken, what) in cases {
        let capture = hex(&[SECTION, ETHERNET, ENHANCED, broken, ENHANCED].concat());
        let (frames, facts) = read_capture(&capture);
        assert_eq!(frames.len(), 1, "{what}");
        let text = format!("damaged at offset 84 (frame 2): {what}");
        assert_eq!(facts.problems, [Problem::new(Severity::Damaged, text)]);
    }
}

#[test]
fn a_length_without_its_padding_is_understood() {
    let unpadded = "
        06000000 23000000 00000000 240a0600 0140a218 03000000 3c000000 aabbcc00 23000000";
    let (frames, facts) = read_capture(&hex(&[SECTION, ETHERNET, unpadded, ENHANCED].concat()));
    assert_eq!(facts.problems, []);
    assert_eq!(frames[0].data, frames[1].data);
}

#[test]
fn many_small_sections_in_one_buffer() {
    let section = hex(&[SECTION, ETHERNET, ENHANCED].concat());
    let capture = section.repeat(200);
    let (frames, facts) = read_capture(&capture);
    assert_eq!(frames.len(), 200);
    assert_eq!(frames[199].number, 200);
    assert_eq!(facts.problems, []);
}
