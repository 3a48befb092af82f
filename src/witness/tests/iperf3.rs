//! iperf3, text and JSON.

use super::super::{Program, Run, Side, Transport, Unreadable, benchmark};
use super::{is_near, only, runs, sample, side};

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

fn read(name: &str) -> Vec<Run> {
    runs(sample(name), Program::Iperf3)
}

fn near(side: Side, messages: Option<u64>, bytes: f64, bits_per_second: f64) {
    assert_eq!(side.messages, messages);
    assert_eq!(side.bytes, Some(bytes.round() as u64));
    is_near(side.bits_per_second, bits_per_second);
}

#[test]
fn what_is_lost_at_the_end_is_not_called_lost() {
    let run = only(&read("iperf3-udp-deaf.txt"));
    assert_eq!(run.transport, Transport::Udp);
    assert_eq!((run.message_bytes, run.seconds), (None, Some(2.0)));
    near(run.sent, Some(3815), 238.0 * MIB, 1e9);
    near(run.received, Some(156), 9.75 * MIB, 40.9e6);
    assert_eq!(run.lost_messages, Some(47));
}

#[test]
fn parallel_streams_are_their_sum() {
    let run = only(&read("iperf3-udp-parallel.txt"));
    near(run.sent, Some(36_820), 281.0 * MIB, 2.34e9);
    near(run.received, Some(36_758 - 9235), 210.0 * MIB, 1.75e9);
    assert_eq!(run.lost_messages, Some(9235));
}

#[test]
fn streams_without_a_sum_are_runs() {
    let text = sample("iperf3-udp-parallel.txt");
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("er")).collect();
    let rows = runs(&rows[..4].join("\n"), Program::Iperf3);
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|run| run.sent.messages == Some(18_410)));
}

#[test]
fn tcp_has_no_messages() {
    let run = only(&read("iperf3-tcp.txt"));
    assert_eq!(run.transport, Transport::Tcp);
    near(run.sent, None, 1.06 * GIB, 9.06e9);
    near(run.received, None, 1.05 * GIB, 9e9);
    assert_eq!(run.lost_messages, None);
}

#[test]
fn each_direction_is_a_run() {
    let both = read("iperf3-udp-bidir.txt");
    assert_eq!(both.len(), 2);
    for run in both {
        near(run.sent, Some(4467), 5.96 * MIB, 50e6);
        assert_eq!(run.received.messages, Some(4467));
    }
}

#[test]
fn units_of_bytes_are_binary() {
    let run = only(&read("iperf3-udp-kbytes.txt"));
    near(run.sent, Some(8934), 11.9 * MIB, 12_196.0 * 1024.0 * 8.0);
}

#[test]
fn verbose_output_says_the_message_size() {
    let run = only(&read("iperf3-udp-verbose.txt"));
    assert_eq!(run.message_bytes, Some(1398));
}

#[test]
fn the_server_s_output_is_the_same_run() {
    let run = only(&read("iperf3-server-output.txt"));
    assert_eq!(run.sent.messages, Some(894));
}

#[test]
fn times_of_day_are_passed_over() {
    let run = only(&read("iperf3-timestamps.txt"));
    near(run.received, Some(90), 123.0 * 1024.0, 1.01e6);
}

#[test]
fn a_server_prints_what_it_received_of_each_test() {
    let runs = read("iperf3-server.txt");
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run.sent == Side::default()));
    let received: Vec<_> = runs.iter().map(|run| run.received.messages).collect();
    assert_eq!(received, [Some(17_739), Some(27_523), None]);
    assert_eq!(runs[0].lost_messages, Some(90));
    near(runs[2].received, None, 1.05 * GIB, 9e9);
}

#[test]
fn summaries_that_follow_each_other_are_runs() {
    let text = sample("iperf3-udp-deaf.txt");
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("er")).collect();
    let twice = [rows.join("\n"), rows.join("\n")].join("\n");
    let twice = runs(&twice, Program::Iperf3);
    assert_eq!(twice.len(), 2);
    assert_eq!(twice[0], twice[1]);
    assert_eq!(twice[0].transport, Transport::Udp);
}

#[test]
fn old_versions_sum_udp_up_in_one_line() {
    // As version 3.1 prints it.
    let client = "\
Connecting to host 192.0.2.2, port 5201
[  4] local 192.0.2.1 port 53812 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bandwidth       Total Datagrams
[  4]   0.00-1.00   sec   116 KBytes   950 Kbits/sec  80
[  4]   1.00-2.00   sec   129 KBytes  1.05 Mbits/sec  89
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  4]   0.00-2.00   sec   245 KBytes  1.00 Mbits/sec  0.011 ms  9/168 (5.4%)
[  4] Sent 169 datagrams

iperf Done.
";
    let run = only(&runs(client, Program::Iperf3));
    near(run.sent, Some(169), 245.0 * 1024.0, 1e6);
    assert_eq!(run.received.messages, Some(159));
    assert_eq!(run.received.bytes, None);
    assert_eq!(run.lost_messages, Some(9));

    let server = "\
Accepted connection from 192.0.2.1, port 53252
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  5]   0.00-1.00   sec   116 KBytes   950 Kbits/sec  0.012 ms  3/80 (3.8%)
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  5]   0.00-2.04   sec  0.00 Bytes  0.00 bits/sec  0.012 ms  9/168 (5.4%)
";
    let run = only(&runs(server, Program::Iperf3));
    assert_eq!(run.sent, Side::default());
    assert_eq!(run.received.messages, Some(159));
    assert_eq!(run.seconds, Some(2.04));
}

