//! The program as a process: what it prints, and that it is safe to look at.

use crate::support::{at, count, fraglens, pcap};
use fraglens::report::escape::is_active;
use serde_json::Value;
use std::fs;
use std::process::Output;

fn analyze(arguments: &[&str]) -> Output {
    fraglens().arg("analyze").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&analyze(
        &[&["--format", "json"], arguments].concat(),
    )))
    .unwrap()
}

fn warnings(report: &Value) -> String {
    report["capture"]["problems"].to_string()
}

#[test]
fn a_filter_takes_frames_away_and_says_how_many() {
    let all = count(&json(&["corruption.pcap"]), "capture.frames");
    let none = json(&["corruption.pcap", "host", "192.0.2.99"]);
    assert_eq!(at(&none, "capture.frames"), Some(0.into()));
    assert_eq!(at(&none, "capture.filtered_frames"), Some(all.into()));
    assert_eq!(none["options"]["filter"], "host 192.0.2.99");
    let some = json(&["corruption.pcap", "udp"]);
    let sum = count(&some, "capture.frames") + count(&some, "capture.filtered_frames");
    assert_eq!(sum, all);
}

#[test]
fn a_filter_on_ports_says_that_it_takes_fragments_away() {
    for expression in [
        "udp port 5000",
        "port 5000",
        "tcp dst port 80 or host 10.0.0.1",
    ] {
        let report = json(&["fragments-in-order.pcap", expression]);
        assert!(
            warnings(&report).contains("fragment"),
            "{expression}: {}",
            warnings(&report)
        );
    }
    let report = json(&["fragments-in-order.pcap", "udp port 5000"]);
    assert_eq!(count(&report, "capture.frames"), 1);
    for expression in ["host 10.0.0.1", "udp", "ip[6:2] & 0x3fff != 0"] {
        let report = json(&["fragments-in-order.pcap", expression]);
        assert_eq!(warnings(&report), "[]", "{expression}");
        assert_eq!(
            count(&report, "totals.datagrams.reassembled"),
            1,
            "{expression}"
        );
    }
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let colored = |arguments: &[&str], no_color: Option<&str>| {
        let mut command = fraglens();
        command
            .args(["analyze", "overlap-partial.pcap"])
            .args(arguments);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!colored(&[], None));
    assert!(!colored(&["--color", "never"], None));
    assert!(colored(&["--color", "always"], None));
    assert!(!colored(&[], Some("1")));
    // What was typed for this run goes before what was set for all.
    assert!(colored(&["--color", "always"], Some("1")));
}

/// Written to a terminal, it would colour, rename the window, and read backwards.
const HOSTILE: &str = "a\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}\u{9b}1m\r\nb";

#[test]
fn hostile_names_of_files_never_reach_the_terminal() {
    let here = tempfile::tempdir().unwrap();
    let run = |name: &str, format: &str| {
        let mut command = fraglens();
        command
            .current_dir(here.path())
            .args(["analyze", "--format", format, name]);
        command.output().unwrap()
    };
    let captures = [
        "sample.pcap",
        "damaged-middle.pcap",
        "cut-mid-record.pcap",
        "MANIFEST.toml",
    ];
    let names = captures.map(|capture| (format!("{HOSTILE}-{capture}"), capture));
    for (name, capture) in &names {
        fs::copy(pcap(capture), here.path().join(name)).unwrap();
    }
    let missing = format!("{HOSTILE}-missing.pcap");
    for name in names.iter().map(|(name, _)| name).chain([&missing]) {
        for format in ["text", "json", "ndjson", "csv", "markdown"] {
            let output = run(name, format);
            for bytes in [&output.stdout, &output.stderr] {
                let text = String::from_utf8(bytes.clone()).unwrap();
                // CSV ends its lines with CR LF only where it is told to.
                let active = text.chars().find(|c| is_active(*c) && *c != '\n');
                assert_eq!(active, None, "{format} of {name:?}: {text:?}");
            }
        }
    }
}

