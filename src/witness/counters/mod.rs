//! What the kernel of a host counted, from whatever prints its counters.
//!
//! One text may hold the output of several programs, one after the other, and each
//! twice: from before and after a measurement.

mod ethtool;
mod nstat;
mod proc_net;
mod tally;

use super::Unreadable;
use std::collections::BTreeMap;
use std::time::Duration;
use tally::{Source, Tally};

/// Most different counters of one text. A host has about 500, a large NIC 2,000.
pub const MAX_COUNTERS: usize = 4096;

/// The counters of one host.
///
/// Names are those of nstat, whatever printed them: `IpReasmFails`, `Ip6ReasmTimeout`,
/// `IpExtReasmOverlaps`, `UdpRcvbufErrors`, `UdpInCsumErrors`, `TcpInCsumErrors`,
/// `Udp6InErrors`. Those of a NIC have `ethtool.` before them (`ethtool.rx_crc_errors`).
/// What is in use by fragments at that moment is no counter, but kept as
/// `sockstat.FRAG.inuse` (datagrams), `sockstat.FRAG.memory` (bytes) and the same with
/// `FRAG6`.
///
/// `nstat` without `-a` prints what was added since it was last run, and leaves out what
/// has not changed. That cannot be seen in its output: twice of it is no before and
/// after. `nstat -az` is what to ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelCounters {
    /// At least one, at most [`MAX_COUNTERS`], by name.
    pub values: BTreeMap<String, Counted>,
    /// From the first values to the last, if that is known; a text does not say it.
    pub duration: Option<Duration>,
}

/// What one source printed of a counter. If several printed it, it is the one that did
/// so most often, so that a difference is one in time and not between sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The first value in the text.
    pub first: u64,
    /// The last value in the text; the first again if there is only one.
    pub last: u64,
    /// How many values there are, at least 1.
    pub snapshots: usize,
}

impl Counted {
    /// True if there is a before and an after.
    pub const fn is_difference(&self) -> bool {
        self.snapshots > 1
    }

    /// What was added from the first value to the last; the value itself, counted since
    /// the host was started, if there is only one. `None` if it fell: the host, the
    /// interface or the namespace is not the same one, or it is no counter.
    pub const fn growth(&self) -> Option<u64> {
        if self.is_difference() {
            self.last.checked_sub(self.first)
        } else {
            Some(self.last)
        }
    }
}

impl KernelCounters {
    /// [`Counted::growth`] of a counter; `None` also if it is not in the text.
    pub fn growth(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.growth()
    }

    /// True if [`Self::growth`] of this counter is the difference between a before and
    /// an after, and not its value since the host was started.
    pub fn is_difference(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(Counted::is_difference)
    }
}

/// Reads what `nstat` and `ethtool -S` printed and what stands in `/proc/net/snmp`,
/// `netstat`, `snmp6` and `sockstat`, in any order and number.
///
/// # Errors
///
/// There is no counter in it, or one that cannot be: of more than 64 bits, or in a
/// line of values that does not fit its line of names.
pub fn kernel_counters(text: &str) -> Result<KernelCounters, Unreadable> {
    let mut tally = Tally::default();
    let mut names = proc_net::Names::default();
    let mut section = ethtool::Section::default();
    for (index, line) in text.lines().enumerate() {
        let number = index.saturating_add(1);
        tally.at_line(number);
        if !section.line(line, &mut tally)? && !proc_net::line(line, &mut names, &mut tally)? {
            nstat::line(line, &mut tally)?;
        }
    }
    tally.into_counters()
}

/// What a name in the text may be: nothing that a terminal would take for a command.
fn is_name(word: &str) -> bool {
    const LONGEST: usize = 64;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=LONGEST).contains(&word.len()) && word.bytes().all(allowed)
}
