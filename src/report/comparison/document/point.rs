//! One place where was captured.

use super::segment::Direction;
use crate::model::TunnelKind;
use crate::report::document::{CaptureFile, Time};
use schemars::JsonSchema;
use serde::Serialize;

/// One place where was captured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Point {
    /// `A`, `B`, … in the order of the path; `P27` and so on beyond `Z`.
    pub name: String,
    /// The capture.
    pub file: CaptureFile,
    /// First frame, by its own clock.
    pub first_timestamp: Option<Time>,
    /// Last frame, by its own clock.
    pub last_timestamp: Option<Time>,
    /// Frames that the capturing host says it lost; `null` if the file does not say.
    pub dropped_frames: Option<u64>,
    /// Frames of which the capture holds less than the wire carried.
    pub truncated_frames: u64,
    /// Innermost datagrams seen here, whole or not, copies left out.
    pub datagrams: u64,
    /// Fragments of innermost datagrams seen here, copies left out.
    pub fragments: u64,
    /// Packets and fragments that this point had shown before it passed them on: on another
    /// interface, where the capture is of several (`-i any`, a router, a node), or with a higher
    /// TTL, where they came in by the one by which they go out; plain and in a tunnel, before and
    /// behind NAT. They are counted once, where they were seen first.
    pub seen_again: u64,
    /// What passed the host of this point, where its capture has all interfaces that this takes:
    /// forward, and back.
    pub passed_host: Vec<PassedHost>,
    /// Packets and fragments that were seen before and behind this point, so that they
    /// passed here and the capture does not have them; `null` at the ends of the path,
    /// where that cannot be seen.
    pub missed: Option<u64>,
    /// Packets and fragments that passed at a point beside this one, as `side_by_side` has it: they
    /// are not missed here.
    pub passed_beside: u64,
    /// Packets and fragments of this point that were found at some other.
    pub matched: u64,
    /// Tunnels that what is innermost was in here, the one with most packets first; 8 at
    /// most.
    pub tunnels: Vec<TunnelAt>,
    /// Its clock.
    pub clock: Clock,
}

/// A capture that shows nothing of the others, or next to nothing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OffPath {
    /// The capture.
    pub file: CaptureFile,
    /// IP packets and fragments that were seen in it, copies included.
    pub packets: u64,
    /// Packets besides these of which the snaplen left too little to tell them from others, as far
    /// as it was looked at.
    pub packets_cut_too_short: u64,
    /// Others of these that show the same traffic as it, as indices into `off_path`: a path of their
    /// own.
    pub shares_with: Vec<u32>,
}

/// A kind of tunnel at some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TunnelAt {
    /// Its kind; `null` for packets in none.
    #[serde(serialize_with = "kind_name")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<TunnelKind>,
    /// VNI, VSID, session or key.
    pub id: Option<u32>,
    /// Packets and fragments.
    pub packets: u64,
}

fn kind_name<S: serde::Serializer>(kind: &Option<TunnelKind>, to: S) -> Result<S::Ok, S::Error> {
    match kind {
        Some(kind) => to.serialize_str(kind.name()),
        None => to.serialize_none(),
    }
}

/// A clock, seen from that of the first point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Clock {
    /// How far it is ahead of that of the first point where the comparison begins; `null`
    /// if nothing was matched.
    pub offset_seconds: Option<f64>,
    /// How much faster it runs, in millionths; `null` if the captures are too short to
    /// say.
    pub drift_ppm: Option<f64>,
    /// How sure `drift_ppm` is: plus and minus this.
    pub drift_error_ppm: Option<f64>,
    /// What both rest on.
    pub basis: ClockBasis,
    /// Packets and fragments they rest on.
    pub matched: u64,
}

/// What an offset between clocks rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClockBasis {
    /// It is the clock the others are seen from.
    Reference,
    /// Packets in both directions: the fastest of each are taken to be equally fast.
    BothDirections,
    /// Packets in one direction: the fastest are taken to need no time, and delays are
    /// what others needed more.
    OneDirection,
    /// Packets that look alike: they were matched, but it is not sure which is which. The offset
    /// is that of a sample, and right to a quarter of a second.
    Alike,
    /// Nothing was matched.
    #[default]
    None,
}

/// What came to a host, and what of that the interface shows by which it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PassedHost {
    /// Which way it goes.
    pub direction: Direction,
    /// Flows that pass the host.
    pub flows: u64,
    /// Packets of them as they came in.
    pub came_packets: u64,
    /// Packets of them as they went out, which may be cut or joined otherwise.
    pub left_packets: u64,
    /// Bytes above IP, of TCP those of the stream, that came in.
    pub came_bytes: u64,
    /// The same of what went out.
    pub left_bytes: u64,
}
