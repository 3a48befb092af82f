//! Ctrl-C: the first ends the reading, the second the program.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that a second Ctrl-C ended, as shells have it.
const STATUS_INTERRUPTED: i32 = 130;

/// Whether somebody asked for an end.
#[derive(Clone, Debug)]
pub(super) struct Interrupt(Arc<AtomicBool>);

/// An end was asked for before there was anything to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub(super) struct Interrupted;

impl Interrupt {
    /// Takes the signals over. In `tcpdump -w - | fraglens analyze -` Ctrl-C reaches
    /// both: tcpdump ends its capture, and the report of it is what was wanted.
    pub(super) fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the second signal finds the flag that the first has set.
            flag::register_conditional_shutdown(signal, STATUS_INTERRUPTED, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// The same, and the terminal may go away: what was counted until then is wanted.
    /// With a screen no second signal ends the program, since the screen would stay.
    pub(super) fn listen_until_done(has_screen: bool) -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if !has_screen {
                let asked = Arc::clone(&asked);
                flag::register_conditional_shutdown(signal, STATUS_INTERRUPTED, asked)?;
            }
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// The same for what is half written and must be taken away: every signal asks, and
    /// none ends the program. Those that it was started to ignore, as by nohup, stay so.
    pub(super) fn listen_to_tidy_up() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let ignored = ignored();
        let is_heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(is_heard) {
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// That nobody asked for an end yet.
    pub(super) fn check(&self) -> Result<(), Interrupted> {
        match self.is_asked() {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }

    /// Goes on until an end is asked for.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        match self.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether an end was asked for; from now on, only what is asked later counts.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    /// Whether an end was asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
impl Interrupt {
    /// One that nobody asks.
    pub(super) fn deaf() -> Self {
        Self(Arc::default())
    }

    /// One that was asked already.
    pub(super) fn asked() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

/// The signals that are ignored, the first in the lowest bit; none where that is not known.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0)
}
