//! Documents made by hand for the tests of the writers.

use super::document::*;
use crate::model::{LinkType, Protocol, Timestamp, TunnelKind};
use crate::report::document::{
    Benchmark, BenchmarkRun, CaptureFile, Fix, FlowKey, KernelCounter, Problem, Severity, Time,
    Tool, TunnelKey,
};
use crate::report::samples as report;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// 2026-01-02T03:04:05.123456789Z.
const START: Timestamp = Timestamp(1_767_323_045_123_456_789);

fn after(seconds: f64) -> Time {
    Time(Timestamp(START.0 + (seconds * 1e9) as i64))
}

fn point(name: &str, path: &str) -> Point {
    Point {
        name: name.to_owned(),
        file: CaptureFile {
            path: path.to_owned(),
            format: Some("pcap".to_owned()),
            bytes: 1_584_000_000,
            link_types: vec![LinkType::ETHERNET],
            frames: 1_100_000,
            ..CaptureFile::default()
        },
        first_timestamp: Some(after(0.0)),
        last_timestamp: Some(after(62.0)),
        dropped_frames: None,
        truncated_frames: 0,
        seen_again: 0,
        passed_host: Vec::new(),
        datagrams: 24_036,
        fragments: 1_095_732,
        missed: None,
        passed_beside: 0,
        matched: 1_095_700,
        tunnels: vec![TunnelAt {
            kind: None,
            id: None,
            packets: 1_095_732,
        }],
        clock: Clock {
            basis: ClockBasis::Reference,
            offset_seconds: Some(0.0),
            drift_ppm: Some(0.0),
            drift_error_ppm: Some(0.0),
            matched: 0,
        },
    }
}

fn key(src: [u8; 4], src_port: u16, dst: [u8; 4], dst_port: u16) -> FlowKey {
    FlowKey {
        src: Ipv4Addr::from(src).into(),
        dst: Ipv4Addr::from(dst).into(),
        src_port: Some(src_port),
        dst_port: Some(dst_port),
        protocol: Protocol::UDP,
        vlans: Vec::new(),
        tunnel: None,
    }
}

fn told() -> IcmpErrors {
    IcmpErrors {
        segment: Some(0),
        direction: Direction::Forward,
        from: Ipv4Addr::new(192, 0, 2, 254).into(),
        kind: 3,
        code: 4,
        next_hop_mtu: Some(1_400),
        says: "they are larger than the next hop's MTU of 1,400".to_owned(),
        errors: 3,
        flows: 1,
        point: 0,
        frame: 17,
    }
}

fn in_vxlan(key: FlowKey) -> FlowKey {
    let tunnel = TunnelKey {
        kind: TunnelKind::Vxlan,
        id: Some(4_242),
        src: Ipv4Addr::new(192, 0, 2, 1).into(),
        dst: Ipv4Addr::new(192, 0, 2, 2).into(),
        dst_port: Some(4_789),
        vlans: Vec::new(),
        inside: None,
    };
    FlowKey {
        tunnel: Some(tunnel),
        ..key
    }
}

fn seen_as(key: FlowKey, packets: u64, hop_limit: u8) -> Option<SeenAs> {
    Some(SeenAs {
        key,
        packets,
        bytes: packets * 1_444,
        hop_limit,
    })
}

/// Fragments of datagrams, all alike.
fn fragments(datagrams: u64, packets: u64) -> Count {
    Count {
        datagrams,
        packets,
        fragments: packets,
        bytes: packets * 1_444,
    }
}

fn delay(median: f64) -> Option<Delay> {
    Some(Delay {
        packets: 1_062_860,
        min_seconds: median * 0.8,
        median_seconds: median,
        p99_seconds: median * 4.2,
        max_seconds: median * 23.0,
    })
}

/// A segment on which nothing happened.
fn clean(from: u32, to: u32, count: Count) -> Segment {
    Segment {
        from,
        to,
        sent: count,
        arrived: count,
        delay: delay(0.000_112),
        ..Segment::default()
    }
}

