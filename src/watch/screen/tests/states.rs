//! Moments of a capture, made by hand.

use super::super::*;
use crate::host::Statistics;
use crate::host::{Encapsulation, Interface, Offload, State, UdpTunnel};
use crate::model::{LinkType, Timestamp};
use crate::report::document::{Explanation, Report, Severity};
use crate::report::samples as reports;
use crate::watch::{Captured, Capturing, Host, Rates, Reassembly, Totals, samples};

/// What a diagnosis says of 14 % missing, at its usual length.
const SENTENCE: &str = "993 Mbit/s were offered to 10.2.0.2 in 65,507-byte messages of 47 \
    fragments; 3.1 % of the fragments are missing, which alone would leave 23.1 % of the \
    messages; the receiver's 4.00 MiB of reassembly memory filled up after 27.8 ms, so a \
    Linux receiver delivers 9 of 1,500 (6.15 Mbit/s). Messages of at most 1,422 bytes would \
    get 96.9 % through.";

fn explanation(sentence: &str) -> Option<Explanation> {
    Some(Explanation {
        sent_bytes: 97_500_000,
        delivered_bytes: 600_000,
        parts: Vec::new(),
        undecided_bytes: 0,
        residual_bytes: 0,
        sentence: sentence.to_owned(),
    })
}

/// Before the first frame.
pub(super) fn nothing() -> Snapshot {
    let window = reports::empty();
    let captured = Captured {
        name: "eth0".to_owned(),
        ..Captured::default()
    };
    Snapshot {
        elapsed_seconds: 1.0,
        rates: Rates::default(),
        totals: Totals::default(),
        captured: vec![captured],
        reassembly: Reassembly {
            memory_limit_bytes: 64 << 20,
            ..Reassembly::default()
        },
        host: None,
        findings: Vec::new(),
        window,
        recorder: None,
        window_seconds: 1.0,
        ..samples::snapshot()
    }
}

/// Traffic of which nothing is lost.
pub(super) fn healthy() -> Snapshot {
    let mut window = reports::healthy();
    window.explanation = explanation(
        "1.36 Mbit/s were offered and all of it can be delivered: every datagram is whole, \
         and no checksum is wrong.",
    );
    Snapshot {
        rates: Rates {
            frames_per_second: 120.0,
            offered_bits_per_second: 1_360_000.0,
            deliverable_bits_per_second: 1_360_000.0,
            datagrams_completed_per_second: 120.0,
            ..Rates::default()
        },
        totals: Totals {
            frames: 1_204,
            bytes: 1_700_240,
            deliverable_bytes: 1_700_000,
            counters: window.totals,
        },
        window,
        ..nothing()
    }
}

/// Several findings, one interface gone, the host's memory full.
pub(super) fn faulty() -> Snapshot {
    let mut snapshot = samples::snapshot();
    snapshot.window.explanation = explanation(SENTENCE);
    let worst = snapshot.findings[0].clone();
    let mut second = worst.clone();
    second.finding.id = "D01".to_owned();
    second.finding.severity = Severity::Warning;
    second.finding.title = "Fragment loss costs whole messages".to_owned();
    second.finding.missing_bytes = Some(2_464_000);
    let mut third = worst;
    third.finding.id = "D23".to_owned();
    third.finding.severity = Severity::Info;
    third.finding.title = "Old tcpdump prints \"bad length\"".to_owned();
    third.finding.missing_bytes = None;
    snapshot.findings.extend([second, third]);
    snapshot.host = Some(host());
    snapshot
}

fn host() -> Host {
    let mut host = samples::snapshot().host.unwrap_or_default();
    let counter = |name: &str| crate::watch::HostCounter {
        name: name.to_owned(),
        since_start: 0,
        per_second: 0.0,
    };
    host.counters
        .extend(["Ip6ReasmFails", "UdpInErrors", "Udp6RcvbufErrors"].map(counter));
    let eth0 = Interface {
        index: 2,
        name: "eth0".to_owned(),
        state: State::Up,
        mtu: Some(1_500),
        mac: None,
        link_type: Some(LinkType::ETHERNET),
        kind: "physical".to_owned(),
        master: None,
        parent: None,
        addresses: Vec::new(),
        encapsulation: None,
        offload: Some(Offload {
            tx_checksumming: true,
            tso: true,
            gso: true,
            gro: true,
            tx_udp_tnl_segmentation: false,
            tx_udp_tnl_csum_segmentation: false,
        }),
    };
    let overlay = Interface {
        index: 7,
        name: "vxlan.calico".to_owned(),
        kind: "vxlan".to_owned(),
        parent: Some("eth0".to_owned()),
        mtu: Some(1_450),
        encapsulation: Some(Encapsulation::Vxlan(UdpTunnel {
            id: Some(4_096),
            port: Some(4_789),
            udpcsum: Some(false),
            ..UdpTunnel::default()
        })),
        ..eth0.clone()
    };
    host.interface_counts[0].rx_dropped = 12;
    host.interfaces = vec![overlay, eth0];
    host
}

