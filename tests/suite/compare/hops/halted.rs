//! A capture in the middle of the path that loses frames, which the path does not.

use super::super::Faults;
use super::{ATTEMPTS, ROUTER, Run, SENDER, frames, send};
use crate::kernel::capture::{AT_RECEIVER, Capture};
use crate::kernel::load::start_taking;
use crate::kernel::network::{Host, Network, RECEIVER};
use std::thread;
use std::time::Duration;

/// How long tcpdump is kept from reading, with a buffer that holds far less.
const HALTED: Duration = Duration::from_millis(600);
const BEFORE: Duration = Duration::from_millis(600);
const SMALL: [&str; 2] = ["-B", "256"];

fn flood(network: &Network, captures: &[Capture]) {
    let _datagrams = start_taking(network, Host::Receiver, &["receive"]);
    thread::scope(|scope| {
        let sending = scope.spawn(|| send(network, &["flood", RECEIVER, "8000", "60", "1.5"]));
        thread::sleep(BEFORE);
        captures[1].halt();
        thread::sleep(HALTED);
        captures[1].go_on();
        sending.join().expect("it sends")
    });
}

#[test]
fn frames_that_a_capture_did_not_get_are_not_lost_by_the_path() {
    let places = [(SENDER, &[][..]), (ROUTER, &SMALL), (AT_RECEIVER, &[])];
    let mut runs = (0..ATTEMPTS).map(|_| Run::new(&Network::new(), &places, flood));
    let is_such = |run: &Run<()>| run.lost[0] == 0 && run.lost[1] > 0 && run.lost[2] == 0;
    let run = runs.find(is_such);
    let run =
        run.expect("only the capture in the middle loses something; the machine may be too busy");

    let comparison = run.compared();
    let [sent, seen, arrived] = [0, 1, 2].map(|point| frames(&comparison, point));
    let mut faults = Faults::new();
    faults.must_be("arrived", &arrived.into(), sent);
    let missed = &comparison["points"][1]["missed"];
    faults.must_be("missed", missed, sent - seen);
    faults.unless(sent - seen > 100, || format!("{seen} of {sent} seen"));
    for segment in comparison["segments"].as_array().unwrap() {
        faults.must_be("lost", &segment["lost"]["packets"], 0);
        faults.must_be("appeared", &segment["appeared"], 0);
    }
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}
