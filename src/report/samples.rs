//! Documents made by hand for the tests of the writers.

use super::document::*;
use crate::model::{Counters, LinkType, Protocol, Timestamp, TunnelKind, VerdictCounts};
use std::net::IpAddr;

/// 2026-01-02T03:04:05.123456789Z.
const START: Timestamp = Timestamp(1_767_323_045_123_456_789);

fn after(seconds: f64) -> Time {
    Time(Timestamp(START.0 + (seconds * 1e9) as i64))
}

/// A capture file without a single frame.
pub(crate) fn empty() -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "fraglens",
            version: "0.0.0",
        },
        options: Options {
            vxlan_ports: vec![4789, 8472],
            geneve_ports: vec![6081],
            auto_tunnel: true,
            reassembly_timeout_ipv4_seconds: 30.0,
            reassembly_timeout_ipv6_seconds: 60.0,
            reassembly_memory_bytes: 64 << 20,
            top: Some(10),
            ..Options::default()
        },
        capture: Capture {
            files: vec![CaptureFile {
                path: "empty.pcap".to_owned(),
                format: Some("pcap".to_owned()),
                bytes: 24,
                link_types: vec![LinkType::ETHERNET],
                ..CaptureFile::default()
            }],
            ..Capture::default()
        },
        totals: Counters::default(),
        throughput: Throughput::default(),
        flows_total: 0,
        flows_omitted: 0,
        flows: Vec::new(),
        tunnels_omitted: 0,
        tunnels: Vec::new(),
        receivers: Vec::new(),
        lost_datagrams: Vec::new(),
        timeline: Timeline {
            bucket_seconds: 1.0,
            buckets: Vec::new(),
        },
        findings: Vec::new(),
        explanation: None,
        benchmark: None,
        kernel_counters: Vec::new(),
    }
}

fn flow(src: &str, dst: &str, ports: Option<(u16, u16)>, protocol: Protocol) -> Flow {
    let address = |text: &str| {
        text.parse::<IpAddr>()
            .unwrap_or_else(|_| [0, 0, 0, 0].into())
    };
    Flow {
        key: FlowKey {
            src: address(src),
            dst: address(dst),
            src_port: ports.map(|(source, _)| source),
            dst_port: ports.map(|(_, destination)| destination),
            protocol,
            vlans: Vec::new(),
            tunnel: None,
        },
        counters: Counters::default(),
        throughput: Throughput::default(),
        sizes: Vec::new(),
        datagrams_of_unknown_size: 0,
        mtu: None,
        fragments_per_datagram: None,
        largest_datagram_bytes: None,
        gaps: Gaps::default(),
        packets_lost_in_tunnel: 0,
        super_frames: 0,
        closed: None,
        ovn: None,
        icmp_errors: IcmpErrors::default(),
        first_timestamp: Some(after(0.0)),
        last_timestamp: Some(after(10.0)),
    }
}

fn tunnel(kind: TunnelKind, id: Option<u32>, last: u8) -> TunnelKey {
    TunnelKey {
        kind,
        id,
        src: [192, 0, 2, 1].into(),
        dst: [192, 0, 2, last].into(),
        dst_port: (kind == TunnelKind::Vxlan).then_some(5799),
        vlans: Vec::new(),
        inside: None,
    }
}

/// One TCP flow that lost nothing.
pub(crate) fn healthy() -> Report {
    let mut report = empty();
    let mut only = flow("10.0.0.1", "10.0.0.2", Some((43210, 443)), Protocol::TCP);
    only.counters.packets = 1_200;
    only.counters.bytes = 1_700_000;
    only.counters.datagrams.unfragmented = 1_200;
    only.counters.checksums.ipv4.good = 1_200;
    only.counters.checksums.tcp = VerdictCounts {
        good: 800,
        offloaded: 400,
        ..VerdictCounts::default()
    };
    only.throughput = Throughput {
        duration_seconds: Some(10.0),
        packets_per_second: Some(120.0),
        bits_per_second: Some(1_360_000.0),
        datagrams_per_second: Some(120.0),
        deliverable_datagrams: 1_200,
        deliverable_bytes: 1_700_000,
        duplicate_bytes: 0,
        deliverable_bits_per_second: Some(1_360_000.0),
    };
    only.sizes = vec![
        SizeClass {
            datagram_bytes_from: 32,
            datagram_bytes_to: Some(63),
            datagrams: 400,
            delivered: 400,
        },
        SizeClass {
            datagram_bytes_from: 1024,
            datagram_bytes_to: Some(2047),
            datagrams: 800,
            delivered: 800,
        },
    ];
    only.largest_datagram_bytes = Some(1_500);
    report.capture.files[0].path = "healthy.pcapng".to_owned();
    report.capture.files[0].format = Some("pcapng".to_owned());
    report.capture.files[0].bytes = 1_750_000;
    report.capture.files[0].frames = 1_204;
    report.capture.frames = 1_204;
    report.capture.bytes = 1_700_240;
    report.capture.first_timestamp = Some(after(0.0));
    report.capture.last_timestamp = Some(after(10.0));
    report.capture.duration_seconds = Some(10.0);
    report.capture.dropped_frames = Some(0);
    report
        .capture
        .undecoded_frames
        .insert("ethertype 0x0806 (ARP)".to_owned(), 4);
    report.totals = only.counters;
    report.throughput = only.throughput;
    report.flows_total = 1;
    report.flows = vec![only];
    report
}