/// Flows over IPv6 and inside tunnels, and as many over IPv4 as no screen has lines for.
pub(super) fn many() -> Snapshot {
    let mut window = reports::many();
    window.explanation = explanation(SENTENCE);
    let model = reports::netperf_loss().flows.remove(0);
    for last in 1..=60_u8 {
        let mut flow = model.clone();
        flow.key.src = [10, 244, 1, last].into();
        flow.key.dst_port = Some(5_000 + u16::from(last));
        flow.counters.bytes = 1_000_000 * u64::from(last);
        flow.throughput.deliverable_bytes = 400_000 * u64::from(last % 7);
        flow.throughput.bits_per_second = Some(8e6 * f64::from(last));
        flow.throughput.deliverable_bits_per_second = Some(3.2e6 * f64::from(last % 7));
        window.flows.push(flow);
    }
    Snapshot { window, ..faulty() }
}

/// Names that try to take the terminal over, and numbers as large as there are.
pub(super) fn hostile() -> Snapshot {
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\n東京";
    let mut snapshot = faulty();
    snapshot.captured = (0..5)
        .map(|index| Captured {
            name: format!("{evil}{index}"),
            state: Capturing::Down,
            problem: Some(evil.to_owned()),
            frames: u64::MAX,
            received: u64::MAX,
            dropped: u64::MAX,
            interface_dropped: u64::MAX,
        })
        .collect();
    for active in &mut snapshot.findings {
        let finding = &mut active.finding;
        finding.id.push_str(evil);
        active.since = Time(Timestamp::MIN);
        for text in [
            &mut finding.title,
            &mut finding.name,
            &mut finding.seen,
            &mut finding.explanation,
            &mut finding.disprove,
        ] {
            text.push_str(evil);
        }
        finding.flows = vec![0, u64::MAX];
        finding.flows_total = u64::MAX;
        finding.evidence[0].note.push_str(evil);
        finding.fix[0].command.push_str(evil);
    }
    if let Some(host) = &mut snapshot.host {
        host.counters[0].name = evil.to_owned();
        host.interfaces[0].name = evil.to_owned();
        host.interfaces[0].parent = Some(evil.to_owned());
        host.interface_counts.push(Statistics {
            name: evil.to_owned(),
            rx_errors: 1,
            ..Statistics::default()
        });
        host.fragment_memory_limit_bytes = Some(0);
    }
    snapshot.window.explanation = explanation(evil);
    snapshot.elapsed_seconds = f64::INFINITY;
    snapshot.window_seconds = f64::NAN;
    snapshot.rates.offered_bits_per_second = f64::NAN;
    snapshot.rates.deliverable_bits_per_second = f64::INFINITY;
    snapshot
}

/// The same, so many seconds later.
pub(super) fn later(snapshot: &Snapshot, seconds: i64) -> Snapshot {
    let mut later = snapshot.clone();
    later.timestamp = Time(snapshot.timestamp.0 + crate::model::Duration::from_secs(seconds));
    later.elapsed_seconds += seconds as f64;
    // Up and down, so that there is something to see.
    let swing = 1.0 + ((seconds * 7) % 10) as f64 / 10.0;
    later.rates.offered_bits_per_second *= swing / 2.0;
    later.rates.deliverable_bits_per_second *= swing / 2.0;
    later
}

/// All of them, by name.
pub(super) fn all() -> [(&'static str, Snapshot); 6] {
    [
        ("nothing", nothing()),
        ("healthy", healthy()),
        ("sample", samples::snapshot()),
        ("faulty", faulty()),
        ("many", many()),
        ("hostile", hostile()),
    ]
}

/// A report without flows.
pub(super) fn silent() -> Report {
    reports::empty()
}
