//! Texts that nobody printed.

use super::super::{Benchmark, MAX_RUNS, Run, Side, Unreadable, benchmark, kernel_counters};
use super::SAMPLES;
use proptest::prelude::*;

/// Reads it as everything, and holds what comes out to what is promised.
fn read_all(text: &str) {
    match benchmark(text) {
        Ok(Benchmark { runs, .. }) => {
            assert!((1..=MAX_RUNS).contains(&runs.len()));
            runs.iter().for_each(is_sound);
        }
        Err(error) => is_printable(error),
    }
    match kernel_counters(text) {
        Ok(counters) => {
            let mut names = counters.values.keys();
            assert!(names.all(|name| name.bytes().all(|byte| byte.is_ascii_graphic())));
        }
        Err(error) => is_printable(error),
    }
}

fn is_sound(run: &Run) {
    let rate = |side: &Side| side.bits_per_second;
    let figures = [run.seconds, rate(&run.sent), rate(&run.received)];
    let is_figure = |figure: &f64| figure.is_finite() && *figure >= 0.0;
    assert!(figures.iter().flatten().all(is_figure), "{run:?}");
}

fn is_printable(error: Unreadable) {
    let sentence = error.to_string();
    assert!(sentence.chars().all(|c| !c.is_control()), "{sentence:?}");
    assert!(sentence.len() < 200);
}

#[test]
fn every_beginning_of_every_sample_can_be_read() {
    for (_, text) in SAMPLES {
        for end in 0..=text.len() {
            if let Some(beginning) = text.get(..end) {
                read_all(beginning);
            }
        }
    }
}

#[test]
fn every_sample_can_be_read_without_any_one_of_its_lines() {
    for (_, text) in SAMPLES {
        let lines: Vec<&str> = text.lines().collect();
        for left_out in 0..lines.len() {
            let mut others = lines.clone();
            others.remove(left_out);
            read_all(&others.join("\n"));
        }
    }
}

#[test]
fn figures_that_cannot_be_are_unknown() {
    for figure in ["1e308", "nan", "inf", "-1", "9".repeat(400).as_str()] {
        for (_, text) in SAMPLES {
            for digit in ["2", "5", "1.00", "203"] {
                read_all(&text.replace(digit, figure));
            }
        }
    }
}

#[test]
fn runs_are_bounded() {
    let header = "bytes bytes secs # # 10^6bits/sec\n";
    let rows = "212992 65507 1.00 1 0 1.00\n".repeat(MAX_RUNS);
    let text = format!("{header}{rows}");
    assert_eq!(benchmark(&text).unwrap().runs.len(), MAX_RUNS);
    let beyond = benchmark(&format!("{text}212992 65507 1.00 1 0 1.00\n"));
    assert_eq!(beyond, Err(Unreadable::TooManyRuns));

    let streams = (0..=MAX_RUNS).map(|id| {
        format!("[{id}] 0.00-1.00 sec 1.00 MBytes 1.00 Mbits/sec 0.000 ms 0/1 (0%) sender\n")
    });
    let beyond = benchmark(&streams.collect::<String>());
    assert_eq!(beyond, Err(Unreadable::TooManyRuns));
}

#[test]
fn deep_documents_are_refused() {
    let deep = "[".repeat(100_000);
    let text = format!("{{\"start\": {{\"version\": \"iperf 3.12\"}}, \"end\": {deep}");
    assert_eq!(benchmark(&text), Err(Unreadable::BadJson { line: 1 }));
}

/// Words that mean something to one of the readers, and some that do not.
fn word() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "[ ID]",
        "[  5]",
        "[SUM]",
        "[TX-C]",
        "[",
        "]",
        "0.00-1.00",
        "1.00-0.00",
        "sec",
        "MBytes",
        "Bytes",
        "Mbits/sec",
        "KBytes/sec",
        "0/3",
        "5/3",
        "(2%)",
        "sender",
        "receiver",
        "- - - - - -",
        "Datagrams",
        "Sent",
        "datagrams",
        "Server output:",
        "iperf Done.",
        "Connecting to host",
        "iperf3: error",
        "bytes",
        "secs",
        "secs.",
        "#",
        "10^6bits/sec",
        "UDP STREAM TEST",
        "udp_bw:",
        "tcp_bw:",
        "=",
        "recv_bw",
        "bw",
        "msg_size",
        "GB/sec",
        "KiB",
        "(1,024)",
        "Ip:",
        "IpReasmFails",
        "ReasmFails",
        "FRAG:",
        "inuse",
        "memory",
        "NIC statistics:",
        "rx_errors:",
        "{",
        "}",
        "\"iperf 3\"",
        "\"end\":",
        "{\"sum\":",
        ":",
        "18446744073709551615",
        "18446744073709551616",
        "1",
        "0",
        "1.5",
        "-1",
        "é",
        "\u{1b}[2J",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => ".{0,8}"]
}

proptest! {
    #[test]
    fn no_text_is_too_much(text in "(?s).{0,400}") {
        read_all(&text);
    }

    #[test]
    fn no_order_of_known_words_is_too_much(
        words in prop::collection::vec((word(), prop::sample::select(vec![" ", "\n", "  "])), 0..120)
    ) {
        let text: String = words.into_iter().flat_map(|(word, end)| [word, end.to_owned()]).collect();
        read_all(&text);
    }
}
