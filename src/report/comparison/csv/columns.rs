//! What is in each column.

use super::Row;
use crate::report::comparison::document::{Delay, Loss, SeenAs};
use crate::report::comparison::words;
use crate::report::document::{FlowKey, TunnelKey};
use crate::report::label;
use std::fmt::Display;

/// A column: its name, and its cell in a row.
pub(super) type Column = (&'static str, fn(&Row<'_>) -> String);

/// All columns in order: identity, figures, what is known of losses, what was changed.
pub(super) const COLUMNS: &[Column] = &[
    ("flow", |row| row.number.to_string()),
    ("direction", |row| words::name_of(row.flow.direction)),
    ("part", |row| row.part.to_owned()),
    ("from", |row| {
        words::point_name(row.comparison, row.segment.from)
    }),
    ("to", |row| {
        words::point_name(row.comparison, row.segment.to)
    }),
    ("src", |row| enters(row, |key| Some(key.src))),
    ("dst", |row| enters(row, |key| Some(key.dst))),
    ("src_port", |row| enters(row, |key| key.src_port)),
    ("dst_port", |row| enters(row, |key| key.dst_port)),
    ("protocol", |row| enters(row, |key| Some(key.protocol))),
    ("vlans", |row| {
        enters(row, |key| Some(label::vlans(&key.vlans)))
    }),
    ("tunnel_kind", |row| {
        enters(row, |key| outer(key, |tunnel| Some(tunnel.kind.name())))
    }),
    ("tunnel_id", |row| {
        enters(row, |key| outer(key, |tunnel| tunnel.id))
    }),
    ("tunnel_src", |row| {
        enters(row, |key| outer(key, |tunnel| Some(tunnel.src)))
    }),
    ("tunnel_dst", |row| {
        enters(row, |key| outer(key, |tunnel| Some(tunnel.dst)))
    }),
    ("tunnel_dst_port", |row| {
        enters(row, |key| outer(key, |tunnel| tunnel.dst_port))
    }),
    ("exit_src", |row| leaves(row, |key| Some(key.src))),
    ("exit_dst", |row| leaves(row, |key| Some(key.dst))),
    ("exit_src_port", |row| leaves(row, |key| key.src_port)),
    ("exit_dst_port", |row| leaves(row, |key| key.dst_port)),
    ("exit_protocol", |row| leaves(row, |key| Some(key.protocol))),
    ("exit_vlans", |row| {
        leaves(row, |key| Some(label::vlans(&key.vlans)))
    }),
    ("exit_tunnel_kind", |row| {
        leaves(row, |key| outer(key, |tunnel| Some(tunnel.kind.name())))
    }),
    ("exit_tunnel_id", |row| {
        leaves(row, |key| outer(key, |tunnel| tunnel.id))
    }),
    ("exit_tunnel_src", |row| {
        leaves(row, |key| outer(key, |tunnel| Some(tunnel.src)))
    }),
    ("exit_tunnel_dst", |row| {
        leaves(row, |key| outer(key, |tunnel| Some(tunnel.dst)))
    }),
    ("exit_tunnel_dst_port", |row| {
        leaves(row, |key| outer(key, |tunnel| tunnel.dst_port))
    }),
    ("exit_hop_limit", |row| {
        cell(exit(row).map(|seen| seen.hop_limit))
    }),
    ("sent_datagrams", |row| {
        row.segment.sent.datagrams.to_string()
    }),
    ("sent_packets", |row| row.segment.sent.packets.to_string()),
    ("sent_fragments", |row| {
        row.segment.sent.fragments.to_string()
    }),
    ("sent_bytes", |row| row.segment.sent.bytes.to_string()),
    ("arrived_datagrams", |row| {
        row.segment.arrived.datagrams.to_string()
    }),
    ("arrived_packets", |row| {
        row.segment.arrived.packets.to_string()
    }),
    ("arrived_fragments", |row| {
        row.segment.arrived.fragments.to_string()
    }),
    ("arrived_bytes", |row| row.segment.arrived.bytes.to_string()),
    ("lost_datagrams", |row| {
        row.segment.lost.datagrams.to_string()
    }),
    ("lost_packets", |row| row.segment.lost.packets.to_string()),
    ("lost_fragments", |row| {
        row.segment.lost.fragments.to_string()
    }),
    ("lost_bytes", |row| row.segment.lost.bytes.to_string()),
    ("duplicated", |row| row.segment.duplicated.to_string()),
    ("duplicates_removed", |row| {
        row.segment.duplicates_removed.to_string()
    }),
    ("reordered", |row| row.segment.reordered.to_string()),
    ("appeared", |row| row.segment.appeared.to_string()),
    ("corrupted", |row| row.segment.corrupted.to_string()),
    ("spoiled_datagrams", |row| {
        row.segment.spoiled_datagrams.to_string()
    }),
    ("partly_compared", |row| {
        row.segment.partly_compared.to_string()
    }),
    ("outside", |row| row.segment.outside.to_string()),
    ("one_sided", |row| {
        let seen = row.segment.one_sided.iter().map(|seen| seen.packets);
        seen.sum::<u64>().to_string()
    }),
    ("loss_pattern", |row| {
        loss(row, |loss| Some(words::name_of(loss.pattern)))
    }),
    ("loss_number", |row| loss(row, |loss| loss.number)),
    ("loss_rate", |row| loss(row, |loss| Some(loss.rate))),
    ("loss_longest_burst", |row| {
        loss(row, |loss| loss.longest_burst)
    }),
    ("loss_mean_burst", |row| loss(row, |loss| loss.mean_burst)),
    ("loss_first_sent", |row| {
        loss(row, |loss| Some(loss.first.sent))
    }),
    ("loss_first_lost", |row| {
        loss(row, |loss| Some(loss.first.lost))
    }),
    ("loss_middle_sent", |row| {
        loss(row, |loss| Some(loss.middle.sent))
    }),
    ("loss_middle_lost", |row| {
        loss(row, |loss| Some(loss.middle.lost))
    }),
    ("loss_last_sent", |row| {
        loss(row, |loss| Some(loss.last.sent))
    }),
    ("loss_last_lost", |row| {
        loss(row, |loss| Some(loss.last.lost))
    }),
    ("loss_with_rate", |row| loss(row, |loss| loss.with_rate)),
    ("delay_packets", |row| {
        delay(row, |delay| delay.packets as f64)
    }),
    ("delay_min_seconds", |row| {
        delay(row, |delay| delay.min_seconds)
    }),
    ("delay_median_seconds", |row| {
        delay(row, |delay| delay.median_seconds)
    }),
    ("delay_p99_seconds", |row| {
        delay(row, |delay| delay.p99_seconds)
    }),
    ("delay_max_seconds", |row| {
        delay(row, |delay| delay.max_seconds)
    }),
    ("changes_hop_limit", |row| {
        row.segment.changes.hop_limit.to_string()
    }),
    ("changes_hop_limit_by", |row| {
        cell(row.segment.changes.hop_limit_by)
    }),
    ("changes_dscp", |row| row.segment.changes.dscp.to_string()),
    ("changes_dscp_from", |row| {
        cell(row.segment.changes.dscp_from_to.map(|(from, _)| from))
    }),
    ("changes_dscp_to", |row| {
        cell(row.segment.changes.dscp_from_to.map(|(_, to)| to))
    }),
    ("changes_congestion_marked", |row| {
        row.segment.changes.congestion_marked.to_string()
    }),
    ("changes_nat_flows", |row| {
        row.segment.changes.nat_flows.to_string()
    }),
    ("changes_tunnel_added", |row| {
        row.segment.changes.tunnel_added.to_string()
    }),
    ("changes_tunnel_removed", |row| {
        row.segment.changes.tunnel_removed.to_string()
    }),
    ("changes_tunnel_changed", |row| {
        row.segment.changes.tunnel_changed.to_string()
    }),
    ("layout_fragmented", |row| {
        row.segment.layout.fragmented.to_string()
    }),
    ("layout_reassembled", |row| {
        row.segment.layout.reassembled.to_string()
    }),
    ("layout_refragmented", |row| {
        row.segment.layout.refragmented.to_string()
    }),
    ("layout_largest_fragment_bytes", |row| {
        cell(row.segment.layout.largest_fragment_bytes)
    }),
    ("layout_segmented", |row| {
        row.segment.layout.segmented.to_string()
    }),
    ("layout_coalesced", |row| {
        row.segment.layout.coalesced.to_string()
    }),
    ("first_timestamp", |row| cell(row.flow.first_timestamp)),
    ("last_timestamp", |row| cell(row.flow.last_timestamp)),
];

