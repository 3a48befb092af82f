//! The comparison as data: what `compare --format json` prints and every other format
//! shows.
//!
//! The names are a published interface (`schema_version` 1): fields may be added, none is
//! renamed or left out. Absent is `None`, written as `null`, never 0. Points are named by
//! their place in `points`, segments join neighbours: segment `i` leads from point `i` to
//! point `i + 1`.

mod finding;
mod flow;
mod icmp;
mod loss;
mod point;
mod segment;

pub use finding::{PathEvidence, PathExplanation, PathFinding, PathPart};
pub use flow::{PathFlow, SeenAs};
pub use icmp::IcmpErrors;
pub use loss::{Loss, Pattern, PositionLoss, SizeLoss, TimeLoss};
pub use point::{Clock, ClockBasis, OffPath, PassedHost, Point, TunnelAt};
pub use segment::{
    Changes, ChecksumChange, Count, Damage, DamageKind, DamagePlace, Delay, Direction, DscpChange,
    HopLimitChange, InFragments, Layout, Left, NatMapping, OneSided, OneWay, Segment,
};

use crate::report::document::{
    Benchmark, CaptureFile, KernelCounter, Problem, Receiver, Time, Tool,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the document's shape; a change that breaks readers raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What fraglens says of captures of the same traffic at several points of its path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// Version of this document's shape: 1.
    pub schema_version: u32,
    /// `comparison`.
    pub kind: &'static str,
    /// What wrote it.
    pub tool: Tool,
    /// The options in effect, defaults included.
    pub options: CompareOptions,
    /// Whether the captures show the same traffic.
    pub relation: Relation,
    /// Where was captured, in the order of the path.
    pub points: Vec<Point>,
    /// Captures that show nothing of the others, or next to nothing: other traffic, another
    /// time, or all of it was lost before it came there. They are no points of the path, and
    /// part of no figure.
    pub off_path: Vec<OffPath>,
    /// Pairs of points, by their places, that lie side by side, not one behind the other: each has
    /// packets of a third, and the two have none in common. Of neighbours that do, what is lost in
    /// the segment between them is lost behind the one it passed.
    pub side_by_side: Vec<[u32; 2]>,
    /// The time in which all points captured, by the clock of the first; `null` if there
    /// is none. Only what passed within it is judged.
    pub common: Option<Common>,
    /// What became of everything between neighbouring points, both directions added up.
    pub segments: Vec<Segment>,
    /// The same from the first point to the last.
    pub path: Segment,
    /// The same of each direction by itself, forward first, where there was traffic in
    /// both; empty if all of it went one way.
    pub directions: Vec<OneWay>,
    /// Flows seen at any point, those not listed included.
    pub flows_total: u64,
    /// Flows seen but not listed, because of `--top` or fraglens's own bound.
    pub flows_omitted: u64,
    /// One direction of each innermost 5-tuple, the one that lost most bytes first.
    pub flows: Vec<PathFlow>,
    /// Flows of the outer packets of tunnels, where these are fragmented; not part of
    /// `segments` and `path`.
    pub carriers: Vec<PathFlow>,
    /// What routers and hosts say of packets that they dropped: the hundred most frequent.
    pub icmp_errors: Vec<IcmpErrors>,
    /// What the receivers' kernels would make of the fragments seen at the last point.
    pub receivers: Vec<Receiver>,
    /// What is wrong and why, the one that explains most missing bytes first.
    pub findings: Vec<PathFinding>,
    /// Where the difference between sent and delivered went; `null` without traffic.
    pub explanation: Option<PathExplanation>,
    /// What a benchmark printed of the same traffic; `null` without `--benchmark`.
    pub benchmark: Option<Benchmark>,
    /// What the receiver's kernel counted; empty without `--nstat`.
    pub kernel_counters: Vec<KernelCounter>,
    /// fraglens's own bounds that were hit, by name, and how often; empty if none.
    pub limits: BTreeMap<String, u64>,
    /// What stands against the comparison as a whole.
    pub problems: Vec<Problem>,
}

impl Comparison {
    /// All captures that were given, those of points first.
    pub fn files(&self) -> impl Iterator<Item = &CaptureFile> {
        let of_points = self.points.iter().map(|point| &point.file);
        of_points.chain(self.off_path.iter().map(|off| &off.file))
    }

    /// The flows that are listed, if anything is known of any.
    pub fn judged_flows(&self) -> &[PathFlow] {
        match self.relation {
            Relation::Unrelated => &[],
            Relation::Same | Relation::Partly => &self.flows,
        }
    }
}

/// Whether captures show the same traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Packets of one were found again in the others.
    Same,
    /// Of some captures nothing, or too little to be no chance, was found in the others;
    /// they are in `off_path`, or named in `problems`, and nothing is said of losses there.
    Partly,
    /// Nothing of any point was found at another: different traffic, or different times.
    Unrelated,
}

/// The options that shape a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CompareOptions {
    /// BPF expression that frames had to match.
    pub filter: Option<String>,
    /// Longest time that a packet may take from one end of the path to the other.
    pub window_seconds: f64,
    /// Whether the order of the points was found, not given. Of which neighbours it was not, and
    /// which are as they were given, is in `problems`.
    pub order_found: bool,
    /// UDP ports taken for VXLAN, the well-known ones included.
    pub vxlan_ports: Vec<u16>,
    /// UDP ports taken for Geneve, the well-known one included.
    pub geneve_ports: Vec<u16>,
    /// Whether VXLAN is recognised on any port by its bytes.
    pub auto_tunnel: bool,
    /// Shortest step of losses over time; a long comparison has longer ones.
    pub timeline_bucket_seconds: f64,
    /// Most flows listed; `null` for all.
    pub top: Option<u64>,
}

/// A span of time, by the clock of the first point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Common {
    /// Its beginning.
    pub first_timestamp: Time,
    /// Its end.
    pub last_timestamp: Time,
    /// Its length.
    pub duration_seconds: f64,
}
