//! What captures miss of what passes their points, and what of losses that may be.
//!
//! What a capture in the middle misses and is lost behind it looks lost in front of it. An end has
//! nothing behind it; but what of the packets that come from there is not in its capture, as the
//! next point shows them, tells as much of those that go there. And where TCP goes on from a point
//! that shows nothing of what it answers, that has arrived.

use super::blind::{ENOUGH, Lacks};
use super::given::{Given, Way};
use super::sums::name;
use crate::compare::FlowFacts;
use crate::model::{Duration, Protocol, number};

/// TCP sends a window at most before it needs an answer, and then a few times again.
const GOES_ON: u64 = 1_000;
/// A capture that misses so much tells nothing of what losses have in common.
const MUCH: f64 = 0.1;

/// What a capture misses, of so many that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Missed {
    packets: u64,
    of: u64,
}

/// What of the losses of a segment may be the capture's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unseen {
    /// The point of it.
    point: usize,
    by: Sign,
    missed: Missed,
    /// How many of the losses, about; `None` if all.
    some: Option<u64>,
    /// Longest time that a packet was waited for.
    window: Duration,
}

/// What tells so.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    /// Packets that points on both sides show.
    Around,
    /// The same of what its capture has nothing of.
    Lacking(Lacks),
    /// Packets that came from there.
    Back,
    /// TCP that is answered.
    Answered,
    /// Packets that came when they were no longer waited for.
    Late,
}

impl Missed {
    fn share(&self) -> f64 {
        match self.packets < ENOUGH {
            true => 0.0,
            false => self.packets as f64 / self.of as f64,
        }
    }

    fn told(&self) -> String {
        match self.packets == self.of {
            true => "has nothing of what goes this way".to_owned(),
            false => format!(
                "misses {} of what passes it",
                number::percent(self.packets, self.of)
            ),
        }
    }
}

impl Unseen {
    /// Whether it may be all that is lost.
    pub fn is_all(&self) -> bool {
        self.some.is_none()
    }

    /// A sentence on it.
    pub fn told(&self) -> String {
        let at = name(self.point);
        let share = number::percent(self.missed.packets, self.missed.of);
        let how_many = match self.some {
            None => "all of these may".to_owned(),
            Some(some) => format!("about {} of these may", number::count(some)),
        };
        match self.by {
            Sign::Back => format!(
                " The capture at {at} lacks {share} of what comes back from there (it has a \
                 filter, or dropped them), and may lack as much of what goes there: {how_many} \
                 have arrived."
            ),
            Sign::Around => format!(
                " The capture at {at} {}, and what of that is lost further on looks lost in front \
                 of it: {how_many} be lost there.",
                self.missed.told(),
            ),
            Sign::Lacking(lacks) => format!(
                " The capture at {at} {}, and what of that is lost further on looks lost in front \
                 of it: {how_many} be lost there.",
                shows_nothing(lacks),
            ),
            Sign::Late => format!(
                " {} lost towards {at} may have come later than `--window` waits for ({}): compare \
                 again with a longer one.",
                match self.some {
                    None => "All that are".to_owned(),
                    Some(some) => format!("{} of those", number::count(some)),
                },
                number::duration(self.window.as_secs_f64())
            ),
            Sign::Answered => format!(
                " TCP goes on from {at}, which it does not unless something arrives: the capture \
                 there has but what goes one way, as with a filter for `src host`."
            ),
        }
    }

    /// The same for the sentence, if it may be all.
    pub fn briefly(&self) -> String {
        let at = name(self.point);
        match self.by {
            _ if !self.is_all() => String::new(),
            Sign::Back => format!(
                ", all of which may have arrived, as the capture at {at} lacks packets both ways"
            ),
            Sign::Around => format!(
                ", all of which may be lost behind {at}, whose capture {}",
                self.missed.told(),
            ),
            Sign::Lacking(lacks) => format!(
                ", all of which may be lost behind {at}, whose capture {}",
                shows_nothing(lacks),
            ),
            Sign::Late => format!(
                ", all of which may have come later than `--window` waits for ({})",
                number::duration(self.window.as_secs_f64())
            ),
            Sign::Answered => format!(
                ", but these have arrived: TCP goes on from there, and the capture at {at} has but \
                 one way"
            ),
        }
    }
}

