//! What others counted, beside what the capture shows.

use super::destination::{self, Destination};
use super::known::Given;
use super::this_host::ThisHost;
use crate::account::Flow;
use crate::model::size_class::size_class;
use crate::model::{FlowKey, IpVersion, Protocol};
use crate::receiver::Host;
use crate::witness::{Benchmark, KernelCounters, Run, Side, Transport};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Where fragments go to, by host.
type Hosts<'a> = BTreeMap<Host, &'a Destination>;

/// Runs that are looked for in the capture.
const MAX_RUNS: usize = 1_000;
/// Flows that runs are looked for in: those with most bytes.
const MAX_FLOWS: usize = 10_000;

/// One run of a benchmark, and what the capture has of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconciled {
    /// What the program printed. Messages it did not count are what its rates come to.
    pub run: Run,
    /// Whether messages are what rates come to, and so right to three digits only.
    pub is_estimated: bool,
    /// Flows that are taken for it.
    pub flows: Vec<FlowKey>,
    /// What the capture has of its messages; `None` if nothing in it looks like the run,
    /// or it has no messages, as TCP.
    pub messages: Option<Messages>,
}

/// Messages of a run in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Messages {
    /// Of which the capture has anything.
    pub seen: u64,
    /// That are whole and sound.
    pub whole: u64,
    /// That a Linux receiver would deliver.
    pub predicted: u64,
}

/// What a kernel counted, and what the capture predicts of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Name of the counter, as `nstat` has it.
    pub name: &'static str,
    /// By how much it grew, or what it stands at.
    pub kernel: u64,
    /// Whether that is the difference of two snapshots.
    pub is_difference: bool,
    /// The same by the capture; `None` where it cannot know.
    pub capture: Option<u64>,
}

impl Reconciled {
    /// Messages that were sent and that the capture does not have.
    pub fn not_seen(&self) -> Option<u64> {
        Some(self.run.sent.messages?.saturating_sub(self.messages?.seen))
    }

    /// Messages that the receiving program counted more than the capture has: the
    /// capture lost at least those.
    pub fn received_unseen(&self) -> Option<u64> {
        let received = self.run.received.messages?;
        received
            .checked_sub(self.messages?.seen)
            .filter(|messages| *messages > 0)
    }

    /// Whether the capture has nearly all that was sent.
    pub fn is_complete(&self) -> bool {
        self.seen_percent().is_some_and(|percent| percent >= 98)
    }

    /// Whether the capture has more than was sent: it has packets more than once, or other
    /// flows with messages of that size.
    pub fn is_overfull(&self) -> bool {
        self.seen_percent().is_some_and(|percent| percent > 102)
    }

    fn seen_percent(&self) -> Option<u64> {
        let seen = self.messages?.seen;
        seen.saturating_mul(100)
            .checked_div(self.run.sent.messages?)
    }

    /// Messages that would be delivered by what the capture shows, and that the
    /// receiving program did not get; negative if it got more.
    pub fn unexplained(&self) -> Option<i64> {
        let predicted = i64::try_from(self.messages?.predicted).ok()?;
        let received = i64::try_from(self.run.received.messages?).ok()?;
        let unexplained = predicted - received;
        let is_rounding = self.is_estimated
            && unexplained.unsigned_abs().saturating_mul(ROUNDING_PARTS) <= received.unsigned_abs();
        (self.is_complete() && !self.is_overfull()).then_some(if is_rounding {
            0
        } else {
            unexplained
        })
    }
}

/// Holds the runs of a benchmark against the capture.
pub(super) fn runs(
    benchmark: &Benchmark,
    given: &Given<'_>,
    destinations: &[Destination],
) -> Vec<Reconciled> {
    let mut flows: Vec<(&FlowKey, &Flow)> = given.ledger.flows.iter().collect();
    let order =
        |(key, flow): &(&FlowKey, &Flow)| (Reverse(flow.bytes()), flow.first, flow.last, **key);
    if flows.len() > MAX_FLOWS {
        flows.select_nth_unstable_by_key(MAX_FLOWS, order);
        flows.truncate(MAX_FLOWS);
    }
    flows.sort_unstable_by_key(order);
    let hosts: Hosts<'_> = destinations.iter().map(|host| (host.host, host)).collect();
    let runs = benchmark.runs.iter().take(MAX_RUNS);
    let found: Vec<_> = runs.map(|run| (run, flows_of(run, &flows))).collect();
    let mut runs_of = BTreeMap::new();
    for (key, _) in found.iter().flat_map(|(_, flows)| flows) {
        *runs_of.entry(*key).or_insert(0_usize) += 1;
    }
    let is_shared = |key: &FlowKey| runs_of.get(key).is_some_and(|runs| *runs > 1);
    found
        .into_iter()
        .map(|(run, flows)| reconciled(run, &flows, &hosts, &is_shared))
        .collect()
}