/// 3 % of fragments, whatever they are.
fn random_loss() -> Loss {
    let of = |sent: u64| PositionLoss {
        sent,
        lost: sent * 3 / 100,
    };
    Loss {
        pattern: Pattern::Random,
        described: "evenly over positions, sizes and time: 3.0 % of fragments, one in a row \
                    nearly always"
            .to_owned(),
        rate: 0.03,
        longest_burst: Some(4),
        mean_burst: Some(1.03),
        positions: (0..10_u64).map(|tenth| of(109_573 + tenth * 700)).collect(),
        first: of(24_036),
        middle: of(1_047_660),
        last: of(24_036),
        sizes: vec![
            SizeLoss {
                bytes_from: 64,
                bytes_to: Some(127),
                sent: 24_036,
                lost: 719,
            },
            SizeLoss {
                bytes_from: 1_024,
                bytes_to: Some(2_047),
                sent: 1_071_696,
                lost: 32_153,
            },
        ],
        times: (0..62_u64)
            .map(|second| TimeLoss {
                timestamp: after(second as f64),
                sent: 17_673,
                lost: 480 + second * 7 % 100,
            })
            .collect(),
        step_seconds: Some(1.0),
        with_rate: Some(0.02),
        number: None,
    }
}

/// A path of three points: fragments are lost behind the first, translated, and put into
/// a tunnel behind the second.
pub(crate) fn lossy() -> Comparison {
    let forward_key = key([10, 16, 0, 5], 37_311, [203, 0, 113, 9], 43_155);
    let translated = key([192, 0, 2, 7], 61_000, [203, 0, 113, 9], 43_155);
    let answers = key([203, 0, 113, 9], 43_155, [192, 0, 2, 7], 61_000);
    let answers_home = key([203, 0, 113, 9], 43_155, [10, 16, 0, 5], 37_311);
    let sent = fragments(24_036, 1_095_732);
    let arrived = fragments(5_741, 1_062_860);
    let lossy = Segment {
        arrived,
        lost: fragments(18_295, 32_872),
        reordered: 12,
        corrupted: 1,
        spoiled_datagrams: 1,
        partly_compared: 3,
        damage: vec![Damage {
            from_frame: 40_117,
            to_frame: 39_002,
            bytes_differing: Some(2),
            bits_differing: Some(3),
            first_offset: Some(612),
            was: "0a1b".to_owned(),
            is: "0a1f".to_owned(),
            kind: DamageKind::Bits,
        }],
        changes: Changes {
            hop_limit: 1_062_860,
            hop_limit_by: Some(-1),
            hop_limits: vec![HopLimitChange {
                by: -1,
                packets: 1_062_860,
            }],
            dscp: 300,
            dscp_from_to: Some((46, 0)),
            dscps: vec![DscpChange {
                from: 46,
                to: 0,
                packets: 300,
            }],
            nat_flows: 1,
            nat: vec![NatMapping {
                from: forward_key.clone(),
                to: translated.clone(),
                kind: "source",
            }],
            checksums: vec![ChecksumChange {
                from: "offloaded",
                to: "good",
                packets: 1_200,
            }],
            ..Changes::default()
        },
        loss: Some(random_loss()),
        outside: 47,
        delay: delay(0.000_18),
        ..clean(0, 1, sent)
    };
    let tunnelled = Segment {
        changes: Changes {
            tunnel_added: 1_062_860,
            ..Changes::default()
        },
        layout: Layout {
            refragmented: 5_741,
            largest_fragment_bytes: Some(1_396),
            ..Layout::default()
        },
        delay: delay(0.002_4),
        ..clean(1, 2, arrived)
    };
    let path = Segment {
        to: 2,
        damage: lossy.damage.clone(),
        delay: delay(0.002_6),
        ..lossy.clone()
    };
    let few = Count {
        datagrams: 1_200,
        packets: 1_200,
        fragments: 0,
        bytes: 72_000,
    };
    let back = [clean(1, 0, few), clean(2, 1, few)];
    let back_path = Segment {
        delay: delay(0.002_5),
        ..clean(2, 0, few)
    };
    let flow = PathFlow {
        key: forward_key.clone(),
        direction: Direction::Forward,
        seen_as: vec![
            seen_as(forward_key, 1_095_732, 64),
            seen_as(translated.clone(), 1_062_860, 63),
            seen_as(in_vxlan(translated.clone()), 1_062_860, 63),
        ],
        segments: vec![lossy.clone(), tunnelled.clone()],
        path: path.clone(),
        first_timestamp: Some(after(0.0)),
        last_timestamp: Some(after(61.9)),
    };
    let answer = PathFlow {
        key: answers.clone(),
        direction: Direction::Backward,
        seen_as: vec![
            seen_as(answers_home, 1_200, 62),
            None,
            seen_as(answers, 1_200, 63),
        ],
        segments: back.to_vec(),
        path: back_path.clone(),
        first_timestamp: Some(after(0.3)),
        last_timestamp: None,
    };
    let mut points = vec![
        point("A", "captures/client-eth0.pcap"),
        point("B", "captures/router.pcap"),
        point("C", "captures/hypervisor-uplink.pcapng"),
    ];
    points[1].clock = Clock {
        offset_seconds: Some(-1.234_567),
        drift_ppm: Some(12.1),
        drift_error_ppm: Some(0.34),
        basis: ClockBasis::BothDirections,
        matched: 1_064_060,
    };
    points[1].dropped_frames = Some(12);
    points[1].missed = Some(9);
    points[2].clock = Clock {
        offset_seconds: Some(0.012_3),
        basis: ClockBasis::BothDirections,
        matched: 1_064_060,
        ..Clock::default()
    };
    points[2].dropped_frames = Some(0);
    points[2].tunnels = vec![
        TunnelAt {
            kind: Some(TunnelKind::Vxlan),
            id: Some(4_242),
            packets: 1_062_860,
        },
        TunnelAt {
            kind: None,
            id: None,
            packets: 1_200,
        },
    ];
    points[2].truncated_frames = 3;
    points[2].file.problems.push(Problem {
        severity: Severity::Warning,
        message: "the last record is cut off: 96 bytes were announced, 12 are there".to_owned(),
    });
    Comparison {
        schema_version: SCHEMA_VERSION,
        kind: "comparison",
        tool: Tool {
            name: "fraglens",
            version: "0.0.0",
        },
        options: CompareOptions {
            window_seconds: 2.0,
            vxlan_ports: vec![4_789, 8_472],
            geneve_ports: vec![6_081],
            auto_tunnel: true,
            timeline_bucket_seconds: 1.0,
            top: Some(10),
            ..CompareOptions::default()
        },
        relation: Relation::Same,
        points,
        off_path: Vec::new(),
        side_by_side: Vec::new(),
        common: Some(Common {
            first_timestamp: after(0.0),
            last_timestamp: after(61.9),
            duration_seconds: 61.9,
        }),
        segments: vec![lossy.clone(), tunnelled.clone()],
        path: path.clone(),
        directions: vec![
            OneWay {
                direction: Direction::Forward,
                segments: vec![lossy, tunnelled],
                path,
            },
            OneWay {
                direction: Direction::Backward,
                segments: back.to_vec(),
                path: back_path,
            },
        ],
        flows_total: 7,
        flows_omitted: 5,
        flows: vec![flow, answer],
        carriers: Vec::new(),
        icmp_errors: vec![told()],
        receivers: failing_receivers(),
        findings: vec![finding()],
        explanation: Some(PathExplanation {
            direction: Direction::Forward,
            sent_bytes: 1_582_237_008,
            sent_bits_per_second: Some(204_442_064.5),
            arrived_bytes: 1_534_769_840,
            sent_datagrams: 24_036,
            arrived_datagrams: 5_741,
            spoiled_datagrams: 0,
            whole_fragmented_datagrams: 5_741,
            predicted_datagrams: Some(5_600),
            counted_datagrams: Some(5_598),
            parts: vec![PathPart {
                finding: "C01".to_owned(),
                segment: 0,
                bytes: 47_467_168,
            }],
            residual_bytes: 0,
            sentence: "Between A and B 3.0 % of fragments are lost, at random, so that 76.1 % of \
                       the datagrams do not arrive whole."
                .to_owned(),
        }),
        benchmark: None,
        kernel_counters: Vec::new(),
        limits: [("matches".to_owned(), 3)].into(),
        problems: Vec::new(),
    }
}

