//! OpenStack: `qperf -oo msg_size:1:64k:*2 udp_bw` from VM to VM. Where fragments do not
//! get through, there is a cliff at the MTU.

use super::stream::{Around, Sent, Stream, grouped, qperf};
use super::told::{Beside, Told};
use crate::support::none;

const FIRST_PORT: u16 = 33_000;
const MESSAGES: u32 = 1_000;

/// Message sizes of a sweep; qperf takes new ports for each.
fn sizes() -> impl Iterator<Item = (u16, usize)> {
    (FIRST_PORT..).zip((0..16).map(|power| 1 << power))
}

/// What a sweep through a lossy path is, in a capture and in the words of qperf.
fn sweep(around: Around, lost_per_mille: u64) -> (Vec<u8>, String, Vec<Sent>) {
    let mut capture = Stream::no_capture();
    let mut printed = String::new();
    let mut all = Vec::new();
    for (port, message_bytes) in sizes() {
        let stream = Stream {
            around,
            message_bytes,
            lost_per_mille,
            port,
            messages: MESSAGES,
            ..Stream::NETPERF
        };
        let sent = stream.send(&mut capture);
        printed += &qperf(message_bytes, sent.messages, sent.whole);
        all.push(sent);
    }
    (capture.bytes, printed, all)
}

const VXLAN: Around = Around::Vxlan {
    port: 4789,
    vni: 1001,
};

#[test]
fn the_cliff_is_at_the_mtu() {
    let (capture, qperf, all) = sweep(VXLAN, 100);
    let beside = Beside {
        benchmark: Some(&qperf),
        ..Beside::default()
    };
    let mut told = Told::of_bytes("a tenth lost", &capture, beside).says(&[
        "messages of up to 32,768 bytes and 24 fragments",
        "qperf sent about 1,001 messages of 32,768 bytes and received about",
        "Datagram sizes of",
        "larger ones do not get through as smaller ones do",
        "10.16.0.8 > 10.16.0.9 udp, in vxlan 1001 192.0.2.1 > 192.0.2.2:4789",
        "1,024 - 2,047 1,000 100 % ####################",
        "of unknown size: the last fragment never came",
    ]);
    for ((port, message_bytes), sent) in sizes().zip(&all) {
        let flow = told.flow_to(port);
        let run = usize::from(port - FIRST_PORT);
        let whole = sent.whole as f64;
        // Datagrams without their first fragment are in the flow without ports.
        told = told
            .holds(&[
                (
                    &*format!("flows.{flow}.throughput.deliverable_datagrams"),
                    sent.whole,
                ),
                (
                    &*format!("benchmark.runs.{run}.message_bytes"),
                    message_bytes as u64,
                ),
                (&*format!("benchmark.runs.{run}.whole_messages"), sent.whole),
            ])
            .ranges(&[
                (
                    &*format!("benchmark.runs.{run}.sent_messages"),
                    994.0..=1006.0,
                ),
                (
                    &*format!("benchmark.runs.{run}.received_messages"),
                    whole * 0.994 - 1.0..=whole * 1.006 + 1.0,
                ),
                (
                    &*format!("benchmark.runs.{run}.seen_messages"),
                    750.0..=1000.0,
                ),
            ]);
        let delivered = delivered_share(&told, flow);
        if (delivered < 1.0) != (message_bytes > 1422) {
            told.fault(format!(
                "{delivered} of {message_bytes} bytes are delivered"
            ));
        }
        told = told.says(&[&format!("{} B sent about ", grouped(message_bytes as u64))]);
    }
    told.end();
}

/// Nothing comes but what needs no fragments: the physical host to the provider VM.
#[test]
fn nothing_above_the_mtu_comes_through() {
    let mut faults = Vec::new();
    for around in [Around::Nothing, VXLAN] {
        let (capture, qperf, _) = sweep(around, 900);
        let beside = Beside {
            benchmark: Some(&qperf),
            ..Beside::default()
        };
        let mut told = Told::of_bytes("nearly all lost", &capture, beside)
            .says(&["1,024 - 2,047 1,000 100 %", "65,535"])
            .never_says(&["residual"]);
        for (port, message_bytes) in sizes().filter(|(_, bytes)| *bytes >= 16_384) {
            let delivered = delivered_share(&told, told.flow_to(port));
            if delivered > 0.0 {
                told.fault(format!(
                    "{delivered} of {message_bytes} bytes are delivered"
                ));
            }
        }
        faults.extend(told.into_faults());
    }
    none(&faults);
}

/// A sweep without loss has no cliff, and every run is what it says.
#[test]
fn no_loss_has_no_cliff() {
    let (capture, qperf, _) = sweep(VXLAN, 0);
    let beside = Beside {
        benchmark: Some(&qperf),
        ..Beside::default()
    };
    let mut told = Told::of_bytes("no loss", &capture, beside)
        .finds_no_fault()
        .says(&["all of it can be delivered"])
        .never_says(&["Datagram sizes", "lost behind this point"]);
    for run in 0..16 {
        told = told.holds(&[
            (&*format!("benchmark.runs.{run}.seen_messages"), 1_000),
            (&*format!("benchmark.runs.{run}.unexplained_messages"), 0),
        ]);
    }
    told.end();
}

fn delivered_share(told: &Told, flow: usize) -> f64 {
    let sizes = told.json["flows"][flow]["sizes"].as_array();
    let sum = |name: &str| -> u64 {
        let of = sizes
            .into_iter()
            .flatten()
            .map(|class| class[name].as_u64());
        of.flatten().sum()
    };
    sum("delivered") as f64 / sum("datagrams").max(1) as f64
}