#[test]
fn nothing_received_is_a_figure_and_its_loss_unknown() {
    let text = sample("iperf3-udp-deaf.txt").replace(
        "9.75 MBytes  40.9 Mbits/sec  0.037 ms  47/203 (23%)",
        "0.00 Bytes  0.00 bits/sec  0.000 ms  0/0 (0%)",
    );
    let run = only(&runs(&text, Program::Iperf3));
    assert_eq!(run.received, side(0, 0, 0.0));
    assert_eq!(run.lost_messages, None);
}

#[test]
fn a_failed_run_is_an_error() {
    let text = benchmark(sample("iperf3-failed.txt"));
    assert_eq!(text, Err(Unreadable::Failed { line: 2 }));
    let json = benchmark(sample("iperf3-failed.json"));
    assert_eq!(json, Err(Unreadable::Failed { line: 1 }));
}

#[test]
fn a_run_that_was_cut_off_has_no_result() {
    let text = sample("iperf3-tcp.txt");
    let (intervals, _) = text.split_once("- - -").unwrap();
    let program = Program::Iperf3;
    assert_eq!(benchmark(intervals), Err(Unreadable::NoRun { program }));
}

#[test]
fn json_is_exact() {
    let run = only(&read("iperf3-udp.json"));
    assert_eq!(run.transport, Transport::Udp);
    assert_eq!(run.message_bytes, Some(1400));
    assert_eq!(run.seconds, Some(1.000103));
    assert_eq!(run.sent, side(17_843, 24_980_200, 199_821_018.435_101_18));
    assert_eq!(
        run.received,
        side(17_801, 24_921_400, 199_337_511.960_478_66)
    );
    assert_eq!(run.lost_messages, Some(42));

    let run = only(&read("iperf3-tcp-parallel.json"));
    assert_eq!(run.transport, Transport::Tcp);
    assert_eq!(run.sent.messages, None);
    assert_eq!(run.sent.bytes, Some(1_169_424_384));
    assert_eq!(run.received.bytes, Some(1_160_773_632));
}

#[test]
fn old_json_knows_what_was_sent_and_what_was_missed() {
    let run = only(&read("iperf3-3.9-udp-parallel.json"));
    assert_eq!(run.sent.bytes, Some(24_981_600));
    assert_eq!(run.sent.messages, Some(17_844));
    assert_eq!(run.received.messages, Some(17_844));
    assert_eq!(run.received.bytes, None);

    let run = only(&read("iperf3-3.9-udp-server.json"));
    assert_eq!(run.sent, Side::default());
    assert_eq!(run.received.messages, Some(8923));
}

#[test]
fn json_of_a_server_says_nothing_of_the_client() {
    let run = only(&read("iperf3-3.18-udp-server.json"));
    assert_eq!(run.sent, Side::default());
    assert_eq!(run.received, side(8929, 12_500_600, 99_900_603.670_371_8));

    let run = only(&read("iperf3-3.18-tcp-reverse-server.json"));
    assert_eq!(run.sent.bytes, Some(1_543_766_016));
    assert_eq!(run.received, Side::default());

    let both = read("iperf3-udp-bidir-server.json");
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].sent, Side::default());
    assert_eq!(both[0].received.messages, Some(39));
    assert_eq!(both[1].sent.messages, Some(39));
    assert_eq!(both[1].received, Side::default());
}

#[test]
fn json_has_a_run_for_each_direction() {
    let both = read("iperf3-udp-bidir.json");
    let sent: Vec<_> = both.iter().map(|run| run.sent.messages).collect();
    assert_eq!(sent, [Some(4467), Some(4472)]);
    // Version 3.9 writes the same name twice.
    assert_eq!(read("iperf3-3.9-udp-bidir.json").len(), 1);
}

#[test]
fn a_stream_of_events_is_one_run() {
    let run = only(&read("iperf3-3.18-stream.json"));
    assert_eq!(run.message_bytes, Some(1398));
    assert_eq!(run.sent, side(896, 1_252_608, 10_002_788.960_348_65));
    let failed = format!(
        "{}{{\"event\":\"error\",\"data\":\"refused\"}}\n",
        sample("iperf3-3.18-stream.json")
    );
    assert_eq!(benchmark(&failed), Err(Unreadable::Failed { line: 4 }));
}

#[test]
fn several_documents_are_several_runs() {
    let text = [
        sample("iperf3-udp.json"),
        "and now with TCP\n",
        sample("iperf3-tcp-parallel.json"),
    ]
    .concat();
    assert_eq!(runs(&text, Program::Iperf3).len(), 2);
}

#[test]
fn damage_to_json_is_found_by_its_line() {
    let text = sample("iperf3-udp.json");
    let (before, _) = text.split_once("\"sum_sent\"").unwrap();
    let line = before.lines().count();
    assert_eq!(benchmark(before), Err(Unreadable::BadJson { line }));
}

#[test]
fn the_second_iperf_is_another_program() {
    let text = "\
Client connecting to 192.0.2.2, UDP port 5001
[  3] local 192.0.2.1 port 48802 connected with 192.0.2.2 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-60.0 sec   719 MBytes   100 Mbits/sec
[  3] Sent 512675 datagrams
[  3] Server Report:
[  3]  0.0-60.0 sec   684 MBytes  95.7 Mbits/sec   0.106 ms 24605/512674 (4.8%)
";
    assert_eq!(benchmark(text), Err(Unreadable::UnknownProgram));
}
