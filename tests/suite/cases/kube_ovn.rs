//! Kube-OVN: netperf sends UDP at 1,052 Mbit/s, and 0.86 arrive. Where old tcpdump saw
//! 2 % errors there were none, and 3 % of fragments lost are enough for the rest.

use super::stream::{Stream, grouped, netperf};
use super::told::{Beside, Told};
use crate::support::{none, pcap};

/// What the kernel of `netperf-loss3.pcap.zst` counted, between two looks at it.
const NSTAT: &str = "\
#kernel
IpReasmTimeout                  3                  0.0
IpReasmReqds                    1000               0.0
IpReasmOKs                      20                 0.0
IpReasmFails                    500                0.0
#kernel
IpReasmTimeout                  3                  0.0
IpReasmReqds                    69309              0.0
IpReasmOKs                      29                 0.0
IpReasmFails                    66544              0.0
";

#[test]
fn three_percent_of_fragments_are_enough() {
    let netperf = netperf(65_507, 1_500, 9);
    let beside = Beside {
        benchmark: Some(&netperf),
        nstat: Some(NSTAT),
    };
    Told::of_file("3 % lost", &pcap("netperf-loss3.pcap.zst"), beside)
        .finds_first("D09")
        .finds(&[
            ("D09", "error", 0.9),
            ("D01", "warning", 0.9),
            ("D23", "info", 0.9),
        ])
        .never_finds(&["D34", "D36"])
        .says(&[
            "993 Mbit/s were offered to 10.2.0.2 in 65,507-byte messages of 47 fragments; 3.1 % of \
             the fragments are missing, which alone would leave 23.1 % of the messages; the \
             receiver's 4.00 MiB of reassembly memory filled up after 27.8 ms, so a Linux receiver \
             delivers 9 of 1,500",
            "Messages of at most 1,422 bytes would get 96.9 % through.",
            "netperf sent 1,500 messages and received 9; the capture has 1,500 of them (100 %), of \
             which a Linux receiver would deliver 9.",
            "sent 1,500 (78.6 Mbit/s), received 9 (470 kbit/s)",
            "nothing unexplained",
            "IpReasmReqds the kernel says 68,309, the capture 68,309",
            "IpReasmFails the kernel says 66,044, the capture 66,044",
            "ipfrag_high_thresh 64.0 MiB, ipfrag_time 5 s: 190",
            "messages of at most 1,422 bytes: 68,309 delivered, one for each fragment",
        ])
        .holds(&[
            ("receivers.0.predicted.fragments", 68_309),
            ("receivers.0.predicted.rejected_fragments", 66_044),
            ("receivers.0.predicted.reassembled", 9),
            ("benchmark.runs.0.sent_messages", 1_500),
            ("benchmark.runs.0.received_messages", 9),
            ("benchmark.runs.0.seen_messages", 1_500),
            ("benchmark.runs.0.whole_messages", 332),
            ("benchmark.runs.0.predicted_messages", 9),
            ("benchmark.runs.0.unexplained_messages", 0),
            ("explanation.residual_bytes", 0),
        ])
        .holds(&[
            ("kernel_counters.0.name", "IpReasmReqds"),
            ("findings.0.id", "D09"),
        ])
        .ranges(&[
            (
                "receivers.0.alternatives.0.predicted.reassembled",
                10.0..=332.0,
            ),
            (
                "receivers.0.alternatives.2.predicted.reassembled",
                10.0..=332.0,
            ),
        ])
        .end();
}

/// The same at other sizes and rates: the signature is the sentence, not the sample.
#[test]
fn any_size_that_needs_fragments_fills_the_memory() {
    let mut faults = Vec::new();
    // Message, MTU, fragments of a message, largest message that needs none.
    let sizes = [
        (65_507, 1450, 47, "1,422"),
        (65_507, 9000, 8, "8,972"),
        (32_768, 1500, 23, "1,472"),
        (8_192, 1500, 6, "1,472"),
    ];
    for (message_bytes, mtu, pieces, fits) in sizes {
        let stream = Stream {
            mtu,
            message_bytes,
            messages: 60_000 / pieces,
            lost_per_mille: 60,
            ..Stream::NETPERF
        };
        let (capture, sent) = stream.captured();
        let told = Told::of_bytes(
            format!("{message_bytes} B at {mtu}"),
            &capture,
            Beside::default(),
        )
        .finds(&[("D09", "error", 0.7), ("D01", "warning", 0.9)])
        .says(&[
            &format!(
                "{}-byte messages of {pieces} fragments",
                grouped(message_bytes as u64)
            ),
            "of the fragments are missing, which alone would leave",
            "of reassembly memory filled up after",
            &format!("Messages of at most {fits} bytes would get 9"),
        ])
        .holds(&[
            ("totals.datagrams.reassembled", sent.whole),
            (
                "totals.fragments.total",
                sent.fragments - sent.lost_fragments,
            ),
            ("totals.bad_length.total", 0),
        ]);
        faults.extend(told.into_faults());
    }
    none(&faults);
}

