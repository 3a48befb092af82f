//! Counters in words, and the sums that people ask for.

use crate::model::counters::{BadLengthCounts, ChecksumCounts, DatagramCounts, FragmentCounts};
use crate::model::{Counters, VerdictCounts, number};

/// Datagrams offered, whole or not.
pub fn datagrams(counters: &Counters) -> u64 {
    counters.datagrams.unfragmented + counters.datagrams.fragmented
}

/// Those of them that came whole or became so.
pub fn whole(counters: &Counters) -> u64 {
    counters.datagrams.unfragmented + counters.datagrams.reassembled
}

/// Wrong checksums of any protocol, and bad lengths.
pub fn bad(counters: &Counters) -> u64 {
    let sums = &counters.checksums;
    let protocols = [
        &sums.ipv4, &sums.udp, &sums.tcp, &sums.icmp, &sums.sctp, &sums.gre,
    ];
    protocols.iter().map(|verdicts| verdicts.bad).sum::<u64>() + counters.bad_length.total
}

/// Why datagrams did not become whole; `incomplete` says it of those that may yet.
pub fn unfinished(datagrams: &DatagramCounts, incomplete: &str) -> String {
    listed(&[
        (datagrams.timed_out, "timed out"),
        (datagrams.incomplete, incomplete),
        (
            datagrams.overlapped,
            "with pieces that contradict each other",
        ),
        (datagrams.oversized, "beyond 65,535 bytes"),
        (
            datagrams.evicted,
            "given up for want of memory (--reassembly-memory)",
        ),
    ])
}

/// Fragments by their place in a datagram.
pub fn positions(fragments: &FragmentCounts) -> String {
    listed(&[
        (fragments.first, "first"),
        (fragments.middle, "middle"),
        (fragments.last, "last"),
        (fragments.atomic, "atomic"),
    ])
}

/// Lengths that are wrong, and a word for those who counted "bad length" with grep.
pub fn lengths(lengths: &BadLengthCounts) -> String {
    let mut line = format!(
        "{} with a bad length",
        number::counted(lengths.total, "datagram")
    );
    if lengths.total > 0 {
        let kinds = listed(&[
            (lengths.udp_longer, "UDP length beyond the end"),
            (lengths.udp_shorter, "UDP length short of the end"),
            (lengths.udp_below_header, "UDP length below 8"),
            (lengths.ip_longer, "IP length beyond the frame"),
        ]);
        line.push_str(&format!(" ({kinds})"));
    }
    if lengths.first_fragment_artifact > 0 {
        line.push_str(&format!(
            "; {} that old tcpdump (4.7-4.9.3) would have called so",
            number::counted(lengths.first_fragment_artifact, "first fragment"),
        ));
    }
    line
}

/// The protocols of which there are checksums.
pub fn checksums(sums: &ChecksumCounts) -> Vec<(&'static str, &VerdictCounts)> {
    let mut protocols = vec![
        ("IPv4", &sums.ipv4),
        ("UDP", &sums.udp),
        ("TCP", &sums.tcp),
        ("ICMP", &sums.icmp),
        ("SCTP", &sums.sctp),
        ("GRE", &sums.gre),
    ];
    protocols.retain(|(_, verdicts)| verdicts.total() > 0);
    protocols
}

/// Checksums by verdict.
pub fn verdicts(verdicts: &VerdictCounts) -> String {
    listed(&[
        (verdicts.good, "good"),
        (verdicts.bad, "bad"),
        (verdicts.offloaded, "left to the NIC"),
        (verdicts.absent, "not used"),
        (verdicts.unverifiable, "unverifiable"),
    ])
}

/// The counts that are not 0, with what they count.
fn listed(counts: &[(u64, &str)]) -> String {
    let present = counts.iter().filter(|(count, _)| *count > 0);
    let named: Vec<String> = present
        .map(|(count, what)| format!("{} {what}", number::count(*count)))
        .collect();
    named.join(", ")
}
