//! The programs of `traffic.py`.

use super::network::{Host, Network, Process};
use super::scenario::Lines;
use crate::support::in_repository;

/// What starts one of them.
pub fn command(words: &[&str]) -> Vec<String> {
    let script = in_repository("tests/suite/kernel/traffic.py");
    let script = script.to_str().expect("the repository's path is text");
    let python = ["python3", "-B", script];
    [&python, words]
        .concat()
        .iter()
        .map(ToString::to_string)
        .collect()
}

pub fn start(network: &Network, host: Host, words: &[&str]) -> Process {
    let command = command(words);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    network.start(host, &command)
}

/// Waits until a program says a word, and gives the line.
pub fn wait_for(process: &mut Process, word: &str) -> String {
    let lines = Lines::of(process.0.stdout.take().expect("it is piped"));
    lines.wait_for(word, || ())
}

/// One that takes traffic when this returns.
pub fn start_taking(network: &Network, host: Host, words: &[&str]) -> Process {
    let mut process = start(network, host, words);
    wait_for(&mut process, "ready");
    process
}

/// Runs a sender to its end, and gives how much it sent.
pub fn send(network: &Network, words: &[&str]) -> u64 {
    let mut sender = start(network, Host::Sender, words);
    let line = wait_for(&mut sender, "sent");
    let number = line.split_whitespace().last().map(str::parse);
    number.and_then(Result::ok).expect("it says how much")
}
