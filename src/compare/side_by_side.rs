//! Points that lie side by side: each shows packets of a third, and the two have none in common.
//! So do nodes on routes of equal cost, members of a bond, or two of the pods that something is sent
//! to. Nothing goes from one to the other, and what one of them shows the other does not miss.

use super::outcome::{FlowFacts, PointFacts};
use crate::model::Timestamp;

/// Two points have to have as many packets in common with a third.
const ENOUGH: u64 = 8;
/// What is lost behind one of the two looks like what both show: one in so many may.
const HARDLY_ANY: u64 = 20;

/// Which points of a path do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideBySide {
    /// Pairs of points, the one in front first.
    pairs: Vec<(usize, usize)>,
    points: usize,
}

impl SideBySide {
    /// Finds them; `spans` is when each point captured, by one clock, and `timed` of how many packets
    /// it is known how long they took between neighbours.
    pub(super) fn find(
        flows: &[FlowFacts],
        spans: &[Option<(Timestamp, Timestamp)>],
        timed: &[u64],
    ) -> Self {
        let points = spans.len();
        let mut common = Common::of(flows, points, |_| true);
        (1..points).for_each(|back| common.bound(flows, back, timed));
        let ways = [false, true]
            .map(|is_backward| Common::of(flows, points, |flow| flow.is_backward == is_backward));
        let pairs = (0..points).flat_map(|one| (one + 1..points).map(move |other| (one, other)));
        let pairs = pairs.filter(|(one, other)| {
            // Each may show one way alone of all that passes both.
            common.is_only_with_others(*one, *other)
                && ways
                    .iter()
                    .any(|way| way.have_enough_with_others(*one, *other))
                && are_at_once(spans[*one], spans[*other])
        });
        Self {
            pairs: pairs.collect(),
            points,
        }
    }

    /// Whether two points do.
    pub fn has(&self, one: usize, other: usize) -> bool {
        self.pairs.contains(&(one.min(other), one.max(other)))
    }

    /// Whether any lies beside a point: that shows nothing as long as nothing goes by it.
    pub fn is_any_beside(&self, point: usize) -> bool {
        let mut pairs = self.pairs.iter();
        pairs.any(|(one, other)| *one == point || *other == point)
    }

    /// All pairs of such points, the one in front first.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// The neighbours that do, by the point in front.
    pub fn neighbours(&self) -> impl Iterator<Item = usize> {
        let neighbours = self.pairs.iter().filter(|(one, other)| other - one == 1);
        neighbours.map(|(front, _)| *front)
    }

    /// Where what passes a point comes next; `None` if it is the last of its way.
    pub fn next(&self, from: usize, is_backward: bool) -> Option<usize> {
        match is_backward {
            false => (from + 1..self.points).find(|to| !self.has(from, *to)),
            true => (0..from).rev().find(|to| !self.has(from, *to)),
        }
    }

    /// Whether two neighbours do and one of them is an end: nothing that goes on from the other
    /// comes to that end, and all of it would be lost.
    pub fn is_at_end(&self, front: usize) -> bool {
        let is_end = front == 0 || front + 2 == self.points;
        is_end && self.has(front, front + 1)
    }

    /// What a point does not show since it passed beside it is not missed there.
    pub(super) fn forgive(&self, flows: &mut [FlowFacts], points: &mut [PointFacts]) {
        if self.pairs.is_empty() {
            return;
        }
        let accounts = flows.iter_mut().map(|flow| &mut flow.account);
        for account in accounts.filter(|account| !account.is_carrier) {
            let packets: Vec<u64> = account.at.iter().map(|at| at.packets).collect();
            for (here, (at, point)) in account.at.iter_mut().zip(&mut *points).enumerate() {
                let beside = packets.iter().enumerate();
                let beside = beside.filter(|(other, _)| self.has(here, *other));
                let beside: u64 = beside.map(|(_, packets)| *packets).sum();
                let forgiven = u64::from(at.missed).min(beside);
                at.missed -= forgiven as u32;
                point.tally.missed = point.tally.missed.saturating_sub(forgiven);
                point.passed_beside += forgiven;
            }
        }
    }
}

/// Packets that each two points have in common.
struct Common {
    points: usize,
    packets: Vec<u64>,
}