/// Absent is an empty cell.
fn cell<T: Display>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A cell about the flow where it enters the path.
fn enters<T: Display>(row: &Row<'_>, figure: impl FnOnce(&FlowKey) -> Option<T>) -> String {
    cell(figure(&row.flow.key))
}

/// A cell about the flow where the row ends; empty where it was not seen.
fn leaves<T: Display>(row: &Row<'_>, figure: impl FnOnce(&FlowKey) -> Option<T>) -> String {
    cell(exit(row).and_then(|seen| figure(&seen.key)))
}

/// As what the flow is seen where the row ends.
fn exit<'a>(row: &Row<'a>) -> Option<&'a SeenAs> {
    let place = usize::try_from(row.segment.to).ok()?;
    row.flow.seen_as.get(place)?.as_ref()
}

/// Something about the tunnel around a flow; `None` without one.
fn outer<T>(key: &FlowKey, figure: impl FnOnce(&TunnelKey) -> Option<T>) -> Option<T> {
    key.tunnel.as_ref().and_then(figure)
}

fn loss<T: Display>(row: &Row<'_>, figure: impl FnOnce(&Loss) -> Option<T>) -> String {
    cell(row.segment.loss.as_ref().and_then(figure))
}

fn delay(row: &Row<'_>, figure: impl FnOnce(&Delay) -> f64) -> String {
    cell(row.segment.delay.as_ref().map(figure))
}
