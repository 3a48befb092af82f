//! `fraglens watch` in network namespaces: real interfaces, a real kernel, real traffic.

mod counts;
mod ends;
mod faults;
mod interfaces;
mod rights;
mod screen;
mod watching;

use crate::kernel::network::{Network, Process};
use crate::kernel::scenario::Lines;
use crate::support::in_repository;

/// Runs a sender of `traffic.py` to its end.
fn send(network: &Network, words: &[&str]) {
    let mut sender = start_sending(network, words);
    let lines = Lines::of(sender.0.stdout.take().expect("it is piped"));
    lines.wait_for("sent", || ());
}

fn start_sending(network: &Network, words: &[&str]) -> Process {
    let script = in_repository("tests/suite/kernel/traffic.py");
    let script = script.to_str().expect("the repository's path is text");
    network.start_at_sender(&[&["python3", "-B", script], words].concat())
}

/// A program at the receiver, or at the tenant, that takes all messages.
fn receiving(process: &mut Process) {
    let lines = Lines::of(process.0.stdout.take().expect("it is piped"));
    lines.wait_for("ready", || ());
}

fn receive_words() -> [String; 4] {
    let script = in_repository("tests/suite/kernel/traffic.py");
    let script = script.to_str().expect("the repository's path is text");
    ["python3", "-B", script, "receive"].map(str::to_owned)
}

fn start_receiving(network: &Network) -> Process {
    let words = receive_words();
    let mut process = network.start_at_receiver(&words.each_ref().map(String::as_str));
    receiving(&mut process);
    process
}
