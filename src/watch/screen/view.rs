//! What is shown: one snapshot, its flows sorted and filtered.

use super::columns::Column;
use super::past::Cleared;
use crate::report::document::{Flow, FlowKey};
use crate::report::label;
use crate::watch::{Active, Snapshot};

/// The order of the flows, and which of them are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    pub(super) sort: Column,
    /// The mildest first.
    pub(super) is_reversed: bool,
    /// What a flow has to have in its name, in small letters.
    pub(super) filter: String,
}

/// One snapshot as it is shown.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) snapshot: Snapshot,
    /// Findings that were true within the minute before.
    pub(super) cleared: Vec<Cleared>,
    /// Frames that each interface lost in the second before, in the order of `captured`.
    pub(super) lost_now: Vec<u64>,
    /// Indices of the flows that are shown, in their order.
    order: Vec<usize>,
}

impl View {
    pub(super) fn new(
        snapshot: Snapshot,
        cleared: Vec<Cleared>,
        lost_now: Vec<u64>,
        wish: &Wish,
    ) -> Self {
        let mut view = Self {
            snapshot,
            cleared,
            lost_now,
            order: Vec::new(),
        };
        view.arrange(wish);
        view
    }

    /// Sorts and filters the flows anew.
    pub(super) fn arrange(&mut self, wish: &Wish) {
        let flows = &self.snapshot.window.flows;
        let is_wanted = |flow: &Flow| {
            wish.filter.is_empty() || label::flow(&flow.key).to_lowercase().contains(&wish.filter)
        };
        self.order = (0..flows.len())
            .filter(|index| is_wanted(&flows[*index]))
            .collect();
        self.order.sort_by(|one, other| {
            let (one, other) = (&flows[*one], &flows[*other]);
            wish.sort.compare(one, other, wish.is_reversed)
        });
    }

    /// How many flows are shown.
    pub(super) fn flow_count(&self) -> usize {
        self.order.len()
    }

    /// A flow by its line.
    pub(super) fn flow(&self, line: usize) -> Option<&Flow> {
        self.snapshot.window.flows.get(*self.order.get(line)?)
    }

    /// The line that a flow is in.
    pub(super) fn line_of(&self, key: &FlowKey) -> Option<usize> {
        let flows = &self.snapshot.window.flows;
        self.order
            .iter()
            .position(|index| flows[*index].key == *key)
    }

    /// A flow by its name, whatever is filtered.
    pub(super) fn flow_of(&self, key: &FlowKey) -> Option<(usize, &Flow)> {
        let flows = self.snapshot.window.flows.iter().enumerate();
        flows.into_iter().find(|(_, flow)| flow.key == *key)
    }

    /// Findings that are true, then those that were.
    pub(super) fn finding_count(&self) -> usize {
        self.snapshot.findings.len() + self.cleared.len()
    }

    /// A finding by its line.
    pub(super) fn finding(&self, line: usize) -> Option<&Active> {
        let active = &self.snapshot.findings;
        let cleared = self.cleared.iter().map(|cleared| &cleared.active);
        active.iter().chain(cleared).nth(line)
    }

    /// The line that a finding is in.
    pub(super) fn line_of_finding(&self, id: &str) -> Option<usize> {
        let lines = 0..self.finding_count();
        lines.into_iter().find(|line| {
            self.finding(*line)
                .is_some_and(|active| active.finding.id == id)
        })
    }
}
