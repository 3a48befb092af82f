//! Names of flows in words: every packet is looked up by its flow.

use crate::model::{Addresses, FlowKey, IpVersion, Ports, Protocol, ScopeTag};
use std::hash::{Hash, Hasher};

/// A [`FlowKey`] in words, each of which is compared in one step.
#[derive(Clone, Copy, Debug, Eq)]
pub(super) struct Words {
    /// Of IPv4 both addresses are in the first, and the others are empty.
    addresses: [u64; 4],
    /// Ports and protocol, whether there are ports, and whether it is IPv6.
    upper: u64,
    scope: u64,
}

/// Bits of [`Words::upper`] above the ports and the protocol.
const NO_PORTS: u64 = 1 << 40;
const IPV6: u64 = 1 << 41;

impl Words {
    #[inline(always)]
    pub fn of(key: &FlowKey) -> Self {
        let words = Self::without_v6(key);
        match key.addresses.version {
            IpVersion::V4 => words,
            IpVersion::V6 => words.with_v6(key),
        }
    }

    /// Adds those of a flow to others. Most are of IPv4, and written there at once.
    #[inline(always)]
    pub fn add(all: &mut Vec<Self>, key: &FlowKey) {
        all.push(Self::without_v6(key));
        if let (IpVersion::V6, Some(last)) = (key.addresses.version, all.last_mut()) {
            *last = last.with_v6(key);
        }
    }

    /// Those of a flow of IPv4; of IPv6 without the addresses.
    #[inline(always)]
    fn without_v6(key: &FlowKey) -> Self {
        let ports = key.ports.map_or(NO_PORTS, |ports| {
            u64::from(ports.source) << 16 | u64::from(ports.destination)
        });
        let [[source, _], [destination, _]] = key.addresses.words();
        Self {
            addresses: [source << 32 | destination, 0, 0, 0],
            upper: ports | u64::from(key.protocol.0) << 32,
            scope: key.scope.0,
        }
    }

    #[inline(always)]
    fn with_v6(self, key: &FlowKey) -> Self {
        let [[first, second], [third, fourth]] = key.addresses.words();
        Self {
            addresses: [first, second, third, fourth],
            upper: self.upper | IPV6,
            scope: self.scope,
        }
    }

    /// Whether it is a flow of fragments, or of what has no ports.
    pub fn has_no_ports(&self) -> bool {
        self.upper & NO_PORTS != 0
    }

    /// The flow that is called so.
    pub fn key(&self) -> FlowKey {
        let [first, second, third, fourth] = self.addresses;
        let both = |low: u64, high: u64| (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        let addresses = match self.upper & IPV6 {
            0 => Addresses::v4(
                ((first >> 32) as u32).to_le_bytes(),
                (first as u32).to_le_bytes(),
            ),
            _ => Addresses::v6(both(first, second), both(third, fourth)),
        };
        let ports = Ports {
            source: (self.upper >> 16) as u16,
            destination: self.upper as u16,
        };
        FlowKey {
            addresses,
            ports: (!self.has_no_ports()).then_some(ports),
            protocol: Protocol((self.upper >> 32) as u8),
            scope: ScopeTag(self.scope),
        }
    }
}

/// The rest of the addresses only where there is one.
impl PartialEq for Words {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.addresses[0] == other.addresses[0]
            && self.upper == other.upper
            && self.scope == other.scope
            && (self.upper & IPV6 == 0 || self.addresses[1..] == other.addresses[1..])
    }
}

/// Two words at a time, and of IPv4 no more than those. A scope is a hash itself.
impl Hash for Words {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let two = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
        let [first, second, third, fourth] = self.addresses;
        if self.upper & IPV6 != 0 {
            state.write_u128(two(second, third));
            state.write_u128(two(fourth, 0));
        }
        state.write_u128(two(first, self.upper ^ self.scope));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Vec<FlowKey> {
        let ports = |source, destination| {
            Some(Ports {
                source,
                destination,
            })
        };
        let v6 = |from: u8, to: u8| {
            let address = |at: u8| std::array::from_fn(|place| if place == 9 { at } else { 0 });
            Addresses::v6(address(from), address(to))
        };
        let key = FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: ports(1, 2),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        let mut embedded = [0; 16];
        embedded[..4].copy_from_slice(&[10, 0, 0, 1]);
        let mut other = [0; 16];
        other[..4].copy_from_slice(&[10, 0, 0, 2]);
        let others = [
            key.reversed(),
            FlowKey { ports: None, ..key },
            FlowKey {
                ports: ports(0, 0),
                ..key
            },
            FlowKey {
                ports: ports(2, 1),
                ..key
            },
            FlowKey {
                protocol: Protocol::TCP,
                ..key
            },
            FlowKey {
                scope: ScopeTag(7),
                ..key
            },
            FlowKey {
                addresses: Addresses::v4([10, 0, 0, 2], [10, 0, 0, 2]),
                ..key
            },
            FlowKey {
                addresses: Addresses::v6(embedded, other),
                ..key
            },
            FlowKey {
                addresses: v6(1, 2),
                ..key
            },
            FlowKey {
                addresses: v6(2, 1),
                ..key
            },
            FlowKey {
                addresses: v6(1, 1),
                ..key
            },
        ];
        std::iter::once(key).chain(others).collect()
    }

    #[test]
    fn words_are_those_of_one_key() {
        let mut all = Vec::new();
        for key in keys() {
            Words::add(&mut all, &key);
            assert_eq!(all.last(), Some(&Words::of(&key)));
            assert_eq!(Words::of(&key).key(), key);
        }
    }

    #[test]
    fn other_keys_have_other_words_and_other_hashes() {
        let hash = |words: &Words| {
            use std::hash::BuildHasher;
            foldhash::fast::FixedState::with_seed(7).hash_one(words)
        };
        for (place, one) in keys().iter().enumerate() {
            for other in &keys()[..place] {
                let [one, other] = [one, other].map(Words::of);
                assert_ne!(one, other);
                assert_ne!(hash(&one), hash(&other), "{one:?} {other:?}");
            }
        }
    }
}
