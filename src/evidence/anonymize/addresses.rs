//! Addresses to others, prefixes preserved (ipcrypt-pfx, draft-denis-ipcrypt).
//!
//! Two addresses that begin with the same bits become two that begin with the same bits.
//! What Linux or a diagnosis tells by the address alone must stay what it is, so the
//! beginning that makes the class of an address is kept, and the rest is mapped:
//!
//! | class | kept |
//! | --- | --- |
//! | unspecified, broadcast, IPv6 loopback | all |
//! | 127.0.0.0/8, 224.0.0.0/4, 169.254.0.0/16 | the prefix |
//! | ff00::/8 | flags and scope too |
//! | fe80::/64, fe80::/10 | the prefix |
//! | ::ffff:0:0/96 | the prefix; the rest is an IPv4 address |
//!
//! An address that would come into another class is mapped again until it does not. It
//! may then share less of its beginning with its neighbours. Which addresses are the
//! broadcast addresses of their networks nobody can know.

use super::secret::Key;
use crate::model::{Addresses, IpVersion};
use hashbrown::HashMap;
use ipcrypt_rs::IpcryptPfx;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// Times an address is mapped again: as good as never more than ten.
const MOST_WALKS: usize = 1_000;

/// What an address is by itself: those of one class share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Nothing special.
    Ordinary,
    /// It stands for itself alone.
    Single,
    /// So many first bits make it what it is.
    Prefix(u32),
    /// An IPv4 address in an IPv6 one.
    Mapped,
}

/// A bijection of addresses.
pub(super) struct AddressMap {
    cipher: IpcryptPfx,
    /// What was mapped: it takes 64 to 256 rounds of AES.
    known: Mutex<HashMap<IpAddr, IpAddr>>,
}

impl AddressMap {
    pub fn new(key: &Key) -> Self {
        Self {
            // It panics on equal halves, which no `Key` has.
            cipher: IpcryptPfx::new(key.bytes()),
            known: Mutex::default(),
        }
    }

    /// How many addresses were mapped so far.
    pub fn count(&self) -> u64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.len() as u64
    }

    /// What an IPv4 address becomes.
    pub fn v4(&self, address: [u8; 4]) -> [u8; 4] {
        match self.map(Ipv4Addr::from(address).into()) {
            IpAddr::V4(mapped) => mapped.octets(),
            IpAddr::V6(_) => [0; 4],
        }
    }

    /// What an IPv6 address becomes.
    pub fn v6(&self, address: [u8; 16]) -> [u8; 16] {
        match self.map(Ipv6Addr::from(address).into()) {
            IpAddr::V6(mapped) => mapped.octets(),
            IpAddr::V4(mapped) => mapped.to_ipv6_mapped().octets(),
        }
    }

    /// What an address as in [`Addresses`] becomes.
    pub fn octets(&self, version: IpVersion, address: [u8; 16]) -> [u8; 16] {
        match version {
            IpVersion::V6 => self.v6(address),
            IpVersion::V4 => {
                let [a, b, c, d, ..] = address;
                let mapped = self.v4([a, b, c, d]);
                Addresses::v4(mapped, mapped).source
            }
        }
    }

    /// What a pair becomes.
    pub fn pair(&self, addresses: &Addresses) -> Addresses {
        Addresses {
            version: addresses.version,
            source: self.octets(addresses.version, addresses.source),
            destination: self.octets(addresses.version, addresses.destination),
        }
    }

    fn map(&self, address: IpAddr) -> IpAddr {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known
            .entry(address)
            .or_insert_with(|| self.compute(address))
    }

    fn compute(&self, address: IpAddr) -> IpAddr {
        match (address, class(address)) {
            (_, Class::Single) => address,
            (IpAddr::V6(v6), Class::Mapped) => {
                let inner = v6.to_ipv4_mapped().unwrap_or(Ipv4Addr::UNSPECIFIED);
                match self.compute(inner.into()) {
                    IpAddr::V4(mapped) => mapped.to_ipv6_mapped().into(),
                    v6 => v6,
                }
            }
            (_, class) => self.walk(address, class),
        }
    }

    fn walk(&self, address: IpAddr, wanted: Class) -> IpAddr {
        let kept = match wanted {
            Class::Prefix(bits) => bits,
            _ => 0,
        };
        let mut mapped = address;
        for _ in 0..MOST_WALKS {
            mapped = with_prefix(address, kept, self.encrypted(mapped));
            if class(mapped) == wanted {
                break;
            }
        }
        mapped
    }

    /// The cipher gives an address that is IPv4 in IPv6 as IPv4.
    fn encrypted(&self, address: IpAddr) -> IpAddr {
        match (address, self.cipher.encrypt_ipaddr(address)) {
            (IpAddr::V6(_), IpAddr::V4(mapped)) => mapped.to_ipv6_mapped().into(),
            (_, mapped) => mapped,
        }
    }
}

/// Whether an address says nothing by itself, so that it is mapped in all its bits.
#[cfg(test)]
pub(super) fn is_ordinary(address: IpAddr) -> bool {
    class(address) == Class::Ordinary
}

fn class(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(v4) => class_v4(v4),
        IpAddr::V6(v6) => class_v6(v6),
    }
}

