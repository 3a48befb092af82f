//! What a benchmark and a kernel counted, beside what the capture shows.

use schemars::JsonSchema;
use serde::Serialize;

/// What a benchmark printed (`--benchmark`), run by run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Benchmark {
    /// `netperf`, `iperf3` or `qperf`.
    pub program: &'static str,
    /// Its runs, in the order they were printed.
    pub runs: Vec<BenchmarkRun>,
}

/// One run of a benchmark.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BenchmarkRun {
    /// `udp` or `tcp`.
    pub transport: &'static str,
    /// Payload of a message in bytes; `null` if the program did not say.
    pub message_bytes: Option<u64>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Whether the program did not count messages, so that they are what its rates come
    /// to.
    pub is_estimated: bool,
    /// Messages the sending program says it sent.
    pub sent_messages: Option<u64>,
    /// Bits per second it says it sent.
    pub sent_bits_per_second: Option<f64>,
    /// Messages the receiving program says it got.
    pub received_messages: Option<u64>,
    /// Bits per second it says it got.
    pub received_bits_per_second: Option<f64>,
    /// Flows that are taken for it, as indices into the report's `flows`.
    pub flows: Vec<u64>,
    /// Messages of which the capture has anything; `null` if nothing in it looks like
    /// the run.
    pub seen_messages: Option<u64>,
    /// Those of them that are whole and sound.
    pub whole_messages: Option<u64>,
    /// Those that a Linux receiver would deliver.
    pub predicted_messages: Option<u64>,
    /// Messages that were sent and are not in the capture: lost before it, or by it.
    pub not_seen_messages: Option<u64>,
    /// Messages that would be delivered and that the receiving program did not get; `null`
    /// unless the capture has nearly all that was sent. Negative if it got more.
    pub unexplained_messages: Option<i64>,
}

/// One counter of the receiver's kernel (`--nstat`).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KernelCounter {
    /// Its name, as `nstat` has it.
    pub name: &'static str,
    /// By how much it grew, or what it stands at.
    pub kernel: u64,
    /// Whether that is the difference of two snapshots.
    pub is_difference: bool,
    /// The same by the capture; `null` for what a capture cannot show.
    pub capture: Option<u64>,
}