impl Common {
    /// Of some flows.
    fn of(flows: &[FlowFacts], points: usize, is_one: impl Fn(&FlowFacts) -> bool) -> Self {
        let mut common = Self {
            points,
            packets: vec![0; points * points],
        };
        let flows = flows.iter().filter(|flow| !flow.account.is_carrier);
        flows
            .filter(|flow| is_one(flow))
            .for_each(|flow| common.add(flow));
        common
    }

    /// No more than either has of it.
    fn add(&mut self, flow: &FlowFacts) {
        let at = &flow.account.at;
        for one in 0..self.points {
            for other in (0..self.points).filter(|other| *other != one) {
                let packets = at[one].packets.min(at[other].packets);
                self.packets[one * self.points + other] += packets;
            }
        }
    }

    /// Of flows of which both of two neighbours have some: what is common to them was timed, unless
    /// packets look too much alike for that.
    fn bound(&mut self, flows: &[FlowFacts], back: usize, timed: &[u64]) {
        let front = back - 1;
        let timed_beside = [front.checked_sub(1), Some(back)].into_iter().flatten();
        let timed_beside = timed_beside.filter_map(|pair| timed.get(pair)).max();
        let common = timed[front].max(at_least(flows, front, back));
        let is_timed = timed_beside.is_some_and(|packets| *packets >= HARDLY_ANY * common.max(1));
        if is_timed {
            for at in [front * self.points + back, back * self.points + front] {
                self.packets[at] = self.packets[at].min(common);
            }
        }
    }

    fn with(&self, one: usize) -> &[u64] {
        &self.packets[one * self.points..][..self.points]
    }

    /// Whether two points have packets in common with a third, and next to none with each other.
    fn is_only_with_others(&self, one: usize, other: usize) -> bool {
        self.have_enough_with_others(one, other)
            && self.with(one)[other] <= self.most_with_others(one, other) / HARDLY_ANY
    }

    fn have_enough_with_others(&self, one: usize, other: usize) -> bool {
        self.most_with_others(one, other) >= ENOUGH
    }

    /// What each of two has in common with a third, at least.
    fn most_with_others(&self, one: usize, other: usize) -> u64 {
        let both = self.with(one).iter().zip(self.with(other));
        let with_one = both.map(|(one, other)| (*one).min(*other));
        with_one.max().unwrap_or(0)
    }
}

/// What neighbours have in common at least: what one has and the other does not miss.
fn at_least(flows: &[FlowFacts], front: usize, back: usize) -> u64 {
    let flows = flows.iter().filter(|flow| !flow.account.is_carrier);
    let common = flows.map(|flow| {
        let at = &flow.account.at;
        let [mine, others] = [(front, back), (back, front)]
            .map(|(here, there)| at[here].packets.saturating_sub(at[there].missed.into()));
        mine.min(others)
    });
    common.sum()
}

