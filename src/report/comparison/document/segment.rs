//! What became of packets between two points.

use super::loss::Loss;
use crate::report::document::FlowKey;
use schemars::JsonSchema;
use serde::Serialize;

/// What became of packets between two points, in the direction they went.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Segment {
    /// Where it begins, as an index into `points`: of what goes back, the point that is further
    /// on along the path.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// What entered it: seen where it enters, or seen to have passed there.
    pub sent: Count,
    /// What of that left it: seen where it leaves, or further on.
    pub arrived: Count,
    /// What of that did not.
    pub lost: Count,
    /// Copies that left it beyond those that entered it, and on the other side
    /// `duplicates_removed`.
    pub duplicated: u64,
    /// Copies that entered it and did not leave it.
    pub duplicates_removed: u64,
    /// Packets that left it after others that had entered it later (RFC 4737).
    pub reordered: u64,
    /// Packets and fragments that left it and were not seen to enter it, although they
    /// came in the common time: the capture in front missed them, or they came another
    /// way.
    pub appeared: u64,
    /// Packets and fragments whose bytes were not the same at both ends.
    pub corrupted: u64,
    /// How, of the first of them; 8 at most.
    pub damage: Vec<Damage>,
    /// Where all of `damage` is, if that is the same place in three packets or more; else `null`.
    pub damage_at: Option<DamagePlace>,
    /// Datagrams that are among `arrived`, but with other bytes than they were sent with, or with
    /// a checksum that went wrong on the way: one damaged fragment spoils its datagram.
    pub spoiled_datagrams: u64,
    /// Packets and fragments seen at both ends of which a capture has but the beginning: no more
    /// than the first 16 bytes of what they carry was compared, so that damage behind that is not
    /// in `corrupted`.
    pub partly_compared: u64,
    /// What was changed on purpose.
    pub changes: Changes,
    /// What is known of the losses; `null` if nothing was lost.
    pub loss: Option<Loss>,
    /// How long packets took; `null` if nothing was matched, or nothing of which it is sure which
    /// is which.
    pub delay: Option<Delay>,
    /// What one packet in front is behind, where sizes change.
    pub layout: Layout,
    /// Datagrams that entered in fragments, by what of them left.
    pub in_fragments: InFragments,
    /// Packets and fragments that nobody can judge: sent so near to the ends of the
    /// captures that they may have passed before or after.
    pub outside: u64,
    /// Flows that one of the two ends alone shows: with hosts of which nothing passes between
    /// them (other traffic, or all of it is dropped), both ways of which it shows (the other
    /// capture has a filter, or they go elsewhere), or by the addresses and ports of which the
    /// other shows something else (it was made anew). Neither sent nor lost; by end, whichever
    /// way it goes.
    pub one_sided: Vec<OneSided>,
}

/// Flows that one point alone shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OneSided {
    /// The point, as an index into `points`.
    pub point: u32,
    /// Flows.
    pub flows: u64,
    /// IP packets and fragments of them.
    pub packets: u64,
    /// IP bytes of those.
    pub bytes: u64,
    /// Packets of flows that go both ways there, with hosts of which others pass.
    pub both_ways: u64,
    /// Packets of flows of which the other end shows others by the same addresses and ports, and
    /// none of these.
    pub remade: u64,
}

/// Packets counted in three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// Datagrams: of `sent`, those of which anything was seen; of `arrived`, those of
    /// which all that was sent arrived; of `lost`, the others.
    pub datagrams: u64,
    /// IP packets: fragments, and datagrams that were whole.
    pub packets: u64,
    /// Fragments alone, as cut where they entered.
    pub fragments: u64,
    /// Bytes of those packets, IP headers included.
    pub bytes: u64,
}

/// What became of everything that went one way.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct OneWay {
    /// Which way.
    pub direction: Direction,
    /// Segments in the order of the comparison's, so that going backward they are passed
    /// from the last to the first.
    pub segments: Vec<Segment>,
    /// The same from end to end.
    pub path: Segment,
}

/// Which way a flow goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the first point to the last.
    #[default]
    Forward,
    /// From the last point to the first.
    Backward,
}

impl Direction {
    /// That of what goes back, or of what goes forward.
    pub fn of(is_backward: bool) -> Self {
        match is_backward {
            true => Self::Backward,
            false => Self::Forward,
        }
    }
}

/// How long packets took, in seconds. Where the clock rests on one direction: how much
/// longer than the fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Delay {
    /// Packets that were measured.
    pub packets: u64,
    /// Least.
    pub min_seconds: f64,
    /// Half took no longer.
    pub median_seconds: f64,
    /// 99 of 100 took no longer.
    pub p99_seconds: f64,
    /// Most.
    pub max_seconds: f64,
}

