//! What a benchmark measured, in the same words for every program.

use super::Unreadable;
use std::fmt;

/// Most runs of one text.
pub const MAX_RUNS: usize = 10_000;

/// What a program that measures bandwidth printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// The program.
    pub program: Program,
    /// Its runs, at least one and at most [`MAX_RUNS`], in the order of the text.
    pub runs: Vec<Run>,
}

/// A program that measures bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `netperf -t UDP_STREAM`, `TCP_STREAM`, `TCP_MAERTS` and `TCP_SENDFILE`.
    Netperf,
    /// `iperf3`, as client or server, with and without `-J`.
    Iperf3,
    /// `qperf udp_bw` and `tcp_bw`.
    Qperf,
}

impl Program {
    /// The name it is started by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Netperf => "netperf",
            Self::Iperf3 => "iperf3",
            Self::Qperf => "qperf",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What carried the messages of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Messages are datagrams.
    Udp,
    /// Messages are what was handed over in one call; the receiver sees a stream.
    Tcp,
}

/// One direction of one measurement. Parallel streams are one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What carried it.
    pub transport: Transport,
    /// Bytes the sender handed over at a time, without any header. qperf rounds it to
    /// three digits if it is no multiple of 1,024.
    pub message_bytes: Option<u64>,
    /// How long the sender sent, in seconds.
    pub seconds: Option<f64>,
    /// What the sender counted.
    pub sent: Side,
    /// What the receiver counted.
    pub received: Side,
    /// Messages that the program itself calls lost. iperf3 counts gaps in what came,
    /// so whatever was lost after the last message that came is not among them: a
    /// receiver that went deaf after a second reports next to nothing. What was sent
    /// less what was received is the better figure where both are known.
    pub lost_messages: Option<u64>,
}

impl Run {
    pub(super) const fn new(transport: Transport) -> Self {
        Self {
            transport,
            message_bytes: None,
            seconds: None,
            sent: Side::UNKNOWN,
            received: Side::UNKNOWN,
            lost_messages: None,
        }
    }
}

/// What one end of a run counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Messages handed to the network, or received from it whole.
    pub messages: Option<u64>,
    /// Bytes of these messages, without any header. Rounded to three or four digits
    /// where the program prints a unit (`23.8 MBytes`).
    pub bytes: Option<u64>,
    /// Bits per second of these messages, without any header, as the program printed
    /// it. Finite and not negative.
    pub bits_per_second: Option<f64>,
}

impl Side {
    pub(super) const UNKNOWN: Self = Self {
        messages: None,
        bytes: None,
        bits_per_second: None,
    };
}

/// Runs in the order of the text, at most [`MAX_RUNS`].
#[derive(Default)]
pub(super) struct Runs(Vec<Run>);

impl Runs {
    pub(super) fn push(&mut self, run: Run) -> Result<(), Unreadable> {
        if self.0.len() >= MAX_RUNS {
            return Err(Unreadable::TooManyRuns);
        }
        self.0.push(run);
        Ok(())
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Run> {
        self.0.last_mut()
    }

    pub(super) fn into_vec(self) -> Vec<Run> {
        self.0
    }
}
