//! What the capture at a point has nothing of, while it has the rest of what passes: one direction,
//! fragments without ports, whole flows, or all for some time. What of that is lost behind the point
//! looks lost in front of it.

use super::given::{Given, Way};
use super::unseen::next_pair;
use crate::compare::{Fate, FlowFacts, Passage};
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
    fn of(flow: &FlowFacts, at: &Passage, [front, behind]: [usize; 2]) -> [Self; 2] {
        let all = Self {
            lost: flow.lost_between(front),
            missed: at.missed.into(),
            seen: at.packets,
            lost_behind: flow.lost_between(behind),
        };
        let without_ports = Self {
            lost: not_first(flow, front),
            missed: at.missed_without_ports.into(),
            seen: at.fragments[1].into(),
            lost_behind: not_first(flow, behind),
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

/// Fragments that are not the first and are lost between two points.
fn not_first(flow: &FlowFacts, pair: usize) -> u64 {
    let fate = match flow.is_backward {
        true => Fate::Back,
        false => Fate::Front,
    };
    let [_, middle, last] = &flow.account.between[pair].shape.ends;
    middle.of(fate) + last.of(fate)
}

/// What goes by in some time.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: Timestamp,
    length: Duration,
    /// What came to the point, or further.
    passed: u64,
    /// What of that its capture has not.
    missed: u64,
    lost: u64,
}

impl Step {
    fn is_dark(&self) -> bool {
        self.missed as f64 >= NEARLY_ALL * self.passed as f64
    }

    fn as_hole(&self) -> Hole {
        Hole {
            from: self.from,
            length: self.length,
            missed: self.missed,
            lost: self.lost,
        }
    }
}

impl Hole {
    fn add(&mut self, step: &Step) {
        self.length = step.from + step.length - self.from;
        self.missed += step.missed;
        self.lost += step.lost;
    }
}

/// Steps side by side in which nearly all that passes is missed, where most of all else is not.
fn holes(steps: impl Iterator<Item = Step>) -> Vec<Hole> {
    let (mut holes, mut is_open): (Vec<Hole>, bool) = (Vec::new(), false);
    let (mut passed, mut missed) = (0, 0);
    // Whether what is lost where nothing passes is in a hole is told by what passes next.
    let mut lost_before = 0;
    for step in steps {
        if step.passed == 0 {
            lost_before += step.lost;
            continue;
        }
        passed += step.passed;
        missed += step.missed;
        if step.is_dark() {
            match holes.last_mut().filter(|_| is_open) {
                Some(hole) => hole.add(&step),
                None => holes.push(step.as_hole()),
            }
            if let Some(hole) = holes.last_mut() {
                hole.lost += lost_before;
            }
        }
        is_open = step.is_dark();
        lost_before = 0;
    }
    holes.retain(|hole| hole.missed >= ENOUGH);
    let in_holes: u64 = holes.iter().map(|hole| hole.missed).sum();
    let [passed, missed] = [passed, missed].map(|all: u64| all.saturating_sub(in_holes));
    match passed > 0 && missed * 2 <= passed {
        true => holes,
        false => Vec::new(),
    }
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
            let classes = Class::of(flow, at, [pair, behind]);
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

    /// When the capture at the end of a segment has nothing of what passes, though much passes. Of what
    /// goes beside it nothing is said.
    fn holes(&self, pair: usize, way: &Way<'_>) -> Vec<Hole> {
        let missed = &self.outcome.points[way.to].missed;
        let series = self.outcome.series[pair].0.one_way(way.is_backward);
        let series = series.in_steps_of(STEP);
        let origin = series.origin;
        let Some(origin) = origin.filter(|_| !self.outcome.side_by_side.is_any_beside(way.to))
        else {
            return Vec::new();
        };
        let steps = series.steps.iter().enumerate().map(|(place, fates)| {
            let from = origin + Duration(series.width.0.saturating_mul(place as i64));
            Step {
                from,
                length: series.width,
                passed: fates.of(Fate::Both),
                missed: missed.within(from, series.width, way.is_backward),
                lost: fates.of(Fate::Front),
            }
        });
        holes(steps)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How many passed, were missed, and are lost in each second.
    fn holes_of(seconds: &[[u64; 3]]) -> Vec<(i64, i64, u64, u64)> {
        let second = 1_000_000_000;
        let steps = (0..)
            .zip(seconds)
            .map(|(number, [passed, missed, lost])| Step {
                from: Timestamp(number * second),
                length: Duration(second),
                passed: *passed,
                missed: *missed,
                lost: *lost,
            });
        let holes = holes(steps).into_iter();
        let told = holes.map(|hole| {
            let (from, length) = (hole.from.0 / second, hole.length.0 / second);
            (from, length, hole.missed, hole.lost)
        });
        told.collect()
    }

    #[test]
    fn a_hole_is_a_time_in_which_nearly_all_is_missed() {
        let good = [100, 2, 1];
        let dark = [100, 99, 3];
        let seconds = [
            good,
            good,
            dark,
            [0, 0, 5],
            dark,
            good,
            [0, 0, 7],
            good,
            dark,
        ];
        assert_eq!(holes_of(&seconds), [(2, 3, 198, 11), (8, 1, 99, 3)]);
    }

    #[test]
    fn what_misses_much_all_the_time_has_no_holes() {
        let dark = [100, 100, 3];
        assert_eq!(holes_of(&[dark; 4]), []);
        assert_eq!(holes_of(&[dark, [100, 60, 1], [100, 70, 1]]), []);
        let few = [7, 7, 1];
        assert_eq!(holes_of(&[few, [100, 0, 0]]), []);
    }
}
