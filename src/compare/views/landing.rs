//! Frames that come to one station twice, on two ways of which one leads by a router. Whoever
//! passes a packet on sends it to another station: with a TTL one lower it cannot come to the same
//! one on the same link. So it is no packet on its way through, but one more.
//!
//! Linux makes such copies where a bridge is promiscuous, as by a capture on it, and
//! `bridge-nf-call-iptables` lets netfilter translate what crosses the bridge: that goes on bridged,
//! and routed as well (measured with Linux 6.18; net/bridge/br_netfilter_hooks.c).

use super::memory::Memory;
use crate::compare::content::hash;
use crate::decode::Stations;

/// With which TTL the packets of flows come to stations.
#[derive(Debug, Default)]
pub(super) struct Landings(Memory<Landing>);

/// How the latest came that did not come beside others.
#[derive(Clone, Copy, Debug, Default)]
struct Landing {
    hop_limit: u8,
    from: u64,
}

impl Landings {
    /// The TTL with which a packet of a flow would have come to a station without the router that
    /// it may have passed beside the way of others. Where all come from one station, somebody has
    /// written one address into all frames.
    pub fn unrouted(&mut self, stations: Stations, flow: u64, hop_limit: u8) -> u8 {
        let Stations { from, to, vlans } = stations;
        let known = self.0.of(hash(&[to, vlans, flow]));
        let is_lower = hop_limit.checked_add(1) == Some(known.hop_limit);
        if !is_lower || known.from == from {
            *known = Landing { hop_limit, from };
        }
        known.hop_limit
    }

    /// What was not seen for long is forgotten.
    pub fn turn(&mut self) {
        self.0.turn();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the TTL of each would be, by who sends it to whom.
    fn unrouted<const N: usize>(seen: [([u64; 2], u8); N]) -> [u8; N] {
        let mut landings = Landings::default();
        let stations = |[from, to]: [u64; 2]| Stations { from, to, vlans: 0 };
        seen.map(|(ends, hop_limit)| landings.unrouted(stations(ends), 7, hop_limit))
    }

    fn stay<const N: usize>(seen: [([u64; 2], u8); N]) -> bool {
        unrouted(seen) == seen.map(|(_, hop_limit)| hop_limit)
    }

    #[test]
    fn one_hop_lower_to_the_same_station_went_beside() {
        let (bridged, routed) = (([5, 1], 64), ([6, 1], 63));
        assert_eq!(unrouted([bridged, routed, bridged, routed]), [64; 4]);
        assert_eq!(unrouted([routed, bridged, routed]), [63, 64, 64]);
    }

    #[test]
    fn to_another_station_it_was_passed_on() {
        let (came, left) = (([5, 1], 64), ([1, 2], 63));
        assert!(stay([came, left, came, left]));
    }

    /// Two routers that send it to each other.
    #[test]
    fn what_goes_in_a_circle_does_not_go_beside() {
        assert!(stay([
            ([5, 1], 64),
            ([1, 2], 63),
            ([2, 1], 62),
            ([1, 2], 61)
        ]));
    }

    #[test]
    fn addresses_that_all_frames_have_tell_nothing() {
        assert!(stay([
            ([5, 1], 64),
            ([5, 1], 63),
            ([5, 1], 64),
            ([5, 1], 63)
        ]));
    }
}
