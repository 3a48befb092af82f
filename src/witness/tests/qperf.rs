//! qperf's blocks.

use super::super::{Program, Run, Side, Transport, Unreadable, benchmark};
use super::{is_near, only, runs, sample, side};

fn read(name: &str) -> Vec<Run> {
    runs(sample(name), Program::Qperf)
}

fn received(line: &str) -> Side {
    only(&runs(&format!("tcp_bw:\n    {line}\n"), Program::Qperf)).received
}

#[test]
fn verbose_output_has_everything() {
    let run = only(&read("qperf-udp-vv.txt"));
    assert_eq!(run.transport, Transport::Udp);
    assert_eq!((run.message_bytes, run.seconds), (Some(32_768), Some(1.0)));
    assert_eq!(run.sent, side(13_745, 450_000_000, 3.6e9));
    assert_eq!(run.received, side(10_144, 332_398_592, 2.656e9));
    assert_eq!(run.lost_messages, None);
}

#[test]
fn each_test_is_a_run() {
    let both = read("qperf-both.txt");
    let transports: Vec<_> = both.iter().map(|run| run.transport).collect();
    assert_eq!(transports, [Transport::Udp, Transport::Tcp]);
    assert_eq!(both[1].sent, Side::default());
    is_near(both[1].received.bits_per_second, 8.72e9);
}

#[test]
fn a_sweep_is_a_run_for_each_size() {
    let sweep = read("qperf-sweep.txt");
    let sizes: Vec<_> = sweep.iter().filter_map(|run| run.message_bytes).collect();
    assert_eq!(sizes, [1, 4, 16, 64, 256, 1024, 4096, 16_384]);
    is_near(sweep[0].sent.bits_per_second, 124e3 * 8.0);
    is_near(sweep[4].received.bits_per_second, 20.6e6 * 8.0);
}

#[test]
fn columns_of_each_host_are_the_same_columns() {
    let run = only(&read("qperf-nodes.txt"));
    assert_eq!(run.message_bytes, Some(65_500));
    assert_eq!(run.sent, side(7340, 481_000_000, 481e6 * 8.0));
    assert_eq!(run.received.messages, Some(5770));
}

#[test]
fn unified_units_are_units() {
    let run = only(&read("qperf-unified.txt"));
    assert_eq!(run.sent.bits_per_second, Some(444_727_296.0 * 8.0));
    is_near(run.seconds, 1.0);
}

#[test]
fn each_unit_is_what_it_is() {
    let rates = [
        ("0 bytes/sec", 0.0),
        ("140 KB/sec", 140e3 * 8.0),
        ("13.3 MB/sec", 13.3e6 * 8.0),
        ("3.13 GB/sec", 3.13e9 * 8.0),
        ("1 TB/sec", 8e12),
        ("5 bits/sec", 5.0),
        ("5 Kb/sec", 5e3),
        ("5 Mb/sec", 5e6),
        ("11.9 Gb/sec", 11.9e9),
    ];
    for (text, bits) in rates {
        is_near(received(&format!("bw = {text}")).bits_per_second, bits);
    }
    let side = received("bw = 1 GB/sec\nrecv_msgs = 1.23 million\nrecv_bytes = 2 MiB");
    assert_eq!(side.messages, Some(1_230_000));
    assert_eq!(side.bytes, Some(2 << 20));
    let side = received("bw = 1 GB/sec\nrecv_msgs = 1 dozen\nrecv_bytes = 2 pages");
    assert_eq!((side.messages, side.bytes), (None, None));
}

#[test]
fn latency_is_no_bandwidth() {
    let program = Program::Qperf;
    let read = benchmark(sample("qperf-lat.txt"));
    assert_eq!(read, Err(Unreadable::NoRun { program }));
    let both = [sample("qperf-both.txt"), sample("qperf-lat.txt")].concat();
    assert_eq!(benchmark(&both).unwrap().runs.len(), 2);
}
