//! What a receiver's kernel would have made of the fragments sent to it.

use super::scalar::Time;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// One address that fragments were sent to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Receiver {
    /// The address.
    pub address: IpAddr,
    /// Kernel settings assumed, by sysctl name.
    pub settings: BTreeMap<String, u64>,
    /// ICMP messages in which it says that it gave up a datagram. They tell when its
    /// timers fire. With none, `reassembled` can be a quarter off where memory fills up
    /// and timers empty it.
    pub timeouts_told: u64,
    /// What the kernel would have done with these settings.
    pub predicted: Prediction,
    /// How its reassembly memory filled up with these settings.
    pub memory: MemoryUse,
    /// What it would have done with others, from replaying the same fragments.
    pub alternatives: Vec<Alternative>,
}

/// Other settings and what they would have changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Alternative {
    /// Kernel settings, by sysctl name; `largest_message_bytes` where the sender is what
    /// changes: as many messages as there are fragments, each whole by itself.
    pub settings: BTreeMap<String, u64>,
    /// The names of those that differ from the receiver's.
    pub changed: Vec<String>,
    /// What the kernel would have done with them.
    pub predicted: Prediction,
    /// How its reassembly memory would have filled up; `null` where it would have had
    /// nothing to do, and of receivers beyond the 64 worst.
    pub memory: Option<MemoryUse>,
}

/// Memory that unfinished datagrams held, in equal steps of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MemoryUse {
    /// Length of a step: as short as it can be for at most 256 steps, 1 ms at least.
    pub step_seconds: f64,
    /// Where the first step begins; `null` if there is none.
    pub first_timestamp: Option<Time>,
    /// Most bytes held at once in each step; empty of receivers beyond the 64 at which
    /// most fails.
    pub peak_bytes: Vec<u64>,
}

/// What a kernel does with the fragments it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Prediction {
    /// Fragments that reached it.
    pub fragments: u64,
    /// Fragments it refused because its reassembly memory was full.
    pub rejected_fragments: u64,
    /// Bytes on the wire of those.
    pub rejected_bytes: u64,
    /// Datagrams put together (`IpReasmOKs`).
    pub reassembled: u64,
    /// Datagrams given up after the timeout (`IpReasmTimeout`).
    pub timed_out: u64,
    /// Datagrams discarded for pieces that contradict each other.
    pub overlapped: u64,
    /// Datagrams whose pieces came too far apart (`net.ipv4.ipfrag_max_dist`).
    pub too_distant: u64,
    /// Datagrams that would be longer than 65,535 bytes.
    pub oversized: u64,
    /// Datagrams that were still open when the capture ended.
    pub open_at_end: u64,
    /// Failures as the kernel counts them (`IpReasmFails`).
    pub failed: u64,
    /// Most memory the unfinished datagrams held at once.
    pub memory_peak_bytes: u64,
    /// When the memory was first full; `null` if it never was.
    pub first_full_timestamp: Option<Time>,
    /// Bytes of IP datagrams handed to the receiver.
    pub delivered_bytes: u64,
}
