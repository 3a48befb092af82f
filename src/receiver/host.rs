//! One host: its kernel, and what would have been with another.
//!
//! Alternatives cost nothing as long as nothing would be different: each is forked from
//! the kernel as it is at the moment when it begins to differ.

use super::forecast::{Alternative, Change, Forecast, Host, Predicted};
use super::memory::MemoryCurve;
use super::model::Model;
use super::settings::Settings;
use crate::model::{Duration, Timestamp, mtu};
use crate::reassemble::FragmentFacts;

/// What is tried in place of the default memory; larger ones are tried at 16 times.
const LARGER_MEMORY: u64 = 64 << 20;
/// What is tried in place of longer times: what the fix for full memory sets.
const SHORTER_TIME: Duration = Duration::from_secs(5);

/// The kernels of one host.
#[derive(Debug)]
pub(super) struct HostModels {
    host: Host,
    settings: Settings,
    /// Never goes back, though the capture's clock may.
    clock: Timestamp,
    base: Model,
    forks: [Fork; 3],
    wire_bytes: u64,
    largest_full_bytes: u32,
    /// Times the host said that it gave up a datagram.
    timeouts_told: u64,
}

/// A kernel with other settings; `None` while it has nothing different to do.
#[derive(Debug)]
struct Fork {
    change: Change,
    settings: Settings,
    model: Option<Box<Model>>,
}

impl HostModels {
    pub fn new(host: Host, settings: &Settings) -> Self {
        let version = host.version;
        let rules = settings.rules(version);
        let memory = LARGER_MEMORY.max(rules.high_thresh.saturating_mul(16));
        let time = SHORTER_TIME.min(rules.timeout);
        let larger = settings.with_memory(version, memory);
        let fork = |change, settings| Fork {
            change,
            settings,
            model: None,
        };
        Self {
            host,
            settings: *settings,
            clock: Timestamp::MIN,
            base: Model::new(rules),
            forks: [
                fork(Change::LargerMemory, larger),
                fork(Change::ShorterTime, settings.with_time(version, time)),
                fork(Change::Both, larger.with_time(version, time)),
            ],
            wire_bytes: 0,
            largest_full_bytes: 0,
            timeouts_told: 0,
        }
    }

    pub fn take(&mut self, fragment: &FragmentFacts) {
        self.clock = self.clock.max(fragment.timestamp);
        self.wire_bytes = self.wire_bytes.saturating_add(fragment.wire_bytes);
        if fragment.more {
            self.largest_full_bytes = self.largest_full_bytes.max(fragment.ip_bytes);
        }
        self.base
            .advance_until(self.clock, &mut self.forks, self.host);
        for fork in &mut self.forks {
            if let Some(model) = &mut fork.model {
                model.take(fragment, self.clock);
            }
        }
        self.base.take(fragment, self.clock);
    }

    /// The host says that it gave up a datagram.
    pub fn hear(&mut self, at: Timestamp) {
        self.clock = self.clock.max(at);
        self.timeouts_told = self.timeouts_told.saturating_add(1);
        self.base
            .advance_until(self.clock, &mut self.forks, self.host);
        for fork in &mut self.forks {
            if let Some(model) = &mut fork.model {
                model.hear(self.clock);
            }
        }
        self.base.hear(self.clock);
    }

    /// Places for datagrams that its kernels take.
    pub fn places(&self) -> usize {
        let forks = self.forks.iter().flat_map(|fork| &fork.model);
        forks.fold(self.base.places(), |sum, model| {
            sum.saturating_add(model.places())
        })
    }

    /// What came of it by `end` since it was asked before, as if the capture ended there.
    pub fn harvest(&mut self, end: Timestamp) -> Forecast {
        let end = self.clock.max(end);
        self.base.advance_until(end, &mut self.forks, self.host);
        let (predicted, memory) = self.base.harvest(end);
        let wire_bytes = std::mem::take(&mut self.wire_bytes);
        let timeouts_told = std::mem::take(&mut self.timeouts_told);
        let mut alternatives: Vec<Alternative> = self
            .forks
            .iter_mut()
            .map(|fork| {
                let harvested = fork.model.as_mut().map(|model| model.harvest(end));
                let (predicted, memory) = harvested.unwrap_or_else(|| (predicted, memory.clone()));
                Alternative {
                    change: fork.change,
                    settings: fork.settings,
                    predicted,
                    memory,
                }
            })
            .collect();
        alternatives.push(Alternative {
            change: Change::MessagesThatFit {
                largest_message_bytes: mtu::largest_message(
                    self.host.version,
                    self.largest_full_bytes,
                ),
            },
            settings: self.settings,
            predicted: Predicted {
                fragments: predicted.fragments,
                reassembled: predicted.fragments,
                delivered_bytes: wire_bytes,
                ..Predicted::default()
            },
            memory: MemoryCurve::default(),
        });
        Forecast {
            host: self.host,
            settings: self.settings,
            timeouts_told,
            predicted,
            memory,
            alternatives,
        }
    }
}

impl Model {
    /// Comes to `now`, and forks what begins to differ on the way: a time that is
    /// shorter when the oldest datagram reaches it, more memory when the next fragment
    /// would be refused.
    fn advance_until(&mut self, now: Timestamp, forks: &mut [Fork; 3], host: Host) {
        let is_old = self.oldest().is_some_and(|opened| {
            let time = SHORTER_TIME.min(self.timeout());
            now - opened >= time
        });
        if is_old {
            self.fork(&mut forks[1], host);
            self.fork(&mut forks[2], host);
        }
        self.advance(now);
        if self.is_full() {
            self.fork(&mut forks[0], host);
            self.fork(&mut forks[2], host);
        }
    }

    fn fork(&self, fork: &mut Fork, host: Host) {
        if fork.model.is_none() {
            let rules = fork.settings.rules(host.version);
            fork.model = Some(Box::new(self.with(rules)));
        }
    }
}