/// 65,507-byte messages at MTU 1450, of whose fragments 3 % were lost.
pub(crate) fn netperf_loss() -> Report {
    let mut report = empty();
    let mut only = flow(
        "10.16.0.5",
        "10.16.0.9",
        Some((37311, 43155)),
        Protocol::UDP,
    );
    let counters = &mut only.counters;
    counters.packets = 1_095_732;
    counters.bytes = 1_584_426_000;
    counters.fragments.total = 1_095_732;
    counters.fragments.first = 23_315;
    counters.fragments.middle = 1_049_102;
    counters.fragments.last = 23_315;
    counters.fragments.full_size = 1_072_417;
    counters.datagrams.fragmented = 24_036;
    counters.datagrams.reassembled = 5_741;
    counters.datagrams.timed_out = 9_424;
    counters.datagrams.incomplete = 8_871;
    counters.bad_length.first_fragment_artifact = 23_315;
    counters.checksums.ipv4.good = 1_095_732;
    counters.checksums.udp = VerdictCounts {
        unverifiable: 24_036,
        ..VerdictCounts::default()
    };
    only.throughput = Throughput {
        duration_seconds: Some(62.0),
        packets_per_second: Some(17_673.1),
        bits_per_second: Some(204_442_064.5),
        datagrams_per_second: Some(387.7),
        deliverable_datagrams: 5_741,
        deliverable_bytes: 389_611_000,
        duplicate_bytes: 0,
        deliverable_bits_per_second: Some(50_272_387.1),
    };
    only.sizes = vec![SizeClass {
        datagram_bytes_from: 32_768,
        datagram_bytes_to: Some(65_535),
        datagrams: 23_315,
        delivered: 5_741,
    }];
    only.datagrams_of_unknown_size = 721;
    only.mtu = Some(Mtu {
        from: 1_444,
        to: 1_451,
    });
    only.fragments_per_datagram = Some(FragmentsPerDatagram { min: 47, max: 47 });
    only.largest_datagram_bytes = Some(65_535);
    report.capture.files[0] = CaptureFile {
        path: "pcaps/netperf-loss.pcap.zst".to_owned(),
        format: Some("pcap".to_owned()),
        compression: Some("zstd".to_owned()),
        bytes: 12_698_000,
        sha256: None,
        link_types: vec![LinkType::ETHERNET],
        snaplen: Some(96),
        frames: 1_095_732,
        problems: vec![Problem {
            severity: Severity::Warning,
            message: "the last record is cut off: 96 bytes were announced, 12 are there".to_owned(),
        }],
    };
    report.capture.frames = 1_095_732;
    report.capture.bytes = 1_584_426_000;
    report.capture.truncated_frames = 1_072_417;
    report.capture.first_timestamp = Some(after(0.0));
    report.capture.last_timestamp = Some(after(62.0));
    report.capture.duration_seconds = Some(62.0);
    report.timeline.buckets = (0..63_u64)
        .map(|second| Bucket {
            start: after(second as f64),
            packets: 17_000 + 200 * (second % 5),
            bytes: 25_000_000 + 300_000 * (second % 5),
            fragments: 17_000 + 200 * (second % 5),
            datagrams_completed: 90 + second % 7,
            deliverable_bytes: 6_100_000 + 100_000 * (second % 7),
            datagrams_lost: 280 + 10 * (second % 4),
        })
        .collect();
    report.totals = only.counters;
    report.throughput = only.throughput;
    report.flows_total = 1;
    report.flows = vec![only];
    report
}

