//! One shard of the receiver model: some of the hosts that fragments go to.

use super::fragments::Part;
use super::order::Load;
use crate::model::Timestamp;
use crate::receiver::{Forecast, NotModelled, Receivers, Settings};

/// Some of the hosts that fragments go to.
#[derive(Debug)]
pub(super) struct Hosts {
    settings: Settings,
    /// By depth: those inside a tunnel are others than those outside.
    receivers: Vec<Receivers>,
}

impl Hosts {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: *settings,
            receivers: Vec::new(),
        }
    }

    /// Takes the fragments to these hosts that have `depth` IP headers around them, and
    /// what the hosts say about them, in the order of the capture.
    pub(super) fn step(&mut self, shard: usize, depth: usize, load: &Load) {
        while self.receivers.len() <= depth {
            self.receivers.push(Receivers::new(&self.settings));
        }
        let receivers = &mut self.receivers[depth];
        let told = load.decoded.fragments.given_up(shard);
        let mut told = told
            .filter(|told| usize::from(told.depth) == depth)
            .peekable();
        load.each(Part::Hosts, shard, depth, |fragment| {
            while let Some(told) = told.next_if(|told| told.frame < fragment.frame) {
                receivers.hear(told);
            }
            receivers.take(fragment);
        });
        told.for_each(|told| receivers.hear(told));
    }

    /// What could not be modelled since it was asked before.
    pub(super) fn take_not_modelled(&mut self) -> NotModelled {
        let mut sum = NotModelled::default();
        for receivers in &mut self.receivers {
            sum += receivers.take_not_modelled();
        }
        sum
    }

    /// What the kernels of these hosts made of what came since it was asked before, as if
    /// the capture ended at `end`.
    pub(super) fn harvest(&mut self, end: Timestamp) -> impl Iterator<Item = Forecast> {
        self.receivers
            .iter_mut()
            .flat_map(move |receivers| receivers.harvest(end))
    }
}
