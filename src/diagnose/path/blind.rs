//! What the capture at a point has nothing of, while it has the rest of what passes: one direction,
//! fragments without ports, whole flows, or all for some time. What of that is lost behind the point
//! looks lost in front of it.

use super::given::{Given, Way};
use super::unseen::next_pair;
use crate::compare::{Between, Fate, FlowFacts, Passage};
use crate::model::{Duration, Timestamp, number};

/// Fewer are of the edges of captures.
pub(super) const ENOUGH: u64 = 8;
/// Nearly all that passes in a hole is missed.
const NEARLY_ALL: f64 = 0.9;
/// Hardly any: it might be what another capture has, too.
const HARDLY_ANY: f64 = 0.01;
/// Shorter steps tell little of one capture.
const STEP: Duration = Duration::from_millis(10);

/// What a capture lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lacks {
    /// Fragments that are not the first.
    Fragments,
    /// Whole flows.
    Flows,
    /// All, for some time.
    Hole(Hole),
}

/// A time in which a capture has nothing of what passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hole {
    /// By the clock of the first point.
    pub from: Timestamp,
    pub length: Duration,
    /// Packets that passed.
    pub missed: u64,
    /// Packets that are lost in front of it, as it looks.
    pub lost: u64,
}

/// How many losses in front of a point may be behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MayBe {
    pub lacks: Lacks,
    /// Of what the capture has nothing of.
    pub surely: u64,
    /// By what it has of the rest, about.
    pub about: f64,
}

/// The losses of some packets of a flow in front of a point, with what is known of others of these
/// there.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    lost: u64,
    missed: u64,
    seen: u64,
    lost_behind: u64,
}

impl Class {
    /// Those without ports of a flow, and the others, between two segments and at the point there.
    fn of(front: &Between, at: &Passage, behind: &Between) -> [Self; 2] {
        let all = Self {
            lost: front.lost().packets,
            missed: at.missed.into(),
            seen: at.packets,
            lost_behind: behind.lost().packets,
        };
        let without_ports = Self {
            lost: not_first(front),
            missed: at.missed_without_ports.into(),
            seen: at.fragments[1].into(),
            lost_behind: not_first(behind),
        };
        [without_ports, all.without(&without_ports)]
    }

    fn without(&self, some: &Self) -> Self {
        Self {
            lost: self.lost.saturating_sub(some.lost),
            missed: self.missed.saturating_sub(some.missed),
            seen: self.seen.saturating_sub(some.seen),
            lost_behind: self.lost_behind.saturating_sub(some.lost_behind),
        }
    }

    fn has_none(&self) -> bool {
        self.missed > 0 && self.seen == 0
    }

    /// As many for each that was seen as passed unseen.
    fn about(&self) -> f64 {
        match self.seen {
            0 => 0.0,
            seen => (self.lost_behind * self.missed) as f64 / seen as f64,
        }
    }
}

/// Lost fragments that are not the first.
fn not_first(between: &Between) -> u64 {
    let [_, middle, last] = &between.shape.ends;
    middle.of(Fate::Front) + last.of(Fate::Front)
}

