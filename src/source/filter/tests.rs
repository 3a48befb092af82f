//! Expressions on literal packets, against libpcap itself.

#![allow(clippy::expect_used)]

use super::*;
use crate::model::{FrameId, Timestamp};

/// A UDP packet from port 4660 to 53 in Ethernet, and its continuation: the same
/// datagram's fragment at offset 1480.
const FIRST: [u8; 44] = [
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00, // Ethernet
    0x45, 0, 0x05, 0xdc, 0x12, 0x34, 0x20, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
    0x12, 0x34, 0, 53, 0x0b, 0xb8, 0, 0, 1, 2, // UDP
];

fn later_fragment() -> [u8; 44] {
    let mut later = FIRST;
    later[20] = 0;
    later[21] = 185;
    later
}

fn frame(data: &[u8], wire_bytes: u32) -> Frame<'_> {
    Frame {
        id: FrameId::default(),
        timestamp: Timestamp::default(),
        wire_bytes,
        link_type: LinkType::ETHERNET,
        interface: 0,
        data,
    }
}

fn matches(expression: &str, frame: &Frame<'_>) -> bool {
    FilterSet::new(expression).expect("compiles").matches(frame)
}

#[test]
fn expressions_match_as_tcpdump_has_it() {
    let whole = frame(&FIRST, 44);
    for expression in ["", "udp", "udp port 53", "host 10.0.0.1 and ip", "less 44"] {
        assert!(matches(expression, &whole), "{expression}");
    }
    for expression in ["tcp", "port 54", "ip6", "greater 45", "vlan"] {
        assert!(!matches(expression, &whole), "{expression}");
    }
}

#[test]
fn length_is_that_on_the_wire() {
    let cut = frame(&FIRST, 1514);
    assert!(matches("greater 1000", &cut));
    assert!(!matches("less 1000", &cut));
    assert!(matches("udp port 53 and len = 1514", &cut));
    assert!(!matches("greater 1000 and udp[100] = 0", &cut));
}

#[test]
fn a_program_run_by_hand_says_what_libpcap_says() {
    let later = later_fragment();
    let expressions = [
        "len = 44",
        "greater 44 or port 53",
        "udp port 53 and len - 2 * 10 < 1000",
        "ip[2:2] + len / 4 > 1500 and ip[8] & 0x40 != 0",
        "udp[4:2] > len and not ether multicast",
        "less 20 or ip[6:2] & 0x1fff != 0",
        "ether[len - 1] = 2",
        "ip[0] << 2 >> 4 | 1 ^ len % 7 = 3",
        "ip6 protochain 17 or len > 2 and ip protochain 17",
    ];
    for expression in expressions {
        let filter = Filter::compile(expression, LinkType::ETHERNET).expect(expression);
        let by_hand = filter.by_length.as_ref().expect("loads the length");
        for data in [&FIRST, &later] {
            for length in 0..=data.len() {
                let data = &data[..length];
                let by_libpcap = filter.compiled.filter(data);
                let same = by_hand.matches(data, length as u32);
                assert_eq!(same, by_libpcap, "{expression} on {length} bytes");
            }
        }
    }
}

#[test]
fn raw_ip_has_another_number_in_libpcap() {
    let mut raw = frame(&FIRST[14..], 30);
    for link_type in [LinkType::RAW, LinkType::RAW_BSD, LinkType::RAW_OPENBSD] {
        raw.link_type = link_type;
        assert!(matches("udp port 53", &raw), "{link_type}");
    }
}

#[test]
fn an_expression_may_not_fit_a_link_type() {
    let mut set = FilterSet::new("udp").expect("compiles");
    let mut odd = frame(&FIRST, 44);
    odd.link_type = LinkType(9999);
    assert!(!set.matches(&odd));
    assert!(set.matches(&frame(&FIRST, 44)));
    assert_eq!(set.refused().collect::<Vec<_>>(), [LinkType(9999)]);
    assert_eq!(set.clone().refused().count(), 0);
}

#[test]
fn errors_name_the_expression() {
    let error = FilterSet::new("udp porrt 53")
        .map(|_| ())
        .expect_err("refused");
    assert_eq!(error.expression, "udp porrt 53");
    assert!(
        error
            .to_string()
            .starts_with("filter \"udp porrt 53\" for link type EN10MB: "),
        "{error}"
    );
    assert!(FilterSet::new("udp\0").is_err());
}

#[test]
fn expressions_that_lose_fragments_are_known() {
    let losing = [
        "udp port 53",
        "host a and (dst portrange 1-5)",
        "tcp[13] & 2 != 0",
        "udp [4:2] > 8",
        "icmp[icmptype] = icmp-echo",
        "greater 1000",
    ];
    for expression in losing {
        assert!(may_drop_fragments(expression).is_some(), "{expression}");
    }
    assert!(Filter::drops_fragments("udp port 53 and ip[6:2] & 0x1fff = 0").is_some());
    let keeping = [
        "",
        "udp",
        "ip[8] < 5",
        "udp port 53 or ip[6:2] & 0x1fff != 0",
        "ip proto 17 and net 10.0.0.0/8",
        "vlan 3 and ip6",
    ];
    for expression in keeping {
        assert_eq!(may_drop_fragments(expression), None, "{expression}");
        assert_eq!(Filter::drops_fragments(expression), None, "{expression}");
    }
    assert_eq!(may_drop_fragments("host port-of-call"), None);
    assert!(Filter::drops_fragments("geneve").is_some());
    assert!(matches("udp", &frame(&later_fragment(), 44)));
    assert!(!matches("udp port 53", &frame(&later_fragment(), 44)));
}