fn failing_receivers() -> Vec<crate::report::document::Receiver> {
    let mut receivers = report::with_finding().receivers;
    for receiver in &mut receivers {
        receiver.predicted.failed = 9;
        receiver.predicted.reassembled = 5_600;
        receiver.predicted.rejected_fragments = 644;
        receiver.predicted.memory_peak_bytes = 4 << 20;
        for alternative in &mut receiver.alternatives {
            alternative.changed = vec!["ipfrag_high_thresh".to_owned()];
            alternative.predicted.reassembled = 5_741;
        }
    }
    receivers
}

fn finding() -> PathFinding {
    PathFinding {
        id: "C01".to_owned(),
        name: "random-loss".to_owned(),
        severity: Severity::Error,
        title: "packets are lost at random".to_owned(),
        segment: Some(0),
        direction: Some(Direction::Forward),
        point: None,
        seen: "32,872 of 1,095,732 fragments are missing at B, whatever their place, size and \
               time."
            .to_owned(),
        explanation: "A datagram of 46 fragments arrives whole only if all of them do: 0.97^46 \
                      is 24.6 %."
            .to_owned(),
        confidence: 0.95,
        evidence: vec![
            PathEvidence {
                point: 0,
                frame: 1_187,
                timestamp: after(0.07),
                note: "the first that is missing at B".to_owned(),
            },
            PathEvidence {
                point: 1,
                frame: 1_186,
                timestamp: after(0.071),
                note: "the one behind it".to_owned(),
            },
        ],
        disprove: "Look at `ethtool -S` of the switch ports in between: no errors, no loss."
            .to_owned(),
        fix: vec![Fix {
            when: "a link with errors".to_owned(),
            is_command: true,
            command: "ethtool -S eth0 | grep -i err".to_owned(),
        }],
        references: vec!["RFC 4737".to_owned()],
        flows: vec![0],
        missing_bytes: Some(47_467_168),
    }
}

