//! The report as data: what `--format json` prints and every other format shows.
//!
//! The names are a published interface (`schema_version` 1): fields may be added,
//! none is renamed or left out. Absent is `None`, written as `null`, never 0.
//! Lists are sorted by whoever builds the document; nothing here reorders them.
//!
//! A document may hold a million flows: a flow owns no text, and everything is
//! serialised straight into the writer.

mod capture;
mod finding;
mod flow;
mod forecast;
mod lost;
mod scalar;
mod timeline;
mod tunnel;
mod witness;

pub use capture::{Capture, CaptureFile, Problem, Severity};
pub use finding::{Evidence, Explanation, Finding, Fix, Part};
pub use flow::{
    Closed, Flow, FlowKey, FragmentsPerDatagram, Gaps, IcmpErrors, Mtu, OvnPorts, PositionGap,
    SizeClass, Throughput,
};
pub use forecast::{Alternative, MemoryUse, Prediction, Receiver};
pub use lost::{LostDatagram, Piece};
pub use scalar::Time;
pub use timeline::{Bucket, Timeline};
pub use tunnel::{Tunnel, TunnelKey};
pub use witness::{Benchmark, BenchmarkRun, KernelCounter};

use crate::model::Counters;
use schemars::JsonSchema;
use serde::Serialize;

/// Version of the document's shape; a change that breaks readers raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What fraglens says of a capture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Version of this document's shape: 1.
    pub schema_version: u32,
    /// What wrote it.
    pub tool: Tool,
    /// The options in effect, defaults included.
    pub options: Options,
    /// What was read.
    pub capture: Capture,
    /// Counters over every IP layer of every packet.
    pub totals: Counters,
    /// What all flows together offered and what of it could be delivered, those
    /// not listed in `flows` included.
    pub throughput: Throughput,
    /// Flows seen, those not listed in `flows` included.
    pub flows_total: u64,
    /// Flows seen but not listed, because of `--top` or fraglens's own bound.
    pub flows_omitted: u64,
    /// One direction of each innermost 5-tuple, in the order of `options.sort`.
    pub flows: Vec<Flow>,
    /// Tunnels seen but not listed.
    pub tunnels_omitted: u64,
    /// One direction of each tunnel, in the order of `options.sort`.
    pub tunnels: Vec<Tunnel>,
    /// What a receiver's kernel would have made of the fragments sent to it.
    pub receivers: Vec<Receiver>,
    /// One datagram of each reason for which some could not be delivered: the first.
    pub lost_datagrams: Vec<LostDatagram>,
    /// The capture cut into equal spans of time.
    pub timeline: Timeline,
    /// What is wrong and why, the one that explains most missing bytes first.
    pub findings: Vec<Finding>,
    /// Where the difference between sent and delivered went.
    pub explanation: Option<Explanation>,
    /// What a benchmark printed of the same traffic; `null` without `--benchmark`.
    pub benchmark: Option<Benchmark>,
    /// What the receiver's kernel counted; empty without `--nstat`.
    pub kernel_counters: Vec<KernelCounter>,
}

/// The program that wrote a document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tool {
    /// `fraglens`.
    pub name: &'static str,
    /// Its version, as in `fraglens --version`.
    pub version: &'static str,
}

impl Tool {
    /// This build.
    pub const THIS: Self = Self {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
    };
}

/// The options that shape a report. Those that do not (threads, colour, format)
/// are left out, so that they cannot make two reports differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Options {
    /// BPF expression that frames had to match.
    pub filter: Option<String>,
    /// UDP ports taken for VXLAN, the well-known ones included.
    pub vxlan_ports: Vec<u16>,
    /// UDP ports taken for Geneve, the well-known one included.
    pub geneve_ports: Vec<u16>,
    /// Whether VXLAN is recognised on any port by its bytes.
    pub auto_tunnel: bool,
    /// Seconds of capture time an IPv4 datagram may stay unfinished.
    pub reassembly_timeout_ipv4_seconds: f64,
    /// Seconds of capture time an IPv6 datagram may stay unfinished.
    pub reassembly_timeout_ipv6_seconds: f64,
    /// fraglens's own bound on the memory of unfinished datagrams.
    pub reassembly_memory_bytes: u64,
    /// Shortest step of the timeline; a long capture has longer ones.
    pub timeline_bucket_seconds: f64,
    /// What flows and tunnels are sorted by.
    pub sort: Sort,
    /// Most flows and most tunnels listed; `null` for all.
    pub top: Option<u64>,
}

/// What flows and tunnels are sorted by, largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Bytes offered but not deliverable.
    #[default]
    Missing,
    /// Bytes.
    Bytes,
    /// Packets.
    Packets,
    /// Fragments.
    Fragments,
    /// Wrong checksums and bad lengths.
    Bad,
}
