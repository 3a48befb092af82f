//! Real traffic between network namespaces, captured at several places on its way.

mod hairpin;
mod halted;
mod lost;
mod offloaded;
mod recut;
mod together;
mod told;
mod translated;
mod tunnelled;

use super::compared;
use crate::kernel::capture::{Capture, Place};
use crate::kernel::load;
use crate::kernel::network::{Host, Network};
use serde_json::Value;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// How often a run is repeated in which a capture lost frames.
const ATTEMPTS: usize = 3;
/// How long beats go on after everything else.
const AFTER: Duration = Duration::from_millis(300);

/// Where the sender's packets leave it.
const SENDER: Place = Place {
    host: Host::Sender,
    device: "a0",
};
/// Where the router passes them on.
const ROUTER: Place = Place {
    host: Host::Router,
    device: "rb",
};

/// Captures of one run, with what the traffic is known by.
struct Run<T> {
    files: Vec<PathBuf>,
    /// Frames that each capture lost.
    lost: Vec<u64>,
    sent: T,
    _folder: TempDir,
}

impl<T> Run<T> {
    /// Captures at these places while there is traffic.
    fn new(
        network: &Network,
        places: &[(Place, &[&str])],
        traffic: impl FnOnce(&Network, &[Capture]) -> T,
    ) -> Self {
        let folder = TempDir::new().expect("a folder");
        let files = (0..places.len()).map(|index| folder.path().join(index.to_string()));
        let files: Vec<PathBuf> = files.collect();
        let captures = places.iter().zip(&files).map(|((place, words), file)| {
            // ARP and the like are of a segment, not of a path.
            let words = [&["--nano"], *words, &["ip"]].concat();
            Capture::start(network, *place, file, &words)
        });
        let captures: Vec<Capture> = captures.collect();
        let sent = traffic(network, &captures);
        Self {
            files,
            lost: Capture::end_all(captures),
            sent,
            _folder: folder,
        }
    }

    fn compared(&self) -> Value {
        compared(&self.files, &[])
    }
}

/// A run in which no capture lost anything.
fn captured_whole<T>(
    places: &[Place],
    network: impl Fn() -> Network,
    traffic: impl Fn(&Network) -> T,
) -> Run<T> {
    let places: Vec<(Place, &[&str])> = places.iter().map(|place| (*place, &[][..])).collect();
    let mut runs = (0..ATTEMPTS).map(|_| Run::new(&network(), &places, |at, _| traffic(at)));
    let whole = runs.find(|run| run.lost.iter().all(|lost| *lost == 0));
    whole.expect("captures that lost nothing; the machine may be too busy")
}

/// Sends something between beats, so that no end of a capture is near to it. Gives how
/// much was sent.
fn send(network: &Network, words: &[&str]) -> u64 {
    let address = words[1];
    let mut beats = load::start(network, Host::Sender, &["beat", address]);
    load::wait_for(&mut beats, "beating");
    let sent = load::send(network, words);
    thread::sleep(AFTER);
    sent
}

/// Frames in the file of a point.
fn frames(comparison: &Value, point: usize) -> u64 {
    let frames = &comparison["points"][point]["file"]["frames"];
    frames.as_u64().expect("frames are counted")
}
