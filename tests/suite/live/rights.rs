//! What a watch may do, and what it says when it may not.

use super::watching::{FRAGLENS, Watching};
use crate::kernel::network::Network;
use std::fs;

/// What the kernel says of a process.
fn status(watching: &Watching, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{}/status", watching.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no {name} in {status}"));
    value.trim_start_matches(':').trim().to_owned()
}

#[test]
fn every_right_is_given_up() {
    let network = Network::new();
    let mut watching = Watching::start(&network, &["-i", "b0", "--user", "nobody"]);
    watching.snapshot();
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(status(&watching, set), "0000000000000000", "{set}");
    }
    assert_eq!(status(&watching, "NoNewPrivs"), "1");
    assert!(!status(&watching, "Uid").contains("0\t"), "it is root");
    let ended = watching.end();
    assert!(
        ended
            .errors
            .contains("can no longer open an interface again"),
        "{}",
        ended.errors
    );
}

#[test]
fn who_lacks_the_right_is_told_which() {
    let network = Network::new();
    // Root without capabilities, as in a container.
    let without = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"];
    let command = [&without[..], &[FRAGLENS, "watch", "-i", "b0"]].concat();
    let ended = Watching::of(network.start_at_receiver(&command)).ended();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.errors.contains("CAP_NET_RAW"), "{}", ended.errors);
    assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
}

#[test]
fn what_cannot_be_captured_on_is_named() {
    let network = Network::new();
    let ended = Watching::start(&network, &["-i", "nowhere"]).ended();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.errors.contains("nowhere"), "{}", ended.errors);
    let ended = Watching::start(&network, &["-i", "b0", "udp", "prot"]).ended();
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.errors.contains("udp prot"), "{}", ended.errors);
}
