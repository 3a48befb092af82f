//! Nothing is lost on the way, and iperf3 reports losses: its server does not get enough
//! of a processor to read what came. Whoever looks at the network looks in vain.

use super::ATTEMPTS;
use super::capture::{AT_RECEIVER, Capture};
use super::counters::{Version, pasted};
use super::network::{Network, Process, RECEIVER};
use super::scenario::Lines;
use crate::cases::told::{Beside, Told};
use crate::support::at;
use serde_json::Value;
use std::io::Read;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// How long the server is kept from reading, and then let.
const HALTED: Duration = Duration::from_millis(40);
const READING: Duration = Duration::from_millis(160);

/// 8,000-byte messages, 6 fragments each, from a sender that says at the end what the
/// receiver got. The socket's buffer holds a few of them.
const CLIENT: [&str; 14] = [
    "iperf3",
    "-c",
    RECEIVER,
    "-u",
    "-b",
    "60M",
    "-l",
    "8000",
    "-w",
    "128K",
    "-t",
    "2",
    "-J",
    "--connect-timeout=5000",
];

struct Run {
    capture: TempDir,
    capture_lost: u64,
    /// What the client printed.
    iperf3: String,
    /// What the receiver's kernel counted before and after.
    counters: String,
}

fn run() -> Run {
    let network = Network::new();
    let folder = TempDir::new().expect("a folder");
    let capture = Capture::start(
        &network,
        AT_RECEIVER,
        &folder.path().join("capture"),
        &["-s", "96", "host", RECEIVER],
    );
    let mut server = network.start_at_receiver(&["iperf3", "-s", "--forceflush"]);
    let said = Lines::of(server.0.stdout.take().expect("it is piped"));
    said.wait_for("Server listening", || ());

    let before = pasted(server.0.id(), Version::V4);
    let mut client = network.start_at_sender(&CLIENT);
    let mut output = client.0.stdout.take().expect("it is piped");
    let printed = thread::spawn(move || {
        let mut printed = String::new();
        output.read_to_string(&mut printed).map(|_| printed)
    });
    while !printed.is_finished() {
        starve(&server);
    }
    let counters = before + &pasted(server.0.id(), Version::V4);
    Run {
        capture_lost: capture.end(),
        capture: folder,
        iperf3: printed.join().expect("it is read").expect("it is text"),
        counters,
    }
}

fn starve(program: &Process) {
    program.halt();
    thread::sleep(HALTED);
    program.go_on();
    thread::sleep(READING);
}

#[test]
fn what_a_slow_program_loses_is_not_the_networks() {
    let whole = (0..ATTEMPTS)
        .map(|_| run())
        .find(|run| run.capture_lost == 0);
    let run = whole.expect("a capture without losses; the machine may be too busy");
    let beside = Beside {
        benchmark: Some(&run.iperf3),
        nstat: Some(&run.counters),
    };
    let mut told = Told::of_file(
        "a slow program",
        &run.capture.path().join("capture"),
        beside,
    )
    .finds_first("D34")
    .finds(&[("D34", "warning", 0.9)])
    .never_finds(&["D01", "D09", "D36"])
    .says(&[
        "all of it can be delivered",
        "not by the network (D34)",
        "because a socket's buffer was full (UdpRcvbufErrors)",
    ]);
    let of_run = |name: &str| at(&told.json, &format!("benchmark.runs.0.{name}"));
    let [sent, seen, whole, behind] = [
        "sent_messages",
        "seen_messages",
        "whole_messages",
        "unexplained_messages",
    ]
    .map(|name| of_run(name).as_ref().and_then(Value::as_u64).unwrap_or(0));
    let (refused, _) = counter(&told, "UdpRcvbufErrors");
    let (put_together, by_capture) = counter(&told, "IpReasmOKs");
    let (failed, _) = counter(&told, "IpReasmFails");
    eprintln!(
        "iperf3 sent {sent}, the capture has {seen}, {behind} lost behind it, {refused} by a full socket"
    );
    // What is on its way when iperf3 ends is counted by nobody.
    let is_near = |one: u64, other: u64| one.abs_diff(other) <= sent / 100 + 5;
    let facts = [
        (refused > 0, "no socket was full: the load is too small"),
        (failed == 0, "the kernel failed to reassemble"),
        (
            put_together == by_capture,
            "the capture has not what the kernel put together",
        ),
        (is_near(sent, seen), "the capture has not what iperf3 sent"),
        (seen == whole, "not all in the capture is whole"),
        (
            is_near(behind, refused),
            "full sockets are not what is unexplained",
        ),
    ];
    for (_, fault) in facts.iter().filter(|(is_so, _)| !is_so) {
        told.fault(fault);
    }
    told.end();
}

/// What the kernel counted, and what the capture says of it.
fn counter(told: &Told, name: &str) -> (u64, u64) {
    let counters = told.json["kernel_counters"].as_array();
    let found = counters
        .into_iter()
        .flatten()
        .find(|counter| counter["name"] == name);
    let number = |side: &str| found.and_then(|counter| counter[side].as_u64());
    (
        number("kernel").unwrap_or(0),
        number("capture").unwrap_or(0),
    )
}
