//! What ICMP errors say of packets that were dropped.

use super::segment::Direction;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::IpAddr;

/// Errors that say the same of packets that go the same way, from between the same points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IcmpErrors {
    /// The segment in which packets were dropped, as an index into `segments`; `null` if that was
    /// behind the end of the path.
    pub segment: Option<u32>,
    /// Which way the packets went.
    pub direction: Direction,
    /// Who says so, as the last point in front calls it.
    pub from: IpAddr,
    /// ICMP or ICMPv6 type.
    #[serde(rename = "type")]
    pub kind: u8,
    /// Code.
    pub code: u8,
    /// Next-hop MTU in bytes; `null` if none was given.
    pub next_hop_mtu: Option<u32>,
    /// What that means, in plain words.
    pub says: String,
    /// Errors seen. Hosts send so many a second and no more: more packets may have been dropped.
    pub errors: u64,
    /// Flows that they are about, as far as errors show which.
    pub flows: u64,
    /// The point the first of them was captured at, as an index into `points`.
    pub point: u32,
    /// Its frame there.
    pub frame: u64,
}
