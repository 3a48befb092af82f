//! One load through the network: what the receiver's kernel counted, and the capture
//! of what it counted.

use super::capture::{AT_RECEIVER, Capture};
use super::counters::{Counters, Version, memory, pasted};
use super::load;
use super::network::{Host, Network, Process, RECEIVER, RECEIVER_6, TENANT};
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// Nothing waits longer than this for a line of a program.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the memory of the receiver is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What is sent.
#[derive(Clone, Copy)]
pub enum Load {
    /// Messages from a UDP socket.
    Messages {
        bytes: u32,
        mbits: u32,
        seconds: f32,
        lost_per_mille: u32,
    },
    /// Fragments made by hand, all of which arrive: a pattern of `traffic.py`.
    Fragments {
        pattern: &'static str,
        times: u32,
        quiet_seconds: f32,
    },
}

pub struct Scenario {
    pub name: &'static str,
    pub version: Version,
    pub load: Load,
    /// Parameters of the receiving kernel, in the order they are set.
    pub parameters: &'static [&'static str],
    /// The same for fraglens.
    pub options: &'static [&'static str],
    /// fraglens reads all of them from `sysctl -a` instead.
    pub pasted: bool,
    /// The messages go through a VXLAN tunnel to a host behind the receiver.
    pub is_tunnelled: bool,
}

pub struct Outcome {
    /// Of each receiver of the scenario.
    pub kernels: Vec<Kernel>,
    pub capture: PathBuf,
    /// Frames that the capture lost.
    pub capture_lost: u64,
    pub settings: PathBuf,
    pub took: Duration,
    /// Holds the capture and the settings.
    _folder: TempDir,
}

/// What the kernel of one receiver says.
pub struct Kernel {
    pub address: &'static str,
    pub counted: Counters,
    /// The same before and after, as a user would paste it.
    pub pasted: String,
    pub memory_at_end: u64,
    /// The most seen by looking now and then.
    pub memory_seen: u64,
}

impl Outcome {
    /// Fragments that the kernels were given.
    pub fn fragments(&self) -> u64 {
        let counted = self.kernels.iter().map(|kernel| kernel.counted.fragments);
        counted.sum()
    }
}

impl Scenario {
    /// Where the fragments go: through the network, and through the tunnel.
    fn receivers(&self) -> Vec<&'static str> {
        match self.version {
            Version::V4 if self.is_tunnelled => vec![RECEIVER, TENANT],
            Version::V4 => vec![RECEIVER],
            Version::V6 => vec![RECEIVER_6],
        }
    }

    /// Where the messages go.
    fn target(&self) -> &'static str {
        self.receivers().last().expect("there is one")
    }

    pub fn run(&self) -> Outcome {
        let begin = Instant::now();
        let network = Network::new();
        network.set_receivers(self.parameters);
        if self.is_tunnelled {
            network.add_tunnel();
        }
        if let Load::Messages { lost_per_mille, .. } = self.load {
            network.lose_fragments(lost_per_mille);
        }
        let folder = TempDir::new().expect("a folder");
        let settings = folder.path().join("sysctl");
        std::fs::write(&settings, network.receiver_settings()).expect("the settings are written");
        let capture = self.capture(&network, &folder.path().join("capture"));
        let kernels = self.send(&network);
        let counted = SystemTime::now();
        let capture_lost = capture.end();
        end_at(&folder.path().join("capture"), counted);
        Outcome {
            kernels,
            capture: folder.path().join("capture"),
            capture_lost,
            settings,
            took: begin.elapsed(),
            _folder: folder,
        }
    }

    /// All that goes to the receiver, and what it answers. Of what is in the tunnel every
    /// byte is needed, of the rest the headers; the longest are those that an ICMPv6
    /// message quotes.
    fn capture(&self, network: &Network, path: &Path) -> Capture {
        let snaplen = if self.is_tunnelled { "0" } else { "128" };
        let words = ["-s", snaplen, "host", self.receivers()[0]];
        Capture::start(network, AT_RECEIVER, path, &words)
    }

    /// Sends everything, and reads the counters as soon as it is sent.
    fn send(&self, network: &Network) -> Vec<Kernel> {
        let receivers = self.receivers();
        let mut receivers: Vec<Receiver> = receivers
            .into_iter()
            .map(|address| {
                let host = match address {
                    TENANT => Host::Tenant,
                    _ => Host::Receiver,
                };
                let process = load::start_taking(network, host, &["receive"]);
                Receiver::new(address, self.version, process)
            })
            .collect();
        let words = self.sender_words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut sender = load::start(network, Host::Sender, &words);
        let lines = Lines::of(sender.0.stdout.take().expect("it is piped"));
        lines.wait_for("sent", || receivers.iter_mut().for_each(Receiver::look));
        receivers.iter().map(Receiver::kernel).collect()
    }

    fn sender_words(&self) -> Vec<String> {
        let words: [&dyn fmt::Display; 5] = match &self.load {
            Load::Messages {
                bytes,
                mbits,
                seconds,
                ..
            } => [&"flood", &self.target(), bytes, mbits, seconds],
            Load::Fragments {
                pattern,
                times,
                quiet_seconds,
            } => [&"raw", &self.target(), pattern, times, quiet_seconds],
        };
        words.map(ToString::to_string).to_vec()
    }
}

