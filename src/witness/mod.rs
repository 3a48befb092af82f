//! What others counted: the programs that measured a path, and the kernels at its ends.
//!
//! Input: text that somebody copied from a terminal. Output: the runs of a
//! [`Benchmark`], or the [`KernelCounters`] of a host, in one vocabulary and in base
//! units: messages, bytes, seconds, bits per second.
//!
//! What must hold: what the text does not say is `None`, never 0; no figure is
//! negative, infinite or not a number; lines that are about something else are passed
//! over; what comes out is bounded by [`MAX_RUNS`] and [`MAX_COUNTERS`]; an error never
//! repeats the text. Nothing here opens a file.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod counters;
mod figures;
mod iperf3;
mod netperf;
mod qperf;
mod run;
#[cfg(test)]
mod tests;
mod unreadable;

pub use counters::{Counted, KernelCounters, MAX_COUNTERS, kernel_counters};
pub use run::{Benchmark, MAX_RUNS, Program, Run, Side, Transport};
pub use unreadable::Unreadable;

use run::Runs;

/// What one program is known by: `None` if it did not print the text.
type Reader = fn(&str) -> Result<Option<Runs>, Unreadable>;

const READERS: [(Program, Reader); 3] = [
    (Program::Netperf, netperf::read),
    (Program::Iperf3, iperf3::read),
    (Program::Qperf, qperf::read),
];

/// Reads what netperf, iperf3 (text or JSON) or qperf printed, whichever it was.
///
/// # Errors
///
/// None of them printed it, no run of it came to an end, or it is damaged.
pub fn benchmark(text: &str) -> Result<Benchmark, Unreadable> {
    for (program, read) in READERS {
        let Some(runs) = read(text)? else {
            continue;
        };
        let runs = runs.into_vec();
        if runs.is_empty() {
            return Err(Unreadable::NoRun { program });
        }
        return Ok(Benchmark { program, runs });
    }
    Err(Unreadable::UnknownProgram)
}
