//! The shards of reassembly and of the receiver model, each worked by whoever is free.
//!
//! Every shard takes the fragments of all blocks in the order of the capture, at each
//! depth of encapsulation for itself. There are no threads for this and no waiting:
//! who has decoded a block goes round the shards, and brings those that nobody else
//! is at up to date.

use super::feed::{Decoded, Feed};
use super::hosts::Hosts;
use super::live::{Harvest, Looked};
use super::order::{Load, Order};
use super::shard::{Counted, Derived, Shard};
use super::{Options, SHARDS, lock};
use crate::model::Timestamp;
use crate::model::facts::MAX_LAYERS;
use crate::receiver::{Forecast, NotModelled};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};

/// The shards, and the blocks on their way to them.
pub(super) struct Lanes {
    lanes: [Mutex<Lane>; LANES],
    /// By depth.
    orders: [Mutex<Order>; MAX_LAYERS],
    /// Depths in use.
    depths: AtomicUsize,
    /// When the capture began: known before anything of it is taken.
    begins: OnceLock<Timestamp>,
}

/// Shards of both kinds; those of reassembly come first.
pub(super) const LANES: usize = 2 * SHARDS;

/// A shard and where it is.
struct Lane {
    work: Work,
    /// Number of the next block, by depth.
    next: [u64; MAX_LAYERS],
}

enum Work {
    Reassemble(Box<Shard>),
    Predict(Hosts),
}

/// What was taken of a lane.
enum Taken {
    Counted(Box<Counted>),
    Predicted(Vec<Forecast>, NotModelled),
}

impl Work {
    fn of(lane: usize, options: &Options) -> Self {
        if lane < SHARDS {
            Self::Reassemble(Box::new(Shard::new(options)))
        } else {
            Self::Predict(Hosts::new(&options.receiver))
        }
    }

    /// Takes what was counted; merging it is for when nobody waits for the lane.
    fn take(&mut self, looked: &Looked) -> Taken {
        match self {
            Self::Reassemble(shard) => Taken::Counted(Box::new(shard.take(looked))),
            Self::Predict(hosts) => {
                let forecasts = hosts.harvest(looked.clock.unwrap_or(Timestamp::MIN));
                Taken::Predicted(forecasts.collect(), hosts.take_not_modelled())
            }
        }
    }

    /// Takes the fragments of a block of a capture that begins at `begins`; gives those
    /// found inside what they make.
    fn step(&mut self, lane: usize, depth: usize, load: &Load, begins: Timestamp) -> Derived {
        match self {
            Self::Reassemble(shard) => {
                shard.begins(begins);
                shard.step(lane, depth, load)
            }
            Self::Predict(hosts) => {
                hosts.step(lane - SHARDS, depth, load);
                Derived::default()
            }
        }
    }
}