fn reconciled(
    run: &Run,
    flows: &[(&FlowKey, &Flow)],
    hosts: &Hosts<'_>,
    is_shared: &dyn Fn(&FlowKey) -> bool,
) -> Reconciled {
    let estimated = estimated(run);
    Reconciled {
        messages: messages(run, flows, hosts, is_shared),
        flows: flows.iter().map(|(key, _)| **key).collect(),
        is_estimated: estimated != *run,
        run: estimated,
    }
}

/// A rate of three digits, over a time of three, is right to a hundredth.
const ROUNDING_PARTS: u64 = 100;

/// A run with the messages that its bytes or its rates come to, where the program did
/// not count them: qperf does only with `-vv`.
fn estimated(run: &Run) -> Run {
    let messages = |side: &Side| {
        let by_rate = || Some(side.bits_per_second? * run.seconds? / 8.0);
        let bytes = side.bytes.map(|bytes| bytes as f64).or_else(by_rate)?;
        let each = run.message_bytes.filter(|bytes| *bytes > 0)?;
        Some((bytes / each as f64).round() as u64)
    };
    let counted = |side: &Side| Side {
        messages: side.messages.or_else(|| messages(side)),
        ..*side
    };
    match run.transport {
        Transport::Tcp => run.clone(),
        Transport::Udp => Run {
            sent: counted(&run.sent),
            received: counted(&run.received),
            ..run.clone()
        },
    }
}

/// The flows that are a run: those of its messages' size, or the one with most bytes.
fn flows_of<'a>(run: &Run, flows: &[(&'a FlowKey, &'a Flow)]) -> Vec<(&'a FlowKey, &'a Flow)> {
    let protocol = match run.transport {
        Transport::Udp => Protocol::UDP,
        Transport::Tcp => Protocol::TCP,
    };
    let of_protocol = flows.iter().filter(|(key, _)| key.protocol == protocol);
    if run.transport == Transport::Tcp || run.message_bytes.is_none() {
        return of_protocol.copied().take(1).collect();
    }
    let of_size = |(key, flow): &&(&FlowKey, &Flow)| {
        datagram_bytes(run, key).is_some_and(|bytes| {
            let class = size_class(bytes);
            flow.sizes.largest_bytes() == bytes
                || flow.sizes.iter().any(|(other, _)| other == class)
        })
    };
    let sized: Vec<_> = of_protocol.filter(of_size).copied().collect();
    let exact = |(key, flow): &(&FlowKey, &Flow)| {
        datagram_bytes(run, key) == Some(flow.sizes.largest_bytes())
    };
    // A datagram whose first fragment is lost is in a flow without ports.
    let pairs: BTreeSet<_> = sized
        .iter()
        .copied()
        .filter(exact)
        .map(|(key, _)| (key.scope, key.addresses))
        .collect();
    let belongs = |(key, flow): &(&FlowKey, &Flow)| {
        exact(&(*key, *flow))
            || (key.ports.is_none() && pairs.contains(&(key.scope, key.addresses)))
    };
    if pairs.is_empty() {
        sized.into_iter().take(1).collect()
    } else {
        sized.into_iter().filter(belongs).collect()
    }
}

/// IP length of the datagrams that carry the messages of a run.
fn datagram_bytes(run: &Run, key: &FlowKey) -> Option<u32> {
    const UDP_HEADER: u32 = 8;
    let header = match key.addresses.version {
        IpVersion::V4 => 20,
        IpVersion::V6 => 40,
    };
    let message = u32::try_from(run.message_bytes?).ok()?;
    message.checked_add(header + UDP_HEADER)
}

fn messages(
    run: &Run,
    flows: &[(&FlowKey, &Flow)],
    hosts: &Hosts<'_>,
    is_shared: &dyn Fn(&FlowKey) -> bool,
) -> Option<Messages> {
    if run.transport == Transport::Tcp {
        return None;
    }
    let each = flows.iter().map(|(key, flow)| {
        let messages = of_flow(run, key, flow, hosts);
        // Those without a size can be of any of the runs that share the flow.
        let of_no_size = if is_shared(key) {
            0
        } else {
            flow.datagrams_of_unknown_size()
        };
        Messages {
            seen: messages.seen + of_no_size,
            ..messages
        }
    });
    each.reduce(|one, other| Messages {
        seen: one.seen + other.seen,
        whole: one.whole + other.whole,
        predicted: one.predicted + other.predicted,
    })
}