impl Given<'_> {
    /// How many losses of a segment may be behind its end for what the capture there has nothing of.
    pub(super) fn may_be_behind(&self, pair: usize, way: &Way<'_>) -> Option<MayBe> {
        let by_class = self.by_class(pair, way);
        let holes = self.holes(pair, way);
        let lost_in_holes = holes.iter().map(|hole| hole.lost).sum();
        let longest = holes.into_iter().max_by_key(|hole| hole.lost);
        let by_time = longest.map(|hole| MayBe {
            lacks: Lacks::Hole(hole),
            surely: lost_in_holes,
            about: 0.0,
        });
        let both = by_class.into_iter().chain(by_time);
        both.filter(|may_be| may_be.surely > 0)
            .max_by_key(|may_be| may_be.surely)
    }

    fn by_class(&self, pair: usize, way: &Way<'_>) -> Option<MayBe> {
        let behind = next_pair(pair, way.is_backward);
        let (mut missed, mut of_fragments, mut of_flows, mut about) = (0, 0, 0, 0.0);
        // Of flows that never come there, all of which is lost, it is not known where.
        let (mut of_no_account, mut lacks_flows) = (0, false);
        for flow in self.flows_of(way.is_backward) {
            let at = &flow.account.at[way.to];
            if at.missed == 0 {
                let is_nowhere_there = at.packets == 0;
                of_no_account += u64::from(is_nowhere_there) * flow.lost_between(pair);
                continue;
            }
            let classes = Class::of(&flow.between(pair), at, &flow.between(behind));
            missed += u64::from(at.missed);
            lacks_flows |= at.packets == 0;
            for (class, surely) in classes.iter().zip([&mut of_fragments, &mut of_flows]) {
                match class.has_none() {
                    true => *surely += class.lost,
                    false => about += class.about(),
                }
            }
        }
        if lacks_flows {
            of_flows += of_no_account;
        }
        (missed >= ENOUGH).then_some(MayBe {
            lacks: match of_fragments > of_flows {
                true => Lacks::Fragments,
                false => Lacks::Flows,
            },
            surely: of_fragments + of_flows,
            about,
        })
    }

    fn flows_of(&self, is_backward: bool) -> impl Iterator<Item = &FlowFacts> {
        let flows = self.outcome.flows.iter();
        flows.filter(move |flow| flow.is_backward == is_backward && !flow.account.is_carrier)
    }

    /// When the capture at the end of a segment has nothing of what passes, though much passes.
    pub(super) fn holes(&self, pair: usize, way: &Way<'_>) -> Vec<Hole> {
        let missed = &self.outcome.points[way.to].missed;
        let series = self.outcome.series[pair].0.one_way(way.is_backward);
        let series = series.in_steps_of(STEP);
        let Some(origin) = series.origin else {
            return Vec::new();
        };
        let (mut holes, mut open): (Vec<Hole>, Option<Hole>) = (Vec::new(), None);
        let (mut lost_before, mut has_any) = (0, false);
        let (mut all_passed, mut all_missed) = (0, 0);
        for (place, step) in series.steps.iter().enumerate() {
            let from = origin + Duration(series.width.0.saturating_mul(place as i64));
            let (passed, lost) = (step.of(Fate::Both), step.of(Fate::Front));
            let unseen = match passed {
                0 => 0,
                _ => missed.within(from, series.width, way.is_backward),
            };
            if passed == 0 {
                // Whether it is one is told by what passes next.
                lost_before += lost;
                continue;
            }
            all_passed += passed;
            all_missed += unseen;
            if unseen as f64 >= NEARLY_ALL * passed as f64 {
                let hole = open.get_or_insert(Hole {
                    from,
                    length: Duration(0),
                    missed: 0,
                    lost: 0,
                });
                hole.length = from + series.width - hole.from;
                hole.missed += unseen;
                hole.lost += lost + lost_before;
            } else {
                holes.extend(open.take());
                has_any = true;
            }
            lost_before = 0;
        }
        // What has nothing at all has no hole.
        holes.extend(open.filter(|_| has_any));
        holes.retain(|hole| hole.missed >= ENOUGH);
        // Where most of all else is missed as well, they are no holes.
        let in_holes: u64 = holes.iter().map(|hole| hole.missed).sum();
        let beside = (all_missed - in_holes.min(all_missed)) * 2;
        if beside > all_passed - in_holes.min(all_passed) {
            holes.clear();
        }
        holes
    }

    /// In words, what a capture between others has nothing of, if anything is known of that; and how
    /// sure it is then that it passes there at all.
    pub(super) fn lacks(&self, point: usize) -> Option<(String, f64)> {
        let ways = [false, true].map(|is_backward| self.passages(point, is_backward));
        let has_none =
            |at: &Passage| u64::from(at.missed) >= ENOUGH && is_hardly_any(at.packets, at.missed);
        let has_most = |at: &Passage| at.packets >= ENOUGH && at.packets > u64::from(at.missed);
        let directions = [("forward", 0), ("back", 1)];
        let lacking = directions
            .iter()
            .find(|(_, way)| has_none(&ways[*way]) && has_most(&ways[1 - *way]));
        if let Some((direction, _)) = lacking {
            let what = format!(
                " It has nothing of what goes {direction}: it captured one direction (`tcpdump -Q \
                 in`, a filter for `src host`), or that takes another way."
            );
            return Some((what, 0.6));
        }
        let without_ports: u64 = ways
            .iter()
            .map(|at| u64::from(at.missed_without_ports))
            .sum();
        let not_first: u64 = ways.iter().map(|at| u64::from(at.fragments[1])).sum();
        if without_ports >= ENOUGH && not_first == 0 {
            let all: u64 = ways.iter().map(|at| u64::from(at.missed)).sum();
            let some = match without_ports == all {
                true => "All".to_owned(),
                false => number::count(without_ports),
            };
            let what = format!(
                " {some} of these are fragments that are not the first, of which it has none at \
                 all: a filter for ports does not match them."
            );
            return Some((what, 0.95));
        }
        let hole = self.longest_hole(point)?;
        let began = self.outcome.points[point].span?.0;
        let since = hole.from - self.outcome.to_reference(point, began);
        let what = format!(
            " It has nothing for {}, from {} after it began, while {} passed.",
            number::duration(hole.length.as_secs_f64()),
            number::duration(since.as_secs_f64().max(0.0)),
            number::counted(hole.missed, "packet"),
        );
        Some((what, 0.95))
    }

    fn longest_hole(&self, point: usize) -> Option<Hole> {
        let pairs = [(point.checked_sub(1), false), (Some(point), true)];
        let holes = pairs.into_iter().flat_map(|(pair, is_backward)| {
            let pair = pair?;
            let way = *self.ways(pair).get(usize::from(is_backward))?;
            let holes = self.holes(pair, &way).into_iter();
            holes.max_by_key(|hole| hole.missed)
        });
        holes.max_by_key(|hole| hole.missed)
    }

    /// What of all that goes one way came to a point.
    pub(super) fn passages(&self, point: usize, is_backward: bool) -> Passage {
        let mut sum = Passage::default();
        for flow in self.flows_of(is_backward) {
            if let Some(at) = flow.account.at.get(point) {
                sum.add(at);
            }
        }
        sum
    }
}

fn is_hardly_any(seen: u64, missed: u32) -> bool {
    seen as f64 <= HARDLY_ANY * f64::from(missed)
}
