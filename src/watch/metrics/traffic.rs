//! How much there is, and when it was counted.

use super::family::Family;
use super::series::Series;
use crate::watch::Snapshot;

static TIMESTAMP: Family = Family::gauge(
    "snapshot_timestamp",
    "When the figures were taken, by the clock that stamps the frames; seconds since 1970",
)
.seconds();
static DURATION: Family =
    Family::gauge("capture_duration", "Time since the capture began").seconds();
static FRAMES: Family = Family::counter("frames", "Frames analysed");
static FRAME_BYTES: Family = Family::counter(
    "frame",
    "Bytes on the wire of the frames analysed, whatever the snaplen kept of them",
)
.bytes();
static DELIVERABLE_BYTES: Family = Family::counter(
    "deliverable",
    "Bytes on the wire of datagrams that are whole and whose checksum is right or was not checked",
)
.bytes();
static IP_PACKETS: Family = Family::counter(
    "ip_packets",
    "IP packets of every layer of encapsulation; each fragment is one",
);
static FLOWS: Family = Family::counter("flows", "Flows told apart since the capture began");

static FRAME_RATE: Family =
    Family::gauge("frames_per_second", "Frames analysed, in the last interval");
static OFFERED_RATE: Family = Family::gauge(
    "offered_bytes_per_second",
    "Bytes on the wire, in the last interval",
);
static DELIVERABLE_RATE: Family = Family::gauge(
    "deliverable_bytes_per_second",
    "Bytes of what could be delivered, in the last interval",
);
static FRAGMENT_RATE: Family =
    Family::gauge("fragments_per_second", "IP fragments, in the last interval");
static COMPLETED_RATE: Family = Family::gauge(
    "datagrams_completed_per_second",
    "Datagrams that became whole or came whole, in the last interval",
);
static LOST_RATE: Family = Family::gauge(
    "datagrams_lost_per_second",
    "Datagrams whose fragments ceased to come, or that were given up, in the last interval",
);

const NANOSECONDS: f64 = 1e9;
const BITS: f64 = 8.0;

pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    let timestamp = snapshot.timestamp.0.0 as f64 / NANOSECONDS;
    series.measure(&TIMESTAMP, [], timestamp);
    series.measure(&DURATION, [], snapshot.elapsed_seconds);
    let totals = &snapshot.totals;
    series.count(&FRAMES, [], totals.frames);
    series.count(&FRAME_BYTES, [], totals.bytes);
    series.count(&DELIVERABLE_BYTES, [], totals.deliverable_bytes);
    series.count(&IP_PACKETS, [], totals.counters.packets);
    series.count(&FLOWS, [], snapshot.reassembly.flows);
    let rates = &snapshot.rates;
    for (family, value) in [
        (&FRAME_RATE, rates.frames_per_second),
        (&OFFERED_RATE, rates.offered_bits_per_second / BITS),
        (&DELIVERABLE_RATE, rates.deliverable_bits_per_second / BITS),
        (&FRAGMENT_RATE, rates.fragments_per_second),
        (&COMPLETED_RATE, rates.datagrams_completed_per_second),
        (&LOST_RATE, rates.datagrams_lost_per_second),
    ] {
        series.measure(family, [], value);
    }
}
