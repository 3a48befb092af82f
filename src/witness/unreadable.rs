//! Why a text could not be read.

use super::{MAX_COUNTERS, MAX_RUNS, Program};

/// Why a text could not be read. No variant repeats what stands in the text, which may
/// hold anything. Lines are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No program that is known printed this.
    #[error("neither netperf, iperf3 nor qperf printed this")]
    UnknownProgram,
    /// A program printed this, but not how a run of its ended.
    #[error("{program} printed this, but the result of a UDP or TCP bandwidth test is not in it")]
    NoRun {
        /// The program.
        program: Program,
    },
    /// iperf3 itself says that it failed.
    #[error("line {line}: iperf3 reports that its run failed")]
    Failed {
        /// Where it says so, or where the document begins that does.
        line: usize,
    },
    /// The JSON that iperf3 wrote is cut off or damaged.
    #[error("line {line}: the JSON of iperf3 is cut off or damaged here")]
    BadJson {
        /// Where it cannot be read on.
        line: usize,
    },
    /// More runs than [`MAX_RUNS`].
    #[error("more than {MAX_RUNS} runs")]
    TooManyRuns,
    /// No source of counters that is known printed this.
    #[error(
        "no counters in this: expected is the output of nstat or ethtool -S, or the text of \
         /proc/net/snmp, netstat, snmp6 or sockstat"
    )]
    NoCounters,
    /// A line of values does not fit the line of names before it.
    #[error("line {line}: not as many values as the line before has names")]
    Uneven {
        /// The line of values.
        line: usize,
    },
    /// A counter that no kernel can have counted.
    #[error("line {line}: a counter of more than 64 bits")]
    TooLarge {
        /// Where it stands.
        line: usize,
    },
    /// More names than [`MAX_COUNTERS`].
    #[error("more than {MAX_COUNTERS} different counters")]
    TooManyCounters,
}
