//! A snapshot made by hand, for the tests of what shows it.

use super::recorder::{RecorderCounts, RingCounts};
use super::*;
use crate::host::Statistics;
use crate::model::Timestamp;
use crate::report::document::Time;
use crate::report::samples;

/// Two interfaces, one of them gone, a full reassembly memory and one finding.
pub(crate) fn snapshot() -> Snapshot {
    let window = samples::with_finding();
    let at = |seconds: i64| Time(Timestamp((1_767_323_045 + seconds) * 1_000_000_000));
    let counter = |name: &str, since_start, per_second| HostCounter {
        name: name.to_owned(),
        since_start,
        per_second,
    };
    Snapshot {
        timestamp: at(83),
        elapsed_seconds: 83.0,
        interval_seconds: 1.0,
        rates: Rates {
            frames_per_second: 86_214.0,
            offered_bits_per_second: 992_731_456.0,
            deliverable_bits_per_second: 6_153_216.0,
            fragments_per_second: 86_190.0,
            datagrams_completed_per_second: 11.0,
            datagrams_lost_per_second: 1_801.0,
        },
        totals: Totals {
            frames: 7_155_762,
            bytes: 10_299_588_881,
            deliverable_bytes: 63_839_616,
            counters: window.totals,
        },
        captured: vec![
            Captured {
                name: "eth0".to_owned(),
                frames: 7_155_762,
                received: 7_155_881,
                dropped: 119,
                ..Captured::default()
            },
            Captured {
                name: "veth\u{1b}[31m".to_owned(),
                state: Capturing::Gone,
                problem: Some("the interface disappeared".to_owned()),
                ..Captured::default()
            },
        ],
        reassembly: Reassembly {
            open_datagrams: 54_113,
            memory_bytes: 31 << 20,
            memory_limit_bytes: 64 << 20,
            flows: 1_204,
        },
        recorder: Some(RecorderCounts {
            written: 3,
            failed: 1,
            ring: RingCounts {
                frames: 740_112,
                memory_bytes: 200 << 20,
                memory_limit_bytes: 256 << 20,
                dropped_frames: 12,
            },
            ..RecorderCounts::default()
        }),
        host: Some(Host {
            counters: vec![
                counter("IpReasmReqds", 7_150_001, 86_190.0),
                counter("IpReasmFails", 6_998_114, 84_022.0),
                counter("UdpRcvbufErrors", 0, 0.0),
            ],
            fragment_memory_bytes: Some(4_194_816),
            fragment_memory_limit_bytes: Some(4 << 20),
            interface_counts: vec![Statistics {
                name: "eth0".to_owned(),
                rx_packets: 7_155_881,
                rx_bytes: 10_299_600_000,
                ..Statistics::default()
            }],
            interfaces: Vec::new(),
        }),
        findings: window
            .findings
            .iter()
            .map(|finding| Active {
                since: at(80),
                finding: finding.clone(),
            })
            .collect(),
        window,
        window_seconds: 8.0,
    }
}