/// Two files that hold the same.
pub(crate) fn identical() -> Comparison {
    let all = Count {
        datagrams: 1_200,
        packets: 1_200,
        fragments: 0,
        bytes: 1_700_000,
    };
    let segment = Segment {
        delay: delay(0.0),
        ..clean(0, 1, all)
    };
    let mut base = lossy();
    base.points.truncate(2);
    for point in &mut base.points {
        point.file.path = "healthy.pcapng".to_owned();
        point.datagrams = 1_200;
        point.fragments = 0;
        point.matched = 1_200;
        point.dropped_frames = Some(0);
        point.missed = None;
    }
    base.points[1].clock = Clock {
        offset_seconds: Some(0.0),
        drift_ppm: Some(0.0),
        drift_error_ppm: Some(0.01),
        basis: ClockBasis::OneDirection,
        matched: 1_200,
    };
    let mut flow = base.flows.swap_remove(0);
    flow.seen_as = vec![seen_as(flow.key.clone(), 1_200, 64); 2];
    flow.segments = vec![segment.clone()];
    flow.path = segment.clone();
    Comparison {
        segments: vec![segment.clone()],
        path: segment,
        directions: Vec::new(),
        flows_total: 1,
        flows_omitted: 0,
        flows: vec![flow],
        receivers: Vec::new(),
        findings: Vec::new(),
        explanation: Some(PathExplanation {
            direction: Direction::Forward,
            sent_bytes: 1_700_000,
            sent_bits_per_second: Some(219_709.2),
            arrived_bytes: 1_700_000,
            sent_datagrams: 1_200,
            arrived_datagrams: 1_200,
            spoiled_datagrams: 0,
            whole_fragmented_datagrams: 0,
            predicted_datagrams: None,
            counted_datagrams: None,
            parts: Vec::new(),
            residual_bytes: 0,
            sentence: "Nothing was lost: all of 1,200 datagrams that entered at A left at B."
                .to_owned(),
        }),
        limits: BTreeMap::new(),
        ..base
    }
}

/// Two files that have nothing to do with each other.
pub(crate) fn unrelated() -> Comparison {
    let nothing = Segment {
        to: 1,
        ..Segment::default()
    };
    let mut base = identical();
    base.points[1].file.path = "another-day.pcap".to_owned();
    base.points[1].first_timestamp = Some(after(86_400.0));
    base.points[1].last_timestamp = Some(after(86_462.0));
    for point in &mut base.points {
        point.matched = 0;
        point.tunnels.clear();
        point.dropped_frames = None;
    }
    base.points[1].clock = Clock::default();
    Comparison {
        relation: Relation::Unrelated,
        common: None,
        segments: vec![nothing.clone()],
        path: nothing,
        flows_total: 0,
        flows: Vec::new(),
        explanation: None,
        ..base
    }
}

