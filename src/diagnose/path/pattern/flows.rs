//! What flows lose, each for itself.

use crate::compare::{Between, Fate, FlowFacts, InFragments, Outcome};

/// What a flow loses between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowLoss {
    /// Packets and fragments that were sent.
    pub sent: u64,
    /// Those of them that were lost.
    pub lost: u64,
    /// Whether these are its last, after others that passed.
    pub is_end: bool,
    /// Its datagrams in fragments.
    pub in_fragments: InFragments,
}

impl FlowLoss {
    /// What one flow loses, in the direction it went.
    pub fn of(between: &Between) -> Self {
        Self::of_side(between, Fate::Front)
    }

    /// The same of all flows, or of those that go one way; not of tunnels. What goes a way on which
    /// nothing is lost tells flows apart by nothing but that.
    pub fn of_all(outcome: &Outcome, pair: usize, is_backward: Option<bool>) -> Vec<Self> {
        let ways = match is_backward {
            Some(is_backward) => vec![Self::of_way(outcome, pair, is_backward)],
            None => [false, true]
                .map(|is_backward| Self::of_way(outcome, pair, is_backward))
                .into_iter()
                .filter(|flows| flows.iter().any(|flow| flow.lost > 0))
                .collect(),
        };
        ways.concat()
    }

    fn of_way(outcome: &Outcome, pair: usize, is_backward: bool) -> Vec<Self> {
        let is_meant =
            |flow: &&FlowFacts| !flow.account.is_carrier && flow.is_backward == is_backward;
        let side = match is_backward {
            true => Fate::Back,
            false => Fate::Front,
        };
        let flows = outcome.flows.iter().filter(is_meant);
        let losses = flows.map(|flow| Self::of_side(&flow.account.between[pair], side));
        losses.filter(|flow| flow.sent > 0).collect()
    }

    fn of_side(between: &Between, side: Fate) -> Self {
        let (sent, passed, runs) = match side {
            Fate::Back => (&between.back, &between.back_passed, &between.shape.runs[1]),
            Fate::Front | Fate::Both => (
                &between.front,
                &between.front_passed,
                &between.shape.runs[0],
            ),
        };
        let (sent, lost) = (sent.packets, sent.packets - passed.packets);
        let is_last = runs
            .latest()
            .is_some_and(|last| u64::from(last) + 1 == sent);
        Self {
            sent,
            lost,
            is_end: is_last && runs.runs == 1 && runs.losses == lost && lost < sent,
            in_fragments: between.in_fragments[usize::from(side == Fate::Back)],
        }
    }
}
