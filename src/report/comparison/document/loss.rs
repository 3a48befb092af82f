//! What losses look like.

use crate::report::document::Time;
use schemars::JsonSchema;
use serde::Serialize;

/// What losses between two points look like.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Loss {
    /// What most of them have in common.
    pub pattern: Pattern,
    /// The same in words, with figures.
    pub described: String,
    /// With `every-kth`: k. With `beyond`: the number of fragments that pass. With `large` and
    /// `small`: the IP length up to which packets pass, or are lost. With `by-place`: the number
    /// of the fragment, from 1, if it is one. Else `null`.
    pub number: Option<u64>,
    /// Lost packets and fragments, of those sent, from 0 to 1.
    pub rate: f64,
    /// Longest run of packets of one flow lost without one between them that arrived; `null`
    /// where packets look so much alike that nobody knows which were lost.
    pub longest_burst: Option<u64>,
    /// Mean length of such runs; random loss at `rate` has 1 / (1 - rate).
    pub mean_burst: Option<f64>,
    /// Fragments by their place in the datagram, in 10 equal parts of it from its
    /// beginning to its end; empty where nothing was fragmented.
    pub positions: Vec<PositionLoss>,
    /// First fragments.
    pub first: PositionLoss,
    /// Fragments that are neither first nor last.
    pub middle: PositionLoss,
    /// Last fragments.
    pub last: PositionLoss,
    /// Whole packets and fragments by IP length.
    pub sizes: Vec<SizeLoss>,
    /// In equal steps of time, by the clock of the first point; those without traffic are
    /// left out. Empty for single flows, which are not counted over time.
    pub times: Vec<TimeLoss>,
    /// Length of such a step; `null` for single flows.
    pub step_seconds: Option<f64>,
    /// How losses go with the rate of sending: the correlation of the share lost with
    /// packets sent, over steps of time, from -1 to 1: the highest that steps of 1 s, 100 ms or
    /// 10 ms have, whatever is in `times`; `null` with fewer than 8 steps, and for single flows.
    pub with_rate: Option<f64>,
}

/// What losses have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Nothing that was found; what they are spread evenly over is in `described`.
    Random,
    /// Fragments that are not the first.
    OnlyFirstPasses,
    /// First fragments.
    FirstLost,
    /// Last fragments.
    LastLost,
    /// Fragments beyond some number of each datagram.
    Beyond,
    /// All fragments of datagrams that entered with some missing: they are put together in between,
    /// and what does not become whole there is lost.
    Incomplete,
    /// All fragments of some datagrams, and hardly any part of others: they are put together in
    /// between, and one lost fragment takes all.
    ByDatagram,
    /// Every k-th packet of a flow, or of all flows together.
    EveryKth,
    /// Further apart than chance has them, but not every k-th.
    Regular,
    /// Packets above a size.
    Large,
    /// Packets below a size.
    Small,
    /// All packets of some flows, and hardly any of others.
    ByFlow,
    /// Packets of some flows at least five times as often as of others.
    SomeFlows,
    /// Fragments at some places in the datagram at least twice as often as others.
    ByPlace,
    /// Packets of some sizes at least twice as often as others.
    BySize,
    /// More where more was sent.
    ByRate,
    /// In some of the time at least twice as often as in the rest.
    ByTime,
    /// Runs, far longer than chance has them: a queue that overflows, a link that goes
    /// away.
    Bursts,
    /// Everything.
    All,
    /// Everything from some time on.
    FromTimeOn,
    /// Packets that look like others of their flow: which of them is not known.
    Alike,
    /// Too few losses to say.
    #[default]
    TooFew,
}

/// Losses of fragments at one place in their datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PositionLoss {
    /// Sent.
    pub sent: u64,
    /// Lost.
    pub lost: u64,
}

/// Losses of packets of one range of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SizeLoss {
    /// Smallest IP length of the class in bytes.
    pub bytes_from: u32,
    /// Largest; `null` for the last class, which is open.
    pub bytes_to: Option<u32>,
    /// Sent.
    pub sent: u64,
    /// Lost.
    pub lost: u64,
}

/// Losses in one step of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimeLoss {
    /// Where it begins.
    pub timestamp: Time,
    /// Packets and fragments sent.
    pub sent: u64,
    /// Lost.
    pub lost: u64,
}
