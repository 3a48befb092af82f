//! Samples are what the programs printed between two namespaces: netperf 2.7.0, iperf3
//! 3.9, 3.12 and 3.18, qperf 0.4.11, nstat of iproute2 6.1.0 and ethtool 6.1 on Linux
//! 6.18. Of JSON the intervals are left out. What older versions print is inline.

mod hostile;
mod iperf3;
mod kernel;
mod netperf;
mod qperf;

use super::{Benchmark, Program, Run, Side, Unreadable, benchmark};

macro_rules! samples {
    ($($name:literal),* $(,)?) => {
        /// Every sample by the name of its file.
        const SAMPLES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("samples/", $name)))),*];
    };
}

samples![
    "iperf3-3.18-stream.json",
    "iperf3-3.18-tcp-reverse-server.json",
    "iperf3-3.18-udp-server.json",
    "iperf3-3.9-udp-bidir.json",
    "iperf3-3.9-udp-parallel.json",
    "iperf3-3.9-udp-server.json",
    "iperf3-failed.json",
    "iperf3-failed.txt",
    "iperf3-server-output.txt",
    "iperf3-server.txt",
    "iperf3-tcp-parallel.json",
    "iperf3-tcp.txt",
    "iperf3-timestamps.txt",
    "iperf3-udp-bidir-server.json",
    "iperf3-udp-bidir.json",
    "iperf3-udp-bidir.txt",
    "iperf3-udp-deaf.txt",
    "iperf3-udp-kbytes.txt",
    "iperf3-udp-parallel.txt",
    "iperf3-udp-verbose.txt",
    "iperf3-udp.json",
    "kernel-before-after.txt",
    "kernel-once.txt",
    "netperf-maerts.txt",
    "netperf-rr.txt",
    "netperf-tcp-cpu.txt",
    "netperf-tcp-v2.txt",
    "netperf-udp-confidence.txt",
    "netperf-udp-cpu.txt",
    "netperf-udp-loss.txt",
    "qperf-both.txt",
    "qperf-lat.txt",
    "qperf-nodes.txt",
    "qperf-sweep.txt",
    "qperf-udp-vv.txt",
    "qperf-unified.txt",
];

fn sample(name: &str) -> &'static str {
    let found = SAMPLES.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no sample {name}")).1
}

fn runs(text: &str, expected: Program) -> Vec<Run> {
    let Benchmark { program, runs } = benchmark(text).unwrap();
    assert_eq!(program, expected);
    runs
}

fn only<T: Clone>(all: &[T]) -> T {
    assert_eq!(all.len(), 1);
    all[0].clone()
}

fn side(messages: u64, bytes: u64, bits_per_second: f64) -> Side {
    Side {
        messages: Some(messages),
        bytes: Some(bytes),
        bits_per_second: Some(bits_per_second),
    }
}

/// Equal but for the last digits.
fn is_near(figure: Option<f64>, expected: f64) {
    let figure = figure.unwrap();
    assert!(
        (figure - expected).abs() <= expected * 1e-9,
        "{figure} is not {expected}"
    );
}

#[test]
fn what_nobody_printed_is_refused_in_a_sentence() {
    for text in ["", "hello", "sender", "1 2 3 4 5 6", "{}", "[1]", "udp_bw"] {
        assert_eq!(benchmark(text), Err(Unreadable::UnknownProgram), "{text}");
    }
    assert_eq!(
        Unreadable::UnknownProgram.to_string(),
        "neither netperf, iperf3 nor qperf printed this"
    );
}
