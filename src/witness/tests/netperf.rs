//! netperf's tables.

use super::super::{Program, Run, Side, Transport, Unreadable, benchmark};
use super::{is_near, only, runs, sample, side};

fn read(text: &str) -> Vec<Run> {
    runs(text, Program::Netperf)
}

/// A UDP table in some unit.
fn table(unit: &str) -> String {
    format!(
        "bytes   bytes    secs            #      #   {unit}\n\n\
         212992   1400   1.00       114964      0    2.00\n\
         212992           1.00        78464           1.00\n"
    )
}

#[test]
fn udp_has_a_sender_and_a_receiver() {
    let run = only(&read(sample("netperf-udp-loss.txt")));
    assert_eq!(run.transport, Transport::Udp);
    assert_eq!(run.message_bytes, Some(65_507));
    assert_eq!(run.seconds, Some(2.0));
    assert_eq!(run.sent, side(19_778, 19_778 * 65_507, 5_181_780_000.0));
    assert_eq!(run.received, side(101, 101 * 65_507, 26_460_000.0));
    assert_eq!(run.lost_messages, None);
}

#[test]
fn more_columns_and_warnings_change_nothing() {
    let run = only(&read(sample("netperf-udp-cpu.txt")));
    assert_eq!(run.sent.messages, Some(8332));
    assert_eq!(run.received.messages, Some(6724));
    is_near(run.received.bits_per_second, 3_523.1e6);
    let run = only(&read(sample("netperf-udp-confidence.txt")));
    assert_eq!(run.received.messages, Some(9097));
}

#[test]
fn tcp_has_one_figure_of_the_host_that_ran_netperf() {
    let run = only(&read(sample("netperf-tcp-v2.txt")));
    assert_eq!(run.transport, Transport::Tcp);
    assert_eq!((run.message_bytes, run.seconds), (Some(16_384), Some(1.0)));
    is_near(run.sent.bits_per_second, 6_369.52e6);
    assert_eq!(run.received, Side::default());

    let run = only(&read(sample("netperf-maerts.txt")));
    is_near(run.received.bits_per_second, 8_512.88e6);
    assert_eq!(run.sent, Side::default());

    let run = only(&read(sample("netperf-tcp-cpu.txt")));
    is_near(run.sent.bits_per_second, 6_377.73e6);
}

#[test]
fn each_unit_is_what_it_is() {
    let units = [
        ("10^3bits/sec", 1e3),
        ("10^6bits/sec", 1e6),
        ("10^6bits/s", 1e6),
        ("10^9bits/sec", 1e9),
        ("KBytes/sec", 8.0 * 1024.0),
        ("MBytes/sec", 8.0 * 1024.0 * 1024.0),
        ("GBytes/sec", 8.0 * 1024.0 * 1024.0 * 1024.0),
    ];
    for (unit, bits) in units {
        let run = only(&read(&table(unit)));
        assert_eq!(run.sent.bits_per_second, Some(2.0 * bits), "{unit}");
        assert_eq!(run.received.bits_per_second, Some(bits), "{unit}");
    }
    let run = only(&read(&table("Trans/s")));
    assert_eq!(run.sent.bits_per_second, None);
    assert_eq!(run.received.messages, Some(78_464));
}

#[test]
fn runs_without_a_header_follow_those_with_one() {
    // As a script prints them: `-P 0` from the second run on.
    let more = "212992   65507   1.00         8949      0    4689.18\n\
                212992           1.00         7497           3928.35\n";
    let text = format!("{}$ again\n{more}\n{more}", sample("netperf-udp-loss.txt"));
    let received = read(&text).into_iter().map(|run| run.received.messages);
    assert!(received.eq([Some(101), Some(7497), Some(7497)]));
}

#[test]
fn a_receiver_that_is_cut_off_is_unknown() {
    let text = sample("netperf-udp-loss.txt");
    let (sender, _) = text.split_once("212992           2.00").unwrap();
    assert_eq!(only(&read(sender)).received, Side::default());
}

#[test]
fn request_and_response_is_no_bandwidth() {
    let program = Program::Netperf;
    let read = benchmark(sample("netperf-rr.txt"));
    assert_eq!(read, Err(Unreadable::NoRun { program }));
    let after = format!(
        "{}{}",
        sample("netperf-udp-loss.txt"),
        sample("netperf-rr.txt")
    );
    assert_eq!(benchmark(&after).unwrap().runs.len(), 1);
}
