//! Interfaces that go down, vanish and come back.

use super::watching::Watching;
use crate::kernel::network::Network;
use crate::support::count;
use serde_json::Value;

const INTERFACE: &str = "fleeting";

/// A pair of interfaces within the receiver.
fn make(network: &Network) {
    let ip = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        network.run_at_receiver(&[&["ip"], &words[..]].concat());
    };
    ip("link add fleeting type veth peer name other");
    ip("addr add 10.8.0.1/30 dev fleeting");
    ip("link set fleeting up");
    ip("link set other up");
    ip("neigh replace 10.8.0.2 lladdr 02:00:00:00:08:02 dev fleeting nud permanent");
}

/// Sends ten packets out of it.
fn send(network: &Network) {
    let script = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); \
                  [s.sendto(bytes(100), ('10.8.0.2', 9)) for _ in range(10)]";
    network.run_at_receiver(&["python3", "-c", script]);
}

/// Frames read of it, in a snapshot.
fn frames(line: &Value) -> Option<u64> {
    line["captured"][0]["frames"].as_u64()
}

fn is(line: &Value, state: &str) -> bool {
    line["type"] == "snapshot" && line["captured"][0]["state"] == state
}

fn start(network: &Network, words: &[&str]) -> Watching {
    make(network);
    let how = ["-i", INTERFACE, "--interval", "200ms", "udp", "port", "9"];
    let mut watching = Watching::start(network, &[words, &how].concat());
    watching.snapshot();
    send(network);
    watching.wait_for("ten frames", |line| frames(line) == Some(10));
    watching
}

#[test]
fn an_interface_goes_down_and_comes_back() {
    let network = Network::new();
    let mut watching = start(&network, &[]);
    network.run_at_receiver(&["ip", "link", "set", INTERFACE, "down"]);
    watching.wait_for("down", |line| is(line, "down"));
    network.run_at_receiver(&["ip", "link", "set", INTERFACE, "up"]);
    let neighbour = ["ip", "neigh", "replace", "10.8.0.2"];
    let at = [
        "lladdr",
        "02:00:00:00:08:02",
        "dev",
        INTERFACE,
        "nud",
        "permanent",
    ];
    watching.wait_for("up", |line| is(line, "live"));
    network.run_at_receiver(&[&neighbour[..], &at].concat());
    send(&network);
    watching.wait_for("twenty frames", |line| frames(line) == Some(20));
    let ended = watching.end();
    assert_eq!(count(ended.report(), "capture.frames"), 20);
}

#[test]
fn an_interface_that_vanishes_keeps_its_counts() {
    let network = Network::new();
    let mut watching = start(&network, &[]);
    network.run_at_receiver(&["ip", "link", "del", INTERFACE]);
    let gone = watching.wait_for("gone", |line| is(line, "gone"));
    assert_eq!(frames(&gone), Some(10));
    make(&network);
    // Without the right to, it cannot be opened again, and says so.
    watching.wait_for("a reason", |line| {
        let problem = line["captured"][0]["problem"].as_str();
        problem.is_some_and(|problem| problem.contains("cannot be opened again"))
    });
    let ended = watching.end();
    assert!(ended.status.success(), "{}", ended.errors);
    let file = &ended.report()["capture"]["files"][0];
    assert_eq!(count(file, "frames"), 10);
    assert_eq!(file["problems"][0]["severity"], "warning");
}

#[test]
fn an_interface_that_comes_back_is_captured_on_again() {
    let network = Network::new();
    let mut watching = start(&network, &["--keep-net-raw"]);
    network.run_at_receiver(&["ip", "link", "del", INTERFACE]);
    watching.wait_for("gone", |line| is(line, "gone"));
    make(&network);
    watching.wait_for("live", |line| is(line, "live"));
    send(&network);
    watching.wait_for("twenty frames", |line| frames(line) == Some(20));
    let ended = watching.end();
    assert_eq!(count(ended.report(), "capture.frames"), 20);
}
