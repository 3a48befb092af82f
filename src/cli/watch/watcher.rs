//! What is done each second.

use super::args::{Display, WatchOptions};
use super::clock::Clock;
use super::state::State;
use crate::cli::interrupt::Interrupt;
use crate::cli::output::Output;
use crate::model::Timestamp;
use crate::pipeline::{Analysis, Live};
use crate::source::LiveControl;
use crate::watch::{Change, Line, Snapshot};
use std::io::{self, Stdout};
use std::thread;
use std::time::{Duration, SystemTime};

/// How often somebody who waits looks whether the end was asked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long the rings may take to be read after the end was asked for.
const DRAIN: Duration = Duration::from_secs(5);

/// Looks at a capture while it goes on.
pub(super) struct Watcher<'a> {
    options: &'a WatchOptions,
    control: LiveControl,
    interrupt: Interrupt,
    clock: Clock,
    state: State<'a>,
}

impl<'a> Watcher<'a> {
    pub fn new(
        options: &'a WatchOptions,
        control: LiveControl,
        interrupt: Interrupt,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            clock: Clock::new(options.interval, options.duration),
            state: State::new(options, now(), &control),
            options,
            control,
            interrupt,
        })
    }

    /// Watches until the end is asked for, or comes.
    pub fn run(&mut self, live: &Live<'_>, output: &mut Output) -> io::Result<()> {
        while !self.is_over(live) {
            if self.clock.tick() {
                self.tick(live, output)?;
            } else {
                thread::sleep(self.clock.left().min(LOOK));
            }
        }
        self.end(live);
        Ok(())
    }

    /// All of the capture, `rest` being what was not yet taken.
    pub fn finish(self, rest: Analysis) -> Analysis {
        self.state.finish(rest)
    }

    fn is_over(&self, live: &Live<'_>) -> bool {
        self.interrupt.is_asked() || self.clock.is_over() || live.is_over()
    }

    fn tick(&mut self, live: &Live<'_>, output: &mut Output) -> io::Result<()> {
        self.control.retry();
        let now = now();
        let harvest = live.harvest(self.state.recent());
        let elapsed = self.clock.elapsed().as_secs_f64();
        let mut snapshot = self
            .state
            .take(harvest, self.control.statuses(), now, elapsed);
        let changes = self.state.changes(&mut snapshot);
        self.show(&snapshot, &changes, output)
    }

    fn show(
        &mut self,
        snapshot: &Snapshot,
        changes: &[Change],
        output: &mut Output,
    ) -> io::Result<()> {
        match self.options.display {
            Display::Lines => {
                let elsewhere: Option<Stdout> =
                    self.options.layout.output.as_ref().map(|_| io::stdout());
                match elsewhere {
                    Some(mut out) => lines(snapshot, changes, &mut out),
                    None => lines(snapshot, changes, output),
                }
            }
            Display::Screen | Display::Nothing => Ok(()),
        }
    }

    /// Has what lies in the rings read.
    fn end(&self, live: &Live<'_>) {
        self.control.stop();
        let mut waited = Duration::ZERO;
        while !live.is_over() && waited < DRAIN {
            thread::sleep(LOOK);
            waited += LOOK;
        }
    }
}

fn lines(snapshot: &Snapshot, changes: &[Change], out: &mut impl io::Write) -> io::Result<()> {
    for change in changes {
        Line::Finding(change).write(out)?;
    }
    Line::Snapshot(snapshot).write(out)
}

/// By the clock that stamps frames.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    Timestamp(i64::try_from(nanos).unwrap_or(i64::MAX))
}