/// Several flows over IPv6 and inside tunnels, some of them omitted.
pub(crate) fn many() -> Report {
    let mut report = healthy();
    report.options.filter = Some("host 2001:db8::1 and udp".to_owned());
    report.capture.filtered_frames = Some(1_234_567);
    report.capture.dropped_frames = Some(52_311);
    report
        .capture
        .limits
        .insert("open_datagrams".to_owned(), 17);
    report.capture.files.push(CaptureFile {
        path: "gone.pcap".to_owned(),
        problems: vec![Problem {
            severity: Severity::Error,
            message: "no such file".to_owned(),
        }],
        ..CaptureFile::default()
    });
    let mut long = flow(
        "2001:db8:1234:5678:9abc:def0:1234:5678",
        "2001:db8:1234:5678:9abc:def0:1234:9999",
        Some((54_321, 12_865)),
        Protocol::UDP,
    );
    long.counters.packets = 480_000_000;
    long.counters.bytes = 680_000_000_000;
    long.counters.fragments.total = 470_000_000;
    long.counters.datagrams.unfragmented = 10_000_000;
    long.counters.datagrams.fragmented = 10_000_000;
    long.counters.datagrams.reassembled = 1_000;
    long.counters.datagrams.overlapped = 9_999_000;
    long.counters.checksums.udp.bad = 12;
    long.throughput = Throughput {
        duration_seconds: Some(10.0),
        packets_per_second: Some(48_000_000.0),
        bits_per_second: Some(544e9),
        datagrams_per_second: Some(2_000_000.0),
        deliverable_datagrams: 10_001_000,
        deliverable_bytes: 20_000_000_000,
        duplicate_bytes: 0,
        deliverable_bits_per_second: Some(16e9),
    };
    long.mtu = Some(Mtu {
        from: 1_444,
        to: 1_451,
    });
    long.fragments_per_datagram = Some(FragmentsPerDatagram { min: 2, max: 47 });
    long.sizes = vec![
        SizeClass {
            datagram_bytes_from: 1,
            datagram_bytes_to: Some(1),
            datagrams: 0,
            delivered: 0,
        },
        SizeClass {
            datagram_bytes_from: 1_024,
            datagram_bytes_to: Some(2_047),
            datagrams: 10_000_000,
            delivered: 10_000_000,
        },
        SizeClass {
            datagram_bytes_from: 32_768,
            datagram_bytes_to: Some(65_535),
            datagrams: 9_999_500,
            delivered: 1_000,
        },
        SizeClass {
            datagram_bytes_from: 65_536,
            datagram_bytes_to: None,
            datagrams: 3,
            delivered: 3,
        },
    ];
    long.datagrams_of_unknown_size = 497;
    let mut inner = flow("10.244.1.7", "10.244.2.9", None, Protocol::UDP);
    inner.key.vlans = vec![100, 7];
    inner.key.tunnel = Some(TunnelKey {
        vlans: vec![12],
        inside: Some(Box::new(tunnel(TunnelKind::Gretap, None, 9))),
        ..tunnel(TunnelKind::Vxlan, Some(4_242), 2)
    });
    inner.counters.packets = 1;
    inner.counters.bytes = 1_494;
    inner.counters.fragments.total = 1;
    inner.counters.datagrams.fragmented = 1;
    inner.counters.datagrams.timed_out = 1;
    inner.last_timestamp = inner.first_timestamp;
    let mut closed = flow(
        "10.0.0.1",
        "10.0.0.2",
        Some((51_820, 51_820)),
        Protocol::UDP,
    );
    closed.closed = Some(Closed::Wireguard);
    closed.counters.packets = 10;
    closed.counters.datagrams.unfragmented = 10;
    closed.icmp_errors = IcmpErrors {
        fragmentation_needed: 3,
        lowest_mtu: Some(1_400),
        ..IcmpErrors::default()
    };
    report.flows_total = 1_234;
    report.flows_omitted = 1_230;
    report.flows.splice(0..0, [long, inner, closed]);
    let outer = |last, packets| Tunnel {
        key: tunnel(TunnelKind::Vxlan, Some(4_242), last),
        counters: Counters {
            packets,
            bytes: packets * 1_500,
            ..Counters::default()
        },
    };
    report.tunnels = vec![outer(2, 480_000), outer(3, 12)];
    report.tunnels_omitted = 3;
    for flow in &report.flows {
        report.totals += flow.counters;
    }
    report.totals.bad_length.total = 3;
    report.totals.bad_length.udp_longer = 3;
    report
}

