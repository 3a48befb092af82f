//! The columns of the flows: what they say, and how flows are sorted by them.

use super::row::Tone;
use crate::model::number;
use crate::report::document::Flow;
use crate::report::{figures, label};
use std::cmp::Ordering;

/// What flows can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Column {
    /// By name.
    Flow,
    /// Bytes that were offered and can not be delivered.
    #[default]
    Missing,
    Offered,
    Deliverable,
    /// Share of datagrams that are whole; the least first.
    Whole,
    Bad,
    Packets,
    Fragments,
    Mtu,
}

impl Column {
    /// All of figures, in the order they are shown.
    pub(super) const FIGURES: [Self; 8] = [
        Self::Missing,
        Self::Offered,
        Self::Deliverable,
        Self::Whole,
        Self::Bad,
        Self::Packets,
        Self::Fragments,
        Self::Mtu,
    ];

    /// In the order they are given room.
    pub(super) const BY_WORTH: [Self; 8] = [
        Self::Whole,
        Self::Offered,
        Self::Deliverable,
        Self::Missing,
        Self::Bad,
        Self::Packets,
        Self::Fragments,
        Self::Mtu,
    ];

    /// The header.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Missing => "missing",
            Self::Offered => "offered",
            Self::Deliverable => "deliverable",
            Self::Whole => "whole",
            Self::Bad => "bad",
            Self::Packets => "packets/s",
            Self::Fragments => "fragments",
            Self::Mtu => "MTU",
        }
    }

    /// Columns, wide enough for every figure.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Flow => 0,
            Self::Missing => 10,
            Self::Offered => 12,
            Self::Deliverable => 13,
            Self::Whole => 8,
            Self::Bad => 6,
            Self::Packets | Self::Fragments => 11,
            Self::Mtu => 10,
        }
    }

    /// The next of all columns, after the last the first.
    pub(super) fn next(self) -> Self {
        self.moved(1)
    }

    /// The one before.
    pub(super) fn previous(self) -> Self {
        self.moved(Self::FIGURES.len())
    }

    fn moved(self, by: usize) -> Self {
        let all = [Self::Flow].into_iter().chain(Self::FIGURES);
        let at = all.clone().position(|column| column == self);
        let to = (at.unwrap_or(0) + by) % (Self::FIGURES.len() + 1);
        all.into_iter().nth(to).unwrap_or_default()
    }

    /// What it says of a flow.
    pub(super) fn cell(self, flow: &Flow) -> (String, Tone) {
        let plain = |text| (text, Tone::Normal);
        match self {
            Self::Flow => plain(label::flow(&flow.key)),
            Self::Missing => plain(match missing(flow) {
                0 => "0".to_owned(),
                bytes => number::bytes(bytes),
            }),
            Self::Offered => plain(rate(flow.throughput.bits_per_second)),
            Self::Deliverable => plain(rate(flow.throughput.deliverable_bits_per_second)),
            Self::Whole => whole(flow),
            Self::Bad => {
                let bad = figures::bad(&flow.counters);
                (number::short(bad as f64), Tone::fault_if(bad > 0))
            }
            Self::Packets => plain(number::or_absent(
                flow.throughput.packets_per_second,
                number::short,
            )),
            Self::Fragments => plain(number::short(flow.counters.fragments.total as f64)),
            Self::Mtu => plain(number::or_absent(flow.mtu, |mtu| {
                number::range(mtu.from, mtu.to)
            })),
        }
    }

    /// The worst first, or the other way round; equals and names by address.
    pub(super) fn compare(self, one: &Flow, other: &Flow, is_reversed: bool) -> Ordering {
        let worst_first = self.key(other).total_cmp(&self.key(one));
        let ordered = |order: Ordering| if is_reversed { order.reverse() } else { order };
        let key = |flow: &Flow| {
            let key = &flow.key;
            (key.src, key.src_port, key.dst, key.dst_port)
        };
        let by_name = key(one).cmp(&key(other));
        match self {
            Self::Flow => ordered(by_name),
            _ => ordered(worst_first).then(by_name),
        }
    }

    fn key(self, flow: &Flow) -> f64 {
        let counters = &flow.counters;
        match self {
            Self::Flow => 0.0,
            Self::Missing => missing(flow) as f64,
            Self::Offered => flow.throughput.bits_per_second.unwrap_or(-1.0),
            Self::Deliverable => flow.throughput.deliverable_bits_per_second.unwrap_or(-1.0),
            Self::Whole => {
                let all = figures::datagrams(counters).max(1) as f64;
                1.0 - figures::whole(counters) as f64 / all
            }
            Self::Bad => figures::bad(counters) as f64,
            Self::Packets => flow.throughput.packets_per_second.unwrap_or(-1.0),
            Self::Fragments => counters.fragments.total as f64,
            Self::Mtu => flow.mtu.map_or(-1.0, |mtu| f64::from(mtu.from)),
        }
    }
}

/// Bytes that were offered and can not be delivered, copies left out.
pub(super) fn missing(flow: &Flow) -> u64 {
    flow.throughput.missing_bytes(flow.counters.bytes)
}

fn rate(bits_per_second: Option<f64>) -> String {
    number::or_absent(bits_per_second, number::bit_rate)
}

fn whole(flow: &Flow) -> (String, Tone) {
    let all = figures::datagrams(&flow.counters);
    let whole = figures::whole(&flow.counters);
    (number::percent(whole, all), Tone::fault_if(whole < all))
}