/// A program that takes messages, and what the kernel in its namespace counts.
struct Receiver {
    address: &'static str,
    version: Version,
    process: Process,
    before: Counters,
    pasted_before: String,
    memory_seen: u64,
}

impl Receiver {
    fn new(address: &'static str, version: Version, process: Process) -> Self {
        Self {
            address,
            version,
            pasted_before: pasted(process.0.id(), version),
            before: Counters::read(process.0.id(), version),
            process,
            memory_seen: 0,
        }
    }

    fn memory(&self) -> u64 {
        memory(self.process.0.id(), self.version)
    }

    fn look(&mut self) {
        self.memory_seen = self.memory_seen.max(self.memory());
    }

    fn kernel(&self) -> Kernel {
        Kernel {
            address: self.address,
            counted: Counters::read(self.process.0.id(), self.version) - self.before,
            pasted: self.pasted_before.clone() + &pasted(self.process.0.id(), self.version),
            memory_at_end: self.memory(),
            memory_seen: self.memory_seen,
        }
    }
}

/// Lets a capture end when the host was asked for its counters, however long ago it was
/// sent the last frame: what it said later is left out, and an empty frame is added.
fn end_at(capture: &Path, end: SystemTime) {
    const FILE_HEADER: usize = 24;
    const RECORD_HEADER: usize = 16;
    const ETHERNET: u32 = 14;
    let mut bytes = std::fs::read(capture).expect("tcpdump wrote a capture");
    let end = end.duration_since(UNIX_EPOCH).expect("it is later");
    let mut at = FILE_HEADER;
    while let Some(header) = bytes.get(at..at + RECORD_HEADER) {
        // Seconds, microseconds, bytes captured, bytes on the wire.
        let [seconds, micros, captured] = [0, 4, 8].map(|field| {
            let word = header[field..].first_chunk().expect("four bytes");
            u32::from_ne_bytes(*word)
        });
        let time = Duration::new(seconds.into(), micros * 1000);
        if time > end {
            break;
        }
        at += RECORD_HEADER + captured as usize;
    }
    bytes.truncate(at);
    let empty = [
        end.as_secs() as u32,
        end.subsec_micros(),
        ETHERNET,
        ETHERNET,
    ];
    bytes.extend(empty.iter().flat_map(|word| word.to_ne_bytes()));
    bytes.resize(bytes.len() + ETHERNET as usize, 0);
    std::fs::write(capture, bytes).expect("the capture is written");
}

/// What a program prints, line by line.
pub struct Lines(mpsc::Receiver<String>);

impl Lines {
    pub fn of(output: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // An error means that nobody listens any more.
            lines
                .map(|line| sender.send(line))
                .take_while(Result::is_ok)
                .for_each(drop);
        });
        Self(receiver)
    }

    /// The next line, if one comes in time.
    pub fn next(&self, within: Duration) -> Result<String, mpsc::RecvTimeoutError> {
        self.0.recv_timeout(within)
    }

    /// The first line with a text, doing something now and then until it comes.
    pub fn wait_for(&self, text: &str, mut meanwhile: impl FnMut()) -> String {
        let end = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        loop {
            match self.next(LOOK) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => said.push(line),
                Err(mpsc::RecvTimeoutError::Timeout) if Instant::now() < end => meanwhile(),
                Err(error) => panic!("{error}: no \"{text}\" in {said:?}"),
            }
        }
    }
}
