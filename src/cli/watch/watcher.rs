//! What is done each second.

use super::args::WatchOptions;
use super::clock::Clock;
use super::state::{Outcome, State};
use super::views::{Views, Wish};
use crate::cli::interrupt::Interrupt;
use crate::cli::output::Output;
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
    pub fn run(&mut self, live: &Live<'_>, output: &mut Output) -> io::Result<()> {
        let watched = self.watch(live, output);
        // What lies in the rings is read meanwhile.
        self.control.stop();
        let ended = self.views.end(output);
        wait_for(live);
        watched.and(ended)
    }

    /// What came of it all, `rest` being what was not yet taken.
    pub fn finish(self, rest: Analysis) -> Outcome {
        self.state.finish(rest, now())
    }

    fn watch(&mut self, live: &Live<'_>, output: &mut Output) -> io::Result<()> {
        while !self.is_over(live) {
            if self.clock.tick() {
                self.tick(live, output)?;
            } else if self.views.wait(self.clock.left().min(LOOK))? == Wish::Quit {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_over(&self, live: &Live<'_>) -> bool {
        self.interrupt.is_asked() || self.clock.is_over() || live.is_over()
    }

    fn tick(&mut self, live: &Live<'_>, output: &mut Output) -> io::Result<()> {
        self.control.retry();
        let now = now();
        let harvest = live.harvest(self.state.recent());
        let elapsed = self.clock.elapsed().as_secs_f64();
        let statuses = self.control.statuses();
        let mut snapshot = self.state.take(harvest, &statuses, now, elapsed);
        let changes = self.state.changes(&mut snapshot);
        self.views.show(snapshot, &changes, output)
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
