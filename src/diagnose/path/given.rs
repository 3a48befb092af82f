//! What a diagnosis of a path is made from.

use super::finding::{Evidence, Finding};
use super::pattern::{self, Described, FlowLoss, Lossy};
use super::sums::{Sums, ends_of, name};
use crate::compare::{Between, Count, Example, Outcome, Pair, Shown};
use crate::diagnose::Cause;
use crate::model::Timestamp;
use crate::source::FileFacts;
use crate::witness::{Benchmark, KernelCounters};

/// What a diagnosis is made from.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// What came of the comparison.
    pub outcome: &'a Outcome,
    /// What all flows come to.
    pub sums: &'a Sums,
    /// What a benchmark said of the same traffic.
    pub benchmark: Option<&'a Benchmark>,
    /// What the receiver's kernel counted meanwhile.
    pub kernel: Option<&'a KernelCounters>,
}

/// Most flows that a finding names.
pub(super) const MAX_FLOWS: usize = 100;

/// Most packets that are shown of a finding.
pub(super) const MAX_SHOWN: usize = 8;

impl<'a> Given<'a> {
    /// The pairs of neighbours, each with what all flows come to between them, if both
    /// have something in common with others.
    pub(super) fn segments(&self) -> impl Iterator<Item = (usize, &'a Between)> {
        let sums: &'a Sums = self.sums;
        let outcome: &'a Outcome = self.outcome;
        let neighbours = outcome.points.len().saturating_sub(1);
        let pairs = sums.pairs.iter().take(neighbours).enumerate();
        pairs.filter(move |(pair, _)| {
            let (from, to) = ends_of(outcome.points.len(), *pair);
            [from, to]
                .iter()
                .all(|point| outcome.points[*point].tally.matched > 0)
        })
    }

    /// Whether the path ends, or begins, at points side by side.
    pub(super) fn ends_side_by_side(&self) -> bool {
        let side_by_side = &self.outcome.side_by_side;
        let mut neighbours = side_by_side.neighbours();
        neighbours.any(|front| side_by_side.is_at_end(front))
    }

    /// `B`, or `B or C` of points that lie side by side.
    pub(super) fn name_with_those_beside(&self, point: usize) -> String {
        let points = 0..self.outcome.points.len();
        let is_it = |other: &usize| *other == point || self.outcome.side_by_side.has(*other, point);
        let names: Vec<String> = points.filter(is_it).map(name).collect();
        names.join(" or ")
    }

    /// What goes each way between a pair.
    pub(super) fn ways(&self, pair: usize) -> [Way<'a>; 2] {
        let sums: &'a Sums = self.sums;
        let (front, back) = ends_of(self.outcome.points.len(), pair);
        [(false, front, back), (true, back, front)].map(|(is_backward, from, to)| Way {
            between: &sums.one_way(is_backward)[pair],
            is_backward,
            from,
            to,
        })
    }

    /// `A to B` with the point that is entered at, or beyond the end of the path `behind B` with
    /// that, for what goes one way.
    pub(super) fn place(&self, segment: Option<usize>, is_backward: bool) -> (String, usize) {
        let last = self.outcome.points.len() - 1;
        match (segment, is_backward) {
            (Some(pair), _) => {
                let way = self.ways(pair)[usize::from(is_backward)];
                (way.name(), way.from)
            }
            (None, false) => (format!("behind {}", name(last)), last),
            (None, true) => (format!("in front of {}", name(0)), 0),
        }
    }

