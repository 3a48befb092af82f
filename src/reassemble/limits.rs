//! The bounds of reassembly, and how often they were met.

use crate::model::counters::add_fields;
use crate::model::{Addresses, Duration, IpVersion};

/// Bounds of reassembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long an IPv4 datagram may stay unfinished after its first fragment;
    /// Linux `net.ipv4.ipfrag_time`.
    pub timeout_v4: Duration,
    /// The same for IPv6; RFC 8200 section 4.5, Linux `net.ipv6.ip6frag_time`.
    pub timeout_v6: Duration,
    /// Memory for unfinished datagrams, in bytes.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout_v4: Duration::from_secs(30),
            timeout_v6: Duration::from_secs(60),
            memory_bytes: 64 << 20,
        }
    }
}

impl Limits {
    /// The timeout for datagrams between `addresses`.
    pub fn timeout(&self, addresses: &Addresses) -> Duration {
        match addresses.version {
            IpVersion::V4 => self.timeout_v4,
            IpVersion::V6 => self.timeout_v6,
        }
    }

    /// The share of the datagrams with `depth` of at most `depths` IP headers around
    /// them: half for those with none, half of the rest for those with one, and so on.
    #[must_use]
    pub fn at_depth(self, depth: usize, depths: usize) -> Self {
        let halvings = (depth + 1).min(depths.saturating_sub(1));
        Self {
            memory_bytes: self.memory_bytes >> halvings,
            ..self
        }
    }

    /// The share of one of `shards` equal shards.
    #[must_use]
    pub fn shared_by(self, shards: usize) -> Self {
        Self {
            memory_bytes: self.memory_bytes / shards.max(1),
            ..self
        }
    }
}

/// How often a bound of reassembly was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsHit {
    /// Whole tunnel packets that were not opened: bytes that came before their
    /// first fragment had been given up.
    pub tunnels_unopened: u64,
}

add_fields!(LimitsHit { tunnels_unopened });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_depths_make_the_whole() {
        let limits = Limits::default();
        for depths in [1, 2, 8] {
            let shares = (0..depths).map(|depth| limits.at_depth(depth, depths).memory_bytes);
            assert_eq!(shares.sum::<usize>(), limits.memory_bytes, "{depths}");
        }
    }
}