/// What was changed on purpose between two points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Changes {
    /// Packets whose TTL or hop limit changed.
    pub hop_limit: u64,
    /// The change that most of them have: -1 for one router; `null` without any.
    pub hop_limit_by: Option<i16>,
    /// All of these changes, the most frequent first; 8 at most.
    pub hop_limits: Vec<HopLimitChange>,
    /// Packets whose DSCP changed.
    pub dscp: u64,
    /// The change that most of them have, from and to; `null` without any.
    pub dscp_from_to: Option<(u8, u8)>,
    /// All of these changes, the most frequent first; 8 at most.
    pub dscps: Vec<DscpChange>,
    /// Packets marked on the way as having met congestion (ECN CE).
    pub congestion_marked: u64,
    /// Transport checksums whose verdict changed, the most frequent first.
    pub checksums: Vec<ChecksumChange>,
    /// Addresses and ports that were translated: flows.
    pub nat_flows: u64,
    /// Some of them; 16 at most.
    pub nat: Vec<NatMapping>,
    /// Packets that entered without a tunnel and left in one.
    pub tunnel_added: u64,
    /// Packets that entered in a tunnel and left without.
    pub tunnel_removed: u64,
    /// Packets that left in another tunnel (kind or id) than they entered in.
    pub tunnel_changed: u64,
}

/// Packets whose TTL or hop limit changed alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HopLimitChange {
    /// How much more it was where they left.
    pub by: i16,
    /// How many.
    pub packets: u64,
}

/// Packets whose DSCP changed alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DscpChange {
    /// Where they entered.
    pub from: u8,
    /// Where they left.
    pub to: u8,
    /// How many.
    pub packets: u64,
}

/// Verdicts on one checksum at two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChecksumChange {
    /// `good`, `bad`, `offloaded`, `absent`, where it entered.
    pub from: &'static str,
    /// The same where it left.
    pub to: &'static str,
    /// Packets.
    pub packets: u64,
}

/// One flow that was translated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NatMapping {
    /// As it entered.
    pub from: FlowKey,
    /// As it left.
    pub to: FlowKey,
    /// `source`, `destination` or `both`.
    pub kind: &'static str,
}

/// The same data in packets of other sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Layout {
    /// Datagrams that entered whole and left in fragments.
    pub fragmented: u64,
    /// Datagrams that entered in fragments and left whole.
    pub reassembled: u64,
    /// Datagrams that entered in fragments and left in others.
    pub refragmented: u64,
    /// IP bytes of the largest fragment with MF that left, of those that were cut on the
    /// way; `null` without any.
    pub largest_fragment_bytes: Option<u32>,
    /// Frames that entered and left as several packets (TSO, GSO).
    pub segmented: u64,
    /// Frames that left and had entered as several packets (GRO, LRO).
    pub coalesced: u64,
}

/// Datagrams in fragments by whether all of them entered, and by what of that left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InFragments {
    /// Those that entered with all fragments.
    pub whole: Left,
    /// Those of which some fragments were missing by then. Where they are put together in between,
    /// nothing leaves of these.
    pub incomplete: Left,
}

/// Datagrams by how many of the fragments that entered left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Left {
    /// All.
    pub all: u64,
    /// A part.
    pub some: u64,
    /// None.
    pub none: u64,
}

/// How bytes of one packet differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damage {
    /// Number of the frame where it entered.
    pub from_frame: u64,
    /// Number of the frame where it left.
    pub to_frame: u64,
    /// Bytes that differ; `null` if the files could not be read again.
    pub bytes_differing: Option<u32>,
    /// Bits that differ.
    pub bits_differing: Option<u32>,
    /// Where the first differs: bytes from the beginning of the IP payload.
    pub first_offset: Option<u32>,
    /// The first that differ as they entered, in hex; 16 bytes at most.
    pub was: String,
    /// The same as they left.
    pub is: String,
    /// What it looks like.
    pub kind: DamageKind,
}

/// Where bytes of several packets differ, in bytes from the beginning of the IP payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DamagePlace {
    /// The first.
    pub first_offset: u32,
    /// The last.
    pub last_offset: u32,
}

/// What damage looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DamageKind {
    /// A few single bits, as a bad cable, connector or memory cell flips them.
    Bits,
    /// A run of bytes became all the same, zero most often.
    Filled,
    /// Equal differences at equal distances, as a bad memory chip or bus makes them, or bytes
    /// that repeat.
    Patterned,
    /// The same bytes, but moved.
    Shifted,
    /// The packet is shorter or longer.
    Resized,
    /// Words of a fragment that is not the first, where a first one has ports and checksum: what
    /// translates addresses takes each fragment for a whole packet.
    Translated,
    /// Something else in each of three packets or more, but always at the same few bytes.
    SamePlace,
    /// None of these: other data, as when a middlebox rewrites it.
    Replaced,
    /// The files could not be read again.
    Unknown,
}