fn class_v4(address: Ipv4Addr) -> Class {
    if address.is_unspecified() || address.is_broadcast() {
        Class::Single
    } else if address.is_loopback() {
        Class::Prefix(8)
    } else if address.is_multicast() {
        Class::Prefix(4)
    } else if address.is_link_local() {
        Class::Prefix(16)
    } else {
        Class::Ordinary
    }
}

fn class_v6(address: Ipv6Addr) -> Class {
    if address.is_unspecified() || address.is_loopback() {
        Class::Single
    } else if address.to_ipv4_mapped().is_some() {
        Class::Mapped
    } else if address.is_multicast() {
        Class::Prefix(16)
    } else if address.segments()[..4] == [0xfe80, 0, 0, 0] {
        Class::Prefix(64)
    } else if address.is_unicast_link_local() {
        Class::Prefix(10)
    } else {
        Class::Ordinary
    }
}

/// `rest`, beginning with the first `bits` of `address`.
fn with_prefix(address: IpAddr, bits: u32, rest: IpAddr) -> IpAddr {
    match (address, rest) {
        (IpAddr::V4(address), IpAddr::V4(rest)) => {
            let below = u32::MAX.unbounded_shr(bits);
            Ipv4Addr::from(u32::from(address) & !below | u32::from(rest) & below).into()
        }
        (IpAddr::V6(address), IpAddr::V6(rest)) => {
            let below = u128::MAX.unbounded_shr(bits);
            Ipv6Addr::from(u128::from(address) & !below | u128::from(rest) & below).into()
        }
        (_, rest) => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn map(seed: u8) -> AddressMap {
        let mut key = [seed; 32];
        key[31] = !seed;
        AddressMap::new(&Key::new(Some(key)).unwrap())
    }

    /// Bits that two addresses begin with in common.
    fn common_v4(one: [u8; 4], other: [u8; 4]) -> u32 {
        (u32::from_be_bytes(one) ^ u32::from_be_bytes(other)).leading_zeros()
    }

    #[test]
    fn what_is_special_stays_so() {
        let map = map(3);
        for single in ["0.0.0.0", "255.255.255.255", "::", "::1"] {
            let address: IpAddr = single.parse().unwrap();
            assert_eq!(map.map(address), address);
        }
        for (address, bits) in [
            ("127.0.0.1", 8),
            ("224.0.0.251", 4),
            ("169.254.10.1", 16),
            ("ff02::1:ff00:1", 16),
            ("ff15::5", 16),
            ("fe80::1:2:3:4", 64),
            ("fe81::1", 10),
        ] {
            let address: IpAddr = address.parse().unwrap();
            let mapped = map.map(address);
            assert_eq!(class(mapped), Class::Prefix(bits), "{address}");
            assert_eq!(with_prefix(address, bits, mapped), mapped, "{address}");
            assert_ne!(mapped, address);
        }
    }

    #[test]
    fn an_ipv4_address_in_ipv6_is_mapped_as_one() {
        let map = map(3);
        let inside = Ipv4Addr::new(10, 1, 2, 3);
        let mapped = Ipv4Addr::from(map.v4(inside.octets()));
        let wide = map.v6(inside.to_ipv6_mapped().octets());
        assert_eq!(wide, mapped.to_ipv6_mapped().octets());
    }

    #[test]
    fn nothing_is_met_twice() {
        let map = map(9);
        // Among them multicast, loopback and link-local.
        let all: HashSet<[u8; 4]> = (0..=u16::MAX)
            .map(|high| map.v4([(high >> 8) as u8, high as u8, 7, 9]))
            .collect();
        assert_eq!(all.len(), 1 << 16);
    }

    proptest! {
        #[test]
        fn prefixes_are_preserved(one: [u8; 4], other: [u8; 4], seed: u8) {
            let map = map(seed);
            let mapped = [one, other].map(|address| map.v4(address));
            let again = [one, other].map(|address| AddressMap::v4(&super::tests::map(seed), address));
            prop_assert_eq!(mapped, again);
            prop_assert_eq!(mapped[0] == mapped[1], one == other);
            let once = [one, other].map(|address| map.encrypted(Ipv4Addr::from(address).into()));
            let is_straight = once.iter().zip(mapped).all(|(once, mapped)| {
                *once == IpAddr::from(mapped)
            });
            if is_straight {
                prop_assert_eq!(
                    common_v4(mapped[0], mapped[1]),
                    common_v4(one, other)
                );
            }
            for (address, mapped) in [one, other].into_iter().zip(mapped) {
                prop_assert_eq!(class(address.into()), class(mapped.into()));
            }
        }

        #[test]
        fn prefixes_of_ipv6_are_preserved(network: u64, one: u64, other: u64) {
            let map = map(1);
            let join = |low: u64| (u128::from(network) << 64 | u128::from(low)).to_be_bytes();
            let [before, after] = [join(one), join(other)];
            let mapped = [before, after].map(|address| map.v6(address));
            for (address, mapped) in [before, after].into_iter().zip(mapped) {
                prop_assert_eq!(class(address.into()), class(mapped.into()));
            }
            if is_ordinary(before.into()) && is_ordinary(after.into()) {
                let common = |pair: [[u8; 16]; 2]| {
                    let [one, other] = pair.map(u128::from_be_bytes);
                    (one ^ other).leading_zeros()
                };
                let straight = [before, after].map(|address| map.encrypted(address.into()));
                if straight == mapped.map(IpAddr::from) {
                    prop_assert_eq!(common(mapped), common([before, after]));
                }
            }
        }
    }
}