impl Lanes {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            lanes: std::array::from_fn(|lane| {
                Mutex::new(Lane {
                    work: Work::of(lane, options),
                    next: [0; MAX_LAYERS],
                })
            }),
            orders: Default::default(),
            depths: AtomicUsize::new(1),
            begins: OnceLock::new(),
        }
    }

    /// Takes a decoded block.
    pub(super) fn put(&self, number: u64, decoded: Decoded, feed: &Feed<'_>) {
        if number == 0
            && let Some(frame) = decoded.block.frames().next()
        {
            self.begins.get_or_init(|| frame.timestamp);
        }
        if decoded.fragments.is_empty() {
            lock(&self.orders[0]).put(number, None);
            feed.give_back(decoded);
        } else {
            lock(&self.orders[0]).put(number, Some(Load::new(decoded)));
        }
    }

    /// Reassembles what there is, as far as others do not. `first` is the shard to
    /// begin with: workers that begin at different ones do not meet.
    pub(super) fn catch_up(&self, first: usize, feed: &Feed<'_>) {
        // What goes on to the next depth has something for shards already seen to.
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for turn in 0..LANES {
                goes_on |= self.catch_up_with((first + turn) % LANES, feed);
            }
        }
    }

    /// Brings one shard up to date unless somebody is at it. Who is looks again after
    /// leaving it, so that nothing put there meanwhile stays behind. Says whether a
    /// block went on to the next depth.
    fn catch_up_with(&self, shard: usize, feed: &Feed<'_>) -> bool {
        let mut goes_on = false;
        loop {
            let mut lane = match self.lanes[shard].try_lock() {
                Ok(lane) => lane,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return goes_on,
            };
            for depth in 0..self.depths.load(Ordering::Acquire) {
                goes_on |= self.step_through(shard, depth, &mut lane, feed);
            }
            let mut next = lane.next;
            drop(lane);
            if !self.is_behind(&mut next) {
                return goes_on;
            }
        }
    }

    /// Takes the blocks that are there through one depth of a shard. Says whether one
    /// went on to the next depth.
    fn step_through(&self, shard: usize, depth: usize, lane: &mut Lane, feed: &Feed<'_>) -> bool {
        let mut goes_on = false;
        loop {
            let load = lock(&self.orders[depth]).get(&mut lane.next[depth]);
            let Some(load) = load else {
                return goes_on;
            };
            let begins = self.begins.get().copied().unwrap_or(Timestamp::MIN);
            let derived = lane.work.step(shard, depth, &load, begins);
            drop(load);
            let number = lane.next[depth];
            lane.next[depth] += 1;
            let mut order = lock(&self.orders[depth]);
            order.done(number, shard, derived);
            while let Some(load) = order.pop() {
                goes_on |= self.pass_on(load, depth + 1, feed);
            }
        }
    }

    fn is_behind(&self, next: &mut [u64; MAX_LAYERS]) -> bool {
        let mut orders = self.orders.iter().zip(next).enumerate();
        orders.any(|(depth, (order, next))| {
            // Read with the order before unlocked again: whoever sends a block on holds
            // that, so either the depth is seen here, or the lane was found free there.
            depth < self.depths.load(Ordering::Acquire) && lock(order).get(next).is_some()
        })
    }

    /// Sends a block on to the next depth, or back to be filled again. Called with the
    /// order of the depth before locked, so that blocks stay in order.
    fn pass_on(&self, load: Load, depth: usize, feed: &Feed<'_>) -> bool {
        match self.orders.get(depth) {
            Some(order) if load.reaches(depth) => {
                lock(order).push(load);
                self.depths.fetch_max(depth + 1, Ordering::Release);
                true
            }
            _ => {
                feed.give_back(load.decoded);
                false
            }
        }
    }

    /// Takes what all shards have counted. Workers that come by a shard meanwhile leave
    /// it alone, so it is brought up to date for them.
    pub(super) fn harvest(&self, looked: &Looked, harvest: &mut Harvest, feed: &Feed<'_>) {
        for lane in &self.lanes {
            let taken = lock(lane).work.take(looked);
            match taken {
                Taken::Counted(counted) => {
                    let [ledger, past, unfinished] = counted.ledgers;
                    harvest.ledger.merge(ledger);
                    harvest.past.merge(past);
                    harvest.unfinished.merge(unfinished);
                    harvest.held += counted.held;
                }
                Taken::Predicted(forecasts, not_modelled) => {
                    harvest.forecasts.extend(forecasts);
                    harvest.not_modelled += not_modelled;
                }
            }
        }
        self.catch_up(0, feed);
    }

    /// The shards, all of their blocks being done.
    pub(super) fn into_shards(self) -> (Vec<Shard>, Vec<Hosts>) {
        let (mut shards, mut hosts) = (Vec::new(), Vec::new());
        for lane in self.lanes {
            let lane = lane.into_inner().unwrap_or_else(PoisonError::into_inner);
            match lane.work {
                Work::Reassemble(shard) => shards.push(*shard),
                Work::Predict(some) => hosts.push(some),
            }
        }
        (shards, hosts)
    }
}
