//! What the kernel of this host counts.

use super::family::Family;
use super::series::Series;
use crate::host::Statistics;
use crate::watch::Snapshot;

static COUNTERS: Family = Family::counter(
    "host_counter",
    "What a counter of this host's kernel, by its name in nstat, grew by since the capture began",
);
static MEMORY: Family = Family::gauge(
    "host_fragment_memory",
    "Memory that this host's kernel uses for fragments",
)
.bytes();
static MEMORY_LIMIT: Family = Family::gauge(
    "host_fragment_memory_limit",
    "Where this host's kernel begins to refuse IPv4 fragments (net.ipv4.ipfrag_high_thresh)",
)
.bytes();
static PACKETS: Family = Family::counter(
    "host_interface_packets",
    "Packets of an interface, by this host's kernel, since the capture began",
);
static BYTES: Family = Family::counter(
    "host_interface",
    "Bytes of an interface, by this host's kernel, since the capture began",
)
.bytes();
static ERRORS: Family = Family::counter(
    "host_interface_errors",
    "Packets of an interface that were wrong or could not be sent, since the capture began",
);
static DROPS: Family = Family::counter(
    "host_interface_dropped_packets",
    "Packets of an interface that were dropped, since the capture began",
);

pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    let Some(host) = &snapshot.host else {
        return;
    };
    for counter in &host.counters {
        series.count(&COUNTERS, [("name", &counter.name)], counter.since_start);
    }
    if let Some(bytes) = host.fragment_memory_bytes {
        series.count(&MEMORY, [], bytes);
    }
    if let Some(bytes) = host.fragment_memory_limit_bytes {
        series.count(&MEMORY_LIMIT, [], bytes);
    }
    for counts in &host.interface_counts {
        interface(counts, series);
    }
}

fn interface(counts: &Statistics, series: &mut Series) {
    for (family, received, sent) in [
        (&PACKETS, counts.rx_packets, counts.tx_packets),
        (&BYTES, counts.rx_bytes, counts.tx_bytes),
        (&ERRORS, counts.rx_errors, counts.tx_errors),
        (&DROPS, counts.rx_dropped, counts.tx_dropped),
    ] {
        for (direction, count) in [("receive", received), ("transmit", sent)] {
            let labels = [
                ("interface", counts.name.as_str()),
                ("direction", direction),
            ];
            series.count(family, labels, count);
        }
    }
}
