//! One flow along the path.

use super::segment::{Direction, Segment};
use crate::report::document::{FlowKey, Time};
use schemars::JsonSchema;
use serde::Serialize;

/// One direction of an innermost 5-tuple along the path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathFlow {
    /// Which flow, as seen where it enters the path.
    pub key: FlowKey,
    /// Which way it goes.
    pub direction: Direction,
    /// As what it was seen at each point; `null` where it was not seen.
    pub seen_as: Vec<Option<SeenAs>>,
    /// What became of it between neighbouring points.
    pub segments: Vec<Segment>,
    /// The same from end to end.
    pub path: Segment,
    /// First packet, by the clock of the first point.
    pub first_timestamp: Option<Time>,
    /// Last packet, by the clock of the first point.
    pub last_timestamp: Option<Time>,
}

/// As what a flow was seen at one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeenAs {
    /// Its addresses, ports and tunnel there.
    pub key: FlowKey,
    /// Packets and fragments, copies left out.
    pub packets: u64,
    /// Bytes of those, IP headers included.
    pub bytes: u64,
    /// TTL or hop limit of most of them.
    pub hop_limit: u8,
}
