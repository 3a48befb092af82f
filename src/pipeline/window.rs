//! All of a capture that goes on, and the last seconds of it.
//!
//! What came lately cannot be had by taking away what came before: maxima and first
//! frames do not subtract. So sums are begun anew every half window, and each is looked
//! at until it is as old as the window: what is looked at is always between half a
//! window and a whole one.

use super::Analysis;
use super::live::Harvest;
use super::shard::Held;
use crate::account::{Bucket, Ledger};
use crate::model::counters::add_fields;
use crate::model::{Counters, Duration, Timestamp};
use crate::receiver::{Forecast, Host, NotModelled};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Most flows and most tunnels of the last seconds that are told apart: all of them are
/// copied each second.
pub const MAX_RECENT: usize = 1 << 14;

/// Most flows and most tunnels of all of a capture that goes on: for as long as it does,
/// their memory is taken.
pub const MAX_WATCHED: usize = 1 << 18;

/// All of a capture that goes on, and the last seconds of it.
#[derive(Debug)]
pub struct Window {
    half: Duration,
    bucket: Duration,
    all: Recent,
    tally: Tally,
    /// Since `begins`.
    recent: Recent,
    begins: Timestamp,
    /// The same, from the beginning of the capture on.
    begun: Duration,
    /// The same since half a window later.
    newer: Recent,
    newer_begins: Timestamp,
    newer_begun: Duration,
    elapsed: Duration,
    turns: u64,
    /// What is open now.
    unfinished: Ledger,
    held: Held,
}

/// What was counted in some span of a capture.
#[derive(Debug)]
pub struct Recent {
    /// Everything.
    pub ledger: Ledger,
    /// What the kernels of the hosts that fragments go to make of them, by host.
    pub forecasts: Vec<Forecast>,
    /// Fragments that no forecast was made of.
    pub not_modelled: NotModelled,
    by_host: BTreeMap<Host, Forecast>,
}

/// The sums over all flows and tunnels of some span. They only grow: a datagram is in
/// them once it is whole or given up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Frames.
    pub frames: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// At every IP layer. Fragments are full-sized here if none of their flow was larger
    /// in the same harvest.
    pub counters: Counters,
    /// The timeline in one.
    pub bucket: Bucket,
}

impl Recent {
    fn new(bucket: Duration, bound: usize) -> Self {
        Self {
            ledger: Ledger::bounded(bucket, bound, bound),
            forecasts: Vec::new(),
            not_modelled: NotModelled::default(),
            by_host: BTreeMap::new(),
        }
    }

    fn forecasts(&mut self, later: &[Forecast]) {
        for forecast in later {
            match self.by_host.entry(forecast.host) {
                Entry::Occupied(mut known) => known.get_mut().add_later(forecast),
                // Else hosts that ceased to be talked to would be looked at for ever.
                Entry::Vacant(_) if forecast.is_idle() => {}
                Entry::Vacant(place) => {
                    place.insert(forecast.clone());
                }
            }
        }
    }
}

impl Tally {
    fn of(ledger: &Ledger) -> Self {
        let mut tally = Self {
            frames: ledger.capture.frames,
            bytes: ledger.capture.bytes,
            bucket: ledger.timeline.sum(),
            ..Self::default()
        };
        let flows = ledger.flows.iter().map(|(_, flow)| flow);
        for flow in flows.chain(ledger.flows.beyond()) {
            tally.counters += flow.counters();
        }
        let tunnels = ledger.tunnels.iter().map(|(_, tunnel)| tunnel);
        for tunnel in tunnels.chain(ledger.tunnels.beyond()) {
            tally.counters += tunnel.counters();
        }
        tally
    }
}

add_fields!(Tally {
    frames,
    bytes,
    counters,
    bucket,
});

impl Window {
    /// Of a capture that begins at `now`; `length` is looked back. `bucket`: of the
    /// timeline.
    pub fn new(length: Duration, bucket: Duration, now: Timestamp) -> Self {
        Self {
            half: Duration(length.0 / 2),
            bucket,
            all: Recent::new(bucket, MAX_WATCHED),
            tally: Tally::default(),
            recent: Recent::new(bucket, MAX_RECENT),
            begins: now,
            begun: Duration::default(),
            newer: Recent::new(bucket, MAX_RECENT),
            newer_begins: now,
            newer_begun: Duration::default(),
            elapsed: Duration::default(),
            turns: 0,
            unfinished: Ledger::new(bucket),
            held: Held::default(),
        }
    }

    /// Since when is looked at: datagrams opened before are no longer of interest.
    pub fn begins(&self) -> Timestamp {
        self.begins
    }

    /// How long ago that was.
    pub fn age(&self) -> Duration {
        self.elapsed - self.begun
    }

