//! How facts become counters; the same for flows and tunnels.

use crate::model::counters::Counters;
use crate::model::facts::{Fragment, Layer, Transport, UdpLength};
use crate::model::{Protocol, Verdict, VerdictCounts};
use crate::reassemble::{Completed, Datagram, Fate, FragmentFacts, LargestFull};

/// Counts what stands in the header of a whole packet.
pub(super) fn count_header(counters: &mut Counters, layer: &Layer) {
    if let Some(verdict) = layer.header_checksum {
        counters.checksums.ipv4.count(verdict);
    }
    if layer.fragment == Fragment::Atomic {
        counters.fragments.total += 1;
        counters.fragments.atomic += 1;
    }
    count_ip_longer(counters, u64::from(layer.ip_longer));
}

/// Counts the transport of a whole datagram. `is_cut` says whether some of its
/// bytes were not captured: then a checksum that was not even reached is
/// unverifiable, else there is none.
pub(super) fn count_transport(
    counters: &mut Counters,
    protocol: Protocol,
    transport: &Transport,
    is_cut: bool,
) {
    let verdict = match checksum_of(transport) {
        None if *transport == Transport::None && is_cut => Some(Verdict::Unverifiable),
        known => known,
    };
    if let Some(verdict) = verdict
        && let Some(verdicts) = verdicts_of(counters, protocol)
    {
        verdicts.count(verdict);
    }
    let bad_length = &mut counters.bad_length;
    match udp_length_of(transport) {
        UdpLength::Right => return,
        UdpLength::Longer => bad_length.udp_longer += 1,
        UdpLength::Shorter => bad_length.udp_shorter += 1,
        UdpLength::BelowHeader => bad_length.udp_below_header += 1,
    }
    bad_length.total += 1;
}

/// Counts the fragments of a datagram, full-size ones left out: how large those
/// are is only known of the whole flow.
pub(super) fn count_fragments(counters: &mut Counters, datagram: &Datagram) {
    let tally = &datagram.tally;
    counters.fragments += tally.counts();
    counters.checksums.ipv4 += tally.header_checksums;
    count_ip_longer(counters, tally.ip_longer);
    if datagram.first_looks_bad_to_old_tcpdump() {
        counters.bad_length.first_fragment_artifact += tally.first;
    }
}

/// Counts a copy that came after its datagram was whole.
pub(super) fn count_late_copy(
    counters: &mut Counters,
    largest: &mut LargestFull,
    completed: &Completed,
    fragment: &FragmentFacts,
) {
    let fragments = &mut counters.fragments;
    fragments.total += 1;
    fragments.duplicate += 1;
    match (fragment.offset, fragment.more) {
        (0, _) => fragments.first += 1,
        (_, true) => fragments.middle += 1,
        (_, false) => fragments.last += 1,
    }
    if fragment.more {
        largest.count(fragment.payload_bytes, fragment.ip_bytes);
    }
    if let Some(verdict) = fragment.header_checksum {
        counters.checksums.ipv4.count(verdict);
    }
    count_ip_longer(counters, u64::from(fragment.ip_longer));
    if fragment.offset == 0 && completed.first_looks_bad_to_old_tcpdump() {
        counters.bad_length.first_fragment_artifact += 1;
    }
}

/// Counts a fragmented datagram by what became of it.
pub(super) fn count_fate(counters: &mut Counters, fate: Fate) {
    let datagrams = &mut counters.datagrams;
    datagrams.fragmented += 1;
    *match fate {
        Fate::Reassembled => &mut datagrams.reassembled,
        Fate::TimedOut => &mut datagrams.timed_out,
        Fate::Incomplete => &mut datagrams.incomplete,
        Fate::Overlapped => &mut datagrams.overlapped,
        Fate::Oversized => &mut datagrams.oversized,
        Fate::Evicted => &mut datagrams.evicted,
    } += 1;
}

/// The verdict counters of a protocol; `None` for one without a checksum that is
/// judged.
pub(super) fn verdicts_of(
    counters: &mut Counters,
    protocol: Protocol,
) -> Option<&mut VerdictCounts> {
    let checksums = &mut counters.checksums;
    Some(match protocol {
        Protocol::UDP | Protocol::UDP_LITE => &mut checksums.udp,
        Protocol::TCP => &mut checksums.tcp,
        Protocol::ICMP | Protocol::ICMPV6 => &mut checksums.icmp,
        Protocol::SCTP => &mut checksums.sctp,
        Protocol::GRE => &mut checksums.gre,
        _ => return None,
    })
}

/// The verdict on a transport's checksum; `None` if it has none.
pub(super) fn checksum_of(transport: &Transport) -> Option<Verdict> {
    match transport {
        Transport::None => None,
        Transport::Udp(udp) => Some(udp.checksum),
        Transport::Tcp(tcp) => Some(tcp.checksum),
        Transport::Icmp(icmp) => Some(icmp.checksum),
        Transport::Sctp { checksum, .. } | Transport::Cut { checksum, .. } => Some(*checksum),
        Transport::Gre { checksum } => *checksum,
    }
}

/// How the UDP length compares; right for everything that has none.
pub(super) fn udp_length_of(transport: &Transport) -> UdpLength {
    match transport {
        Transport::Udp(udp) => udp.length,
        _ => UdpLength::Right,
    }
}

fn count_ip_longer(counters: &mut Counters, packets: u64) {
    counters.bad_length.ip_longer += packets;
    counters.bad_length.total += packets;
}
