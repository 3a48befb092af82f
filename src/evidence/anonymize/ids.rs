//! VLAN ids, tunnel ids and MAC addresses to others of their kind.
//!
//! A Feistel network over as many bits as an id has makes a bijection of any function;
//! the numbers of the key are that function.

use super::secret::{Key, Numbers};
use crate::model::TunnelKind;

/// Rounds: four of them make a strong pseudo-random permutation (Luby and Rackoff).
const ROUNDS: u8 = 4;
/// Largest VLAN id that names a VLAN; 0 and 4095 are reserved (IEEE 802.1Q).
const LARGEST_VLAN: u64 = 4094;
/// The first IPv4 address that a host can have, as a number: 1.0.0.0.
const FIRST_ADDRESS: u64 = 1 << 24;
/// "Group" and "local" in the first octet of a MAC address.
const MAC_FLAGS: u8 = 0x03;

/// Bijections of ids. What is not to be mapped stays.
pub(super) struct IdMap {
    numbers: Numbers,
    ids: bool,
    macs: bool,
}

impl IdMap {
    pub fn new(key: &Key, ids: bool, macs: bool) -> Self {
        Self {
            numbers: key.numbers("ids"),
            ids,
            macs,
        }
    }

    /// What a VLAN id becomes.
    pub fn vlan(&self, id: u16) -> u16 {
        let is_vlan = |id: u64| (1..=LARGEST_VLAN).contains(&id);
        if !self.ids || !is_vlan(u64::from(id)) {
            return id;
        }
        self.walk(u64::from(id), 12, is_vlan) as u16
    }

    /// What the id of a tunnel becomes.
    pub fn tunnel(&self, kind: TunnelKind, id: u32) -> u32 {
        match kind {
            TunnelKind::Erspan => self.bits(id, 10),
            TunnelKind::Gre | TunnelKind::Gretap if self.ids => self.bits(id, 32),
            TunnelKind::Gre | TunnelKind::Gretap => self.key(id),
            _ => self.bits(id, 24),
        }
    }

    /// What a key of GRE becomes where ids stay: one that can be an address does not, since
    /// `ip tunnel add … key 10.0.0.1` makes keys of addresses.
    fn key(&self, key: u32) -> u32 {
        let can_be_an_address = |key: u64| key >= FIRST_ADDRESS;
        match can_be_an_address(key.into()) {
            true => self.walk(key.into(), 32, can_be_an_address) as u32,
            false => key,
        }
    }

    /// What an id of so many bits becomes.
    fn bits(&self, id: u32, bits: u32) -> u32 {
        match self.ids {
            true => self.permuted(u64::from(id), bits) as u32,
            false => id,
        }
    }

    /// What a MAC address becomes. Zero and broadcast stay, and what the first octet says.
    pub fn mac(&self, address: [u8; 6]) -> [u8; 6] {
        if !self.macs || address == [0; 6] || address == [0xff; 6] {
            return address;
        }
        let [first, rest @ ..] = address;
        let flags = first & MAC_FLAGS;
        let join = |value: u64| {
            let [_, _, high, rest @ ..] = value.to_be_bytes();
            let [a, b, c, d, e] = rest;
            [high << 2 | flags, a, b, c, d, e]
        };
        let value = rest.iter().fold(u64::from(first >> 2), |value, octet| {
            value << 8 | u64::from(*octet)
        });
        join(self.walk(value, 46, |value| {
            join(value) != [0; 6] && join(value) != [0xff; 6]
        }))
    }

    /// Maps until it is `wanted` again.
    fn walk(&self, id: u64, bits: u32, wanted: impl Fn(u64) -> bool) -> u64 {
        // It comes back to where it began, so it ends.
        let mut mapped = self.permuted(id, bits);
        while !wanted(mapped) {
            mapped = self.permuted(mapped, bits);
        }
        mapped
    }

    /// A bijection of an even number of bits.
    fn permuted(&self, id: u64, bits: u32) -> u64 {
        let half = bits / 2;
        let mask = (1 << half) - 1;
        let (mut left, mut right) = (id >> half & mask, id & mask);
        for round in 0..ROUNDS {
            let mixed = left ^ self.numbers.of(&(bits, round, right)) & mask;
            (left, right) = (right, mixed);
        }
        left << half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn map(ids: bool, macs: bool) -> IdMap {
        let mut key = [5; 32];
        key[0] = 6;
        IdMap::new(&Key::new(Some(key)).unwrap(), ids, macs)
    }

    #[test]
    fn vlans_become_vlans() {
        let map = map(true, false);
        let all: HashSet<u16> = (0..4096).map(|id| map.vlan(id)).collect();
        assert_eq!(all.len(), 4096);
        assert_eq!((map.vlan(0), map.vlan(4095)), (0, 4095));
        assert!((1..4095).any(|id| map.vlan(id) != id));
        assert_eq!(super::tests::map(false, true).vlan(5), 5);
    }

    #[test]
    fn ids_keep_their_width() {
        let map = map(true, false);
        let sessions: HashSet<u32> = (0..1024)
            .map(|id| map.tunnel(TunnelKind::Erspan, id))
            .collect();
        assert_eq!(sessions.len(), 1024);
        assert!(sessions.iter().all(|id| *id < 1024));
        let vnis: HashSet<u32> = (0..10_000)
            .map(|id| map.tunnel(TunnelKind::Vxlan, id))
            .collect();
        assert_eq!(vnis.len(), 10_000);
        assert!(vnis.iter().all(|id| *id < 1 << 24));
        assert_eq!(super::tests::map(false, true).tunnel(TunnelKind::Gre, 7), 7);
    }

    #[test]
    fn a_key_that_can_be_an_address_is_mapped_where_ids_stay() {
        let map = map(false, false);
        let key = u32::from_be_bytes([10, 77, 88, 99]);
        for kind in [TunnelKind::Gre, TunnelKind::Gretap] {
            let mapped = map.tunnel(kind, key);
            assert_ne!(mapped, key);
            assert!(u64::from(mapped) >= FIRST_ADDRESS);
            assert_eq!(map.tunnel(kind, 100), 100);
        }
        let first = FIRST_ADDRESS as u32;
        let keys: HashSet<u32> = (first..first + 10_000)
            .map(|key| map.tunnel(TunnelKind::Gre, key))
            .collect();
        assert_eq!(keys.len(), 10_000);
    }

    proptest! {
        #[test]
        fn macs_keep_what_they_are(one: [u8; 6], other: [u8; 6]) {
            let map = map(false, true);
            let mapped = [map.mac(one), map.mac(other)];
            prop_assert_eq!(mapped[0][0] & MAC_FLAGS, one[0] & MAC_FLAGS);
            prop_assert_eq!(mapped[0] == mapped[1], one == other);
            prop_assert_eq!(mapped[0] == [0; 6], one == [0; 6]);
            prop_assert_eq!(map.mac([0; 6]), [0; 6]);
            prop_assert_eq!(map.mac([0xff; 6]), [0xff; 6]);
        }
    }
}
