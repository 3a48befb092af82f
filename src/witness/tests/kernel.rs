//! Counters of kernels and NICs.

use super::super::{Counted, KernelCounters, MAX_COUNTERS, Unreadable, kernel_counters};
use super::sample;

fn read(text: &str) -> KernelCounters {
    kernel_counters(text).unwrap()
}

#[test]
fn before_and_after_is_a_difference_of_each_source() {
    let counters = read(sample("kernel-before-after.txt"));
    assert_eq!(counters.growth("IpReasmReqds"), Some(925_010));
    assert_eq!(counters.growth("IpReasmOKs"), Some(136));
    assert_eq!(counters.growth("IpReasmFails"), Some(916_778));
    assert_eq!(counters.growth("IpReasmTimeout"), Some(3));
    assert_eq!(counters.growth("UdpInDatagrams"), Some(102));
    assert!(counters.is_difference("IpReasmOKs"));
    let expected = Counted {
        first: 593_648,
        last: 593_784,
        snapshots: 2,
    };
    assert_eq!(counters.values["IpReasmOKs"], expected);
    assert_eq!(counters.values["sockstat.FRAG.memory"].last, 3_881_456);
}

#[test]
fn once_is_since_the_start() {
    let counters = read(sample("kernel-once.txt"));
    let expected = [
        ("IpReasmFails", 7),
        ("TcpInCsumErrors", 4),
        ("UdpRcvbufErrors", 704_678),
        ("UdpInCsumErrors", 0),
        ("IpExtReasmOverlaps", 5),
        ("Ip6ReasmTimeout", 2),
        ("Udp6InCsumErrors", 0),
        ("sockstat.FRAG.inuse", 1),
        ("sockstat.FRAG6.memory", 4),
        ("ethtool.rx_queue_0_drops", 6),
    ];
    for (name, value) in expected {
        assert_eq!(counters.growth(name), Some(value), "{name}");
        assert!(!counters.is_difference(name), "{name}");
    }
}

#[test]
fn what_is_not_in_the_text_is_unknown() {
    let counters = read(sample("kernel-once.txt"));
    assert_eq!(counters.growth("IpReasmOKs"), None);
    assert!(!counters.is_difference("IpReasmOKs"));
    // The kernel writes -1 for "no limit".
    assert_eq!(counters.growth("TcpMaxConn"), None);
}

#[test]
fn two_sources_are_no_difference() {
    let text = "IpReasmFails 5 0.0\nIp: ReasmFails\nIp: 7\n";
    let counters = read(text);
    assert_eq!(counters.growth("IpReasmFails"), Some(5));
    assert!(!counters.is_difference("IpReasmFails"));
    let counters = read(&format!("{text}Ip: ReasmFails\nIp: 9\n"));
    assert_eq!(counters.growth("IpReasmFails"), Some(2));
}

#[test]
fn a_counter_that_fell_did_not_grow() {
    let counters = read("IpReasmFails 5 0.0\nIpReasmFails 3 0.0\n");
    assert_eq!(counters.growth("IpReasmFails"), None);
    assert!(counters.is_difference("IpReasmFails"));
}

#[test]
fn nics_need_no_title_where_their_names_are_plain() {
    let text = "$ ethtool -S eth0 | grep err\n     rx_crc_errors: 12\n  Forwarding: 2\n";
    let counters = read(text);
    assert_eq!(counters.growth("ethtool.rx_crc_errors"), Some(12));
    assert_eq!(counters.values.len(), 1);
    let counters = read("NIC statistics:\n     RxOctets: 1\nOutside: 2\n");
    assert_eq!(counters.values.len(), 1);
}

#[test]
fn other_words_before_numbers_are_no_counters() {
    let text = "Round 5\nfrom 12:00\nIpfrag high 3\nIpReasmFails \u{1b}[31m5\nTotal: 5\n";
    assert_eq!(kernel_counters(text), Err(Unreadable::NoCounters));
    let counters = read("IpReasm\u{1b}[2JFails 5\nIpReasmFails 6\n");
    assert!(counters.values.keys().eq(["IpReasmFails"]));
}

#[test]
fn what_cannot_be_is_refused_by_its_line() {
    let uneven = kernel_counters("Ip: ReasmFails ReasmOKs\nIp: 7\n");
    assert_eq!(uneven, Err(Unreadable::Uneven { line: 2 }));
    let large = kernel_counters("\nIpReasmFails 99999999999999999999 0.0\n");
    assert_eq!(large, Err(Unreadable::TooLarge { line: 2 }));
}

#[test]
fn names_are_bounded() {
    let names = |number: usize| -> String {
        let lines = (0..number).map(|index| format!("IpName{index} {index}\n"));
        lines.collect()
    };
    assert_eq!(read(&names(MAX_COUNTERS)).values.len(), MAX_COUNTERS);
    let beyond = kernel_counters(&names(MAX_COUNTERS + 1));
    assert_eq!(beyond, Err(Unreadable::TooManyCounters));
}