    /// The pairs of neighbours between which `weight` finds something of what goes either way.
    pub(super) fn found(&self, weight: impl Fn(&Between) -> u64) -> Vec<Found<'a>> {
        self.found_one_way(|_, way| weight(way.between))
    }

    /// The same where it takes more than what was counted.
    pub(super) fn found_one_way(&self, weight: impl Fn(usize, &Way<'a>) -> u64) -> Vec<Found<'a>> {
        let found = self.segments().map(|(pair, between)| Found {
            pair,
            between,
            ways: self
                .ways(pair)
                .into_iter()
                .filter(|way| weight(pair, way) > 0)
                .collect(),
        });
        found.filter(|found| !found.ways.is_empty()).collect()
    }

    /// Frames that a capture says it dropped and that are not known to have passed it: so many
    /// may be missing at its point for that alone. `None` if it does not say.
    pub(super) fn own_drops(&self, point: usize) -> Option<u64> {
        let facts = &self.outcome.points[point];
        let dropped = FileFacts::dropped_frames_of(std::slice::from_ref(&facts.file))?;
        Some(dropped.saturating_sub(facts.tally.missed))
    }

    /// What the losses of all flows between a pair look like.
    pub(super) fn look(&self, pair: usize, between: &Between) -> Described {
        pattern::of(&Lossy {
            between,
            series: Some(&self.outcome.series[pair].0),
            flows: FlowLoss::of_all(self.outcome, pair, None),
        })
    }

    /// The same of what goes one way.
    pub(super) fn look_one_way(&self, pair: usize, is_backward: bool) -> Described {
        pattern::of(&Lossy {
            between: &self.sums.one_way(is_backward)[pair],
            series: Some(&self.outcome.series[pair].0.one_way(is_backward)),
            flows: FlowLoss::of_all(self.outcome, pair, Some(is_backward)),
        })
    }

    /// What of these is lost since datagrams are put together in between.
    pub(super) fn lost_as_incomplete(&self, pair: usize, is_backward: bool) -> Count {
        let between = &self.sums.one_way(is_backward)[pair];
        // Asked often, and mostly of what has none: flows need not be looked through for that.
        if between.in_fragments[0].incomplete.none.datagrams == 0 {
            return Count::default();
        }
        pattern::lost_as_incomplete(&Lossy {
            between,
            series: None,
            flows: FlowLoss::of_all(self.outcome, pair, Some(is_backward)),
        })
    }

    /// What `bytes` says of what goes forward between a pair, and of what goes back.
    pub(super) fn each_way(&self, pair: usize, bytes: impl Fn(&Way<'a>) -> u64) -> [u64; 2] {
        self.ways(pair).map(|way| bytes(&way))
    }

    /// The flows in which `weight` finds something between a pair, the worst first.
    pub(super) fn flows(&self, pair: usize, weight: impl Fn(&Between) -> u64) -> Vec<usize> {
        let flows = self.outcome.flows.iter().enumerate();
        let mut weighed: Vec<(u64, usize)> = flows
            .filter(|(_, flow)| !flow.account.is_carrier)
            .map(|(number, flow)| (weight(&flow.between(pair)), number))
            .filter(|(weight, _)| *weight > 0)
            .collect();
        weighed.sort_unstable_by_key(|(weight, number)| (std::cmp::Reverse(*weight), *number));
        weighed.truncate(MAX_FLOWS);
        weighed.into_iter().map(|(_, number)| number).collect()
    }

    /// Datagrams going forward that came in fragments past the last point, whole.
    pub(super) fn fragmented_whole(&self) -> u64 {
        let flows = self.forward_in_fragments();
        flows.map(|(_, between)| between.whole[1]).sum()
    }

    /// Those of these that are spoiled on the way.
    pub(super) fn fragmented_spoiled(&self) -> u64 {
        let flows = self.forward_in_fragments();
        let spoiled = flows.map(|(_, between)| between.spoiled.min(between.whole[1]));
        spoiled.sum()
    }

    /// The flows they are of.
    pub(super) fn fragmented_flows(&self) -> Vec<usize> {
        let flows = self.forward_in_fragments().map(|(number, _)| number);
        flows.take(MAX_FLOWS).collect()
    }

    fn forward_in_fragments(&self) -> impl Iterator<Item = (usize, &'a Between)> {
        let outcome: &'a Outcome = self.outcome;
        let last = outcome.series.len().saturating_sub(1);
        let flows = outcome.flows.iter().enumerate();
        let forward = flows.filter(|(_, flow)| !flow.is_backward && !flow.account.is_carrier);
        forward
            .filter_map(move |(number, flow)| Some((number, flow.account.between.get(last)?)))
            .filter(|(_, between)| between.back.fragments > 0)
    }

    /// Frames that entered a segment and did not leave it.
    pub(super) fn lost_frames(&self, pair: usize, between: &Between) -> Vec<Evidence> {
        self.lone(pair, &between.lone[0])
    }

    /// Frames that left a segment and were not seen to enter it.
    pub(super) fn appeared_frames(&self, pair: usize, between: &Between) -> Vec<Evidence> {
        self.lone(pair, &between.lone[1])
    }

    /// Frames of flows that one side of a pair alone shows, the first or the second.
    pub(super) fn one_sided_frames(
        &self,
        pair: usize,
        side: usize,
        flows: &[usize],
    ) -> Vec<Evidence> {
        let ends: [usize; 2] = ends_of(self.outcome.points.len(), pair).into();
        let [here, there] = [ends[side], ends[1 - side]].map(name);
        let note = format!("seen at {here} and not at {there}");
        let flows = flows.iter().map(|flow| &self.outcome.flows[*flow]);
        let frames = flows.flat_map(|flow| &flow.account.between[pair].one_sided[side].shown);
        let frames = frames.take(MAX_SHOWN);
        frames.map(|frame| shown(frame, note.clone())).collect()
    }

    fn lone(&self, pair: usize, found: &[Vec<Shown>]) -> Vec<Evidence> {
        let (from, to) = ends_of(self.outcome.points.len(), pair);
        let evidence = found.iter().flat_map(|frames| {
            let lone = frames.first().map(|frame| {
                let other = if frame.point == from { to } else { from };
                shown(
                    frame,
                    format!("seen at {} and not at {}", name(frame.point), name(other)),
                )
            });
            let beside = frames.iter().skip(1);
            lone.into_iter()
                .chain(beside.map(|frame| shown(frame, "of the same datagram".to_owned())))
        });
        evidence.collect()
    }

    /// Frames in which packets were seen as they entered, and as they left.
    pub(super) fn example_frames<'b>(
        &self,
        examples: impl Iterator<Item = &'b Example>,
        [entered, left]: [&str; 2],
    ) -> Vec<Evidence> {
        let sides = examples.flat_map(|example| {
            let front = example.front().iter().map(move |frame| (frame, entered));
            front.chain(example.back().iter().map(move |frame| (frame, left)))
        });
        sides
            .map(|(frame, note)| shown(frame, note.to_owned()))
            .collect()
    }

    /// Both sides of packets that changed.
    pub(super) fn changed_frames(&self, pairs: &[Pair], what: &str) -> Vec<Evidence> {
        let sides = pairs
            .iter()
            .flat_map(|pair| [(&pair.front, "as it entered"), (&pair.back, "as it left")]);
        sides
            .map(|(frame, when)| shown(frame, format!("{what}: {when}")))
            .collect()
    }

    /// When a frame was seen, as its capture says it.
    pub(super) fn as_captured(&self, frame: &Evidence) -> Timestamp {
        self.outcome.as_captured(&Shown {
            point: frame.point,
            frame: frame.frame,
            time: frame.timestamp,
        })
    }
}

/// What goes one way between a pair of points.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub between: &'a Between,
    pub is_backward: bool,
    /// Where it enters, and where it leaves.
    pub from: usize,
    pub to: usize,
}

