//! A capture that goes on: what has been counted so far, again and again.
//!
//! Ledgers and forecasts add up, so each [`Harvest`] holds what came since the one
//! before, and all of them together are what [`analyze`](super::analyze) makes of the
//! same frames.

use super::feed::Feed;
use super::lanes::Lanes;
use super::lock;
use super::shard::Held;
use super::worker::Worker;
use crate::account::Ledger;
use crate::model::Timestamp;
use crate::receiver::{Forecast, NotModelled};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

/// What was counted since the harvest before.
#[derive(Debug)]
pub struct Harvest {
    /// Everything but what is in the next two.
    pub ledger: Ledger,
    /// Of datagrams given up that were opened before what is recent.
    pub past: Ledger,
    /// What would be lost if the capture ended now: datagrams that are not whole and
    /// were opened recently. They are still open, and in no other ledger yet.
    pub unfinished: Ledger,
    /// What the kernels of the hosts that fragments go to make of them.
    pub forecasts: Vec<Forecast>,
    /// Fragments that no forecast was made of.
    pub not_modelled: NotModelled,
    /// What is held of datagrams that are not whole, however old.
    pub held: Held,
}

/// What a harvest is about.
pub(super) struct Looked {
    /// Datagrams opened since then are recent.
    pub recent: Timestamp,
    /// As if the capture ended there.
    pub end: Timestamp,
    /// What it is now, if nothing from before is still to be done.
    pub clock: Option<Timestamp>,
}

/// A capture that goes on.
pub struct Live<'a> {
    pub(super) feed: &'a Feed<'a>,
    pub(super) lanes: &'a Lanes,
    pub(super) workers: &'a [Mutex<Worker>],
    pub(super) options: &'a super::Options,
    /// Nanoseconds of the latest frame that was harvested.
    pub(super) latest: &'a AtomicI64,
}

impl Live<'_> {
    /// Takes what was counted since the harvest before, while the capture goes on.
    /// Datagrams opened at `recent` or later are the recent ones. `quiet_until`: no frame
    /// from before then is still to come. Without it time goes on with fragments alone, as
    /// it does in files, whose frames need not be in order.
    pub fn harvest(&self, recent: Timestamp, quiet_until: Option<Timestamp>) -> Harvest {
        let mut ledger = Ledger::new(self.options.timeline_bucket);
        for worker in self.workers {
            let counted = lock(worker).take();
            ledger.merge(counted);
        }
        let last = ledger.capture.span().last;
        let last = last.max(quiet_until.unwrap_or(Timestamp::MIN));
        let end = last.max(Timestamp(self.latest.fetch_max(last.0, Ordering::Relaxed)));
        // Else blocks may still be on their way: time goes on with them.
        let clock = (quiet_until.is_some() && self.feed.is_idle()).then_some(end);
        let mut harvest = Harvest {
            past: Ledger::new(self.options.timeline_bucket),
            unfinished: Ledger::new(self.options.timeline_bucket),
            forecasts: Vec::new(),
            not_modelled: NotModelled::default(),
            held: Held::default(),
            ledger,
        };
        let looked_at = Looked { recent, end, clock };
        self.lanes.harvest(&looked_at, &mut harvest, self.feed);
        harvest
    }

    /// Whether the source has come to its end.
    pub fn is_over(&self) -> bool {
        self.feed.is_over()
    }
}
