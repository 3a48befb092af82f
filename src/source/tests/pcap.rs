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