impl Way<'_> {
    /// `A to B`.
    pub fn name(&self) -> String {
        format!("{} to {}", name(self.from), name(self.to))
    }
}

/// A pair of points between which something was found.
pub(super) struct Found<'a> {
    pub pair: usize,
    /// What goes either way.
    pub between: &'a Between,
    /// The ways that have something of it.
    pub ways: Vec<Way<'a>>,
}

impl<'a> Found<'a> {
    /// The finding that `tell` tells of each way: `A to B: … B to A: …`.
    pub fn finding(
        &self,
        cause: &'static Cause,
        confidence: f64,
        tell: impl Fn(&Way<'a>) -> String,
    ) -> Finding {
        let told = self
            .ways
            .iter()
            .map(|way| format!("{}: {}", way.name(), tell(way)));
        let seen = told.collect::<Vec<_>>().join(" ");
        Finding {
            is_backward: match self.ways[..] {
                [only] => Some(only.is_backward),
                _ => None,
            },
            ..Finding::between(cause, self.pair, confidence, seen)
        }
    }

    /// Whether something of it goes forward, or back.
    pub fn goes(&self, is_backward: bool) -> bool {
        self.ways.iter().any(|way| way.is_backward == is_backward)
    }

    /// What goes one way, and what goes the other.
    pub fn each_way(&self) -> Vec<Self> {
        let ways = self.ways.iter().map(|way| Self {
            pair: self.pair,
            between: way.between,
            ways: vec![*way],
        });
        ways.collect()
    }

    /// Whether that holds of what goes one way.
    pub fn is_any(&self, is_so: impl Fn(&Between) -> bool) -> bool {
        self.ways.iter().any(|way| is_so(way.between))
    }
}

fn shown(frame: &Shown, note: String) -> Evidence {
    Evidence {
        point: frame.point,
        frame: frame.frame,
        timestamp: frame.time,
        note,
    }
}