/// Whether two points captured at the same time for as long as it takes to have something in common:
/// half of what the shorter is.
fn are_at_once(one: Option<(Timestamp, Timestamp)>, other: Option<(Timestamp, Timestamp)>) -> bool {
    let Some((one, other)) = one.zip(other) else {
        return false;
    };
    let common = one.1.min(other.1) - one.0.max(other.0);
    let shorter = (one.1 - one.0).min(other.1 - other.0);
    common.0 >= 0 && common.0 >= shorter.0 / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::book::{Account, Passage};

    /// A flow of which so many packets are at each point, and so many missed there.
    fn flow<const POINTS: usize>(at: [(u64, u32); POINTS]) -> FlowFacts {
        let at = at.map(|(packets, missed)| Passage {
            packets,
            missed,
            ..Passage::default()
        });
        FlowFacts {
            keys: vec![None; POINTS],
            is_backward: false,
            account: Account {
                at: at.to_vec(),
                ..Account::default()
            },
        }
    }

    fn at_once(points: usize) -> Vec<Option<(Timestamp, Timestamp)>> {
        vec![Some((Timestamp(0), Timestamp(1_000))); points]
    }

    fn find(flows: &[FlowFacts], points: usize) -> SideBySide {
        SideBySide::find(flows, &at_once(points), &vec![0; points - 1])
    }

    #[test]
    fn each_flow_goes_by_one_of_two() {
        let one = flow([(100, 0), (100, 0), (0, 95), (95, 0)]);
        let other = flow([(50, 0), (0, 50), (50, 0), (50, 0)]);
        assert_eq!(find(&[one, other], 4).pairs, [(1, 2)]);
    }

    #[test]
    fn each_packet_goes_by_one_of_two() {
        let pairs = |at: [(u64, u32); 4], timed: [u64; 3]| {
            SideBySide::find(&[flow(at)], &at_once(4), &timed).pairs
        };
        let sprayed = [(1_000, 0), (500, 480), (500, 490), (970, 0)];
        assert_eq!(pairs(sprayed, [500, 0, 480]), [(1, 2)]);
        assert_eq!(pairs(sprayed, [500, 25, 480]), [(1, 2)]);
        let is_lossy = pairs(sprayed, [500, 240, 480]);
        assert_eq!(is_lossy, [], "both captures miss half of all");
        assert_eq!(pairs(sprayed, [0, 0, 0]), [], "all look alike");
    }

    #[test]
    fn two_places_of_each_of_two_ways() {
        let one = flow([(90, 0), (90, 0), (0, 90), (90, 0), (0, 90), (90, 0)]);
        let other = flow([(90, 0), (0, 90), (90, 0), (0, 90), (90, 0), (90, 0)]);
        let ways = find(&[one, other], 6);
        assert_eq!(ways.pairs, [(1, 2), (1, 4), (2, 3), (3, 4)]);
        assert_eq!(ways.neighbours().collect::<Vec<_>>(), [1, 2, 3]);
        let forward = [1, 2, 3, 4].map(|from| ways.next(from, false));
        assert_eq!(forward, [Some(3), Some(4), Some(5), Some(5)]);
        assert_eq!([3, 4].map(|from| ways.next(from, true)), [Some(1), Some(2)]);
        assert_eq!((ways.next(5, false), ways.next(0, true)), (None, None));
    }

    #[test]
    fn two_that_show_one_way_each_are_one_behind_the_other() {
        let ahead = flow([(90, 0), (0, 85), (85, 0), (85, 0)]);
        let back = flow([(40, 0), (40, 0), (0, 40), (40, 0)]);
        let back = FlowFacts {
            is_backward: true,
            ..back
        };
        assert_eq!(find(&[ahead, back], 4).pairs, []);
    }

    #[test]
    fn one_behind_the_other_is_none() {
        let plain = flow([(100, 0), (97, 3), (97, 0)]);
        assert_eq!(find(&[plain], 3).pairs, []);
        // Nothing comes beyond the second: that may be all lost.
        let lost = flow([(100, 0), (100, 0), (0, 0)]);
        assert_eq!(find(&[lost], 3).pairs, []);
        let few = [
            flow([(7, 0), (7, 0), (0, 7), (7, 0)]),
            flow([(7, 0), (0, 7), (7, 0), (7, 0)]),
        ];
        assert_eq!(find(&few, 4).pairs, []);
    }

    #[test]
    fn one_after_the_other_is_not_beside_it() {
        let flows = [
            flow([(90, 0), (90, 0), (0, 90), (90, 0)]),
            flow([(90, 0), (0, 90), (90, 0), (90, 0)]),
        ];
        let mut spans = at_once(4);
        assert_eq!(SideBySide::find(&flows, &spans, &[0; 3]).pairs, [(1, 2)]);
        spans[1] = Some((Timestamp(0), Timestamp(500)));
        spans[2] = Some((Timestamp(400), Timestamp(1_000)));
        assert_eq!(SideBySide::find(&flows, &spans, &[0; 3]).pairs, []);
        spans[2] = None;
        assert_eq!(SideBySide::find(&flows, &spans, &[0; 3]).pairs, []);
    }

    #[test]
    fn what_ends_at_one_of_two_never_comes_to_the_other() {
        let flows = [
            flow([(90, 0), (90, 0), (0, 0)]),
            flow([(90, 0), (0, 90), (90, 0)]),
        ];
        let ways = find(&flows, 3);
        assert_eq!(ways.pairs, [(1, 2)]);
        assert_eq!([0, 1].map(|front| ways.is_at_end(front)), [false, true]);
        assert_eq!(ways.next(1, false), None);
    }
}