#[test]
fn bad_length_is_no_error() {
    Told::of_file("clean", &pcap("netperf-clean.pcap.gz"), Beside::default())
        .finds_no_fault()
        .finds(&[("D23", "info", 0.9)])
        .says(&[
            "0 datagrams with a bad length; 20 first fragments that old tcpdump (4.7-4.9.3) would \
             have called so",
            "all of it can be delivered",
        ])
        .holds(&[
            ("totals.bad_length.total", 0),
            ("totals.bad_length.first_fragment_artifact", 20),
            ("totals.fragments.full_size", 46 * 20),
            ("totals.datagrams.reassembled", 20),
        ])
        .end();
}

/// More was received than the capture has, so that the capture lost it: with the
/// figures of the report, and with others.
#[test]
fn a_capture_that_lost_most_says_so() {
    // Messages sent, received and captured; the captured share; MTU: that of a loopback
    // device keeps the large one small.
    let cases = [
        (623_744, 618_000, 84_701, "13.6 %", 32_780),
        (1_000, 990, 136, "13.6 %", 1450),
        (239_098, 238_000, 63_280, "26.5 %", 32_780),
    ];
    let mut faults = Vec::new();
    for (sent, received, captured, share, mtu) in cases {
        let stream = Stream {
            mtu,
            messages: captured,
            messages_per_second: 10_000.0,
            ..Stream::NETPERF
        };
        let netperf = netperf(65_507, sent, received);
        let beside = Beside {
            benchmark: Some(&netperf),
            ..Beside::default()
        };
        let captured = u64::from(captured);
        let told = Told::of_bytes(
            format!("{captured} of {sent}"),
            &stream.captured().0,
            beside,
        )
        .finds_first("D36")
        .finds(&[("D36", "warning", 0.9)])
        .never_finds(&["D01", "D09", "D34"])
        .says(&[
            &format!(
                "The capture has {} of {} messages that were sent ({share}). {} more were \
                     received than it has: the capture lost at least those.",
                grouped(captured),
                grouped(sent),
                grouped(received - captured),
            ),
            &format!("{} first fragments that old tcpdump", grouped(captured)),
            &format!(
                "More were received than that: the capture itself lost at least {} messages (D36).",
                grouped(received - captured)
            ),
            "too few of those sent to say what is unexplained",
        ])
        .holds(&[
            ("benchmark.runs.0.seen_messages", captured),
            ("benchmark.runs.0.whole_messages", captured),
            ("benchmark.runs.0.not_seen_messages", sent - captured),
            ("totals.bad_length.first_fragment_artifact", captured),
        ])
        .holds(&[(
            "benchmark.runs.0.unexplained_messages",
            serde_json::Value::Null,
        )]);
        faults.extend(told.into_faults());
    }
    none(&faults);
}

/// 65,536 identifications: at 10,000 datagrams a second they come round within 30 s.
#[test]
fn identifications_that_come_round_are_named() {
    let mut faults = Vec::new();
    let rates = [
        (10_000.0, Some("6.5")),
        (2_500.0, Some("26.")),
        (2_000.0, None),
        (500.0, None),
    ];
    for (messages_per_second, round) in rates {
        let stream = Stream {
            message_bytes: 2_800,
            messages: 2_000,
            messages_per_second,
            ..Stream::NETPERF
        };
        let case = format!("{messages_per_second} datagrams/s");
        let told = Told::of_bytes(case, &stream.captured().0, Beside::default()).finds_no_fault();
        let told = match round {
            Some(seconds) => told.finds(&[("D14", "info", 0.0)]).says(&[
                &format!("needs all 65,536 identifications in {seconds}"),
                "Linux keeps an unfinished datagram for 30 s",
            ]),
            None => told.never_finds(&["D14"]),
        };
        faults.extend(told.into_faults());
    }
    none(&faults);
}
