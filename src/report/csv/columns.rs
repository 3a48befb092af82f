//! What is in each column. A test holds this table and the JSON document together.

use crate::report::document::{Closed, Flow, TunnelKey};
use crate::report::label;
use std::fmt::Display;

/// A column: its name, and its cell in the row of a flow.
pub(super) type Column = (&'static str, fn(&Flow) -> String);

/// All columns in order: identity, counters, what follows from them.
pub(super) const COLUMNS: &[Column] = &[
    ("src", |flow| flow.key.src.to_string()),
    ("dst", |flow| flow.key.dst.to_string()),
    ("src_port", |flow| cell(flow.key.src_port)),
    ("dst_port", |flow| cell(flow.key.dst_port)),
    ("protocol", |flow| flow.key.protocol.to_string()),
    ("vlans", |flow| label::vlans(&flow.key.vlans)),
    ("tunnel_kind", |flow| {
        outer(flow, |tunnel| Some(tunnel.kind.name()))
    }),
    ("tunnel_id", |flow| outer(flow, |tunnel| tunnel.id)),
    ("tunnel_src", |flow| outer(flow, |tunnel| Some(tunnel.src))),
    ("tunnel_dst", |flow| outer(flow, |tunnel| Some(tunnel.dst))),
    ("tunnel_dst_port", |flow| {
        outer(flow, |tunnel| tunnel.dst_port)
    }),
    ("tunnel_vlans", |flow| {
        outer(flow, |tunnel| Some(label::vlans(&tunnel.vlans)))
    }),
    ("tunnel_inside", |flow| {
        outer(flow, |tunnel| tunnel.inside.as_deref().map(label::tunnel))
    }),
    ("packets", |flow| flow.counters.packets.to_string()),
    ("bytes", |flow| flow.counters.bytes.to_string()),
    ("fragments_total", |flow| {
        flow.counters.fragments.total.to_string()
    }),
    ("fragments_first", |flow| {
        flow.counters.fragments.first.to_string()
    }),
    ("fragments_middle", |flow| {
        flow.counters.fragments.middle.to_string()
    }),
    ("fragments_last", |flow| {
        flow.counters.fragments.last.to_string()
    }),
    ("fragments_atomic", |flow| {
        flow.counters.fragments.atomic.to_string()
    }),
    ("fragments_full_size", |flow| {
        flow.counters.fragments.full_size.to_string()
    }),
    ("fragments_duplicate", |flow| {
        flow.counters.fragments.duplicate.to_string()
    }),
    ("fragments_overlapping", |flow| {
        flow.counters.fragments.overlapping.to_string()
    }),
    ("datagrams_unfragmented", |flow| {
        flow.counters.datagrams.unfragmented.to_string()
    }),
    ("datagrams_fragmented", |flow| {
        flow.counters.datagrams.fragmented.to_string()
    }),
    ("datagrams_reassembled", |flow| {
        flow.counters.datagrams.reassembled.to_string()
    }),
    ("datagrams_timed_out", |flow| {
        flow.counters.datagrams.timed_out.to_string()
    }),
    ("datagrams_incomplete", |flow| {
        flow.counters.datagrams.incomplete.to_string()
    }),
    ("datagrams_overlapped", |flow| {
        flow.counters.datagrams.overlapped.to_string()
    }),
    ("datagrams_oversized", |flow| {
        flow.counters.datagrams.oversized.to_string()
    }),
    ("datagrams_evicted", |flow| {
        flow.counters.datagrams.evicted.to_string()
    }),
    ("bad_length_total", |flow| {
        flow.counters.bad_length.total.to_string()
    }),
    ("bad_length_udp_longer", |flow| {
        flow.counters.bad_length.udp_longer.to_string()
    }),
    ("bad_length_udp_shorter", |flow| {
        flow.counters.bad_length.udp_shorter.to_string()
    }),
    ("bad_length_udp_below_header", |flow| {
        flow.counters.bad_length.udp_below_header.to_string()
    }),
    ("bad_length_ip_longer", |flow| {
        flow.counters.bad_length.ip_longer.to_string()
    }),
    ("bad_length_first_fragment_artifact", |flow| {
        flow.counters.bad_length.first_fragment_artifact.to_string()
    }),
    ("checksums_ipv4_good", |flow| {
        flow.counters.checksums.ipv4.good.to_string()
    }),
    ("checksums_ipv4_bad", |flow| {
        flow.counters.checksums.ipv4.bad.to_string()
    }),
    ("checksums_ipv4_offloaded", |flow| {
        flow.counters.checksums.ipv4.offloaded.to_string()
    }),
    ("checksums_ipv4_absent", |flow| {
        flow.counters.checksums.ipv4.absent.to_string()
    }),
    ("checksums_ipv4_unverifiable", |flow| {
        flow.counters.checksums.ipv4.unverifiable.to_string()
    }),
    ("checksums_udp_good", |flow| {
        flow.counters.checksums.udp.good.to_string()
    }),
    ("checksums_udp_bad", |flow| {
        flow.counters.checksums.udp.bad.to_string()
    }),
    ("checksums_udp_offloaded", |flow| {
        flow.counters.checksums.udp.offloaded.to_string()
    }),
    ("checksums_udp_absent", |flow| {
        flow.counters.checksums.udp.absent.to_string()
    }),
    ("checksums_udp_unverifiable", |flow| {
        flow.counters.checksums.udp.unverifiable.to_string()
    }),
    ("checksums_tcp_good", |flow| {
        flow.counters.checksums.tcp.good.to_string()
    }),
    ("checksums_tcp_bad", |flow| {
        flow.counters.checksums.tcp.bad.to_string()
    }),
    ("checksums_tcp_offloaded", |flow| {
        flow.counters.checksums.tcp.offloaded.to_string()
    }),
    ("checksums_tcp_absent", |flow| {
        flow.counters.checksums.tcp.absent.to_string()
    }),
    ("checksums_tcp_unverifiable", |flow| {
        flow.counters.checksums.tcp.unverifiable.to_string()
    }),
    ("checksums_icmp_good", |flow| {
        flow.counters.checksums.icmp.good.to_string()
    }),
    ("checksums_icmp_bad", |flow| {
        flow.counters.checksums.icmp.bad.to_string()
    }),
    ("checksums_icmp_offloaded", |flow| {
        flow.counters.checksums.icmp.offloaded.to_string()
    }),
    ("checksums_icmp_absent", |flow| {
        flow.counters.checksums.icmp.absent.to_string()
    }),
    ("checksums_icmp_unverifiable", |flow| {
        flow.counters.checksums.icmp.unverifiable.to_string()
    }),
    ("checksums_sctp_good", |flow| {
        flow.counters.checksums.sctp.good.to_string()
    }),
    ("checksums_sctp_bad", |flow| {
        flow.counters.checksums.sctp.bad.to_string()
    }),
    ("checksums_sctp_offloaded", |flow| {
        flow.counters.checksums.sctp.offloaded.to_string()
    }),
    ("checksums_sctp_absent", |flow| {
        flow.counters.checksums.sctp.absent.to_string()
    }),
    ("checksums_sctp_unverifiable", |flow| {
        flow.counters.checksums.sctp.unverifiable.to_string()
    }),
    ("checksums_gre_good", |flow| {
        flow.counters.checksums.gre.good.to_string()
    }),
    ("checksums_gre_bad", |flow| {
        flow.counters.checksums.gre.bad.to_string()
    }),
    ("checksums_gre_offloaded", |flow| {
        flow.counters.checksums.gre.offloaded.to_string()
    }),
    ("checksums_gre_absent", |flow| {
        flow.counters.checksums.gre.absent.to_string()
    }),
    ("checksums_gre_unverifiable", |flow| {
        flow.counters.checksums.gre.unverifiable.to_string()
    }),
    ("throughput_duration_seconds", |flow| {
        cell(flow.throughput.duration_seconds)
    }),
    ("throughput_packets_per_second", |flow| {
        cell(flow.throughput.packets_per_second)
    }),
    ("throughput_bits_per_second", |flow| {
        cell(flow.throughput.bits_per_second)
    }),
    ("throughput_datagrams_per_second", |flow| {
        cell(flow.throughput.datagrams_per_second)
    }),
    ("throughput_deliverable_datagrams", |flow| {
        flow.throughput.deliverable_datagrams.to_string()
    }),
    ("throughput_deliverable_bytes", |flow| {
        flow.throughput.deliverable_bytes.to_string()
    }),
    ("throughput_duplicate_bytes", |flow| {
        flow.throughput.duplicate_bytes.to_string()
    }),
    ("throughput_deliverable_bits_per_second", |flow| {
        cell(flow.throughput.deliverable_bits_per_second)
    }),
    ("datagrams_of_unknown_size", |flow| {
        flow.datagrams_of_unknown_size.to_string()
    }),
    ("mtu_from", |flow| cell(flow.mtu.map(|mtu| mtu.from))),
    ("mtu_to", |flow| cell(flow.mtu.map(|mtu| mtu.to))),
    ("fragments_per_datagram_min", |flow| {
        cell(flow.fragments_per_datagram.map(|n| n.min))
    }),
    ("fragments_per_datagram_max", |flow| {
        cell(flow.fragments_per_datagram.map(|n| n.max))
    }),
    ("largest_datagram_bytes", |flow| {
        cell(flow.largest_datagram_bytes)
    }),
    ("gaps_datagrams", |flow| flow.gaps.datagrams.to_string()),
    ("gaps_fragments_seen", |flow| {
        flow.gaps.fragments_seen.to_string()
    }),
    ("gaps_fragments_missing", |flow| {
        flow.gaps.fragments_missing.to_string()
    }),
    ("gaps_without_first", |flow| {
        flow.gaps.without_first.to_string()
    }),
    ("gaps_without_last", |flow| {
        flow.gaps.without_last.to_string()
    }),
    ("gaps_only_first", |flow| flow.gaps.only_first.to_string()),
    ("gaps_datagrams_unmeasured", |flow| {
        flow.gaps.datagrams_unmeasured.to_string()
    }),
    ("gaps_every_nth", |flow| cell(flow.gaps.every_nth)),
    ("packets_lost_in_tunnel", |flow| {
        flow.packets_lost_in_tunnel.to_string()
    }),
    ("super_frames", |flow| flow.super_frames.to_string()),
    ("closed", |flow| cell(flow.closed.map(Closed::name))),
    ("ovn_ingress", |flow| {
        cell(flow.ovn.map(|ports| ports.ingress))
    }),
    ("ovn_egress", |flow| {
        cell(flow.ovn.map(|ports| ports.egress))
    }),
    ("icmp_errors_fragmentation_needed", |flow| {
        flow.icmp_errors.fragmentation_needed.to_string()
    }),
    ("icmp_errors_packet_too_big", |flow| {
        flow.icmp_errors.packet_too_big.to_string()
    }),
    ("icmp_errors_reassembly_time_exceeded", |flow| {
        flow.icmp_errors.reassembly_time_exceeded.to_string()
    }),
    ("icmp_errors_lowest_mtu", |flow| {
        cell(flow.icmp_errors.lowest_mtu)
    }),
    ("first_timestamp", |flow| cell(flow.first_timestamp)),
    ("last_timestamp", |flow| cell(flow.last_timestamp)),
];

/// Absent is an empty cell.
fn cell<T: Display>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A cell about the tunnel around a flow; empty without one.
fn outer<T: Display>(flow: &Flow, figure: impl FnOnce(&TunnelKey) -> Option<T>) -> String {
    cell(flow.key.tunnel.as_ref().and_then(figure))
}
