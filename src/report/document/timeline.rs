//! The capture cut into equal spans of time.

use super::scalar::Time;
use schemars::JsonSchema;
use serde::Serialize;

/// The capture cut into equal spans of time.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Timeline {
    /// Length of each span.
    pub bucket_seconds: f64,
    /// The spans in time order, without gaps: a span without packets is there too.
    pub buckets: Vec<Bucket>,
}

/// What happened in one span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bucket {
    /// Where it begins.
    pub start: Time,
    /// Frames that carried IP.
    pub packets: u64,
    /// Bytes on the wire of those.
    pub bytes: u64,
    /// Those frames whose innermost readable IP packet was a fragment.
    pub fragments: u64,
    /// Datagrams that became whole, unfragmented ones included.
    pub datagrams_completed: u64,
    /// Bytes of those that could be delivered, as offered on the wire.
    pub deliverable_bytes: u64,
    /// Datagrams begun here that never became whole.
    pub datagrams_lost: u64,
}