impl Given<'_> {
    /// What of the losses of a segment may be the capture's behind it.
    pub(super) fn unseen(&self, pair: usize, way: &Way<'_>) -> Option<Unseen> {
        if way.between.lost().packets == 0 {
            return None;
        }
        let is_end = way.to == 0 || way.to + 1 == self.outcome.points.len();
        if let Some(late) = self.late(pair, way) {
            return Some(late);
        }
        match is_end {
            true if self.is_answered(pair, way) => Some(self.answered(way)),
            true => self.unseen_at_end(pair, way),
            false => self.unseen_in_middle(pair, way),
        }
    }

    /// What came too late is lost, and appears.
    fn late(&self, pair: usize, way: &Way<'_>) -> Option<Unseen> {
        self.outcome.nearly_too_late(pair)?;
        let (lost, appeared) = (way.between.lost().packets, way.between.appeared().packets);
        (appeared > 0).then(|| Unseen {
            point: way.to,
            by: Sign::Late,
            missed: Missed {
                packets: appeared,
                of: way.between.back.packets,
            },
            some: (appeared < lost).then_some(appeared),
            window: self.outcome.window,
        })
    }

    fn unseen_at_end(&self, pair: usize, way: &Way<'_>) -> Option<Unseen> {
        let missed = self.missed_at_end(pair, way);
        let may_be = way.between.front.packets as f64 * missed.share();
        // It may lack more of one way than of the other.
        self.beside(way, Sign::Back, missed, (may_be, 2.0 * may_be))
    }

    fn unseen_in_middle(&self, pair: usize, way: &Way<'_>) -> Option<Unseen> {
        let missed = self.missed_in_middle(way.to, way.is_backward);
        let behind = next_pair(pair, way.is_backward);
        let seen = self.sums.one_way(way.is_backward)[behind].lost().packets as f64;
        let share = missed.share();
        let may_be = match share < 1.0 {
            true => seen * share / (1.0 - share),
            false => way.between.lost().packets as f64,
        };
        let lacking = self.may_be_behind(pair, way);
        if let Some(lacking) = lacking.filter(|_| share < 1.0) {
            let about = lacking.surely as f64 + lacking.about;
            // What is known of most of them says more than a share of all.
            if about > may_be || lacking.surely * 2 >= way.between.lost().packets {
                let by = Sign::Lacking(lacking.lacks);
                return self.beside(way, by, missed, (about, 3.0 * lacking.about.sqrt()));
            }
        }
        self.beside(way, Sign::Around, missed, (may_be, 3.0 * may_be.sqrt()))
    }

    /// Whether one of the captures on either side misses so much that what it has in common with
    /// others tells of the capture, not of losses.
    pub(super) fn is_blind(&self, pair: usize, way: &Way<'_>) -> bool {
        let points = [way.from, way.to].into_iter();
        let last = self.outcome.points.len() - 1;
        let mut missed = points.map(|point| match point == 0 || point == last {
            true if point == way.to => self.missed_at_end(pair, way),
            true => Missed::default(),
            false => self.missed_in_middle(point, way.is_backward),
        });
        missed.any(|missed| missed.share() >= MUCH)
    }

    fn missed_in_middle(&self, point: usize, is_backward: bool) -> Missed {
        let passed = self.passages(point, is_backward);
        Missed {
            packets: passed.missed.into(),
            of: passed.packets + u64::from(passed.missed),
        }
    }

    /// Whether nothing is left of what goes one way, and yet TCP goes on the other.
    fn is_answered(&self, pair: usize, way: &Way<'_>) -> bool {
        let is_nothing_left = way.between.lost() == way.between.front;
        let flows = self.outcome.flows.iter();
        let mut back = flows.filter(|flow| flow.is_backward != way.is_backward);
        let is_tcp = |flow: &FlowFacts| {
            let mut keys = flow.keys.iter().flatten();
            keys.any(|key| key.protocol == Protocol::TCP)
        };
        let passed = |flow: &FlowFacts| flow.account.between[pair].front_passed.packets;
        is_nothing_left && back.any(|flow| is_tcp(flow) && passed(flow) >= GOES_ON)
    }

    /// Of what comes from there.
    fn missed_at_end(&self, pair: usize, way: &Way<'_>) -> Missed {
        let back = &self.sums.one_way(!way.is_backward)[pair];
        Missed {
            packets: back.appeared().packets,
            of: back.back.packets,
        }
    }

    /// So many losses may be the capture's, give or take some.
    fn beside(
        &self,
        way: &Way<'_>,
        by: Sign,
        missed: Missed,
        (may_be, room): (f64, f64),
    ) -> Option<Unseen> {
        let lost = way.between.lost().packets as f64;
        let is_much = may_be > 0.0 && may_be >= lost * MUCH;
        is_much.then(|| Unseen {
            point: way.to,
            by,
            missed,
            some: (lost > may_be + room).then_some(may_be.round() as u64),
            window: self.outcome.window,
        })
    }

    /// All of it is.
    fn answered(&self, way: &Way<'_>) -> Unseen {
        let packets = way.between.front.packets;
        Unseen {
            point: way.to,
            by: Sign::Answered,
            missed: Missed {
                packets,
                of: packets,
            },
            some: None,
            window: self.outcome.window,
        }
    }
}

/// What a capture does that lacks some of what passes.
fn shows_nothing(lacks: Lacks) -> String {
    match lacks {
        Lacks::Fragments => {
            "has no fragments but first ones, as with a filter for ports".to_owned()
        }
        Lacks::Flows => "has nothing of some flows that pass it".to_owned(),
        Lacks::Hole(hole) => format!(
            "has nothing for {}, while {} passed",
            number::duration(hole.length.as_secs_f64()),
            number::counted(hole.missed, "packet"),
        ),
    }
}

/// The segment behind one between others.
pub(super) fn next_pair(pair: usize, is_backward: bool) -> usize {
    if is_backward { pair - 1 } else { pair + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unseen(by: Sign, some: Option<u64>) -> Unseen {
        Unseen {
            point: 1,
            by,
            missed: Missed {
                packets: 126,
                of: 1_000,
            },
            some,
            window: Duration::from_secs(5),
        }
    }

    #[test]
    fn what_may_be_the_captures_is_told_with_how_many_that_are() {
        let some = unseen(Sign::Around, Some(24));
        let told = " The capture at B misses 12.6 % of what passes it, and what of that is lost \
                    further on looks lost in front of it: about 24 of these may be lost there.";
        assert_eq!(some.told(), told);
        assert_eq!(some.briefly(), "");
        let all = unseen(Sign::Around, None);
        let told = ", all of which may be lost behind B, whose capture misses 12.6 % of what \
                    passes it";
        assert_eq!(all.briefly(), told);
    }

    #[test]
    fn a_few_at_the_edges_of_captures_tell_nothing() {
        let missed = |packets| Missed { packets, of: 40 };
        assert_eq!(missed(7).share(), 0.0);
        assert_eq!(missed(8).share(), 0.2);
    }
}
