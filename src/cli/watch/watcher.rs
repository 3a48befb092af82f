//! What is done each second.

use super::args::WatchOptions;
use super::clock::Clock;
use super::state::{Outcome, State};
use super::views::{Views, Wish};
use crate::cli::interrupt::Interrupt;
use crate::cli::options::span;
use crate::model::Timestamp;
use crate::pipeline::{Analysis, Live};
use crate::source::LiveControl;
use std::io;
use std::thread;
use std::time::{Duration, SystemTime};

/// How often somebody who waits looks whether the end was asked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long the rings may take to be read after the end was asked for.
const DRAIN: Duration = Duration::from_secs(5);

/// Looks at a capture while it goes on.
pub(super) struct Watcher<'a> {
    control: LiveControl,
    interrupt: Interrupt,
    clock: Clock,
    state: State<'a>,
    views: Views,
}

impl<'a> Watcher<'a> {
    pub fn new(
        options: &'a WatchOptions,
        control: LiveControl,
        interrupt: Interrupt,
        views: Views,
    ) -> Self {
        Self {
            clock: Clock::new(options.interval, options.duration),
            state: State::new(options, now(), &control),
            control,
            interrupt,
            views,
        }
    }

    /// Watches until the end is asked for, or comes.
    pub fn run(&mut self, live: &Live<'_>) -> io::Result<()> {
        let stop = StopOnDrop(self.control.clone());
        let watched = self.watch(live);
        // What lies in the rings is read meanwhile.
        drop(stop);
        let ended = self.views.end();
        wait_for(live);
        watched.and(ended)
    }

    /// What came of it all, `rest` being what was not yet taken.
    pub fn finish(self, rest: Analysis) -> Outcome {
        self.state.finish(rest, now())
    }

    fn watch(&mut self, live: &Live<'_>) -> io::Result<()> {
        while !self.is_over(live) {
            if self.clock.tick() {
                self.tick(live)?;
            } else if self.views.wait(self.clock.left().min(LOOK))? == Wish::Quit {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_over(&self, live: &Live<'_>) -> bool {
        self.interrupt.is_asked() || self.clock.is_over() || live.is_over()
    }

    fn tick(&mut self, live: &Live<'_>) -> io::Result<()> {
        self.control.retry();
        let harvest = live.harvest(self.state.recent(), Some(self.state.quiet_until()));
        let statuses = self.control.statuses();
        let (now, elapsed) = (now(), span(self.clock.elapsed()));
        let mut snapshot = self.state.take(harvest, &statuses, now, elapsed);
        let changes = self.state.changes(&mut snapshot);
        self.views.show(snapshot, &changes)
    }
}

/// The source waits for frames, whatever becomes of who looks on.
struct StopOnDrop(LiveControl);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn wait_for(live: &Live<'_>) {
    let mut waited = Duration::ZERO;
    while !live.is_over() && waited < DRAIN {
        thread::sleep(LOOK);
        waited += LOOK;
    }
}

/// By the clock that stamps frames.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    Timestamp(i64::try_from(nanos).unwrap_or(i64::MAX))
}
