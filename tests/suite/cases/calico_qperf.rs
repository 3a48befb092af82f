//! Calico: `qperf udp_bw` between pods on two hosts, 32 KiB messages; of gigabytes sent
//! a second, kilobytes arrive.

use super::stream::{Around, Sent, Stream, grouped, qperf_counted};
use super::told::{Beside, Told};
use crate::support::none;

struct Path {
    name: &'static str,
    around: Around,
    mtu: usize,
    message_bytes: usize,
    pieces: u32,
    lost_per_mille: u64,
}

const PATHS: [Path; 5] = [
    path("host to host", Around::Nothing, 1500, 23, 30),
    path("pod to pod, IPIP", Around::Ipip, 1480, 23, 30),
    path(
        "pod to pod, VXLAN",
        Around::Vxlan {
            port: 4789,
            vni: 4096,
        },
        1450,
        24,
        30,
    ),
    path("most lost", Around::Ipip, 1480, 23, 400),
    Path {
        message_bytes: 8_192,
        ..path("8 KiB", Around::Ipip, 1480, 6, 200)
    },
];

const fn path(
    name: &'static str,
    around: Around,
    mtu: usize,
    pieces: u32,
    lost_per_mille: u64,
) -> Path {
    Path {
        name,
        around,
        mtu,
        message_bytes: 32_768,
        pieces,
        lost_per_mille,
    }
}

impl Path {
    fn stream(&self) -> Stream {
        Stream {
            around: self.around,
            mtu: self.mtu,
            message_bytes: self.message_bytes,
            messages: 20_000 / self.pieces,
            messages_per_second: 3_600.0,
            lost_per_mille: self.lost_per_mille,
            port: 19_765,
        }
    }

    fn told(&self, capture: &[u8], sent: &Sent, received: u64) -> Told {
        let qperf = qperf_counted(self.message_bytes, sent.messages, received);
        let beside = Beside {
            benchmark: Some(&qperf),
            ..Beside::default()
        };
        Told::of_bytes(self.name, capture, beside)
    }
}

/// Messages that left, fragments that arrived, messages that are whole, messages that
/// the receiver gets: each is a figure, and nothing is left unexplained.
#[test]
fn every_step_from_sent_to_received_has_a_figure() {
    let mut faults = Vec::new();
    for path in &PATHS {
        let (capture, sent) = path.stream().captured();
        // What qperf says is what the model says: the model is held against kernels elsewhere.
        let first = path.told(&capture, &sent, 0);
        let predicted = first.json["receivers"][0]["predicted"]["reassembled"].clone();
        let received = predicted.as_u64().expect("a receiver is modelled");
        let arrived = sent.fragments - sent.lost_fragments;
        let mut told = path
            .told(&capture, &sent, received)
            .finds_first("D09")
            .finds(&[("D01", "warning", 0.9)])
            .never_finds(&["D34", "D36"])
            .holds(&[
                ("benchmark.runs.0.sent_messages", sent.messages),
                ("benchmark.runs.0.received_messages", received),
                ("benchmark.runs.0.whole_messages", sent.whole),
                ("receivers.0.predicted.fragments", arrived),
                ("totals.datagrams.reassembled", sent.whole),
                (
                    "flows.0.largest_datagram_bytes",
                    path.message_bytes as u64 + 28,
                ),
            ])
            .says(&[
                &format!(
                    "{}-byte messages of {} fragments",
                    grouped(path.message_bytes as u64),
                    path.pieces
                ),
                "of reassembly memory filled up after",
                &format!(
                    "qperf sent {} messages and received {}",
                    grouped(sent.messages),
                    grouped(received)
                ),
                &format!(
                    "whole {}, delivered by a Linux receiver",
                    grouped(sent.whole)
                ),
                &format!("of {} fragments: reassembly memory full", grouped(arrived)),
            ]);
        if received >= sent.whole.max(1) {
            told.fault(format!("{received} delivered of {} whole", sent.whole));
        }
        let unexplained = told.json["benchmark"]["runs"][0]["unexplained_messages"].as_i64();
        if unexplained.is_none_or(|messages| messages.abs() > 5) {
            told.fault(format!("{unexplained:?} messages are unexplained"));
        }
        faults.extend(told.into_faults());
    }
    none(&faults);
}

/// Pods on one host lose nothing, and are told so.
#[test]
fn pods_on_one_host_are_fine() {
    let path = Path {
        lost_per_mille: 0,
        ..path("same host", Around::Nothing, 1450, 24, 0)
    };
    let (capture, sent) = path.stream().captured();
    path.told(&capture, &sent, sent.messages)
        .finds_no_fault()
        .says(&["all of it can be delivered", "nothing unexplained"])
        .holds(&[("benchmark.runs.0.unexplained_messages", 0)])
        .end();
}
