//! Rates: what was offered and what of it can be delivered.

use crate::account::{Flow, Ledger};
use crate::model::{Counters, Duration};
use crate::report::document::Throughput;

/// The rates of one flow, over the time from its first frame to its last.
pub(super) fn of_flow(flow: &Flow, counters: &Counters) -> Throughput {
    throughput(
        counters,
        flow.last - flow.first,
        flow.deliverable_datagrams,
        flow.deliverable_bytes,
    )
}

/// The rates of all flows together, over the time of the capture.
pub(super) fn of_all(ledger: &Ledger, counters: &Counters) -> Throughput {
    let mut datagrams = 0;
    let mut bytes = 0;
    let beyond = ledger.flows.beyond();
    for flow in ledger.flows.iter().map(|(_, flow)| flow).chain(beyond) {
        datagrams += flow.deliverable_datagrams;
        bytes += flow.deliverable_bytes;
    }
    throughput(
        counters,
        ledger.capture.last - ledger.capture.first,
        datagrams,
        bytes,
    )
}

/// Rates over `time`; none over a time that cannot be measured: a single packet,
/// or several with one timestamp.
fn throughput(
    counters: &Counters,
    time: Duration,
    deliverable_datagrams: u64,
    deliverable_bytes: u64,
) -> Throughput {
    let seconds = (time.0 > 0).then(|| time.as_secs_f64());
    let per_second = |amount: u64| seconds.map(|seconds| amount as f64 / seconds);
    let bits_per_second = |bytes: u64| per_second(bytes).map(|bytes| bytes * 8.0);
    Throughput {
        duration_seconds: seconds,
        packets_per_second: per_second(counters.packets),
        bits_per_second: bits_per_second(counters.bytes),
        datagrams_per_second: per_second(
            counters.datagrams.unfragmented + counters.datagrams.fragmented,
        ),
        deliverable_datagrams,
        deliverable_bytes,
        deliverable_bits_per_second: bits_per_second(deliverable_bytes),
    }
}
