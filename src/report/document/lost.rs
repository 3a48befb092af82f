//! Single datagrams that did not become whole.

use super::scalar::Time;
use schemars::JsonSchema;
use serde::Serialize;

/// A fragmented datagram that could not be delivered, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostDatagram {
    /// Why it could not be delivered: `gap`, `only_first`, `no_first`, `late`, `ragged`,
    /// `overlap`, `overlap_after_pause`, `oversized`, `evicted`, `header_checksum`,
    /// `checksum_of_whole`, `spliced`, `no_checksum` or `length`.
    pub reason: &'static str,
    /// Number of the frame that its first fragment to come is in, from 1.
    pub frame: u64,
    /// When that was captured.
    pub timestamp: Time,
    /// The file it is in.
    pub file: String,
    /// Its flow, as an index into the report's `flows`: of a tunnel packet the one inside;
    /// `null` if that is not listed.
    pub flow: Option<u64>,
    /// Its identification.
    pub identification: u32,
    /// Bytes of its payload, by its last fragment or the UDP length in its first; `null`
    /// if neither came.
    pub payload_bytes: Option<u32>,
    /// Payload of a full-size fragment of it; `null` if none with MF came.
    pub fragment_bytes: Option<u32>,
    /// What came, in the order of the payload and without copies: the first 512 pieces.
    pub pieces: Vec<Piece>,
    /// Pieces that are not in `pieces`.
    pub pieces_omitted: u64,
}

/// Payload bytes of a datagram that one fragment carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Piece {
    /// Fragment offset in bytes.
    pub from: u32,
    /// Where it ends; the byte there is not in it.
    pub to: u32,
}
