//! One load through the network: what the receiver's kernel counted, and the capture
//! of what it counted.

use super::counters::{Counters, Version, memory};
use super::network::{Network, Process, RECEIVER, RECEIVER_6};
use crate::support::in_repository;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing waits longer than this for a line of a program.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time a frame stays in a buffer that tcpdump has not seen.
const CAPTURE_DELAY: Duration = Duration::from_millis(1_200);
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
    /// By how much the model may be beside the kernel where fragments are lost at random.
    pub room_percent: u64,
}

pub struct Outcome {
    pub kernel: Counters,
    pub memory_at_end: u64,
    /// The most seen by looking now and then.
    pub memory_seen: u64,
    pub capture: PathBuf,
    /// Frames that the capture lost.
    pub capture_lost: u64,
    pub settings: PathBuf,
    pub took: Duration,
    /// Holds the capture and the settings.
    _folder: TempDir,
}

impl Scenario {
    pub fn receiver(&self) -> &'static str {
        match self.version {
            Version::V4 => RECEIVER,
            Version::V6 => RECEIVER_6,
        }
    }

    pub fn run(&self) -> Outcome {
        let begin = Instant::now();
        let network = Network::new();
        network.set_receiver(self.parameters);
        if let Load::Messages { lost_per_mille, .. } = self.load {
            network.lose_fragments(lost_per_mille);
        }
        let folder = TempDir::new().expect("a folder");
        let settings = folder.path().join("sysctl");
        std::fs::write(&settings, network.receiver_settings()).expect("the settings are written");
        let capture = Capture::start(&network, self.receiver(), &folder.path().join("capture"));
        let seen = self.send(&network);
        let capture_lost = capture.end();
        Outcome {
            kernel: seen.counted,
            memory_at_end: seen.memory_at_end,
            memory_seen: seen.memory_seen,
            capture: folder.path().join("capture"),
            capture_lost,
            settings,
            took: begin.elapsed(),
            _folder: folder,
        }
    }

    /// Sends everything, and reads the counters as soon as it is sent.
    fn send(&self, network: &Network) -> Seen {
        let script = in_repository("tests/suite/kernel/traffic.py");
        let script = script.to_str().expect("the repository's path is text");
        let python = ["python3", "-B", script];
        let mut receiver = network.start_at_receiver(&[&python[..], &["receive"]].concat());
        let lines = Lines::of(receiver.0.stdout.take().expect("it is piped"));
        lines.wait_for("ready", || ());
        let process = receiver.0.id();

        let before = Counters::read(process, self.version);
        let words = self.sender_words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut sender = network.start_at_sender(&[&python[..], &words].concat());
        let lines = Lines::of(sender.0.stdout.take().expect("it is piped"));
        let mut memory_seen = 0;
        lines.wait_for("sent", || {
            memory_seen = memory_seen.max(memory(process, self.version));
        });
        Seen {
            counted: Counters::read(process, self.version) - before,
            memory_at_end: memory(process, self.version),
            memory_seen,
        }
    }

    fn sender_words(&self) -> Vec<String> {
        let words: [&dyn fmt::Display; 5] = match &self.load {
            Load::Messages {
                bytes,
                mbits,
                seconds,
                ..
            } => [&"flood", &self.receiver(), bytes, mbits, seconds],
            Load::Fragments {
                pattern,
                times,
                quiet_seconds,
            } => [&"raw", &self.receiver(), pattern, times, quiet_seconds],
        };
        words.map(ToString::to_string).to_vec()
    }
}

struct Seen {
    counted: Counters,
    memory_at_end: u64,
    memory_seen: u64,
}

/// tcpdump at the receiver.
struct Capture {
    tcpdump: Process,
    said: Lines,
}

impl Capture {
    fn start(network: &Network, receiver: &str, path: &Path) -> Self {
        let path = path.to_str().expect("the path is text");
        let how = ["tcpdump", "-Z", "root", "-i", "b0", "-s", "96"];
        let to = ["-B", "65536", "-w", path, "dst", "host", receiver];
        let mut tcpdump = network.start_at_receiver(&[&how[..], &to].concat());
        let said = Lines::of(tcpdump.0.stderr.take().expect("it is piped"));
        said.wait_for("listening on", || ());
        Self { tcpdump, said }
    }

    /// How many frames it lost.
    fn end(mut self) -> u64 {
        thread::sleep(CAPTURE_DELAY);
        self.tcpdump.interrupt();
        let line = self.said.wait_for("dropped by kernel", || ());
        // What is left is written after that line.
        self.tcpdump.0.wait().expect("tcpdump ends");
        let number = line.split_whitespace().next().map(str::parse);
        number.and_then(Result::ok).expect("tcpdump counts losses")
    }
}

/// What a program prints, line by line.
struct Lines(mpsc::Receiver<String>);

impl Lines {
    fn of(output: impl Read + Send + 'static) -> Self {
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

    /// The first line with a text, doing something now and then until it comes.
    fn wait_for(&self, text: &str, mut meanwhile: impl FnMut()) -> String {
        let end = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        loop {
            match self.0.recv_timeout(LOOK) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => said.push(line),
                Err(mpsc::RecvTimeoutError::Timeout) if Instant::now() < end => meanwhile(),
                Err(error) => panic!("{error}: no \"{text}\" in {said:?}"),
            }
        }
    }
}