/// Text that tries to take over the terminal and the page.
pub(crate) const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}pacp.txt\n=cmd()\
                               \"'><script>alert(1)</script></style><!-- ]]> {{ 7 }} `|[a](b)";

/// Paths, notes and messages that try to get out of their place.
pub(crate) fn hostile() -> Comparison {
    let mut base = lossy();
    base.options.filter = Some(EVIL.to_owned());
    base.limits.insert(EVIL.to_owned(), 1);
    let problem = Problem {
        severity: Severity::Error,
        message: format!("{EVIL}{}", "y".repeat(400)),
    };
    base.problems.push(problem.clone());
    for point in &mut base.points {
        point.file.path = format!("{EVIL}{}", "x".repeat(300));
        point.file.problems.push(problem.clone());
    }
    let finding = &mut base.findings[0];
    for text in [
        &mut finding.id,
        &mut finding.name,
        &mut finding.title,
        &mut finding.seen,
        &mut finding.explanation,
        &mut finding.disprove,
        &mut finding.evidence[0].note,
    ] {
        *text = EVIL.to_owned();
    }
    finding.fix[0].when = EVIL.to_owned();
    finding.fix[0].command = EVIL.to_owned();
    finding.references = vec![
        EVIL.to_owned(),
        "javascript:alert(1)".to_owned(),
        format!("https://example.org/{EVIL}"),
    ];
    // Places that are not there.
    finding.segment = Some(77);
    finding.evidence[0].point = 78;
    finding.flows = vec![0, 79];
    if let Some(explanation) = &mut base.explanation {
        explanation.sentence = EVIL.to_owned();
        explanation.parts[0].finding = EVIL.to_owned();
        explanation.residual_bytes = -7;
        explanation.sent_bits_per_second = Some(f64::NAN);
    }
    for segment in base.segments.iter_mut().chain([&mut base.path]) {
        *segment = nonsense(segment);
    }
    for way in &mut base.directions {
        let segments = way.segments.iter_mut();
        segments.for_each(|segment| *segment = nonsense(segment));
    }
    base
}

/// The same with figures that nothing can have.
fn nonsense(segment: &Segment) -> Segment {
    let mut segment = segment.clone();
    for damage in &mut segment.damage {
        damage.was = EVIL.to_owned();
        damage.is = EVIL.to_owned();
        damage.bytes_differing = None;
    }
    segment.to = u32::MAX;
    segment.lost.packets = u64::MAX;
    segment.sent.bytes = u64::MAX;
    segment.delay = segment.delay.map(|delay| Delay {
        median_seconds: f64::NAN,
        p99_seconds: f64::INFINITY,
        ..delay
    });
    segment.loss = segment.loss.map(|loss| Loss {
        described: EVIL.to_owned(),
        rate: f64::NAN,
        mean_burst: Some(f64::INFINITY),
        step_seconds: Some(-1.0),
        ..loss
    });
    segment
}

/// All of them, by name.
pub(crate) fn all() -> [(&'static str, Comparison); 4] {
    [
        ("lossy", lossy()),
        ("identical", identical()),
        ("unrelated", unrelated()),
        ("hostile", hostile()),
    ]
}

/// The same with what iperf3 printed and the kernel counted.
pub fn witnessed() -> Comparison {
    let run = BenchmarkRun {
        transport: "udp",
        message_bytes: Some(8_192),
        seconds: Some(5.0),
        is_estimated: false,
        sent_messages: Some(1_526),
        sent_bits_per_second: Some(20e6),
        received_messages: Some(966),
        received_bits_per_second: None,
        flows: Vec::new(),
        seen_messages: None,
        whole_messages: None,
        predicted_messages: None,
        not_seen_messages: None,
        unexplained_messages: None,
    };
    Comparison {
        benchmark: Some(Benchmark {
            program: "iperf3",
            runs: vec![run],
        }),
        kernel_counters: vec![KernelCounter {
            name: "IpReasmOKs",
            kernel: 966,
            is_difference: true,
            capture: Some(967),
        }],
        ..lossy()
    }
}
