//! Rates: what was offered and what of it can be delivered.

use crate::account::{Flow, Ledger};
use crate::model::{Counters, Duration};
use crate::report::document::Throughput;

/// What became of what was offered.
#[derive(Clone, Copy, Debug, Default)]
struct Delivery {
    datagrams: u64,
    bytes: u64,
    duplicate_bytes: u64,
}

impl Delivery {
    fn of(flow: &Flow) -> Self {
        Self {
            datagrams: flow.deliverable_datagrams(),
            bytes: flow.deliverable_bytes(),
            duplicate_bytes: flow.duplicate_bytes(),
        }
    }
}

/// The rates of one flow, over the time from its first frame to its last.
pub(super) fn of_flow(flow: &Flow, counters: &Counters) -> Throughput {
    throughput(counters, flow.last - flow.first, &Delivery::of(flow))
}

/// The rates of all flows together, over the time of the capture.
pub(super) fn of_all(ledger: &Ledger, counters: &Counters) -> Throughput {
    let mut all = Delivery::default();
    let beyond = ledger.flows.beyond();
    for flow in ledger.flows.iter().map(|(_, flow)| flow).chain(beyond) {
        let delivery = Delivery::of(flow);
        all.datagrams += delivery.datagrams;
        all.bytes += delivery.bytes;
        all.duplicate_bytes += delivery.duplicate_bytes;
    }
    let span = ledger.capture.span();
    let mut offered = *counters;
    let beyond = ledger.tunnels.beyond();
    for tunnel in ledger
        .tunnels
        .iter()
        .map(|(_, tunnel)| tunnel)
        .chain(beyond)
    {
        offered.bytes += tunnel.unattributed_bytes;
    }
    throughput(&offered, span.last - span.first, &all)
}

/// Rates over `time`; none over a time that cannot be measured: a single packet,
/// or several with one timestamp.
fn throughput(counters: &Counters, time: Duration, delivery: &Delivery) -> Throughput {
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
        deliverable_datagrams: delivery.datagrams,
        deliverable_bytes: delivery.bytes,
        duplicate_bytes: delivery.duplicate_bytes,
        deliverable_bits_per_second: bits_per_second(delivery.bytes),
    }
}
