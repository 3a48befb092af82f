//! `fraglens watch` in network namespaces: real interfaces, a real kernel, real traffic.

mod counts;
mod ends;
mod faults;
mod interfaces;
mod rights;
mod screen;
mod watching;

use crate::kernel::load;
use crate::kernel::network::{Host, Network, Process};

/// Runs a sender of `traffic.py` to its end.
fn send(network: &Network, words: &[&str]) {
    load::send(network, words);
}

fn start_sending(network: &Network, words: &[&str]) -> Process {
    load::start(network, Host::Sender, words)
}

fn start_receiving(network: &Network) -> Process {
    load::start_taking(network, Host::Receiver, &["receive"])
}
