//! What became of fragments and datagrams, and the memory of those that are open.

use super::family::Family;
use super::series::Series;
use crate::model::VerdictCounts;
use crate::model::counters::{BadLengthCounts, ChecksumCounts, DatagramCounts, FragmentCounts};
use crate::watch::Snapshot;

static FRAGMENTS: Family = Family::counter("fragments", "IP fragments by position");
static DUPLICATES: Family = Family::counter(
    "duplicate_fragments",
    "Fragments that repeat what had come; counted by position too",
);
static OVERLAPS: Family = Family::counter(
    "overlapping_fragments",
    "Fragments that contradict what had come; counted by position too",
);
static DATAGRAMS: Family = Family::counter(
    "datagrams",
    "Datagrams by what became of them; those still open are in none",
);
static BAD_LENGTHS: Family = Family::counter(
    "bad_lengths",
    "Length fields that contradict what they describe",
);
static ARTIFACTS: Family = Family::counter(
    "first_fragment_artifacts",
    "First fragments that tcpdump 4.7 to 4.9.3 calls \"bad length\"; no fault",
);
static CHECKSUMS: Family = Family::counter("checksums", "Checksums by protocol and verdict");
static OPEN: Family = Family::gauge(
    "open_datagrams",
    "Datagrams some of whose fragments have not come yet",
);
static MEMORY: Family = Family::gauge(
    "reassembly_memory",
    "Memory that fraglens uses for open datagrams",
)
.bytes();
static MEMORY_LIMIT: Family = Family::gauge(
    "reassembly_memory_limit",
    "Bound of that memory; beyond it the oldest datagrams are evicted",
)
.bytes();

pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    let counters = &snapshot.totals.counters;
    fragments(&counters.fragments, series);
    datagrams(&counters.datagrams, series);
    bad_lengths(&counters.bad_length, series);
    checksums(&counters.checksums, series);
    let reassembly = &snapshot.reassembly;
    series.count(&OPEN, [], reassembly.open_datagrams);
    series.count(&MEMORY, [], reassembly.memory_bytes);
    series.count(&MEMORY_LIMIT, [], reassembly.memory_limit_bytes);
}

/// `full_size` is left out: a larger fragment starts that count anew, so it is no counter,
/// and no state either.
fn fragments(counts: &FragmentCounts, series: &mut Series) {
    for (position, count) in [
        ("first", counts.first),
        ("middle", counts.middle),
        ("last", counts.last),
        ("atomic", counts.atomic),
    ] {
        series.count(&FRAGMENTS, [("position", position)], count);
    }
    series.count(&DUPLICATES, [], counts.duplicate);
    series.count(&OVERLAPS, [], counts.overlapping);
}

/// `incomplete` is left out: it falls when a datagram is decided. [`OPEN`] has it.
fn datagrams(counts: &DatagramCounts, series: &mut Series) {
    for (outcome, count) in [
        ("unfragmented", counts.unfragmented),
        ("reassembled", counts.reassembled),
        ("timed_out", counts.timed_out),
        ("overlapped", counts.overlapped),
        ("oversized", counts.oversized),
        ("evicted", counts.evicted),
    ] {
        series.count(&DATAGRAMS, [("outcome", outcome)], count);
    }
}

fn bad_lengths(counts: &BadLengthCounts, series: &mut Series) {
    for (kind, count) in [
        ("udp_longer", counts.udp_longer),
        ("udp_shorter", counts.udp_shorter),
        ("udp_below_header", counts.udp_below_header),
        ("ip_longer", counts.ip_longer),
    ] {
        series.count(&BAD_LENGTHS, [("kind", kind)], count);
    }
    series.count(&ARTIFACTS, [], counts.first_fragment_artifact);
}

fn checksums(counts: &ChecksumCounts, series: &mut Series) {
    for (protocol, verdicts) in [
        ("ipv4", &counts.ipv4),
        ("udp", &counts.udp),
        ("tcp", &counts.tcp),
        ("icmp", &counts.icmp),
        ("sctp", &counts.sctp),
        ("gre", &counts.gre),
    ] {
        for (verdict, count) in by_verdict(verdicts) {
            let labels = [("protocol", protocol), ("verdict", verdict)];
            series.count(&CHECKSUMS, labels, count);
        }
    }
}

fn by_verdict(counts: &VerdictCounts) -> [(&'static str, u64); 5] {
    [
        ("good", counts.good),
        ("bad", counts.bad),
        ("offloaded", counts.offloaded),
        ("absent", counts.absent),
        ("unverifiable", counts.unverifiable),
    ]
}