    /// How often a sum was begun anew: what is to be looked at over the same seconds has to
    /// be begun anew with it.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Takes a harvest `elapsed` after the beginning, when the clock of the frames says
    /// `now` (which somebody may set); gives its sums.
    pub fn take(&mut self, harvest: Harvest, now: Timestamp, elapsed: Duration) -> Tally {
        if elapsed - self.newer_begun >= self.half {
            let empty = Recent::new(self.bucket, MAX_RECENT);
            self.recent = std::mem::replace(&mut self.newer, empty);
            (self.begins, self.begun) = (self.newer_begins, self.newer_begun);
            (self.newer_begins, self.newer_begun) = (now, elapsed);
            self.turns += 1;
        }
        self.elapsed = elapsed;
        self.begins = self.begins.min(now);
        self.newer_begins = self.newer_begins.min(now);
        let mut tally = Tally::of(&harvest.ledger);
        tally += Tally::of(&harvest.past);
        self.tally += tally;
        for recent in [&mut self.recent, &mut self.newer] {
            recent.ledger.merge_copy(&harvest.ledger);
            recent.forecasts(&harvest.forecasts);
            recent.not_modelled += harvest.not_modelled;
        }
        self.all.ledger.merge(harvest.ledger);
        self.all.ledger.merge(harvest.past);
        self.all.forecasts(&harvest.forecasts);
        self.all.not_modelled += harvest.not_modelled;
        self.unfinished = harvest.unfinished;
        self.held = harvest.held;
        tally
    }

    /// Sums of all harvests.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is held of datagrams that are not whole.
    pub fn held(&self) -> Held {
        self.held
    }

    /// Flows told apart since the beginning.
    pub fn flows(&self) -> usize {
        self.all.ledger.flows.len()
    }

    /// Shows the last seconds, as if the capture ended now.
    pub fn look<T>(&mut self, look: impl FnOnce(&Recent) -> T) -> T {
        let mut ledger = self.recent.ledger.clone();
        ledger.merge(std::mem::replace(
            &mut self.unfinished,
            Ledger::new(self.bucket),
        ));
        ledger.settle();
        // What tags stand for is told once.
        std::mem::swap(&mut ledger.scopes, &mut self.all.ledger.scopes);
        let recent = Recent {
            ledger,
            forecasts: self.recent.by_host.values().cloned().collect(),
            not_modelled: self.recent.not_modelled,
            by_host: BTreeMap::new(),
        };
        let seen = look(&recent);
        self.all.ledger.scopes = recent.ledger.scopes;
        seen
    }

    /// All of the capture, `rest` being what was not harvested.
    pub fn finish(self, rest: Analysis) -> Analysis {
        let mut all = self.all;
        all.ledger.merge(rest.ledger);
        all.ledger.settle();
        all.forecasts(&rest.forecasts);
        all.not_modelled += rest.not_modelled;
        Analysis {
            ledger: all.ledger,
            forecasts: all.by_host.into_values().collect(),
            not_modelled: all.not_modelled,
            ..rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Harvest {
        let empty = || Ledger::new(Duration::from_secs(1));
        Harvest {
            ledger: empty(),
            past: empty(),
            unfinished: empty(),
            forecasts: Vec::new(),
            not_modelled: NotModelled::default(),
            held: Held::default(),
        }
    }

    #[test]
    fn it_looks_back_half_a_window_at_least_and_a_whole_one_at_most() {
        let start = Timestamp(1_000_000_000_000);
        let mut window = Window::new(Duration::from_secs(10), Duration::from_secs(1), start);
        let mut turns = Vec::new();
        for second in 1..=40 {
            let elapsed = Duration::from_secs(second);
            let before = window.turns();
            window.take(nothing(), start + elapsed, elapsed);
            if window.turns() > before {
                turns.push(second);
            }
            let age = window.age();
            assert_eq!(start + elapsed - window.begins(), age);
            assert!(age <= Duration::from_secs(10), "{age:?} at {second}");
            assert!(
                second < 5 || age >= Duration::from_secs(5),
                "{age:?} at {second}"
            );
        }
        assert_eq!(turns, [5, 10, 15, 20, 25, 30, 35, 40]);
    }

    #[test]
    fn a_clock_that_is_set_back_stops_nothing() {
        let start = Timestamp(1_000_000_000_000);
        let mut window = Window::new(Duration::from_secs(10), Duration::from_secs(1), start);
        for second in 1..=30 {
            let now = start + Duration::from_secs(second - 3600);
            window.take(nothing(), now, Duration::from_secs(second));
            assert!(window.begins() <= now);
            assert!(window.age() <= Duration::from_secs(10));
        }
        assert_eq!(window.turns(), 6);
    }
}