#[test]
fn hostile_words_in_usage_errors_never_reach_the_terminal() {
    // What clap says of a word it does not know is left to clap.
    let words: [&[&str]; 4] = [
        &["analyze", HOSTILE, "udp"],
        &["analyze", "sample.pcap", HOSTILE],
        &["analyze", "-o", HOSTILE, "sample.pcap", "-f", HOSTILE],
        &["man", HOSTILE],
    ];
    for arguments in words {
        let output = fraglens().args(arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let active = text.chars().find(|c| is_active(*c) && *c != '\n');
        assert_eq!(active, None, "{arguments:?}: {text:?}");
    }
}

#[test]
fn top_limits_what_is_listed_and_nothing_else() {
    let all = json(&["--top", "0", "icmp-errors.pcap"]);
    let flows = count(&all, "flows.#");
    assert!(flows > 1);
    let one = json(&["--top", "1", "icmp-errors.pcap"]);
    assert_eq!(count(&one, "flows.#"), 1);
    assert_eq!(count(&one, "flows_omitted"), flows - 1);
    assert_eq!(count(&one, "flows_total"), flows);
    assert_eq!(one["totals"], all["totals"]);
    assert_eq!(one["flows"][0], all["flows"][0]);
}

#[test]
fn rows_are_sorted_by_what_was_asked_for() {
    for (key, path) in [
        ("bytes", "counters.bytes"),
        ("packets", "counters.packets"),
        ("fragments", "counters.fragments.total"),
    ] {
        for capture in [
            "icmp-errors.pcap",
            "two-tenants.pcap",
            "splice.pcap",
            "vxlan-gpe.pcap",
        ] {
            let report = json(&["--sort", key, "--top", "0", capture]);
            for list in ["flows", "tunnels"] {
                let rows = report[list].as_array().unwrap();
                let sizes: Vec<u64> = rows.iter().map(|row| count(row, path)).collect();
                assert!(
                    sizes.is_sorted_by(|a, b| a >= b),
                    "{capture} by {key}: {sizes:?}"
                );
            }
        }
    }
}

#[test]
fn csv_has_a_row_for_each_flow_and_ndjson_one_line() {
    let report = json(&["two-tenants.pcap"]);
    let table = stdout(&analyze(&["--format", "csv", "two-tenants.pcap"]));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "packets")
        .unwrap();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len() as u64, count(&report, "flows.#"));
    for (index, row) in rows.iter().enumerate() {
        let packets = count(&report, &format!("flows.{index}.counters.packets"));
        assert_eq!(row[column], packets.to_string());
    }
    let line = stdout(&analyze(&["--format", "ndjson", "two-tenants.pcap"]));
    assert_eq!(line.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), report);
}

#[test]
fn options_of_decoding_and_reassembly_reach_the_report() {
    // The kernel's VXLAN on a port of its own is found by its bytes, or by its port.
    let tunnels = |arguments: &[&str]| count(&json(arguments), "tunnels.#");
    let capture = "vxlan-port-5799.pcap.zst";
    let found = tunnels(&[capture]);
    assert!(found > 0);
    assert_eq!(tunnels(&["--no-auto-tunnel", capture]), 0);
    assert_eq!(
        tunnels(&["--no-auto-tunnel", "--vxlan-port", "5799", capture]),
        found
    );
    let timed_out = |arguments: &[&str]| count(&json(arguments), "totals.datagrams.timed_out");
    assert!(timed_out(&["timeout-ipv4.pcap"]) > 0);
    assert_eq!(
        timed_out(&["--reassembly-timeout", "1d", "timeout-ipv4.pcap"]),
        0
    );
}

#[test]
fn other_commands_print_what_they_are_for() {
    let run = |arguments: &[&str]| stdout(&fraglens().args(arguments).output().unwrap());
    let schema: Value = serde_json::from_str(&run(&["schema"])).unwrap();
    assert!(schema["properties"]["schema_version"].is_object());
    for command in [&["man"][..], &["man", "analyze"]] {
        assert!(run(command).contains(".TH fraglens"), "{command:?}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).contains("fraglens"), "{shell}");
    }
    assert_eq!(
        run(&["--version"]),
        format!("fraglens {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn nothing_but_the_report_is_printed_into_a_pipe() {
    let output = analyze(&["netperf-loss3.pcap.zst"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