fn of_flow(run: &Run, key: &FlowKey, flow: &Flow, hosts: &Hosts<'_>) -> Messages {
    let class = datagram_bytes(run, key).map(size_class);
    let counts = flow.sizes.iter();
    let counts = counts.filter(|(other, _)| class.is_none_or(|class| class == *other));
    let (seen, whole) = counts.fold((0, 0), |(seen, whole), (_, count)| {
        (seen + count.datagrams, whole + count.delivered)
    });
    let host = hosts.get(&destination::host_of(key));
    let is_fragmented = flow.counters().datagrams.fragmented > 0;
    let share = host
        .filter(|_| is_fragmented)
        .map_or(1.0, |host| host.delivered_share_of(flow));
    Messages {
        seen,
        whole,
        predicted: (whole as f64 * share).round() as u64,
    }
}

/// What a receiver's kernel counts of what the capture predicts.
type Counter = (
    &'static str,
    IpVersion,
    fn(&crate::receiver::Predicted) -> u64,
);

const PREDICTED: [Counter; 8] = [
    ("IpReasmReqds", IpVersion::V4, |of| of.fragments),
    ("IpReasmOKs", IpVersion::V4, |of| of.reassembled),
    ("IpReasmFails", IpVersion::V4, |of| of.failed),
    ("IpReasmTimeout", IpVersion::V4, |of| of.timed_out),
    ("Ip6ReasmReqds", IpVersion::V6, |of| of.fragments),
    ("Ip6ReasmOKs", IpVersion::V6, |of| of.reassembled),
    ("Ip6ReasmFails", IpVersion::V6, |of| of.failed),
    ("Ip6ReasmTimeout", IpVersion::V6, |of| of.timed_out),
];

/// Counters that say something a capture cannot show.
const ELSEWHERE: [&str; 8] = [
    "UdpRcvbufErrors",
    "UdpInErrors",
    "UdpInCsumErrors",
    "UdpNoPorts",
    "Udp6RcvbufErrors",
    "Udp6InErrors",
    "Udp6InCsumErrors",
    "TcpInCsumErrors",
];

/// Holds a kernel's counters against the capture.
pub(super) fn counters(
    kernel: &KernelCounters,
    destinations: &[Destination],
    this: &ThisHost<'_>,
) -> Vec<Compared> {
    // Where the capture and the counters are of one host, it receives what goes to it only.
    let is_receiver = |host: &&Destination| !this.is_known() || this.has(host.address());
    let hosts: Vec<&Destination> = destinations.iter().filter(is_receiver).collect();
    let predicted = PREDICTED.iter().filter_map(|(name, version, read)| {
        let host = receiver(kernel, &hosts, *version);
        let forecast = host.and_then(|host| host.forecast.as_ref());
        compared(
            kernel,
            name,
            forecast.map(|forecast| read(&forecast.predicted)),
        )
    });
    let elsewhere = ELSEWHERE
        .iter()
        .filter_map(|name| compared(kernel, name, None));
    predicted
        .chain(elsewhere.filter(|compared| compared.kernel > 0))
        .collect()
}

fn compared(kernel: &KernelCounters, name: &'static str, capture: Option<u64>) -> Option<Compared> {
    Some(Compared {
        name,
        kernel: kernel.growth(name)?,
        is_difference: kernel.is_difference(name),
        capture,
    })
}

/// The host whose fragments are nearest in number to those that the kernel counted.
fn receiver<'a>(
    kernel: &KernelCounters,
    hosts: &[&'a Destination],
    version: IpVersion,
) -> Option<&'a Destination> {
    let name = match version {
        IpVersion::V4 => "IpReasmReqds",
        IpVersion::V6 => "Ip6ReasmReqds",
    };
    let counted = kernel.growth(name);
    let modelled = hosts
        .iter()
        .copied()
        .filter(|host| host.host.version == version && host.forecast.is_some());
    modelled.min_by_key(|host| {
        let fragments = host
            .forecast
            .as_ref()
            .map_or(0, |of| of.predicted.fragments);
        fragments.abs_diff(counted.unwrap_or(u64::MAX))
    })
}
