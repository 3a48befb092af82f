//! One second of a capture that goes on.

use super::recorder::RecorderCounts;
use crate::host::{Interface, Statistics};
use crate::model::Counters;
use crate::report::document::{Finding, Report, Time};
use serde::Serialize;

/// What is known at one moment of a capture that goes on.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// When it was made, by the clock that stamps the frames.
    pub timestamp: Time,
    /// Seconds since the capture began.
    pub elapsed_seconds: f64,
    /// Seconds since the snapshot before, which `rates` and the host's are of.
    pub interval_seconds: f64,
    /// How much there was in the interval.
    pub rates: Rates,
    /// How much there was since the capture began.
    pub totals: Totals,
    /// The interfaces captured on, in the order they were named.
    pub captured: Vec<Captured>,
    /// What fraglens holds of datagrams that are not whole.
    pub reassembly: Reassembly,
    /// What the flight recorder did and holds; `null` without one.
    pub recorder: Option<RecorderCounts>,
    /// What the kernel of this host says; `null` where it says nothing.
    pub host: Option<Host>,
    /// What is wrong now, the gravest first.
    pub findings: Vec<Active>,
    /// The last seconds as a report of their own: its flows and findings are those of now.
    #[serde(skip)]
    pub window: Report,
    /// Seconds that `window` is about.
    pub window_seconds: f64,
}

/// How much there was in one interval, a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rates {
    /// Frames.
    pub frames_per_second: f64,
    /// Bits on the wire.
    pub offered_bits_per_second: f64,
    /// Bits of datagrams that are whole and whose checksum is right or was not checked.
    pub deliverable_bits_per_second: f64,
    /// IP fragments, in whatever layer.
    pub fragments_per_second: f64,
    /// Datagrams that became whole, or came whole.
    pub datagrams_completed_per_second: f64,
    /// Datagrams whose fragments ceased to come, or that were given up for another reason.
    pub datagrams_lost_per_second: f64,
}

/// How much there was since the capture began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Frames analysed.
    pub frames: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Bytes of datagrams that could be delivered.
    pub deliverable_bytes: u64,
    /// Counters over every IP layer of every packet, as in a report.
    pub counters: Counters,
}

/// One interface that is captured on. All figures are since the capture began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Captured {
    /// Its name, as the kernel has it.
    pub name: String,
    /// Whether frames come from it.
    pub state: Capturing,
    /// What the kernel said when it ceased to be captured on.
    pub problem: Option<String>,
    /// Frames that fraglens read.
    pub frames: u64,
    /// Frames that passed the filter, by libpcap's count; dropped ones are in it.
    pub received: u64,
    /// Frames lost because the ring was full: fraglens was too slow.
    pub dropped: u64,
    /// Frames the interface or its driver lost.
    pub interface_dropped: u64,
}

/// Whether frames come from an interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Capturing {
    /// They do, if there are any.
    #[default]
    Live,
    /// It is down; capturing goes on when it comes up again.
    Down,
    /// It is gone; what was counted stays.
    Gone,
}

/// What fraglens holds of datagrams that are not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reassembly {
    /// Datagrams some of whose fragments have not come.
    pub open_datagrams: u64,
    /// Memory charged to them.
    pub memory_bytes: u64,
    /// The bound on it (`--reassembly-memory`).
    pub memory_limit_bytes: u64,
    /// Flows told apart since the capture began.
    pub flows: u64,
}

/// What the kernel of this host says, in the network namespace of fraglens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Host {
    /// Its counters that bear on what is captured: `IpReasm*`, `Ip6Reasm*`, `UdpInErrors`,
    /// `UdpRcvbufErrors`, `UdpInCsumErrors`, … under the names of nstat, in their order.
    pub counters: Vec<HostCounter>,
    /// Memory its IPv4 and IPv6 fragments take at this moment (`/proc/net/sockstat`).
    pub fragment_memory_bytes: Option<u64>,
    /// Where it begins to refuse IPv4 fragments (`net.ipv4.ipfrag_high_thresh`).
    pub fragment_memory_limit_bytes: Option<u64>,
    /// What it counted of the interfaces captured on, since the capture began.
    pub interface_counts: Vec<Statistics>,
    /// The interfaces captured on, and those under and over them.
    pub interfaces: Vec<Interface>,
}

/// One counter of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostCounter {
    /// As nstat calls it.
    pub name: String,
    /// What was added since the capture began.
    pub since_start: u64,
    /// What was added in the interval, a second.
    pub per_second: f64,
}

/// A finding that is true now.
#[derive(Clone, Debug, Serialize)]
pub struct Active {
    /// When it appeared.
    pub since: Time,
    /// What it is, from the last seconds.
    pub finding: Finding,
}
