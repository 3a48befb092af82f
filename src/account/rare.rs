//! What most flows have nothing of.

use super::counting::{
    count_fate, count_fragments, count_header, count_late_copy, count_transport,
};
use super::gaps::Gaps;
use super::icmp_errors::IcmpErrors;
use super::losses::{Loss, Losses};
use super::places::Found;
use super::table::Merge;
use crate::model::facts::{Carries, LARGEST_MTU, Layer, OvnPorts, Transport};
use crate::model::{Counters, Protocol};
use crate::reassemble::{Completed, Datagram, Fate, FragmentFacts, LargestFull};

/// Whether a packet cannot have been on a wire like this: a sender's NIC was still to
/// cut it up (TSO, GSO), or a receiver's had joined several (GRO).
pub(super) fn is_super_frame(layer: &Layer) -> bool {
    layer.super_frame || layer.ip_bytes > LARGEST_MTU
}

/// An encrypted tunnel that is recognised and left closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed {
    /// ESP, RFC 4303, also inside UDP (RFC 3948).
    Esp,
    /// WireGuard.
    WireGuard,
}

/// In what order the fragments of datagrams came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Datagrams in which the first fragment alone came later than its place.
    pub first_late: u64,
    /// Datagrams in which others did.
    pub disordered: u64,
}

impl Merge for Order {
    fn merge(&mut self, other: Self) {
        self.first_late += other.first_late;
        self.disordered += other.disordered;
    }
}

/// Everything of a flow but its plain packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// Full-size fragments excepted.
    pub counters: Counters,
    pub largest: LargestFull,
    pub deliverable_datagrams: u64,
    pub deliverable_bytes: u64,
    pub deliverable_unfragmented_bytes: u64,
    pub fragments_per_datagram: Option<(u64, u64)>,
    pub datagrams_of_unknown_size: u64,
    pub gaps: Gaps,
    /// Of the datagrams in `gaps`; none of most flows, and large.
    pub places: Option<Box<Found>>,
    /// None of most flows, and large.
    pub losses: Option<Box<Losses>>,
    pub sound_wholes: u64,
    pub altered_copies: u64,
    pub order: Order,
    pub super_frames: u64,
    pub lost_in_tunnel: u64,
    pub duplicate_bytes: u64,
    pub icmp_errors: IcmpErrors,
    pub closed: Option<Closed>,
    pub ovn: Option<OvnPorts>,
}

impl Rare {
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.fragments.full_size = self.largest.count;
        counters
    }

    pub fn deliver(&mut self, wire_bytes: u64) {
        self.deliverable_datagrams += 1;
        self.deliverable_bytes += wire_bytes;
    }

    pub fn lose(&mut self, loss: Loss, wire_bytes: u64) {
        self.losses.get_or_insert_default().count(loss, wire_bytes);
    }

    /// Counts what a datagram lacks that was lost for this reason.
    pub fn lacks(&mut self, datagram: &Datagram, loss: Loss) {
        self.gaps.count(datagram, loss);
        match loss {
            Loss::Gap | Loss::OnlyFirst | Loss::NoFirst => {
                if let Some(layout) = datagram.gap().and_then(|_| datagram.layout()) {
                    self.places.get_or_insert_default().count(&layout);
                }
            }
            Loss::Late => {
                if let Some(rest) = datagram.layout_of_rest() {
                    self.places.get_or_insert_default().count_late(&rest);
                }
            }
            _ => {}
        }
    }

    /// Counts a datagram that came in one packet.
    pub fn odd_packet(&mut self, layer: &Layer, wire_bytes: u64) {
        self.counters.packets += 1;
        self.counters.bytes += wire_bytes;
        self.counters.datagrams.unfragmented += 1;
        count_header(&mut self.counters, layer);
        self.super_frames += u64::from(is_super_frame(layer));
        self.closed = self.closed.max(match layer.carries {
            Carries::WireGuard => Some(Closed::WireGuard),
            Carries::Esp => Some(Closed::Esp),
            Carries::Flow | Carries::Tunnel(_) => None,
        });
        let is_cut = layer.payload_captured < layer.payload_bytes;
        self.transport(layer.protocol, &layer.transport, is_cut);
    }

    pub fn transport(&mut self, protocol: Protocol, transport: &Transport, is_cut: bool) {
        count_transport(&mut self.counters, protocol, transport, is_cut);
    }

    pub fn fragmented(&mut self, datagram: &Datagram, fate: Fate) {
        let tally = &datagram.tally;
        self.counters.packets += tally.fragments();
        self.counters.bytes += tally.wire_bytes;
        self.duplicate_bytes += tally.duplicate_wire_bytes;
        self.largest.merge(tally.largest);
        self.altered_copies += tally.altered;
        let arrival = &datagram.arrival;
        self.order.disordered += u64::from(arrival.is_rest_disordered);
        self.order.first_late += u64::from(arrival.is_first_late && !arrival.is_rest_disordered);
        count_fragments(&mut self.counters, datagram);
        count_fate(&mut self.counters, fate);
    }

    pub fn late_copy(&mut self, completed: &Completed, fragment: &FragmentFacts) {
        self.counters.packets += 1;
        self.counters.bytes += fragment.wire_bytes;
        self.duplicate_bytes += fragment.wire_bytes;
        count_late_copy(&mut self.counters, &mut self.largest, completed, fragment);
    }

    pub fn pieces(&mut self, fewest: u64, most: u64) {
        let (lowest, highest) = self.fragments_per_datagram.unwrap_or((fewest, most));
        self.fragments_per_datagram = Some((lowest.min(fewest), highest.max(most)));
    }
}

impl Merge for Rare {
    fn merge(&mut self, other: Self) {
        self.counters += other.counters;
        self.largest.merge(other.largest);
        self.deliverable_datagrams += other.deliverable_datagrams;
        self.deliverable_bytes += other.deliverable_bytes;
        self.deliverable_unfragmented_bytes += other.deliverable_unfragmented_bytes;
        if let Some((fewest, most)) = other.fragments_per_datagram {
            self.pieces(fewest, most);
        }
        self.datagrams_of_unknown_size += other.datagrams_of_unknown_size;
        self.gaps += other.gaps;
        if let Some(places) = other.places {
            self.places.get_or_insert_default().merge(*places);
        }
        if let Some(losses) = other.losses {
            *self.losses.get_or_insert_default().as_mut() += *losses;
        }
        self.sound_wholes += other.sound_wholes;
        self.altered_copies += other.altered_copies;
        self.order.merge(other.order);
        self.super_frames += other.super_frames;
        self.lost_in_tunnel += other.lost_in_tunnel;
        self.duplicate_bytes += other.duplicate_bytes;
        self.icmp_errors.merge(other.icmp_errors);
        self.closed = self.closed.max(other.closed);
        self.ovn = [self.ovn, other.ovn].into_iter().flatten().min();
    }
}
