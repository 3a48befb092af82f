//! tcpdump in a namespace.

use super::network::{Host, Network, Process};
use super::scenario::Lines;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The longest time a frame stays in a buffer that tcpdump has not seen.
const DELAY: Duration = Duration::from_millis(1_200);

/// Where is captured.
#[derive(Clone, Copy)]
pub struct Place {
    pub host: Host,
    pub device: &'static str,
}

pub const AT_RECEIVER: Place = Place {
    host: Host::Receiver,
    device: "b0",
};

pub struct Capture {
    tcpdump: Process,
    said: Lines,
}

impl Capture {
    /// Started when this returns. `words` are options and a filter.
    pub fn start(network: &Network, place: Place, path: &Path, words: &[&str]) -> Self {
        let path = path.to_str().expect("the path is text");
        let how = ["tcpdump", "-n", "-Z", "root", "-i", place.device];
        let to = ["-B", "65536", "-w", path];
        let mut tcpdump = network.start(place.host, &[&how[..], &to, words].concat());
        let said = Lines::of(tcpdump.0.stderr.take().expect("it is piped"));
        said.wait_for("listening on", || ());
        Self { tcpdump, said }
    }

    /// Keeps it from reading.
    pub fn halt(&self) {
        self.tcpdump.halt();
    }

    pub fn go_on(&self) {
        self.tcpdump.go_on();
    }

    /// How many frames it lost.
    pub fn end(self) -> u64 {
        Self::end_all(vec![self])[0]
    }

    /// How many frames each of several lost.
    pub fn end_all(captures: Vec<Self>) -> Vec<u64> {
        thread::sleep(DELAY);
        captures.into_iter().map(Self::lost).collect()
    }

    fn lost(mut self) -> u64 {
        self.tcpdump.interrupt();
        let line = self.said.wait_for("dropped by kernel", || ());
        // What is left is written after that line.
        self.tcpdump.0.wait().expect("tcpdump ends");
        let number = line.split_whitespace().next().map(str::parse);
        number.and_then(Result::ok).expect("tcpdump counts losses")
    }
}