/// Paths, filters and messages that try to take over the terminal.
pub(crate) fn hostile() -> Report {
    let mut report = empty();
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}pacp.txt\n=cmd()";
    report.options.filter = Some(evil.to_owned());
    report.capture.files[0].path = format!("{evil}{}", "x".repeat(120));
    report.capture.undecoded_frames.insert(evil.to_owned(), 1);
    report.capture.limits.insert(evil.to_owned(), 1);
    report.capture.files[0].problems.push(Problem {
        severity: Severity::Error,
        message: evil.to_owned(),
    });
    report
}

/// With the finding and the explanation that a diagnosis would add.
pub(crate) fn with_finding() -> Report {
    let mut report = netperf_loss();
    report.findings = vec![Finding {
        id: "D09".to_owned(),
        severity: Severity::Error,
        name: "reassembly-memory".to_owned(),
        title: "reassembly memory ran out".to_owned(),
        seen: "4 MiB were full after 0.3 s.".to_owned(),
        explanation: "unfinished datagrams filled it".to_owned(),
        confidence: 0.9,
        evidence: vec![Evidence {
            frame: 1_234,
            timestamp: after(0.3),
            file: "pcaps/netperf-loss.pcap.zst".to_owned(),
            note: "first fragment refused".to_owned(),
        }],
        disprove: "nstat -az IpReasmFails".to_owned(),
        fix: vec![Fix {
            when: "Linux".to_owned(),
            is_command: true,
            command: "sysctl -w net.ipv4.ipfrag_high_thresh=67108864".to_owned(),
        }],
        references: Vec::new(),
        flows: vec![0],
        flows_total: 1,
        missing_bytes: Some(1_194_815_000),
    }];
    report.explanation = Some(Explanation {
        sent_bytes: 1_584_426_000,
        delivered_bytes: 389_611_000,
        parts: vec![Part {
            finding: "D09".to_owned(),
            bytes: 1_194_815_000,
        }],
        undecided_bytes: 0,
        residual_bytes: 0,
        sentence: "it did".to_owned(),
    });
    let prediction = Prediction {
        fragments: 1_095_732,
        first_full_timestamp: Some(after(0.3)),
        ..Prediction::default()
    };
    let settings = |bytes| [("ipfrag_high_thresh".to_owned(), bytes)].into();
    report.receivers = vec![Receiver {
        address: [10, 16, 0, 9].into(),
        settings: settings(4 << 20),
        timeouts_told: 3,
        predicted: prediction,
        memory: memory(|step| (4 << 20) * step.min(40) / 40),
        alternatives: vec![Alternative {
            changed: vec!["net.ipv4.ipfrag_high_thresh".to_owned()],
            settings: settings(64 << 20),
            predicted: prediction,
            memory: Some(memory(|step| (4 << 20) * step / 40)),
        }],
    }];
    report.lost_datagrams = vec![LostDatagram {
        reason: "gap",
        frame: 1_187,
        timestamp: after(0.07),
        file: "pcaps/netperf-loss.pcap.zst".to_owned(),
        flow: Some(0),
        identification: 0xadca,
        payload_bytes: Some(65_515),
        fragment_bytes: Some(1_424),
        pieces: (0..47)
            .filter(|number| ![3, 17, 18].contains(number))
            .map(|number| Piece {
                from: number * 1_424,
                to: (number * 1_424 + 1_424).min(65_515),
            })
            .collect(),
        pieces_omitted: 0,
    }];
    report
}

/// Memory in 62 steps of a second.
fn memory(peak: impl Fn(u64) -> u64) -> MemoryUse {
    MemoryUse {
        step_seconds: 1.0,
        first_timestamp: Some(after(0.0)),
        peak_bytes: (1..=62).map(peak).collect(),
    }
}

/// All of them, by name.
pub(crate) fn all() -> [(&'static str, Report); 6] {
    [
        ("empty", empty()),
        ("healthy", healthy()),
        ("netperf_loss", netperf_loss()),
        ("many", many()),
        ("hostile", hostile()),
        ("with_finding", with_finding()),
    ]
}
